// Joints in a step: their rows, before those of contacts. Internal.
//
// A row leads one coordinate q of a joint, as it will be at the end of the step, to where it should
// be. q is not linear in velocities where bodies turn; with the gradient L of q at the start of the
// step and velocities v near to those that are sought,
//
//     q(v') = q(v) + dt L (v' - v)
//
// up to the second order in how far v' turns bodies from where v does. The row q(v') = T is L v' =
// c with c = L v - (q(v) - T) / dt; c is set anew in each round until q is T. So joints do not
// drift, and nothing is pushed that need not be. Impulses act along the gradient at the start of
// the step: rigid/README.md says why.
//
// A spring k with a damper b is a soft row (problem.h): its force at the end of the step is
// -k (q(v') - T) - b (q(v') - q0) / dt, so that
//
//     eps = 1 / (dt b + dt^2 k),    c = L v - eps (dt k (q(v) - T) + b (q(v) - q0)).
//
// With k and b above 0 these are the numbers of [Ho22, 2.20-2.25].
//
// Geometric stiffness: a body that hangs by a joint with the force F at the lever arm r turns back
// when it turns away from F, like a pendulum. The torque r x F changes by -[F]x [r]x w dt while it
// turns, with r = |r| e and F = F_e e + F_t by
//
//     -(F_e |r|) (1 - e e^T) w dt  +  a part with F_t.
//
// The arm at the start of the step does not know that, which is stable as long as dt^2 stiffness /
// inertia < 4. For light links of chains under load it is far above. Then the first part, the
// stiffness G = F_e |r| (1 - e e^T) of the forces of the last step, is put into A: A + dt^2 G. Of
// it, what is negative or stable without is left out, direction by direction in the metric of the
// body's inertia, so that pendulums keep their energy. The part with F_t is not symmetric; half of
// it would couple a link's turning about itself, where it has next to no inertia, with its
// swinging: chains of 20,000 : 1 explode by it, and without it those of 4,400,000 : 1 do not.
//
// Alone, dt^2 G w takes energy from a chain that swings as a whole: as backward Euler would, 21 %
// in 6 s of one that falls from the horizontal (40 links of 0.2 m, 1/60 s). So it acts on w - (1 -
// d) w_0, with the angular velocity w_0 of the last step: what shakes at a rate beyond dt loses 1 -
// sqrt(1 - d) of its speed in a step, and what swings slowly d of the energy that it would. With
// d = 0.5 the same chain loses 11 %; d = 0.1 lets a chain without a load explode.

#ifndef PL_JOINT_STEP_H
#define PL_JOINT_STEP_H

#include "joints.h"

// All of them do nothing in a world without joints.

// Where the joints are at the start of a step.
pl_status pl_joint_step_begin(pl_world *world);

// Adds the forces of joints that are known beforehand: to f_ext, and as joints->load.
pl_status pl_joint_step_load(pl_world *world);

// Their blocks.
pl_status pl_joint_step_find(pl_world *world);

// Their constants, for velocities near to v_new; in the first round near to those of the last step.
void pl_joint_step_update(pl_world *world, double t, bool first);

// *clear becomes false if a coordinate is not where it should be at v_new, and another round may
// help.
void pl_joint_step_test(pl_world *world, double t, int32_t round, bool *clear);

// The joint that is off by the most at the velocities of the last test, and by how much [m, rad];
// -1 if none is.
int32_t pl_joint_step_worst(const pl_world *world, double *error);

// Adds the joints' impulses to those of each body, see pl_contact_step_sum.
void pl_joint_step_sum(pl_world *world);

// The work of motors in the step, and of kinematic bodies by joints, on all others [J].
double pl_joint_step_work(const pl_world *world);

// After the bodies have moved: the forces of the joints, and which of them broke.
void pl_joint_step_finish(pl_world *world, pl_step_stats *stats);

// Notes the state before a step, and goes back to it.
void pl_joint_step_save(pl_world *world);
void pl_joint_step_go_back(pl_world *world);

// --- For the files of joints in a step ---

// The force along a coordinate that is known beforehand; *motor: of a motor.
double pl_joint_load(const pl_joint *joint, int32_t coordinate, bool *motor);

// eps of a soft row [1/kg], 0 of a hard one.
double pl_joint_compliance(const pl_world *world, double k, double b);

// The sum of a coupling less what it was when it was added, at the start or at the end of the step.
double pl_coupling_sum(const pl_joints *joints, const pl_coupling *coupling, bool end);

// --- Geometric stiffness: joint_stiffness.c ---

// Puts the stiffness of the last step's forces into A and b, which were assembled.
pl_status pl_joint_stiffness_add(pl_world *world);

// After a solve: puts that of its forces there instead, where they differ much. True if it did.
bool pl_joint_stiffness_update(pl_world *world);

// Takes from the impulses (6*n_rigid) on rigid bodies what the stiffness has given back.
void pl_joint_stiffness_impulse(const pl_world *world, double *impulse);

// force := the force of each joint on its body b at the solution, in pl_joint; of
// pl_joint_step_finish and the above.
void pl_joint_step_forces(pl_world *world);

#endif
