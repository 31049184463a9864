#include "tree.h"

#include <float.h>
#include <math.h>

enum { TREE_STACK = 64 }; // the depth is at most 31, with one sibling waiting per level
enum { PARALLEL = 4096 }; // more items than this are worth a task, or a team of threads

static const pl_box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

pl_box pl_face_box(const double *x, const int32_t face[3])
{
    pl_box box = empty_box;
    for (int c = 0; c < 3; c++) {
        const double *p = x + 3 * (int64_t)face[c];
        for (int k = 0; k < 3; k++) {
            if (p[k] < box.lo[k]) box.lo[k] = p[k];
            if (p[k] > box.hi[k]) box.hi[k] = p[k];
        }
    }
    return box;
}

// --- Building ---

typedef pl_tree_centre centre;

// Strict order along an axis: by coordinate, then by item, so that the tree is unique.
static bool before(const centre *a, const centre *b, int axis)
{
    return a->at[axis] != b->at[axis] ? a->at[axis] < b->at[axis] : a->item < b->item;
}

static void swap(centre *a, centre *b)
{
    centre t = *a;
    *a = *b;
    *b = t;
}

// Reorders c (n) so that the k smallest come first [Hoare's selection]. The pivots come from a
// fixed pseudo-random sequence: the result does not depend on them, and no usual order is slow.
static void select_smallest(centre *c, int32_t n, int32_t k, int axis)
{
    uint32_t random = 2463534242u;
    int32_t lo = 0, hi = n - 1;
    while (lo < hi) {
        random ^= random << 13, random ^= random >> 17, random ^= random << 5;
        swap(&c[lo], &c[lo + (int32_t)(random % (uint32_t)(hi - lo + 1))]);
        centre pivot = c[lo];
        int32_t i = lo, j = hi + 1;
        for (;;) {
            do i++;
            while (i <= hi && before(&c[i], &pivot, axis));
            do j--;
            while (before(&pivot, &c[j], axis));
            if (i >= j) break;
            swap(&c[i], &c[j]);
        }
        swap(&c[lo], &c[j]);
        if (j == k) return;
        if (j < k) lo = j + 1;
        if (j > k) hi = j - 1;
    }
}

