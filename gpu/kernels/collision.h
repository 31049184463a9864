// Pairs: the trees of boxes (boxes.h) walked, pairs of features whose boxes meet, their closest
// points, and the continuous test.
//
// An item walks a tree without a stack, on to the next node where boxes meet, past the whole
// subtree where they do not. Lists are made in two passes, counted and filled, with their places in
// between (scan.h): their order is that of the items.

#ifndef PL_GPU_COLLISION_H
#define PL_GPU_COLLISION_H

#include "boxes.h"

// --- Pairs of items ---

// The pairs of item i with those of its body's partners, which are listed at partner_start[body].
// Of a body with itself each pair is found by its first item, and those within the patch, a node,
// that cannot touch itself are left out; -1: i is in none. Returns how many; writes them to
// out[2 * at] ... if asked to.
PL_INLINE int32_t pl_box_search(int64_t i, int32_t body, int32_t patch,
                                PL_IN(int32_t) partner_start, PL_IN(int32_t) partner,
                                PL_IN(int32_t) root, PL_IN(int32_t) n_leaf,
                                PL_IN(int32_t) node_leaf, PL_IN(int32_t) leaf_item,
                                PL_IN(float) item, PL_IN(float) bound, bool fill, int64_t at,
                                PL_OUT(int32_t) out)
{
    int32_t count = 0;
    pl_box own = pl_box_load(item, i);
    for (int32_t p = partner_start[body]; p < partner_start[body + 1]; p++) {
        int32_t other = partner[p];
        int64_t node = root[other], end = node + 2 * (int64_t)n_leaf[node] - 1;
        while (node < end) {
            pl_box box = pl_box_load(bound, node);
            int64_t leaves = n_leaf[node];
            if (!pl_box_meets(&own, &box) || (other == body && node == patch)) {
                node += 2 * leaves - 1;
                continue;
            }
            int64_t leaf = node_leaf[node];
            node++;
            if (leaves > 1) continue;
            for (int64_t j = leaf_item[leaf]; j < leaf_item[leaf + 1]; j++) {
                box = pl_box_load(item, j);
                if ((other == body && j <= i) || !pl_box_meets(&own, &box)) continue;
                if (fill) {
                    out[2 * (at + count)] = (int32_t)i;
                    out[2 * (at + count) + 1] = (int32_t)j;
                }
                count++;
            }
        }
    }
    return count;
}

PL_KERNEL void bvh_count(int64_t n, PL_IN(int32_t) item_body, PL_IN(int32_t) item_leaf,
                         PL_IN(int32_t) leaf_patch, PL_IN(int32_t) partner_start,
                         PL_IN(int32_t) partner, PL_IN(int32_t) root, PL_IN(int32_t) n_leaf,
                         PL_IN(int32_t) node_leaf, PL_IN(int32_t) leaf_item, PL_IN(float) item,
                         PL_IN(float) bound, PL_OUT(int32_t) count)
{
    PL_EACH(i, n)
    {
        count[i] = pl_box_search(i, item_body[i], leaf_patch[item_leaf[i]], partner_start, partner,
                                 root, n_leaf, node_leaf, leaf_item, item, bound, false, 0, count);
    }
}

PL_KERNEL void bvh_fill(int64_t n, PL_IN(int32_t) item_body, PL_IN(int32_t) item_leaf,
                        PL_IN(int32_t) leaf_patch, PL_IN(int32_t) partner_start,
                        PL_IN(int32_t) partner, PL_IN(int32_t) root, PL_IN(int32_t) n_leaf,
                        PL_IN(int32_t) node_leaf, PL_IN(int32_t) leaf_item, PL_IN(float) item,
                        PL_IN(float) bound, PL_IN(int32_t) start, PL_OUT(int32_t) pair)
{
    PL_EACH(i, n)
    {
        pl_box_search(i, item_body[i], leaf_patch[item_leaf[i]], partner_start, partner, root,
                      n_leaf, node_leaf, leaf_item, item, bound, true, start[i], pair);
    }
}

// --- Pairs of features ---

// Seven numbers: the kind, the two features as in pl_candidates (points and edges by their numbers
// in the surfaces), and the vertices in the order of pl_pair_kind.
#define PL_FEATURE 7

// An item: corners 3, edges 3, id, kind (1 point, 2 edge, 3 face), own.
#define PL_ITEM_NUMBERS 9

