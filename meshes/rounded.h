// Surfaces that are drawn of round shapes. Internal.

#ifndef PL_ROUNDED_H
#define PL_ROUNDED_H

#include "mesh.h"

// All points within `radius` of a box with these half edges, of which any may be 0: a sphere, a
// capsule, a rounded plate or box, or a sharp box. Closed, with the vertices on the surface; a
// great circle has about `segments` (8 at least).
pl_status pl_mesh_rounded_box(const double half[3], double radius, int32_t segments, pl_mesh **out);

// A circle of `segments` vertices at each of n heights z around the z axis; one with the radius 0
// is a single vertex, the others are closed by a disk at both ends.
typedef struct pl_circle {
    double z, radius; // [m]
} pl_circle;
pl_status pl_mesh_turned(int32_t n, const pl_circle *circle, int32_t segments, pl_mesh **out);

// A tube of this radius around a circle about z.
pl_status pl_mesh_tube(double radius, double tube, int32_t segments, pl_mesh **out);

#endif
