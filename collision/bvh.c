// Building, moving and mending the trees.

#include "bvh.h"
#include "device.h"
#include "patch.h"

#include <string.h>

enum {
    PARALLEL_ITEMS = 20000, // fewer are sorted by one thread
    CHUNK_POINTS = 2048,    // what a thread takes at least
    SMALL_CHUNKS = 8,       // a body of more is moved by all threads
    PART = 2048,            // points at a time
};

// A chunk is sorted anew when the sum of its boxes, relative to their root, has grown by this much.
static const float COST_LIMIT = 2;

// --- Sorting ---

static inline bool key_less(const pl_key *a, const pl_key *b, int axis)
{
    if (a->middle[axis] != b->middle[axis]) return a->middle[axis] < b->middle[axis];
    return a->index < b->index;
}

// Hoare's selection with pivots from anywhere, so that no order of the input is a bad one.
static void select_lowest(pl_key *key, int64_t n, int64_t n_left, int axis)
{
    uint64_t random = (uint64_t)n;
    int64_t lo = 0, hi = n - 1;
    while (lo < hi) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        pl_key pivot = key[lo + (int64_t)((random >> 33) % (uint64_t)(hi - lo + 1))];
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (key_less(&key[i], &pivot, axis)) i++;
            while (key_less(&pivot, &key[j], axis)) j--;
            if (i > j) break;
            pl_key t = key[i];
            key[i++] = key[j];
            key[j--] = t;
        }
        if (n_left - 1 <= j) {
            hi = j;
        } else if (n_left - 1 >= i) {
            lo = i;
        } else {
            return;
        }
    }
}

void pl_keys_split(pl_key *key, int64_t n, int64_t n_left)
{
    float lo[3], hi[3];
    for (int k = 0; k < 3; k++) lo[k] = hi[k] = key[0].middle[k];
    for (int64_t i = 1; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = PL_MIN(lo[k], key[i].middle[k]);
            hi[k] = PL_MAX(hi[k], key[i].middle[k]);
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (hi[k] - lo[k] > hi[axis] - lo[axis]) axis = k;
    }
    select_lowest(key, n, n_left, axis);
}

// Keys of a subtree that are still to be sorted.
typedef struct keys {
    pl_key *key;
    int64_t n;
    int32_t n_leaf;
} keys;

// Splits them into those of the two halves.
static void split(keys all, keys half[2])
{
    int32_t left = all.n_leaf / 2;
    int64_t n_left = PL_LEAF_ITEMS * (int64_t)left;
    pl_keys_split(all.key, all.n, n_left);
    half[0] = (keys){all.key, n_left, left};
    half[1] = (keys){all.key + n_left, all.n - n_left, all.n_leaf - left};
}

static void sort_keys(keys all)
{
    if (all.n_leaf == 1) return;
    keys half[2];
    split(all, half);
    sort_keys(half[0]);
    sort_keys(half[1]);
}

typedef struct sort_loop {
    const keys *from;
    keys *to;
} sort_loop;

static void split_some(void *context, int64_t first, int64_t last)
{
    const sort_loop *l = context;
    for (int64_t i = first; i < last; i++) split(l->from[i], l->to + 2 * i);
}

static void sort_some(void *context, int64_t first, int64_t last)
{
    const sort_loop *l = context;
    for (int64_t i = first; i < last; i++) sort_keys(l->from[i]);
}

// The same by several threads: halves do not depend on each other.
static void sort_many_keys(keys all)
{
    enum { MOST = 64 };
    keys part[2][MOST] = {{all}};
    int at = 0, n = 1;
    while (n < MOST && all.n / n > PARALLEL_ITEMS) {
        pl_loop(n, 1, split_some, &(sort_loop){part[at], part[1 - at]});
        at = 1 - at;
        n *= 2;
    }
    pl_loop(n, 1, sort_some, &(sort_loop){part[at], NULL});
}

