// One contact with friction, solved exactly. Internal.

#ifndef PL_COULOMB_H
#define PL_COULOMB_H

// f (3) := the impulse of a contact whose relative velocity is u = S f + q, such that u and f obey
// Signorini's and Coulomb's laws (problem.h) to rounding. S (9) symmetric positive definite. *ratio
// is a guess of |u_t| / |f_t| [1/kg], 0 if there is none; where the contact slips it becomes that,
// to be the guess of the next call for the same contact.
void pl_coulomb_solve(const double *S, const double *q, double mu, double *ratio, double *f);

// p (3) := the point of the cone |p_t| <= mu p_n, p_n >= 0 that solvers call the projection of x:
// its normal part is clamped, then its tangential part is shortened to mu p_n. (The nearest point
// in the cone would push: Coulomb's law is not that of the cone's normals.)
void pl_coulomb_project(double mu, const double *x, double *p);

#endif
