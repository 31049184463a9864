// Are two simplices within a distance of each other? Exact for all finite doubles. Internal.

#ifndef PL_WITHIN_H
#define PL_WITHIN_H

#include "../base/base.h"

// Points, segments or triangles: one, two or three corners (n, m), none of which coincide, nor lie
// on a line. Is their distance r + s [m] or less, r, s >= 0? That of two that cross is 0.
bool pl_within(int n, const double a[][3], int m, const double b[][3], double r, double s);

#endif
