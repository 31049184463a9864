// What of a mesh touches others, where that is not its surface. Internal.
//
// A sphere is a point with a radius, a capsule an edge, a rounded box a box: their skeletons are
// few vertices of the mesh that carries them, which its faces need not use.

#ifndef PL_SKELETON_H
#define PL_SKELETON_H

#include "../base/base.h"

// Faces, edges and points that are not theirs, as vertices of a mesh.
typedef struct pl_skeleton {
    int32_t n_face, n_edge, n_point;
    int32_t *face;  // (3*n_face)
    int32_t *edge;  // (2*n_edge)
    int32_t *point; // (n_point)
    double radius;  // all of them are thickened by this [m]
} pl_skeleton;

#endif
