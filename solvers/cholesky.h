// Cholesky's factor of a sparse matrix of 3x3 blocks, and solves with it. Internal.

#ifndef PL_CHOLESKY_H
#define PL_CHOLESKY_H

#include "dissect.h"

// What the rows of a factor are made with.
typedef struct pl_cholesky_work {
    double *x;       // (12*n) the row as it becomes, each block 3 rows of 4; 0 but for the row
                     // under way, and but for the fourth numbers, which mean nothing
    int32_t *stack;  // (n) its columns, from the top down
    int32_t *seen;   // (n) the last row
    int64_t *filled; // (n) where the next block of a column goes
} pl_cholesky_work;

// A = G G^T in the order of elimination, without the blocks that are left out. G is stored by block
// columns, without its diagonal.
typedef struct pl_cholesky {
    pl_order order;
    int32_t *place;  // (A.n) of a block in the order; -1 if it is left out
    int32_t *parent; // (order.n) the first row below the diagonal of a column; -1 if it has none
    int64_t nnz;     // blocks below the diagonal
    int64_t *col;    // (order.n + 1) where each column starts
    int32_t *row;    // (nnz) ascending in each column
    double *val;     // (9*nnz + 1) column-major; one past the end, for loads of four
    double *inv;     // (9*order.n) the inverse of each diagonal block of G: row-major, lower
    pl_cholesky_work work;
} pl_cholesky;

// Finds an order, and what G will hold: all but its values. Lives as long as what is taken from the
// arena does. skip (A.n, may be NULL): blocks to leave out.
pl_status pl_cholesky_analyze(const pl_bsr *A, const uint8_t *skip, pl_arena *arena,
                              pl_cholesky *out);

// The memory that G's values and rows take [bytes].
double pl_cholesky_bytes(const pl_cholesky *G);

// Multiplications of 3x3 blocks that a factorization takes.
double pl_cholesky_work_count(const pl_cholesky *G);

// Takes the memory of the values.
pl_status pl_cholesky_take(pl_cholesky *G, pl_arena *arena);

// The values, for an A of the pattern that was analyzed; may be called again for another one. Fails
// with PL_ERROR_NUMERICS where A is not positive definite or not finite.
pl_status pl_cholesky_factor(pl_cholesky *G, const pl_bsr *A);

// x := A^-1 x for the parts' blocks first .. last - 1 of the order, which must be whole parts. x
// (3*width per block) begins with block `first`: 3 rows of `width` numbers each.
void pl_cholesky_solve(const pl_cholesky *G, int32_t first, int32_t last, int width, double *x);

#endif
