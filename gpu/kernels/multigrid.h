// The cycle of solvers/multigrid.h, with its bits: a number of a vector by one item, each sum in
// the order of solvers/cycle.c. What contacts push is gathered: a contact first finds its impulse f
// = K Y x, then each column of Y adds its own. The triangular solves are by one group each: of the
// blocks that contacts touch level by level of their elimination, of the last level column by
// column.

#ifndef PL_GPU_MULTIGRID_H
#define PL_GPU_MULTIGRID_H

#include "bsr.h"
#include "types.h"

// y - Y^T f in number c of a column: use (2 each) has the contacts and entries of column i.
#define PL_MG_PUSH(i, c, width, y)                                                                 \
    for (int32_t u = use_start[i]; u < use_start[(i) + 1]; u++) {                                  \
        int64_t pl_f = 3 * (int64_t)use[2 * u], pl_Y = 3 * (width) * (int64_t)use[2 * u + 1];      \
        (y) -= (Y[pl_Y + (c)] * f[pl_f] + Y[pl_Y + (width) + (c)] * f[pl_f + 1]) +                 \
               Y[pl_Y + 2 * (width) + (c)] * f[pl_f + 2];                                          \
    }

// f (3 each) := K Y x; K is nn, t11, t12, t22, and `couple` (2 each) the tangents by the normal
// velocity, where `coupled`.
PL_KERNEL void mg_contacts(int64_t n, int32_t width, int32_t coupled, PL_IN(int32_t) start,
                           PL_IN(int32_t) col, PL_IN(float) Y, PL_IN(float) K, PL_IN(float) couple,
                           PL_IN(float) x, PL_OUT(float) f)
{
    PL_EACH(k, n)
    {
        float u[3] = {0, 0, 0};
        for (int32_t e = start[k]; e < start[k + 1]; e++) {
            int64_t row = 3 * width * (int64_t)e, at = width * (int64_t)col[e];
            for (int a = 0; a < 3; a++) {
                float s = 0;
                for (int c = 0; c < width; c++) s += Y[row + width * a + c] * x[at + c];
                u[a] += s;
            }
        }
        float t1 = K[4 * k + 1] * u[1] + K[4 * k + 2] * u[2];
        float t2 = K[4 * k + 2] * u[1] + K[4 * k + 3] * u[2];
        f[3 * k] = K[4 * k] * u[0];
        f[3 * k + 1] = coupled ? couple[2 * k] * u[0] + t1 : t1;
        f[3 * k + 2] = coupled ? couple[2 * k + 1] * u[0] + t2 : t2;
    }
}

// --- Blocks ---

