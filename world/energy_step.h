// Where the energy of a step comes from and goes to. Internal.
//
// Over a step, kinetic + elastic + gravity energy grows by
//
//   work of what moves by itself (work.c) + work of loads - friction - damping - numerical
//
// Forces and displacements are those that the step has: impulses of its solve, times the mean
// velocities over it. What is numerical is the rest: what the formula of the integrator loses
// (backward Euler half the square of the change of velocities, by mass), what impacts take, what
// corrections of momenta and imbalances make; springs and dampers of joints are in it, too.

#ifndef PL_ENERGY_STEP_H
#define PL_ENERGY_STEP_H

#include "world.h"

// At the start of a step.
void pl_energy_begin(const pl_world *world, pl_step_stats *stats);

// Before the state advances by a part of a step: its work and losses.
pl_status pl_energy_add(pl_world *world, pl_step_stats *stats);

// After the step: its energies, and what is left.
void pl_energy_end(pl_world *world, pl_step_stats *stats);

#endif
