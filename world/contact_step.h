// The part of a step that keeps bodies apart: candidates, rows, and the test of the
// path of every point. Internal.

#ifndef PL_CONTACT_STEP_H
#define PL_CONTACT_STEP_H

#include "../contact/restitution.h"
#include "../contact/vj19.h"
#include "constraint_step.h"
#include "places.h"

typedef struct pl_contact_step {
    pl_boundary boundary;
    pl_contacts contacts; // the blocks of world->constraints that pairs of features have
    pl_detection detection;
    pl_restitution restitution;  // where bodies bounce
    pl_vj19 vj19;                // with the option `vj19` only
    pl_contact_point *published; // (n_published) of the last step, for the outside
    int32_t n_published;
    int64_t published_capacity;
} pl_contact_step;

// The place of the body that a point of the boundary belongs to.
static inline int32_t pl_contact_step_owner(const pl_world *world, int32_t point)
{
    const pl_boundary *boundary = &world->contact->boundary;
    return boundary->owner[boundary->body[point]];
}

// The options of a world that contacts need, checked: PL_ERROR_ARGUMENT names the bad one.
pl_status pl_contact_step_check(const pl_world_options *options);

// world->constraints is there.
pl_status pl_contact_step_create(const pl_world *world, pl_contact_step **out);
void pl_contact_step_destroy(pl_contact_step *contact); // NULL is fine

// The rows that a step to the time t starts with, behind the blocks that it has; v_new holds a
// first guess.
pl_status pl_contact_step_find(pl_world *world, double t, pl_step_stats *stats);

// Impacts of bodies that bounce, see contact/restitution.h. Once the rigid bodies of the step are
// assembled; for the rows that there are: b and v_new get what impacts change; and adds the
// impulses of impacts on each rigid body (6*n_rigid).
pl_status pl_contact_step_begin_bounce(pl_world *world);
pl_status pl_contact_step_bounce(pl_world *world, double t);
void pl_contact_step_add_impacts(const pl_world *world, double *impulse);

// Their constants, for the velocities v_new.
void pl_contact_step_update(pl_world *world, double t);

// *clear := nothing is hit on the way with v_new; if not, rows were added or changed.
pl_status pl_contact_step_test(pl_world *world, double t, pl_step_stats *stats, bool *clear);

// After the bodies have moved: what the next step starts from.
pl_status pl_contact_step_finish(pl_world *world, pl_step_stats *stats);

// The same after a step in which all bodies slept.
pl_status pl_contact_step_rest(pl_world *world, pl_step_stats *stats);

// Adds the contacts' impulses on each body, linear and angular, to its sums. Both bodies of a
// contact get them at one point between the two, so that they keep their common angular momentum.
void pl_contact_step_sum(pl_world *world);

#endif
