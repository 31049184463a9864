// All pairs of faces that meet, of bodies whose vertices move. Exact. Internal.
//
// A body is a set of faces. Each has a tree of boxes over its faces, and all bodies together have
// one over theirs. The faces around hubs (fans.h) have a tree of their own, because a search for
// pairs must not enter it. Vertices may move: the boxes follow, and a tree whose faces have been
// mixed up is arranged again; nothing is allocated.

#ifndef PL_PAIRS_H
#define PL_PAIRS_H

#include "fans.h"
#include "mesh.h"
#include "tree.h"

// With no more faces than this in all, one thread is the fastest.
enum { PL_SMALL_SCENE = 1024 };

// The faces of a body that belong to fans, or those that do not.
typedef struct pl_patch {
    int32_t body;
    bool hubs;
    int32_t first;        // item i of the tree is the face pl_pairs.face[first + i]
    pl_tree tree;         // its arrays are inside those of pl_pairs
    double inner, leaves; // summed extents of the boxes when it was arranged
} pl_patch;

// May faces of bodies a <= b meet without being listed?
typedef bool pl_pair_filter(const void *user, int32_t a, int32_t b);

typedef struct pl_pairs {
    const pl_mesh *mesh;
    const int32_t *body; // (n_face) the body of each face; negative: left out
    int32_t n_body;
    pl_pair_filter *excluded; // NULL: no pair of bodies is
    const void *user;         // of the filter

    int32_t n_patch;
    pl_patch *patch;      // (n_patch) ascending by body
    int32_t *first_patch; // (n_body + 1) those of body b: first_patch[b] .. first_patch[b + 1]
    int32_t *first_block; // (n_patch + 1) the blocks of patch p, see pl_pairs_block
    int32_t *face;        // (n) all faces that are not left out, by patch, ascending
    pl_tree faces;        // (n) the arrays of all trees
    pl_tree_centre *room; // (n)
    pl_tree bodies;       // over those that have faces
    int32_t *present;     // (bodies.n) item i of the tree is the body present[i]
    pl_fans fans;
    bool fitted; // at least once

    int32_t *pair; // (2*n_pair) what was found: faces, the smaller first, sorted
    int64_t n_pair, capacity;
    bool more;         // there are more than PL_INTERSECTIONS_MAX; these are some of them
    _Atomic bool over; // for all threads: there are, or memory is out
    pl_status status;
} pl_pairs;

// `mesh` and `body` (n_face; below n_body) must outlive the pairs. Call pl_pairs_fit before
// anything else. Only PL_ERROR_MEMORY can happen.
pl_status pl_pairs_build(const pl_mesh *mesh, const int32_t *body, int32_t n_body, pl_pairs *out);
void pl_pairs_free(pl_pairs *pairs);

// Moves the boxes to where the vertices of the mesh are now.
void pl_pairs_fit(pl_pairs *pairs);

// Finds the pairs of faces for which pl_faces_meet holds, the same for any number of threads. Only
// PL_ERROR_MEMORY can happen.
pl_status pl_pairs_find(pl_pairs *pairs);

// A patch is worked on in blocks, one for a thread at a time: the nodes of its tree at the level
// where some hundred leaves are below each. Block k, below first_block[n_patch], is this node of
// this patch.
const pl_patch *pl_pairs_block(const pl_pairs *pairs, int32_t k, int32_t *node);

static inline int32_t pl_patch_face(const pl_pairs *pairs, const pl_patch *patch, int32_t item)
{
    return pairs->face[patch->first + item];
}

static inline bool pl_bodies_excluded(const pl_pairs *pairs, int32_t a, int32_t b)
{
    return pairs->excluded != NULL && pairs->excluded(pairs->user, PL_MIN(a, b), PL_MAX(a, b));
}

// Half the sum of the edges of a box: its size.
static inline double pl_box_extent(const pl_box *box)
{
    return (0.5 * box->hi[0] - 0.5 * box->lo[0]) + (0.5 * box->hi[1] - 0.5 * box->lo[1]) +
           (0.5 * box->hi[2] - 0.5 * box->lo[2]);
}

#endif
