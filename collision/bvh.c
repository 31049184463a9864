// Building, moving and mending the trees.

#include "bvh.h"
#include "patch.h"

#include <string.h>

enum {
    PARALLEL_ITEMS = 20000, // fewer are sorted by one thread
    MOVE_SERIAL = 4000,     // fewer points are moved by one thread
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

static void sort_keys(pl_key *key, int64_t n, int32_t n_leaf)
{
    if (n_leaf == 1) return;
    int32_t left = n_leaf / 2;
    int64_t n_left = PL_LEAF_ITEMS * (int64_t)left;
    pl_keys_split(key, n, n_left);
#pragma omp task if (n > PARALLEL_ITEMS)
    sort_keys(key, n_left, left);
    sort_keys(key + n_left, n - n_left, n_leaf - left);
#pragma omp taskwait
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
    if (n > PARALLEL_ITEMS) {
#pragma omp parallel
#pragma omp single
        sort_keys(key, n, tree.n_leaf);
    } else {
        sort_keys(key, n, tree.n_leaf);
    }
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

static int32_t move_many_points(pl_surfaces *s, int32_t first, int32_t last)
{
    int32_t bad = INT32_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad) if (last - first > MOVE_SERIAL)
    for (int32_t p = first; p < last; p += PART) {
        bad = PL_MIN(bad, move_points(s, p, PL_MIN(p + PART, last)));
    }
    return bad;
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

// What all bodies have done to the search: the first point without a finite motion, and memory.
typedef struct outcome {
    int32_t bad;
    bool ok;
} outcome;

// Points and boxes of one body at a time, while they are in the cache; threads share the bodies.
static outcome move_small_bodies(pl_surfaces *s)
{
    int32_t bad = INT32_MAX;
    bool ok = true;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad) reduction(&& : ok) \
    if (s->n_point > MOVE_SERIAL)
    for (int32_t b = 0; b < s->n_body; b++) {
        const pl_surface_body *body = &s->body[b];
        if (body->n_chunk > SMALL_CHUNKS || !pl_is_stale(s, b)) continue;
        bad = PL_MIN(bad, move_points(s, body->point, body->point + body->n_point));
        for (int32_t c = 0; c < body->n_chunk; c++) {
            ok = refit_chunk(s, &s->chunk[body->chunk + c]) && ok;
        }
    }
    return (outcome){bad, ok};
}

// The threads share the body.
static void move_large_body(pl_surfaces *s, const pl_surface_body *body, outcome *out)
{
    out->bad = PL_MIN(out->bad, move_many_points(s, body->point, body->point + body->n_point));
    bool ok = true;
#pragma omp parallel for schedule(dynamic, 4) reduction(&& : ok)
    for (int32_t c = 0; c < body->n_chunk; c++) {
        ok = refit_chunk(s, &s->chunk[body->chunk + c]) && ok;
    }
    out->ok = out->ok && ok;
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

pl_status pl_bvh_move(pl_surfaces *s)
{
    int32_t scattered = s->together ? INT32_MAX : move_many_points(s, 0, s->n_point);
    outcome all = move_small_bodies(s);
    all.bad = PL_MIN(all.bad, scattered);
    for (int32_t b = 0; b < s->n_body; b++) {
        bool large = s->body[b].n_chunk > SMALL_CHUNKS;
        if (large && pl_is_stale(s, b)) move_large_body(s, &s->body[b], &all);
    }
    if (all.bad != INT32_MAX) return fail_motion(s, all.bad);
    if (!all.ok) return pl_fail(PL_ERROR_MEMORY, "no memory to sort a surface anew");
    for (int32_t b = 0; b < s->n_body; b++) {
        if (pl_is_stale(s, b)) PL_TRY(refit_body(s, b));
    }
    return PL_OK;
}

pl_status pl_bvh_grow(pl_surfaces *s, uint8_t *grown, int32_t *n)
{
    *n = 0;
#pragma omp parallel for schedule(static) if (s->n_point > MOVE_SERIAL)
    for (int32_t p = 0; p < s->n_point; p += PART) {
        flag_leaving(s, p, PL_MIN(p + PART, s->n_point), grown + p);
    }
    for (int32_t p = 0; p < s->n_point; p++) {
        pl_bound box;
        if (!grown[p]) continue;
        if (!point_box(s, p, &box)) return fail_motion(s, p);
        s->point_bound[p] = pl_bound_join(s->point_bound[p], box);
        (*n)++;
    }
    if (*n == 0) return PL_OK;
#pragma omp parallel for schedule(dynamic, 4) if (s->n_point > MOVE_SERIAL)
    for (int32_t c = 0; c < s->n_chunk; c++) refit_subtree(s, s->chunk[c].tree);
    for (int32_t b = 0; b < s->n_body; b++) refit_top(s, s->body[b].tree);
    return PL_OK;
}

void pl_bvh_stale(const pl_surfaces *s, uint8_t *stale)
{
#pragma omp parallel for schedule(static) if (s->n_point > MOVE_SERIAL)
    for (int32_t first = 0; first < s->n_point; first += PART) {
        uint8_t leaves[PART];
        int32_t last = PL_MIN(first + PART, s->n_point);
        flag_leaving(s, first, last, leaves);
        for (int32_t p = first; p < last; p++) {
            if (!leaves[p - first]) continue;
#pragma omp atomic write
            stale[s->point_body[p]] = 1;
        }
    }
}