// The items of a subtree in an order of their places; key and sorted are scratch of its size.
static void sort_subtree(pl_surfaces *s, pl_subtree tree, const double *x, pl_key *key,
                         pl_item *sorted)
{
    int64_t first = s->leaf_item[tree.leaf], n = s->leaf_item[tree.leaf + tree.n_leaf] - first;
    pl_item *item = s->item + first;
    for (int64_t i = 0; i < n; i++) {
        const double *p[3];
        for (int c = 0; c < 3; c++) p[c] = x + 3 * (int64_t)s->point[item[i].point[c]];
        for (int k = 0; k < 3; k++) key[i].middle[k] = (float)((p[0][k] + p[1][k] + p[2][k]) / 3);
        key[i].index = (int32_t)i;
    }
    sort_many_keys((keys){key, n, tree.n_leaf});
    for (int64_t i = 0; i < n; i++) sorted[i] = item[key[i].index];
    memcpy(item, sorted, (size_t)n * sizeof *item);
}

pl_status pl_bvh_build(pl_surfaces *s, int32_t body, const double *x)
{
    pl_surface_body *b = &s->body[body];
    pl_key *key = pl_alloc(b->n_item, sizeof *key);
    pl_item *sorted = pl_alloc(b->n_item, sizeof *sorted);
    pl_status status = PL_ERROR_MEMORY;
    if (key != NULL && sorted != NULL) {
        for (int32_t c = b->chunk; c < b->chunk + b->n_chunk; c++) pl_patch_forget(s, &s->chunk[c]);
        sort_subtree(s, b->tree, x, key, sorted);
        status = PL_OK;
        b->cost = 0;
    }
    pl_free(key);
    pl_free(sorted);
    for (int32_t c = b->chunk; c < b->chunk + b->n_chunk && status == PL_OK; c++) {
        s->chunk[c].cost = 0;
        status = pl_patch_outline(s, &s->chunk[c]);
    }
    return status;
}

static pl_status rebuild_chunk(pl_surfaces *s, pl_chunk *chunk)
{
    pl_key key[PL_LEAF_ITEMS * PL_CHUNK_LEAVES];
    pl_item sorted[PL_LEAF_ITEMS * PL_CHUNK_LEAVES];
    sort_subtree(s, chunk->tree, s->x0, key, sorted);
    chunk->cost = 0;
    return pl_patch_outline(s, chunk);
}

// --- Boxes ---

typedef double double4 __attribute__((vector_size(32)));
typedef int64_t long4 __attribute__((vector_size(32)));
typedef int32_t int4 __attribute__((vector_size(16)));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// pl_round_below for all; the fourth is 0.
ALWAYS_INLINE pl_float4 round_below(double4 value)
{
    const int4 three = {-1, -1, -1, 0};
    pl_float4 f = __builtin_convertvector(value, pl_float4);
    f -= pl_float4_max(f, -f) * 0x1p-22f + 0x1p-126f;
    return (pl_float4)((int4)f & three);
}

// pl_bound_point with all axes at once; false if the motion is not finite. The number after those
// of the vertex is loaded too: there must be one.
ALWAYS_INLINE bool wide_box(const pl_surfaces *s, int32_t p, pl_bound *out)
{
    const long4 sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    int64_t v = 3 * (int64_t)s->point[p];
    double4 x0, x1;
    memcpy(&x0, s->x0 + v, sizeof x0);
    memcpy(&x1, s->x1 + v, sizeof x1);
    double pad = s->body[s->point_body[p]].radius + s->margin / 2;
    long4 less = x0 < x1;
    double4 lo = (double4)(((long4)x0 & less) | ((long4)x1 & ~less));
    double4 hi = (double4)(((long4)x1 & less) | ((long4)x0 & ~less));
    *out = (pl_bound){round_below(lo - pad), round_below(-(hi + pad))};
    double4 size = (double4)((long4)x0 & ~sign) + (double4)((long4)x1 & ~sign);
    return size[0] + size[1] + size[2] + pad <= PL_BOUND_MAX; // false if any is NaN
}

