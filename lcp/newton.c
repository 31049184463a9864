// Newton methods for the equations of equations.h [Erl13, "Fischer-Newton", "Minimum map"]: with J
// an element of the generalized Jacobian, J dx = -F, and a line search on theta = |F|^2 / 2.
//
// [Erl13] projects the direction in its line search, dx := max(0, dx), so that x can never shrink.
// Here the iterate is: x(tau) = clamp(x + tau dx). Where that does not lower theta enough although
// dx is a descent direction, x + tau dx itself is tried, for F needs no x within bounds; then the
// same two with the gradient, scaled to the unit of x.
//
// Direct solves go to M plus a diagonal: rows of J divided by q, those with q = 0 eliminated. That
// is symmetric where M is, and positive definite where M is semidefinite and F is Fischer's. For
// the minimum map it is M in its free rows, as in the active-set method of [Lit13, Alg. 2.2], whose
// sets and steps are those of this method without a line search. theta of the minimum map has
// kinks, at which neither its step nor its gradient may lower it; then the steps are Fischer's,
// judged by Fischer's theta, as [De Luca et al. 2000] judge all steps, until the error has fallen
// to half of its lowest.

#include "equations.h"
#include "krylov.h"
#include "shifted.h"
#include "watch.h"

#include <string.h>

enum {
    PATIENCE = 100,  // iterations without a lower error
    MOST_SHIFTS = 8, // of a singular system
};

static const double BACKTRACK = 0.5;     // alpha of [Erl13]: what a step is cut by
static const double SUFFICIENT = 0.001;  // beta: the part of the promised decrease that must come
static const double SHORTEST = 1e-14;    // tau at which the last search gives up
static const double SHORT = 1e-3;        // and at which the next direction is tried first
static const double DESCENT = 2.3e-16;   // rho: slope below -rho |M_ii dx|^2
static const double FIRST_SHIFT = 1e-12; // of a singular system, parts of M_ii; times 100 in turn
static const double LOOSE = 1e-2;        // inner residuals: at most this part of |F|
static const double QUIET = 1e-14;       // q M_ii / p at which a row is eliminated

typedef struct newton {
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    pl_lcp_work *work;
    pl_lcp_inner inner;
    pl_equations equations;
    double *scale;                    // (n) M_ii, or 1 where it is not above 0
    double *x;                        // (n)
    double *F, *p, *q;                // (n) at x
    double theta;                     // |F|^2 / 2
    double first;                     // |F| at the start
    double resume;                    // the error up to which the minimum map is used
    double *grad;                     // (n) J^T F
    double *dx, *b, *shift, *inverse; // (n)
    double *to, *to_w;                // (n) a trial
    uint8_t *free;                    // (n) rows that are not eliminated
    pl_shifted shifted;
    pl_krylov krylov;
} newton;

static pl_status take(newton *s)
{
    double **array[12] = {&s->scale, &s->F,     &s->p,       &s->q,  &s->grad, &s->dx,
                          &s->b,     &s->shift, &s->inverse, &s->to, &s->to_w, NULL};
    pl_arena *arena = s->work->arena;
    int32_t n = s->lcp->n;
    for (int i = 0; array[i] != NULL; i++) {
        *array[i] = pl_arena_take(arena, n, sizeof(double));
        if (*array[i] == NULL) return PL_ERROR_MEMORY;
    }
    s->free = pl_arena_take(arena, n, sizeof *s->free);
    if (s->free == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        s->scale[i] = s->work->diag[i] > 0 ? s->work->diag[i] : 1;
    }
    if (s->inner != PL_LCP_INNER_KRYLOV) return pl_shifted_take(s->lcp, arena, &s->shifted);
    return pl_krylov_take(n, s->options->restart, arena, &s->krylov);
}

// --- F, J and the gradient ---

static pl_equation row(const newton *s, int32_t i, double x, double w)
{
    return pl_equations_row(&s->equations, s->scale[i], s->lcp->lo[i], s->lcp->hi[i], x, w);
}

