// What is done before and after a solver, alike for all of them.

#include "islands.h"

#include <stdio.h>
#include <string.h>

const char *pl_lcp_end_name(pl_lcp_end end)
{
    static const char *const names[PL_LCP_N_END] = {
        [PL_LCP_SOLVED] = "solved",       [PL_LCP_LIMIT] = "limit",         [PL_LCP_TIME] = "time",
        [PL_LCP_STALLED] = "stalled",     [PL_LCP_CYCLING] = "cycling",     [PL_LCP_RAY] = "ray",
        [PL_LCP_UNBOUNDED] = "unbounded", [PL_LCP_BREAKDOWN] = "breakdown", [PL_LCP_SIZE] = "size"};
    return names[end];
}

pl_lcp_options pl_lcp_options_default(void)
{
    return (pl_lcp_options){.tolerance = 1e-10,
                            .max_iterations = 1000,
                            .pivot_tolerance = 1e-10,
                            .patience = 10,
                            .relaxation = 1.4,
                            .precond = PL_LCP_PRECOND_IMAGINARY,
                            .inner_tolerance = 1e-12,
                            .max_inner = 20000,
                            .drop = 1e-5,
                            .fill = 100,
                            .max_solves = 500,
                            .cache_bytes = (int64_t)1 << 28,
                            .inner = PL_LCP_INNER_EXACT,
                            .restart = 30,
                            .perturbation = 1e-4,
                            .penalty = 0.95,
                            .over_relaxation = 1.6};
}

bool pl_lcp_is_late(const pl_lcp_work *work, const pl_lcp_options *options)
{
    return options->max_seconds > 0 && pl_seconds() - work->started > options->max_seconds;
}

// --- The problem ---

// Where row i stands in column j, or -1.
static int64_t find(const pl_lcp *lcp, int32_t i, int32_t j)
{
    int64_t low = lcp->col[j], high = lcp->col[j + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lcp->row[middle] < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < lcp->col[j + 1] && lcp->row[low] == i ? low : -1;
}

static pl_status check_column(const pl_lcp *lcp, int32_t j)
{
    for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
        int32_t i = lcp->row[k];
        if (i < 0 || i >= lcp->n) {
            return pl_fail(PL_ERROR_ARGUMENT, "M: column %d has row %d of %d", j, i, lcp->n);
        }
        if (k > lcp->col[j] && i <= lcp->row[k - 1]) {
            return pl_fail(PL_ERROR_ARGUMENT, "M: rows of column %d do not ascend", j);
        }
        if (!isfinite(lcp->val[k])) {
            return pl_fail(PL_ERROR_ARGUMENT, "M: row %d, column %d is not finite", i, j);
        }
    }
    return PL_OK;
}

static pl_status check_symmetry(const pl_lcp *lcp)
{
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int64_t mirror = find(lcp, j, lcp->row[k]);
            if (mirror >= 0 && lcp->val[mirror] == lcp->val[k]) continue;
            return pl_fail(PL_ERROR_ARGUMENT, "M is not symmetric: row %d, column %d", lcp->row[k],
                           j);
        }
    }
    return PL_OK;
}

static pl_status check_row(const pl_lcp *lcp, int32_t i)
{
    if (!isfinite(lcp->q[i])) return pl_fail(PL_ERROR_ARGUMENT, "q: row %d is not finite", i);
    bool bounds = lcp->lo[i] <= lcp->hi[i] && lcp->lo[i] < INFINITY && lcp->hi[i] > -INFINITY;
    if (!bounds) {
        return pl_fail(PL_ERROR_ARGUMENT, "bounds of row %d: %g .. %g", i, lcp->lo[i], lcp->hi[i]);
    }
    if (lcp->normal != NULL && lcp->normal[i] >= lcp->n) {
        return pl_fail(PL_ERROR_ARGUMENT, "row %d: normal row %d of %d", i, lcp->normal[i], lcp->n);
    }
    if (lcp->mu != NULL && pl_lcp_is_friction(lcp, i) &&
        !(lcp->mu[i] >= 0 && isfinite(lcp->mu[i]))) {
        return pl_fail(PL_ERROR_ARGUMENT, "row %d: friction of %g", i, lcp->mu[i]);
    }
    return PL_OK;
}

pl_status pl_lcp_check(const pl_lcp *lcp)
{
    if (lcp->n < 0 || lcp->col[0] != 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "M: %d rows, the first column starts at %lld", lcp->n,
                       (long long)lcp->col[0]);
    }
    if (lcp->mu != NULL && lcp->normal == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "bounds follow rows that are not given");
    }
    for (int32_t j = 0; j < lcp->n; j++) {
        if (lcp->col[j + 1] < lcp->col[j]) {
            return pl_fail(PL_ERROR_ARGUMENT, "M: column %d ends before it starts", j);
        }
    }
    for (int32_t j = 0; j < lcp->n; j++) PL_TRY(check_column(lcp, j));
    for (int32_t i = 0; i < lcp->n; i++) PL_TRY(check_row(lcp, i));
    return lcp->symmetric ? check_symmetry(lcp) : PL_OK;
}