typedef struct pl_feature_sink {
    bool fill;
    int32_t count;
    int64_t at;
} pl_feature_sink;

PL_INLINE void pl_feature_add(pl_feature_sink *to, PL_OUT(int32_t) out, PL_IN(int32_t) vertex,
                              int32_t kind, int32_t a, int32_t b, const int32_t p[4])
{
    int64_t at = PL_FEATURE * (to->at + to->count++);
    if (!to->fill) return;
    out[at] = kind;
    out[at + 1] = a;
    out[at + 2] = b;
    for (int32_t k = 0; k < 4; k++) out[at + 3 + k] = vertex[p[k]];
}

typedef struct pl_item_copy {
    int32_t corner[3], edge[3], id, kind, own;
    pl_box box;
    pl_box point[3]; // of its corners
} pl_item_copy;

PL_INLINE void pl_item_load(PL_IN(int32_t) items, PL_IN(float) item, PL_IN(float) point, int64_t i,
                            pl_item_copy *out)
{
    int64_t at = PL_ITEM_NUMBERS * i;
    for (int32_t k = 0; k < 3; k++) {
        out->corner[k] = items[at + k];
        out->edge[k] = items[at + 3 + k];
        out->point[k] = pl_box_load(point, out->corner[k]);
    }
    out->id = items[at + 6];
    out->kind = items[at + 7];
    out->own = items[at + 8];
    out->box = pl_box_load(item, i);
}

PL_INLINE bool pl_item_has(const pl_item_copy *item, int32_t p)
{
    return item->corner[0] == p || item->corner[1] == p || item->corner[2] == p;
}

// Points that a owns with the face, or the edge by itself, that b is.
PL_INLINE void pl_feature_points(pl_feature_sink *to, PL_OUT(int32_t) out, PL_IN(int32_t) vertex,
                                 const pl_item_copy *a, const pl_item_copy *b)
{
    for (int32_t k = 0; k < 3; k++) {
        int32_t p = a->corner[k];
        bool mine = (a->own >> k & 1) != 0 && pl_box_meets(&a->point[k], &b->box);
        if (!mine || pl_item_has(b, p)) continue;
        const int32_t points[4] = {p, b->corner[0], b->corner[1], b->corner[2]};
        bool face = b->kind == 3;
        pl_feature_add(to, out, vertex, face ? PL_VERTEX_FACE : PL_VERTEX_EDGE, p,
                       face ? b->id : b->edge[0], points);
    }
}

// A point by itself with the edges that b owns.
PL_INLINE void pl_feature_edges_of(pl_feature_sink *to, PL_OUT(int32_t) out, PL_IN(int32_t) vertex,
                                   const pl_item_copy *a, const pl_item_copy *b)
{
    int32_t p = a->corner[0];
    for (int32_t m = 0; m < 3; m++) {
        if ((b->own >> (3 + m) & 1) == 0 || pl_item_has(b, p)) continue;
        int32_t q = b->corner[m], r = b->corner[(m + 1) % 3];
        pl_box edge = pl_box_join(&b->point[m], &b->point[(m + 1) % 3]);
        if (!pl_box_meets(&a->point[0], &edge)) continue;
        const int32_t points[4] = {p, q, r, r};
        pl_feature_add(to, out, vertex, PL_VERTEX_EDGE, p, b->edge[m], points);
    }
}

// Edges that a and b own.
PL_INLINE void pl_feature_edges(pl_feature_sink *to, PL_OUT(int32_t) out, PL_IN(int32_t) vertex,
                                const pl_item_copy *a, const pl_item_copy *b)
{
    for (int32_t k = 0; k < 3; k++) {
        int32_t p = a->corner[k], q = a->corner[(k + 1) % 3];
        pl_box first = pl_box_join(&a->point[k], &a->point[(k + 1) % 3]);
        if ((a->own >> (3 + k) & 1) == 0 || !pl_box_meets(&first, &b->box)) continue;
        for (int32_t m = 0; m < 3; m++) {
            int32_t r = b->corner[m], s = b->corner[(m + 1) % 3];
            pl_box second = pl_box_join(&b->point[m], &b->point[(m + 1) % 3]);
            bool common = p == r || p == s || q == r || q == s;
            bool mine = (b->own >> (3 + m) & 1) != 0 && !common;
            if (!mine || !pl_box_meets(&second, &a->box) || !pl_box_meets(&first, &second)) {
                continue;
            }
            int32_t e = a->edge[k], f = b->edge[m];
            const int32_t points[4] = {e < f ? p : r, e < f ? q : s, e < f ? r : p, e < f ? s : q};
            pl_feature_add(to, out, vertex, PL_EDGE_EDGE, e < f ? e : f, e < f ? f : e, points);
        }
    }
}

