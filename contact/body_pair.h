// The bodies of candidates. Internal.

#ifndef PL_BODY_PAIR_H
#define PL_BODY_PAIR_H

#include "candidates.h"

// Two bodies, and their features of one kind of pair. Candidates that follow each other mostly have
// the same.
typedef struct pl_body_pair {
    int32_t a, b, kind;
    int32_t first[2], last[2];
} pl_body_pair;

static const pl_body_pair PL_NO_BODY_PAIR = {.kind = -1};

static inline bool pl_body_pair_has(const pl_body_pair *m, const pl_candidate *candidate)
{
    return candidate->kind == m->kind && candidate->a >= m->first[0] && candidate->a < m->last[0] &&
           candidate->b >= m->first[1] && candidate->b < m->last[1];
}

static inline pl_body_pair pl_body_pair_find(const pl_boundary *boundary,
                                             const pl_candidate *candidate)
{
    pl_feature_pair pair = pl_candidate_pair(candidate);
    int32_t point[4];
    pl_body_pair m = {.kind = pair.kind};
    pl_pair_points(boundary, &pair, point);
    pl_pair_bodies(boundary, &pair, point, &m.a, &m.b);
    const int32_t *of_a = boundary->first, *of_b = boundary->first;
    if (pair.kind == PL_EDGE_EDGE) of_a = boundary->first_edge;
    if (pair.kind == PL_EDGE_EDGE || pair.kind == PL_VERTEX_EDGE) of_b = boundary->first_edge;
    if (pair.kind == PL_VERTEX_FACE) of_b = boundary->first_face;
    m.first[0] = of_a[m.a];
    m.last[0] = of_a[m.a + 1];
    m.first[1] = of_b[m.b];
    m.last[1] = of_b[m.b + 1];
    return m;
}

#endif
