// Boxes in single precision, rounded outward: half the memory traffic of doubles, and one vector
// instruction for a side of all three axes. Internal.

#ifndef PL_BOUND_H
#define PL_BOUND_H

#include "bound_kernel.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

typedef float pl_float4 __attribute__((vector_size(16)));

// The fourth numbers are 0. With the upper side negated, both sides grow downward.
typedef struct pl_bound {
    pl_float4 lo;  // x y z
    pl_float4 nhi; // -x -y -z of the upper corner
} pl_bound;

// Larger than every box that can overlap it, in no place: joins as the neutral element.
static inline pl_bound pl_bound_empty(void)
{
    pl_float4 far = {INFINITY, INFINITY, INFINITY, 0};
    return (pl_bound){far, far};
}

#if defined(__SSE__)

static inline pl_float4 pl_float4_min(pl_float4 a, pl_float4 b)
{
    return _mm_min_ps(a, b);
}

static inline pl_float4 pl_float4_max(pl_float4 a, pl_float4 b)
{
    return _mm_max_ps(a, b);
}

static inline int pl_float4_any_positive(pl_float4 a, pl_float4 b)
{
    return _mm_movemask_ps(_mm_cmpgt_ps(_mm_max_ps(a, b), _mm_setzero_ps()));
}

#else

static inline pl_float4 pl_float4_min(pl_float4 a, pl_float4 b)
{
    for (int k = 0; k < 4; k++) a[k] = b[k] < a[k] ? b[k] : a[k];
    return a;
}

static inline pl_float4 pl_float4_max(pl_float4 a, pl_float4 b)
{
    return -pl_float4_min(-a, -b);
}

static inline int pl_float4_any_positive(pl_float4 a, pl_float4 b)
{
    int any = 0;
    for (int k = 0; k < 4; k++) any |= a[k] > 0 || b[k] > 0;
    return any;
}

#endif

static inline pl_bound pl_bound_join(pl_bound a, pl_bound b)
{
    return (pl_bound){pl_float4_min(a.lo, b.lo), pl_float4_min(a.nhi, b.nhi)};
}

// Touching counts. The sign of a difference of two floats is exact.
static inline int pl_bound_overlap(const pl_bound *a, const pl_bound *b)
{
    return !pl_float4_any_positive(a->lo + b->nhi, b->lo + a->nhi);
}

// True if b lies within a.
static inline int pl_bound_holds(const pl_bound *a, const pl_bound *b)
{
    return !pl_float4_any_positive(a->lo - b->lo, a->nhi - b->nhi);
}

// Half the surface.
static inline float pl_bound_area(const pl_bound *a)
{
    pl_float4 d = a->nhi + a->lo; // the sides, negated
    pl_float4 products = d * __builtin_shufflevector(d, d, 1, 2, 0, 3);
    return products[0] + products[1] + products[2];
}

#endif
