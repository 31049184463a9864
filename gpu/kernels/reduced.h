// The reduced form W = L A^-1 L^T + E (solvers/reduced.h) in sparse 3x3 blocks, formed there, and
// Gauss-Seidel on it. Parts of A of one block bring their inverse, one item for a block of W; a
// larger part brings its factor, with which each item solves for one column of L^T: all items of a
// launch go through the same factor side by side, and what they have of a block stands side by
// side.

#ifndef PL_GPU_REDUCED_H
#define PL_GPU_REDUCED_H

#include "sweeps.h"

// G (9, row-major) := the rows of constraint k in its term t.
#define PL_TERM_ROWS(k, t, G)                                                                      \
    {                                                                                              \
        double pl_frame[9], pl_r[3] = {0, 0, 0}, pl_S[6];                                          \
        PL_LOAD(9, pl_frame, R, k)                                                                 \
        if (arm_of[t] >= 0) PL_LOAD(3, pl_r, arm, arm_of[t])                                       \
        if (stretched && arm_of[t] >= 0) {                                                         \
            PL_LOAD(6, pl_S, stretch, arm_of[t])                                                   \
            pl_term_rows(pl_frame, w[t], pl_r, pl_S, G);                                           \
        } else {                                                                                   \
            pl_term_rows(pl_frame, w[t], pl_r, 0, G);                                              \
        }                                                                                          \
    }