// --- Products and errors ---

// w (n) += factor x.
PL_CLONES
static void add(int64_t n, double factor, const double *restrict x, double *restrict w)
{
    for (int64_t i = 0; i < n; i++) w[i] += factor * x[i];
}

// y += M x.
static void add_product(const pl_lcp *lcp, const double *restrict x, double *restrict y)
{
    for (int32_t j = 0; j < lcp->n; j++) {
        int64_t from = lcp->col[j], to = lcp->col[j + 1];
        if (x[j] == 0 || from == to) continue;
        if (lcp->row[to - 1] - lcp->row[from] == to - from - 1) { // no gaps: dense, or a band
            add(to - from, x[j], lcp->val + from, y + lcp->row[from]);
            continue;
        }
        for (int64_t k = from; k < to; k++) y[lcp->row[k]] += lcp->val[k] * x[j];
    }
}

void pl_lcp_multiply(const pl_lcp *lcp, const double *x, double *w)
{
    memcpy(w, lcp->q, (size_t)lcp->n * sizeof *w);
    add_product(lcp, x, w);
}

void pl_lcp_product(const pl_lcp *lcp, const double *x, double *y)
{
    memset(y, 0, (size_t)lcp->n * sizeof *y);
    add_product(lcp, x, y);
}

// x - clamp(x - w / a), without a difference of x and x - w / a: where x is huge that is 0.
static double natural_map(const pl_lcp *lcp, double a, const double *x, double w, int32_t i)
{
    return pl_lcp_clamp(w / a, x[i] - pl_lcp_hi(lcp, x, i), x[i] - pl_lcp_lo(lcp, x, i));
}

static double scale_of(double diag)
{
    return diag > 0 ? diag : 1;
}

double pl_lcp_natural(const pl_lcp *lcp, const double *diag, const double *x, const double *w)
{
    double most = 0;
    for (int32_t i = 0; i < lcp->n; i++) {
        double a = scale_of(diag[i]), d = a * fabs(natural_map(lcp, a, x, w[i], i));
        if (!(d <= most)) most = d;
        if (isnan(most)) return INFINITY;
    }
    return most;
}

// Adds row i, with diagonal entry `diag` and w_i = w.
static void add_row(const pl_lcp *lcp, const double *x, int32_t i, double diag, double w,
                    pl_lcp_errors *e)
{
    double a = scale_of(diag), d = natural_map(lcp, a, x, w, i);
    double lo = pl_lcp_lo(lcp, x, i), hi = pl_lcp_hi(lcp, x, i);
    double away = w > 0 ? x[i] - lo : hi - x[i]; // from the bound that w points at
    if (!(a * fabs(d) <= e->natural)) e->natural = a * fabs(d), e->worst = i;
    e->energy = fmax(e->energy, 0.5 * a * d * d);
    e->mean_energy += 0.5 * a * d * d / lcp->n;
    e->primal = fmax(e->primal, fmax(lo - x[i], x[i] - hi));
    if (lo < hi && ((x[i] <= lo && w < 0) || (x[i] >= hi && w > 0)))
        e->dual = fmax(e->dual, fabs(w));
    e->complementarity = fmax(e->complementarity, fmin(fabs(w), a * fmax(away, 0)));
}

static pl_lcp_errors errors_of(const pl_lcp *lcp, const double *x, const double *w)
{
    pl_lcp_errors e = {0};
    for (int32_t i = 0; i < lcp->n; i++) {
        int64_t at = find(lcp, i, i);
        add_row(lcp, x, i, at >= 0 ? lcp->val[at] : 0, w[i], &e);
    }
    if (isnan(e.natural)) e.natural = INFINITY;
    return e;
}

pl_lcp_errors pl_lcp_measure(const pl_lcp *lcp, const double *x, double *w)
{
    pl_lcp_multiply(lcp, x, w);
    return errors_of(lcp, x, w);
}

// w := M x + q, with what each product and each sum rounds off gathered in `rest`: else an x so
// large that q is lost beside it would pass for a solution.
static void multiply_exactly(const pl_lcp *lcp, const double *x, double *w, double *rest)
{
    memcpy(w, lcp->q, (size_t)lcp->n * sizeof *w);
    memset(rest, 0, (size_t)lcp->n * sizeof *rest);
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t i = lcp->row[k];
            double product = lcp->val[k] * x[j], sum = w[i] + product, part = sum - w[i];
            rest[i] += fma(lcp->val[k], x[j], -product) + (w[i] - (sum - part)) + (product - part);
            w[i] = sum;
        }
    }
    for (int32_t i = 0; i < lcp->n; i++) w[i] += rest[i];
}

// --- The solver ---

