// Better shaped faces for a surface that is otherwise done. Internal.

#ifndef PL_SKIN_IMPROVE_H
#define PL_SKIN_IMPROVE_H

#include "skin.h"

// The error of having a vertex at a place.
typedef double pl_place_cost(const void *user, int32_t vertex, const double at[3]);

// Flips edges between nearly coplanar faces and shifts vertices along the surface where that makes
// the worst face concerned better. The number of faces and the enclosed volume stay what they are.
void pl_skin_improve(pl_skin *skin, pl_place_cost *cost, const void *user);

#endif
