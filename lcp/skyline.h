// The skyline of a Cholesky factor: how far down each column reaches [Lef20, 2.2.3]. Internal.
//
// Rows are those of a subset of M's in some order of elimination. The last row of column k of L,
// fill included, is the last of its column of M or of the columns whose first row below the
// diagonal it is: elimination passes a column's rows on to that one, its parent. Removing rows
// creates no entry outside of that, so that the skyline of all rows is good for all subsets.

#ifndef PL_SKYLINE_H
#define PL_SKYLINE_H

#include "lcp.h"

typedef struct pl_skyline {
    int32_t n;
    int32_t *row;    // (n) of M, in the order of elimination
    int32_t *parent; // (n) the first row below the diagonal of each column of L, -1: none
    int32_t *last;   // (n) its last row; the column itself if it has none below the diagonal
    int64_t *col;    // (n + 1) where each column starts, diagonal first
} pl_skyline;

// Takes the memory for n rows.
pl_status pl_skyline_take(pl_skyline *skyline, int32_t n, pl_arena *arena);

// Finds parent, last and col for the n rows in `row`. place (lcp->n): of a row of M in them, -1 if
// it is not among them. root (n) is scratch.
void pl_skyline_find(pl_skyline *skyline, const pl_lcp *lcp, const int32_t *place, int32_t *root);

// The same as if every column reached down to the last row, as in [Lef20, Alg. 2.2].
void pl_skyline_fill(pl_skyline *skyline);

// Multiplications that factoring takes.
double pl_skyline_factor_work(const pl_skyline *skyline);

// path (n): what removing each row alone costs, four multiplications for each entry of the columns
// that it comes to, and `step` for each of these.
void pl_skyline_path_cost(const pl_skyline *skyline, double multiplication, double step,
                          double *path);

#endif
