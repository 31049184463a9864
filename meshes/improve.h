// Better tets by moving interior vertices and exchanging small groups of tets. Internal.

#ifndef PL_IMPROVE_H
#define PL_IMPROVE_H

#include "mesh.h"

typedef struct pl_improve_options {
    double goal;    // tets with a radius ratio below this are worked on, in (0, 1]
    int32_t passes; // over the whole mesh, at most
} pl_improve_options;

pl_improve_options pl_improve_options_default(void);

// Raises the radius ratio of the worst tets in place. Boundary vertices and boundary faces stay as
// they are; vertices keep their numbers; the number of tets may change. Every single change makes
// the worst tet that it touches better, so the worst of the whole mesh never gets worse; flat tets
// are welcome. The result depends on nothing but the input. Fails with PL_ERROR_GEOMETRY if a tet
// is inverted or a face belongs to more than two tets, PL_ERROR_MEMORY; the mesh is then unchanged.
pl_status pl_mesh_improve(pl_mesh *mesh, const pl_improve_options *options);

#endif
