// Which side of a surface is outside. Internal.

#ifndef PL_ORIENT_H
#define PL_ORIENT_H

#include "mesh.h"

// Turns faces around until neighbours over edges with two faces agree, where that is possible. A
// part that hangs together over such edges and is closed then encloses a positive volume, or a
// negative one if it lies inside an odd number of other closed parts: a cavity. An open part keeps
// the orientation that most of its faces have.
pl_status pl_orient_faces(pl_mesh *mesh, int32_t *flipped);

#endif
