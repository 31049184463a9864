// Projected Gauss-Seidel with subspace minimization [Silcowitz et al. 2010 a]: a few sweeps find
// out which rows are free, conjugate gradients solve for those, and what comes out is projected on
// the bounds; again, as long as that makes more rows tight, and then sweeps again.
//
// The text takes every projected solution, which may be worse than what the sweeps had. Here the
// way to it is cut until x^T M x / 2 + q^T x falls as a line search by Armijo asks for, along the
// projected path, so that no part of an iteration raises that function. Bounds that follow other
// rows stay where they are while conjugate gradients work; with such rows nothing falls for
// certain.

#include "krylov.h"
#include "pgs.h"
#include "watch.h"

#include <string.h>

enum {
    PATIENCE = 500,    // iterations without a lower error
    SWEEPS = 5,        // in one iteration
    SUBSPACES = 5,     // in one iteration
    MOST_HALVINGS = 20 // of a step
};

// By how much conjugate gradients lower the residual, as a factor: the set is a guess.
static const double DROP = 1e-4;

// Of the decrease that the slope promises, the part that a step must bring [Armijo 1966].
static const double SUFFICIENT = 1e-4;

typedef struct subspace {
    const pl_lcp *lcp;
    double *lo, *hi;                       // (n) as they are at the start of the subspace
    double *free;                          // (n) 1 where a row is free, else 0
    double *inverse;                       // (n) 1 / M_ii there
    double *b, *d, *to, *change, *product; // (n)
    pl_krylov krylov;
} subspace;

static pl_status take(const pl_lcp *lcp, pl_lcp_work *work, subspace *s)
{
    double **array[9] = {&s->lo, &s->hi, &s->free,   &s->inverse, &s->b,
                         &s->d,  &s->to, &s->change, &s->product};
    *s = (subspace){.lcp = lcp};
    for (int i = 0; i < 9; i++) {
        *array[i] = pl_arena_take(work->arena, lcp->n, sizeof(double));
        if (*array[i] == NULL) return PL_ERROR_MEMORY;
    }
    return pl_krylov_take(lcp->n, 0, work->arena, &s->krylov);
}

// The free part of M.
static void apply(void *context, const double *x, double *y)
{
    const subspace *s = context;
    pl_lcp_product(s->lcp, x, y); // x is 0 in the rows that are tight
    for (int32_t i = 0; i < s->lcp->n; i++) y[i] *= s->free[i];
}

// Rows strictly inside their bounds are free.
static void choose(subspace *s, const double *diag, const double *x)
{
    for (int32_t i = 0; i < s->lcp->n; i++) {
        s->lo[i] = pl_lcp_lo(s->lcp, x, i);
        s->hi[i] = pl_lcp_hi(s->lcp, x, i);
        s->free[i] = x[i] > s->lo[i] && x[i] < s->hi[i] && diag[i] > 0;
        s->inverse[i] = s->free[i] > 0 ? 1 / diag[i] : 0;
    }
}

// Moves x along d, projected, and w with it; false if no step brings enough. *clamped tells if a
// row became tight.
static bool search(subspace *s, double *x, double *w, bool *clamped)
{
    int32_t n = s->lcp->n;
    double tau = 1;
    for (int halving = 0; halving <= MOST_HALVINGS; halving++, tau *= 0.5) {
        double slope = 0, curvature = 0;
        *clamped = false;
        for (int32_t i = 0; i < n; i++) {
            double to = x[i] + tau * s->d[i];
            s->to[i] = s->free[i] > 0 ? pl_lcp_clamp(to, s->lo[i], s->hi[i]) : x[i];
            *clamped = *clamped || (s->free[i] > 0 && s->to[i] != to);
            s->change[i] = s->to[i] - x[i];
            slope += w[i] * s->change[i];
        }
        pl_lcp_product(s->lcp, s->change, s->product);
        for (int32_t i = 0; i < n; i++) curvature += s->change[i] * s->product[i];
        if (!(slope < 0)) return false;
        if (slope + 0.5 * curvature > SUFFICIENT * slope) continue;
        memcpy(x, s->to, (size_t)n * sizeof *x);
        for (int32_t i = 0; i < n; i++) w[i] += s->product[i];
        return true;
    }
    return false;
}

static void minimize(subspace *s, const pl_lcp_options *options, const pl_lcp_work *work, double *x,
                     pl_lcp_stats *stats)
{
    int32_t n = s->lcp->n;
    for (int32_t round = 0; round < SUBSPACES; round++) {
        double size = 0, residual;
        bool clamped;
        if (round == 0) choose(s, work->diag, x);
        for (int32_t i = 0; i < n; i++) {
            s->free[i] *= x[i] > s->lo[i] && x[i] < s->hi[i];
            s->inverse[i] *= s->free[i];
            s->b[i] = -s->free[i] * work->w[i];
            size += s->b[i] * s->b[i];
        }
        if (!(size > 0)) return;
        memset(s->d, 0, (size_t)n * sizeof *s->d);
        double tolerance = fmax(options->inner_tolerance, DROP * sqrt(size));
        stats->inner += pl_krylov_cg(&s->krylov, apply, s, s->inverse, tolerance,
                                     options->max_inner, s->b, s->d, &residual);
        stats->solves++;
        if (!search(s, x, work->w, &clamped)) {
            stats->fallbacks++;
            return;
        }
        if (!clamped) return;
    }
}

pl_status pl_lcp_pgs_sm(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                        double *x, pl_lcp_stats *stats)
{
    pl_lcp_watch watch;
    subspace s;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    PL_TRY(take(lcp, work, &s));
    for (double error;; stats->iterations++) {
        pl_lcp_multiply(lcp, x, work->w);
        if (!pl_lcp_watch_look(&watch, lcp, options, work, x, work->w, stats, &error)) return PL_OK;
        for (int32_t sweep = 0; sweep < SWEEPS; sweep++) {
            pl_lcp_end end = pl_lcp_sweep(lcp, work->diag, 1, x, work->w);
            if (end == PL_LCP_N_END) continue;
            pl_lcp_watch_leave(&watch, lcp, end, x, stats);
            return PL_OK;
        }
        minimize(&s, options, work, x, stats);
    }
}
