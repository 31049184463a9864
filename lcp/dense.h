// Small dense matrices: Cholesky and LU factors, and Cholesky factors that grow and shrink by a
// row. Internal.
//
// Column by column, entry (i, j) at A[i + j * ld]. Sums run in a fixed order: the same input gives
// the same bits, whatever the machine. OpenBLAS takes as long for 256 rows and half as long for
// more, but its number of threads, on which its bits depend, is one of the whole process, and not
// ours to set.

#ifndef PL_LCP_DENSE_H
#define PL_LCP_DENSE_H

#include <stdbool.h>
#include <stdint.h>

// What a matrix of a pivoting solver may take [bytes]: 16,384 rows.
#define PL_DENSE_MOST ((int64_t)1 << 31)

// A pivot that is not above this part of what stood there is rounding: of the diagonal entry for
// Cholesky, of the largest entry of the column for LU.
#define PL_DENSE_PIVOT 1e-15

// Lower triangle A := L with A = L L^T; what is above the diagonal is not read. Returns n, or the
// first column whose pivot is not positive, with A undefined. least (n) is scratch.
int32_t pl_dense_cholesky(int32_t n, double *A, int64_t ld, double *least);

// b := A^-1 b.
void pl_dense_cholesky_solve(int32_t n, const double *L, int64_t ld, double *b);

// b := L^-1 b, the first half of it, and b := L^-T b, the second.
void pl_dense_forward(int32_t n, const double *L, int64_t ld, double *b);
void pl_dense_backward(int32_t n, const double *L, int64_t ld, double *b);

// L (n) becomes a factor of n + 1 rows; a (n + 1) is the new last row of A, and is used up. False,
// with L as it was, if its pivot is not positive.
bool pl_dense_cholesky_append(int32_t n, double *L, int64_t ld, double *a);

// Row and column k go from A; L (n) becomes a factor of n - 1 rows.
void pl_dense_cholesky_remove(int32_t n, double *L, int64_t ld, int32_t k);

// A := L U with partial pivoting; pivot[k] is the row that changed places with k. Returns n, or the
// first column without a pivot, with A undefined. least (n) is scratch.
int32_t pl_dense_lu(int32_t n, double *A, int64_t ld, int32_t *pivot, double *least);
void pl_dense_lu_solve(int32_t n, const double *A, int64_t ld, const int32_t *pivot, double *b);

#endif
