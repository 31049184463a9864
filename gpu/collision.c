#include "collision.h"

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

pl_status pl_gpu_surfaces_take_items(pl_gpu *gpu, pl_gpu_surfaces *g, int32_t first, int32_t last)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n = last - first, at = first;
    PL_TRY(room(g, ITEM_NUMBERS * n));
    for (int64_t i = 0; i < n; i++) {
        const pl_item *item = &s->item[first + i];
        int32_t *to = g->host + ITEM_NUMBERS * i;
        for (int k = 0; k < 3; k++) to[k] = item->point[k], to[3 + k] = item->edge[k];
        to[6] = item->id, to[7] = item->kind, to[8] = item->own;
    }
    pl_gpu_write(gpu, &g->items, 4 * ITEM_NUMBERS * at, 4 * ITEM_NUMBERS * n, g->host);
    for (int64_t i = 0; i < 3 * n; i++) g->host[i] = s->item[first + i / 3].point[i % 3];
    pl_gpu_write(gpu, &g->corner, 12 * at, 12 * n, g->host);
    return pl_gpu_state(gpu);
}

// What of items does not depend on their order.
static pl_status send_items(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n = s->n_item;
    PL_TRY(pl_gpu_take(gpu, ITEM_NUMBERS * n, 4, &g->items));
    PL_TRY(pl_gpu_take(gpu, 3 * n, 4, &g->corner));
    PL_TRY(pl_gpu_surfaces_take_items(gpu, g, 0, s->n_item));
    PL_TRY(room(g, n));
    for (int32_t b = 0; b < s->n_body; b++) {
        const pl_surface_body *body = &s->body[b];
        for (int32_t i = body->item; i < body->item + body->n_item; i++) g->host[i] = b;
    }
    PL_TRY(send(gpu, g, n, &g->item_body));
    for (int32_t leaf = 0; leaf < s->n_leaf; leaf++) {
        for (int32_t i = s->leaf_item[leaf]; i < s->leaf_item[leaf + 1]; i++) g->host[i] = leaf;
    }
    return send(gpu, g, n, &g->item_leaf);
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

// The roots of bodies and chunks; a body without a surface has the first node of the next.
static pl_status send_roots(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n_chunk = s->n_chunk, n_body = s->n_body;
    PL_TRY(room(g, n_chunk + n_body));
    for (int64_t b = 0; b < n_body; b++) g->host[b] = s->body[b].tree.node;
    PL_TRY(send(gpu, g, n_body, &g->root));
    for (int64_t c = 0; c < n_chunk; c++) g->host[c] = s->chunk[c].tree.node;
    for (int64_t b = 0; b < n_body; b++) {
        g->host[n_chunk + b] = s->body[b].tree.n_leaf > 0 ? s->body[b].tree.node : 0;
    }
    return send(gpu, g, n_chunk + n_body, &g->roots);
}

static pl_status send_bodies(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    PL_TRY(pl_gpu_take(gpu, s->n_body, 8, &g->radius));
    for (int64_t b = 0; b < s->n_body; b++) {
        pl_gpu_write(gpu, &g->radius, 8 * b, 8, &s->body[b].radius);
    }
    PL_TRY(pl_gpu_take(gpu, s->n_body, 4, &g->wanted));
    return pl_gpu_take(gpu, (int64_t)s->n_body + 1, 4, &g->partner_start);
}

static pl_status create(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n_point = s->n_point, n_leaf = s->n_leaf;
    PL_TRY(pl_gpu_take(gpu, n_point, 4, &g->point));
    pl_gpu_write(gpu, &g->point, 0, 4 * n_point, s->point);
    PL_TRY(pl_gpu_take(gpu, n_point, 4, &g->point_body));
    pl_gpu_write(gpu, &g->point_body, 0, 4 * n_point, s->point_body);
    PL_TRY(pl_gpu_take(gpu, n_leaf + 1, 4, &g->leaf_item));
    pl_gpu_write(gpu, &g->leaf_item, 0, 4 * (n_leaf + 1), s->leaf_item);
    PL_TRY(send_items(gpu, g));
    PL_TRY(send_nodes(gpu, g));
    PL_TRY(send_roots(gpu, g));
    PL_TRY(send_bodies(gpu, g));
    PL_TRY(pl_gpu_take(gpu, n_point, 1, &g->smooth));
    PL_TRY(pl_gpu_take(gpu, n_leaf, 4, &g->leaf_patch));
    PL_TRY(pl_gpu_take(gpu, n_point, 4, &g->mark));
    PL_TRY(pl_gpu_take(gpu, 6 * n_point, 4, &g->point_bound));
    PL_TRY(pl_gpu_take(gpu, 6 * (int64_t)s->n_item, 4, &g->item_bound));
    PL_TRY(pl_gpu_take(gpu, 6 * ((int64_t)s->n_node + 1), 4, &g->bound));
    PL_TRY(pl_gpu_take(gpu, (int64_t)s->n_node + 1, 4, &g->cost));
    return pl_gpu_take(gpu, 7 * ((int64_t)s->n_chunk + s->n_body), 4, &g->root_box);
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
    pl_gpu_buffer *all[] = {&g->point,         &g->point_body, &g->radius,      &g->corner,
                            &g->items,         &g->item_body,  &g->item_leaf,   &g->leaf_item,
                            &g->leaf_node,     &g->node_leaf,  &g->n_leaf,      &g->root,
                            &g->level_node,    &g->roots,      &g->wanted,      &g->smooth,
                            &g->leaf_patch,    &g->mark,       &g->point_bound, &g->item_bound,
                            &g->bound,         &g->cost,       &g->root_box,    &g->count,
                            &g->start,         &g->part,       &g->partner,     &g->pair,
                            &g->partner_start, &g->feature,    &g->name};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) pl_gpu_drop(gpu, all[i]);
    pl_free(g->level);
    pl_free(g->host);
    *g = (pl_gpu_surfaces){0};
}

