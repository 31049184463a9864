// A quick proof that a pair of moving features stays apart, for what slides past at a distance far
// smaller than its way. Internal.
//
// pl_ccd goes on in time by what it can prove from one instant, and gives up, as a hit, on a pair
// that would take it too many steps. Here one direction for the start and one for the end, with
// those between, are to separate the features all the way: enough where surfaces lie on each other.

#ifndef PL_APART_H
#define PL_APART_H

#include "pliant.h"

// Do the features stay farther apart than `separation` [m], their points moving in straight lines
// from x0 to x1 (each as pl_pair_kind says)? True is a proof, rounding included; false says
// nothing.
bool pl_stays_apart(pl_pair_kind kind, const double *x0, const double *x1, double separation);

// The same in pieces, for features that are round: they turn about each other while they touch, at
// a distance from what carries them that is far more than what is between them. The time up to
// which they stay farther apart than that, without a break from 0 on; 1 if they do all the way.
double pl_apart_until(pl_pair_kind kind, const double *x0, const double *x1, double separation);

// Does a pair come closer than `separation` on its way, as far as the proofs above and pl_ccd can
// tell? Above 0, `radii` [m] of the separation are inside of the features. x0 and x1 have room for
// four points; *out is the impact.
bool pl_pair_impact(pl_pair_kind kind, const double x0[12], const double x1[12], double radii,
                    double separation, pl_impact *out);

// The points of a pair after the part t of their way.
void pl_pair_at(pl_pair_kind kind, const double *x0, const double *x1, double t, double *x);

#endif
