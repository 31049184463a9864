// How far vertices can move along straight lines before a tet loses its volume. Internal.

#ifndef PL_VOLUME_BOUND_H
#define PL_VOLUME_BOUND_H

#include "fem.h"

// A t in [0, most] such that the cubic c0 + c1 s + c2 s^2 + c3 s^3 is above 0 for all s from 0 to
// t, 0 if c0 is not. It is the first root above 0, or `most` where that comes first, but for 0.1 %
// or less: t is below.
double pl_cubic_positive(const double c[4], double most);

// The largest t <= 1 such that each tet of the bodies that keep their volume (below) has, all along
// the way x + s d for s from 0 to t, at least the share `keep` in [0, 1) of its volume at x, and
// more than nothing. Rounding, also that of x + t d, can only make t smaller. *flat (may be NULL)
// is how many of these tets have no volume at x that could be told from 0: they bound nothing.
double pl_fem_volume_bound(const pl_fem *fem, const double *x, const double *d, double keep,
                           int32_t *flat);

// Does a material resist the loss of all volume by an energy beyond all bounds, or nearly? Then
// where it is inverted there is something wrong, and it can be kept from it. Others have states of
// finite energy without volume, and may have to pass through them on their way.
bool pl_material_keeps_volume(const pl_material *material);

// Is there a body of such a material?
bool pl_fem_keeps_volume(const pl_fem *fem);

#endif
