// Directions of Newton's method.
//
// Direct solves go to M plus a diagonal: rows of J divided by q, those with q = 0 eliminated. That
// is symmetric where M is, and positive definite where M is semidefinite and F is Fischer's. For
// the minimum map it is M in its free rows, as in the active-set method of [Lit13, Alg. 2.2], whose
// sets and steps are those of this method without a line search.

#include "newton.h"

#include <string.h>

enum {
    MOST_SHIFTS = 8,  // of a singular system
    MOST_CYCLES = 10, // of GMRES, between restarts: what is left then is a direction all the same
};

static const double FIRST_SHIFT = 1e-12; // of a singular system, parts of M_ii; times 100 in turn
static const double LOOSE = 1e-2;        // inner residuals: at most this part of |F|
static const double QUIET = 1e-14;       // q M_ii / p at which a row is eliminated

pl_status pl_lcp_newton_take(pl_lcp_newton *s)
{
    double **array[11] = {&s->scale, &s->F,     &s->p,       &s->q,  &s->grad, &s->dx,
                          &s->b,     &s->shift, &s->inverse, &s->to, &s->to_w};
    pl_arena *arena = s->work->arena;
    int32_t n = s->lcp->n;
    for (int i = 0; i < 11; i++) {
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

pl_equation pl_lcp_newton_row(const pl_lcp_newton *s, int32_t i, double x, double w)
{
    return pl_equations_row(&s->equations, s->scale[i], s->lcp->lo[i], s->lcp->hi[i], x, w);
}

void pl_lcp_newton_linearize(pl_lcp_newton *s, const double *x, const double *w)
{
    const pl_lcp *lcp = s->lcp;
    s->theta = 0;
    for (int32_t i = 0; i < lcp->n; i++) {
        pl_equation e = pl_lcp_newton_row(s, i, x[i], w[i]);
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

// dx of rows without q, and what is left of the others: (M + shift) dx = b in the free rows.
static void eliminate(pl_lcp_newton *s)
{
    int32_t n = s->lcp->n;
    for (int32_t i = 0; i < n; i++) {
        s->free[i] = fabs(s->q[i]) * s->scale[i] > QUIET * fabs(s->p[i]);
        s->dx[i] = s->free[i] != 0 ? 0 : -s->F[i] / s->p[i];
    }
    pl_lcp_product(s->lcp, s->dx, s->b);
    for (int32_t i = 0; i < n; i++) {
        s->shift[i] = s->free[i] != 0 ? s->p[i] / s->q[i] : 0;
        s->b[i] = s->free[i] != 0 ? -s->F[i] / s->q[i] - s->b[i] : 0;
    }
}

static bool direct(pl_lcp_newton *s, pl_lcp_stats *stats)
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
    const pl_lcp_newton *s = context;
    pl_lcp_product(s->lcp, x, y);
    for (int32_t i = 0; i < s->lcp->n; i++) y[i] = s->p[i] * x[i] + s->q[i] * y[i];
}

// M + shift in the free rows; x is 0 in the others.
static void apply_free(void *context, const double *x, double *y)
{
    const pl_lcp_newton *s = context;
    pl_lcp_product(s->lcp, x, y);
    for (int32_t i = 0; i < s->lcp->n; i++) {
        y[i] = s->free[i] != 0 ? y[i] + s->shift[i] * x[i] : 0;
    }
}

// What is left of the residual is a part of |F| that falls with the square root of |F|, so that
// convergence stays faster than linear.
static double inner_tolerance(const pl_lcp_newton *s)
{
    double size = sqrt(2 * s->theta), part = s->first > 0 ? sqrt(size / s->first) : 0;
    return fmax(s->options->inner_tolerance, fmin(LOOSE, part * LOOSE) * size);
}

// Conjugate gradients for the minimum map with a symmetric M, GMRES on J for all else.
static void krylov(pl_lcp_newton *s, pl_lcp_stats *stats)
{
    int32_t n = s->lcp->n, most = s->options->max_inner, kept = s->krylov.restart;
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
    if (kept < most / MOST_CYCLES) most = kept * MOST_CYCLES;
    stats->inner += pl_krylov_gmres(&s->krylov, apply_jacobian, s, s->inverse, tolerance, most,
                                    s->b, s->dx, &residual);
}

bool pl_lcp_newton_direction(pl_lcp_newton *s, pl_lcp_stats *stats)
{
    if (s->inner != PL_LCP_INNER_KRYLOV) return direct(s, stats);
    krylov(s, stats);
    return true;
}

void pl_lcp_newton_steepest(pl_lcp_newton *s)
{
    for (int32_t i = 0; i < s->lcp->n; i++) {
        s->dx[i] = -s->grad[i] / (s->scale[i] * s->scale[i]);
    }
}
