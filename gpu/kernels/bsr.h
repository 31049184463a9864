// Products with a symmetric matrix of 3x3 blocks (solvers/bsr.h), one row of blocks by one item,
// each summed in the order of solvers/bsr.c: the same bits.
//
// In compressed rows, items of a group read blocks of 72 bytes side by side, which suits caches. In
// slices of PL_SLICE rows, number e of block k of all rows of a slice stands side by side, which
// suits devices that read for many items at once; a slice is as long as its longest row.

#ifndef PL_GPU_BSR_H
#define PL_GPU_BSR_H

#include "../../solvers/rows_kernel.h"
#include "launch.h"
#include "types.h"

// s (9) += a block (9, column by column) times x (3), each column for itself.
#define PL_BLOCK_ADD(s, a, step, x0, x1, x2)                                                       \
    for (int pl_r = 0; pl_r < 3; pl_r++) {                                                         \
        (s)[pl_r] += (a)[pl_r * (step)] * (x0);                                                    \
        (s)[3 + pl_r] += (a)[(3 + pl_r) * (step)] * (x1);                                          \
        (s)[6 + pl_r] += (a)[(6 + pl_r) * (step)] * (x2);                                          \
    }

// y := A x, plus z if `add`.
PL_KERNEL void bsr_multiply(int64_t n, int32_t add, PL_IN(int64_t) row, PL_IN(int32_t) col,
                            PL_IN(double) val, PL_IN(double) x, PL_IN(double) z, PL_OUT(double) y)
{
    PL_EACH(i, n)
    {
        double s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            int64_t j = 3 * (int64_t)col[k];
            PL_BLOCK_ADD(s, val + 9 * k, 1, x[j], x[j + 1], x[j + 2])
        }
        for (int r = 0; r < 3; r++) {
            double sum = (s[r] + s[3 + r]) + s[6 + r];
            y[3 * i + r] = add ? z[3 * i + r] + sum : sum;
        }
    }
}

// y := z + A x, A and x in single precision.
PL_KERNEL void bsr_multiply_single(int64_t n, PL_IN(int64_t) row, PL_IN(int32_t) col,
                                   PL_IN(float) val, PL_IN(float) x, PL_IN(double) z,
                                   PL_OUT(double) y)
{
    PL_EACH(i, n)
    {
        float s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            int64_t j = 3 * (int64_t)col[k];
            PL_BLOCK_ADD(s, val + 9 * k, 1, x[j], x[j + 1], x[j + 2])
        }
        for (int r = 0; r < 3; r++)
            y[3 * i + r] = z[3 * i + r] + (double)((s[r] + s[3 + r]) + s[6 + r]);
    }
}

// The values and columns of compressed rows, in slices: start (slices + 1) are their first blocks.
PL_KERNEL void bsr_slice(int64_t n, PL_IN(int64_t) row, PL_IN(int32_t) col, PL_IN(double) val,
                         PL_IN(int64_t) start, PL_OUT(int32_t) sliced_col,
                         PL_OUT(double) sliced_val)
{
    PL_EACH(i, n)
    {
        int64_t at = start[i / PL_SLICE] * PL_SLICE + i % PL_SLICE;
        for (int64_t k = row[i]; k < row[i + 1]; k++, at += PL_SLICE) {
            sliced_col[at] = col[k];
            int64_t to = 9 * (at - i % PL_SLICE) + i % PL_SLICE;
            for (int e = 0; e < 9; e++) sliced_val[to + e * PL_SLICE] = val[9 * k + e];
        }
    }
}

PL_KERNEL void bsr_slice_single(int64_t n, PL_IN(int64_t) row, PL_IN(int32_t) col,
                                PL_IN(double) val, PL_IN(int64_t) start, PL_OUT(int32_t) sliced_col,
                                PL_OUT(float) sliced_val)
{
    PL_EACH(i, n)
    {
        int64_t at = start[i / PL_SLICE] * PL_SLICE + i % PL_SLICE;
        for (int64_t k = row[i]; k < row[i + 1]; k++, at += PL_SLICE) {
            sliced_col[at] = col[k];
            int64_t to = 9 * (at - i % PL_SLICE) + i % PL_SLICE;
            for (int e = 0; e < 9; e++) sliced_val[to + e * PL_SLICE] = (float)val[9 * k + e];
        }
    }
}

// y := A x, plus z if `add`, in slices.
PL_KERNEL void bsr_multiply_sliced(int64_t n, int32_t add, PL_IN(int64_t) row, PL_IN(int64_t) start,
                                   PL_IN(int32_t) col, PL_IN(double) val, PL_IN(double) x,
                                   PL_IN(double) z, PL_OUT(double) y)
{
    PL_EACH(i, n)
    {
        double s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        int64_t at = start[i / PL_SLICE] * PL_SLICE, lane = i % PL_SLICE;
        for (int64_t k = row[i]; k < row[i + 1]; k++, at += PL_SLICE) {
            int64_t j = 3 * (int64_t)col[at + lane];
            PL_BLOCK_ADD(s, val + 9 * at + lane, PL_SLICE, x[j], x[j + 1], x[j + 2])
        }
        for (int r = 0; r < 3; r++) {
            double sum = (s[r] + s[3 + r]) + s[6 + r];
            y[3 * i + r] = add ? z[3 * i + r] + sum : sum;
        }
    }
}

// y := z + A x in slices, A and x in single precision.
PL_KERNEL void bsr_multiply_sliced_single(int64_t n, PL_IN(int64_t) row, PL_IN(int64_t) start,
                                          PL_IN(int32_t) col, PL_IN(float) val, PL_IN(float) x,
                                          PL_IN(double) z, PL_OUT(double) y)
{
    PL_EACH(i, n)
    {
        float s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        int64_t at = start[i / PL_SLICE] * PL_SLICE, lane = i % PL_SLICE;
        for (int64_t k = row[i]; k < row[i + 1]; k++, at += PL_SLICE) {
            int64_t j = 3 * (int64_t)col[at + lane];
            PL_BLOCK_ADD(s, val + 9 * at + lane, PL_SLICE, x[j], x[j + 1], x[j + 2])
        }
        for (int r = 0; r < 3; r++)
            y[3 * i + r] = z[3 * i + r] + (double)((s[r] + s[3 + r]) + s[6 + r]);
    }
}

// z := M^-1 r, M the diagonal blocks, inv (6 each) as in solvers/block_jacobi.h.
PL_KERNEL void jacobi_apply(int64_t n, PL_IN(double) inv, PL_IN(double) r, PL_OUT(double) z)
{
    PL_EACH(i, n)
    {
        double m[6], x[3], y[3];
        for (int e = 0; e < 6; e++) m[e] = inv[6 * i + e];
        for (int e = 0; e < 3; e++) x[e] = r[3 * i + e];
        pl_symmetric_apply(m, x, y);
        for (int e = 0; e < 3; e++) z[3 * i + e] = y[e];
    }
}

#endif
