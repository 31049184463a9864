// Features of all colliders, and the public calls.

#include "surfaces.h"
#include "../meshes/edges.h"
#include "bvh.h"
#include "device.h"
#include "list.h"
#include "patch.h"
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- What is given ---

pl_collider pl_collider_default(void)
{
    return (pl_collider){.self = true, .category = 1, .mask = UINT32_MAX};
}

static pl_status check_indices(int32_t collider, const char *what, int32_t n, int corners,
                               const int32_t *index, int32_t n_vert)
{
    if (n < 0 || n > INT32_MAX / 4 || (n > 0 && index == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "collider %d: bad number of %ss: %d", collider, what, n);
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t *c = index + corners * (int64_t)i;
        for (int k = 0; k < corners; k++) {
            if (c[k] < 0 || c[k] >= n_vert) {
                return pl_fail(PL_ERROR_ARGUMENT, "collider %d: %s %d: no vertex %d", collider,
                               what, i, c[k]);
            }
            if (k > 0 && (c[k] == c[0] || c[k] == c[k - 1])) {
                return pl_fail(PL_ERROR_ARGUMENT, "collider %d: %s %d has vertex %d twice",
                               collider, what, i, c[k]);
            }
        }
    }
    return PL_OK;
}

static pl_status check_colliders(int32_t n_vert, const double *x, int32_t n,
                                 const pl_collider *collider)
{
    if (n_vert < 0 || n < 0 || (n_vert > 0 && x == NULL) || (n > 0 && collider == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "surfaces: bad number of vertices or colliders");
    }
    int64_t items = 0;
    for (int32_t i = 0; i < n; i++) {
        const pl_collider *c = &collider[i];
        PL_TRY(check_indices(i, "face", c->n_face, 3, c->face, n_vert));
        PL_TRY(check_indices(i, "edge", c->n_edge, 2, c->edge, n_vert));
        PL_TRY(check_indices(i, "point", c->n_point, 1, c->point, n_vert));
        if (!(c->radius >= 0 && c->radius < PL_BOUND_MAX)) {
            return pl_fail(PL_ERROR_ARGUMENT, "collider %d: bad radius %g", i, c->radius);
        }
        items += (int64_t)c->n_face + c->n_edge + c->n_point;
    }
    if (items > INT32_MAX / 4) return pl_fail(PL_ERROR_ARGUMENT, "surfaces: too many elements");
    return PL_OK;
}

// --- Counting and numbering ---

static int32_t n_items(const pl_collider *c)
{
    return c->n_face + c->n_edge + c->n_point;
}

static int32_t n_leaves(int32_t n_item)
{
    return (n_item + PL_LEAF_ITEMS - 1) / PL_LEAF_ITEMS;
}

static int32_t count_chunks(int32_t n_leaf)
{
    if (n_leaf <= PL_CHUNK_LEAVES) return n_leaf > 0;
    return count_chunks(n_leaf / 2) + count_chunks(n_leaf - n_leaf / 2);
}

static void place_bodies(pl_surfaces *s, int32_t n, const pl_collider *collider)
{
    for (int32_t i = 0; i < n; i++) {
        const pl_collider *c = &collider[i];
        pl_surface_body *b = &s->body[i];
        int32_t n_leaf = n_leaves(n_items(c));
        *b = (pl_surface_body){
            .tree = {s->n_node, s->n_leaf, n_leaf},
            .item = s->n_item,
            .n_item = n_items(c),
            .chunk = s->n_chunk,
            .n_chunk = count_chunks(n_leaf),
            .radius = c->radius,
            .fixed = c->fixed,
            .self = c->self,
            .category = c->category,
            .mask = c->mask,
            .group = c->group,
        };
        s->n_item += b->n_item;
        s->n_leaf += n_leaf;
        s->n_node += n_leaf > 0 ? 2 * n_leaf - 1 : 0;
        s->n_chunk += b->n_chunk;
        s->n_face += c->n_face;
    }
}

