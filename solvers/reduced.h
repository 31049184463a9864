// The reduced form of a problem: impulses alone. Internal.
//
// With A v = b + L^T f in the rows that are not prescribed, v = v0 + A^-1 L^T f and
//     w = u + E f = q + W f,    W = L A^-1 L^T + E,    q = L v0 - c,
// where v0 is what the velocities would be without impulses. The laws are those of the problem.
//
// A constraint answers to the impulses of another only if both touch one body, or more exactly one
// of the parts that A falls into. So W is sparse, in blocks of 3x3, and a sum over these parts
// [Daviet et al. 2011]. A part of one block, such as the linear or the angular velocity of a rigid
// body, brings its inverse mass; a larger one, a deformable body, a sparse factor, with which three
// columns are solved for each constraint that touches it. Where m constraints touch a part, W has
// 9 m^2 numbers: that is what limits this form. The product with W needs no W.

#ifndef PL_REDUCED_H
#define PL_REDUCED_H

#include "cholesky.h"
#include "law.h"
#include "rows.h"

typedef struct pl_reduced {
    const pl_problem *problem;
    const pl_uses *uses;
    const pl_block_jacobi *D;
    double W_bytes, G_bytes; // what W and the factor of A take; of a W that is too large no less
    bool fits;               // neither is more than allowed: all below is there

    int32_t n;     // constraints: block rows of W
    int64_t *row;  // (n + 1) where each starts; it is empty where all blocks are prescribed
    int32_t *col;  // (row[n]) ascending in a row; the pattern is symmetric
    int64_t *diag; // (n) where the diagonal blocks stand; -1 in an empty row
    double *val;   // (9*row[n]) row-major, with E [1/kg]; NULL if W was not asked for
    double *q;     // (3*n) [m/s]
    double *v0;    // (3*A.n) [m/s]

    pl_cholesky G; // of the parts, one after the other
    // Which constraints touch which parts.
    int32_t *first; // (G.order.n_part + 1) where those of a part start
    int32_t *touch; // constraints, ascending in a part
    int32_t *start; // (n + 1) where the parts of a constraint start
    int32_t *part;
    // Scratch.
    double *x;            // (9*G.order.n numbers for each thread)
    double *world, *push; // (3*n), (3*A.n)
} pl_reduced;

// The reduced form with the velocities v (3*A.n) in the prescribed blocks. If W, or the factor,
// would take more than `most` bytes, or A is not positive definite, there is none: not `fits`, or
// PL_ERROR_NUMERICS. build: W is wanted, not just products. D^-1 must be 0 in the prescribed
// blocks; constraints with a scale of 0 (pl_contact_scales) have an empty row. Borrows the problem,
// D and the uses, and lives as long as what is taken from the arena does.
pl_status pl_reduced_create(const pl_problem *problem, const pl_uses *uses,
                            const pl_block_jacobi *D, const double *scale, const double *v,
                            bool build, double most, pl_arena *arena, pl_reduced *out);

// The same up to the values of W, and these.
pl_status pl_reduced_plan(const pl_problem *problem, const pl_uses *uses, const pl_block_jacobi *D,
                          const double *scale, const double *v, bool build, double most,
                          pl_arena *arena, pl_reduced *out);
void pl_reduced_fill(pl_reduced *reduced);

// w (3*n) := W f by solves with A; f must be 0 in empty rows, where w has no meaning. No alias.
void pl_reduced_multiply(const pl_reduced *reduced, const double *f, double *w);

// v (3*A.n) := v0 + A^-1 L^T f.
void pl_reduced_velocities(const pl_reduced *reduced, const double *f, double *v);

// How many parts have a factor: those of more than one block.
int64_t pl_reduced_count_factors(const pl_reduced *reduced);

#endif
