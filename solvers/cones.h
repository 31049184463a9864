// What constraints push with at given velocities, all of them, also along a step. Internal.
//
// F, J and their K are those of law.h, for all constraints at once.

#ifndef PL_CONES_H
#define PL_CONES_H

#include "law.h"

// F := F(u) of all constraints. K, f, u, F (3*n_constraint).
void pl_cones_push(const pl_problem *problem, const double *K, const double *f, const double *u,
                   double *F);

// A step e of Newton's for r(v) = b + L^T F(L v - c) - A v. All arrays are (3*n_constraint).
typedef struct pl_cone_line {
    const pl_problem *problem;
    const double *K, *f;
    const double *u, *F, *Le; // u and F at its start, and L e
    double er, eAe;           // e . r at its start, e . A e
    double *at, *Fe;          // u and F at the place that was looked at last
    const double *linear;     // J of rows that are linear along it, 0 for the others; may be NULL
} pl_cone_line;

// The residual along the step, e . r, after a part t of it.
double pl_cone_line_at(const pl_cone_line *line, double t);

// Where the residual turns, between the start, where it is positive, and the end, where it is
// `end`, below 0: to `share` of what it is at the start, or as near as so many steps lead.
double pl_cone_line_turn(const pl_cone_line *line, double end, double share, int steps);

#endif
