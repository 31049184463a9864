// Gauss-Seidel over constraints by colours: those of one colour share no block that moves, so that
// they are solved at once, each exactly (solvers/sweeps.h). With the velocities that all impulses
// make in the blocks, x = D^-1 L^T f / s, a constraint has u = u0 + L x.
//
// S of a constraint is its block of L D^-1 L^T, with REGULARIZE of its trace on the diagonal for
// what a lever arm alone cannot answer; s is read on the device, and impulses are impulses: S / s
// is what answers them.

#ifndef PL_GPU_SWEEPS_H
#define PL_GPU_SWEEPS_H

#include "../../solvers/box_kernel.h"
#include "../../solvers/coulomb_kernel.h"
#include "rows.h"
#include "types.h"

#define PL_SWEEP_REGULARIZE 1e-12

// x := D^-1 L^T f / s in the blocks that constraints use, `push` being L^T f there.
PL_KERNEL void sweep_start(int64_t n, PL_IN(pl_sweep_control) control, PL_IN(int32_t) block,
                           PL_IN(double) inv, PL_IN(double) push, PL_OUT(double) x)
{
    PL_EACH(i, control[0].done ? 0 : n)
    {
        double m[6], g[3], y[3];
        PL_LOAD(6, m, inv, block[i])
        PL_LOAD(3, g, push, i)
        pl_symmetric_apply(m, g, y);
        for (int a = 0; a < 3; a++) x[3 * (int64_t)block[i] + a] = y[a] / control[0].s;
    }
}

// Where the law of constraint k is a box: lo, hi and compliance, 9 numbers of `bounds`.
PL_INLINE void pl_sweep_solve(bool box, double mu, const double *bound, const double *S,
                              double *ratio, const double *u, double *f)
{
    if (box) {
        pl_box_law law;
        for (int e = 0; e < 9; e++) law.S[e] = S[e];
        for (int a = 0; a < 3; a++) law.lo[a] = bound[a], law.hi[a] = bound[3 + a];
        pl_box_relax_at(&law, u, f);
    } else {
        pl_coulomb law;
        pl_coulomb_prepare_at(S, mu, &law);
        law.ratio = *ratio;
        pl_coulomb_relax_at(&law, u, f);
        *ratio = law.ratio;
    }
}

// Constraint k with all others held. `law` is -1 for a plain cone, else 2 i for a cone and 2 i + 1
// for a box with the numbers 9 i .. of `bounds`: lo, hi, compliance. moves: not prescribed, by
// block. A macro: OpenCL C has no pointers for a function that may point anywhere.
#define PL_SWEEP_RELAX(k)                                                                          \
    {                                                                                              \
        double sum[3] = {0, 0, 0}, frame[9], y[3], T[9], fk[3], d[3];                              \
        double u[3], bound[9], m[6], p[3], is = 1 / control[0].s;                                  \
        for (int32_t t = first[k]; t < first[k + 1]; t++) {                                        \
            if (!moves[block[t]]) continue;                                                        \
            PL_LOAD(3, y, x, block[t])                                                             \
            PL_TERM(pl_term_add, t, y, sum)                                                        \
        }                                                                                          \
        PL_LOAD(9, frame, R, k)                                                                    \
        PL_LOAD(9, T, S, k)                                                                        \
        PL_LOAD(3, fk, f, k)                                                                       \
        pl_frame_from_world(frame, sum, u);                                                        \
        double held = PL_SWEEP_REGULARIZE * (T[0] + T[4] + T[8]);                                  \
        for (int e = 0; e < 9; e++) T[e] = (e % 4 == 0 ? T[e] + held : T[e]) * is;                 \
        for (int a = 0; a < 3; a++) u[a] += u0[3 * (k) + a] + held * is * fk[a];                   \
        if (law[k] >= 0) {                                                                         \
            PL_LOAD(9, bound, bounds, law[k] / 2)                                                  \
            for (int a = 0; a < 3; a++) {                                                          \
                T[4 * a] += bound[6 + a];                                                          \
                u[a] += bound[6 + a] * fk[a];                                                      \
            }                                                                                      \
        }                                                                                          \
        for (int a = 0; a < 3; a++) d[a] = -fk[a];                                                 \
        double own_ratio = ratio[k];                                                               \
        pl_sweep_solve(law[k] >= 0 && law[k] % 2 == 1, mu[k], bound, T, &own_ratio, u, fk);        \
        ratio[k] = own_ratio;                                                                      \
        for (int a = 0; a < 3; a++) d[a] += fk[a], f[3 * (k) + a] = fk[a];                         \
        pl_frame_to_world(frame, d, u);                                                            \
        for (int32_t t = first[k]; t < first[k + 1]; t++) {                                        \
            if (!moves[block[t]]) continue;                                                        \
            PL_LOAD(6, m, inv, block[t])                                                           \
            p[0] = p[1] = p[2] = 0;                                                                \
            PL_TERM(pl_term_push, t, u, p)                                                         \
            pl_symmetric_apply(m, p, y);                                                           \
            for (int a = 0; a < 3; a++) x[3 * (int64_t)block[t] + a] += is * y[a];                 \
        }                                                                                          \
    }

// The constraints order[from] .. order[from + n - 1], of one colour.
PL_KERNEL void sweep_colour(int64_t n, int64_t from, int32_t stretched,
                            PL_IN(pl_sweep_control) control, PL_IN(int32_t) order,
                            PL_IN(int32_t) first, PL_IN(int32_t) block, PL_IN(int32_t) arm_of,
                            PL_IN(double) w, PL_IN(double) arm, PL_IN(double) stretch,
                            PL_IN(double) R, PL_IN(double) mu, PL_IN(int32_t) law,
                            PL_IN(double) bounds, PL_IN(uint8_t) moves, PL_IN(double) inv,
                            PL_IN(double) S, PL_IN(double) u0, PL_OUT(double) x, PL_OUT(double) f,
                            PL_OUT(double) ratio)
{
    PL_EACH(i, control[0].done ? 0 : n)
    {
        int64_t k = order[from + i];
        PL_SWEEP_RELAX(k)
    }
}

// The same for few constraints: `sweeps` sweeps over all colours in one launch of one group.
PL_KERNEL void sweep_few(int32_t sweeps, int32_t n_colour, PL_IN(int32_t) colour, int32_t stretched,
                         PL_IN(pl_sweep_control) control, PL_IN(int32_t) order,
                         PL_IN(int32_t) first, PL_IN(int32_t) block, PL_IN(int32_t) arm_of,
                         PL_IN(double) w, PL_IN(double) arm, PL_IN(double) stretch, PL_IN(double) R,
                         PL_IN(double) mu, PL_IN(int32_t) law, PL_IN(double) bounds,
                         PL_IN(uint8_t) moves, PL_IN(double) inv, PL_IN(double) S, PL_IN(double) u0,
                         PL_OUT(double) x, PL_OUT(double) f, PL_OUT(double) ratio)
{
    for (int32_t c = 0; c < (control[0].done ? 0 : sweeps * n_colour); c++) {
        PL_PHASE
        {
            int32_t at = c % n_colour;
            for (int32_t i = colour[at] + PL_ITEM; i < colour[at + 1]; i += PL_SIZE) {
                int64_t k = order[i];
                PL_SWEEP_RELAX(k)
            }
        }
        PL_BARRIER;
    }
}

#endif
