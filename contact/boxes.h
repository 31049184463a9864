// Boxes around features, to sort out the pairs that are not near. Internal.
//
// Most candidates of a search are not near in the step at hand: the search is made for many steps.
// A look at two boxes tells, for a tenth of the price of their distance.

#ifndef PL_BOXES_H
#define PL_BOXES_H

#include "contacts.h"
#include "../collision/bound.h"

// What the boxes contain.
typedef enum pl_boxes_of {
    PL_BOXES_START, // all that may get a row: features at x0, in reach and able to move as far as
                    // from x0 to x1 in any direction
    PL_BOXES_WAY,   // all that may hit: features from x0 to x1
    PL_BOXES_END,   // features at x1, in reach
} pl_boxes_of;

enum { PL_BOXES_SERIAL = 4096 }; // fewer points are done by one thread

typedef struct pl_boxes {
    const pl_boundary *boundary; // of the last set
    pl_bound *point;
    int64_t point_capacity;
} pl_boxes;

void pl_boxes_free(pl_boxes *boxes); // leaves it empty

// Two features whose boxes do not overlap are farther apart than their radii and `reach` times h,
// the smaller of their bodies' edge lengths. Fails with PL_ERROR_MEMORY.
pl_status pl_boxes_set(pl_boxes *boxes, const pl_boundary *boundary, pl_boxes_of of, double reach);

static inline pl_bound pl_boxes_edge(const pl_boxes *boxes, int32_t edge)
{
    const int32_t *p = boxes->boundary->edge + 2 * (int64_t)edge;
    return pl_bound_join(boxes->point[p[0]], boxes->point[p[1]]);
}

static inline pl_bound pl_boxes_face(const pl_boxes *boxes, int32_t face)
{
    const int32_t *p = boxes->boundary->face + 3 * (int64_t)face;
    return pl_bound_join(pl_bound_join(boxes->point[p[0]], boxes->point[p[1]]), boxes->point[p[2]]);
}

static inline bool pl_boxes_overlap(const pl_boxes *boxes, const pl_feature_pair *pair)
{
    bool edges = pair->kind == PL_EDGE_EDGE;
    pl_bound a = edges ? pl_boxes_edge(boxes, pair->a) : boxes->point[pair->a];
    pl_bound b = edges || pair->kind == PL_VERTEX_EDGE ? pl_boxes_edge(boxes, pair->b)
                 : pair->kind == PL_VERTEX_FACE        ? pl_boxes_face(boxes, pair->b)
                                                       : boxes->point[pair->b];
    return pl_bound_overlap(&a, &b);
}

#endif
