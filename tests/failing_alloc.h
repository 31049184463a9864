// An allocator that fails on demand: the n-th allocation returns NULL, and blocks are counted.
//
//     for (int64_t n = 0; fail_nth(n), work() == PL_ERROR_MEMORY; n++) assert(live_blocks == 0);

#ifndef PL_FAILING_ALLOC_H
#define PL_FAILING_ALLOC_H

#include "pliant.h"

#include <stdlib.h>

static int64_t live_blocks;  // allocated and not yet released
static int64_t allocations;  // since fail_nth
static int64_t failing_call; // counted from 0; negative: none

static void *failing_alloc(size_t size, size_t alignment, void *user)
{
    (void)user;
    if (allocations++ == failing_call) return NULL;
    live_blocks++;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void failing_release(void *block, void *user)
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

#endif
