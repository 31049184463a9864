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
    pl_bound *point, *edge, *face;
    int64_t point_capacity, edge_capacity, face_capacity;
} pl_boxes;

void pl_boxes_free(pl_boxes *boxes); // leaves it empty

// Two features whose boxes do not overlap are farther apart than their radii and `reach` times h,
// the smaller of their bodies' edge lengths. Fails with PL_ERROR_MEMORY.
pl_status pl_boxes_set(pl_boxes *boxes, const pl_boundary *boundary, pl_boxes_of of, double reach);

static inline void pl_boxes_of_pair(const pl_boxes *boxes, const pl_feature_pair *pair,
                                    const pl_bound **a, const pl_bound **b)
{
    const pl_bound *of_b[] = {boxes->point, boxes->edge, boxes->face, boxes->edge};
    *a = (pair->kind == PL_EDGE_EDGE ? boxes->edge : boxes->point) + pair->a;
    *b = of_b[pair->kind] + pair->b;
}

static inline bool pl_boxes_overlap(const pl_boxes *boxes, const pl_feature_pair *pair)
{
    const pl_bound *a, *b;
    pl_boxes_of_pair(boxes, pair, &a, &b);
    return pl_bound_overlap(a, b);
}

#endif
