// The tets inside an oriented surface. Internal.

#ifndef PL_CARVE_H
#define PL_CARVE_H

#include "mesh.h"

// The faces of `mesh` are walls among its tets: closed, counter-clockwise seen from outside, each a
// face of some tet. Keeps the tets on their inner side, so that a cavity (a part that is turned
// inside out) stays empty, and drops the vertices from `n_keep` on that are then without a tet.
// Afterwards the faces are exactly the boundary of the tets; that is checked, not hoped. Fails with
// PL_ERROR_GEOMETRY: the walls have a gap, contradict each other or are turned inside out.
pl_status pl_mesh_carve(pl_mesh *mesh, int32_t n_keep);

#endif