static bool point_box(const pl_surfaces *s, int32_t p, pl_bound *out)
{
    const double *x0 = s->x0 + 3 * (int64_t)s->point[p], *x1 = s->x1 + 3 * (int64_t)s->point[p];
    double pad = s->body[s->point_body[p]].radius + s->margin / 2, size = pad;
    for (int k = 0; k < 3; k++) size += fabs(x0[k]) + fabs(x1[k]); // NaN if any is
    *out = pl_bound_point(x0, x1, pad);
    return size <= PL_BOUND_MAX;
}

static pl_status fail_motion(const pl_surfaces *s, int32_t p)
{
    return pl_fail(PL_ERROR_NUMERICS, "the motion of vertex %d is not finite or beyond %g m",
                   s->point[p], PL_BOUND_MAX);
}

// Boxes of points [first, last). Returns the first whose motion is not finite, or INT32_MAX.
PL_CLONES static int32_t move_wide(const pl_surfaces *s, int32_t first, int32_t last,
                                   pl_bound *restrict out)
{
    int32_t bad = INT32_MAX;
    for (int32_t p = first; p < last; p++) {
        if (!wide_box(s, p, &out[p])) bad = PL_MIN(bad, p);
    }
    return bad;
}

static int32_t move_points(pl_surfaces *s, int32_t first, int32_t last)
{
    if (last < s->n_point) return move_wide(s, first, last, s->point_bound);
    if (first == last) return INT32_MAX;
    int32_t bad = move_wide(s, first, last - 1, s->point_bound); // nothing follows the last vertex
    bool ok = point_box(s, last - 1, &s->point_bound[last - 1]);
    return ok ? bad : PL_MIN(bad, last - 1);
}

// Flags in `leaves` which of the points [first, last) leave their boxes, or have no finite motion.
PL_CLONES static void flag_wide(const pl_surfaces *s, int32_t first, int32_t last,
                                uint8_t *restrict leaves)
{
    for (int32_t p = first; p < last; p++) {
        pl_bound box;
        bool finite = wide_box(s, p, &box);
        leaves[p - first] = !finite || !pl_bound_holds(&s->point_bound[p], &box);
    }
}

static void flag_leaving(const pl_surfaces *s, int32_t first, int32_t last, uint8_t *leaves)
{
    int32_t wide = last < s->n_point ? last : last - 1; // nothing follows the last vertex
    pl_bound box;
    flag_wide(s, first, wide, leaves);
    if (wide == last) return;
    bool finite = point_box(s, wide, &box);
    leaves[wide - first] = !finite || !pl_bound_holds(&s->point_bound[wide], &box);
}

static inline void refit_leaf(pl_surfaces *s, int32_t leaf, int32_t node)
{
    pl_bound all = pl_bound_empty();
    int32_t last = s->leaf_item[leaf + 1];
    for (int32_t i = s->leaf_item[leaf]; i < last; i++) {
        const int32_t *p = s->item[i].point;
        pl_bound b = pl_bound_join(s->point_bound[p[0]], s->point_bound[p[1]]);
        b = pl_bound_join(b, s->point_bound[p[2]]);
        s->item_bound[i] = b;
        all = pl_bound_join(all, b);
    }
    s->node_bound[node] = all;
}

// Returns the sum of the areas of the boxes at the root and below, but for the leaves.
static float refit_subtree(pl_surfaces *s, pl_subtree tree)
{
    if (tree.n_leaf == 1) {
        refit_leaf(s, tree.leaf, tree.node);
        return 0;
    }
    pl_subtree left = pl_subtree_left(tree), right = pl_subtree_right(tree);
    float sum = 0;
    if (tree.n_leaf == 2) { // most inner nodes: saves two calls
        refit_leaf(s, left.leaf, left.node);
        refit_leaf(s, right.leaf, right.node);
    } else {
        sum = refit_subtree(s, left) + refit_subtree(s, right);
    }
    pl_bound *box = &s->node_bound[tree.node];
    *box = pl_bound_join(s->node_bound[left.node], s->node_bound[right.node]);
    return sum + pl_bound_area(box);
}

