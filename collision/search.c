// Finding pairs of features whose boxes overlap.

#include "search.h"
#include "bvh.h"
#include "device.h"
#include "patch.h"

#include <pthread.h>
#include <string.h>

enum {
    STACK = 128,           // two trees of 2^31 leaves each are not as deep
    TASKS = 256,           // about this many pieces of work
    TASK_LEAVES_MIN = 64,  // but none smaller than this
    SEARCH_SERIAL = 512,   // fewer leaves are searched by one thread
    PAIRS_PER_ITEM = 1000, // more than this on average, and it is no scene but a heap of copies
    PAIRS_MIN = 10000000,
    PAIRS_MAX = 200000000,
};

// --- Where pairs go ---

// What one thread has open.
typedef struct sink {
    pl_surfaces *s;
    pl_pair_block *block[PL_BLOCK_KINDS];
    bool failed;
} sink;

static int64_t max_blocks(const pl_surfaces *s)
{
    int64_t n = PL_MIN((int64_t)PAIRS_PER_ITEM * s->n_item + PAIRS_MIN, PAIRS_MAX);
    return n / PL_BLOCK_PAIRS + (int64_t)PL_BLOCK_KINDS * PL_MAX_THREADS;
}

static pl_status grow_blocks(pl_surfaces *s, int64_t n)
{
    PL_TRY(pl_reserve((void **)&s->block, &s->block_capacity, n, sizeof *s->block));
    while (s->n_block_all < n) {
        pl_pair_block *block = pl_alloc(1, sizeof *block);
        if (block == NULL) return PL_ERROR_MEMORY;
        s->block[s->n_block_all++] = block;
    }
    return PL_OK;
}

// A block serves for thousands of pairs: threads seldom meet here.
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static pl_pair_block *take_block(sink *to, int kind)
{
    pl_surfaces *s = to->s;
    pl_pair_block *block = NULL;
    pthread_mutex_lock(&blocks_lock);
    bool room = s->n_block < max_blocks(s);
    if (room && grow_blocks(s, s->n_block + 1) == PL_OK) block = s->block[s->n_block++];
    pthread_mutex_unlock(&blocks_lock);
    to->failed = to->failed || block == NULL;
    to->block[kind] = block;
    if (block != NULL) {
        block->kind = kind;
        block->n = 0;
    }
    return block;
}

static inline void add(sink *to, int kind, int32_t a, int32_t b)
{
    pl_pair_block *block = to->block[kind];
    if (block == NULL || block->n == PL_BLOCK_PAIRS) {
        if (to->failed || (block = take_block(to, kind)) == NULL) return;
    }
    block->pair[block->n++] = (pl_pair){a, b};
}

// --- Two items ---

static inline bool has_corner(const pl_item *item, int32_t point)
{
    return item->point[0] == point || item->point[1] == point || item->point[2] == point;
}

static inline pl_bound edge_bound(const pl_surfaces *s, int32_t edge)
{
    const int32_t *p = s->edge_point + 2 * (int64_t)edge;
    return pl_bound_join(s->point_bound[p[0]], s->point_bound[p[1]]);
}

// Bit k: the item owns its corner k, and the box around its motion meets `box`.
static inline unsigned corners_meeting(const pl_surfaces *s, const pl_item *item,
                                       const pl_bound *box)
{
    unsigned bits = 0;
    for (int k = 0; k < 3; k++) {
        bits |= (unsigned)pl_bound_overlap(&s->point_bound[item->point[k]], box) << k;
    }
    return bits & item->own & 7;
}

// The same for its edges.
static inline unsigned edges_meeting(const pl_surfaces *s, const pl_item *item, const pl_bound *box)
{
    unsigned bits = 0;
    const pl_bound *p[3];
    for (int k = 0; k < 3; k++) p[k] = &s->point_bound[item->point[k]];
    for (int k = 0; k < 3; k++) {
        pl_bound edge = pl_bound_join(*p[k], *p[(k + 1) % 3]);
        bits |= (unsigned)pl_bound_overlap(&edge, box) << k;
    }
    return bits & item->own >> 3;
}

