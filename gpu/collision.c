#include "collision.h"

#include "../collision/search.h"
#include "scan.h"

enum { ITEM_NUMBERS = 9 }; // PL_ITEM_NUMBERS

static pl_status room(pl_gpu_surfaces *g, int64_t n)
{
    return pl_reserve((void **)&g->host, &g->host_capacity, n, sizeof *g->host);
}

// A new buffer with the numbers in g->host.
static pl_status send(pl_gpu *gpu, const pl_gpu_surfaces *g, int64_t n, pl_gpu_buffer *out)
{
    PL_TRY(pl_gpu_take(gpu, n, sizeof *g->host, out));
    pl_gpu_write(gpu, out, 0, 4 * n, g->host);
    return PL_OK;
}

// --- The trees ---

static pl_status send_items(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n = s->n_item;
    PL_TRY(room(g, ITEM_NUMBERS * n));
    for (int64_t i = 0; i < n; i++) {
        const pl_item *item = &s->item[i];
        int32_t *to = g->host + ITEM_NUMBERS * i;
        for (int k = 0; k < 3; k++) to[k] = item->point[k], to[3 + k] = item->edge[k];
        to[6] = item->id, to[7] = item->kind, to[8] = item->own;
    }
    PL_TRY(send(gpu, g, ITEM_NUMBERS * n, &g->items));
    for (int64_t i = 0; i < 3 * n; i++) g->host[i] = s->item[i / 3].point[i % 3];
    PL_TRY(send(gpu, g, 3 * n, &g->corner));
    for (int32_t b = 0; b < s->n_body; b++) {
        const pl_surface_body *body = &s->body[b];
        for (int32_t i = body->item; i < body->item + body->n_item; i++) g->host[i] = b;
    }
    return send(gpu, g, n, &g->item_body);
}

// What a walk over the nodes of all trees notes.
typedef struct nodes {
    int32_t *n_leaf, *leaf, *leaf_node, *height;
} nodes;

static int32_t note_subtree(const nodes *to, pl_subtree t)
{
    int32_t height = 0;
    to->n_leaf[t.node] = t.n_leaf;
    to->leaf[t.node] = t.leaf;
    if (t.n_leaf == 1) {
        to->leaf_node[t.leaf] = t.node;
    } else {
        int32_t left = note_subtree(to, pl_subtree_left(t));
        int32_t right = note_subtree(to, pl_subtree_right(t));
        height = 1 + PL_MAX(left, right);
    }
    to->height[t.node] = height;
    return height;
}

// Inner nodes in the order of their heights, which a node's children come before it in.
static pl_status send_levels(pl_gpu *gpu, pl_gpu_surfaces *g, const int32_t *height)
{
    int32_t n_node = g->surfaces->n_node, n = 0;
    for (int32_t i = 0; i < n_node; i++) g->n_level = PL_MAX(g->n_level, height[i]);
    g->level = pl_alloc_zero((int64_t)g->n_level + 1, sizeof *g->level);
    int32_t *order = pl_alloc(n_node, sizeof *order);
    bool ok = g->level != NULL && order != NULL;
    for (int32_t h = 1; ok && h <= g->n_level; h++) {
        for (int32_t i = 0; i < n_node; i++) {
            if (height[i] == h) order[n++] = i;
        }
        g->level[h] = n;
    }
    pl_status status = ok ? pl_gpu_take(gpu, n, 4, &g->level_node) : PL_ERROR_MEMORY;
    if (status == PL_OK) pl_gpu_write(gpu, &g->level_node, 0, 4 * (int64_t)n, order);
    pl_free(order);
    return status;
}

static pl_status send_nodes(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n = s->n_node;
    PL_TRY(room(g, 3 * n + s->n_leaf));
    const nodes to = {g->host, g->host + n, g->host + 3 * n, g->host + 2 * n};
    for (int64_t i = 0; i < 3 * n; i++) g->host[i] = 0;
    for (int32_t b = 0; b < s->n_body; b++) {
        if (s->body[b].tree.n_leaf > 0) note_subtree(&to, s->body[b].tree);
    }
    PL_TRY(pl_gpu_take(gpu, n, 4, &g->n_leaf));
    PL_TRY(pl_gpu_take(gpu, n, 4, &g->node_leaf));
    PL_TRY(pl_gpu_take(gpu, s->n_leaf, 4, &g->leaf_node));
    pl_gpu_write(gpu, &g->n_leaf, 0, 4 * n, to.n_leaf);
    pl_gpu_write(gpu, &g->node_leaf, 0, 4 * n, to.leaf);
    pl_gpu_write(gpu, &g->leaf_node, 0, 4 * (int64_t)s->n_leaf, to.leaf_node);
    return send_levels(gpu, g, to.height);
}

