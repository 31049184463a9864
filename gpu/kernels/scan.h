// Prefix sums of counts, for lists whose length is known only when they have been counted: count,
// scan, fill. Integers, so that the order of a sum is of no matter, and an item's place in a list
// depends on what comes before it alone.

#ifndef PL_GPU_SCAN_H
#define PL_GPU_SCAN_H

#include "launch.h"

// Counts that a group sums: sixteen for each lane.
#define PL_SCAN_PART (16 * PL_LANES)

// start[i] := the sum of the counts before i in its part; part[p] := that of the whole part.
PL_KERNEL void scan_parts(int64_t n, PL_IN(int32_t) count, PL_OUT(int32_t) start,
                          PL_OUT(int64_t) part)
{
    PL_LOCAL int32_t sum[PL_LANES + 1];
    PL_PHASE
    {
        PL_EACH_LANE(l)
        {
            int64_t first = PL_GROUP * PL_SCAN_PART + 16 * (int64_t)l;
            int32_t all = 0;
            for (int64_t i = first; i < first + 16 && i < n; i++) all += count[i];
            sum[l + 1] = all;
        }
    }
    PL_BARRIER;
    PL_PHASE
    {
        if (PL_ITEM == 0) {
            sum[0] = 0;
            for (int32_t l = 0; l < PL_LANES; l++) sum[l + 1] += sum[l];
            part[PL_GROUP] = sum[PL_LANES];
        }
    }
    PL_BARRIER;
    PL_PHASE
    {
        PL_EACH_LANE(l)
        {
            int64_t first = PL_GROUP * PL_SCAN_PART + 16 * (int64_t)l;
            int32_t all = sum[l];
            for (int64_t i = first; i < first + 16 && i < n; i++) {
                start[i] = all;
                all += count[i];
            }
        }
    }
}

// part[p] := the sum of those before it, and part[n] that of all; by one item.
PL_KERNEL void scan_sums(int64_t n, PL_OUT(int64_t) part)
{
    PL_EACH(one, 1)
    {
        int64_t all = 0;
        for (int64_t p = 0; p < n; p++) {
            int64_t own = part[p];
            part[p] = all;
            all += own;
        }
        part[n] = all;
    }
}

PL_KERNEL void scan_add(int64_t n, PL_IN(int64_t) part, PL_OUT(int32_t) start)
{
    PL_EACH(i, n) start[i] += (int32_t)part[i / PL_SCAN_PART];
}

#endif