// --- Boxes ---

// The points that are marked: *list (*n).
static pl_status read_marked(pl_gpu *gpu, pl_gpu_surfaces *g, int32_t *n, const int32_t **list)
{
    int64_t n_point = g->surfaces->n_point, total;
    *n = 0;
    PL_TRY(pl_gpu_reserve(gpu, &g->start, n_point, 4));
    PL_TRY(pl_gpu_scan(gpu, n_point, &g->mark, &g->part, &g->start, &total));
    *n = (int32_t)total;
    *list = g->host;
    if (total == 0) return PL_OK;
    PL_TRY(pl_gpu_reserve(gpu, &g->count, n_point, 4));
    PL_TRY(room(g, n_point));
    *list = g->host;
    pl_gpu_launch(gpu, "list_marked", n_point,
                  PL_ARGS(PL_ARG(n_point), PL_ARG(&g->mark), PL_ARG(&g->start), PL_ARG(&g->count)));
    pl_gpu_note(gpu, 8 * (double)n_point + 4 * (double)total, 0);
    return pl_gpu_read(gpu, &g->count, 0, 4 * total, g->host);
}

pl_status pl_gpu_surfaces_move(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                               const pl_gpu_buffer *x1, double margin, const uint8_t *stale,
                               int32_t *bad)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n_point = s->n_point;
    int32_t n;
    const int32_t *list;
    PL_TRY(room(g, s->n_body));
    for (int32_t b = 0; b < s->n_body; b++) g->host[b] = stale == NULL || stale[b];
    pl_gpu_write(gpu, &g->wanted, 0, 4 * (int64_t)s->n_body, g->host);
    pl_gpu_launch(gpu, "bound_points", n_point,
                  PL_ARGS(PL_ARG(n_point), PL_ARG(&g->point), PL_ARG(&g->point_body),
                          PL_ARG(&g->wanted), PL_ARG(&g->radius), PL_ARG(margin / 2), PL_ARG(x0),
                          PL_ARG(x1), PL_ARG(&g->point_bound), PL_ARG(&g->mark)));
    pl_gpu_note(gpu, 88 * (double)n_point, 40 * (double)n_point);
    PL_TRY(read_marked(gpu, g, &n, &list));
    *bad = n > 0 ? list[0] : INT32_MAX;
    return PL_OK;
}

