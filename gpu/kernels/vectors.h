// Dense vectors: what iterations do with them, and sums in a fixed order.
//
// A sum is made in two launches. In the first, group p sums part p, PL_PART elements: lane l the
// elements l, l + PL_LANES, ... in order, and then the lanes by halves. In the second one group
// sums the parts in the same way. So the order depends on n alone: not on the device, the size of
// its groups or how many run at once.

#ifndef PL_GPU_VECTORS_H
#define PL_GPU_VECTORS_H

#include "launch.h"
#include "types.h"

PL_KERNEL void vec_zero(int64_t n, PL_OUT(double) x)
{
    PL_EACH(i, n) x[i] = 0;
}

PL_KERNEL void vec_copy(int64_t n, PL_IN(double) x, PL_OUT(double) y)
{
    PL_EACH(i, n) y[i] = x[i];
}

// y := (float)x
PL_KERNEL void vec_round(int64_t n, PL_IN(double) x, PL_OUT(float) y)
{
    PL_EACH(i, n) y[i] = (float)x[i];
}

// y += alpha x
PL_KERNEL void vec_add(int64_t n, double alpha, PL_IN(double) x, PL_OUT(double) y)
{
    PL_EACH(i, n) y[i] += alpha * x[i];
}

// part[p] := the share of part p in x . y
PL_KERNEL void vec_dot(int64_t n, PL_IN(double) x, PL_IN(double) y, PL_OUT(double) part)
{
    PL_LOCAL double sum[PL_LANES];
    PL_PHASE
    {
        int64_t first = PL_GROUP * PL_PART, last = first + PL_PART < n ? first + PL_PART : n;
        PL_EACH_LANE(l)
        {
            double s = 0;
            for (int64_t i = first + l; i < last; i += PL_LANES) s += x[i] * y[i];
            sum[l] = s;
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum);
    PL_PHASE
    {
        if (PL_ITEM == 0) part[PL_GROUP] = sum[0];
    }
}

// to[first + k] := the sum of part[k * n] .. part[k * n + n - 1], for each group k.
PL_KERNEL void vec_sum(int64_t n, PL_IN(double) part, int32_t first, PL_OUT(double) to)
{
    PL_LOCAL double sum[PL_LANES];
    PL_PHASE
    {
        PL_EACH_LANE(l)
        {
            double s = 0;
            for (int64_t i = l; i < n; i += PL_LANES) s += part[PL_GROUP * n + i];
            sum[l] = s;
        }
    }
    PL_BARRIER;
    PL_ADD_LANES(sum);
    PL_PHASE
    {
        if (PL_ITEM == 0) to[first + PL_GROUP] = sum[0];
    }
}

#endif
