// Products with the rows of constraints and their transposes, the latter gathered block by block
// (solvers/rows.h): the same bits. A constraint k has the terms first[k] .. first[k+1] - 1; a term
// a block, a weight w and, where arm_of is not -1, an arm; `stretched`: arms have an S, too.

#ifndef PL_GPU_ROWS_H
#define PL_GPU_ROWS_H

#include "../../solvers/rows_kernel.h"
#include "launch.h"

#define PL_LOAD(n, to, from, at)                                                                   \
    for (int pl_e = 0; pl_e < (n); pl_e++) (to)[pl_e] = (from)[(int64_t)(n) * (at) + pl_e];

// fn of a term: pl_term_add or pl_term_push (solvers/rows_kernel.h). Its arm and S are loaded where
// it has them, and each case is a call of its own, so that they may stay in registers.
#define PL_TERM(fn, t, x, sum)                                                                     \
    {                                                                                              \
        double pl_r[3], pl_S[6];                                                                   \
        if (arm_of[t] < 0) {                                                                       \
            fn(w[t], 0, 0, x, sum);                                                                \
        } else {                                                                                   \
            PL_LOAD(3, pl_r, arm, arm_of[t])                                                       \
            if (stretched) {                                                                       \
                PL_LOAD(6, pl_S, stretch, arm_of[t])                                               \
                fn(w[t], pl_r, pl_S, x, sum);                                                      \
            } else {                                                                               \
                fn(w[t], pl_r, 0, x, sum);                                                         \
            }                                                                                      \
        }                                                                                          \
    }

// u := L v, less c if `offset`; rows that are not in mask (bits for n, t1, t2) become 0.
PL_KERNEL void rows_multiply(int64_t n, int32_t offset, int32_t stretched, PL_IN(int32_t) first,
                             PL_IN(int32_t) block, PL_IN(int32_t) arm_of, PL_IN(double) w,
                             PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                             PL_IN(double) c, PL_IN(uint8_t) mask, PL_IN(double) v,
                             PL_OUT(double) u)
{
    PL_EACH(k, n)
    {
        double sum[3] = {0, 0, 0}, frame[9], x[3];
        for (int32_t t = first[k]; t < first[k + 1]; t++) {
            PL_LOAD(3, x, v, block[t])
            PL_TERM(pl_term_add, t, x, sum)
        }
        PL_LOAD(9, frame, R, k)
        pl_frame_from_world(frame, sum, x);
        for (int a = 0; a < 3; a++) {
            if (offset) x[a] -= c[3 * k + a];
            u[3 * k + a] = (mask[k] >> a & 1) != 0 ? x[a] : 0;
        }
    }
}

// The impulses f of constraints, in the world's frame.
PL_KERNEL void rows_to_world(int64_t n, PL_IN(double) R, PL_IN(double) f, PL_OUT(double) world)
{
    PL_EACH(k, n)
    {
        double frame[9], x[3], g[3];
        PL_LOAD(9, frame, R, k)
        PL_LOAD(3, x, f, k)
        pl_frame_to_world(frame, x, g);
        for (int a = 0; a < 3; a++) world[3 * k + a] = g[a];
    }
}

// y (3 n) := L^T of impulses in the world's frame, for the blocks that constraints use: block i has
// the uses start[i] .. start[i+1] - 1, a constraint and a term each.
PL_KERNEL void rows_gather(int64_t n, int32_t stretched, PL_IN(int32_t) start, PL_IN(int32_t) use,
                           PL_IN(int32_t) arm_of, PL_IN(double) w, PL_IN(double) arm,
                           PL_IN(double) stretch, PL_IN(double) world, PL_OUT(double) y)
{
    PL_EACH(i, n)
    {
        double sum[3] = {0, 0, 0}, x[3];
        for (int32_t j = start[i]; j < start[i + 1]; j++) {
            int32_t t = use[2 * j + 1];
            PL_LOAD(3, x, world, use[2 * j])
            PL_TERM(pl_term_push, t, x, sum)
        }
        for (int a = 0; a < 3; a++) y[3 * i + a] = sum[a];
    }
}

// S (9) := the diagonal block of constraint k in L D^-1 L^T, D^-1 as inv (6 each), 0 where
// prescribed.
#define PL_RESPONSE(k, S)                                                                          \
    {                                                                                              \
        double pl_M[6] = {0, 0, 0, 0, 0, 0}, pl_frame[9], pl_r[3], pl_T[6], pl_m[6], pl_G[9];      \
        for (int e = 0; e < 9; e++) (S)[e] = 0;                                                    \
        PL_LOAD(9, pl_frame, R, k)                                                                 \
        for (int32_t t = first[k]; t < first[(k) + 1]; t++) {                                      \
            PL_LOAD(6, pl_m, inv, block[t])                                                        \
            if (arm_of[t] >= 0) {                                                                  \
                PL_LOAD(3, pl_r, arm, arm_of[t])                                                   \
                if (stretched) {                                                                   \
                    PL_LOAD(6, pl_T, stretch, arm_of[t])                                           \
                    pl_term_rows(pl_frame, w[t], pl_r, pl_T, pl_G);                                \
                } else {                                                                           \
                    pl_term_rows(pl_frame, w[t], pl_r, 0, pl_G);                                   \
                }                                                                                  \
                pl_add_response(pl_G, pl_m, pl_G, S);                                              \
            } else {                                                                               \
                for (int e = 0; e < 6; e++) pl_M[e] += w[t] * w[t] * pl_m[e];                      \
            }                                                                                      \
        }                                                                                          \
        pl_add_response(pl_frame, pl_M, pl_frame, S);                                              \
        (S)[1] = (S)[3], (S)[2] = (S)[6], (S)[5] = (S)[7];                                         \
    }

PL_KERNEL void rows_response(int64_t n, int32_t stretched, PL_IN(int32_t) first,
                             PL_IN(int32_t) block, PL_IN(int32_t) arm_of, PL_IN(double) w,
                             PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                             PL_IN(double) inv, PL_OUT(double) S)
{
    PL_EACH(k, n)
    {
        double sum[9];
        PL_RESPONSE(k, sum)
        for (int e = 0; e < 9; e++) S[9 * k + e] = sum[e];
    }
}

#endif
