// On which side: signs of determinants of coordinates, exact for all finite doubles. Internal.

#ifndef PL_PREDICATES_H
#define PL_PREDICATES_H

// The sign (-1, 0, 1) of (b-a) x (c-a) in the plane of the coordinates i and j: positive if a, b, c
// turn from i towards j.
int pl_orient2d(const double *a, const double *b, const double *c, int i, int j);

// The sign of (b-a) x (c-a) . (d-a): positive if the tet (a, b, c, d) is.
int pl_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