static int longest_axis(const centre *c, int32_t n)
{
    pl_box box = empty_box;
    for (int32_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            if (c[i].at[k] < box.lo[k]) box.lo[k] = c[i].at[k];
            if (c[i].at[k] > box.hi[k]) box.hi[k] = c[i].at[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (box.hi[k] - box.lo[k] > box.hi[axis] - box.lo[axis]) axis = k;
    }
    return axis;
}

// The number of leaves below `node`: leaves are the nodes n .. 2 n - 1.
static int32_t leaves_below(int32_t node, int32_t n)
{
    int64_t first = node, last = node, count = 0;
    for (; first < 2 * (int64_t)n; first = 2 * first, last = 2 * last + 1) {
        int64_t from = PL_MAX(first, (int64_t)n), to = PL_MIN(last, 2 * (int64_t)n - 1);
        if (to >= from) count += to - from + 1;
    }
    return (int32_t)count;
}

// Items that are to be placed below a node.
typedef struct branch {
    int32_t node;
    centre *c;
    int32_t n;
} branch;

// Parts them into those of its children.
static void part(const pl_tree *tree, branch all, branch half[2])
{
    int32_t left = leaves_below(2 * all.node, tree->n);
    select_smallest(all.c, all.n, left, longest_axis(all.c, all.n));
    half[0] = (branch){2 * all.node, all.c, left};
    half[1] = (branch){2 * all.node + 1, all.c + left, all.n - left};
}

static void place(pl_tree *tree, branch all)
{
    if (all.n == 1) {
        tree->item[all.node - tree->n] = all.c[0].item;
        tree->leaf[all.c[0].item] = all.node;
        return;
    }
    branch half[2];
    part(tree, all, half);
    place(tree, half[0]);
    place(tree, half[1]);
}

typedef struct place_loop {
    pl_tree *tree;
    const branch *from;
    branch *to;
} place_loop;

static void part_some(void *context, int64_t first, int64_t last)
{
    const place_loop *l = context;
    for (int64_t i = first; i < last; i++) part(l->tree, l->from[i], l->to + 2 * i);
}

static void place_some(void *context, int64_t first, int64_t last)
{
    const place_loop *l = context;
    for (int64_t i = first; i < last; i++) place(l->tree, l->from[i]);
}

pl_status pl_tree_alloc(int32_t n_item, pl_tree *out)
{
    int64_t n = n_item;
    *out = (pl_tree){.n = n_item};
    out->box = pl_alloc(2 * n, sizeof *out->box);
    out->item = pl_alloc(n, sizeof *out->item);
    out->leaf = pl_alloc(n, sizeof *out->leaf);
    if (out->box != NULL && out->item != NULL && out->leaf != NULL) return PL_OK;
    pl_tree_free(out);
    return PL_ERROR_MEMORY;
}

// The halves are independent, so that threads change nothing.
void pl_tree_arrange(pl_tree *tree, pl_tree_centre *c)
{
    enum { MOST = 64 };
    branch branches[2][MOST] = {{{1, c, tree->n}}};
    int at = 0, n = 1;
    if (tree->n == 0) return;
    while (n < MOST && tree->n / n > PARALLEL) {
        pl_loop(n, 1, part_some, &(place_loop){tree, branches[at], branches[1 - at]});
        at = 1 - at;
        n *= 2;
    }
    pl_loop(n, 1, place_some, &(place_loop){tree, branches[at], NULL});
}

typedef struct join_loop {
    pl_box *box;
    int32_t first;
} join_loop;

static void join_some(void *context, int64_t first, int64_t last)
{
    const join_loop *l = context;
    for (int64_t i = l->first + first; i < l->first + last; i++) {
        l->box[i] = pl_boxes_join(&l->box[2 * i], &l->box[2 * i + 1]);
    }
}

// Level by level, from below.
void pl_tree_join(pl_tree *tree)
{
    pl_box *box = tree->box;
    int32_t to = tree->n;
    for (; to > PARALLEL; to = (to + 1) / 2) { // the children of the upper half are done
        int32_t from = (to + 1) / 2;
        pl_loop(to - from, PARALLEL / 4, join_some, &(join_loop){box, from});
    }
    for (int32_t i = to - 1; i >= 1; i--) box[i] = pl_boxes_join(&box[2 * i], &box[2 * i + 1]);
}

pl_status pl_tree_build_boxes(int32_t n_item, const pl_box *box, pl_tree *out)
{
    *out = (pl_tree){0};
    centre *centres = pl_alloc(n_item, sizeof *centres);
    pl_status status = centres != NULL ? pl_tree_alloc(n_item, out) : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        for (int32_t i = 0; i < n_item; i++) centres[i] = pl_box_centre(&box[i], i);
        pl_tree_arrange(out, centres);
        for (int32_t i = 0; i < n_item; i++) out->box[out->leaf[i]] = box[i];
        pl_tree_join(out);
    }
    pl_free(centres);
    return status;
}

pl_status pl_tree_build(int32_t n_face, const int32_t *face, const double *x, pl_tree *out)
{
    *out = (pl_tree){0};
    pl_box *box = pl_alloc(n_face, sizeof *box);
    if (box == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n_face; i++) box[i] = pl_face_box(x, face + 3 * i);
    pl_status status = pl_tree_build_boxes(n_face, box, out);
    pl_free(box);
    return status;
}

void pl_tree_free(pl_tree *tree)
{
    pl_free(tree->box);
    pl_free(tree->item);
    pl_free(tree->leaf);
    *tree = (pl_tree){0};
}

// --- Use ---

static bool same(const pl_box *a, const pl_box *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->lo[k] != b->lo[k] || a->hi[k] != b->hi[k]) return false;
    }
    return true;
}

void pl_tree_update(pl_tree *tree, int32_t item, const pl_box *box)
{
    int32_t node = tree->leaf[item];
    tree->box[node] = *box;
    for (node /= 2; node >= 1; node /= 2) {
        pl_box joined = pl_boxes_join(&tree->box[2 * node], &tree->box[2 * node + 1]);
        if (same(&joined, &tree->box[node])) return;
        tree->box[node] = joined;
    }
}

void pl_tree_remove(pl_tree *tree, int32_t item)
{
    pl_tree_update(tree, item, &empty_box);
}

