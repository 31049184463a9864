// The edges of a surface by the cost of their collapse, cheapest first. Internal.
//
// The heap is lazy: an edge is entered again when its cost changes, and entries that are out of
// date (by the versions of their ends) are dropped when they come up.

#ifndef PL_HEAP_H
#define PL_HEAP_H

#include "../base/base.h"

typedef struct pl_heap_edge {
    double cost;
    int32_t u, v;                 // u < v
    int32_t version_u, version_v; // when the cost was computed
} pl_heap_edge;

typedef struct pl_heap {
    pl_heap_edge *edge;
    int64_t n, capacity;
} pl_heap;

// A strict order, so that the sequence does not depend on the heap's inner order.
static inline bool pl_heap_before(const pl_heap_edge *a, const pl_heap_edge *b)
{
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->u != b->u ? a->u < b->u : a->v < b->v;
}

static inline pl_status pl_heap_push(pl_heap *heap, pl_heap_edge edge)
{
    PL_TRY(pl_reserve((void **)&heap->edge, &heap->capacity, heap->n + 1, sizeof edge));
    int64_t i = heap->n++;
    for (; i > 0 && pl_heap_before(&edge, &heap->edge[(i - 1) / 2]); i = (i - 1) / 2) {
        heap->edge[i] = heap->edge[(i - 1) / 2];
    }
    heap->edge[i] = edge;
    return PL_OK;
}

static inline bool pl_heap_pop(pl_heap *heap, pl_heap_edge *out)
{
    if (heap->n == 0) return false;
    *out = heap->edge[0];
    pl_heap_edge last = heap->edge[--heap->n];
    int64_t i = 0;
    for (;;) {
        int64_t child = 2 * i + 1;
        if (child >= heap->n) break;
        if (child + 1 < heap->n && pl_heap_before(&heap->edge[child + 1], &heap->edge[child]))
            child++;
        if (!pl_heap_before(&heap->edge[child], &last)) break;
        heap->edge[i] = heap->edge[child];
        i = child;
    }
    if (heap->n > 0) heap->edge[i] = last;
    return true;
}

#endif
