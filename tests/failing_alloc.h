// An allocator that fails on demand: the n-th allocation returns NULL, and blocks are counted.

#ifndef PL_FAILING_ALLOC_H
#define PL_FAILING_ALLOC_H

#include "pliant.h"

#include <stdlib.h>
#include <unity.h>

static int64_t live_blocks;  // allocated and not yet released
static int64_t allocations;  // since fail_nth
static int64_t failing_call; // counted from 0; negative: none

static inline void *failing_alloc(size_t size, size_t alignment, void *user)
{
    (void)user;
    if (allocations++ == failing_call) return NULL;
    live_blocks++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void failing_release(void *block, void *user)
{
    (void)user;
    live_blocks--;
    free(block);
}

static inline void fail_nth(int64_t n)
{
    const pl_allocator allocator = {failing_alloc, failing_release, NULL};
    pl_set_allocator(&allocator);
    allocations = 0;
    failing_call = n;
}

static inline void fail_never(void)
{
    pl_set_allocator(NULL);
}

// Calls `run` with its first allocation failing, then its second, ... until it succeeds: each
// failure must be PL_ERROR_MEMORY and leave no block behind. `run` gives back what it made. Returns
// how often it failed, at least once.
static inline int64_t fail_each_allocation(pl_status (*run)(void *user), void *user)
{
    live_blocks = 0;
    pl_status status = PL_ERROR_MEMORY;
    int64_t n = -1;
    while (status == PL_ERROR_MEMORY) {
        fail_nth(++n);
        status = run(user);
        fail_never(); // before an assertion leaves the test
        TEST_ASSERT_EQUAL_INT64_MESSAGE(0, live_blocks, "blocks left");
        TEST_ASSERT_TRUE_MESSAGE(n < 100000, "does not end");
    }
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_TRUE_MESSAGE(n > 0, "allocates nothing");
    return n;
}

#endif
