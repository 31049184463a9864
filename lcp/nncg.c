// The nonsmooth nonlinear conjugate gradient method [Silcowitz et al. 2010 b]: what a sweep of
// projected Gauss-Seidel changes is taken for the descent of a function, and sped up as Fletcher
// and Reeves do, with
//
//     x' = sweep(x),  g = x - x',  beta = |g|^2 / |g of before|^2,  x := x' + beta p,
//     p := beta p - g
//
// and a start over (p = 0) where beta > 1. We measure |g|^2 as sum M_ii g_i^2, so that rows of
// different units add up, and clamp x at once, where the text leaves it to the next sweep: every x
// obeys its bounds.

#include "pgs.h"
#include "watch.h"

#include <string.h>

// Iterations without a lower error; the error of a conjugate gradient is not monotone.
enum { PATIENCE = 2000 };

// before := after - before, which is -g; its size.
static double difference(const pl_lcp *lcp, const double *diag, const double *after, double *before)
{
    double sum = 0;
    for (int32_t i = 0; i < lcp->n; i++) {
        before[i] = after[i] - before[i];
        sum += (diag[i] > 0 ? diag[i] : 1) * before[i] * before[i];
    }
    return sum;
}

// x := x + beta p, clamped, and p := beta p + step.
static void accelerate(const pl_lcp *lcp, double beta, const double *step, double *p, double *x)
{
    for (int32_t i = 0; i < lcp->n; i++) {
        x[i] += beta * p[i];
        p[i] = beta * p[i] + step[i];
    }
    // normal rows first, since bounds of friction follow them
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < lcp->n; i++) {
            if (pl_lcp_is_friction(lcp, i) != (pass == 1)) continue;
            x[i] = pl_lcp_clamp(x[i], pl_lcp_lo(lcp, x, i), pl_lcp_hi(lcp, x, i));
        }
    }
}

pl_status pl_lcp_nncg(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                      double *x, pl_lcp_stats *stats)
{
    pl_lcp_watch watch;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    double *p = pl_arena_take(work->arena, lcp->n, sizeof *p), before = 0;
    double *step = pl_arena_take(work->arena, lcp->n, sizeof *step);
    if (p == NULL || step == NULL) return PL_ERROR_MEMORY;
    memset(p, 0, (size_t)lcp->n * sizeof *p);
    for (double error;; stats->iterations++) {
        pl_lcp_multiply(lcp, x, work->w);
        if (!pl_lcp_watch_look(&watch, lcp, options, work, x, work->w, stats, &error)) return PL_OK;
        memcpy(step, x, (size_t)lcp->n * sizeof *step);
        pl_lcp_end end = pl_lcp_sweep(lcp, work->diag, 1, x, work->w);
        if (end != PL_LCP_N_END) {
            pl_lcp_watch_leave(&watch, lcp, end, x, stats);
            return PL_OK;
        }
        double size = difference(lcp, work->diag, x, step);
        if (stats->iterations == 0) {
            memcpy(p, step, (size_t)lcp->n * sizeof *p);
        } else if (size > before) {
            memset(p, 0, (size_t)lcp->n * sizeof *p);
            stats->fallbacks++;
        } else if (before > 0) {
            accelerate(lcp, size / before, step, p, x);
        }
        before = size;
    }
}
