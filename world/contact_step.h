// The part of a step that keeps bodies apart: candidates, rows, solving, and the test of the whole
// way. Internal.

#ifndef PL_CONTACT_STEP_H
#define PL_CONTACT_STEP_H

#include "../contact/vj19.h"
#include "places.h"

typedef struct pl_contact_step {
    pl_boundary boundary;
    pl_blocks blocks;     // what is solved
    pl_contacts contacts; // those of them that pairs of features have
    pl_detection detection;
    pl_vj19 vj19;                       // with the option `vj19` only
    const pl_solver *solver, *fallback; // of choice, and if that fails
    pl_solver_options options;
    pl_workspace workspace;
    double *v_start, *f_start; // (3*n_block), (3*n_start) where the last solve started from
    int32_t n_start;           // contacts of the last solve
    int64_t v_start_capacity, f_start_capacity;
    pl_contact_point *published; // (n_published) of the last step, for the outside
    int32_t n_published;
    int64_t published_capacity;
} pl_contact_step;

// The options of a world that contacts need, checked: PL_ERROR_ARGUMENT names the bad one. Names
// are replaced by our own, which stay.
pl_status pl_contact_step_check(pl_world_options *options);

pl_status pl_contact_step_create(const pl_world *world, pl_contact_step **out);
void pl_contact_step_destroy(pl_contact_step *contact); // NULL is fine

// Solves for world->system.v_new, which holds a first guess, such that nothing is hit on the way to
// the time t; A and b are assembled. *clear says if it could; v_new is then what to move with.
pl_status pl_contact_step_solve(pl_world *world, double t, pl_step_stats *stats, bool *clear);

// After the bodies have moved: what the next step starts from.
pl_status pl_contact_step_finish(pl_world *world, pl_step_stats *stats);

// The same after a step in which all bodies slept.
pl_status pl_contact_step_rest(pl_world *world, pl_step_stats *stats);

// Notes where a solve starts from, so that its problem can be written afterwards. record.c
pl_status pl_contact_step_note(pl_contact_step *contact, const double *v);

// impulse (6*n_rigid) := the sum of the contacts' impulses on each rigid body, linear, and angular
// about its centre.
void pl_contact_step_impulses(const pl_world *world, double *impulse);

// Contacts and problem of the last step, which is no longer the one that led to the state.
void pl_contact_step_forget(pl_contact_step *contact);

// Sums the contacts' impulses on each body: its push and torque. Both bodies of a contact get them
// at one point between the two, so that they keep their common angular momentum.
void pl_contact_step_sum(pl_world *world);

#endif
