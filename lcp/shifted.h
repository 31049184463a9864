// Direct solves with M plus a diagonal, in some of its rows. Internal.

#ifndef PL_LCP_SHIFTED_H
#define PL_LCP_SHIFTED_H

#include "lcp.h"

typedef struct pl_shifted {
    const pl_lcp *lcp;
    bool fits;      // false: it would take too much memory, and nothing else is to be called
    bool cholesky;  // what the last factor is; else LU
    int32_t n;      // rows in it
    int32_t *row;   // (n) which
    int32_t *place; // (lcp->n) where a row is among them, -1: it is not
    double *A;      // (n*n) the factor
    double *b;      // (n) scratch
    int32_t *pivot; // (n) of LU
} pl_shifted;

pl_status pl_shifted_take(const pl_lcp *lcp, pl_arena *arena, pl_shifted *out);

// Factors M + diag(shift) in the rows where `free` is not 0 (NULL: all), by Cholesky's method if M
// is symmetric and that works, else by LU. False if the matrix is singular.
bool pl_shifted_factor(pl_shifted *s, const double *shift, const uint8_t *free,
                       pl_lcp_stats *stats);

// x := the solution for right-hand side b (both (lcp->n), may be the same) in those rows; others
// stay as they are.
void pl_shifted_solve(pl_shifted *s, const double *b, double *x, pl_lcp_stats *stats);

#endif