// y := A x + Y^T f, 0 where prescribed; or r - (A x + Y^T f) if `residual`.
PL_KERNEL void mg_multiply(int64_t n, int32_t residual, PL_IN(int64_t) row, PL_IN(int32_t) col,
                           PL_IN(float) A, PL_IN(uint8_t) moves, PL_IN(int32_t) use_start,
                           PL_IN(int32_t) use, PL_IN(float) Y, PL_IN(float) f, PL_IN(float) x,
                           PL_IN(float) r, PL_OUT(float) y)
{
    PL_EACH(i, n)
    {
        float s[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (int64_t k = row[i]; k < row[i + 1]; k++) {
            int64_t j = 3 * (int64_t)col[k];
            PL_BLOCK_ADD(s, A + 9 * k, 1, x[j], x[j + 1], x[j + 2])
        }
        for (int c = 0; c < 3; c++) {
            float sum = (s[c] + s[3 + c]) + s[6 + c];
            float to = residual ? r[3 * i + c] - sum : -sum;
            PL_MG_PUSH(i, c, 3, to)
            y[3 * i + c] = residual ? to : moves[i] ? -to : 0;
        }
    }
}

// z := M r, M (6 each).
PL_KERNEL void mg_easy(int64_t n, PL_IN(float) M, PL_IN(float) r, PL_OUT(float) z)
{
    PL_EACH(i, n)
    {
        float m[6], q[3];
        for (int e = 0; e < 6; e++) m[e] = M[6 * i + e];
        for (int e = 0; e < 3; e++) q[e] = r[3 * i + e];
        z[3 * i] = (m[0] * q[0] + m[1] * q[1]) + m[2] * q[2];
        z[3 * i + 1] = (m[1] * q[0] + m[3] * q[1]) + m[4] * q[2];
        z[3 * i + 2] = (m[2] * q[0] + m[4] * q[1]) + m[5] * q[2];
    }
}

// z := H^-1 r in the blocks `block` (in the order of elimination), H = G G^T as solvers/cholesky.h
// has it: val by columns, and inv. level (n_level + 1) and order: which rows need nothing of each
// other; row, of and at: of each row its columns, and where they stand.
PL_KERNEL void mg_touched(int32_t n_level, PL_IN(int32_t) level, PL_IN(int32_t) order,
                          PL_IN(int64_t) row, PL_IN(int32_t) of, PL_IN(int64_t) at,
                          PL_IN(int64_t) col, PL_IN(int32_t) below, PL_IN(double) val,
                          PL_IN(double) inv, PL_IN(int32_t) block, PL_IN(float) r, PL_OUT(double) x,
                          PL_OUT(float) z)
{
    for (int32_t l = 0; l < n_level; l++) {
        PL_PHASE
        {
            for (int32_t o = level[l] + PL_ITEM; o < level[l + 1]; o += PL_SIZE) {
                int64_t i = order[o], b = 3 * (int64_t)block[i];
                double s[3] = {r[b], r[b + 1], r[b + 2]}, m[9];
                for (int64_t k = row[i]; k < row[i + 1]; k++) {
                    int64_t j = 3 * (int64_t)of[k], v = 9 * at[k];
                    for (int a = 0; a < 3; a++) {
                        s[a] -= (x[j] * val[v + a] + x[j + 1] * val[v + 3 + a]) +
                                x[j + 2] * val[v + 6 + a];
                    }
                }
                for (int e = 0; e < 9; e++) m[e] = inv[9 * i + e];
                x[3 * i] = m[0] * s[0];
                x[3 * i + 1] = m[3] * s[0] + m[4] * s[1];
                x[3 * i + 2] = (m[6] * s[0] + m[7] * s[1]) + m[8] * s[2];
            }
        }
        PL_BARRIER;
    }
    for (int32_t l = n_level - 1; l >= 0; l--) {
        PL_PHASE
        {
            for (int32_t o = level[l] + PL_ITEM; o < level[l + 1]; o += PL_SIZE) {
                int64_t i = order[o], b = 3 * (int64_t)block[i];
                double s[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]}, m[9];
                for (int64_t k = col[i]; k < col[i + 1]; k++) {
                    int64_t j = 3 * (int64_t)below[k];
                    for (int a = 0; a < 3; a++) {
                        s[a] -= (val[9 * k + 3 * a] * x[j] + val[9 * k + 3 * a + 1] * x[j + 1]) +
                                val[9 * k + 3 * a + 2] * x[j + 2];
                    }
                }
                for (int e = 0; e < 9; e++) m[e] = inv[9 * i + e];
                x[3 * i] = (m[0] * s[0] + m[3] * s[1]) + m[6] * s[2];
                x[3 * i + 1] = m[4] * s[1] + m[7] * s[2];
                x[3 * i + 2] = m[8] * s[2];
                for (int a = 0; a < 3; a++) z[b + a] = (float)x[3 * i + a];
            }
        }
        PL_BARRIER;
    }
}

// --- From blocks to groups, and back ---

// to := P^T t: of n numbers, PL_MG_W of each group.
PL_KERNEL void mg_restrict(int64_t n, PL_IN(int64_t) start, PL_IN(int64_t) at, PL_IN(int32_t) block,
                           PL_IN(float) P, PL_IN(float) t, PL_OUT(float) to)
{
    PL_EACH(i, n)
    {
        int64_t a = i / PL_MG_W, c = i % PL_MG_W;
        float sum = 0;
        for (int64_t q = start[a]; q < start[a + 1]; q++) {
            int64_t p = 3 * PL_MG_W * at[q] + c, b = 3 * (int64_t)block[q];
            sum += (P[p] * t[b] + P[p + PL_MG_W] * t[b + 1]) + P[p + 2 * PL_MG_W] * t[b + 2];
        }
        to[i] = sum;
    }
}

// z += P x.
PL_KERNEL void mg_prolong(int64_t n, PL_IN(int64_t) row, PL_IN(int32_t) col, PL_IN(float) P,
                          PL_IN(float) x, PL_OUT(float) z)
{
    PL_EACH(i, n)
    {
        for (int q = 0; q < 3; q++) {
            float s[PL_MG_W] = {0, 0, 0, 0, 0, 0, 0, 0};
            for (int64_t p = row[i]; p < row[i + 1]; p++) {
                int64_t from = PL_MG_W * (int64_t)col[p], at = PL_MG_W * (3 * p + q);
                for (int c = 0; c < PL_MG_W; c++) s[c] += P[at + c] * x[from + c];
            }
            z[3 * i + q] += ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
        }
    }
}

// z += y
PL_KERNEL void mg_add(int64_t n, PL_IN(float) y, PL_OUT(float) z)
{
    PL_EACH(i, n) z[i] += y[i];
}

// --- Groups: n numbers, PL_MG_W of each ---

PL_KERNEL void mg_zero(int64_t n, PL_OUT(float) x)
{
    PL_EACH(i, n) x[i] = 0;
}

