// The part of a step that solves for velocities under constraints. Internal.
//
// A step's constraint blocks come from what ties bodies together and from contacts, which may be
// switched off. They are solved in rounds: contacts that were hit on the way get rows and the step
// is solved again.

#ifndef PL_CONSTRAINT_STEP_H
#define PL_CONSTRAINT_STEP_H

#include "../solvers/blocks.h"
#include "../solvers/friction_model.h"
#include "world.h"

typedef struct pl_constraint_step {
    pl_blocks blocks;                   // what is solved; those of contacts stand last
    const pl_solver *solver, *fallback; // of choice, and if that fails
    const pl_solver *soft;              // of corrections of soft bodies
    pl_solver_options options;
    pl_friction_model friction;
    pl_modelled modelled; // the last problem as it was solved, unless its friction is that of cones
    pl_workspace workspace;
    double *v_start, *f_start; // (3*n_block), (3*n_start) where the last solve started from
    int32_t n_start;           // blocks of the last solve
    double *slip;              // (3*n_constraint) scratch of energy_step.c
    int64_t slip_capacity;
    bool starts_free;   // a step looks for contacts on the way of the velocities that it would have
                        // without any, and solves from these [VJ19, 6.2.2]: for comparisons
    bool unsolved;      // the last solve did not converge
    bool contradicting; // in the last solve joints contradicted each other: velocities are between
                        // what they ask for
    int64_t v_start_capacity, f_start_capacity;
} pl_constraint_step;

// The options of a world that solvers need, checked: PL_ERROR_ARGUMENT names the bad one. Names are
// replaced by our own, which stay.
pl_status pl_constraint_step_check(pl_world_options *options);

pl_status pl_constraint_step_create(const pl_world *world, pl_constraint_step **out);
void pl_constraint_step_destroy(pl_constraint_step *constraints); // NULL is fine

// The device of the world's options, which solvers have; NULL: the CPU.
struct pl_device *pl_constraint_step_device(const pl_constraint_step *constraints);

// Solves for world->system.v_new, which holds a first guess, such that the constraints are met and
// nothing is hit on the way to the time t; A and b are assembled. *clear says if it could; v_new is
// then what to move with.
pl_status pl_constraint_step_solve(pl_world *world, double t, pl_step_stats *stats, bool *clear);

// The sums of impulses on each body, in pl_world_body: linear, and angular about the origin.
void pl_constraint_step_sum(pl_world *world);

// impulse (6*n_rigid) := the sum of the blocks' impulses on each rigid body, linear, and angular
// about its centre.
void pl_constraint_step_impulses(const pl_world *world, double *impulse);

// After the bodies have moved: what the next step starts from.
pl_status pl_constraint_step_finish(pl_world *world, pl_step_stats *stats);

// The same after a step in which all bodies slept: it had no problem.
void pl_constraint_step_rest(pl_world *world);

// Had the last problem constraints, or could it have had some?
bool pl_constraint_step_any(const pl_world *world);

// Notes where a solve starts from, so that its problem can be written afterwards. record.c
pl_status pl_constraint_step_note(pl_constraint_step *constraints, const double *v);

#endif
