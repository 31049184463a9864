// The surfaces behind pl_surfaces: features, trees, and what a search leaves behind. Internal.
//
// Every collider has a binary tree over its items (triangles, edges and points by themselves). Four
// items make a leaf; a tree of n leaves has 2 n - 1 nodes in preorder, split in halves of equal
// count, so that a node needs no pointers: of a node with n leaves the left child follows at once
// with n / 2 of them, and the right child comes 2 (n / 2) nodes after the node. A subtree is a run
// of nodes and a run of leaves, which can be refitted, sorted anew and searched by itself.

#ifndef PL_SURFACES_H
#define PL_SURFACES_H

#include "../base/team.h"
#include "bound.h"

enum {
    PL_LEAF_ITEMS = 4,
    PL_CHUNK_LEAVES =
        256,             // subtrees up to this size are the unit of parallel work and of rebuilding
    PL_PATCH_LEAVES = 4, // smaller subtrees are not tested as patches
};

typedef enum pl_item_kind { PL_ITEM_POINT = 1, PL_ITEM_EDGE = 2, PL_ITEM_FACE = 3 } pl_item_kind;

// A pair of features appears in the items of many faces; it is found once because each point and
// each edge is owned by one item.
typedef struct pl_item {
    int32_t point[3]; // its corners, the last one repeated for edges and points
    int32_t edge[3];  // of a face: corner k to corner k + 1; of an edge: itself first; else -1
    int32_t id;       // face, edge or point
    uint8_t kind;
    uint8_t own; // bit k: its corner k; bit 3 + k: its edge k
} pl_item;

// An item's or a body's middle, for sorting.
typedef struct pl_key {
    float middle[3];
    int32_t index;
} pl_key;

typedef struct pl_subtree {
    int32_t node, leaf, n_leaf; // first ones
} pl_subtree;

static inline pl_subtree pl_subtree_left(pl_subtree t)
{
    return (pl_subtree){t.node + 1, t.leaf, t.n_leaf / 2};
}

static inline pl_subtree pl_subtree_right(pl_subtree t)
{
    int32_t left = t.n_leaf / 2;
    return (pl_subtree){t.node + 2 * left, t.leaf + left, t.n_leaf - left};
}

typedef struct pl_surface_body {
    pl_subtree tree;
    int32_t point, n_point; // if its points stand together; else n_point is 0
    int32_t item, n_item;   // items of its leaves; the last leaf may be short
    int32_t chunk, n_chunk;
    double radius;
    bool fixed, self;
    uint32_t category, mask;
    int32_t group;
    float cost; // of the nodes above the chunks, just after they were built
} pl_surface_body;

// A subtree of at most PL_CHUNK_LEAVES leaves.
typedef struct pl_chunk {
    pl_subtree tree;
    int32_t body;
    float cost;       // just after it was built, see bvh.c; 0: not measured yet
    int32_t *outline; // of its subtrees, one after another, see patch.c
    int64_t n_outline, outline_capacity;
} pl_chunk;

typedef struct pl_pair {
    int32_t a, b;
} pl_pair;

// Kinds of pairs as in pl_pair_kind, and one more for blocks: a chunk and a node of it that cannot
// touch itself.
enum { PL_PAIR_KINDS = PL_EDGE_EDGE + 1, PL_PAIR_PATCH = PL_PAIR_KINDS, PL_BLOCK_KINDS };

// Pairs in blocks, so that threads can add without moving what others wrote.
enum { PL_BLOCK_PAIRS = 2048 };
typedef struct pl_pair_block {
    int32_t kind, n;
    pl_pair pair[PL_BLOCK_PAIRS];
} pl_pair_block;

// Two subtrees to be searched for pairs, or one within itself (a.node = b.node).
typedef struct pl_task {
    pl_subtree a, b;
} pl_task;

typedef struct pl_collision_device pl_collision_device; // device.h

struct pl_surfaces {
    int32_t n_vert, n_face, n_edge, n_point, n_body, n_item, n_leaf, n_node, n_chunk;
    int32_t *point;      // (n_point) the vertices in use, ascending
    int32_t *point_body; // (n_point)
    int32_t *edge;       // (2*n_edge) vertices
    int32_t *edge_point; // (2*n_edge) the same as points
    pl_item *item;       // (n_item) in the order of the leaves
    int32_t *leaf_item;  // (n_leaf + 1) the first item of each leaf
    int32_t *leaf_chunk; // (n_leaf)
    pl_surface_body *body;
    bool together; // the points of each body stand together
    pl_chunk *chunk;
    int32_t *fan;       // (n_point + 1) the faces around point p are fan[p] .. fan[p + 1] - 1
    int32_t *fan_point; // (2 per face of a point) the other corners, in the order of the face
    pl_pair *ignored;   // (n_ignored) bodies that are never paired, sorted
    int64_t n_ignored, ignored_capacity;

