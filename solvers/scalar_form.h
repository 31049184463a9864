// The rows of a reduced form one by one, as a linear complementarity problem of ../lcp. Internal.
//
// Boxes give their rows that are used. A pyramid (pyramid.h) with its sides at the tangents, n = 4,
// gives three rows whose bounds follow; any other one with corners g_k gives 2 + n rows, in the
// form of Stewart and Trinkle [Erl13]: the normal impulse f_n, a share l_k >= 0 of each corner, and
// the speed of slip beta >= 0,
//
//     f_t = sum l_k g_k
//     0 <= w_n               comp. f_n >= 0
//     0 <= beta + g_k . w_t  comp. l_k >= 0
//     0 <= mu f_n - sum l_k  comp. beta >= 0
//
// which is not symmetric, and has a zero on the diagonal. Cones have no such rows.

#ifndef PL_SCALAR_FORM_H
#define PL_SCALAR_FORM_H

#include "../lcp/lcp.h"
#include "reduced.h"

typedef struct pl_scalar_form {
    pl_lcp lcp; // its arrays are the form's
    const pl_reduced *reduced;
    int32_t *first; // (n_constraint + 1) where the rows of a constraint start
    // What a row is: 0 .. 2 that row of a box or the normal, tangents of a contact; CORNER + k the
    // corner k of a pyramid; SLIP its beta.
    int32_t *kind; // (lcp.n)
    int64_t *col;
    int32_t *row, *normal;
    double *val, *q, *lo, *hi, *mu;
} pl_scalar_form;

// The diagonal gets this part of itself more, against rows that depend on each other [Ho22, 6.1 has
// 1e-7 to 1e-10 1/kg for it].
#define PL_SCALAR_COMPLIANCE 1e-11

// Which pyramids stay three rows, normal and tangents, whose bounds follow (lcp.mu).
typedef enum pl_scalar_rows {
    PL_SCALAR_CORNERS,   // none: all are 2 + n rows
    PL_SCALAR_FOLLOWING, // those with their sides at the tangents: boxes that follow
    PL_SCALAR_DIAMONDS,  // diamonds, for staggered projections, which know what their rows mean
} pl_scalar_rows;

// Needs W of the reduced form. Takes from the arena.
pl_status pl_scalar_form_create(const pl_reduced *reduced, pl_scalar_rows rows, pl_arena *arena,
                                pl_scalar_form *out);

// x (lcp.n) := impulses f (3*n_constraint), and back; rows that are not used, and constraints that
// answer nothing, have 0.
void pl_scalar_form_take(const pl_scalar_form *form, const double *f, double *x);
void pl_scalar_form_give(const pl_scalar_form *form, const double *x, double *f);

// How a solve of contacts ends whose rows ended so; PL_SOLVE_STALLED for PL_LCP_SOLVED, until the
// contacts say that they are. In scalar_solve.c.
pl_solve_end pl_scalar_end(pl_lcp_end end);

#endif
