// The blocks that contacts touch, and what contacts add to them. Internal.
//
// H = sigma D + L^T K L couples no other blocks than those of contacts: there it is a sparse matrix
// of its own, which is factored. Contacts at one place, and the many of a rigid body, make it no
// larger.

#ifndef PL_TOUCHED_H
#define PL_TOUCHED_H

#include "cholesky.h"
#include "rows.h"

// The stiffness of a contact [kg]: along its normal, and a symmetric matrix across. All 0: it does
// not count.
typedef struct pl_stiffness {
    float nn, t11, t12, t22;
} pl_stiffness;

typedef struct pl_touched {
    const pl_problem *problem;
    const pl_uses *uses; // its blocks are those of H, in their order
    pl_bsr H;            // from the arena
    int32_t *place;      // (A.n) of a block in H, or -1
    pl_cholesky factor;
    double *x; // (3*H.n)
} pl_touched;

// Lives as long as what is taken from the arena, the problem and the uses do.
pl_status pl_touched_create(const pl_problem *problem, const pl_uses *uses, pl_arena *arena,
                            pl_touched *out);

// H for a stiffness K (n_constraint), and its factor. False if it is not positive definite.
bool pl_touched_set(pl_touched *touched, double sigma, const pl_stiffness *K);

// x := H^-1 x, x (3*H.n) in the order of `uses`.
void pl_touched_apply(const pl_touched *touched, double *x);

// z := H^-1 r in the blocks of H; the others stay. r, z (3*A.n), no alias.
void pl_touched_solve(const pl_touched *touched, const float *r, float *z);

#endif
