// Points in the order of a space-filling curve: neighbours in space become neighbours in memory.
// Internal.

#ifndef PL_CURVE_H
#define PL_CURVE_H

#include "mesh.h"

// order (n) := the indices of the points x (3*n) along Morton's curve through their box; equal
// places by index. Only PL_ERROR_MEMORY can happen.
pl_status pl_curve_order(int32_t n, const double *x, int32_t *order);

// rank (n_vert) := the place of each vertex of the mesh along the curve.
pl_status pl_curve_rank(const pl_mesh *mesh, int32_t *rank);

// A copy whose vertex rank[v] is the mesh's v; faces and tets keep their order.
pl_status pl_mesh_renumber(const pl_mesh *mesh, const int32_t *rank, pl_mesh **out);

// Replaces the mesh by one whose vertices stand along the curve, as a world keeps them.
pl_status pl_mesh_along_curve(pl_mesh **mesh);

#endif