// Points of `a` with the face that b is.
static inline void pair_points(sink *to, const pl_item *a, const pl_item *b, const pl_bound *box)
{
    unsigned bits = corners_meeting(to->s, a, box);
    for (; bits != 0; bits &= bits - 1) {
        int32_t p = a->point[__builtin_ctz(bits)];
        if (!has_corner(b, p)) add(to, PL_VERTEX_FACE, p, b->id);
    }
}

static inline void pair_two_edges(sink *to, int32_t e, int32_t f)
{
    const pl_surfaces *s = to->s;
    const int32_t *p = s->edge_point + 2 * (int64_t)e, *q = s->edge_point + 2 * (int64_t)f;
    if (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]) return;
    pl_bound eb = edge_bound(s, e), fb = edge_bound(s, f);
    if (pl_bound_overlap(&eb, &fb)) add(to, PL_EDGE_EDGE, PL_MIN(e, f), PL_MAX(e, f));
}

// Few edges reach into the other item's box, so these are sorted out on both sides first.
static inline void pair_edges(sink *to, const pl_item *a, const pl_item *b, const pl_bound *box_a,
                              const pl_bound *box_b)
{
    unsigned of_a = edges_meeting(to->s, a, box_b);
    if (of_a == 0) return;
    unsigned of_b = edges_meeting(to->s, b, box_a);
    for (; of_a != 0; of_a &= of_a - 1) {
        for (unsigned bits = of_b; bits != 0; bits &= bits - 1) {
            pair_two_edges(to, a->edge[__builtin_ctz(of_a)], b->edge[__builtin_ctz(bits)]);
        }
    }
}

// A point by itself with the edges of another item.
static void pair_point_edges(sink *to, const pl_item *a, const pl_item *b)
{
    const pl_surfaces *s = to->s;
    int32_t p = a->point[0];
    for (int m = 0; m < 3; m++) {
        if ((b->own >> (3 + m) & 1) == 0 || has_corner(b, p)) continue;
        pl_bound fb = edge_bound(s, b->edge[m]);
        if (pl_bound_overlap(&s->point_bound[p], &fb)) {
            add(to, PL_VERTEX_EDGE, p, b->edge[m]);
        }
    }
}

// The corners that an item owns with the edge by itself that b is. Two edges say all about how near
// they are; where they are parallel, or one stands on the other, their ends say where they touch.
static void pair_corners_edge(sink *to, const pl_item *a, const pl_item *b, const pl_bound *box)
{
    if ((b->own >> 3 & 1) == 0) return;
    unsigned bits = corners_meeting(to->s, a, box);
    for (; bits != 0; bits &= bits - 1) {
        int32_t p = a->point[__builtin_ctz(bits)];
        if (!has_corner(b, p)) add(to, PL_VERTEX_EDGE, p, b->edge[0]);
    }
}

// Two faces of a fan that cannot touch itself.
static inline bool smooth_neighbours(const pl_surfaces *s, const pl_item *a, const pl_item *b)
{
    if (a->kind != PL_ITEM_FACE || b->kind != PL_ITEM_FACE) return false;
    for (int k = 0; k < 3; k++) {
        if (has_corner(b, a->point[k]) && s->smooth[a->point[k]]) return true;
    }
    return false;
}

// Distances between the features listed here are all that two items need: the closest points of two
// edges may be their ends, so that edges by themselves need no points; only where a point by itself
// is involved, nothing else speaks for its side.
static void pair_items(sink *to, int32_t i, int32_t j)
{
    const pl_surfaces *s = to->s;
    const pl_item *a = &s->item[i], *b = &s->item[j];
    const pl_bound *box_a = &s->item_bound[i], *box_b = &s->item_bound[j];
    if (smooth_neighbours(s, a, b)) return;
    if (b->kind == PL_ITEM_FACE) pair_points(to, a, b, box_b);
    if (a->kind == PL_ITEM_FACE) pair_points(to, b, a, box_a);
    if (a->kind != PL_ITEM_POINT && b->kind != PL_ITEM_POINT) {
        pair_edges(to, a, b, box_a, box_b);
        if (b->kind == PL_ITEM_EDGE) pair_corners_edge(to, a, b, box_b);
        if (a->kind == PL_ITEM_EDGE) pair_corners_edge(to, b, a, box_a);
        return;
    }
    if (a->kind != PL_ITEM_POINT || b->kind != PL_ITEM_POINT) {
        if (a->kind == PL_ITEM_EDGE) pair_point_edges(to, b, a);
        if (b->kind == PL_ITEM_EDGE) pair_point_edges(to, a, b);
        return;
    }
    int32_t p = PL_MIN(a->id, b->id), q = PL_MAX(a->id, b->id);
    if (p != q) add(to, PL_VERTEX_VERTEX, p, q);
}

