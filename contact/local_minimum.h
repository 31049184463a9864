// Is the distance of two features a local minimum of the distance of their surfaces? Internal.
//
// A vertex that lies flat in its surface is near many faces of another, and most of these pairs
// would resist motions that they have no business with: a box on a plate of triangles slid at 0.12
// of its speed with a row for each, at 0.43 if the closest point had to be a local minimum on the
// face's side, and at 0.9999 if also on the vertex's own.

#ifndef PL_LOCAL_MINIMUM_H
#define PL_LOCAL_MINIMUM_H

#include "contacts.h"

// Where points are: after a part of their way from x0 to x1 (3*n of the boundary).
typedef struct pl_instant {
    const double *x0, *x1;
    double part; // 0 to 1
} pl_instant;

// At that instant, `closest` being the pair's closest points there.
bool pl_local_minimum(const pl_boundary *boundary, const pl_instant *at,
                      const pl_feature_pair *pair, const pl_closest *closest);

// Turns the normal of a vertex-face pair that points into the vertex's own surface, or of an edge
// between two faces in one plane, upright on that surface. A row with a slanted normal would hold
// up what only slides past: the plate's vertices that the border of a box passes over took 5 % of
// its speed in a metre.
void pl_upright_normal(const pl_boundary *boundary, const double *x, const pl_feature_pair *pair,
                       pl_closest *closest);

// Are they two edges, one of them in a surface that is flat there?
bool pl_crosses_flat(const pl_boundary *boundary, const double *x, const pl_feature_pair *pair);

#endif
