// A pair of features with its points and bodies. Internal.

#ifndef PL_CONTACT_PAIR_H
#define PL_CONTACT_PAIR_H

#include "candidates.h"

typedef struct pl_contact_pair {
    pl_feature_pair pair;
    int32_t point[4], a, b;
} pl_contact_pair;

static inline pl_contact_pair pl_contact_pair_load(const pl_boundary *boundary,
                                                   const pl_feature_pair *pair)
{
    pl_contact_pair p = {.pair = *pair};
    pl_pair_points(boundary, pair, p.point);
    pl_pair_bodies(boundary, pair, p.point, &p.a, &p.b);
    return p;
}

static inline pl_contact_pair pl_near_pair(const pl_candidate_set *c, const pl_near *at)
{
    pl_contact_pair p = {
        .pair = pl_candidate_pair(&c->candidate[at->candidate]), .a = at->a, .b = at->b};
    memcpy(p.point, at->point, sizeof p.point);
    return p;
}

// The closest points where points are at x.
static inline pl_closest pl_contact_pair_closest(const pl_contact_pair *p, const double *x)
{
    double q[12] = {0};
    pl_closest closest;
    pl_pair_gather(p->point, x, q);
    pl_closest_points((pl_pair_kind)p->pair.kind, q, &closest);
    return closest;
}

// How far apart a pair is kept.
typedef struct pl_spacing {
    double radii;  // of both [m]
    double safety; // the safety distance beyond them [m]
} pl_spacing;

// Of bodies, and for two features of one body no more than part of what is between them at rest.
pl_spacing pl_contact_pair_spacing(const pl_boundary *boundary, const pl_contact_pair *p);

// The distance at which the pair is near, or within reach [m].
static inline double pl_spacing_near(const pl_spacing *s)
{
    return s->radii + PL_NEAR * s->safety;
}

static inline double pl_spacing_reach(const pl_spacing *s)
{
    return s->radii + PL_REACH * s->safety;
}

#endif
