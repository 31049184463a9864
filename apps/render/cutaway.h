// A look inside a tetrahedral mesh: the tets on one side of a plane are left out.

#ifndef PL_CUTAWAY_H
#define PL_CUTAWAY_H

#include "../../base/base.h"

typedef struct pl_cutaway_options {
    double point[3], normal[3]; // a tet is left out if its centroid lies where the normal points
                                // to, seen from the plane through `point` [m]
    double shrink;          // each tet is drawn smaller by this part, towards its centroid: 0 to
                            // 0.9
    uint8_t outer_color[3]; // sRGB, of faces on the boundary of the whole mesh
    uint8_t inner_color[3]; // sRGB, of the others
} pl_cutaway_options;

// The half of the mesh away from `normal`, no shrinking, blue outside and honey inside.
pl_cutaway_options pl_cutaway_options_default(const pl_mesh *mesh, const double normal[3]);

// Triangles to draw, for the fields of pl_draw_body of the same names.
typedef struct pl_cutaway {
    int32_t n_vert, n_face;
    double *x;           // (3*n_vert)
    int32_t *face;       // (3*n_face)
    uint8_t *face_color; // (3*n_face)
} pl_cutaway;

// The faces of the tets that stay: those that no other of them covers, or all of them if they
// shrink. Fails with PL_ERROR_GEOMETRY if the mesh has no tets or none stays, PL_ERROR_ARGUMENT on
// a plane without direction or a shrink out of range, PL_ERROR_MEMORY. Free with pl_cutaway_free.
pl_status pl_cutaway_make(const pl_mesh *mesh, const pl_cutaway_options *options, pl_cutaway *out);
void pl_cutaway_free(pl_cutaway *cutaway);

#endif
