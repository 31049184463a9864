// The quadratic program of friction with diamonds [Lit13, (F2), 4.26-4.28 corrected]. Internal.
//
//     min b^T H b / 2 - d^T b,   |b_1| + |b_2| <= gamma   for each contact's b in R^2
//
// In rows, E_c^T b <= gamma four times, with E_c^T = (1,1), (-1,-1), (1,-1), (-1,1). Those of two
// directions are orthogonal, so that the diamond is a box along its diagonals: with
//
//     u = (b_1 + b_2, b_1 - b_2) / sqrt(2)   and back by the same matrix,
//
// |u_1|, |u_2| <= gamma / sqrt(2). So the program is one of pdasm.h, and finite where that is. The
// null space method for its saddle point system [Lit13, Alg. 5.2] is Alg. 5.1 in these axes: a
// contact with one active row keeps the other axis, which is Z_c, one with two has none left. A
// contact with gamma = 0, for which the text's rows depend on each other, is a box of no width:
// its rows stay tight, out of all systems.

#ifndef PL_DIAMOND_H
#define PL_DIAMOND_H

#include "saddle.h"

typedef struct pl_diamond {
    int32_t n_contact;
    pl_lcp lcp; // (2 * n_contact) rows in the axes of u
    // Its arrays.
    int64_t *col;
    int32_t *row;
    double *val, *q, *lo, *hi;
} pl_diamond;

// H in compressed columns, symmetric, rows of a contact one after the other. d and gamma are 0.
pl_status pl_diamond_create(int32_t n_contact, const int64_t *col, const int32_t *row,
                            const double *val, pl_arena *arena, pl_diamond *out);

// d (2*n_contact) and gamma (n_contact), 0 or more.
void pl_diamond_set(pl_diamond *diamond, const double *d, const double *gamma);

// u from b, and b from u (2*n_contact each; may be the same).
void pl_diamond_turn(int32_t n_contact, const double *from, double *to);

// F0_solve: K is factored for the working set `state` (of diamond->lcp). beta (2*n_contact) and nu
// (4*n_contact; in the order of rows above, 0 where a row is not active) of
//
//     [H E_A; E_A^T 0] (beta; nu) = (d; b)
//
// with b (4*n_contact) looked at in active rows: (1,1) is active where u_1 is at its upper bound,
// (-1,-1) at its lower one, the others likewise of u_2. scratch (6*n_contact).
void pl_diamond_solve(pl_saddle *K, const uint8_t *state, const double *d, const double *b,
                      double *beta, double *nu, double *scratch);

#endif
