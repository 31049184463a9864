// Steps without a solution, whatever the solver: prescribed motions that collide, or that leave no
// room for a body between them. Internal.

#ifndef PL_IMPOSSIBLE_H
#define PL_IMPOSSIBLE_H

#include "contact_step.h"

// The failure of a step of `dt` seconds whose last round still had a collision: names the bodies,
// and says so if the motion of both is prescribed.
pl_status pl_fail_colliding(const pl_world *world, double dt);

// After a step failed with `status`, and before the state is restored: if the rows of its last
// contact problem are infeasible, the error text becomes that, with the bodies; else it stays.
// Returns `status`.
pl_status pl_explain_failure(const pl_world *world, pl_status status);

#endif