// t := r - (C + Y^T K Y) x, f being K Y x.
PL_KERNEL void mg_residual(int64_t n, PL_IN(int64_t) row, PL_IN(int32_t) col, PL_IN(float) C,
                           PL_IN(int32_t) use_start, PL_IN(int32_t) use, PL_IN(float) Y,
                           PL_IN(float) f, PL_IN(float) r, PL_IN(float) x, PL_OUT(float) t)
{
    PL_EACH(i, n)
    {
        int64_t a = i / PL_MG_W, c = i % PL_MG_W;
        float sum = 0;
        for (int64_t k = row[a]; k < row[a + 1]; k++) {
            int64_t B = PL_MG_M * PL_MG_W * k + c, from = PL_MG_W * (int64_t)col[k];
            for (int e = 0; e < PL_MG_M; e++) sum += C[B + PL_MG_W * e] * x[from + e];
        }
        float to = r[i] - sum;
        PL_MG_PUSH(a, c, PL_MG_W, to)
        t[i] = to;
    }
}

// x += B t, B the inverse of each group's own matrix.
PL_KERNEL void mg_smooth(int64_t n, PL_IN(float) B, PL_IN(float) t, PL_OUT(float) x)
{
    PL_EACH(i, n)
    {
        int64_t a = i / PL_MG_W, c = i % PL_MG_W;
        float to = x[i];
        for (int e = 0; e < PL_MG_M; e++) {
            to += B[PL_MG_W * (PL_MG_M * a + e) + c] * t[PL_MG_W * a + e];
        }
        x[i] = to;
    }
}

// r := T^T t of the members of each group of the next level.
PL_KERNEL void mg_collect(int64_t n, PL_IN(int32_t) start, PL_IN(int32_t) member, PL_IN(float) T,
                          PL_IN(float) t, PL_OUT(float) r)
{
    PL_EACH(i, n)
    {
        int64_t g = i / PL_MG_W, c = i % PL_MG_W;
        float sum = 0;
        for (int32_t o = start[g]; o < start[g + 1]; o++) {
            int64_t a = member[o];
            for (int m = 0; m < PL_MG_M; m++) {
                sum += T[PL_MG_W * (PL_MG_M * a + m) + c] * t[PL_MG_W * a + m];
            }
        }
        r[i] = sum;
    }
}

// x += T times what the next level has.
PL_KERNEL void mg_spread(int64_t n, PL_IN(int32_t) parent, PL_IN(float) T, PL_IN(float) next,
                         PL_OUT(float) x)
{
    PL_EACH(i, n)
    {
        int64_t a = i / PL_MG_W, m = i % PL_MG_W;
        if (m < PL_MG_M) {
            float s = 0;
            for (int c = 0; c < PL_MG_M; c++) {
                s += T[PL_MG_W * (PL_MG_M * a + m) + c] * next[PL_MG_W * (int64_t)parent[a] + c];
            }
            x[i] += s;
        }
    }
}

// x := (L L^T)^-1 r on the last level, of n numbers, at most PL_MG_DENSE; L row by row.
PL_KERNEL void mg_dense(int32_t n, PL_IN(double) L, PL_IN(float) r, PL_OUT(float) x)
{
    PL_LOCAL double y[PL_MG_DENSE];
    PL_LOCAL double sum[PL_MG_DENSE];
    PL_PHASE
    {
        for (int32_t i = PL_ITEM; i < n; i += PL_SIZE) {
            y[i] = (double)r[PL_MG_W * (i / PL_MG_M) + i % PL_MG_M];
            sum[i] = 0;
        }
    }
    PL_BARRIER;
    for (int32_t j = 0; j < n; j++) {
        PL_PHASE
        {
            double at = (y[j] - sum[j]) / L[(int64_t)j * n + j];
            for (int32_t i = j + 1 + PL_ITEM; i < n; i += PL_SIZE) {
                sum[i] += L[(int64_t)i * n + j] * at;
            }
        }
        PL_BARRIER;
    }
    PL_PHASE
    {
        for (int32_t i = PL_ITEM; i < n; i += PL_SIZE) {
            y[i] = (y[i] - sum[i]) / L[(int64_t)i * n + i];
        }
    }
    PL_BARRIER;
    for (int32_t j = n - 1; j >= 0; j--) {
        PL_PHASE
        {
            double at = y[j] / L[(int64_t)j * n + j];
            for (int32_t i = PL_ITEM; i < j; i += PL_SIZE) y[i] -= L[(int64_t)j * n + i] * at;
        }
        PL_BARRIER;
    }
    PL_PHASE
    {
        for (int32_t i = PL_ITEM; i < n; i += PL_SIZE) {
            x[PL_MG_W * (i / PL_MG_M) + i % PL_MG_M] = (float)(y[i] / L[(int64_t)i * n + i]);
        }
    }
    PL_BARRIER;
}

#endif