// W's n blocks, of (9 each; row (n) and col), from parts of one block: alone (blocks of A); and E,
// in `bounds` behind lo and hi.
PL_KERNEL void reduced_masses(int64_t n, int32_t stretched, PL_IN(int32_t) of, PL_IN(int32_t) col,
                              PL_IN(int32_t) first, PL_IN(int32_t) block, PL_IN(int32_t) arm_of,
                              PL_IN(double) w, PL_IN(double) arm, PL_IN(double) stretch,
                              PL_IN(double) R, PL_IN(double) inv, PL_IN(uint8_t) alone,
                              PL_IN(int32_t) law, PL_IN(double) bounds, PL_OUT(double) val)
{
    PL_EACH(i, n)
    {
        double B[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, G[9], H[9], m[6];
        int32_t k = of[i], o = col[i];
        for (int32_t s = first[k]; s < first[k + 1]; s++) {
            if (!alone[block[s]]) continue;
            for (int32_t t = first[o]; t < first[o + 1]; t++) {
                if (block[s] != block[t]) continue;
                PL_TERM_ROWS(k, s, G)
                PL_TERM_ROWS(o, t, H)
                PL_LOAD(6, m, inv, block[s])
                pl_add_response(G, m, H, B);
            }
        }
        if (k == o && law[k] >= 0) {
            for (int a = 0; a < 3; a++) B[4 * a] += bounds[9 * (int64_t)(law[k] / 2) + 6 + a];
        }
        for (int e = 0; e < 9; e++) val[9 * i + e] = B[e];
    }
}

// --- A part of many blocks: begin .. end - 1 of the order of elimination ---

// x := the columns of L^T, there, of constraints touch[from] ..: n columns, three for each.
PL_KERNEL void reduced_load(int64_t n, int64_t from, int32_t begin, int32_t end, int32_t stretched,
                            PL_IN(int32_t) touch, PL_IN(int32_t) place, PL_IN(int32_t) first,
                            PL_IN(int32_t) block, PL_IN(int32_t) arm_of, PL_IN(double) w,
                            PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                            PL_OUT(double) x)
{
    PL_EACH(i, n)
    {
        int32_t k = touch[from + i / 3], c = (int32_t)(i % 3);
        double G[9];
        for (int64_t e = 0; e < 3 * (int64_t)(end - begin); e++) x[n * e + i] = 0;
        for (int32_t t = first[k]; t < first[k + 1]; t++) {
            int64_t at = place[block[t]] - begin;
            if (place[block[t]] < begin || place[block[t]] >= end) continue;
            PL_TERM_ROWS(k, t, G)
            for (int a = 0; a < 3; a++) {
                x[n * (3 * at + a) + i] = c == 0 ? G[a] : c == 1 ? G[3 + a] : G[6 + a];
            }
        }
    }
}

// x := (G G^T)^-1 x, G as in solvers/cholesky.h.
PL_KERNEL void reduced_solve(int64_t n, int32_t begin, int32_t end, PL_IN(int64_t) col,
                             PL_IN(int32_t) row, PL_IN(double) val, PL_IN(double) inv,
                             PL_OUT(double) x)
{
    PL_EACH(i, n)
    {
        for (int64_t j = begin; j < end; j++) {
            int64_t at = 3 * n * (j - begin) + i;
            double a = x[at], b = x[at + n], c = x[at + 2 * n], m[9];
            PL_LOAD(9, m, inv, j)
            c = (m[6] * a + m[7] * b) + m[8] * c;
            b = m[3] * a + m[4] * b;
            a = m[0] * a;
            x[at] = a, x[at + n] = b, x[at + 2 * n] = c;
            for (int64_t k = col[j]; k < col[j + 1]; k++) {
                int64_t to = 3 * n * (row[k] - begin) + i;
                PL_LOAD(9, m, val, k)
                for (int r = 0; r < 3; r++) {
                    x[to + n * r] -= (m[r] * a + m[3 + r] * b) + m[6 + r] * c;
                }
            }
        }
        for (int64_t j = end - 1; j >= begin; j--) {
            int64_t at = 3 * n * (j - begin) + i;
            double s[3] = {x[at], x[at + n], x[at + 2 * n]}, m[9];
            for (int64_t k = col[j]; k < col[j + 1]; k++) {
                int64_t from = 3 * n * (row[k] - begin) + i;
                double a = x[from], b = x[from + n], c = x[from + 2 * n];
                PL_LOAD(9, m, val, k)
                for (int r = 0; r < 3; r++) {
                    s[r] -= (m[3 * r] * a + m[3 * r + 1] * b) + m[3 * r + 2] * c;
                }
            }
            PL_LOAD(9, m, inv, j)
            x[at] = (m[0] * s[0] + m[3] * s[1]) + m[6] * s[2];
            x[at + n] = m[4] * s[1] + m[7] * s[2];
            x[at + 2 * n] = m[8] * s[2];
        }
    }
}

// W += L x, for the constraints touch[from] .. of which x has the columns (`width` of them), and
// all of the part, touch[start] .. (n_touch): a pair by one item.
PL_KERNEL void reduced_answer(int64_t n, int64_t width, int64_t from, int64_t start,
                              int64_t n_touch, int32_t begin, int32_t end, int32_t stretched,
                              PL_IN(int32_t) touch, PL_IN(int32_t) place, PL_IN(int64_t) row,
                              PL_IN(int32_t) col, PL_IN(int32_t) first, PL_IN(int32_t) block,
                              PL_IN(int32_t) arm_of, PL_IN(double) w, PL_IN(double) arm,
                              PL_IN(double) stretch, PL_IN(double) R, PL_IN(double) x,
                              PL_OUT(double) val)
{
    PL_EACH(i, n)
    {
        int64_t column = 3 * (i / n_touch);
        int32_t k = touch[from + i / n_touch], o = touch[start + i % n_touch];
        int64_t low = row[k], high = row[k + 1];
        double B[9], G[9];
        while (high - low > 1) {
            int64_t middle = low + (high - low) / 2; // columns ascend
            if (col[middle] <= o) {
                low = middle;
            } else {
                high = middle;
            }
        }
        PL_LOAD(9, B, val, low)
        for (int32_t t = first[o]; t < first[o + 1]; t++) {
            int64_t at = width * 3 * (place[block[t]] - begin) + column;
            if (place[block[t]] < begin || place[block[t]] >= end) continue;
            PL_TERM_ROWS(o, t, G)
            for (int e = 0; e < 9; e++) {
                B[e] += (G[e % 3 * 3] * x[at + e / 3] + G[e % 3 * 3 + 1] * x[at + width + e / 3]) +
                        G[e % 3 * 3 + 2] * x[at + 2 * width + e / 3];
            }
        }
        for (int e = 0; e < 9; e++) val[9 * low + e] = B[e];
    }
}

// --- Products, and Gauss-Seidel ---

// u (3) += block at of W times f.
#define PL_REDUCED_ADD(at, f, u)                                                                   \
    {                                                                                              \
        double pl_B[9], pl_f[3];                                                                   \
        PL_LOAD(9, pl_B, val, at)                                                                  \
        PL_LOAD(3, pl_f, f, col[at])                                                               \
        for (int a = 0; a < 3; a++) {                                                              \
            (u)[a] +=                                                                              \
                (pl_B[3 * a] * pl_f[0] + pl_B[3 * a + 1] * pl_f[1]) + pl_B[3 * a + 2] * pl_f[2];   \
        }                                                                                          \
    }

// y := q + W f.
PL_KERNEL void reduced_multiply(int64_t n, PL_IN(int64_t) row, PL_IN(int32_t) col,
                                PL_IN(double) val, PL_IN(double) q, PL_IN(double) f,
                                PL_OUT(double) y)
{
    PL_EACH(k, n)
    {
        double u[3];
        PL_LOAD(3, u, q, k)
        for (int64_t i = row[k]; i < row[k + 1]; i++) PL_REDUCED_ADD(i, f, u)
        for (int a = 0; a < 3; a++) y[3 * k + a] = u[a];
    }
}

// Solves constraint k, with its velocities u and all others held.
#define PL_REDUCED_RELAX(k, u)                                                                     \
    {                                                                                              \
        double S[9], fk[3], bound[9], own_ratio = ratio[k];                                        \
        PL_LOAD(9, S, val, diag[k])                                                                \
        PL_LOAD(3, fk, f, k)                                                                       \
        double held = PL_SWEEP_REGULARIZE * (S[0] + S[4] + S[8]);                                  \
        for (int a = 0; a < 3; a++) S[4 * a] += held;                                              \
        if (law[k] >= 0) PL_LOAD(9, bound, bounds, law[k] / 2)                                     \
        pl_sweep_solve(law[k] >= 0 && law[k] % 2 == 1, mu[k], bound, S, &own_ratio, u, fk);        \
        ratio[k] = own_ratio;                                                                      \
        for (int a = 0; a < 3; a++) f[3 * (int64_t)(k) + a] = fk[a];                               \
    }

// The constraints order[from] .. order[from + n - 1], of one colour: none answers to another.
PL_KERNEL void reduced_sweep(int64_t n, int64_t from, PL_IN(int32_t) order, PL_IN(int64_t) row,
                             PL_IN(int32_t) col, PL_IN(int64_t) diag, PL_IN(double) val,
                             PL_IN(double) q, PL_IN(double) mu, PL_IN(int32_t) law,
                             PL_IN(double) bounds, PL_OUT(double) f, PL_OUT(double) ratio)
{
    PL_EACH(i, n)
    {
        int64_t k = order[from + i];
        double u[3];
        PL_LOAD(3, u, q, k)
        for (int64_t j = row[k]; j < row[k + 1]; j++) PL_REDUCED_ADD(j, f, u)
        PL_REDUCED_RELAX(k, u)
    }
}

// All n constraints of order one after the other, by one group: its lanes share the row of each.
PL_KERNEL void reduced_sweep_rows(int64_t n, PL_IN(int32_t) order, PL_IN(int64_t) row,
                                  PL_IN(int32_t) col, PL_IN(int64_t) diag, PL_IN(double) val,
                                  PL_IN(double) q, PL_IN(double) mu, PL_IN(int32_t) law,
                                  PL_IN(double) bounds, PL_OUT(double) f, PL_OUT(double) ratio)
{
    PL_LOCAL double sum0[PL_LANES];
    PL_LOCAL double sum1[PL_LANES];
    PL_LOCAL double sum2[PL_LANES];
    for (int64_t i = 0; i < n; i++) {
        PL_PHASE
        {
            int64_t k = order[i];
            PL_EACH_LANE(l)
            {
                double u[3] = {0, 0, 0};
                for (int64_t j = row[k] + l; j < row[k + 1]; j += PL_LANES) {
                    PL_REDUCED_ADD(j, f, u)
                }
                sum0[l] = u[0], sum1[l] = u[1], sum2[l] = u[2];
            }
        }
        PL_BARRIER;
        for (int32_t width = PL_LANES / 2; width > 0; width /= 2) {
            PL_PHASE
            {
                for (int32_t l = PL_ITEM; l < width; l += PL_SIZE) {
                    sum0[l] += sum0[l + width];
                    sum1[l] += sum1[l + width];
                    sum2[l] += sum2[l + width];
                }
            }
            PL_BARRIER;
        }
        PL_PHASE
        {
            if (PL_ITEM == 0) {
                int64_t k = order[i];
                double u[3];
                PL_LOAD(3, u, q, k)
                u[0] += sum0[0], u[1] += sum1[0], u[2] += sum2[0];
                PL_REDUCED_RELAX(k, u)
            }
        }
        PL_BARRIER;
    }
}

#endif