pl_status pl_gpu_surfaces_leaving(pl_gpu *gpu, pl_gpu_surfaces *g, const pl_gpu_buffer *x0,
                                  const pl_gpu_buffer *x1, int32_t *n, const int32_t **list)
{
    int64_t n_point = g->surfaces->n_point;
    pl_gpu_launch(gpu, "bound_leaving", n_point,
                  PL_ARGS(PL_ARG(n_point), PL_ARG(&g->point), PL_ARG(&g->point_body),
                          PL_ARG(&g->radius), PL_ARG(x0), PL_ARG(x1), PL_ARG(&g->point_bound),
                          PL_ARG(&g->mark)));
    pl_gpu_note(gpu, 84 * (double)n_point, 46 * (double)n_point);
    return read_marked(gpu, g, n, list);
}

pl_status pl_gpu_surfaces_refit(pl_gpu *gpu, pl_gpu_surfaces *g, float *root)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n_item = s->n_item, n_leaf = s->n_leaf, n_root = (int64_t)s->n_chunk + s->n_body;
    pl_gpu_launch(gpu, "bound_items", n_item,
                  PL_ARGS(PL_ARG(n_item), PL_ARG(&g->corner), PL_ARG(&g->point_bound),
                          PL_ARG(&g->item_bound)));
    pl_gpu_note(gpu, 108 * (double)n_item, 12 * (double)n_item);
    pl_gpu_launch(gpu, "bound_leaves", n_leaf,
                  PL_ARGS(PL_ARG(n_leaf), PL_ARG(&g->leaf_node), PL_ARG(&g->leaf_item),
                          PL_ARG(&g->item_bound), PL_ARG(&g->bound), PL_ARG(&g->cost)));
    pl_gpu_note(gpu, 24 * (double)(n_item + n_leaf), 6 * (double)n_item);
    for (int32_t h = 1; h <= g->n_level; h++) {
        int64_t first = g->level[h - 1], n = g->level[h] - first;
        pl_gpu_launch(gpu, "bound_nodes", n,
                      PL_ARGS(PL_ARG(n), PL_ARG(first), PL_ARG((int32_t)PL_CHUNK_LEAVES),
                              PL_ARG(&g->level_node), PL_ARG(&g->n_leaf), PL_ARG(&g->bound),
                              PL_ARG(&g->cost)));
        pl_gpu_note(gpu, 92 * (double)n, 16 * (double)n);
    }
    pl_gpu_launch(gpu, "bound_roots", n_root,
                  PL_ARGS(PL_ARG(n_root), PL_ARG(&g->roots), PL_ARG(&g->bound), PL_ARG(&g->cost),
                          PL_ARG(&g->root_box)));
    pl_gpu_note(gpu, 60 * (double)n_root, 0);
    return pl_gpu_read(gpu, &g->root_box, 0, 28 * n_root, root);
}

// --- Pairs ---

static int32_t body_of(const pl_surfaces *s, pl_subtree tree)
{
    return s->chunk[s->leaf_chunk[tree.leaf]].body;
}

// Which bodies each is searched for with: the other one of its tasks, listed with the first.
// Counted before they are filled in.
static pl_status send_partners(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    int64_t n_body = s->n_body, n = s->n_task;
    PL_TRY(room(g, n_body + 2 + n));
    int32_t *start = g->host, *next = start + 1, *partner = start + n_body + 2;
    for (int64_t b = 0; b < n_body + 2; b++) start[b] = 0;
    for (int64_t i = 0; i < n; i++) next[body_of(s, s->task[i].a) + 1]++;
    for (int64_t b = 0; b < n_body; b++) next[b + 1] += next[b];
    for (int64_t i = 0; i < n; i++) {
        partner[next[body_of(s, s->task[i].a)]++] = body_of(s, s->task[i].b);
    }
    PL_TRY(pl_gpu_reserve(gpu, &g->partner, n, 4));
    pl_gpu_write(gpu, &g->partner_start, 0, 4 * (n_body + 1), start);
    pl_gpu_write(gpu, &g->partner, 0, 4 * n, partner);
    return PL_OK;
}

// Of a walk through all trees by all items: each box once, and two of a level for each item.
static void note_walk(pl_gpu *gpu, const pl_gpu_surfaces *g)
{
    const pl_surfaces *s = g->surfaces;
    pl_gpu_note(gpu, 40 * (double)s->n_item + 32 * (double)s->n_node,
                24 * (double)s->n_item * g->n_level);
}

