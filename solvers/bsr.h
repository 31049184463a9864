// Symmetric block-sparse matrices of 3x3 blocks, in compressed rows. Internal.

#ifndef PL_BSR_H
#define PL_BSR_H

#include "../base/base.h"
#include "kernel.h"

// Both triangles are stored. The values of a block stand column by column, so that a product with a
// 3-vector is three scaled columns; one block past the end is allocated, and zero, for kernels that
// load four numbers at a time.
typedef struct pl_bsr {
    int32_t n;                      // block rows
    int64_t nnz;                    // blocks
    int64_t *row;                   // (n + 1) the blocks of row i are row[i] .. row[i+1] - 1
    int32_t *col;                   // (nnz) ascending in each row
    int64_t *diag;                  // (n) the diagonal block of each row
    double *val;                    // (9*(nnz + 1)) block k at val + 9*k, column-major
    int32_t n_part;                 // of about equal numbers of blocks
    int32_t part[PL_MAX_PARTS + 1]; // part p has the rows part[p] .. part[p+1] - 1
} pl_bsr;

// The pattern of a graph: block (i, j) exists for i = j and for every pair of `edge` (2*n_edge,
// without order or orientation; repeated pairs are fine). Values are zero. Fails with
// PL_ERROR_MEMORY, or PL_ERROR_ARGUMENT on an index out of range; *out is then empty.
pl_status pl_bsr_create(int32_t n, int64_t n_edge, const int32_t *edge, pl_bsr *out);
void pl_bsr_free(pl_bsr *A); // leaves it empty

// The pattern of compressed rows, row (n + 1) and col (row[n]), as above. Fails with
// PL_ERROR_MEMORY, or PL_ERROR_ARGUMENT where they are not the rows of a symmetric pattern with its
// diagonal; the place is named, and *out is empty.
pl_status pl_bsr_create_rows(int32_t n, const int64_t *row, const int32_t *col, pl_bsr *out);

// Appends n block rows that have a diagonal block only, zero. On failure (PL_ERROR_MEMORY) A is as
// it was.
pl_status pl_bsr_extend(pl_bsr *A, int32_t n);

// The pattern of A without the blocks beside the diagonal in the rows and columns that are marked
// (n). Values are zero. Fails with PL_ERROR_MEMORY; *out is then empty.
pl_status pl_bsr_cut(const pl_bsr *A, const uint8_t *marked, pl_bsr *out);

// The parts of a pattern that was made by hand.
void pl_bsr_set_parts(pl_bsr *A);

void pl_bsr_zero(pl_bsr *A);

// Loops over diagonal blocks, which stand far apart, ask for those of some rows ahead: both lines
// of the cache that a block has parts of.
static inline void pl_bsr_fetch_diagonal(const pl_bsr *A, int64_t row)
{
    enum { AHEAD = 32 };
    const double *at = A->val + 9 * A->diag[PL_MIN(row + AHEAD, A->n - 1)];
    __builtin_prefetch(at, 1);
    __builtin_prefetch(at + 8, 1);
}

// Where block (i, j) stands, or -1.
int64_t pl_bsr_find(const pl_bsr *A, int32_t i, int32_t j);

// y := A x. x, y (3*n), no alias. Rows run in parallel; each is summed in the order of its blocks,
// column by column, so that the bits do not depend on the number of threads or on the machine.
void pl_bsr_multiply(const pl_bsr *A, const double *x, double *y);

// The same, and returns x . y, summed part by part.
double pl_bsr_multiply_dot(const pl_bsr *A, const double *x, double *y);

// Rows first .. last - 1 of y := A x; returns their share of x . y.
double pl_bsr_multiply_rows(const pl_bsr *A, int32_t first, int32_t last, const double *x,
                            double *y);

// Calls `body` for the parts of A, by several threads if A is large.
void pl_bsr_loop(const pl_bsr *A, pl_loop_fn *body, const void *context);

#endif