// --- Trees ---

static void pair_leaves(sink *to, pl_subtree a, pl_subtree b)
{
    const pl_surfaces *s = to->s;
    for (int32_t i = s->leaf_item[a.leaf]; i < s->leaf_item[a.leaf + 1]; i++) {
        if (!pl_bound_overlap(&s->item_bound[i], &s->node_bound[b.node])) continue;
        for (int32_t j = s->leaf_item[b.leaf]; j < s->leaf_item[b.leaf + 1]; j++) {
            if (pl_bound_overlap(&s->item_bound[i], &s->item_bound[j])) pair_items(to, i, j);
        }
    }
}

static void search_two(sink *to, pl_subtree a, pl_subtree b)
{
    const pl_bound *box = to->s->node_bound;
    pl_task stack[STACK];
    int n = 0;
    stack[n++] = (pl_task){a, b};
    while (n > 0) {
        pl_task t = stack[--n];
        if (!pl_bound_overlap(&box[t.a.node], &box[t.b.node])) continue;
        if (t.a.n_leaf == 1 && t.b.n_leaf == 1) {
            pair_leaves(to, t.a, t.b);
        } else if (t.a.n_leaf >= t.b.n_leaf) {
            stack[n++] = (pl_task){pl_subtree_right(t.a), t.b};
            stack[n++] = (pl_task){pl_subtree_left(t.a), t.b};
        } else {
            stack[n++] = (pl_task){t.a, pl_subtree_right(t.b)};
            stack[n++] = (pl_task){t.a, pl_subtree_left(t.b)};
        }
    }
}

static void search_one(sink *to, pl_subtree tree)
{
    pl_surfaces *s = to->s;
    if (tree.n_leaf == 1) {
        int32_t first = s->leaf_item[tree.leaf], last = s->leaf_item[tree.leaf + 1];
        for (int32_t i = first; i < last; i++) {
            for (int32_t j = i + 1; j < last; j++) {
                if (pl_bound_overlap(&s->item_bound[i], &s->item_bound[j])) pair_items(to, i, j);
            }
        }
    } else if (pl_patch_smooth(s, tree)) {
        add(to, PL_PAIR_PATCH, s->leaf_chunk[tree.leaf], tree.node);
    } else {
        search_one(to, pl_subtree_left(tree));
        search_one(to, pl_subtree_right(tree));
        search_two(to, pl_subtree_left(tree), pl_subtree_right(tree));
    }
}

// --- Bodies ---

bool pl_surfaces_paired(const pl_surfaces *s, int32_t a, int32_t b)
{
    const pl_surface_body *p = &s->body[a], *q = &s->body[b];
    if (a == b) return p->self && !p->fixed;
    if ((p->fixed && q->fixed) || (p->category & q->mask) == 0 || (q->category & p->mask) == 0) {
        return false;
    }
    if (p->group != 0 && p->group == q->group) return false;
    pl_pair pair = {PL_MIN(a, b), PL_MAX(a, b)};
    int64_t lo = 0, hi = s->n_ignored;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        const pl_pair *at = &s->ignored[mid];
        if (at->a == pair.a && at->b == pair.b) return false;
        bool below = at->a < pair.a || (at->a == pair.a && at->b < pair.b);
        if (below) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return true;
}

static pl_status add_task(pl_surfaces *s, pl_subtree a, pl_subtree b)
{
    if (s->n_task == s->task_capacity) {
        PL_TRY(pl_reserve((void **)&s->task, &s->task_capacity, s->n_task + 1, sizeof *s->task));
    }
    s->task[s->n_task++] = (pl_task){a, b};
    return PL_OK;
}

