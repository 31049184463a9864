// How well velocities and impulses solve a problem: one yardstick for every solver. Internal.
//
// Velocities u become displacements by dt, impulses f by dt s, with s how much a constraint's
// velocity answers to its impulse and those of its neighbours (pl_contact_scales): so all but the
// first and the last are in metres; rows that weigh angular velocities count in radians. Where
// there is compliance, u stands for w = u + E f. P is the disk of a cone or the polygon of a
// pyramid, which has no fischer_stick and fischer_slip. All are maxima, over the contacts or, of
// `joint`, over the boxes, but for the last. Constraints all of whose blocks are prescribed have no
// impulse that could help; they count in `penetration` only, or not at all.

#ifndef PL_CONTACT_ERROR_H
#define PL_CONTACT_ERROR_H

#include "law.h"
#include "rows.h"

typedef struct pl_contact_errors {
    // |b + L^T f - A v| over max(|b'|, |L^T f|), in the rows that are not prescribed, where b' is b
    // less A times the prescribed velocities. Euclidean norms.
    double residual;
    double penetration; // dt max(0, -u_n) [m]
    double normal;      // of the natural map: dt |min(u_n, s_n f_n)| [m]
    double friction;    // of the natural map: dt s_t |f_t - p(f_t - u_t / s_t)|, where p moves to
                        // the nearest point of mu f_n P [m]
    double cone;        // dt s_t times the distance of f_t from mu f_n P, or dt s_n (-f_n) [m]
    double fischer;     // |x + y - sqrt(x^2 + y^2)| [VJ19, Eq. 24]: the largest of those below [m]
    double fischer_normal; // x = dt s_n f_n, y = dt u_n
    // Of friction, x = dt s_t (mu f_n - |f_t|) and y = dt |u_t|. One of them should be 0, and the
    // smaller one tells which: a contact with x < y slips, and x is what is wrong with it; else it
    // sticks, and y is. [VJ19, 6.3] has the same where it slips; where it sticks, it takes |f_t|
    // for x, which overlooks any slip where nothing pulls.
    double fischer_stick, fischer_slip;
    double joint; // of the natural map of a box's rows: dt s |f - clamp(f - w / s)| [m] or [rad]
    // The mean over constraints of (d_n^2 / s_n + d_t^2 / s_t) / 2 [J], with d the natural maps
    // above as velocities, of a box the sum over its rows: the energy that the error would have.
    // This is how we read the unit-consistent measure of Enzenhoefer et al. that [Ho22, 6.2.2] uses
    // and gives no formula of.
    double energy;
} pl_contact_errors;

// Of the constraints alone; `residual` is left as it is. scale (2*n_constraint), u and f
// (3*n_constraint).
void pl_contact_errors_update(const pl_problem *problem, const double *scale, const double *u,
                              const double *f, pl_contact_errors *errors);

// The largest error of the constraints [m]; not a number if one is not.
double pl_contact_errors_worst(const pl_contact_errors *errors);
// Is every error of the constraints at most contact_tolerance [m]? False if one is not a number.
bool pl_contact_errors_within(const pl_contact_errors *errors, double contact_tolerance);

// r := b + L^T f - A v in the rows that are not prescribed, 0 in the others. r (3*A.n); world
// (3*n_constraint) is scratch.
void pl_contact_residual(const pl_problem *problem, const pl_uses *uses, const double *v,
                         const double *f, double *world, double *r);

// The same where A v is known. r may be Av.
void pl_contact_residual_from(const pl_problem *problem, const pl_uses *uses, const double *Av,
                              const double *f, double *world, double *r);

#endif