// What collision/search.c finds for two items; `smooth` (of points): faces around it cannot touch.
PL_INLINE void pl_feature_pairs(pl_feature_sink *to, PL_OUT(int32_t) out, PL_IN(int32_t) vertex,
                                PL_IN(uint8_t) smooth, const pl_item_copy *a, const pl_item_copy *b)
{
    bool faces = a->kind == 3 && b->kind == 3, points = a->kind == 1 || b->kind == 1;
    for (int32_t k = 0; faces && k < 3; k++) {
        if (pl_item_has(b, a->corner[k]) && smooth[a->corner[k]] != 0) return;
    }
    if (b->kind == 3) pl_feature_points(to, out, vertex, a, b);
    if (a->kind == 3) pl_feature_points(to, out, vertex, b, a);
    if (!points) {
        pl_feature_edges(to, out, vertex, a, b);
        if (b->kind == 2 && (b->own >> 3 & 1) != 0) pl_feature_points(to, out, vertex, a, b);
        if (a->kind == 2 && (a->own >> 3 & 1) != 0) pl_feature_points(to, out, vertex, b, a);
    } else if (a->kind == 1 && b->kind == 1) {
        int32_t p = a->corner[0] < b->corner[0] ? a->corner[0] : b->corner[0];
        int32_t q = a->corner[0] < b->corner[0] ? b->corner[0] : a->corner[0];
        const int32_t both[4] = {p, q, q, q};
        if (p != q) pl_feature_add(to, out, vertex, PL_VERTEX_VERTEX, p, q, both);
    } else {
        if (a->kind == 2) pl_feature_edges_of(to, out, vertex, b, a);
        if (b->kind == 2) pl_feature_edges_of(to, out, vertex, a, b);
    }
}

PL_KERNEL void feature_count(int64_t n, PL_IN(int32_t) pair, PL_IN(int32_t) items,
                             PL_IN(int32_t) vertex, PL_IN(uint8_t) smooth, PL_IN(float) item,
                             PL_IN(float) point, PL_OUT(int32_t) count)
{
    PL_EACH(i, n)
    {
        pl_item_copy a, b;
        pl_feature_sink to;
        to.fill = false;
        to.count = 0;
        to.at = 0;
        pl_item_load(items, item, point, pair[2 * i], &a);
        pl_item_load(items, item, point, pair[2 * i + 1], &b);
        pl_feature_pairs(&to, count, vertex, smooth, &a, &b);
        count[i] = to.count;
    }
}

PL_KERNEL void feature_fill(int64_t n, PL_IN(int32_t) pair, PL_IN(int32_t) items,
                            PL_IN(int32_t) vertex, PL_IN(uint8_t) smooth, PL_IN(float) item,
                            PL_IN(float) point, PL_IN(int32_t) start, PL_OUT(int32_t) feature)
{
    PL_EACH(i, n)
    {
        pl_item_copy a, b;
        pl_feature_sink to;
        to.fill = true;
        to.count = 0;
        to.at = start[i];
        pl_item_load(items, item, point, pair[2 * i], &a);
        pl_item_load(items, item, point, pair[2 * i + 1], &b);
        pl_feature_pairs(&to, feature, vertex, smooth, &a, &b);
    }
}

// What candidates say of pairs, three numbers of each: the kind and the two features.
PL_KERNEL void feature_names(int64_t n, PL_IN(int32_t) feature, PL_OUT(int32_t) name)
{
    PL_EACH(i, n)
    {
        for (int32_t k = 0; k < 3; k++) name[3 * i + k] = feature[PL_FEATURE * i + k];
    }
}

// --- Distances and the continuous test ---

// What pl_closest has, as numbers: the distance, four weights, the normal.
#define PL_CLOSEST 8

