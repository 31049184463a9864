// A device that does the heavy passes over surfaces in place of the CPU (../gpu): boxes around the
// motion of points, the search for pairs, and the continuous test of those that may come too near.
// Internal.
//
// It rounds as the CPU does, so that boxes, pairs and hits are the same, to the bit, and so is what
// decides whether a tree is sorted anew, which the CPU does. Where it fails the CPU does its work,
// from then on, and a warning says so.

#ifndef PL_COLLISION_DEVICE_H
#define PL_COLLISION_DEVICE_H

#include "surfaces.h"

struct pl_device; // ../solvers/device.h

// A pair to be tested on its way, see pl_pair_impact.
typedef struct pl_tested_pair {
    int32_t kind, vertex[4]; // pl_pair_kind; of kinds with fewer vertices some are repeated
    double separation, radii;
} pl_tested_pair;

// What a tree has at its root, and the sum of the areas of its inner nodes.
typedef struct pl_root_box {
    float side[6]; // the lower corner, and the upper one negated [m]
    float cost;    // [m^2]
} pl_root_box;

struct pl_collision_device {
    void (*close)(pl_collision_device *device);
    // Boxes of the points of the bodies of s->stale, from s->x0 to s->x1, thickened as pl_bvh_move
    // says: to s->point_bound, too. *bad: the first point whose motion is not finite, or INT32_MAX.
    pl_status (*move)(pl_collision_device *device, pl_surfaces *s, int32_t *bad);
    // Boxes of items and nodes from those of points; the roots of all chunks, and of all bodies
    // without what is in the chunks. Items that were sorted anew since are taken over first.
    pl_status (*refit)(pl_collision_device *device, pl_surfaces *s, pl_root_box *chunk,
                       pl_root_box *body);
    // The points that leave their boxes on the way from s->x0 to s->x1: *list (*n), the device's.
    pl_status (*leaving)(pl_collision_device *device, const pl_surfaces *s, int32_t *n,
                         const int32_t **list);
    // Takes over boxes of points that the CPU has extended.
    pl_status (*take_boxes)(pl_collision_device *device, const pl_surfaces *s);
    // The pairs of the trees that s->task has, without those within a patch: leaf_patch (n_leaf),
    // a node or -1. *name (3*n) are their kinds and features, the device's.
    pl_status (*search)(pl_collision_device *device, const pl_surfaces *s,
                        const int32_t *leaf_patch, int64_t *n, const int32_t **name);
    // hit[i]: the pair comes too near on the way from x0 to x1 (3*n_vert).
    pl_status (*test)(pl_collision_device *device, const double *x0, const double *x1, int64_t n,
                      const pl_tested_pair *pair, uint8_t *hit);
    // Closest points of pairs where points are at x (3*n_vert). pair (5*n): kind and vertices.
    pl_status (*closest)(pl_collision_device *device, const double *x, int64_t n,
                         const int32_t *pair, pl_closest *out);
    bool lost; // it has failed, and is not asked again
};

// For the surfaces s as they are. `device` must outlive it.
pl_status pl_collision_device_open(struct pl_device *device, const pl_surfaces *s,
                                   pl_collision_device **out);

// Lets a device do the work on surfaces until they are destroyed. Without memory there the CPU does
// it, with a warning.
pl_status pl_surfaces_use(pl_surfaces *s, struct pl_device *device);

// Which pairs come too near on the way from x0 to x1 (3*n_vert): hit (n). By the device if there is
// one, else by all threads.
void pl_surfaces_test(pl_surfaces *s, const double *x0, const double *x1, int64_t n,
                      const pl_tested_pair *pair, uint8_t *hit);

// Closest points of pairs at x (3*n_vert), likewise: out (n). pair (5*n): the kind, and the
// vertices as pl_pair_kind says; of kinds with fewer than four some are repeated.
void pl_surfaces_closest(pl_surfaces *s, const double *x, int64_t n, const int32_t *pair,
                         pl_closest *out);

// Is the device to be asked?
static inline bool pl_surfaces_has_device(const pl_surfaces *s)
{
    return s->device != NULL && !s->device->lost;
}

// Has it done what it was asked? If not it is lost.
bool pl_collision_device_did(pl_collision_device *device, pl_status status);

#endif