// The nodes above the chunks; returns the sum of their areas.
static float refit_top(pl_surfaces *s, pl_subtree tree)
{
    if (tree.n_leaf <= PL_CHUNK_LEAVES) return 0;
    pl_subtree left = pl_subtree_left(tree), right = pl_subtree_right(tree);
    float sum = refit_top(s, left) + refit_top(s, right);
    s->node_bound[tree.node] = pl_bound_join(s->node_bound[left.node], s->node_bound[right.node]);
    return sum + pl_bound_area(&s->node_bound[tree.node]);
}

// A chunk's or a body's cost now, relative to its root; 0 if that has no surface.
static float relative_cost(const pl_surfaces *s, int32_t node, float sum)
{
    float area = pl_bound_area(&s->node_bound[node]);
    return area > 0 ? sum / area : 0;
}

// Notes the cost of what was just built; true if it has grown too much since.
static bool decayed(float cost, float *first)
{
    if (*first == 0) *first = cost;
    return cost > COST_LIMIT * *first;
}

// Refits a chunk, and sorts it anew if it has decayed. False if that has no memory.
static bool refit_chunk(pl_surfaces *s, pl_chunk *chunk)
{
    float cost = relative_cost(s, chunk->tree.node, refit_subtree(s, chunk->tree));
    if (!decayed(cost, &chunk->cost)) return true;
    bool ok = rebuild_chunk(s, chunk) == PL_OK;
    chunk->cost = relative_cost(s, chunk->tree.node, refit_subtree(s, chunk->tree));
    return ok;
}

// What is done to all bodies, and what has become of it.
typedef struct move_loop {
    pl_surfaces *s;
    const pl_surface_body *body; // a large one that threads share; NULL: all are
    _Atomic int32_t bad;         // the first point without a finite motion
    _Atomic bool failed;         // memory
} move_loop;

static void refit_chunks(move_loop *l, int32_t first, int32_t last)
{
    for (int32_t c = first; c < last; c++) {
        if (!refit_chunk(l->s, &l->s->chunk[c])) l->failed = true;
    }
}

// Points and boxes of one body at a time, while they are in the cache.
static void move_small_bodies(void *context, int64_t first, int64_t last)
{
    move_loop *l = context;
    for (int32_t b = (int32_t)first; b < last; b++) {
        const pl_surface_body *body = &l->s->body[b];
        if (body->n_chunk > SMALL_CHUNKS || !pl_is_stale(l->s, b)) continue;
        pl_lower(&l->bad, move_points(l->s, body->point, body->point + body->n_point));
        refit_chunks(l, body->chunk, body->chunk + body->n_chunk);
    }
}

static void move_some_points(void *context, int64_t first, int64_t last)
{
    move_loop *l = context;
    int32_t at = l->body != NULL ? l->body->point : 0;
    pl_lower(&l->bad, move_points(l->s, at + (int32_t)first, at + (int32_t)last));
}

static void refit_some_chunks(void *context, int64_t first, int64_t last)
{
    move_loop *l = context;
    refit_chunks(l, l->body->chunk + (int32_t)first, l->body->chunk + (int32_t)last);
}

// The threads share the body.
static void move_large_body(move_loop *l, const pl_surface_body *body)
{
    l->body = body;
    pl_loop(body->n_point, CHUNK_POINTS, move_some_points, l);
    pl_loop(body->n_chunk, 4, refit_some_chunks, l);
}

// Above the chunks.
static pl_status refit_body(pl_surfaces *s, int32_t b)
{
    pl_surface_body *body = &s->body[b];
    if (body->n_chunk < 2) return PL_OK;
    float cost = relative_cost(s, body->tree.node, refit_top(s, body->tree));
    if (!decayed(cost, &body->cost)) return PL_OK;
    PL_TRY(pl_bvh_build(s, b, s->x0));
    for (int32_t c = 0; c < body->n_chunk; c++) {
        pl_chunk *chunk = &s->chunk[body->chunk + c];
        chunk->cost = relative_cost(s, chunk->tree.node, refit_subtree(s, chunk->tree));
    }
    body->cost = relative_cost(s, body->tree.node, refit_top(s, body->tree));
    return PL_OK;
}

