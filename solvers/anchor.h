// A point of any body, as blocks of velocities move it. Internal.
//
// A vertex moves with its own block; a point inside of a tet or a face with those of the corners,
// by their weights; a point of a rigid body with the block of its centre and, through the lever arm
// from there, that of its turning; a point of the world not at all. Joints, contacts and
// attachments are made between such points, whatever they belong to.

#ifndef PL_ANCHOR_H
#define PL_ANCHOR_H

#include "problem.h"

enum { PL_ANCHOR_TERMS = 5 }; // at most

typedef struct pl_anchor {
    int32_t n;        // blocks that carry it: 0 for a point of the world
    int32_t block[4]; // (n)
    double weight[4]; // (n) they add up to 1
    int32_t angular;  // the block of an angular velocity, -1 without
    double arm[3];    // from the centre that turns to the point [m]
} pl_anchor;

static inline pl_anchor pl_anchor_world(void)
{
    return (pl_anchor){.angular = -1};
}

static inline pl_anchor pl_anchor_vertex(int32_t block)
{
    return (pl_anchor){.n = 1, .block = {block}, .weight = {1}, .angular = -1};
}

// The point x of a rigid body with its centre at `centre`. `block` is that of the centre; that of
// the turning follows it.
static inline pl_anchor pl_anchor_rigid(int32_t block, const double centre[3], const double x[3])
{
    return (pl_anchor){.n = 1,
                       .block = {block},
                       .weight = {1},
                       .angular = block + 1,
                       .arm = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]}};
}

// The terms of w times the point's velocity; returns how many.
static inline int32_t pl_anchor_terms(const pl_anchor *a, double w, pl_term *term)
{
    int32_t n = 0;
    for (; n < a->n; n++) term[n] = (pl_term){.block = a->block[n], .w = w * a->weight[n]};
    if (a->angular < 0) return n;
    term[n] = (pl_term){.block = a->angular, .r = {w * a->arm[0], w * a->arm[1], w * a->arm[2]}};
    return n + 1;
}

// Its velocity, by those of the blocks v (3 each).
static inline void pl_anchor_velocity(const pl_anchor *a, const double *v, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a->n > 0 ? a->weight[0] * v[3 * (int64_t)a->block[0] + k] : 0;
        for (int i = 1; i < a->n; i++) out[k] += a->weight[i] * v[3 * (int64_t)a->block[i] + k];
    }
    if (a->angular < 0) return;
    const double *w = v + 3 * (int64_t)a->angular, *r = a->arm;
    out[0] += w[1] * r[2] - w[2] * r[1];
    out[1] += w[2] * r[0] - w[0] * r[2];
    out[2] += w[0] * r[1] - w[1] * r[0];
}

#endif
