// [VJ19, Alg. 1] The loop around switching states, lines 7-25: what comes after line 25
// (collisions, new linearizations) is the caller's, who appends contacts and solves again.

#include "cr.h"
#include "device.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// Where the rows contradict each other the norm of B C^-1 r gets small; with MINRES not as small as
// with CR, and then away from it again: its vectors are rounding by then. It does not have the norm
// at hand, and looks, at the cost of a product, after a step that gained less than a part of
// r . C^-1 r.
static const double GRADIENT_MIN_LANCZOS = 1e-8, GAIN_MIN = 1e-12;

// --- How good y is ---

typedef struct residuals {
    double velocity;   // relative, over residual_tolerance
    double constraint; // the largest of the active rows, times dt, over contact_tolerance
} residuals;

static residuals measure(const pl_cr *cr)
{
    double largest = 0, r = sqrt(pl_vec_dot(cr->n, cr->r.v, cr->r.v));
    for (int64_t i = 0; i < cr->m; i++) largest = fmax(largest, fabs(cr->r.f[i]));
    residuals out = {pl_relative_residual(cr->ws, cr->pushes, r) / cr->options->residual_tolerance,
                     cr->problem.dt * largest / (cr->share * cr->options->contact_tolerance)};
    if (!cr->options->vj19) return out;
    // As printed, one norm of all rows, in which rows are displacements, relative to b.
    double rows = cr->problem.dt * cr->problem.dt * pl_vec_dot(cr->m, cr->r.f, cr->r.f);
    out.velocity =
        pl_relative_residual(cr->ws, 0, sqrt(r * r + rows)) / cr->options->residual_tolerance;
    return out;
}

static void trace(pl_cr *cr, bool update)
{
    if (cr->options->trace == NULL) return;
    double largest = 0, r = sqrt(pl_vec_dot(cr->n, cr->r.v, cr->r.v));
    for (int64_t i = 0; i < cr->m; i++) largest = fmax(largest, fabs(cr->r.f[i]));
    pl_trace_point point = {.iteration = cr->stats->iterations,
                            .residual = pl_relative_residual(cr->ws, cr->pushes, r),
                            .constraint = cr->problem.dt * largest,
                            .update = update};
    pl_cr_precond_norms(cr, &point.preconditioned, &point.preconditioned_constraint);
    cr->options->trace(&point, cr->options->trace_user);
}

// [Alg. 2, lines 2, 3] The logarithm is the natural one; which, the paper does not say.
static bool is_time_printed(double r, int32_t j)
{
    double l = log(PL_MAX(r, 1));
    int32_t interval = PL_MAX(1, (int32_t)(l * l / 3));
    return j % interval == 0;
}

// Do the laws hold that the active rows are there for?
static bool is_within(const pl_cr *cr, const pl_contact_errors *e)
{
    double contact_tolerance = cr->options->contact_tolerance;
    switch (cr->mask) {
    case PL_ROW_NORMAL:
        return e->penetration <= contact_tolerance && e->normal <= contact_tolerance &&
               e->fischer_normal <= contact_tolerance;
    case PL_ROWS_TANGENT:
        return e->friction <= contact_tolerance && e->cone <= contact_tolerance &&
               e->fischer_stick <= contact_tolerance && e->fischer_slip <= contact_tolerance;
    default:
        return pl_contact_errors_within(e, contact_tolerance);
    }
}

// Is all well, contacts that the linear problem does not know of included? A y is made anew.
static bool is_solved(pl_cr *cr)
{
    pl_bsr_multiply(cr->problem.A, cr->y.v, cr->Ay);
    cr->stats->products++;
    pl_cr_residual(cr);
    if (cr->options->vj19) return true;
    pl_contact_errors errors = {0};
    pl_contact_errors_update(&cr->problem, cr->ws->scale, cr->u, cr->y.f, &errors);
    return measure(cr).velocity <= 1 && is_within(cr, &errors);
}

// --- Algorithm 1 ---

typedef struct progress {
    double start;    // the residual at the last restart
    double gradient; // |B C^-1 r| of the first iteration
} progress;

// [VJ19, 4.3] As printed, |B C^-1 r| < residual_tolerance; it has units, so that we ask for a part
// of its start.
static bool is_minimum(pl_cr *cr, const progress *at)
{
    bool lanczos = cr->method == PL_CR_LANCZOS;
    if (lanczos && (cr->since == 0 || cr->gain > GAIN_MIN)) return false;
    double gradient = pl_cr_gradient(cr),
           least = lanczos ? GRADIENT_MIN_LANCZOS : PL_CR_GRADIENT_MIN;
    return gradient <= (cr->options->vj19 ? cr->options->residual_tolerance : least * at->gradient);
}

static bool is_time(const pl_cr *cr, const residuals *r, const progress *at, double alpha)
{
    if (cr->patient) return false;
    // Line 12; the directions of the others have any sign.
    if (!(alpha > 0 || cr->method != PL_CR_RESIDUALS)) return false;
    if (cr->options->vj19) return is_time_printed(r->velocity, cr->stats->iterations);
    double size = PL_MAX(r->velocity, r->constraint);
    return size <= PL_CR_EVALUATE_DROP * at->start || cr->since >= PL_CR_EVALUATE_AFTER;
}