// The tree over the bodies, made anew each time: s->key in order, s->top its nodes.
static void build_top(pl_surfaces *s, pl_subtree t)
{
    if (t.n_leaf == 1) {
        s->top[t.node] = s->node_bound[s->body[s->key[t.leaf].index].tree.node];
        return;
    }
    pl_subtree left = pl_subtree_left(t), right = pl_subtree_right(t);
    pl_keys_split(s->key + t.leaf, t.n_leaf, left.n_leaf);
    build_top(s, left);
    build_top(s, right);
    s->top[t.node] = pl_bound_join(s->top[left.node], s->top[right.node]);
}

static pl_status pair_bodies(pl_surfaces *s, pl_subtree a, pl_subtree b)
{
    if (!pl_bound_overlap(&s->top[a.node], &s->top[b.node])) return PL_OK;
    if (a.n_leaf == 1 && b.n_leaf == 1) {
        int32_t i = s->key[a.leaf].index, j = s->key[b.leaf].index;
        bool wanted = pl_is_stale(s, i) || pl_is_stale(s, j);
        if (!wanted || !pl_surfaces_paired(s, i, j)) return PL_OK;
        return add_task(s, s->body[i].tree, s->body[j].tree);
    }
    if (a.n_leaf >= b.n_leaf) {
        PL_TRY(pair_bodies(s, pl_subtree_left(a), b));
        return pair_bodies(s, pl_subtree_right(a), b);
    }
    PL_TRY(pair_bodies(s, a, pl_subtree_left(b)));
    return pair_bodies(s, a, pl_subtree_right(b));
}

static pl_status pair_bodies_within(pl_surfaces *s, pl_subtree t)
{
    if (t.n_leaf == 1) {
        int32_t i = s->key[t.leaf].index;
        if (!pl_is_stale(s, i) || !pl_surfaces_paired(s, i, i)) return PL_OK;
        return add_task(s, s->body[i].tree, s->body[i].tree);
    }
    PL_TRY(pair_bodies_within(s, pl_subtree_left(t)));
    PL_TRY(pair_bodies_within(s, pl_subtree_right(t)));
    return pair_bodies(s, pl_subtree_left(t), pl_subtree_right(t));
}

pl_status pl_search_tasks(pl_surfaces *s)
{
    int32_t n = 0;
    for (int32_t b = 0; b < s->n_body; b++) {
        if (s->body[b].tree.n_leaf == 0) continue;
        const pl_bound *box = &s->node_bound[s->body[b].tree.node];
        for (int k = 0; k < 3; k++) s->key[n].middle[k] = (box->lo[k] - box->nhi[k]) / 2;
        s->key[n++].index = b;
    }
    s->n_task = 0;
    if (n == 0) return PL_OK;
    pl_subtree all = {0, 0, n};
    build_top(s, all);
    return pair_bodies_within(s, all);
}

// --- Work for the threads ---

// Replaces a task by those one level below it.
static pl_status split_task(pl_surfaces *s, pl_task t)
{
    if (t.a.node == t.b.node) {
        pl_subtree left = pl_subtree_left(t.a), right = pl_subtree_right(t.a);
        PL_TRY(add_task(s, left, left));
        PL_TRY(add_task(s, right, right));
        return add_task(s, left, right);
    }
    if (!pl_bound_overlap(&s->node_bound[t.a.node], &s->node_bound[t.b.node])) return PL_OK;
    bool first = t.a.n_leaf >= t.b.n_leaf;
    pl_subtree larger = first ? t.a : t.b, other = first ? t.b : t.a;
    PL_TRY(add_task(s, pl_subtree_left(larger), other));
    return add_task(s, pl_subtree_right(larger), other);
}