// point_of (n_vert) := the body of each vertex, -1 if it has none.
static pl_status claim_vertices(int32_t body, int64_t n, const int32_t *vertex, int32_t *owner)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t *o = &owner[vertex[i]];
        if (*o >= 0 && *o != body) {
            return pl_fail(PL_ERROR_ARGUMENT, "vertex %d belongs to colliders %d and %d", vertex[i],
                           *o, body);
        }
        *o = body;
    }
    return PL_OK;
}

// The points: vertices in use. point_of (n_vert) receives the point of each vertex.
static pl_status number_points(pl_surfaces *s, int32_t n, const pl_collider *collider,
                               int32_t *point_of)
{
    for (int32_t v = 0; v < s->n_vert; v++) point_of[v] = -1;
    for (int32_t i = 0; i < n; i++) {
        const pl_collider *c = &collider[i];
        PL_TRY(claim_vertices(i, 3 * (int64_t)c->n_face, c->face, point_of));
        PL_TRY(claim_vertices(i, 2 * (int64_t)c->n_edge, c->edge, point_of));
        PL_TRY(claim_vertices(i, c->n_point, c->point, point_of));
    }
    for (int32_t v = 0; v < s->n_vert; v++) s->n_point += point_of[v] >= 0;
    s->point = pl_alloc(s->n_point, sizeof *s->point);
    s->point_body = pl_alloc(s->n_point, sizeof *s->point_body);
    if (s->point == NULL || s->point_body == NULL) return PL_ERROR_MEMORY;
    int32_t p = 0;
    for (int32_t v = 0; v < s->n_vert; v++) {
        if (point_of[v] < 0) continue;
        s->point[p] = v;
        s->point_body[p] = point_of[v];
        point_of[v] = p++;
    }
    return PL_OK;
}

// Where the points of each body stand, if they stand together.
static void place_points(pl_surfaces *s)
{
    s->together = true;
    for (int32_t p = 0; p < s->n_point; p++) {
        pl_surface_body *b = &s->body[s->point_body[p]];
        if (b->n_point == 0) b->point = p;
        s->together = s->together && b->point + b->n_point == p;
        b->n_point++;
    }
    for (int32_t b = 0; b < s->n_body && !s->together; b++) s->body[b].n_point = 0;
}

// --- Items ---

static void place_item(pl_item *item, pl_item_kind kind, const int32_t *vertex, int32_t id,
                       const int32_t *point_of)
{
    *item = (pl_item){.edge = {-1, -1, -1}, .id = id, .kind = (uint8_t)kind};
    for (int k = 0; k < 3; k++) {
        item->point[k] = point_of[vertex[k < (int)kind ? k : (int)kind - 1]];
    }
}

// Faces know their number; edges get theirs when all edges are sorted; points are their own.
static void place_items(pl_surfaces *s, int32_t n, const pl_collider *collider,
                        const int32_t *point_of)
{
    int32_t face = 0;
    pl_item *item = s->item;
    for (int32_t b = 0; b < n; b++) {
        const pl_collider *c = &collider[b];
        for (int32_t i = 0; i < c->n_face; i++) {
            place_item(item++, PL_ITEM_FACE, c->face + 3 * (int64_t)i, face++, point_of);
        }
        for (int32_t i = 0; i < c->n_edge; i++) {
            place_item(item++, PL_ITEM_EDGE, c->edge + 2 * (int64_t)i, -1, point_of);
        }
        for (int32_t i = 0; i < c->n_point; i++) {
            place_item(item++, PL_ITEM_POINT, c->point + i, point_of[c->point[i]], point_of);
        }
    }
}

// Each point goes to the first item that has it.
static void own_points(pl_surfaces *s, int32_t *taken)
{
    memset(taken, 0, (size_t)s->n_point * sizeof *taken);
    for (int32_t i = 0; i < s->n_item; i++) {
        pl_item *item = &s->item[i];
        for (int k = 0; k < item->kind; k++) {
            if (taken[item->point[k]]++ == 0) item->own = (uint8_t)(item->own | 1 << k);
        }
    }
}