pl_solve_end pl_cr_iterate(pl_cr *cr)
{
    cr->share = cr->options->vj19 ? 1 : PL_CR_LINEAR_SHARE;
    pl_cr_restart(cr);
    residuals r = measure(cr);
    progress at = {PL_MAX(r.velocity, r.constraint), pl_cr_gradient(cr)};
    bool changed = false;
    for (;; cr->stats->iterations++) {
        if (!isfinite(r.velocity + r.constraint)) return PL_SOLVE_BREAKDOWN;
        trace(cr, changed);
        bool solved = r.velocity < 1 && r.constraint < 1;
        cr->minimum = !solved && is_minimum(cr, &at);
        bool ends = solved || cr->minimum; // line 22
        if (ends && !pl_cr_states_update(cr)) {
            if (is_solved(cr)) return PL_SOLVE_CONVERGED;
            if (cr->share < PL_CR_LINEAR_SHARE_MIN) return PL_SOLVE_STALLED;
            cr->share *= 0.5;
        }
        if (cr->stats->iterations == cr->options->max_iterations) return PL_SOLVE_LIMIT;
        if (pl_solve_is_late(cr->ws, cr->options)) return PL_SOLVE_TIME;
        changed = ends;
        if (!ends) {
            double alpha = pl_cr_step(cr, &changed);
            r = measure(cr);
            changed = changed || (is_time(cr, &r, &at, alpha) && pl_cr_states_update(cr));
            if (!changed) pl_cr_turn(cr);
        }
        if (changed) {
            pl_cr_restart(cr);
            cr->stats->restarts++;
            r = measure(cr);
            at.start = PL_MAX(r.velocity, r.constraint);
        }
    }
}

pl_status pl_cr_create(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, pl_solve_stats *stats, pl_cr_method method, pl_cr *cr)
{
    *cr = (pl_cr){.problem = *problem, .options = options, .ws = ws, .stats = stats};
    cr->method = method;
    cr->positive = method == PL_CR_LANCZOS;
    cr->mask = PL_ROWS_ALL;
    cr->n = 3 * (int64_t)problem->A->n;
    cr->m = 3 * (int64_t)problem->n_constraint;
    PL_TRY(pl_cr_linear_create(cr));
    int64_t n_constraint = problem->n_constraint;
    cr->u = pl_arena_take(&ws->arena, cr->m, sizeof *cr->u);
    cr->rows = pl_arena_take(&ws->arena, n_constraint, sizeof *cr->rows);
    cr->contact = pl_arena_take(&ws->arena, n_constraint, sizeof *cr->contact);
    cr->problem.constraint =
        pl_arena_take(&ws->arena, n_constraint, sizeof *cr->problem.constraint);
    if (cr->u == NULL || cr->rows == NULL || cr->contact == NULL ||
        cr->problem.constraint == NULL) {
        return PL_ERROR_MEMORY;
    }
    if (n_constraint > 0) {
        memcpy(cr->problem.constraint, problem->constraint,
               (size_t)n_constraint * sizeof(pl_constraint));
    }
    return pl_cr_precond_create(cr);
}

void pl_cr_load(pl_cr *cr, const double *v, const double *f)
{
    memcpy(cr->y.v, v, (size_t)cr->n * sizeof *v);
    memcpy(cr->y.f, f, (size_t)cr->m * sizeof *f);
    pl_bsr_multiply(cr->problem.A, v, cr->Ay);
    cr->stats->products++;
}

void pl_cr_unload(const pl_cr *cr, const pl_constraint *contact, double *v, double *f)
{
    memcpy(v, cr->y.v, (size_t)cr->n * sizeof *v);
    pl_cr_states_finish(cr, contact, f);
}

// |b + L^T f - A v|
static double find_residual(pl_cr *cr)
{
    pl_cr_residual(cr);
    return sqrt(pl_vec_dot(cr->n, cr->r.v, cr->r.v));
}

static pl_status solve(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, pl_cr_method method, double *v, double *f,
                       pl_solve_stats *stats)
{
    pl_cr cr;
    PL_TRY(pl_cr_create(problem, options, ws, stats, method, &cr));
    pl_cr_load(&cr, v, f);
    pl_cr_states_start(&cr);
    double start = find_residual(&cr);
    stats->end = pl_cr_iterate(&cr);
    // Where it does not converge it may be far astray, with impulses of any size.
    bool usable = stats->end == PL_SOLVE_CONVERGED;
    if (!usable && method != PL_CR_LANCZOS && stats->end != PL_SOLVE_BREAKDOWN) {
        usable = find_residual(&cr) <= PL_MAX(start, ws->b_norm);
    }
    if (usable) pl_cr_unload(&cr, problem->constraint, v, f);
    return PL_OK;
}

pl_status pl_cr_solve(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                      double *v, double *f, pl_solve_stats *stats)
{
    bool known = options->precond == PL_PRECOND_FULL || options->precond == PL_PRECOND_DIAG;
    if (known && !options->vj19 && options->trace == NULL) {
        pl_device_cr(problem, options, ws, options->max_iterations, v, f, stats);
        bool over = stats->end == PL_SOLVE_CONVERGED || stats->end == PL_SOLVE_TIME;
        bool limit = stats->iterations > 0 && stats->iterations >= options->max_iterations;
        if (over || limit) return PL_OK;
    }
    return solve(problem, options, ws, PL_CR_RESIDUALS, v, f, stats);
}

pl_status pl_minres_solve(const pl_problem *problem, const pl_solver_options *options,
                          pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(problem, options, ws, PL_CR_LANCZOS, v, f, stats);
}

pl_status pl_gcr_solve(const pl_problem *problem, const pl_solver_options *options,
                       pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    return solve(problem, options, ws, PL_CR_ORTHOGONAL, v, f, stats);
}