static pl_status send_bodies(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    PL_TRY(room(g, s->n_body));
    for (int32_t b = 0; b < s->n_body; b++) g->host[b] = s->body[b].tree.node;
    return send(gpu, g, s->n_body, &g->root);
}

static pl_status create(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    PL_TRY(pl_gpu_take(gpu, s->n_point, 4, &g->point));
    pl_gpu_write(gpu, &g->point, 0, 4 * (int64_t)s->n_point, s->point);
    PL_TRY(pl_gpu_take(gpu, (int64_t)s->n_leaf + 1, 4, &g->leaf_item));
    pl_gpu_write(gpu, &g->leaf_item, 0, 4 * ((int64_t)s->n_leaf + 1), s->leaf_item);
    PL_TRY(send_items(gpu, g));
    PL_TRY(send_nodes(gpu, g));
    PL_TRY(send_bodies(gpu, g));
    PL_TRY(pl_gpu_take(gpu, s->n_point, 8, &g->pad));
    PL_TRY(pl_gpu_take(gpu, s->n_point, 4, &g->smooth));
    PL_TRY(pl_gpu_take(gpu, s->n_point, 4, &g->bad));
    PL_TRY(pl_gpu_take(gpu, 6 * (int64_t)s->n_point, 4, &g->point_bound));
    PL_TRY(pl_gpu_take(gpu, 6 * (int64_t)s->n_item, 4, &g->item_bound));
    PL_TRY(pl_gpu_take(gpu, 6 * (int64_t)s->n_node, 4, &g->bound));
    PL_TRY(pl_gpu_take(gpu, (int64_t)s->n_body + 1, 4, &g->partner_start));
    g->box = pl_alloc(6 * (int64_t)s->n_node, sizeof *g->box);
    return g->box != NULL ? pl_gpu_state(gpu) : PL_ERROR_MEMORY;
}

pl_status pl_gpu_surfaces_create(pl_gpu *gpu, const pl_surfaces *s, pl_gpu_surfaces *out)
{
    *out = (pl_gpu_surfaces){.surfaces = s};
    pl_status status = create(gpu, out);
    if (status != PL_OK) pl_gpu_surfaces_free(gpu, out);
    return status;
}

void pl_gpu_surfaces_free(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    pl_gpu_buffer *all[] = {&g->point,       &g->corner,     &g->items,     &g->item_body,
                            &g->leaf_item,   &g->leaf_node,  &g->node_leaf, &g->n_leaf,
                            &g->root,        &g->level_node, &g->pad,       &g->smooth,
                            &g->point_bound, &g->item_bound, &g->bound,     &g->bad,
                            &g->count,       &g->start,      &g->part,      &g->partner_start,
                            &g->partner,     &g->pair,       &g->feature};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_gpu_drop(gpu, all[i]);
    pl_free(g->level);
    pl_free(g->box);
    pl_free(g->host);
    *g = (pl_gpu_surfaces){0};
}

// --- Boxes ---

static pl_status send_pads(pl_gpu *gpu, pl_gpu_surfaces *g, double margin)
{
    const pl_surfaces *s = g->surfaces;
    PL_TRY(room(g, 2 * (int64_t)s->n_point));
    double *pad = (void *)g->host;
    for (int32_t p = 0; p < s->n_point; p++) {
        pad[p] = s->body[s->point_body[p]].radius + margin / 2;
    }
    pl_gpu_write(gpu, &g->pad, 0, 8 * (int64_t)s->n_point, pad);
    return PL_OK;
}