bool pl_tree_search(const pl_tree *tree, const pl_box *box, pl_tree_visit *visit, void *user)
{
    int32_t stack[TREE_STACK];
    int depth = 0;
    if (tree->n > 0) stack[depth++] = 1;
    while (depth > 0) {
        int32_t node = stack[--depth];
        if (!pl_boxes_overlap(&tree->box[node], box)) continue;
        if (node >= tree->n) {
            if (!visit(user, tree->item[node - tree->n])) return false;
        } else {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
        }
    }
    return true;
}

static double square_to_box(const pl_box *box, const double p[3])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d = p[k] < box->lo[k]   ? box->lo[k] - p[k]
                   : p[k] > box->hi[k] ? p[k] - box->hi[k]
                                       : 0;
        square += d * d;
    }
    return square;
}

void pl_tree_nearest(const pl_tree *tree, const double point[3], double bound,
                     pl_tree_approach *visit, void *user)
{
    struct {
        int32_t node;
        double square;
    } stack[TREE_STACK];
    int depth = 0;
    if (tree->n > 0) {
        stack[0].node = 1;
        stack[0].square = square_to_box(&tree->box[1], point);
        depth = 1;
    }
    while (depth > 0) {
        int32_t node = stack[--depth].node;
        if (stack[depth].square > bound) continue;
        if (node >= tree->n) {
            bound = visit(user, tree->item[node - tree->n]);
            continue;
        }
        double left = square_to_box(&tree->box[2 * node], point);
        double right = square_to_box(&tree->box[2 * node + 1], point);
        bool turn = right < left; // the nearer one goes on top
        stack[depth].node = 2 * node + !turn;
        stack[depth++].square = turn ? left : right;
        stack[depth].node = 2 * node + turn;
        stack[depth++].square = turn ? right : left;
    }
}

// --- Rays ---

typedef struct ray {
    double origin[3];
    double inverse[3]; // of the direction; 0: the ray runs across this axis
} ray;

// Where a ray enters a box, if it does before `bound`. The box is larger by the rounding errors of
// what is done with its corners, here and by those who look at its items.
static bool enters(const ray *r, const pl_box *box, double bound, double *at)
{
    static const double ROUNDING = 32 * DBL_EPSILON; // of the distance of a corner
    double lo[3], hi[3], far = 0, from = 0, to = bound;
    for (int k = 0; k < 3; k++) {
        if (box->lo[k] > box->hi[k]) return false; // hidden
        lo[k] = box->lo[k] - r->origin[k];
        hi[k] = box->hi[k] - r->origin[k];
        far = fmax(far, fmax(fabs(lo[k]), fabs(hi[k])));
    }
    for (int k = 0; k < 3; k++) {
        double a = lo[k] - ROUNDING * far, b = hi[k] + ROUNDING * far;
        if (r->inverse[k] == 0) {
            if (a > 0 || b < 0) return false;
            continue;
        }
        a *= r->inverse[k];
        b *= r->inverse[k];
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    *at = from;
    return from <= to;
}

void pl_tree_ray(const pl_tree *tree, const double origin[3], const double direction[3],
                 double bound, pl_tree_approach *visit, void *user)
{
    struct {
        int32_t node;
        double at;
    } stack[TREE_STACK];
    int depth = 0;
    ray r;
    for (int k = 0; k < 3; k++) {
        r.origin[k] = origin[k];
        r.inverse[k] = fabs(direction[k]) > DBL_MIN ? 1 / direction[k] : 0;
    }
    stack[0].node = 1;
    if (tree->n > 0 && enters(&r, &tree->box[1], bound, &stack[0].at)) depth = 1;
    while (depth > 0) {
        int32_t node = stack[--depth].node;
        if (stack[depth].at > bound) continue;
        if (node >= tree->n) {
            bound = visit(user, tree->item[node - tree->n]);
            continue;
        }
        double at[2];
        bool meets[2];
        for (int c = 0; c < 2; c++) meets[c] = enters(&r, &tree->box[2 * node + c], bound, &at[c]);
        int last = meets[0] && meets[1] && at[1] < at[0]; // goes on top, to be looked at first
        for (int i = 0; i < 2; i++) {
            int c = i == 0 ? 1 - last : last;
            if (!meets[c]) continue;
            stack[depth].node = 2 * node + c;
            stack[depth++].at = at[c];
        }
    }
}