// The kind of a pair, and where its vertices are at x.
PL_INLINE pl_pair_kind pl_pair_load(PL_IN(int32_t) kind, PL_IN(int32_t) vertex, PL_IN(double) x,
                                    double out[12])
{
    for (int32_t c = 0; c < 4; c++) {
        int64_t v = 3 * (int64_t)vertex[c];
        for (int32_t k = 0; k < 3; k++) out[3 * c + k] = x[v + k];
    }
    return (pl_pair_kind)kind[0];
}

PL_INLINE void pl_closest_store(const pl_closest *closest, PL_OUT(double) out)
{
    out[0] = closest->distance;
    for (int32_t k = 0; k < 4; k++) out[1 + k] = closest->weight[k];
    for (int32_t k = 0; k < 3; k++) out[5 + k] = closest->normal[k];
}

// pl_closest_points of n pairs at x, of `stride` numbers each: the kind first, vertices last.
PL_KERNEL void pair_closest(int64_t n, int32_t stride, PL_IN(int32_t) pair, PL_IN(double) x,
                            PL_OUT(double) closest)
{
    PL_EACH(i, n)
    {
        double p[12];
        pl_closest c;
        int64_t at = stride * i;
        pl_pair_kind kind = pl_pair_load(pair + at, pair + at + stride - 4, x, p);
        pl_closest_of(kind, p, &c);
        pl_closest_store(&c, closest + PL_CLOSEST * i);
    }
}

// The continuous test of n pairs on their way from x0 to x1: pl_ccd_round, or with `halve`
// pl_ccd_vertices. hit[i], and for a hit the time and the closest points then. separation and radii
// of each pair.
PL_KERNEL void pair_ccd(int64_t n, PL_IN(int32_t) feature, PL_IN(double) x0, PL_IN(double) x1,
                        PL_IN(double) separation, PL_IN(double) radii, int32_t halve,
                        PL_OUT(int32_t) hit, PL_OUT(double) time, PL_OUT(double) closest)
{
    PL_EACH(i, n)
    {
        double a[12], b[12];
        const double *p0[4], *p1[4];
        pl_impact impact;
        int64_t at = PL_FEATURE * i;
        pl_pair_kind kind = pl_pair_load(feature + at, feature + at + 3, x0, a);
        pl_pair_load(feature + at, feature + at + 3, x1, b);
        for (int32_t c = 0; c < 4; c++) {
            p0[c] = a + 3 * c;
            p1[c] = b + 3 * c;
        }
        impact.time = 1;
        impact.closest.distance = 0;
        for (int32_t k = 0; k < 4; k++) impact.closest.weight[k] = 0;
        for (int32_t k = 0; k < 3; k++) impact.closest.normal[k] = 0;
        hit[i] = pl_ccd_walk(kind, p0, p1, radii[i], separation[i], halve != 0, &impact);
        time[i] = impact.time;
        pl_closest_store(&impact.closest, closest + PL_CLOSEST * i);
    }
}

// Do pairs come too near on their way from x0 to x1, as pl_pair_impact says? pair (5*n): the kind,
// and four vertices. Of those without radii, and of the others.
PL_KERNEL void pair_hit(int64_t n, PL_IN(int32_t) pair, PL_IN(double) x0, PL_IN(double) x1,
                        PL_IN(double) separation, PL_IN(double) radii, PL_OUT(uint8_t) hit)
{
    PL_EACH(i, n)
    {
        double a[12], b[12];
        pl_impact impact;
        if (!(radii[i] > 0)) {
            pl_pair_kind kind = pl_pair_load(pair + 5 * i, pair + 5 * i + 1, x0, a);
            pl_pair_load(pair + 5 * i, pair + 5 * i + 1, x1, b);
            hit[i] = pl_apart_flat_impact(kind, a, b, separation[i], &impact);
        }
    }
}

PL_KERNEL void pair_hit_round(int64_t n, PL_IN(int32_t) pair, PL_IN(double) x0, PL_IN(double) x1,
                              PL_IN(double) separation, PL_IN(double) radii, PL_OUT(uint8_t) hit)
{
    PL_EACH(i, n)
    {
        double a[12], b[12];
        pl_impact impact;
        if (radii[i] > 0) {
            pl_pair_kind kind = pl_pair_load(pair + 5 * i, pair + 5 * i + 1, x0, a);
            pl_pair_load(pair + 5 * i, pair + 5 * i + 1, x1, b);
            hit[i] = pl_apart_round_impact(kind, a, b, radii[i], separation[i], &impact);
        }
    }
}

#endif