static void refit_subtrees(void *context, int64_t first, int64_t last)
{
    pl_surfaces *s = context;
    for (int64_t c = first; c < last; c++) refit_subtree(s, s->chunk[c].tree);
}

static void refit_all(pl_surfaces *s)
{
    pl_loop(s->n_chunk, 4, refit_subtrees, s);
    for (int32_t b = 0; b < s->n_body; b++) refit_top(s, s->body[b].tree);
    s->behind = false;
}

void pl_bvh_catch_up(pl_surfaces *s)
{
    if (s->behind) refit_all(s);
}

static pl_status move_here(pl_surfaces *s)
{
    move_loop l = {.s = s, .bad = INT32_MAX};
    pl_bvh_catch_up(s); // the trees of bodies that are not stale stay
    int64_t least = CHUNK_POINTS * (int64_t)s->n_body / PL_MAX(s->n_point, 1) + 1;
    if (!s->together) pl_loop(s->n_point, CHUNK_POINTS, move_some_points, &l);
    pl_loop(s->n_body, least, move_small_bodies, &l);
    for (int32_t b = 0; b < s->n_body; b++) {
        bool large = s->body[b].n_chunk > SMALL_CHUNKS;
        if (large && pl_is_stale(s, b)) move_large_body(&l, &s->body[b]);
    }
    if (l.bad != INT32_MAX) return fail_motion(s, l.bad);
    if (l.failed) return pl_fail(PL_ERROR_MEMORY, "no memory to sort a surface anew");
    for (int32_t b = 0; b < s->n_body; b++) {
        if (pl_is_stale(s, b)) PL_TRY(refit_body(s, b));
    }
    return PL_OK;
}

// --- On a device ---

static pl_bound root_bound(const pl_root_box *root)
{
    const float *side = root->side;
    return (pl_bound){{side[0], side[1], side[2], 0}, {side[3], side[4], side[5], 0}};
}

// The boxes of all roots, and the costs below them, which are those of trees that were sorted anew
// where there are none yet.
static pl_status refit_on_device(pl_surfaces *s)
{
    pl_root_box *of_chunk = s->root, *of_body = of_chunk + s->n_chunk;
    PL_TRY(s->device->refit(s->device, s, of_chunk, of_body));
    for (int32_t b = 0; b < s->n_body; b++) {
        pl_surface_body *body = &s->body[b];
        if (body->tree.n_leaf == 0) continue;
        s->node_bound[body->tree.node] = root_bound(&of_body[b]);
        for (int32_t c = body->chunk; c < body->chunk + body->n_chunk; c++) {
            pl_chunk *chunk = &s->chunk[c];
            s->node_bound[chunk->tree.node] = root_bound(&of_chunk[c]);
            bool unknown = pl_is_stale(s, b) && chunk->cost == 0;
            if (unknown) chunk->cost = relative_cost(s, chunk->tree.node, of_chunk[c].cost);
        }
        bool unknown = pl_is_stale(s, b) && body->n_chunk > 1 && body->cost == 0;
        if (unknown) body->cost = relative_cost(s, body->tree.node, of_body[b].cost);
    }
    return PL_OK;
}

// Sorts the chunks anew that have decayed. *any: there were some.
static pl_status resort_chunks(pl_surfaces *s, bool *any)
{
    *any = false;
    for (int32_t c = 0; c < s->n_chunk; c++) {
        pl_chunk *chunk = &s->chunk[c];
        pl_subtree t = chunk->tree;
        float cost = relative_cost(s, t.node, s->root[c].cost);
        if (!pl_is_stale(s, chunk->body) || !decayed(cost, &chunk->cost)) continue;
        PL_TRY(rebuild_chunk(s, chunk));
        pl_surfaces_note_sorted(s, s->leaf_item[t.leaf], s->leaf_item[t.leaf + t.n_leaf]);
        *any = true;
    }
    return PL_OK;
}