static pl_status number_edges(pl_surfaces *s)
{
    pl_side *side = pl_alloc(3 * (int64_t)s->n_item, sizeof *side);
    if (side == NULL) return PL_ERROR_MEMORY;
    int64_t n = 0;
    for (int32_t i = 0; i < s->n_item; i++) {
        const pl_item *item = &s->item[i];
        int sides = item->kind == PL_ITEM_FACE ? 3 : item->kind == PL_ITEM_EDGE;
        for (int k = 0; k < sides; k++) {
            uint64_t edge = pl_edge_of(item->point[k], item->point[(k + 1) % 3]);
            side[n++] = (pl_side){edge, 3 * i + k};
        }
    }
    pl_status status = pl_sides_order(&side, n);
    for (int64_t i = 0; i < n; i = pl_sides_run(side, n, i)) s->n_edge++;
    s->edge = pl_alloc(2 * (int64_t)s->n_edge, sizeof *s->edge);
    s->edge_point = pl_alloc(2 * (int64_t)s->n_edge, sizeof *s->edge_point);
    if (s->edge == NULL || s->edge_point == NULL) status = PL_ERROR_MEMORY;
    int32_t e = 0;
    for (int64_t i = 0; i < n && status == PL_OK; e++) {
        int64_t end = pl_sides_run(side, n, i);
        s->edge_point[2 * e] = pl_edge_lower(side[i].edge);
        s->edge_point[2 * e + 1] = pl_edge_upper(side[i].edge);
        for (int k = 0; k < 2; k++) s->edge[2 * e + k] = s->point[s->edge_point[2 * e + k]];
        pl_item *first = &s->item[side[i].side / 3];
        first->own = (uint8_t)(first->own | 8 << side[i].side % 3);
        for (; i < end; i++) {
            pl_item *item = &s->item[side[i].side / 3];
            item->edge[side[i].side % 3] = e;
            if (item->kind == PL_ITEM_EDGE) item->id = e;
        }
    }
    pl_free(side);
    return status;
}

// --- Fans ---

static pl_status list_fans(pl_surfaces *s)
{
    s->fan = pl_alloc_zero((int64_t)s->n_point + 2, sizeof *s->fan);
    s->fan_point = pl_alloc(6 * (int64_t)s->n_face, sizeof *s->fan_point);
    if (s->fan == NULL || s->fan_point == NULL) return PL_ERROR_MEMORY;
    int32_t *next = s->fan + 1; // counted one place up, so that filling leaves it right
    for (int32_t i = 0; i < s->n_item; i++) {
        const pl_item *item = &s->item[i];
        for (int k = 0; k < 3 && item->kind == PL_ITEM_FACE; k++) next[item->point[k] + 1]++;
    }
    for (int32_t p = 0; p < s->n_point; p++) next[p + 1] += next[p];
    for (int32_t i = 0; i < s->n_item; i++) {
        const pl_item *item = &s->item[i];
        for (int k = 0; k < 3 && item->kind == PL_ITEM_FACE; k++) {
            int32_t *to = s->fan_point + 2 * (int64_t)next[item->point[k]]++;
            to[0] = item->point[(k + 1) % 3];
            to[1] = item->point[(k + 2) % 3];
        }
    }
    return PL_OK;
}

// --- Trees ---

static void place_chunks(pl_surfaces *s, int32_t body, pl_subtree tree, int32_t *next)
{
    if (tree.n_leaf > PL_CHUNK_LEAVES) {
        place_chunks(s, body, pl_subtree_left(tree), next);
        place_chunks(s, body, pl_subtree_right(tree), next);
        return;
    }
    for (int32_t i = 0; i < tree.n_leaf; i++) s->leaf_chunk[tree.leaf + i] = *next;
    s->chunk[*next] = (pl_chunk){.tree = tree, .body = body};
    (*next)++;
}

