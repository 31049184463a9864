// Cholesky's factor in columns as long as its skyline, from which rows can be removed [Lef20, 2].
// Internal.
//
// Columns that all reach the last row make it a dense one. L is never resized: what is removed is
// skipped.

#ifndef PL_FACTOR_H
#define PL_FACTOR_H

#include "skyline.h"

// Rows that are removed together: each column is then read and written once for all of them, and
// takes one root. With a quarter of 400 dense rows tight it halves the time.
enum { PL_FACTOR_BATCH = 4 };

typedef struct pl_factor {
    const pl_skyline *skyline;
    int32_t n_removed;
    uint8_t *removed; // (n) not 0: the row and its column are skipped
    double *val;      // (col[n]) L; in rows and columns that were removed, rubbish
    double *scratch;  // zeros, but for the rows under way
    double *x;        // (n)
    double factored;  // multiplications of all factorizations so far,
    double rotated;   // of all removals,
    double steps;     // columns that these came to,
    double copied;    // and entries of all copies
} pl_factor;

// Takes the memory for any factor with no more rows and entries than `skyline` has.
pl_status pl_factor_take(pl_factor *L, const pl_skyline *skyline, pl_arena *arena);

// L := the factor of the rows of `skyline`, place as there, with shift (lcp->n; NULL: none) added
// to the diagonal; false where they are not positive definite, or not finite.
bool pl_factor_make(pl_factor *L, const pl_lcp *lcp, const double *shift, const pl_skyline *skyline,
                    const int32_t *place);

// Removes n rows, numbered in the order of elimination and ascending. A row may be removed once;
// from call to call any order will do.
void pl_factor_remove(pl_factor *L, int32_t n, const int32_t *at);

// x (lcp->n) := the solution for the rows that are left, from the right-hand side there; others
// stay as they are.
void pl_factor_solve(const pl_factor *L, double *x);

// to := from, which has the same skyline.
void pl_factor_copy(pl_factor *to, const pl_factor *from);

// How far `L`, with rows removed, is from a fresh factor of what is left, whose rows are those
// left, in the same order: the largest difference of two entries over the largest entry of
// `fresh` ([Lef20, Table 2.4] names no norm).
double pl_factor_distance(const pl_factor *L, const pl_factor *fresh);

static inline double pl_factor_at(const pl_factor *L, int32_t i, int32_t k)
{
    return i > L->skyline->last[k] ? 0 : L->val[L->skyline->col[k] + i - k];
}

#endif