static pl_status check_options(const pl_lcp_options *o)
{
    if (!(o->tolerance > 0) || !(o->pivot_tolerance >= 0) || !(o->inner_tolerance > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "tolerances of %g, %g for pivots and %g inside",
                       o->tolerance, o->pivot_tolerance, o->inner_tolerance);
    }
    if (o->max_iterations < 0 || o->max_inner < 0 || !(o->max_seconds >= 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "limits of %d and %d iterations and %g s",
                       o->max_iterations, o->max_inner, o->max_seconds);
    }
    if (!(o->relaxation > 0 && o->relaxation < 2)) {
        return pl_fail(PL_ERROR_ARGUMENT, "relaxation of %g: it must be between 0 and 2",
                       o->relaxation);
    }
    if (!(o->over_relaxation > 0 && o->over_relaxation < 2) ||
        !(o->penalty > 0 && o->penalty <= 1)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "over-relaxation of %g: it must be between 0 and 2; penalty of %g: up to 1",
                       o->over_relaxation, o->penalty);
    }
    if (o->restart < 1 || !(o->perturbation >= 0) || o->inner >= PL_LCP_N_INNER) {
        return pl_fail(PL_ERROR_ARGUMENT, "restart of %d, perturbation of %g, inner solves %d",
                       o->restart, o->perturbation, (int)o->inner);
    }
    return PL_OK;
}

pl_status pl_lcp_suits(const pl_lcp_solver *solver, const pl_lcp *lcp)
{
    if ((solver->needs & PL_LCP_NEEDS_SYMMETRIC) != 0 && !lcp->symmetric) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s needs a symmetric matrix", solver->name);
    }
    if ((solver->needs & PL_LCP_KNOWS_FOLLOWING) == 0 && lcp->mu != NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s needs bounds that stay", solver->name);
    }
    for (int32_t i = 0; i < lcp->n && (solver->needs & PL_LCP_NEEDS_DIAGONAL) != 0; i++) {
        int64_t at = find(lcp, i, i);
        if (at >= 0 && lcp->val[at] > 0) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "%s needs a diagonal above 0, and row %d has %g",
                       solver->name, i, at >= 0 ? lcp->val[at] : 0);
    }
    return PL_OK;
}

static pl_status report(const pl_lcp_solver *solver, const pl_lcp_options *options,
                        const pl_lcp_stats *stats)
{
    if (stats->end == PL_LCP_SOLVED) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS,
                   "%s: %s after %d iterations and %.3g s: an error of %.3g of %.3g, in row %d",
                   solver->name, pl_lcp_end_name(stats->end), stats->iterations, stats->seconds,
                   stats->errors.natural, options->tolerance, stats->errors.worst);
}

pl_status pl_lcp_solve(const pl_lcp_solver *solver, const pl_lcp *lcp,
                       const pl_lcp_options *options, pl_arena *arena, double *x,
                       pl_lcp_stats *stats)
{
    const pl_lcp_options usual = pl_lcp_options_default();
    if (options == NULL) options = &usual;
    *stats = (pl_lcp_stats){.end = PL_LCP_BREAKDOWN, .errors.natural = NAN};
    PL_TRY(check_options(options));
    pl_lcp_work work = {.arena = arena, .started = pl_seconds()};
    work.diag = pl_arena_take(arena, lcp->n, sizeof *work.diag);
    work.w = pl_arena_take(arena, lcp->n, sizeof *work.w);
    double *rest = pl_arena_take(arena, lcp->n, sizeof *rest);
    if (work.diag == NULL || work.w == NULL || rest == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < lcp->n; i++) {
        int64_t at = find(lcp, i, i);
        work.diag[i] = at >= 0 ? lcp->val[at] : 0;
    }
    PL_TRY(pl_lcp_suits(solver, lcp));
    for (int32_t i = 0; i < lcp->n; i++) {
        x[i] = pl_lcp_clamp(isfinite(x[i]) ? x[i] : 0, lcp->lo[i], lcp->hi[i]);
    }
    bool whole = (solver->needs & PL_LCP_BY_ISLANDS) == 0;
    PL_TRY(whole ? solver->solve(lcp, options, &work, x, stats)
                 : pl_lcp_solve_islands(solver, lcp, options, &work, x, stats));
    for (int32_t i = 0; i < lcp->n; i++) {
        if (isfinite(x[i])) continue;
        for (int32_t j = 0; j < lcp->n; j++) x[j] = pl_lcp_clamp(0, lcp->lo[j], lcp->hi[j]);
        stats->end = PL_LCP_BREAKDOWN;
    }
    stats->seconds = pl_seconds() - work.started;
    multiply_exactly(lcp, x, work.w, rest);
    stats->errors = errors_of(lcp, x, work.w);
    if (stats->end == PL_LCP_SOLVED && !(stats->errors.natural <= options->tolerance)) {
        stats->end = PL_LCP_STALLED;
    }
    return report(solver, options, stats);
}
