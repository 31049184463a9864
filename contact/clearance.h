// How far apart contacts keep bodies: the safety distances of bodies. Internal.

#ifndef PL_CLEARANCE_H
#define PL_CLEARANCE_H

#include "boundary.h"

// Sets the safety distances of a boundary whose points, faces and fans are known: what the options
// say, or by default a part of the mean edge length, at most half of the thickness that the body
// has anywhere; and between two bodies at most half of the room that they had where they were
// added. x1 is scratch. Does not depend on the state, so that a run that is resumed has the same.
pl_status pl_clearance_find(const pl_boundary_source *source, pl_boundary *boundary);

#endif
