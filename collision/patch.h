// Patches that cannot touch themselves. Internal.
//
// Most pairs of boxes that overlap within one body belong to neighbours on a smooth surface, which
// cannot meet. Volino & Magnenat Thalmann (1994) leave out a patch if some direction d makes an
// acute angle with all of its normals and its outline, seen along d, does not cross itself. The
// second half is often dropped, and a spiral staircase then falls through itself; it is kept here,
// in a form that takes linear time and holds over a whole motion:
//
//   Let d . n > 0 for all triangles, and let the outline (the sum of the oriented edges of all
//   triangles, in which inner edges cancel) go around some point c with d . (a - c) x (b - c) > 0
//   for each of its edges ab, once around in total. Then the outline, seen along d, is a simple
//   star-shaped curve. The number of triangles over a point of the plane, counted with the sign of
//   d . n, is the winding number of the outline around it: 1 inside, 0 outside. All signs are
//   positive, so no two triangles cover one point, and none touches another that is not its
//   neighbour: inner edges cancel, so that the triangles around a common point close up there or
//   end at the outline, and both would cover a common piece of the plane.
//
// Over a linear motion both products are quadratic in time: positive if their three Bernstein
// coefficients are, and the number of turns cannot change while they stay positive. Nothing is
// assumed of the deformation, nor of the surface: where edges have three faces, or normals
// disagree, the outline just fails.

//
// The faces around one vertex are such a patch too, with that vertex for c: then both products are
// the same, and a closed fan is smooth if all its normals are on one side and it goes around once.
// Nearly all pairs of faces whose boxes overlap for no other reason than that they are neighbours
// have a smooth fan in common.

#ifndef PL_PATCH_H
#define PL_PATCH_H

#include "surfaces.h"

// Finds the outlines of a chunk's subtrees after its items were sorted. Only PL_ERROR_MEMORY can
// happen.
pl_status pl_patch_outline(pl_surfaces *s, pl_chunk *chunk);

// A chunk without outlines, so without smooth patches: before its items change their order.
void pl_patch_forget(pl_surfaces *s, const pl_chunk *chunk);

// True if the items of the subtree are enough to look at, all of one chunk, and cannot touch each
// other on their way from s->x0 to s->x1.
bool pl_patch_smooth(const pl_surfaces *s, pl_subtree tree);

// Sets s->leaf_patch for the bodies of s->stale that may touch themselves: of each leaf the node of
// the largest subtree around it that is smooth, or -1.
void pl_patch_list(pl_surfaces *s);

// Sets s->smooth for the motion of the bodies of s->stale from s->x0 to s->x1.
void pl_patch_fans(pl_surfaces *s);

// For another motion: fans that were smooth and are no longer are marked so, and in opened
// (n_point), whose other marks stay.
void pl_patch_open(pl_surfaces *s, uint8_t *opened);

#endif
