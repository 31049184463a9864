// One constraint of up to three bounded rows, solved exactly. Internal.

#ifndef PL_BOX_H
#define PL_BOX_H

#include "box_kernel.h"

// f (3) := the impulse within the bounds for which w > 0 only in rows at lo, w < 0 only in rows at
// hi, to rounding. Rows with lo = hi have that impulse, whatever their velocity.
void pl_box_law_solve(const pl_box_law *box, const double *q, double *f);

// f (3) := that impulse for the q that belongs to the velocity w (3) and the impulse f; returns by
// how much it changes the velocities: the most that a row does by itself.
double pl_box_law_relax(const pl_box_law *box, const double *w, double *f);

#endif
