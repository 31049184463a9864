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

#include "contact_error_kernel.h"
#include "law.h"
#include "rows.h"

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