static pl_status resort_bodies(pl_surfaces *s, bool *any)
{
    *any = false;
    for (int32_t b = 0; b < s->n_body; b++) {
        pl_surface_body *body = &s->body[b];
        if (body->n_chunk < 2 || !pl_is_stale(s, b)) continue;
        float cost = relative_cost(s, body->tree.node, s->root[s->n_chunk + b].cost);
        if (!decayed(cost, &body->cost)) continue;
        PL_TRY(pl_bvh_build(s, b, s->x0));
        pl_surfaces_note_sorted(s, body->item, body->item + body->n_item);
        *any = true;
    }
    return PL_OK;
}

static pl_status move_on_device(pl_surfaces *s)
{
    int32_t bad = INT32_MAX;
    bool any;
    s->behind = true;
    PL_TRY(s->device->move(s->device, s, &bad));
    if (bad != INT32_MAX) return fail_motion(s, bad);
    PL_TRY(refit_on_device(s));
    PL_TRY(resort_chunks(s, &any));
    if (any) PL_TRY(refit_on_device(s));
    PL_TRY(resort_bodies(s, &any));
    return any ? refit_on_device(s) : PL_OK;
}

pl_status pl_bvh_move(pl_surfaces *s)
{
    if (pl_surfaces_has_device(s)) {
        pl_status status = move_on_device(s);
        if (status == PL_ERROR_NUMERICS) return status; // the motion's fault
        if (pl_collision_device_did(s->device, status)) return PL_OK;
    }
    return move_here(s);
}

// The points that leave their boxes, by the device; false if it has none to say.
static bool list_leaving(pl_surfaces *s, int32_t *n, const int32_t **list)
{
    return pl_surfaces_has_device(s) &&
           pl_collision_device_did(s->device, s->device->leaving(s->device, s, n, list));
}

// --- Points that leave their boxes ---

// Points that leave their boxes, or the bodies of such.
typedef struct flag_loop {
    const pl_surfaces *s;
    uint8_t *flag;
} flag_loop;

static void flag_points(void *context, int64_t first, int64_t last)
{
    const flag_loop *l = context;
    flag_leaving(l->s, (int32_t)first, (int32_t)last, l->flag + first);
}

static void flag_all(pl_surfaces *s, uint8_t *leaves)
{
    const int32_t *list;
    int32_t n;
    if (!list_leaving(s, &n, &list)) {
        pl_loop(s->n_point, CHUNK_POINTS, flag_points, &(flag_loop){s, leaves});
        return;
    }
    memset(leaves, 0, (size_t)s->n_point);
    for (int32_t i = 0; i < n; i++) leaves[list[i]] = 1;
}

pl_status pl_bvh_grow(pl_surfaces *s, uint8_t *grown, int32_t *n)
{
    *n = 0;
    flag_all(s, grown);
    for (int32_t p = 0; p < s->n_point; p++) {
        pl_bound box;
        if (!grown[p]) continue;
        if (!point_box(s, p, &box)) return fail_motion(s, p);
        s->point_bound[p] = pl_bound_join(s->point_bound[p], box);
        (*n)++;
    }
    if (*n == 0) return PL_OK;
    refit_all(s);
    if (pl_surfaces_has_device(s)) {
        pl_collision_device_did(s->device, s->device->take_boxes(s->device, s));
    }
    return PL_OK;
}

static void flag_bodies(void *context, int64_t first, int64_t last)
{
    const flag_loop *l = context;
    const pl_surfaces *s = l->s;
    for (int32_t at = (int32_t)first; at < last; at += PART) {
        uint8_t leaves[PART];
        int32_t end = PL_MIN(at + PART, (int32_t)last);
        flag_leaving(s, at, end, leaves);
        for (int32_t p = at; p < end; p++) {
            if (leaves[p - at]) __atomic_store_n(&l->flag[s->point_body[p]], 1, __ATOMIC_RELAXED);
        }
    }
}

void pl_bvh_stale(pl_surfaces *s, uint8_t *stale)
{
    const int32_t *list;
    int32_t n;
    if (list_leaving(s, &n, &list)) {
        for (int32_t i = 0; i < n; i++) stale[s->point_body[list[i]]] = 1;
        return;
    }
    pl_loop(s->n_point, CHUNK_POINTS, flag_bodies, &(flag_loop){s, stale});
}