pl_status pl_gpu_surfaces_refit(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                                const pl_gpu_buffer *x1, double margin)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n_point = s->n_point, n_item = s->n_item, n_leaf = s->n_leaf;
    PL_TRY(send_pads(gpu, g, margin));
    pl_gpu_launch(gpu, "bound_points", n_point,
                  PL_ARGS(PL_ARG(n_point), PL_ARG(&g->point), PL_ARG(x0), PL_ARG(x1),
                          PL_ARG(&g->pad), PL_ARG(&g->point_bound), PL_ARG(&g->bad)));
    pl_gpu_note(gpu, 88 * (double)n_point, 40 * (double)n_point);
    pl_gpu_launch(gpu, "bound_items", n_item,
                  PL_ARGS(PL_ARG(n_item), PL_ARG(&g->corner), PL_ARG(&g->point_bound),
                          PL_ARG(&g->item_bound)));
    pl_gpu_note(gpu, 108 * (double)n_item, 12 * (double)n_item);
    pl_gpu_launch(gpu, "bound_leaves", n_leaf,
                  PL_ARGS(PL_ARG(n_leaf), PL_ARG(&g->leaf_node), PL_ARG(&g->leaf_item),
                          PL_ARG(&g->item_bound), PL_ARG(&g->bound)));
    pl_gpu_note(gpu, 24 * (double)(n_item + n_leaf), 6 * (double)n_item);
    for (int32_t h = 1; h <= g->n_level; h++) {
        int64_t first = g->level[h - 1], n = g->level[h] - first;
        pl_gpu_launch(gpu, "bound_nodes", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(first), PL_ARG(&g->level_node), PL_ARG(&g->n_leaf),
                              PL_ARG(&g->bound)));
        pl_gpu_note(gpu, 80 * (double)n, 6 * (double)n);
    }
    PL_TRY(room(g, n_point));
    PL_TRY(pl_gpu_read(gpu, &g->bad, 0, 4 * n_point, g->host));
    for (int64_t p = 0; p < n_point; p++) {
        if (g->host[p] == 0) continue;
        return pl_fail(PL_ERROR_NUMERICS, "the motion of vertex %d is not finite or beyond %g m",
                       (int)s->point[p], 1e30);
    }
    return PL_OK;
}

// --- Pairs ---

static bool meet(const float *a, const float *b)
{
    for (int k = 0; k < 3; k++) {
        if (a[k] + b[3 + k] > 0 || b[k] + a[3 + k] > 0) return false;
    }
    return true;
}

// Which bodies each is searched for with: itself and later ones whose roots' boxes meet its own.
// Counted first, so that there is room.
static pl_status send_partners(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int32_t *start, n = 0;
    for (int pass = 0; pass < 2; pass++) {
        PL_TRY(room(g, (int64_t)s->n_body + 1 + n));
        start = g->host;
        n = 0;
        for (int32_t a = 0; a < s->n_body; a++) {
            const pl_subtree ta = s->body[a].tree;
            start[a] = n;
            for (int32_t b = a; b < s->n_body; b++) {
                const pl_subtree tb = s->body[b].tree;
                bool some = ta.n_leaf > 0 && tb.n_leaf > 0;
                if (!some || !meet(g->box + 6 * (int64_t)ta.node, g->box + 6 * (int64_t)tb.node)) {
                    continue;
                }
                if (!pl_surfaces_paired(s, a, b)) continue;
                if (pass == 1) start[s->n_body + 1 + n] = b;
                n++;
            }
        }
        start[s->n_body] = n;
    }
    PL_TRY(pl_gpu_reserve(gpu, &g->partner, n, 4));
    pl_gpu_write(gpu, &g->partner_start, 0, 4 * ((int64_t)s->n_body + 1), start);
    pl_gpu_write(gpu, &g->partner, 0, 4 * (int64_t)n, start + s->n_body + 1);
    return PL_OK;
}