// theta at x, given w.
static double merit(const newton *s, const double *x, const double *w)
{
    double sum = 0;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        double value = row(s, i, x[i], w[i]).value;
        sum += 0.5 * value * value;
    }
    return sum;
}

// F, J, theta and its gradient at s->x.
static void linearize(newton *s, const double *w)
{
    const pl_lcp *lcp = s->lcp;
    s->theta = 0;
    for (int32_t i = 0; i < lcp->n; i++) {
        pl_equation e = row(s, i, s->x[i], w[i]);
        s->F[i] = e.value, s->p[i] = e.dx, s->q[i] = e.dw;
        s->theta += 0.5 * e.value * e.value;
    }
    for (int32_t j = 0; j < lcp->n; j++) {
        s->grad[j] = s->p[j] * s->F[j];
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            s->grad[j] += lcp->val[k] * s->q[lcp->row[k]] * s->F[lcp->row[k]];
        }
    }
}

// --- Directions ---

// y := M x.
static void multiply(const pl_lcp *lcp, const double *restrict x, double *restrict y)
{
    memset(y, 0, (size_t)lcp->n * sizeof *y);
    for (int32_t j = 0; j < lcp->n; j++) {
        if (x[j] == 0) continue;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++)
            y[lcp->row[k]] += lcp->val[k] * x[j];
    }
}

// dx of rows without q, and what is left of the others: (M + shift) dx = b in the free rows.
static void eliminate(newton *s)
{
    int32_t n = s->lcp->n;
    for (int32_t i = 0; i < n; i++) {
        s->free[i] = fabs(s->q[i]) * s->scale[i] > QUIET * fabs(s->p[i]);
        s->dx[i] = s->free[i] != 0 ? 0 : -s->F[i] / s->p[i];
    }
    multiply(s->lcp, s->dx, s->b);
    for (int32_t i = 0; i < n; i++) {
        s->shift[i] = s->free[i] != 0 ? s->p[i] / s->q[i] : 0;
        s->b[i] = s->free[i] != 0 ? -s->F[i] / s->q[i] - s->b[i] : 0;
    }
}

static bool direct(newton *s, pl_lcp_stats *stats)
{
    int32_t n = s->lcp->n;
    double error = s->first > 0 ? sqrt(2 * s->theta) / s->first : 0, part = 0;
    eliminate(s);
    if (s->inner == PL_LCP_INNER_PERTURBED) part = s->options->perturbation * fmin(1, error);
    for (int32_t turn = 0; turn < MOST_SHIFTS; turn++) {
        for (int32_t i = 0; i < n && part > 0; i++) s->shift[i] += part * s->scale[i];
        if (pl_shifted_factor(&s->shifted, s->shift, s->free, stats)) {
            pl_shifted_solve(&s->shifted, s->b, s->dx, stats);
            return true;
        }
        part = fmax(FIRST_SHIFT, 100 * part);
        stats->shifts++;
    }
    return false;
}

static void apply_jacobian(void *context, const double *x, double *y)
{
    const newton *s = context;
    multiply(s->lcp, x, y);
    for (int32_t i = 0; i < s->lcp->n; i++) y[i] = s->p[i] * x[i] + s->q[i] * y[i];
}

// M + shift in the free rows; x is 0 in the others.
static void apply_free(void *context, const double *x, double *y)
{
    const newton *s = context;
    multiply(s->lcp, x, y);
    for (int32_t i = 0; i < s->lcp->n; i++) {
        y[i] = s->free[i] != 0 ? y[i] + s->shift[i] * x[i] : 0;
    }
}

// The residual that is asked for falls with the square root of |F|, and its part of |F| goes to 0:
// convergence stays faster than linear.
static double inner_tolerance(const newton *s)
{
    double size = sqrt(2 * s->theta), part = s->first > 0 ? sqrt(size / s->first) : 0;
    return fmax(s->options->inner_tolerance, fmin(LOOSE, part * LOOSE) * size);
}