static pl_status find_items(pl_gpu *gpu, pl_gpu_surfaces *g)
{
    int64_t n = g->surfaces->n_item;
    PL_TRY(pl_gpu_reserve(gpu, &g->count, n, 4));
    PL_TRY(pl_gpu_reserve(gpu, &g->start, n, 4));
    pl_gpu_launch(gpu, "bvh_count", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->item_body), PL_ARG(&g->item_leaf),
                          PL_ARG(&g->leaf_patch), PL_ARG(&g->partner_start), PL_ARG(&g->partner),
                          PL_ARG(&g->root), PL_ARG(&g->n_leaf), PL_ARG(&g->node_leaf),
                          PL_ARG(&g->leaf_item), PL_ARG(&g->item_bound), PL_ARG(&g->bound),
                          PL_ARG(&g->count)));
    PL_TRY(pl_gpu_scan(gpu, n, &g->count, &g->part, &g->start, &g->n_pair));
    PL_TRY(pl_gpu_reserve(gpu, &g->pair, 2 * g->n_pair, 4));
    pl_gpu_launch(gpu, "bvh_fill", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->item_body), PL_ARG(&g->item_leaf),
                          PL_ARG(&g->leaf_patch), PL_ARG(&g->partner_start), PL_ARG(&g->partner),
                          PL_ARG(&g->root), PL_ARG(&g->n_leaf), PL_ARG(&g->node_leaf),
                          PL_ARG(&g->leaf_item), PL_ARG(&g->item_bound), PL_ARG(&g->bound),
                          PL_ARG(&g->start), PL_ARG(&g->pair)));
    note_walk(gpu, g);
    pl_gpu_note(gpu, 8 * (double)g->n_pair, 0);
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

pl_status pl_gpu_surfaces_search(pl_gpu *gpu, pl_gpu_surfaces *g, const int32_t *leaf_patch,
                                 const uint8_t *smooth)
{
    const pl_surfaces *s = g->surfaces;
    pl_gpu_write(gpu, &g->leaf_patch, 0, 4 * (int64_t)s->n_leaf, leaf_patch);
    pl_gpu_write(gpu, &g->smooth, 0, s->n_point, smooth);
    PL_TRY(send_partners(gpu, g));
    PL_TRY(find_items(gpu, g));
    return find_features(gpu, g);
}

pl_status pl_gpu_surfaces_names(pl_gpu *gpu, pl_gpu_surfaces *g, const int32_t **name)
{
    int64_t n = g->n_feature;
    PL_TRY(pl_gpu_reserve(gpu, &g->name, 3 * n, 4));
    PL_TRY(room(g, 3 * n));
    *name = g->host;
    pl_gpu_launch(gpu, "feature_names", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(&g->feature), PL_ARG(&g->name)));
    pl_gpu_note(gpu, 40 * (double)n, 0);
    return pl_gpu_read(gpu, &g->name, 0, 12 * n, g->host);
}

// --- Pairs of features ---

// Operations of a test of a pair that steps twice, about.
enum { CLOSEST_FLOPS = 150, CCD_FLOPS = 900, APART_FLOPS = 700 };

void pl_gpu_closest(pl_gpu *gpu, int64_t n, int32_t stride, const pl_gpu_buffer *pair,
                    const pl_gpu_buffer *x, const pl_gpu_buffer *closest)
{
    pl_gpu_launch(gpu, "pair_closest", n,
                  PL_ARGS(PL_ARG(n), PL_ARG(stride), PL_ARG(pair), PL_ARG(x), PL_ARG(closest)));
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

void pl_gpu_hit(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *pair, const pl_gpu_buffer *x0,
                const pl_gpu_buffer *x1, const pl_gpu_buffer *separation,
                const pl_gpu_buffer *radii, bool flat, bool round, const pl_gpu_buffer *hit)
{
    static const char *const kernel[2] = {"pair_hit", "pair_hit_round"};
    const bool some[2] = {flat, round};
    for (int k = 0; k < 2; k++) {
        if (!some[k]) continue;
        pl_gpu_launch(gpu, kernel[k], n,
                      PL_ARGS(PL_ARG(n), PL_ARG(pair), PL_ARG(x0), PL_ARG(x1), PL_ARG(separation),
                              PL_ARG(radii), PL_ARG(hit)));
        pl_gpu_note(gpu, (20 + 192 + 16 + 1) * (double)n, (APART_FLOPS + CCD_FLOPS) * (double)n);
    }
}
