// What contacts push with at given velocities, and how that changes with these. Internal.
//
// With a stiffness K for each contact, normal and tangential, and impulses f to start from,
//     F(u) = P(f - K u),
// where P is the projection of pl_coulomb_project: so f solves the contact if F(u) = f. On a face
// of the cone dF = -J du, [Alart & Curnier 1991],
//     open: J = 0;    stick: J = K;
//     slip, with p = f_t - K_t u_t, d = p / |p|:  J_nn = K_n,  J_tn = mu K_n d,
//         J_tt = (mu F_n / |p|) K_t (I - d d^T)

#ifndef PL_CONES_H
#define PL_CONES_H

#include "problem.h"

// J of a contact [kg]; all 0 where it is open.
typedef struct pl_cone_slope {
    double nn, t11, t12, t22; // symmetric
    double n1, n2;            // J_tn, by which it is not: of the tangents by the normal velocity
} pl_cone_slope;

// F := P(f - K u) for all contacts. K (2*n_constraint): normal and tangential; a contact with a
// normal one of 0 has F = 0. f, u, F (3*n_constraint).
void pl_cones_push(const pl_problem *problem, const double *K, const double *f, const double *u,
                   double *F);

// J of a contact, at the velocities u (3) where it pushes with F (3).
pl_cone_slope pl_cone_slope_at(double mu, const double *K, const double *f, const double *u,
                               const double *F);

// A step e of Newton's for r(v) = b + L^T F(L v - c) - A v. All arrays are (3*n_constraint).
typedef struct pl_cone_line {
    const pl_problem *problem;
    const double *K, *f;
    const double *u, *F, *Le; // u and F at its start, and L e
    double er, eAe;           // e . r at its start, e . A e
    double *at, *Fe;          // u and F at the place that was looked at last
} pl_cone_line;

// The residual along the step, e . r, after a part t of it.
double pl_cone_line_at(const pl_cone_line *line, double t);

// Where the residual turns, between the start, where it is positive, and the end, where it is
// `end`, below 0: to `share` of what it is at the start, or as near as so many steps lead.
double pl_cone_line_turn(const pl_cone_line *line, double end, double share, int steps);

#endif
