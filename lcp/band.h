// Symmetric positive definite matrices with a narrow band: Cholesky factors, and solves with many
// right-hand sides in products of blocks [Lit13, Alg. 5.3]. Internal.
//
// H = L L^T with half-bandwidth rho: H_ij = 0 where |i - j| > rho. In blocks of s >= rho rows L has
// blocks D_i on the diagonal and C_i below it, and nothing else. The inverses of D_i are made once;
// then L Y = B and L^T X = Y are
//
//     Y_1 = D_1^-1 B_1,    Y_i = D_i^-1 (B_i - C_(i-1) Y_(i-1))
//     X_p = D_p^-T Y_p,    X_i = D_i^-T (Y_i - C_i^T X_(i+1))
//
// (the transposes are missing in the listing): 4 p - 2 products with p = ceil(n / s), each of a
// triangle: only the last rho columns of C_i and its first rho rows are not 0, an upper triangle.
// A matrix without a band is one block.

#ifndef PL_BAND_H
#define PL_BAND_H

#include <stdint.h>

typedef struct pl_band {
    int32_t n, rho;
    int32_t ld;  // rho + 1
    double *val; // (ld * n) entry (i, j), j <= i <= j + rho, at val[i - j + j * ld]
    // Blocks, after pl_band_invert.
    int32_t s, p;
    double *inverse;  // (s * s) for each of p: D_i^-1, lower triangle
    int64_t products; // with blocks, so far
} pl_band;

// Entries of `val`, of `inverse`, and of a block: the least multiple of the tile of products that
// is not less than rho, n at most.
int64_t pl_band_entries(int32_t n, int32_t rho);
int32_t pl_band_block(int32_t n, int32_t rho);
int64_t pl_band_inverse_entries(int32_t n, int32_t s);

// H := 0 in `val`, which has the memory for it.
void pl_band_start(pl_band *band, int32_t n, int32_t rho, double *val);

// H := L. Returns n, or a column whose pivot is not positive, with H undefined.
int32_t pl_band_factor(pl_band *band);

// b (n) := H^-1 b, row by row.
void pl_band_substitute(const pl_band *band, double *b);

// Makes blocks of s >= rho rows; s >= 1.
void pl_band_invert(pl_band *band, int32_t s, double *inverse);

// B (n * k, column by column) := H^-1 B in blocks. scratch (rho * k).
void pl_band_solve(pl_band *band, int32_t k, double *B, double *scratch);

#endif
