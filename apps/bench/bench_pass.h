// The plain pass that benchmarks compare with: the same bytes, read or written once.

#ifndef PL_BENCH_PASS_H
#define PL_BENCH_PASS_H

#include "../../base/team.h"

// The few bytes past the last whole line of the cache are left out.
typedef struct pl_span {
    const void *data;
    int64_t bytes;
    bool write; // reads and writes; what it holds changes
} pl_span;

// Passes over all spans with all threads.
void pl_pass_over(const pl_span *spans, int n);

#endif
