// Inner linear solves by products: conjugate gradients, and GMRES with restarts [Saad & Schultz
// 1986]. Internal.

#ifndef PL_LCP_KRYLOV_H
#define PL_LCP_KRYLOV_H

#include "lcp.h"

// y (n) := an operator times x (n), no alias.
typedef void pl_krylov_apply(void *context, const double *x, double *y);

typedef struct pl_krylov {
    int32_t n;
    int32_t restart;       // of GMRES: vectors kept at most
    double *basis;         // ((restart + 1) * n)
    double *r, *z, *p, *t; // (n)
    double *H;             // ((restart + 3) * (restart + 2)) triangle, right-hand side, rotations
} pl_krylov;

// restart 0: conjugate gradients only.
pl_status pl_krylov_take(int32_t n, int32_t restart, pl_arena *arena, pl_krylov *out);

// Both improve x (n), which holds a start, as a solution of A x = b, until |A x - b|, the Euclidean
// norm, is `tolerance` or less, or `most` products are done, or nothing moves any more. `inverse`
// (n) is a diagonal preconditioner, about that of A^-1. They return the number of products, and
// *residual is the norm that is left.

// A symmetric and positive semidefinite. Stops where it sees no curvature, with x of before.
int32_t pl_krylov_cg(pl_krylov *krylov, pl_krylov_apply *apply, void *context,
                     const double *inverse, double tolerance, int32_t most, const double *b,
                     double *x, double *residual);

// Any A. The residual never rises.
int32_t pl_krylov_gmres(pl_krylov *krylov, pl_krylov_apply *apply, void *context,
                        const double *inverse, double tolerance, int32_t most, const double *b,
                        double *x, double *residual);

#endif
