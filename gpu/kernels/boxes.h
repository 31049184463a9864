// Boxes around moving points, and the trees over them.
//
// Trees are those of collision/surfaces.h, in preorder, so that a node of n leaves is followed by
// its 2 n - 2 descendants. A box has six numbers: its lower corner, and its upper one negated.

#ifndef PL_GPU_BOXES_H
#define PL_GPU_BOXES_H

#include "launch.h"
#include "mathematics.h"

typedef struct pl_box {
    float side[6];
} pl_box;

PL_INLINE pl_box pl_box_load(PL_IN(float) bound, int64_t i)
{
    pl_box box;
    for (int32_t k = 0; k < 6; k++) box.side[k] = bound[6 * i + k];
    return box;
}

// Touching counts, as in collision/bound.h.
PL_INLINE bool pl_box_meets(const pl_box *a, const pl_box *b)
{
    bool apart = false;
    for (int32_t k = 0; k < 3; k++) {
        apart = apart || a->side[k] + b->side[3 + k] > 0 || b->side[k] + a->side[3 + k] > 0;
    }
    return !apart;
}

PL_INLINE pl_box pl_box_join(const pl_box *a, const pl_box *b)
{
    pl_box box;
    for (int32_t k = 0; k < 6; k++) box.side[k] = b->side[k] < a->side[k] ? b->side[k] : a->side[k];
    return box;
}

// The box of point i on its way, thickened by pad. False if that is not finite or out of range.
PL_INLINE bool pl_box_of_point(int64_t vertex, PL_IN(double) x0, PL_IN(double) x1, double pad,
                               pl_box *box)
{
    double size = pad;
    for (int32_t k = 0; k < 3; k++) {
        double a = x0[3 * vertex + k], b = x1[3 * vertex + k];
        double lo = a < b ? a : b, hi = a < b ? b : a;
        box->side[k] = pl_round_below(lo - pad);
        box->side[3 + k] = pl_round_below(-(hi + pad));
        size += fabs(a) + fabs(b);
    }
    return size <= PL_BOUND_MAX;
}

// bound (6*n) of the points of bodies that are `wanted`, thickened by the radius of each and
// `room`. bad[i]: its motion is not finite or out of range.
PL_KERNEL void bound_points(int64_t n, PL_IN(int32_t) vertex, PL_IN(int32_t) body,
                            PL_IN(int32_t) wanted, PL_IN(double) radius, double room,
                            PL_IN(double) x0, PL_IN(double) x1, PL_OUT(float) bound,
                            PL_OUT(int32_t) bad)
{
    PL_EACH(i, n)
    {
        bad[i] = 0;
        if (wanted[body[i]] != 0) {
            pl_box box;
            bad[i] = !pl_box_of_point(vertex[i], x0, x1, radius[body[i]] + room, &box);
            for (int32_t k = 0; k < 6; k++) bound[6 * i + k] = box.side[k];
        }
    }
}

// leaves[i]: the way of point i is not within its box, or not finite.
PL_KERNEL void bound_leaving(int64_t n, PL_IN(int32_t) vertex, PL_IN(int32_t) body,
                             PL_IN(double) radius, PL_IN(double) x0, PL_IN(double) x1,
                             PL_IN(float) bound, PL_OUT(int32_t) leaves)
{
    PL_EACH(i, n)
    {
        pl_box box;
        bool out = !pl_box_of_point(vertex[i], x0, x1, radius[body[i]], &box);
        for (int32_t k = 0; k < 6; k++) out = out || bound[6 * i + k] - box.side[k] > 0;
        leaves[i] = out;
    }
}

// list[start[i]] := i, of those that are marked.
PL_KERNEL void list_marked(int64_t n, PL_IN(int32_t) marked, PL_IN(int32_t) start,
                           PL_OUT(int32_t) list)
{
    PL_EACH(i, n)
    {
        if (marked[i] != 0) list[start[i]] = (int32_t)i;
    }
}

// Of items with three corners, points.
PL_KERNEL void bound_items(int64_t n, PL_IN(int32_t) corner, PL_IN(float) point,
                           PL_OUT(float) bound)
{
    PL_EACH(i, n)
    {
        for (int32_t k = 0; k < 6; k++) {
            float least = point[6 * (int64_t)corner[3 * i] + k];
            for (int32_t c = 1; c < 3; c++) {
                float other = point[6 * (int64_t)corner[3 * i + c] + k];
                least = other < least ? other : least;
            }
            bound[6 * i + k] = least;
        }
    }
}

// Of leaves, with the items leaf_item[leaf] ..., which cost nothing.
PL_KERNEL void bound_leaves(int64_t n, PL_IN(int32_t) node, PL_IN(int32_t) leaf_item,
                            PL_IN(float) item, PL_OUT(float) bound, PL_OUT(float) cost)
{
    PL_EACH(leaf, n)
    {
        for (int32_t k = 0; k < 6; k++) {
            float least = INFINITY;
            for (int64_t i = leaf_item[leaf]; i < leaf_item[leaf + 1]; i++) {
                float other = item[6 * i + k];
                least = other < least ? other : least;
            }
            bound[6 * (int64_t)node[leaf] + k] = least;
        }
        cost[node[leaf]] = 0;
    }
}

// Half the surface, as in collision/bound.h.
PL_INLINE float pl_box_area(const pl_box *box)
{
    float side[3];
    for (int32_t k = 0; k < 3; k++) side[k] = box->side[3 + k] + box->side[k];
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

// Of the inner nodes node[first] ..., n of them, which stand at one height above their leaves; and
// their costs, which are the areas of a node and those below: within chunks of up to `chunk`
// leaves, or above these.
PL_KERNEL void bound_nodes(int64_t n, int64_t first, int32_t chunk, PL_IN(int32_t) node,
                           PL_IN(int32_t) n_leaf, PL_OUT(float) bound, PL_OUT(float) cost)
{
    PL_EACH(i, n)
    {
        int64_t at = node[first + i], left = at + 1, right = at + 2 * (int64_t)(n_leaf[at] / 2);
        pl_box a = pl_box_load(bound, left), b = pl_box_load(bound, right);
        pl_box box = pl_box_join(&a, &b);
        bool above = n_leaf[at] > chunk;
        float of_left = above && n_leaf[left] <= chunk ? 0 : cost[left];
        float of_right = above && n_leaf[right] <= chunk ? 0 : cost[right];
        for (int32_t k = 0; k < 6; k++) bound[6 * at + k] = box.side[k];
        cost[at] = of_left + of_right + pl_box_area(&box);
    }
}

// Of the nodes root[i]: their boxes and costs, seven numbers each.
PL_KERNEL void bound_roots(int64_t n, PL_IN(int32_t) root, PL_IN(float) bound, PL_IN(float) cost,
                           PL_OUT(float) out)
{
    PL_EACH(i, n)
    {
        for (int32_t k = 0; k < 6; k++) out[7 * i + k] = bound[6 * (int64_t)root[i] + k];
        out[7 * i + 6] = cost[root[i]];
    }
}

#endif
