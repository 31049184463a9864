// Continuous detection for the vertices of a mesh, and for features with a radius. Internal; for a
// pair by itself see pl_ccd.

#ifndef PL_CCD_H
#define PL_CCD_H

#include "../base/base.h"

// pl_ccd for the points x0 + 3 v and x1 + 3 v of the indices v in `vertex` (4; as many as the kind
// has are read). A pair that starts closer than twice the separation is held to half its distance
// at the start instead: features that rest on each other are no hit, and still never meet.
bool pl_ccd_vertices(pl_pair_kind kind, const int32_t *vertex, const double *x0, const double *x1,
                     double separation, pl_impact *out);

// pl_ccd for features that are round: of the separation, `radii` [m] is inside of them. What comes
// early is 1/64 of the rest only, so that a sphere that rolls at a thousandth of its radius above a
// plane does not hit.
bool pl_ccd_round(pl_pair_kind kind, const double *x0, const double *x1, double radii,
                  double separation, pl_impact *out);

#endif
