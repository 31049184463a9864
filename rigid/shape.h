// Shapes of rigid bodies: what is drawn of them, what touches, and where their mass is. Internal;
// the public side is pl_shape.

#ifndef PL_RIGID_SHAPE_H
#define PL_RIGID_SHAPE_H

#include "../meshes/mesh.h"
#include "../meshes/skeleton.h"
#include "inertia.h"

// Its numbers are in their ranges; the mesh of a hull or a mesh is there. Fails with
// PL_ERROR_ARGUMENT and names the number.
pl_status pl_shape_check(const pl_shape *shape);

// Its surface, in its place in the body; round ones tessellated.
pl_status pl_shape_surface(const pl_shape *shape, pl_mesh **out);

// What touches: vertices in their place in the body, which `mesh` has, and features of these. Free
// both after use.
typedef struct pl_shape_skeleton {
    pl_mesh *mesh; // vertices, and the faces of the skeleton
    pl_skeleton skeleton;
} pl_shape_skeleton;
pl_status pl_shape_find_skeleton(const pl_shape *shape, pl_shape_skeleton *out);
void pl_shape_skeleton_free(pl_shape_skeleton *skeleton);

// The volume [m^3], the centre [m] and the second moments int x x^T / volume about it (xx, yy, zz,
// yz, xz, xy) [m^2].
pl_status pl_shape_moments(const pl_shape *shape, pl_moments *out);

// The same of all, with the density of those that have none of their own, or with this mass in all.
pl_status pl_shapes_weigh(int32_t n, const pl_shape *shape, double density, double mass,
                          pl_inertia *out);

#endif