    // Boxes of the motion.
    pl_bound *point_bound; // (n_point)
    pl_bound *item_bound;  // (n_item)
    pl_bound *node_bound;  // (n_node)
    int32_t *node_outline; // (n_node) where its outline begins in its chunk's, -1 if it has none
    const double *x0, *x1; // (3*n_vert) start and end of the motion, borrowed for one call
    const uint8_t *stale;  // (n_body) which bodies are searched for, NULL: all; borrowed likewise
    double margin;         // [m]
    uint8_t *smooth;       // (n_point) the faces around it cannot touch each other, see patch.h
    float *fan_room;       // (n_point) and will not while its fan differs by less from that of ...
    double *fan_x;         // (3*n_point) ... the last search, where points were here

    // The search.
    bool searched; // the boxes and blocks below belong to s->margin
    pl_key *key;   // (n_body) scratch for the tree over the bodies
    pl_bound *top; // (2*n_body) that tree
    pl_task *task; // where the work is cut for the threads
    int64_t n_task, task_capacity;
    pl_task *split;
    int64_t split_capacity;
    pl_pair_block **block; // (n_block_all) of which the first n_block hold pairs
    int64_t n_block, n_block_all, block_capacity;
    uint8_t *grown;               // (n_point) scratch
    int32_t *count;               // (max(n_point, n_edge) + 1) scratch for sorting
    pl_pair *list[PL_PAIR_KINDS]; // the result, see pl_candidates
    int64_t n_list[PL_PAIR_KINDS], list_capacity[PL_PAIR_KINDS];

    // With a device, see device.h.
    pl_collision_device *device; // NULL: the CPU does everything
    bool behind;                 // the boxes of items and nodes are not those of the points
    int32_t sorted[2];           // items from here to there were sorted since it took them
    struct pl_root_box *root;    // (n_chunk + n_body) scratch
    int32_t *leaf_patch;         // (n_leaf) scratch
    int64_t root_capacity, leaf_patch_capacity;
};

// Notes that the items of a subtree have another order.
static inline void pl_surfaces_note_sorted(pl_surfaces *s, int32_t first, int32_t last)
{
    s->sorted[0] = s->sorted[0] < first ? s->sorted[0] : first;
    s->sorted[1] = s->sorted[1] > last ? s->sorted[1] : last;
}

static inline bool pl_is_stale(const pl_surfaces *s, int32_t body)
{
    return s->stale == NULL || s->stale[body];
}

// Marks in `stale` (n_body) the bodies with points that leave their boxes on the way from x0 to x1,
// besides those that are marked already. Returns how many there are in all. For the others
// pl_surfaces_grow has nothing to add but what it finds in patches.
int32_t pl_surfaces_stale(pl_surfaces *s, const double *x0, const double *x1, uint8_t *stale);

// The next two are pl_surfaces_search and pl_surfaces_extend in parts; the points of each body must
// stand together. They hand out only what is new, and what was handed out before is forgotten, so
// that pl_surfaces_extend may follow pl_surfaces_search only.
//
// Searches for the bodies that are marked, and pairs them with all. Boxes of others, and the pairs
// between them, stay as they were found. *out are the pairs of the bodies that are marked.
pl_status pl_surfaces_renew(pl_surfaces *s, const double *x0, const double *x1, double margin,
                            const uint8_t *stale, pl_candidates *out);

// Marks the bodies that need more for the way from x0 to x1. *out are pairs that this adds; some
// may not be new.
pl_status pl_surfaces_grow(pl_surfaces *s, const double *x0, const double *x1, uint8_t *stale,
                           pl_candidates *out);

// The order of the trees, which a search has to start from to leave out the same patches: `state`
// has pl_surfaces_state_size bytes; when it is set it may stand at any address. Setting fails with
// PL_ERROR_FORMAT if it is of other surfaces, or PL_ERROR_MEMORY; the surfaces are then of no use.
size_t pl_surfaces_state_size(const pl_surfaces *s);
void pl_surfaces_get_state(const pl_surfaces *s, void *state);
pl_status pl_surfaces_set_state(pl_surfaces *s, const void *state);

#endif
