// The outer loop as VJ19 prints it [Alg. 1, lines 5, 6 and 25 to 28; 3.3; 5.2]. Internal.
//
// Constraints live from step to step as long as they push. When the solver has converged, new
// collisions on the way become constraints; if there are none, each constraint that pushes is held
// against the geometry at the end of the step: removed if its contact point has slid off,
// linearized anew if its distance there is not what the solver believes. The step ends when nothing
// had to be done.
//
// Rows come and go here, so that the loop need not end: see README.md.

#ifndef PL_VJ19_H
#define PL_VJ19_H

#include "detect.h"

typedef struct pl_vj19_constraint {
    pl_feature_pair pair;
    int32_t row;        // of the contacts; -1 if the motion of its points is given
    bool hit;           // in this step, and not carried over
    double q[12];       // its points where it was linearized [m]
    pl_closest closest; // there
    double keep;        // the distance that it is to have at the end of the step [m]
    double before[3];   // see pl_row
    double impulse[3];  // of the last solve, on the first feature, along the world's axes [N s]
} pl_vj19_constraint;

typedef struct pl_vj19 {
    pl_vj19_constraint *constraint; // (n)
    int64_t n, constraint_capacity;
    double *u; // (3 for each block of the step) scratch
    int64_t u_capacity;
} pl_vj19;

void pl_vj19_free(pl_vj19 *p);

// The candidates of the step from x0 by the guess, and rows for the pairs that pushed in the last.
pl_status pl_vj19_start(pl_vj19 *p, pl_detection *d, pl_boundary *boundary, pl_contacts *contacts);

// After a solve for v, boundary->x1 being where it leads: adds, changes and removes rows as above.
// *changes says how many; with none the step is free of collisions and agrees with the geometry,
// and the rows are those that were solved.
pl_status pl_vj19_check(pl_vj19 *p, pl_detection *d, const double *v, pl_boundary *boundary,
                        pl_contacts *contacts, int32_t *changes);

// [VJ19, Eq. 21] Moves the configuration q (12) towards `now` (12) as far as the normal turns by no
// more than 15 degrees, and *closest with it. Returns how far, from 0 to 1.
double pl_vj19_approach(pl_pair_kind kind, const double *now, double *q, pl_closest *closest);

#endif