// Splits tasks until each is a small part of the whole. Patches are found within chunks, so a tree
// within itself is not split below that.
static pl_status split_tasks(pl_surfaces *s)
{
    int32_t most = PL_MAX(s->n_leaf / TASKS, TASK_LEAVES_MIN);
    for (bool again = true; again;) {
        again = false;
        PL_TRY(pl_reserve((void **)&s->split, &s->split_capacity, s->n_task, sizeof *s->split));
        int64_t n = s->n_task;
        for (int64_t i = 0; i < n; i++) s->split[i] = s->task[i];
        s->n_task = 0;
        for (int64_t i = 0; i < n; i++) {
            pl_task t = s->split[i];
            bool within = t.a.node == t.b.node;
            int32_t size = within ? t.a.n_leaf : t.a.n_leaf + t.b.n_leaf;
            if (size <= (within ? PL_MAX(most, PL_CHUNK_LEAVES) : most)) {
                PL_TRY(add_task(s, t.a, t.b));
            } else {
                PL_TRY(split_task(s, t));
                again = true;
            }
        }
    }
    return PL_OK;
}

// Blocks for a search a little larger than this one, so that the next one need not ask for memory.
static pl_status keep_spare(pl_surfaces *s)
{
    int64_t spare = s->n_block / 4 + (int64_t)PL_BLOCK_KINDS * pl_threads();
    return grow_blocks(s, PL_MIN(s->n_block + spare, max_blocks(s)));
}

static pl_status finish(pl_surfaces *s, bool failed)
{
    if (!failed) return keep_spare(s);
    if (s->n_block < max_blocks(s)) return pl_fail(PL_ERROR_MEMORY, "no memory for candidates");
    return pl_fail(PL_ERROR_MEMORY,
                   "more than %lld pairs of features of %d surface elements may touch: do bodies "
                   "lie in the same place, or is the margin or a motion too large?",
                   (long long)(s->n_block * PL_BLOCK_PAIRS), s->n_item);
}

// Patches move up to the first blocks, but for those of the bodies that are marked, if any are.
static void keep_patches(pl_surfaces *s, const uint8_t *stale)
{
    pl_pair_block *to = NULL;
    int64_t kept = 0;
    for (int64_t k = 0; k < s->n_block; k++) {
        pl_pair_block *from = s->block[k];
        int32_t n = from->n;
        for (int32_t i = 0; i < n && from->kind == PL_PAIR_PATCH; i++) {
            pl_pair patch = from->pair[i];
            if (stale != NULL && stale[s->chunk[patch.a].body]) continue;
            if (to == NULL || to->n == PL_BLOCK_PAIRS) {
                s->block[k] = s->block[kept];
                s->block[kept++] = to = from;
                to->n = 0;
            }
            to->pair[to->n++] = patch;
        }
    }
    s->n_block = kept;
}

void pl_search_forget(pl_surfaces *s)
{
    keep_patches(s, NULL);
}

// Each thread fills blocks of its own.
static void search_tasks(void *context, int64_t first, int64_t last)
{
    sink *to = (sink *)context + pl_thread_slot();
    for (int64_t i = first; i < last && !to->failed; i++) {
        pl_task t = to->s->task[i];
        if (t.a.node == t.b.node) {
            search_one(to, t.a);
        } else {
            search_two(to, t.a, t.b);
        }
    }
}

// --- On a device ---

// Takes over what a device has found: pairs by their kinds and features, and the patches.
static pl_status take_found(pl_surfaces *s, int64_t n, const int32_t *name)
{
    sink to = {.s = s};
    for (int32_t leaf = 0; leaf < s->n_leaf; leaf++) {
        int32_t patch = s->leaf_patch[leaf];
        bool first = patch >= 0 && (leaf == 0 || s->leaf_patch[leaf - 1] != patch);
        if (first) add(&to, PL_PAIR_PATCH, s->leaf_chunk[leaf], patch);
    }
    for (int64_t i = 0; i < n; i++) add(&to, name[3 * i], name[3 * i + 1], name[3 * i + 2]);
    return finish(s, to.failed);
}

pl_status pl_search_bodies(pl_surfaces *s)
{
    if (s->stale == NULL) {
        s->n_block = 0;
    } else {
        keep_patches(s, s->stale);
    }
    PL_TRY(pl_search_tasks(s));
    if (pl_surfaces_has_device(s)) {
        int64_t n;
        const int32_t *name;
        pl_patch_list(s);
        pl_status status = s->device->search(s->device, s, s->leaf_patch, &n, &name);
        if (pl_collision_device_did(s->device, status)) return take_found(s, n, name);
    }
    pl_bvh_catch_up(s);
    PL_TRY(split_tasks(s));
    sink sinks[PL_MAX_THREADS];
    int32_t n_sink = pl_threads();
    bool failed = false;
    for (int32_t i = 0; i < n_sink; i++) sinks[i] = (sink){.s = s};
    pl_loop(s->n_task, s->n_leaf > SEARCH_SERIAL ? 1 : s->n_task, search_tasks, sinks);
    for (int32_t i = 0; i < n_sink; i++) failed = failed || sinks[i].failed;
    return finish(s, failed);
}

