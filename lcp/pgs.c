// Projected Gauss-Seidel, and the same with over-relaxation [Erl13, "PGS", "PSOR"]:
//
//     x_i := clamp(x_i - relaxation (M x + q)_i / M_ii, lo_i, hi_i)
//
// row by row with the newest x. The slides project whole vectors, which is another iteration: what
// is clamped must enter the rows below. For a symmetric M each row is a step of coordinate descent
// on x^T M x / 2 + q^T x, which never rises while 0 < relaxation < 2. Bounds of friction that
// follow their normal row are those of its newest impulse.

#include "lcp.h"

// Errors are looked at after every iteration; one of so many without a lower one is the end.
enum { PATIENCE = 2000 };

// One pass over all rows. w = M x + q is kept up to date, column by column.
static void sweep(const pl_lcp *lcp, const double *diag, double relaxation, double *restrict x,
                  double *restrict w)
{
    for (int32_t i = 0; i < lcp->n; i++) {
        double to = pl_lcp_clamp(x[i] - relaxation * w[i] / diag[i], pl_lcp_lo(lcp, x, i),
                                 pl_lcp_hi(lcp, x, i));
        double change = to - x[i];
        if (change == 0) continue;
        x[i] = to;
        for (int64_t k = lcp->col[i]; k < lcp->col[i + 1]; k++) {
            w[lcp->row[k]] += lcp->val[k] * change;
        }
    }
}

static pl_status solve(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       double relaxation, double *x, pl_lcp_stats *stats)
{
    double least = INFINITY;
    int32_t since = 0;
    for (;; stats->iterations++) {
        pl_lcp_multiply(lcp, x, work->w);
        double error = pl_lcp_natural(lcp, work->diag, x, work->w);
        if (options->trace != NULL) options->trace(stats->iterations, error, options->trace_user);
        stats->end = error <= options->tolerance                    ? PL_LCP_SOLVED
                     : !isfinite(error)                             ? PL_LCP_BREAKDOWN
                     : since >= PATIENCE                            ? PL_LCP_STALLED
                     : stats->iterations == options->max_iterations ? PL_LCP_LIMIT
                     : pl_lcp_is_late(work, options)                ? PL_LCP_TIME
                                                                    : PL_LCP_N_END;
        if (stats->end != PL_LCP_N_END) return PL_OK;
        since = error < least ? 0 : since + 1;
        least = fmin(least, error);
        sweep(lcp, work->diag, relaxation, x, work->w);
    }
}

pl_status pl_lcp_pgs(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work, double *x,
                     pl_lcp_stats *stats)
{
    return solve(lcp, options, work, 1, x, stats);
}

pl_status pl_lcp_psor(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                      double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, options->relaxation, x, stats);
}
