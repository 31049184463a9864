// Kernels of dense and banded linear algebra in large pieces: those of OpenBLAS with LAPACK where
// Pliant is built with it, plain C with the same results to rounding otherwise. Internal.
//
// Column by column, entry (i, j) at A[i + j * lda]. The bits of OpenBLAS depend on the machine and
// on the number of its threads (OPENBLAS_NUM_THREADS), which is one of the whole process and not
// ours to set; dense.h has kernels whose bits do not.

#ifndef PL_LCP_BLAS_H
#define PL_LCP_BLAS_H

#include <stdbool.h>
#include <stdint.h>

enum { PL_BLAS_LOWER = 0, PL_BLAS_UPPER = 1, PL_BLAS_TRANSPOSED = 2, PL_BLAS_RIGHT = 4 };

// B (m * n) := scale op(A) B, or scale B op(A) with PL_BLAS_RIGHT; A is triangular, of the size
// that fits. What is beyond its diagonal is not looked at. Of the products from the right there is
// the one with a lower triangle as it is.
void pl_blas_trmm(unsigned flags, int32_t m, int32_t n, double scale, const double *A, int32_t lda,
                  double *B, int32_t ldb);

// Banded Cholesky in LAPACK's storage 'L': entry (i, j), j <= i <= j + rho, at ab[i - j + j * ld],
// A := L with A = L L^T. Returns n, or a column whose pivot is not positive, with A undefined.
int32_t pl_blas_pbtrf(int32_t n, int32_t rho, double *ab, int32_t ld);

// b := A^-1 b with such an L.
void pl_blas_pbtrs(int32_t n, int32_t rho, const double *ab, int32_t ld, double *b);

#endif
