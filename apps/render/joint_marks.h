// Joints as marks: their axes, ropes and rods, and the forces that they bear.

#ifndef PL_JOINT_MARKS_H
#define PL_JOINT_MARKS_H

#include "arrows.h"

// Adds a joint: an arrow along its axis, in blue; a distance as a bar between its points. Broken
// ones in grey. `size` is that of all bodies [m].
pl_status pl_joint_marks_add(pl_arrows *arrows, const pl_joint_state *joint, double size);

// The same for all joints of a world.
pl_status pl_joint_marks_add_world(pl_arrows *arrows, const pl_world *world, double size);

#endif
