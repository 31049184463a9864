// One contact with friction, solved exactly. Internal.

#ifndef PL_COULOMB_H
#define PL_COULOMB_H

#include "coulomb_kernel.h"

void pl_coulomb_prepare(const double *S, double mu, pl_coulomb *law);

// f (3) := the impulse such that u = S f + q and f obey Signorini's and Coulomb's laws (problem.h)
// to rounding.
void pl_coulomb_solve(pl_coulomb *law, const double *q, double *f);

// f (3) := that impulse for the q that belongs to the velocity u (3) and the impulse f; returns by
// how much it changes the relative velocity: the larger of its normal and its tangential part.
double pl_coulomb_relax(pl_coulomb *law, const double *u, double *f);

// p (3) := the point of the cone |p_t| <= mu p_n, p_n >= 0 that solvers call the projection of x:
// its normal part is clamped, then its tangential part is shortened to mu p_n. (The nearest point
// in the cone would push: Coulomb's law is not that of the cone's normals.)
void pl_coulomb_project(double mu, const double *x, double *p);

#endif