static void place_leaves(pl_surfaces *s)
{
    int32_t chunk = 0;
    for (int32_t b = 0; b < s->n_body; b++) {
        const pl_surface_body *body = &s->body[b];
        for (int32_t i = 0; i < body->tree.n_leaf; i++) {
            s->leaf_item[body->tree.leaf + i] = body->item + PL_LEAF_ITEMS * i;
        }
        if (body->tree.n_leaf > 0) place_chunks(s, b, body->tree, &chunk);
    }
    s->leaf_item[s->n_leaf] = s->n_item;
}

static pl_status allocate(pl_surfaces *s)
{
    s->item = pl_alloc(s->n_item, sizeof *s->item);
    s->leaf_item = pl_alloc(s->n_leaf + 1, sizeof *s->leaf_item);
    s->leaf_chunk = pl_alloc(s->n_leaf, sizeof *s->leaf_chunk);
    s->chunk = pl_alloc_zero(s->n_chunk, sizeof *s->chunk);
    s->item_bound = pl_alloc(s->n_item, sizeof *s->item_bound);
    s->node_bound = pl_alloc(s->n_node, sizeof *s->node_bound);
    s->node_outline = pl_alloc(s->n_node, sizeof *s->node_outline);
    s->key = pl_alloc(s->n_body, sizeof *s->key);
    s->top = pl_alloc(2 * (int64_t)s->n_body, sizeof *s->top);
    bool ok = s->item && s->leaf_item && s->leaf_chunk && s->chunk && s->item_bound &&
              s->node_bound && s->node_outline && s->key && s->top;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status allocate_points(pl_surfaces *s)
{
    int32_t most = PL_MAX(s->n_point, s->n_edge) + 1;
    s->point_bound = pl_alloc(s->n_point, sizeof *s->point_bound);
    s->grown = pl_alloc(s->n_point, sizeof *s->grown);
    s->smooth = pl_alloc(s->n_point, sizeof *s->smooth);
    s->fan_room = pl_alloc(s->n_point, sizeof *s->fan_room);
    s->fan_x = pl_alloc(3 * (int64_t)s->n_point, sizeof *s->fan_x);
    if (s->fan_room == NULL || s->fan_x == NULL) return PL_ERROR_MEMORY;
    s->count = pl_alloc(most, sizeof *s->count);
    return s->point_bound && s->grown && s->smooth && s->count ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status fill(pl_surfaces *s, int32_t n, const pl_collider *collider, const double *x,
                      int32_t *point_of)
{
    PL_TRY(number_points(s, n, collider, point_of));
    place_bodies(s, n, collider);
    place_points(s);
    PL_TRY(allocate(s));
    place_leaves(s);
    place_items(s, n, collider, point_of);
    PL_TRY(number_edges(s));
    PL_TRY(allocate_points(s));
    PL_TRY(list_fans(s));
    own_points(s, s->count);
    for (int32_t p = 0; p < s->n_point; p++) {
        const double *at = x + 3 * (int64_t)s->point[p];
        if (!(fabs(at[0]) + fabs(at[1]) + fabs(at[2]) <= PL_BOUND_MAX)) {
            return pl_fail(PL_ERROR_NUMERICS, "vertex %d is not finite or beyond %g m", s->point[p],
                           PL_BOUND_MAX);
        }
    }
    for (int32_t b = 0; b < n; b++) {
        if (s->body[b].n_item > 0) PL_TRY(pl_bvh_build(s, b, x));
    }
    return PL_OK;
}

pl_status pl_surfaces_create(int32_t n_vert, const double *x, int32_t n_collider,
                             const pl_collider *collider, pl_surfaces **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_TRY(check_colliders(n_vert, x, n_collider, collider));
    pl_surfaces *s = pl_alloc_zero(1, sizeof *s);
    if (s == NULL) return PL_ERROR_MEMORY;
    s->n_vert = n_vert;
    s->n_body = n_collider;
    s->body = pl_alloc_zero(n_collider, sizeof *s->body);
    int32_t *point_of = pl_alloc(n_vert, sizeof *point_of);
    pl_status status = PL_ERROR_MEMORY;
    if (s->body != NULL && point_of != NULL) status = fill(s, n_collider, collider, x, point_of);
    pl_free(point_of);
    if (status != PL_OK) {
        pl_surfaces_destroy(s);
        return status;
    }
    *out = s;
    return PL_OK;
}

void pl_surfaces_destroy(pl_surfaces *s)
{
    if (s == NULL) return;
    if (s->device != NULL) s->device->close(s->device);
    for (int32_t c = 0; c < s->n_chunk && s->chunk != NULL; c++) pl_free(s->chunk[c].outline);
    for (int64_t i = 0; i < s->n_block_all; i++) pl_free(s->block[i]);
    for (int k = 0; k < PL_PAIR_KINDS; k++) pl_free(s->list[k]);
    void *owned[] = {s->point,      s->point_body,   s->edge,      s->edge_point,  s->item,
                     s->leaf_item,  s->leaf_chunk,   s->body,      s->chunk,       s->ignored,
                     s->item_bound, s->node_outline, s->key,       s->point_bound, s->node_bound,
                     s->top,        s->task,         s->split,     s->block,       s->grown,
                     s->count,      s->smooth,       s->fan,       s->fan_point,   s->fan_room,
                     s->fan_x,      s->root,         s->leaf_patch};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pl_free(owned[i]);
    pl_free(s);
}

// --- Filters ---

pl_status pl_surfaces_ignore(pl_surfaces *s, int32_t a, int32_t b)
{
    PL_REQUIRE(s);
    if (a < 0 || b < 0 || a >= s->n_body || b >= s->n_body) {
        return pl_fail(PL_ERROR_ARGUMENT, "no collider %d", a < 0 || a >= s->n_body ? a : b);
    }
    if (a == b) s->body[a].self = false;
    if (!pl_surfaces_paired(s, a, b)) return PL_OK;
    PL_TRY(pl_reserve((void **)&s->ignored, &s->ignored_capacity, s->n_ignored + 1,
                      sizeof *s->ignored));
    pl_pair pair = {PL_MIN(a, b), PL_MAX(a, b)};
    int64_t at = s->n_ignored++;
    for (; at > 0; at--) {
        pl_pair before = s->ignored[at - 1];
        if (before.a < pair.a || (before.a == pair.a && before.b < pair.b)) break;
        s->ignored[at] = before;
    }
    s->ignored[at] = pair;
    return PL_OK;
}

int32_t pl_surfaces_edge_count(const pl_surfaces *s)
{
    return s != NULL ? s->n_edge : 0;
}

const int32_t *pl_surfaces_edges(const pl_surfaces *s)
{
    return s != NULL ? s->edge : NULL;
}

// --- Candidates ---

// Inside, vertices are points; outside they are vertices. The order is the same.
static pl_status hand_out(pl_surfaces *s, pl_candidates *out)
{
    PL_TRY(pl_lists_make(s));
    static const int vertices[PL_PAIR_KINDS] = {2, 1, 1, 0};
    for (int kind = 0; kind < PL_PAIR_KINDS; kind++) {
        if (vertices[kind] == 0) continue;
        for (int64_t i = 0; i < s->n_list[kind]; i++) {
            pl_pair *p = &s->list[kind][i];
            p->a = s->point[p->a];
            if (vertices[kind] == 2) p->b = s->point[p->b];
        }
    }
    *out = (pl_candidates){
        .n_vertex_face = s->n_list[PL_VERTEX_FACE],
        .n_edge_edge = s->n_list[PL_EDGE_EDGE],
        .n_vertex_edge = s->n_list[PL_VERTEX_EDGE],
        .n_vertex_vertex = s->n_list[PL_VERTEX_VERTEX],
        .vertex_face = (const int32_t *)s->list[PL_VERTEX_FACE],
        .edge_edge = (const int32_t *)s->list[PL_EDGE_EDGE],
        .vertex_edge = (const int32_t *)s->list[PL_VERTEX_EDGE],
        .vertex_vertex = (const int32_t *)s->list[PL_VERTEX_VERTEX],
    };
    return PL_OK;
}

static pl_status search(pl_surfaces *s, const double *x0, const double *x1, double margin,
                        const uint8_t *stale, pl_candidates *out)
{
    *out = (pl_candidates){0};
    if (!(margin >= 0 && margin < PL_BOUND_MAX)) {
        return pl_fail(PL_ERROR_ARGUMENT, "surfaces: bad margin %g", margin);
    }
    s->x0 = x0;
    s->x1 = x1;
    s->margin = margin;
    s->stale = stale;
    s->searched = false;
    PL_TRY(pl_bvh_move(s));
    pl_patch_fans(s);
    PL_TRY(pl_search_bodies(s));
    s->searched = true;
    return hand_out(s, out);
}

pl_status pl_surfaces_search(pl_surfaces *s, const double *x0, const double *x1, double margin,
                             pl_candidates *out)
{
    PL_REQUIRE(s);
    if (s->n_vert > 0) PL_REQUIRE(x0);
    if (s->n_vert > 0) PL_REQUIRE(x1);
    PL_REQUIRE(out);
    return search(s, x0, x1, margin, NULL, out);
}

pl_status pl_surfaces_renew(pl_surfaces *s, const double *x0, const double *x1, double margin,
                            const uint8_t *stale, pl_candidates *out)
{
    PL_ASSERT(s->searched && s->together);
    return search(s, x0, x1, margin, stale, out);
}

static pl_status extend(pl_surfaces *s, const double *x0, const double *x1, uint8_t *stale,
                        int32_t *grown, bool *added)
{
    s->x0 = x0;
    s->x1 = x1;
    s->margin = 0; // it was room to move in
    PL_TRY(pl_bvh_grow(s, s->grown, grown));
    pl_patch_open(s, s->grown);
    return pl_search_grown(s, s->grown, stale, added);
}

pl_status pl_surfaces_extend(pl_surfaces *s, const double *x0, const double *x1, pl_candidates *out,
                             int32_t *grown)
{
    PL_REQUIRE(s);
    if (s->n_vert > 0) PL_REQUIRE(x0);
    if (s->n_vert > 0) PL_REQUIRE(x1);
    PL_REQUIRE(out);
    PL_REQUIRE(grown);
    if (!s->searched) return pl_fail(PL_ERROR_ARGUMENT, "surfaces: extended before a search");
    int32_t n = 0;
    bool added;
    PL_TRY(extend(s, x0, x1, NULL, &n, &added));
    *grown = n;
    return added ? hand_out(s, out) : PL_OK;
}

pl_status pl_surfaces_grow(pl_surfaces *s, const double *x0, const double *x1, uint8_t *stale,
                           pl_candidates *out)
{
    int32_t grown;
    bool added;
    PL_ASSERT(s->searched);
    *out = (pl_candidates){0};
    pl_search_forget(s);
    PL_TRY(extend(s, x0, x1, stale, &grown, &added));
    return added ? hand_out(s, out) : PL_OK;
}

int32_t pl_surfaces_stale(pl_surfaces *s, const double *x0, const double *x1, uint8_t *stale)
{
    int32_t n = 0;
    PL_ASSERT(s->searched);
    s->x0 = x0;
    s->x1 = x1;
    s->margin = 0;
    pl_bvh_stale(s, stale);
    for (int32_t b = 0; b < s->n_body; b++) n += stale[b] != 0;
    return n;
}

// --- State ---

// Trees that were mended are not those that a new start would build, and other trees find other
// smooth patches. For the same bits after a restart, their order is part of the state.
typedef struct item_name {
    int32_t id, kind;
} item_name;

size_t pl_surfaces_state_size(const pl_surfaces *s)
{
    return (size_t)s->n_item * sizeof(item_name) +
           ((size_t)s->n_chunk + (size_t)s->n_body) * sizeof(float);
}

void pl_surfaces_get_state(const pl_surfaces *s, void *state)
{
    item_name *name = state;
    for (int32_t i = 0; i < s->n_item; i++) name[i] = (item_name){s->item[i].id, s->item[i].kind};
    float *cost = (float *)(name + s->n_item);
    for (int32_t c = 0; c < s->n_chunk; c++) *cost++ = s->chunk[c].cost;
    for (int32_t b = 0; b < s->n_body; b++) *cost++ = s->body[b].cost;
}

static int compare_items(const void *a, const void *b)
{
    const pl_item *p = a, *q = b;
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    return (p->id > q->id) - (p->id < q->id);
}

// Brings the items of a body into the order of their names in a state; `sorted` (its n_item) and
// `taken` (likewise) are scratch; each is to be named once.
static pl_status order_body(pl_surfaces *s, const pl_surface_body *b, const char *state,
                            pl_item *sorted, bool *taken)
{
    memcpy(sorted, s->item + b->item, (size_t)b->n_item * sizeof *sorted);
    qsort(sorted, (size_t)b->n_item, sizeof *sorted, compare_items);
    memset(taken, 0, (size_t)b->n_item);
    for (int32_t i = 0; i < b->n_item; i++) {
        item_name name;
        memcpy(&name, state + ((size_t)b->item + (size_t)i) * sizeof name, sizeof name);
        const pl_item key = {.id = name.id, .kind = (uint8_t)name.kind};
        const pl_item *found =
            bsearch(&key, sorted, (size_t)b->n_item, sizeof *sorted, compare_items);
        bool known = found != NULL && key.kind == name.kind && !taken[found - sorted];
        if (!known) return pl_fail(PL_ERROR_FORMAT, "a state of other surfaces");
        taken[found - sorted] = true;
        s->item[b->item + i] = *found;
    }
    return PL_OK;
}

static pl_status order_items(pl_surfaces *s, const char *state)
{
    pl_item *sorted = pl_alloc(s->n_item, sizeof *sorted);
    bool *taken = pl_alloc(s->n_item, sizeof *taken);
    pl_status status = sorted != NULL && taken != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t b = 0; b < s->n_body && status == PL_OK; b++) {
        status = order_body(s, &s->body[b], state, sorted, taken);
    }
    pl_free(sorted);
    pl_free(taken);
    return status;
}

// Reads the next cost.
static pl_status take_cost(const char **from, float *cost)
{
    float value;
    memcpy(&value, *from, sizeof value);
    *from += sizeof value;
    if (!(value >= 0 && isfinite(value))) return pl_fail(PL_ERROR_FORMAT, "a tree without a cost");
    *cost = value;
    return PL_OK;
}

pl_status pl_surfaces_set_state(pl_surfaces *s, const void *state)
{
    const char *cost = (const char *)state + (size_t)s->n_item * sizeof(item_name);
    s->searched = false;
    pl_surfaces_note_sorted(s, 0, s->n_item);
    for (int32_t c = 0; c < s->n_chunk; c++) pl_patch_forget(s, &s->chunk[c]);
    PL_TRY(order_items(s, state));
    for (int32_t c = 0; c < s->n_chunk; c++) {
        PL_TRY(take_cost(&cost, &s->chunk[c].cost));
        PL_TRY(pl_patch_outline(s, &s->chunk[c]));
    }
    for (int32_t b = 0; b < s->n_body; b++) PL_TRY(take_cost(&cost, &s->body[b].cost));
    return PL_OK;
}