// Conjugate gradients for the minimum map with a symmetric M, GMRES on J for all else.
static void krylov(newton *s, pl_lcp_stats *stats)
{
    int32_t n = s->lcp->n, most = s->options->max_inner;
    double tolerance = inner_tolerance(s), residual;
    stats->solves++;
    if (s->equations.form == PL_LCP_FORM_MINMAP && s->lcp->symmetric) {
        eliminate(s);
        for (int32_t i = 0; i < n; i++) {
            s->inverse[i] = s->free[i] != 0 ? 1 / (s->scale[i] + s->shift[i]) : 0;
            s->to[i] = 0;
        }
        stats->inner += pl_krylov_cg(&s->krylov, apply_free, s, s->inverse, tolerance, most, s->b,
                                     s->to, &residual);
        for (int32_t i = 0; i < n; i++) s->dx[i] += s->to[i];
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        double diagonal = s->p[i] + s->q[i] * s->work->diag[i];
        s->inverse[i] = 1 / (diagonal != 0 ? diagonal : s->q[i] != 0 ? s->q[i] : 1);
        s->b[i] = -s->F[i];
        s->dx[i] = 0;
    }
    stats->inner += pl_krylov_gmres(&s->krylov, apply_jacobian, s, s->inverse, tolerance, most,
                                    s->b, s->dx, &residual);
}

static void steepest(newton *s)
{
    for (int32_t i = 0; i < s->lcp->n; i++) {
        s->dx[i] = -s->grad[i] / (s->scale[i] * s->scale[i]);
    }
}

// grad . dx, or 0 where dx is no direction of descent.
static double slope_of(const newton *s)
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
static bool search(newton *s, double slope, double shortest, bool projected)
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

// J dx = -F, and the slope along dx; 0 if there is none.
static double newton_direction(newton *s, pl_lcp_stats *stats)
{
    if (s->inner == PL_LCP_INNER_KRYLOV) {
        krylov(s, stats);
    } else if (!direct(s, stats)) {
        return 0;
    }
    return slope_of(s);
}

static bool newton_step(newton *s, pl_lcp_stats *stats)
{
    double slope = newton_direction(s, stats);
    return slope < 0 && (search(s, slope, SHORT, true) || search(s, slope, SHORT, false));
}

static bool gradient_step(newton *s, pl_lcp_stats *stats)
{
    steepest(s);
    stats->fallbacks++;
    double slope = slope_of(s);
    return slope < 0 && (search(s, slope, SHORT, true) || search(s, slope, SHORTEST, false));
}

// --- The methods ---

// One iteration, with the equations of the method or, until the error has fallen to half, Fischer's
// after the minimum map has failed.
static bool step(newton *s, const pl_lcp_watch *watch, double error, pl_lcp_stats *stats)
{
    if (s->equations.form == PL_LCP_FORM_MINMAP && !(error > s->resume)) {
        linearize(s, s->work->w);
        if (newton_step(s, stats)) return true;
        s->resume = 0.5 * watch->least;
        stats->fallbacks++;
    }
    pl_lcp_form form = s->equations.form;
    if (form == PL_LCP_FORM_MINMAP) s->equations.form = PL_LCP_FORM_FISCHER;
    linearize(s, s->work->w);
    bool moved = newton_step(s, stats) || gradient_step(s, stats);
    s->equations.form = form;
    return moved;
}

static pl_status iterate(newton *s, pl_lcp_watch *watch, pl_lcp_stats *stats)
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
            linearize(s, s->work->w);
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
    newton s = {.lcp = lcp,
                .options = options,
                .work = work,
                .inner = inner,
                .equations = {.form = form, .penalty = options->penalty, .unit = 1},
                .x = x};
    pl_lcp_watch watch;
    PL_TRY(pl_lcp_watch_make(lcp, PATIENCE, work, &watch));
    PL_TRY(take(&s));
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
