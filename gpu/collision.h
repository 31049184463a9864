// Collision on a device: the trees of pl_surfaces refitted and walked, pairs of features, their
// closest points, and the continuous test. Internal.
//
// The host says which bodies may meet (their roots come back), the device finds the pairs: counted,
// scanned, filled, in an order that depends on the trees alone. Patches that cannot touch
// themselves (collision/patch.h) are not left out, so that of a body with itself there are more
// pairs than pl_surfaces_search has.

#ifndef PL_GPU_COLLISION_HOST_H
#define PL_GPU_COLLISION_HOST_H

#include "../collision/surfaces.h"
#include "gpu.h"

// Numbers of a pair of features, and of its closest points: kernels/collision.h.
enum { PL_GPU_FEATURE = 7, PL_GPU_CLOSEST = 8 };

typedef struct pl_gpu_surfaces {
    const pl_surfaces *surfaces;
    // The trees.
    pl_gpu_buffer point, corner, items, item_body, leaf_item, leaf_node, node_leaf, n_leaf, root;
    pl_gpu_buffer level_node; // inner nodes by their height
    int64_t *level;           // (n_level + 1) where they begin
    int32_t n_level;
    pl_gpu_buffer pad, smooth;                    // (n_point)
    pl_gpu_buffer point_bound, item_bound, bound; // boxes
    pl_gpu_buffer bad, count, start, part;
    pl_gpu_buffer partner_start, partner;
    pl_gpu_buffer pair, feature; // what was found
    float *box;                  // (6*n_node) what comes back of the boxes
    int32_t *host;
    int64_t host_capacity;
    int64_t n_pair, n_feature;
} pl_gpu_surfaces;

// Of the surfaces as they are; they must stay, and be created anew here after the host's trees have
// been sorted anew.
pl_status pl_gpu_surfaces_create(pl_gpu *gpu, const pl_surfaces *s, pl_gpu_surfaces *out);
void pl_gpu_surfaces_free(pl_gpu *gpu, pl_gpu_surfaces *g);

// Boxes around the motion from x0 to x1 (3*n_vert), thickened by the radius of each body and half
// of margin. Fails with PL_ERROR_NUMERICS where it is not finite. Waits.
pl_status pl_gpu_surfaces_refit(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                                const pl_gpu_buffer *x1, double margin);

// All pairs of features whose boxes meet: g->feature, g->n_feature. smooth (n_point): faces around
// such a point cannot touch each other; NULL: none is known. Waits.
pl_status pl_gpu_surfaces_search(pl_gpu *gpu, pl_gpu_surfaces *g, const uint8_t *smooth);

// Closest points (8*n) of pairs at x. Returns at once.
void pl_gpu_closest(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *feature, const pl_gpu_buffer *x,
                    const pl_gpu_buffer *closest);

// The continuous test of pairs, with separation and radii (n): pl_ccd_round, or with `halve`
// pl_ccd_vertices. "No" is the same proof as there: the same operations, rounded in the same way.
void pl_gpu_ccd(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *feature, const pl_gpu_buffer *x0,
                const pl_gpu_buffer *x1, const pl_gpu_buffer *separation,
                const pl_gpu_buffer *radii, bool halve, const pl_gpu_buffer *hit,
                const pl_gpu_buffer *time, const pl_gpu_buffer *closest);

#endif