static pl_status find_items(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    int64_t n = g->surfaces->n_item;
    PL_TRY(pl_gpu_reserve(gpu, &g->count, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->start, n, 4));
    pl_gpu_launch(gpu, "bvh_count", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->item_body), PL_ARG(&g->partner_start),
                          PL_ARG(&g->partner), PL_ARG(&g->root), PL_ARG(&g->n_leaf),
                          PL_ARG(&g->node_leaf), PL_ARG(&g->leaf_item), PL_ARG(&g->item_bound),
                          PL_ARG(&g->bound), PL_ARG(&g->count)));
    PL_TRY(pl_gpu_scan(gpu, n, &g->count, &g->part, &g->start, &g->n_pair));
    PL_TRY(pl_gpu_reserve(gpu, &g->pair, 2 * g->n_pair, 4));
    pl_gpu_launch(gpu, "bvh_fill", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->item_body), PL_ARG(&g->partner_start),
                          PL_ARG(&g->partner), PL_ARG(&g->root), PL_ARG(&g->n_leaf),
                          PL_ARG(&g->node_leaf), PL_ARG(&g->leaf_item), PL_ARG(&g->item_bound),
                          PL_ARG(&g->bound), PL_ARG(&g->start), PL_ARG(&g->pair)));
    pl_gpu_note(gpu, 24 * (double)n + 8 * (double)g->n_pair, 0);
    return PL_OK;
}

static pl_status find_features(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    int64_t n = g->n_pair;
    PL_TRY(pl_gpu_reserve(gpu, &g->count, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->start, n, 4));
    pl_gpu_launch(gpu, "feature_count", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->pair), PL_ARG(&g->items), PL_ARG(&g->point),
                          PL_ARG(&g->smooth), PL_ARG(&g->item_bound), PL_ARG(&g->point_bound),
                          PL_ARG(&g->count)));
    pl_gpu_note(gpu, 280 * (double)n, 100 * (double)n);
    PL_TRY(pl_gpu_scan(gpu, n, &g->count, &g->part, &g->start, &g->n_feature));
    PL_TRY(pl_gpu_reserve(gpu, &g->feature, PL_GPU_FEATURE * g->n_feature, 4));
    pl_gpu_launch(gpu, "feature_fill", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->pair), PL_ARG(&g->items), PL_ARG(&g->point),
                          PL_ARG(&g->smooth), PL_ARG(&g->item_bound), PL_ARG(&g->point_bound),
                          PL_ARG(&g->start), PL_ARG(&g->feature)));
    pl_gpu_note(gpu, 280 * (double)n + 28 * (double)g->n_feature, 100 * (double)n);
    return pl_gpu_state(gpu);
}

pl_status pl_gpu_surfaces_search(pl_gpu *gpu, pl_gpu_surfaces *g, const uint8_t *smooth)
{
    const pl_surfaces *s = g->surfaces;
    PL_TRY(room(g, s->n_point));
    for (int32_t p = 0; p < s->n_point; p++) g->host[p] = smooth != NULL && smooth[p];
    pl_gpu_write(gpu, &g->smooth, 0, 4 * (int64_t)s->n_point, g->host);
    for (int32_t b = 0; b < s->n_body; b++) {
        int64_t node = s->body[b].tree.node;
        if (s->body[b].tree.n_leaf == 0) continue;
        PL_TRY(pl_gpu_read(gpu, &g->bound, 24 * node, 24, g->box + 6 * node));
    }
    PL_TRY(send_partners(gpu, g));
    PL_TRY(find_items(gpu, g));
    return find_features(gpu, g);
}

// --- Pairs of features ---

// Operations of a test of a pair that steps twice, about.
enum { CLOSEST_FLOPS = 150, CCD_FLOPS = 900 };

void pl_gpu_closest(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *feature, const pl_gpu_buffer *x,
                    const pl_gpu_buffer *closest)
{
    pl_gpu_launch(gpu, "pair_closest", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(feature), PL_ARG(x), PL_ARG(closest)));
    pl_gpu_note(gpu, (28 + 96 + 64) * (double)n, CLOSEST_FLOPS * (double)n);
}

void pl_gpu_ccd(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *feature, const pl_gpu_buffer *x0,
                const pl_gpu_buffer *x1, const pl_gpu_buffer *separation,
                const pl_gpu_buffer *radii, bool halve, const pl_gpu_buffer *hit,
                const pl_gpu_buffer *time, const pl_gpu_buffer *closest)
{
    pl_gpu_launch(gpu, "pair_ccd", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(feature), PL_ARG(x0), PL_ARG(x1), PL_ARG(separation),
                          PL_ARG(radii), PL_ARG((int32_t)halve), PL_ARG(hit), PL_ARG(time),
                          PL_ARG(closest)));
    pl_gpu_note(gpu, (28 + 192 + 16 + 76) * (double)n, CCD_FLOPS * (double)n);
}
