// What of a mesh touches others, where that is not its surface. Internal.
//
// A sphere is a point with a radius, a capsule an edge, a rounded box a box: their skeletons are
// few vertices of the mesh that carries them, which its faces need not use.

#ifndef PL_SKELETON_H
#define PL_SKELETON_H

#include "mesh.h"

// Faces, edges and points that are not theirs, as vertices of a mesh.
typedef struct pl_skeleton {
    int32_t n_face, n_edge, n_point;
    int32_t *face;    // (3*(n_face + n_behind))
    int32_t *edge;    // (2*n_edge)
    int32_t *point;   // (n_point)
    double radius;    // all of them are thickened by this [m]
    int32_t n_behind; // faces after the others that nothing touches: with them they enclose what is
                      // inside of the body, for the audit
} pl_skeleton;

// Has the mesh loose edges or points? A cloud has.
bool pl_mesh_is_loose(const pl_mesh *mesh);

// Its surface, its loose edges and its loose points, each once and none that is part of another;
// radius 0. Free it after use, but not what was moved elsewhere.
pl_status pl_skeleton_of_mesh(const pl_mesh *mesh, pl_skeleton *out);
void pl_skeleton_free(pl_skeleton *skeleton);

#endif
