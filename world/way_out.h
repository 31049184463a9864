// Where to move one of two bodies that overlap. Internal.

#ifndef PL_WAY_OUT_H
#define PL_WAY_OUT_H

#include "world.h"

// The body of the two that is to move, one that is free rather than kinematic and the smaller
// rather than the larger, and by how much [m]: it is then beyond all of the other, with room to
// spare, in the direction in which that is least. Exact for convex bodies; others may need less.
int32_t pl_way_out(const pl_world *world, int32_t a, int32_t b, double move[3]);

#endif
