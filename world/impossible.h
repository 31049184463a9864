// Steps that cannot be, whatever the solver and its time: what moves as it is told runs into each
// other, or leaves no room for what is between. Internal.

#ifndef PL_IMPOSSIBLE_H
#define PL_IMPOSSIBLE_H

#include "contact_step.h"

// The failure of a step of `dt` seconds whose last round still hit something: names the bodies, and
// says so if the motion of both is given.
pl_status pl_fail_colliding(const pl_world *world, double dt);

// After a step failed with `status`, and before the state goes back: if the rows of its last
// contact problem contradict each other, the text is that, with the bodies; else it stays as it
// was. Returns `status`.
pl_status pl_explain_failure(const pl_world *world, pl_status status);

#endif
