// The preconditioner made of the inverse 3x3 blocks on the diagonal. Internal.

#ifndef PL_BLOCK_JACOBI_H
#define PL_BLOCK_JACOBI_H

#include "bsr.h"

typedef struct pl_block_jacobi {
    int32_t n;
    double *inv; // (6*n) inverse of each diagonal block: xx, xy, xz, yy, yz, zz
} pl_block_jacobi;

pl_status pl_block_jacobi_create(int32_t n, pl_block_jacobi *out);
void pl_block_jacobi_free(pl_block_jacobi *M); // leaves it empty

// Inverts the diagonal blocks of A (n as created), of which the lower triangles are read. Fails
// with PL_ERROR_NUMERICS, naming the first block row whose block is not positive definite (to
// rounding).
pl_status pl_block_jacobi_update(pl_block_jacobi *M, const pl_bsr *A);

// z := M^-1 r. r, z (3*n), no alias.
void pl_block_jacobi_apply(const pl_block_jacobi *M, const double *r, double *z);

typedef struct pl_residual_sums {
    double rr; // r . r
    double rz; // r . M^-1 r
} pl_residual_sums;

// The middle of an iteration of CG in one pass: r := r - alpha q, then q := M^-1 r, and the sums
// over the new r. In the block rows where `fixed` (n, may be NULL) is not 0, r and q become 0. No
// alias.
pl_residual_sums pl_block_jacobi_step(const pl_block_jacobi *M, const uint8_t *fixed, double alpha,
                                      double *r, double *q);

#endif
