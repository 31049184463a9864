// Building, moving and mending the trees of surfaces. Internal.

#ifndef PL_BVH_H
#define PL_BVH_H

#include "surfaces.h"

// Splits key (n) in halves by the longest axis of their middles: the n_left lowest come first.
void pl_keys_split(pl_key *key, int64_t n, int64_t n_left);

// Sorts the items of the tree of a body into leaves, by their places in x (3*n_vert), and finds its
// outlines. Only PL_ERROR_MEMORY can happen.
pl_status pl_bvh_build(pl_surfaces *s, int32_t body, const double *x);

// Puts boxes around the motion of the bodies of s->stale from s->x0 to s->x1, thickened by half of
// s->margin and the radius of each body, and sorts anew the chunks whose boxes have come to overlap
// too much. Fails with PL_ERROR_NUMERICS if a position is not finite or beyond PL_BOUND_MAX, or
// PL_ERROR_MEMORY.
pl_status pl_bvh_move(pl_surfaces *s);

// Extends the boxes of the points that leave theirs on the way from s->x0 to s->x1, and all boxes
// around them. grown[p] (n_point) says which these are, *n how many. Fails like pl_bvh_move.
pl_status pl_bvh_grow(pl_surfaces *s, uint8_t *grown, int32_t *n);

// Marks in `stale` (n_body) the bodies with points whose boxes do not hold the motion.
void pl_bvh_stale(pl_surfaces *s, uint8_t *stale);

// Puts boxes around items and nodes where a device has moved those of points only.
void pl_bvh_catch_up(pl_surfaces *s);

// The box of a point on its way from x0 to x1, thickened by `pad`.
static inline pl_bound pl_bound_point(const double x0[3], const double x1[3], double pad)
{
    pl_bound b;
    for (int k = 0; k < 3; k++) {
        double lo = x0[k] < x1[k] ? x0[k] : x1[k], hi = x0[k] < x1[k] ? x1[k] : x0[k];
        b.lo[k] = pl_round_below(lo - pad);
        b.nhi[k] = pl_round_below(-(hi + pad));
    }
    b.lo[3] = b.nhi[3] = 0;
    return b;
}

#endif
