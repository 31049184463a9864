// The edges of a surface, brought together. Internal.

#ifndef PL_EDGES_H
#define PL_EDGES_H

#include "../base/base.h"

// One side of a face: corner k of face f to corner (k + 1) % 3 is side 3 f + k.
typedef struct pl_side {
    uint64_t edge; // the smaller vertex in the upper half, the larger in the lower one
    int32_t side;
} pl_side;

static inline uint64_t pl_edge_of(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

static inline int32_t pl_edge_lower(uint64_t edge)
{
    return (int32_t)(edge >> 32);
}

static inline int32_t pl_edge_upper(uint64_t edge)
{
    return (int32_t)(edge & UINT32_MAX);
}

// True if the side runs from the smaller vertex to the larger.
static inline bool pl_side_ascends(const int32_t *face, int32_t side)
{
    int32_t f = side / 3, k = side % 3;
    return face[3 * (int64_t)f + k] < face[3 * (int64_t)f + (k + 1) % 3];
}

static inline bool pl_face_repeats(const int32_t face[3])
{
    return face[0] == face[1] || face[1] == face[2] || face[2] == face[0];
}

// All sides of the faces that have three different corners, sorted by edge, then by side: sides of
// one edge stand together. *out (*n_out) is allocated, owned by the caller.
pl_status pl_sides_sort(int32_t n_face, const int32_t *face, pl_side **out, int64_t *n_out);

// Sorts sides (n, from pl_alloc) by edge, keeping the order of those of one edge; *sides may then
// be another block. Only PL_ERROR_MEMORY can happen; the sides are then as they were.
pl_status pl_sides_order(pl_side **sides, int64_t n);

// The end of the run of equal edges that begins at `i`.
static inline int64_t pl_sides_run(const pl_side *sides, int64_t n, int64_t i)
{
    int64_t j = i + 1;
    while (j < n && sides[j].edge == sides[i].edge) j++;
    return j;
}

// Disjoint sets over 0 .. n-1: `parent` (n) starts as the identity. The root is the smallest
// member.
int32_t pl_set_find(int32_t *parent, int32_t i);
bool pl_set_join(int32_t *parent, int32_t i, int32_t j);

#endif
