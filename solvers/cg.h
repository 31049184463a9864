// Preconditioned conjugate gradients for A x = b with some block rows of x prescribed. Internal.

#ifndef PL_CG_H
#define PL_CG_H

#include "block_jacobi.h"

typedef struct pl_cg_options {
    double tolerance;       // on the relative residual, see pl_cg_stats; 0 or more
    int32_t max_iterations; // 0 or more
    double max_seconds;     // wall clock; 0: no limit. Looked at between iterations
} pl_cg_options;

// 1e-6, 1,000 iterations, no limit of time.
pl_cg_options pl_cg_options_default(void);

typedef enum pl_cg_end {
    PL_CG_CONVERGED,
    PL_CG_LIMIT, // max_iterations came first; x is the last iterate, and as good as the residual
    PL_CG_TIME,  // max_seconds came first; the same
    PL_CG_INDEFINITE, // p . A p <= 0: A is not positive definite; x is the iterate before
    PL_CG_NOT_FINITE, // A, b or x holds a NaN or an infinity, or a sum overflowed; the same
} pl_cg_end;

typedef struct pl_cg_stats {
    pl_cg_end end;
    int32_t iterations; // products with A, apart from those that the start needs
    // |r| / |b'| in the Euclidean norm over the free rows: r = b - A x as the recurrence has it,
    // and b' = b - A (prescribed values), so that the scale is right when prescribed values alone
    // drive x.
    double residual;
} pl_cg_stats;

// The workspace: made once for a size, so that a solve makes no heap call.
typedef struct pl_cg {
    int32_t n;
    double *r; // (3*n) residual; after a solve that of the solution, 0 in the fixed rows
    double *p; // (3*n) direction
    double *q; // (3*n) A p, then the preconditioned residual
} pl_cg;

pl_status pl_cg_create(int32_t n, pl_cg *out);
void pl_cg_free(pl_cg *cg); // leaves it empty

// Solves A x = b, starting from x (3*n). Block rows where `fixed` (n, may be NULL) is not 0 keep
// their x, and their equations are left out. Returns PL_ERROR_NUMERICS unless it ended with
// PL_CG_CONVERGED; *stats is always set.
pl_status pl_cg_solve(pl_cg *cg, const pl_bsr *A, const pl_block_jacobi *M, const double *b,
                      const uint8_t *fixed, const pl_cg_options *options, double *x,
                      pl_cg_stats *stats);

#endif
