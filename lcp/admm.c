// The alternating direction method of multipliers [Boyd et al. 2011], in scaled form, with
// over-relaxation:
//
//     x := (M + R)^-1 (R (z - u) - q),  y := a x + (1 - a) z,  z := clamp(y + u),  u := u + y - z
//
// which is Douglas and Rachford's splitting of M x + q and the bounds [Lions & Mercier 1979], and
// so converges for any M with x^T M x >= 0, symmetric or not. R = rho diag(M) (1 where M_ii is not
// above 0), so that rows of different units are alike. -R u tends to w. One factorization serves
// until rho changes, which follows the ratio of the two residuals as in [Stellato et al. 2020]; and
// as there a set of tight rows that stays is solved for exactly. What comes out of that is taken if
// it is the solution.

#include "polish.h"
#include "watch.h"

#include <string.h>

enum {
    PATIENCE = 5000,  // iterations without a lower error
    STEADY = 20,      // iterations that a set must last before it is solved for
    ADAPT_EVERY = 10, // iterations between looks at rho, at first; twice as many after each change
};

static const double CHANGE = 5;       // rho changes if it would by this factor or more
static const double LEAST_RHO = 1e-6; // parts of M_ii
static const double MOST_RHO = 1e6;

typedef struct admm {
    const pl_lcp *lcp;
    double rho;
    double *scale;       // (n) R is rho times this
    double *shift;       // (n) R
    double *x, *u, *b;   // (n)
    double primal, dual; // residuals, relative
    pl_shifted shifted;
    pl_polish polish;
    pl_shifted polisher;
} admm;

static pl_status take(const pl_lcp *lcp, pl_lcp_work *work, admm *s)
{
    *s = (admm){.lcp = lcp, .rho = 1};
    double **array[5] = {&s->scale, &s->shift, &s->x, &s->u, &s->b};
    for (int i = 0; i < 5; i++) {
        *array[i] = pl_arena_take(work->arena, lcp->n, sizeof(double));
        if (*array[i] == NULL) return PL_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < lcp->n; i++) s->scale[i] = work->diag[i] > 0 ? work->diag[i] : 1;
    PL_TRY(pl_polish_take(lcp->n, work->arena, &s->polish));
    PL_TRY(pl_shifted_take(lcp, work->arena, &s->polisher));
    return pl_shifted_take(lcp, work->arena, &s->shifted);
}

static bool factor(admm *s, pl_lcp_stats *stats)
{
    for (int32_t i = 0; i < s->lcp->n; i++) s->shift[i] = s->rho * s->scale[i];
    return pl_shifted_factor(&s->shifted, s->shift, NULL, stats);
}

// One iteration, from z and s->u to the next ones; w is scratch.
static void iterate(admm *s, double relax, double *z, pl_lcp_stats *stats)
{
    const pl_lcp *lcp = s->lcp;
    double apart = 0, size = 0, change = 0, force = 0;
    for (int32_t i = 0; i < lcp->n; i++) s->b[i] = s->shift[i] * (z[i] - s->u[i]) - lcp->q[i];
    pl_shifted_solve(&s->shifted, s->b, s->x, stats);
    for (int32_t i = 0; i < lcp->n; i++) {
        double scale = s->scale[i], before = z[i];
        double y = relax * s->x[i] + (1 - relax) * before;
        z[i] = pl_lcp_clamp(y + s->u[i], lcp->lo[i], lcp->hi[i]);
        s->u[i] += y - z[i];
        apart = fmax(apart, scale * fabs(s->x[i] - z[i]));
        size = fmax(size, scale * fmax(fabs(s->x[i]), fabs(z[i])));
        change = fmax(change, s->shift[i] * fabs(z[i] - before));
        force = fmax(force, fmax(s->shift[i] * fabs(s->u[i]), fabs(lcp->q[i])));
    }
    s->primal = size > 0 ? apart / size : 0;
    s->dual = force > 0 ? change / force : 0;
}

// Sets rho by the residuals; false if the matrix with the new one is singular.
static bool adapt(admm *s, bool *changed, pl_lcp_stats *stats)
{
    double before = s->rho, to = before * sqrt(s->primal / fmax(s->dual, 1e-300));
    *changed = false;
    if (!isfinite(to)) return true;
    to = pl_lcp_clamp(to, LEAST_RHO, MOST_RHO);
    if (to < CHANGE * before && to > before / CHANGE) return true;
    s->rho = to;
    *changed = true;
    for (int32_t i = 0; i < s->lcp->n; i++) s->u[i] *= before / to;
    return factor(s, stats);
}

// z := the solution, if the set of tight rows is the right one and has lasted.
static void polish(admm *s, double tolerance, const pl_lcp_work *work, double *z,
                   pl_lcp_stats *stats)
{
    double error;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        s->polish.free[i] = z[i] > s->lcp->lo[i] && z[i] < s->lcp->hi[i];
    }
    if (!pl_polish_is_due(&s->polish, s->lcp->n, STEADY)) return;
    bool ok = pl_polish_solve(&s->polish, &s->polisher, work, z, stats, &error);
    if (ok && error <= tolerance) memcpy(z, s->polish.x, (size_t)s->lcp->n * sizeof *z);
}

pl_status pl_lcp_admm(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                      double *x, pl_lcp_stats *stats)
{
    pl_lcp_watch watch;
    admm s;
    int32_t every = ADAPT_EVERY, since = 0;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    PL_TRY(take(lcp, work, &s));
    stats->end = s.shifted.fits ? PL_LCP_BREAKDOWN : PL_LCP_SIZE;
    if (!s.shifted.fits) return PL_OK;
    for (double error;; stats->iterations++) {
        pl_lcp_multiply(lcp, x, work->w);
        if (!pl_lcp_watch_look(&watch, lcp, options, work, x, work->w, stats, &error)) return PL_OK;
        bool changed = false, ok = true;
        if (stats->iterations == 0) {
            ok = factor(&s, stats);
            for (int32_t i = 0; i < lcp->n; i++) s.u[i] = -work->w[i] / s.shift[i];
        } else if (++since >= every) {
            ok = adapt(&s, &changed, stats);
            every = changed ? 2 * every : every;
            since = 0;
        }
        if (!ok) {
            pl_lcp_watch_leave(&watch, lcp, PL_LCP_BREAKDOWN, x, stats);
            return PL_OK;
        }
        iterate(&s, options->over_relaxation, x, stats);
        polish(&s, options->tolerance, work, x, stats);
    }
}
