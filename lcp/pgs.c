// Projected Gauss-Seidel, and the same with over-relaxation [Erl13, "PGS", "PSOR"]:
//
//     x_i := clamp(x_i - relaxation (M x + q)_i / M_ii, lo_i, hi_i)
//
// row by row with the newest x. The slides project whole vectors, which is another iteration: what
// is clamped must enter the rows below. For a symmetric M each row is a step of coordinate descent
// on x^T M x / 2 + q^T x, which never rises while 0 < relaxation < 2. Bounds of friction that
// follow their normal row are those of its newest impulse.
//
// A row whose diagonal is 0 has no minimum inside its bounds: it goes to the one that w points at.
// [Erl13, "Speculate"] skips it where w >= 0, which leaves an x above its bound for ever.

#include "pgs.h"
#include "watch.h"

// Iterations without a lower error: sums of rounding that wander take fewer to find one.
enum { PATIENCE = 2000 };

// Where a row without curvature goes; NAN: nowhere.
static double flat_row(double x, double w, double lo, double hi)
{
    double to = w > 0 ? lo : w < 0 ? hi : x;
    return isfinite(to) ? to : NAN;
}

// A row is content at the bound that w points at, whatever its diagonal.
static bool is_content(double x, double w, double lo, double hi)
{
    return w > 0 ? x <= lo : w < 0 ? x >= hi : x >= lo && x <= hi;
}

pl_lcp_end pl_lcp_sweep(const pl_lcp *lcp, const double *diag, double relaxation,
                        double *restrict x, double *restrict w)
{
    for (int32_t i = 0; i < lcp->n; i++) {
        double lo = pl_lcp_lo(lcp, x, i), hi = pl_lcp_hi(lcp, x, i), to;
        if (diag[i] > 0) {
            to = pl_lcp_clamp(x[i] - relaxation * w[i] / diag[i], lo, hi);
        } else if (is_content(x[i], w[i], lo, hi)) {
            continue;
        } else if (diag[i] < 0) {
            return PL_LCP_BREAKDOWN;
        } else {
            to = flat_row(x[i], w[i], lo, hi);
            if (isnan(to)) return PL_LCP_UNBOUNDED;
        }
        double change = to - x[i];
        if (change == 0) continue;
        x[i] = to;
        for (int64_t k = lcp->col[i]; k < lcp->col[i + 1]; k++) {
            w[lcp->row[k]] += lcp->val[k] * change;
        }
    }
    return PL_LCP_N_END;
}

static pl_status solve(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       double relaxation, double *x, pl_lcp_stats *stats)
{
    pl_lcp_watch watch;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    for (double error;; stats->iterations++) {
        pl_lcp_multiply(lcp, x, work->w);
        if (!pl_lcp_watch_look(&watch, lcp, options, work, x, work->w, stats, &error)) return PL_OK;
        pl_lcp_end end = pl_lcp_sweep(lcp, work->diag, relaxation, x, work->w);
        if (end == PL_LCP_N_END) continue;
        pl_lcp_watch_leave(&watch, lcp, end, x, stats);
        return PL_OK;
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
