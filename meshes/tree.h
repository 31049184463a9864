// A tree of boxes around the faces of a surface, for finding neighbours in space. Internal.
//
// The shape of the tree is fixed when it is built (halves of equal count along the longest axis, so
// that n items make n - 1 inner nodes and a depth of log2 n, however they lie); the boxes may
// change afterwards. This serves a surface whose faces move and vanish but stay near where they
// were. One whose faces go farther chooses the shape again, in the same memory.

#ifndef PL_TREE_H
#define PL_TREE_H

#include "../base/team.h"

typedef struct pl_box {
    double lo[3], hi[3];
} pl_box;

typedef struct pl_tree {
    int32_t n;     // items
    pl_box *box;   // (2*n) node i has the children 2 i and 2 i + 1; the leaves are n .. 2 n - 1
    int32_t *item; // (n) of leaf n + i
    int32_t *leaf; // (n) of each item
} pl_tree;

// An item and the centre of its box, up to a common factor.
typedef struct pl_tree_centre {
    double at[3];
    int32_t item;
} pl_tree_centre;

// Called for each item found; returns false to end the search.
typedef bool pl_tree_visit(void *user, int32_t item);

static inline bool pl_boxes_overlap(const pl_box *a, const pl_box *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
           b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

static inline pl_box pl_boxes_join(const pl_box *a, const pl_box *b)
{
    pl_box r;
    for (int k = 0; k < 3; k++) {
        r.lo[k] = a->lo[k] < b->lo[k] ? a->lo[k] : b->lo[k];
        r.hi[k] = a->hi[k] > b->hi[k] ? a->hi[k] : b->hi[k];
    }
    return r;
}

// The box around the three corners of a face (indices into x).
pl_box pl_face_box(const double *x, const int32_t face[3]);

// Builds the tree over boxes (n_item), or over those of n_face faces. Only PL_ERROR_MEMORY can
// happen.
pl_status pl_tree_build_boxes(int32_t n_item, const pl_box *box, pl_tree *out);
pl_status pl_tree_build(int32_t n_face, const int32_t *face, const double *x, pl_tree *out);
void pl_tree_free(pl_tree *tree);

// The same in steps. The arrays, not yet set:
pl_status pl_tree_alloc(int32_t n_item, pl_tree *out);
// The shape, item and leaf, from the centres (n; one of each item, in any order, left in another):
void pl_tree_arrange(pl_tree *tree, pl_tree_centre *centre);
// The inner boxes, once those of the leaves are set:
void pl_tree_join(pl_tree *tree);

// Halved before the sum, so that nothing overflows.
static inline pl_tree_centre pl_box_centre(const pl_box *box, int32_t item)
{
    pl_tree_centre c = {.item = item};
    for (int k = 0; k < 3; k++) c.at[k] = 0.25 * box->lo[k] + 0.25 * box->hi[k];
    return c;
}

// Gives an item another box; an empty one (lo > hi) hides it from searches.
void pl_tree_update(pl_tree *tree, int32_t item, const pl_box *box);
void pl_tree_remove(pl_tree *tree, int32_t item);

// Visits all items whose boxes overlap `box`, touching included, in an order that depends only on
// the tree. Returns false if a visit ended it.
bool pl_tree_search(const pl_tree *tree, const pl_box *box, pl_tree_visit *visit, void *user);

// Called for an item; returns up to which bound (for pl_tree_nearest the square of a distance)
// others are still of interest.
typedef double pl_tree_approach(void *user, int32_t item);

// Visits items whose boxes are no farther from `point` than `bound`, the square of a distance,
// which each visit may lower; nearer halves first, in an order that depends only on tree and
// visits. For finding what is nearest.
void pl_tree_nearest(const pl_tree *tree, const double point[3], double bound,
                     pl_tree_approach *visit, void *user);

// Visits items whose boxes the ray origin + t direction meets (a unit vector, 0 <= t <= bound), or
// passes by no farther than rounding errors; each visit returns another bound. Boxes that it enters
// sooner come first, in an order that depends only on tree and visits.
void pl_tree_ray(const pl_tree *tree, const double origin[3], const double direction[3],
                 double bound, pl_tree_approach *visit, void *user);

#endif
