// The signed distance to a closed surface, on a grid of its own. Internal.

#ifndef PL_DISTANCE_H
#define PL_DISTANCE_H

#include "../base/team.h"

typedef struct pl_distance {
    double lo[3], h; // node (i, j, k) is at lo + h (i, j, k) [m]
    int32_t n[3];    // nodes
    double *value;   // (n[0] * n[1] * n[2]) [m], < 0 inside
} pl_distance;

// On nodes h apart, up to `margin` beyond the box of the surface [m]. The surface is that of the
// mesh. Fails with PL_ERROR_GEOMETRY if it is open or takes too many nodes.
pl_status pl_distance_create(const pl_mesh *mesh, double h, double margin, pl_distance *out);
void pl_distance_free(pl_distance *distance); // leaves it empty

// Interpolated linearly in each axis; outside of the grid what its nearest point has, and the way
// there.
double pl_distance_at(const pl_distance *distance, const double X[3]);

#endif
