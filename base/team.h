// Loops whose work several threads share. Internal.
//
// A loop over n items is cut into chunks, and whoever is awake claims the next one: the thread that
// called, and workers that wait for loops. So a worker that the system has put to sleep holds up
// nothing but the chunk that it has begun, and the caller does the rest itself: on a busy machine a
// loop takes little more time than it does alone. Bodies must give the same result whoever works on
// which chunk; a sum is kept per item, or is one that has no order (an integer, a maximum).

#ifndef PL_TEAM_H
#define PL_TEAM_H

#include "base.h"

#include <stdatomic.h>

enum { PL_MAX_THREADS = 256 };

// Does the items first .. last - 1.
typedef void pl_loop_fn(void *context, int64_t first, int64_t last);

// Calls `body` for chunks that together are 0 .. n - 1, each once, and returns when all are done. A
// chunk has at least `least` items (but for the last one), which should take some microseconds;
// fewer than twice as many, or a loop within a loop, are done by the caller alone.
void pl_loop(int64_t n, int64_t least, pl_loop_fn *body, const void *context);

// How many threads a loop of the calling thread may have, itself among them; 1 within the body of a
// loop that has two chunks or more.
int32_t pl_threads(void);

// Within a body, which of these threads runs it, from 0; 0 outside of loops. For memory of its own.
int32_t pl_thread_slot(void);

// For bodies that look for the smallest of something: *least := min(*least, value).
static inline void pl_lower(_Atomic int32_t *least, int32_t value)
{
    int32_t now = *least;
    while (value < now && !atomic_compare_exchange_weak(least, &now, value)) {
    }
}

// *most := max(*most, value).
static inline void pl_raise(_Atomic int32_t *most, int32_t value)
{
    int32_t now = *most;
    while (value > now && !atomic_compare_exchange_weak(most, &now, value)) {
    }
}

// Sets the number for loops of the calling thread: 0 is one per core, as it is at the start.
// Returns the number there was.
int32_t pl_threads_set(int32_t n);

// The same for a while: 0 leaves it as it is. Give the result to pl_threads_set in the end.
int32_t pl_threads_enter(int32_t n);

// Fails with PL_ERROR_ARGUMENT on a number of threads that is negative or too large.
pl_status pl_threads_check(int32_t n);

#endif
