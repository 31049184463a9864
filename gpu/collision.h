// Collision on a device: the trees of pl_surfaces refitted and walked, pairs of features, their
// closest points, and the continuous test. Internal.
//
// The host says which bodies may meet, and which patches cannot touch themselves
// (collision/patch.h); the device finds the pairs: counted, scanned, filled, in an order that
// depends on the trees alone.

#ifndef PL_GPU_COLLISION_HOST_H
#define PL_GPU_COLLISION_HOST_H

#include "../collision/surfaces.h"
#include "gpu.h"

// Numbers of a pair of features, and of its closest points: kernels/collision.h.
enum { PL_GPU_FEATURE = 7, PL_GPU_CLOSEST = 8 };

typedef struct pl_gpu_surfaces {
    const pl_surfaces *surfaces;
    // The trees.
    pl_gpu_buffer point, point_body, radius, corner, items, item_body, item_leaf, leaf_item,
        leaf_node, node_leaf, n_leaf, root;
    pl_gpu_buffer level_node; // inner nodes by their height
    int64_t *level;           // (n_level + 1) where they begin
    int32_t n_level;
    pl_gpu_buffer roots;  // (n_chunk + n_body) of chunks, and of bodies
    pl_gpu_buffer wanted; // (n_body)
    pl_gpu_buffer smooth; // (n_point)
    pl_gpu_buffer leaf_patch;
    pl_gpu_buffer point_bound, item_bound, bound, cost, root_box; // boxes
    pl_gpu_buffer mark, count, start, part;
    pl_gpu_buffer partner_start, partner;
    pl_gpu_buffer pair, feature, name; // what was found
    int32_t *host;
    int64_t host_capacity;
    int64_t n_pair, n_feature;
} pl_gpu_surfaces;

// Of the surfaces as they are, which must stay.
pl_status pl_gpu_surfaces_create(pl_gpu *gpu, const pl_surfaces *s, pl_gpu_surfaces *out);
void pl_gpu_surfaces_free(pl_gpu *gpu, pl_gpu_surfaces *g);

// Takes over the items from first to before last, which were sorted anew.
pl_status pl_gpu_surfaces_take_items(pl_gpu *gpu, pl_gpu_surfaces *g, int32_t first, int32_t last);

// Boxes around the motion of points from x0 to x1 (3*n_vert), thickened by the radius of each body
// and half of margin; of the bodies in `stale` (n_body), NULL: all. *bad: the first point whose
// motion is not finite, or INT32_MAX. Waits.
pl_status pl_gpu_surfaces_move(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                               const pl_gpu_buffer *x1, double margin, const uint8_t *stale,
                               int32_t *bad);

// Boxes of items and nodes from those of points; and what is at the roots: seven numbers each of
// all chunks, and of all bodies, as pl_root_box has them. Waits.
pl_status pl_gpu_surfaces_refit(pl_gpu *gpu, pl_gpu_surfaces *g, float *root);

// The points that leave their boxes on the way from x0 to x1: *list (*n), until the next call.
// Waits.
pl_status pl_gpu_surfaces_leaving(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                                  const pl_gpu_buffer *x1, int32_t *n, const int32_t **list);

// All pairs of features whose boxes meet, of the trees of the surfaces' tasks, but for those within
// a patch of leaf_patch (n_leaf), or of faces around a point that is smooth (n_point): g->feature,
// g->n_feature. Waits.
pl_status pl_gpu_surfaces_search(pl_gpu *gpu, pl_gpu_surfaces *g, const int32_t *leaf_patch,
                                 const uint8_t *smooth);

// Kinds and features of these pairs, three numbers each: *name, until the next call. Waits.
pl_status pl_gpu_surfaces_names(pl_gpu *gpu, pl_gpu_surfaces *g, const int32_t **name);

// Closest points (8*n) of pairs at x. pair (stride*n): the kind first, four vertices last. Returns
// at once.
void pl_gpu_closest(pl_gpu *gpu, int64_t n, int32_t stride, const pl_gpu_buffer *pair,
                    const pl_gpu_buffer *x, const pl_gpu_buffer *closest);

// The continuous test of pairs, with separation and radii (n): pl_ccd_round, or with `halve`
// pl_ccd_vertices. "No" is the same proof as there: the same operations, rounded in the same way.
void pl_gpu_ccd(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *feature, const pl_gpu_buffer *x0,
                const pl_gpu_buffer *x1, const pl_gpu_buffer *separation,
                const pl_gpu_buffer *radii, bool halve, const pl_gpu_buffer *hit,
                const pl_gpu_buffer *time, const pl_gpu_buffer *closest);

// pl_pair_impact of pairs (5*n: kind and vertices), with separation and radii (n): hit (n bytes).
// `flat`, `round`: some have no radii, or have. Returns at once.
void pl_gpu_hit(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *pair, const pl_gpu_buffer *x0,
                const pl_gpu_buffer *x1, const pl_gpu_buffer *separation,
                const pl_gpu_buffer *radii, bool flat, bool round, const pl_gpu_buffer *hit);

#endif
