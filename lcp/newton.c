// Newton methods for the equations of equations.h [Erl13, "Fischer-Newton", "Minimum map"]: with J
// an element of the generalized Jacobian, J dx = -F, and a line search on theta = |F|^2 / 2.
//
// [Erl13] projects the direction in its line search, dx := max(0, dx), so that x can never shrink.
// Here the iterate is: x(tau) = clamp(x + tau dx). Where that does not lower theta enough although
// dx is a descent direction, x + tau dx itself is tried, for F needs no x within bounds; then the
// same two with the gradient, scaled to the unit of x.
//
// theta of the minimum map has kinks, at which neither its step nor its gradient may lower it; then
// the steps are Fischer's, judged by Fischer's theta, as [De Luca et al. 2000] judge all steps,
// until the error has fallen to half of its lowest.

#include "newton.h"
#include "watch.h"

#include <string.h>

enum { PATIENCE = 100 }; // iterations without a lower error

static const double BACKTRACK = 0.5;    // alpha of [Erl13]: what a step is cut by
static const double SUFFICIENT = 0.001; // beta: the part of the promised decrease that must come
static const double SHORTEST = 1e-14;   // tau at which the last search gives up
static const double SHORT = 1e-3;       // and at which the next direction is tried first
static const double DESCENT = 2.3e-16;  // rho: slope below -rho |M_ii dx|^2

// theta at x, given w.
static double merit(const pl_lcp_newton *s, const double *x, const double *w)
{
    double sum = 0;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        double value = pl_lcp_newton_row(s, i, x[i], w[i]).value;
        sum += 0.5 * value * value;
    }
    return sum;
}

// grad . dx, or 0 where dx is no direction of descent.
static double slope_of(const pl_lcp_newton *s)
{
    double slope = 0, size = 0;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        slope += s->grad[i] * s->dx[i];
        size += s->scale[i] * s->dx[i] * s->scale[i] * s->dx[i];
    }
    return slope < -DESCENT * size && isfinite(slope) ? slope : 0;
}

// --- The line search ---

// Moves s->x along dx, by at least `shortest`; false if theta does not fall enough.
static bool search(pl_lcp_newton *s, double slope, double shortest, bool projected)
{
    int32_t n = s->lcp->n;
    for (double tau = 1; tau >= shortest; tau *= BACKTRACK) {
        bool moved = false;
        for (int32_t i = 0; i < n; i++) {
            double to = s->x[i] + tau * s->dx[i];
            s->to[i] = projected ? pl_lcp_clamp(to, s->lcp->lo[i], s->lcp->hi[i]) : to;
            moved = moved || s->to[i] != s->x[i];
        }
        if (!moved) return false;
        pl_lcp_multiply(s->lcp, s->to, s->to_w);
        if (!(merit(s, s->to, s->to_w) <= s->theta + SUFFICIENT * tau * slope)) continue;
        memcpy(s->x, s->to, (size_t)n * sizeof *s->x);
        memcpy(s->work->w, s->to_w, (size_t)n * sizeof *s->to_w);
        return true;
    }
    return false;
}

static bool newton_step(pl_lcp_newton *s, pl_lcp_stats *stats)
{
    double slope = pl_lcp_newton_direction(s, stats) ? slope_of(s) : 0;
    return slope < 0 && (search(s, slope, SHORT, true) || search(s, slope, SHORT, false));
}

static bool gradient_step(pl_lcp_newton *s, pl_lcp_stats *stats)
{
    pl_lcp_newton_steepest(s);
    stats->fallbacks++;
    double slope = slope_of(s);
    return slope < 0 && (search(s, slope, SHORT, true) || search(s, slope, SHORTEST, false));
}

// --- The methods ---

// One iteration, with the equations of the method or, until the error has fallen to half, Fischer's
// after the minimum map has failed.
static bool step(pl_lcp_newton *s, const pl_lcp_watch *watch, double error, pl_lcp_stats *stats)
{
    if (s->equations.form == PL_LCP_FORM_MINMAP && !(error > s->resume)) {
        pl_lcp_newton_linearize(s, s->x, s->work->w);
        if (newton_step(s, stats)) return true;
        s->resume = 0.5 * watch->least;
        stats->fallbacks++;
    }
    pl_lcp_form form = s->equations.form;
    if (form == PL_LCP_FORM_MINMAP) s->equations.form = PL_LCP_FORM_FISCHER;
    pl_lcp_newton_linearize(s, s->x, s->work->w);
    bool moved = newton_step(s, stats) || gradient_step(s, stats);
    s->equations.form = form;
    return moved;
}

static pl_status iterate(pl_lcp_newton *s, pl_lcp_watch *watch, pl_lcp_stats *stats)
{
    s->resume = INFINITY;
    for (double error;; stats->iterations++) {
        pl_lcp_multiply(s->lcp, s->x, s->work->w);
        if (!pl_lcp_watch_look(watch, s->lcp, s->options, s->work, s->x, s->work->w, stats,
                               &error)) {
            return PL_OK;
        }
        if (stats->iterations == 0) {
            s->equations.unit = error;
            pl_lcp_newton_linearize(s, s->x, s->work->w);
            s->first = sqrt(2 * s->theta);
        }
        if (step(s, watch, error, stats)) continue;
        pl_lcp_watch_leave(watch, s->lcp, PL_LCP_STALLED, s->x, stats);
        return PL_OK;
    }
}

static pl_status solve(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       pl_lcp_form form, pl_lcp_inner inner, double *x, pl_lcp_stats *stats)
{
    pl_lcp_newton s = {.lcp = lcp,
                       .options = options,
                       .work = work,
                       .inner = inner,
                       .equations = {.form = form, .penalty = options->penalty, .unit = 1},
                       .x = x};
    pl_lcp_watch watch;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    PL_TRY(pl_lcp_newton_take(&s));
    if (inner != PL_LCP_INNER_KRYLOV && !s.shifted.fits) {
        stats->end = PL_LCP_SIZE;
        return PL_OK;
    }
    return iterate(&s, &watch, stats);
}

pl_status pl_lcp_fischer(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                         double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, PL_LCP_FORM_FISCHER, options->inner, x, stats);
}

pl_status pl_lcp_fischer_krylov(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                                double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, PL_LCP_FORM_FISCHER, PL_LCP_INNER_KRYLOV, x, stats);
}

pl_status pl_lcp_penalised(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                           double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, PL_LCP_FORM_PENALISED, options->inner, x, stats);
}

pl_status pl_lcp_minmap(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                        double *x, pl_lcp_stats *stats)
{
    return solve(lcp, options, work, PL_LCP_FORM_MINMAP, options->inner, x, stats);
}
