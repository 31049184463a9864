// Impacts of rigid bodies that bounce, before the contacts of a step are solved. Internal.
//
// Rows hold bodies apart and leave them together: impacts are plastic. Where a body has a
// restitution e above 0, velocities are changed first, by impulses of their own, such that
//
//     u+ = -e u-           along the normal of a row that would be hit in this step,
//
// with friction beside it, as in [Guendelman et al. 2003]; then the step goes on as usual, from
// these velocities and with these impulses on the right-hand side. What keeps bodies apart is the
// step, which knows nothing of e. u is that of the middle of the step, with half of what forces
// add: so a body that bounces with e = 1 comes back to its height.
//
// Rows between the same two bodies are hit together; pairs one after another, as they would be hit,
// until none approaches. An impact so goes through a row of balls, and leaves by the last. Joints
// are not seen: where they take from what an impact gave, the row asks for the rest (`bounce` of
// pl_row), which is Newton's law at the end of the step.

#ifndef PL_RESTITUTION_H
#define PL_RESTITUTION_H

#include "contacts.h"

// A row that may bounce.
typedef struct pl_bouncing {
    int32_t row, a, b; // which, and the two bodies of the world, a < b
    double e, mu, gap; // [], [], [m]
    double given[3];   // the part of u that is known: by bodies on a path [m/s]
    double half;       // half of what forces add to the normal part of u in the step [m/s]
    double W[2];       // of an impulse along the normal, and across: the larger [1/kg]
    double before;     // the normal part of u in the middle of the step, before an impact [m/s]
    double slip[2];    // its tangential part then [m/s]
    bool hit;          // in this step
    double p[3];       // impulse of the impact, in the frame of the row [N s]
} pl_bouncing;

// Rows of two bodies.
typedef struct pl_bouncing_pair {
    int64_t first, end; // of the rows
    double time;        // when it is hit [s]
} pl_bouncing_pair;

// Begins as {0}. Velocities and impulses are those of the blocks from `first_block` on, two for
// each rigid body.
typedef struct pl_restitution {
    int32_t first_block, n_block;
    double *start;   // (3*n_block) velocities at the start of the step, to be filled in [m/s]
    double *change;  // (3*n_block) what forces add to them, to be filled in [m/s]
    double *inverse; // (9*n_block) of the diagonal blocks of A, to be filled in [1/kg]
    double *v;       // (3*n_block) scratch: velocities after the impacts so far [m/s]
    double *impulse; // (3*n_block) the sum of impacts on each block [N s, N m s]
    double *before;  // (3*n_block) scratch of who asks: the same before [N s, N m s]
    int64_t capacity[6];
    pl_bouncing *row; // scratch
    pl_bouncing_pair *pair;
    double *mixed; // scratch: impulses of a pair
    int64_t n_row, n_pair, mixed_capacity, row_capacity, pair_capacity;
} pl_restitution;

void pl_restitution_free(pl_restitution *r);

// Room for the blocks of a step.
pl_status pl_restitution_begin(pl_restitution *r, int32_t first_block, int32_t n_block);

// Finds the impacts of the rows that there are, from the start: sets r->impulse, and of the rows
// `impact` and `bounce`. boundary->x1 holds where bodies on a path will be.
pl_status pl_restitution_solve(pl_restitution *r, const pl_boundary *boundary,
                               pl_contacts *contacts);

// The restitution of a contact between two bodies of the boundary: the larger one; none where one
// is deformable, which bounces by its elasticity.
static inline double pl_boundary_restitution(const pl_boundary *boundary, int32_t a, int32_t b)
{
    if (boundary->carrier[a] == PL_CARRIER_VERTICES) return 0;
    if (boundary->carrier[b] == PL_CARRIER_VERTICES) return 0;
    return PL_MAX(boundary->restitution[a], boundary->restitution[b]);
}

#endif
