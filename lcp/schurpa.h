// Systems of working sets that differ in a few rows from one that is factored [Lit13, Alg. 3.1,
// 3.2; Bartlett & Biegler 2006]. Internal.
//
// With K_0 the saddle point matrix of the set A_0 (saddle.h), the system of another set is
//
//     [K_0 U; U^T 0] (y; pi) = (c, b_0; w)                                        [Lit13, 3.5]
//
// with a column of U for each row i in which they differ: (e_i; 0) and its bound in w where i
// became tight, (0; e_i) and 0 in w where it became free, which makes its multiplier 0. R = K_0^-1
// U has many right-hand sides at once; then C = -U^T R, v = K_0^-1 (c; b_0), C pi = w - U^T v, y =
// v - R pi. A row that comes back to its state in A_0 takes its column with it: two columns that
// cancel each other would make C singular.
//
// When more columns were solved for than max_solves allows, or they take too much memory, the set
// at hand becomes A_0 (a reset). So it does when there are more of them than rows in the factor,
// which then saves nothing: at the start, above all, where all rows are tight.
//
// Differences from the text: a row may go from one bound to the other, which changes b_0 and thus
// v, and no column. Entries of C are kept as long as their columns are, instead of being computed
// in every iteration. Of R only the part x is stored: the multipliers are -w = c - M x, from one
// product with M, where the text adds up columns.

#ifndef PL_SCHURPA_H
#define PL_SCHURPA_H

#include "saddle.h"

typedef struct pl_schurpa {
    pl_saddle K;
    const pl_lcp *lcp;
    int32_t most_columns; // at a time
    int32_t max_solves;   // of columns and of the first v, with one factor; 0: one each
    int32_t n_column, n_slot, n_solve;
    bool has_factor, has_v;
    uint8_t *base;   // (n) A_0, of pl_lcp_state
    double *c;       // (n) -q
    double *b, *v;   // (n) b_0; K_0^-1 (c; b_0)
    double *r, *y;   // (n) a residual, and the solution for it
    int32_t *slot;   // (n) of the column of a row, -1: it has none
    int32_t *row;    // (most_columns) the rows that have columns
    double **column; // (most_columns) (n) each, NULL: no memory yet
    double *C;       // (most_columns^2)
    double *LU;      // (most_columns^2)
    double *pi, *least;
    int32_t *pivot; // (most_columns) each
    int32_t *fresh; // (n) rows that get columns
    // So far.
    int64_t columns, resets;
} pl_schurpa;

// Columns take `column_bytes` at most, but there is always room for one. With max_solves = 0 every
// system is factored, and solved without blocks: the method DIRECT.
pl_status pl_schurpa_create(const pl_lcp *lcp, int32_t max_solves, int64_t column_bytes,
                            pl_arena *arena, pl_schurpa *out);

// q or bounds of the problem are others now: v is solved for again, factor and columns stay.
void pl_schurpa_set_rhs(pl_schurpa *S);

// x (n) := the solution for the working set `state`: w = 0 in free rows, x at its bound in tight
// ones. *end as in pl_saddle_factor.
pl_status pl_schurpa_solve(pl_schurpa *S, const uint8_t *state, double *x, pl_lcp_end *end);

// One step of iterative refinement in the same precision: x += the solution of the system with the
// residual w = M x + q of free rows. After pl_schurpa_solve for the same set.
void pl_schurpa_refine(pl_schurpa *S, const uint8_t *state, const double *w, double *x);

// The next system is factored anew.
void pl_schurpa_reset(pl_schurpa *S);

#endif
