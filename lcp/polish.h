// The exact solution for a set of free rows that an iteration has settled on. Internal.

#ifndef PL_LCP_POLISH_H
#define PL_LCP_POLISH_H

#include "shifted.h"

typedef struct pl_polish {
    uint8_t *free;  // (n) rows between their bounds, for the caller to set
    double *x, *w;  // (n) what came out
    double *shift;  // (n)
    uint64_t set;   // the hash of `free` when it was last looked at,
    int32_t steady; // how often it was the same since,
    uint64_t tried; // and of the last one that was solved for
} pl_polish;

pl_status pl_polish_take(int32_t n, pl_arena *arena, pl_polish *out);

// Looks at p->free: true once it was the same `steady` times in a row, and once for a set.
bool pl_polish_is_due(pl_polish *p, int32_t n, int32_t steady);

// p->x := x, whose rows that are not free are at a bound, changed in its free rows so that w = 0
// there. The factor in `s` is lost. True if that is finite, with its error in *error.
bool pl_polish_solve(pl_polish *p, pl_shifted *s, const pl_lcp_work *work, const double *x,
                     pl_lcp_stats *stats, double *error);

#endif