// --- Searching again for what has grown ---

static bool item_grown(const pl_item *item, const uint8_t *grown)
{
    return grown[item->point[0]] || grown[item->point[1]] || grown[item->point[2]];
}

// One grown item with a tree; two grown ones meet in the turn of the first.
static void search_item(sink *to, int32_t i, pl_subtree tree, const uint8_t *grown)
{
    const pl_surfaces *s = to->s;
    pl_subtree stack[STACK];
    int n = 0;
    stack[n++] = tree;
    while (n > 0) {
        pl_subtree t = stack[--n];
        if (!pl_bound_overlap(&s->item_bound[i], &s->node_bound[t.node])) continue;
        if (t.n_leaf > 1) {
            stack[n++] = pl_subtree_right(t);
            stack[n++] = pl_subtree_left(t);
            continue;
        }
        for (int32_t j = s->leaf_item[t.leaf]; j < s->leaf_item[t.leaf + 1]; j++) {
            if (j == i || (j < i && item_grown(&s->item[j], grown))) continue;
            if (pl_bound_overlap(&s->item_bound[i], &s->item_bound[j])) pair_items(to, i, j);
        }
    }
}

// The subtree at a node of a chunk.
static pl_subtree find_subtree(const pl_chunk *chunk, int32_t node)
{
    pl_subtree t = chunk->tree;
    while (t.node != node) {
        pl_subtree right = pl_subtree_right(t);
        t = node < right.node ? pl_subtree_left(t) : right;
    }
    return t;
}

// Patches that stay smooth in the new motion stay where they are.
static void search_patches(sink *to, pl_pair_block *block, uint8_t *stale)
{
    const pl_surfaces *s = to->s;
    int32_t kept = 0;
    for (int32_t i = 0; i < block->n; i++) {
        pl_pair p = block->pair[i];
        pl_subtree tree = find_subtree(&s->chunk[p.a], p.b);
        if (pl_patch_smooth(s, tree)) {
            block->pair[kept++] = p;
        } else {
            pl_bvh_catch_up(to->s);
            search_one(to, tree);
            if (stale != NULL) stale[s->chunk[p.a].body] = 1;
        }
    }
    block->n = kept;
}

// Every item with a grown point, with all trees that it may be paired with.
static void search_items(sink *to, const uint8_t *grown)
{
    const pl_surfaces *s = to->s;
    pl_bvh_catch_up(to->s);
    for (int32_t b = 0; b < s->n_body; b++) {
        const pl_surface_body *body = &s->body[b];
        for (int32_t i = body->item; i < body->item + body->n_item && !to->failed; i++) {
            if (!item_grown(&s->item[i], grown)) continue;
            for (int32_t other = 0; other < s->n_body; other++) {
                if (s->body[other].tree.n_leaf == 0) continue;
                if (!pl_surfaces_paired(s, b, other)) continue;
                search_item(to, i, s->body[other].tree, grown);
            }
        }
    }
}

pl_status pl_search_grown(pl_surfaces *s, const uint8_t *grown, uint8_t *stale, bool *added)
{
    int64_t n_block = s->n_block;
    sink to = {.s = s};
    for (int64_t i = 0; i < n_block; i++) {
        if (s->block[i]->kind == PL_PAIR_PATCH) search_patches(&to, s->block[i], stale);
    }
    if (memchr(grown, 1, (size_t)s->n_point) != NULL) search_items(&to, grown);
    for (int32_t p = 0; p < s->n_point && stale != NULL; p++) {
        if (grown[p]) stale[s->point_body[p]] = 1;
    }
    *added = s->n_block > n_block;
    return finish(s, to.failed);
}
