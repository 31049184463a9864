// What the stages of a step share. Internal.

#ifndef PL_STEP_H
#define PL_STEP_H

#include "world.h"

// Times are sums of steps: what happens with a step must not miss it by rounding. In parts of a
// step.
static const double PL_TIME_SLACK = 1e-6;

// Vertices, or points of surfaces, that a thread takes at least.
enum { PL_STEP_CHUNK = 2000 };

// As many bodies have that many vertices, on average.
int64_t pl_world_least_bodies(const pl_world *world);

// The wall clock that the step under way may still take [s], 0 if there is no limit.
// PL_ERROR_TIME if nothing is left.
pl_status pl_step_time_left(const pl_world *world, double *seconds);

// Solves A x = b on the vertices that are free, from the guess x; adds to the statistics.
pl_status pl_step_solve(pl_world *world, const double *b, double tolerance, double *x,
                        pl_step_stats *stats);

// PL_ERROR_NUMERICS if the new velocities lead to no finite place.
pl_status pl_step_check_finite(const pl_world *world);

// pull.c: what pulls bring to deformable bodies: to the values of a matrix with A's pattern, and to
// the impulses on its right-hand side; and to the load of a rigid body, which holds its damping and
// other forces already.
void pl_pull_assemble(const pl_world *world, double *val, double *load);
// And what they add to the diagonal of A (n_vert) [kg].
void pl_pull_inertia(const pl_world *world, double *inertia);
void pl_pull_rigid(const pl_world *world, const pl_world_body *b, pl_rigid_load *load);

// momentum.c: before the state advances, note what makes the momentum of each free body;
// afterwards, give it what it should have by the laws of motion.
void pl_momentum_note(pl_world *world);
void pl_momentum_restore(pl_world *world);

double pl_total_mass(const pl_world *world);     // of what is not kinematic [kg]
double pl_kinetic_energy(const pl_world *world); // [J]
double pl_gravity_energy(const pl_world *world); // [J], 0 at the origin

// The work that kinematic bodies, driven vertices and motors do in the step under way, after its
// velocities are found [J]. work.c
double pl_step_work(const pl_world *world);

#endif
