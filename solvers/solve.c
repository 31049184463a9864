// pl_solve: what is done before and after a solver, alike for all of them.

#include "device.h"
#include "../base/team.h"
#include "../base/text.h"
#include "vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What W may take, and what the factor of A may, for solvers of the reduced form [bytes].
static const double MOST_BYTES = 2e9;

const char *pl_solve_end_name(pl_solve_end end)
{
    static const char *const names[] = {[PL_SOLVE_CONVERGED] = "converged",
                                        [PL_SOLVE_LIMIT] = "limit",
                                        [PL_SOLVE_TIME] = "time",
                                        [PL_SOLVE_STALLED] = "stalled",
                                        [PL_SOLVE_IMPOSSIBLE] = "impossible",
                                        [PL_SOLVE_SIZE] = "size",
                                        [PL_SOLVE_BREAKDOWN] = "breakdown",
                                        [PL_SOLVE_CONTRADICTING] = "contradicting",
                                        [PL_SOLVE_LOOSE] = "loose"};
    return names[end];
}

pl_solver_options pl_solver_options_default(void)
{
    return (pl_solver_options){.residual_tolerance = 1e-5,
                               .contact_tolerance = 1e-6,
                               .max_iterations = 20000,
                               .precond = PL_PRECOND_FULL};
}

void pl_workspace_free(pl_workspace *ws)
{
    for (int32_t i = 0; i < ws->n_slot; i++) pl_workspace_free(ws->slot + i);
    pl_device_close(ws->device);
    pl_free(ws->slot);
    pl_arena_free(&ws->arena);
    *ws = (pl_workspace){0};
}

pl_status pl_workspace_open_slots(pl_workspace *ws)
{
    int32_t n = PL_MAX(pl_threads(), 1);
    int64_t most = 0;
    if (n > ws->n_slot) {
        pl_workspace *slot = pl_alloc_zero(n, sizeof *slot);
        if (slot == NULL) return PL_ERROR_MEMORY;
        for (int32_t i = 0; i < ws->n_slot; i++) slot[i] = ws->slot[i];
        pl_free(ws->slot);
        ws->slot = slot;
        ws->n_slot = n;
    }
    for (int32_t i = 0; i < ws->n_slot; i++) most = PL_MAX(most, ws->slot[i].arena.most);
    for (int32_t i = 0; i < ws->n_slot; i++) {
        pl_workspace *slot = ws->slot + i;
        if (slot->arena.n_chunk > 0 && slot->arena.size[0] < most) pl_arena_free(&slot->arena);
        pl_arena_reset(&slot->arena);
        slot->arena.most = most;
        slot->started = ws->started;
        slot->solver = ws->solver;
    }
    return PL_OK;
}

double pl_relative_residual(const pl_workspace *ws, double pushes, double r)
{
    const double large = 1e100; // than any tolerance, and finite
    double size = PL_MAX(ws->b_norm, pushes);
    return r == 0 ? 0 : size > 0 ? r / size : large;
}

double pl_solve_error(const pl_problem *problem, const pl_solver_options *options,
                      const pl_workspace *ws, const double *r, const double *u, const double *f)
{
    int64_t n = 3 * (int64_t)problem->A->n;
    pl_contact_errors errors = {0};
    double norm = sqrt(pl_vec_dot(n, r, r));
    memset(ws->r, 0, (size_t)n * sizeof *r);
    pl_rows_transpose_add(problem, &ws->uses, 1, f, ws->world, ws->r);
    double pushes = sqrt(pl_vec_dot(n, ws->r, ws->r));
    double residual = pl_relative_residual(ws, pushes, norm) / options->residual_tolerance;
    pl_contact_errors_update(problem, ws->scale, u, f, &errors);
    double worst = pl_contact_errors_worst(&errors) / options->contact_tolerance;
    return isfinite(worst) ? PL_MAX(residual, worst) : INFINITY;
}

bool pl_is_solved(const pl_problem *problem, const pl_solver_options *options,
                  const pl_workspace *ws, const double *v, const double *f, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)problem->A->n;
    memset(ws->r, 0, (size_t)n * sizeof *ws->r);
    pl_rows_transpose_add(problem, &ws->uses, 1, f, ws->world, ws->r);
    double pushes = sqrt(pl_vec_dot(n, ws->r, ws->r));
    pl_contact_residual(problem, &ws->uses, v, f, ws->world, ws->r);
    stats->products++;
    double r = sqrt(pl_vec_dot(n, ws->r, ws->r));
    if (!(pl_relative_residual(ws, pushes, r) <= options->residual_tolerance)) return false;
    pl_contact_errors errors = {0};
    pl_rows_multiply(problem, NULL, true, v, ws->u);
    pl_contact_errors_update(problem, ws->scale, ws->u, f, &errors);
    return pl_contact_errors_within(&errors, options->contact_tolerance);
}

bool pl_solve_is_late(const pl_workspace *ws, const pl_solver_options *options)
{
    return options->max_seconds > 0 && pl_seconds() - ws->started > options->max_seconds;
}

// --- Before ---

static pl_status check_options(const pl_solver_options *options)
{
    if (!(options->residual_tolerance > 0 && options->contact_tolerance > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "tolerances of %g and %g m: both must be positive",
                       options->residual_tolerance, options->contact_tolerance);
    }
    if (options->max_iterations < 0 || !(options->max_seconds >= 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "limits of %d iterations and %g s: none may be negative",
                       options->max_iterations, options->max_seconds);
    }
    return PL_OK;
}

static pl_status take(const pl_problem *problem, pl_workspace *ws)
{
    int64_t n = problem->A->n, n_constraint = problem->n_constraint;
    ws->D = (pl_block_jacobi){(int32_t)n, pl_arena_take(&ws->arena, 6 * n, sizeof(double))};
    ws->scale = pl_arena_take(&ws->arena, 2 * n_constraint, sizeof(double));
    ws->world = pl_arena_take(&ws->arena, 3 * n_constraint, sizeof(double));
    ws->u = pl_arena_take(&ws->arena, 3 * n_constraint, sizeof(double));
    ws->r = pl_arena_take(&ws->arena, 3 * n, sizeof(double));
    bool all = ws->D.inv != NULL && ws->scale != NULL && ws->world != NULL && ws->u != NULL &&
               ws->r != NULL;
    return all ? pl_uses_create(problem, &ws->arena, &ws->uses) : PL_ERROR_MEMORY;
}

// r := b - A at_rest in the unknown rows that share a block of A with the prescribed row i.
static void push_neighbours(const pl_problem *problem, int32_t i, const double *at_rest, double *r)
{
    const pl_bsr *A = problem->A;
    for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
        int32_t j = A->col[k];
        if (problem->prescribed[j]) continue;
        pl_bsr_multiply_rows(A, j, j + 1, at_rest, r);
        for (int64_t c = 3 * (int64_t)j; c < 3 * (int64_t)j + 3; c++) r[c] = problem->b[c] - r[c];
    }
}

// |b'|: the residual of what is prescribed, everything else at rest.
static double measure_b(const pl_problem *problem, pl_workspace *ws, const double *v)
{
    int64_t n = 3 * (int64_t)problem->A->n;
    if (problem->prescribed == NULL) return sqrt(pl_vec_dot(n, problem->b, problem->b));
    pl_arena_mark mark = pl_arena_here(&ws->arena);
    double *at_rest = pl_arena_take(&ws->arena, n, sizeof *at_rest);
    if (at_rest == NULL) return NAN;
    for (int64_t i = 0; i < n; i++) at_rest[i] = problem->prescribed[i / 3] ? v[i] : 0;
    for (int64_t i = 0; i < n; i++) ws->r[i] = problem->prescribed[i / 3] ? 0 : problem->b[i];
    for (int32_t i = 0; i < problem->A->n; i++) {
        if (problem->prescribed[i]) push_neighbours(problem, i, at_rest, ws->r);
    }
    pl_arena_back(&ws->arena, mark);
    return sqrt(pl_vec_dot(n, ws->r, ws->r));
}

pl_status pl_workspace_prepare(const pl_problem *problem, pl_workspace *ws, const double *v)
{
    PL_TRY(take(problem, ws));
    PL_TRY(pl_block_jacobi_update(&ws->D, problem->A));
    for (int64_t i = 0; i < problem->A->n && problem->prescribed != NULL; i++) {
        if (problem->prescribed[i]) memset(ws->D.inv + 6 * i, 0, 6 * sizeof *ws->D.inv);
    }
    pl_contact_scales(problem, &ws->D, &ws->uses, ws->r, ws->scale);
    ws->Av = NULL;
    ws->b_norm = measure_b(problem, ws, v);
    if (isnan(ws->b_norm)) return PL_ERROR_MEMORY;
    return PL_OK;
}

// What the laws of the problem's constraints ask for.
static unsigned find_needs(const pl_problem *problem)
{
    unsigned needs = 0;
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        const pl_limits *limits = pl_limits_of(problem, problem->constraint + k);
        if (limits == NULL || limits->law == PL_LAW_CONE) needs |= PL_CAN_CONE;
        if (limits == NULL) continue;
        if (limits->law == PL_LAW_BOX) needs |= PL_CAN_BOX;
        if (limits->law == PL_LAW_PYRAMID) {
            unsigned four = limits->outer ? PL_CAN_FOLLOWING : PL_CAN_DIAMOND;
            needs |= limits->directions == 4 ? four : PL_CAN_PYRAMID;
        }
        for (int a = 0; a < 3; a++) {
            if (limits->compliance[a] > 0) needs |= PL_CAN_COMPLIANCE;
        }
    }
    return needs;
}

unsigned pl_solver_lacks(const pl_solver *solver, const pl_problem *problem)
{
    return find_needs(problem) & ~solver->can;
}

// By how much the velocities in ws->u violate the law of a constraint that no impulse can help.
static double violation(const pl_problem *problem, const pl_workspace *ws, int32_t k)
{
    return pl_law_impossible(pl_limits_of(problem, problem->constraint + k),
                             ws->u + 3 * (int64_t)k);
}

// In words, the first of what a solver lacks.
static const char *name_lack(unsigned lacks)
{
    return (lacks & PL_CAN_CONE) != 0        ? "friction cones"
           : (lacks & PL_CAN_BOX) != 0       ? "box constraints"
           : (lacks & PL_CAN_PYRAMID) != 0   ? "friction pyramids"
           : (lacks & PL_CAN_DIAMOND) != 0   ? "friction diamonds"
           : (lacks & PL_CAN_FOLLOWING) != 0 ? "bounds of friction that follow the normal force"
                                             : "compliance";
}

static pl_status check_laws(const pl_solver *solver, const pl_problem *problem)
{
    unsigned needs = find_needs(problem), lacks = pl_solver_lacks(solver, problem);
    if (lacks == 0) return PL_OK;
    char names[512];
    pl_text text = pl_text_start(names, sizeof names);
    int32_t n = 0, at = 0;
    for (int32_t i = 0; i < pl_solver_count(); i++) n += (needs & ~pl_solver_at(i)->can) == 0;
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        if ((needs & ~pl_solver_at(i)->can) != 0) continue;
        const char *before = at == 0 ? "" : at == n - 1 ? " and " : ", ";
        pl_text_add(&text, "%s%s", before, pl_solver_at(i)->name);
        at++;
    }
    bool model = (lacks & (PL_CAN_CONE | PL_CAN_PYRAMID | PL_CAN_FOLLOWING | PL_CAN_DIAMOND)) != 0;
    return pl_fail(PL_ERROR_ARGUMENT, "%s cannot do %s; %s can%s", solver->name, name_lack(lacks),
                   names, model ? "; or choose another friction model" : "");
}

// The first constraint that is violated, and that no unknown velocity could help; -1 if none.
static int32_t find_impossible(const pl_problem *problem, const pl_workspace *ws,
                               double contact_tolerance, const double *v)
{
    pl_rows_multiply(problem, NULL, true, v, ws->u);
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        bool stuck = !(ws->scale[2 * (int64_t)k] > 0);
        if (stuck && problem->dt * violation(problem, ws, k) > contact_tolerance) return k;
    }
    return -1;
}

// --- The solver ---

// With the reduced form, unless it is solved as it is, or W would be too large.
static pl_status solve_reduced(const pl_solver *solver, const pl_problem *problem,
                               const pl_solver_options *options, pl_workspace *ws, double *v,
                               double *f, pl_solve_stats *stats)
{
    pl_reduced reduced;
    if (pl_is_solved(problem, options, ws, v, f, stats)) {
        stats->end = PL_SOLVE_CONVERGED;
        return PL_OK;
    }
    pl_status status = pl_reduced_plan(problem, &ws->uses, &ws->D, ws->scale, v, true, MOST_BYTES,
                                       &ws->arena, &reduced);
    if (status != PL_OK) return status == PL_ERROR_NUMERICS ? PL_OK : status; // a breakdown
    if (!reduced.fits) {
        stats->end = PL_SOLVE_SIZE;
        pl_fail(PL_ERROR_NUMERICS,
                "%s: W of %d constraints would take %.3g GB and the factor of A %.3g GB, and "
                "%.3g GB is the limit of each; take another solver",
                solver->name, problem->n_constraint, 1e-9 * reduced.W_bytes, 1e-9 * reduced.G_bytes,
                1e-9 * MOST_BYTES);
        return PL_OK;
    }
    stats->factorizations += pl_reduced_count_factors(&reduced);
    stats->products++;
    if (solver->solve != pl_delassus_solve) pl_reduced_fill(&reduced); // which may have a device
    ws->reduced = &reduced;
    status = solver->solve(problem, options, ws, v, f, stats);
    ws->reduced = NULL;
    return status;
}

// --- After ---

static void measure(const pl_problem *problem, const pl_workspace *ws, const double *v,
                    const double *f, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)problem->A->n;
    memset(ws->r, 0, (size_t)n * sizeof *ws->r);
    pl_rows_transpose_add(problem, &ws->uses, 1, f, ws->world, ws->r);
    double pushes = sqrt(pl_vec_dot(n, ws->r, ws->r));
    if (ws->Av != NULL) {
        pl_contact_residual_from(problem, &ws->uses, ws->Av, f, ws->world, ws->r);
    } else {
        pl_contact_residual(problem, &ws->uses, v, f, ws->world, ws->r);
        stats->products++;
    }
    double r = sqrt(pl_vec_dot(n, ws->r, ws->r));
    stats->errors.residual = pl_relative_residual(ws, pushes, r);
    pl_rows_multiply(problem, NULL, true, v, ws->u);
    pl_contact_errors_update(problem, ws->scale, ws->u, f, &stats->errors);
}

static pl_status report(const pl_solver *solver, const pl_solver_options *options,
                        const pl_solve_stats *stats)
{
    const pl_contact_errors *e = &stats->errors;
    char joint[32] = "";
    if (e->joint > 0) snprintf(joint, sizeof joint, "%.3g", e->joint);
    switch (stats->end) {
    case PL_SOLVE_CONVERGED:
        return PL_OK;
    case PL_SOLVE_LIMIT:
    case PL_SOLVE_TIME:
    case PL_SOLVE_STALLED:
    case PL_SOLVE_LOOSE:
        return pl_fail(PL_ERROR_NUMERICS,
                       "%s did not converge in %d iterations and %.3g s: residual %.3g of %.3g, "
                       "penetration %.3g, normal %.3g and friction error %.3g of %.3g m%s%s; allow "
                       "more, or take smaller steps",
                       solver->name, stats->iterations, stats->seconds, e->residual,
                       options->residual_tolerance, e->penetration, e->normal, e->friction,
                       options->contact_tolerance, e->joint > 0 ? ", joints " : "", joint);
    case PL_SOLVE_CONTRADICTING:
        return pl_fail(PL_ERROR_NUMERICS,
                       "%s: joints contradict each other: no velocities hold them all, and those "
                       "found are off by up to %s m or rad in the step",
                       solver->name, joint);
    case PL_SOLVE_SIZE:
        return PL_ERROR_NUMERICS; // the solver has said how large
    case PL_SOLVE_IMPOSSIBLE:
    case PL_SOLVE_BREAKDOWN:
        break;
    }
    return pl_fail(PL_ERROR_NUMERICS,
                   "%s, iteration %d: the matrix is not positive definite, or a number is not "
                   "finite",
                   solver->name, stats->iterations);
}

pl_status pl_solve(const pl_solver *solver, const pl_problem *problem,
                   const pl_solver_options *options, pl_workspace *ws, double *v, double *f,
                   pl_solve_stats *stats)
{
    const pl_solver_options usual = pl_solver_options_default();
    if (options == NULL) options = &usual;
    *stats = (pl_solve_stats){.end = PL_SOLVE_BREAKDOWN, .errors.residual = NAN};
    ws->started = pl_seconds();
    if (!options->same_matrix) {
        ws->curvature = 0;
        ws->direct = false;
    }
    PL_TRY(check_options(options));
    PL_TRY(pl_problem_check(problem, v, f));
    PL_TRY(check_laws(solver, problem));
    pl_arena_reset(&ws->arena);
    PL_TRY(pl_workspace_prepare(problem, ws, v));
    int32_t impossible = find_impossible(problem, ws, options->contact_tolerance, v);
    if (impossible >= 0) {
        stats->end = PL_SOLVE_IMPOSSIBLE;
        return pl_fail(PL_ERROR_NUMERICS,
                       pl_is_box(problem, impossible)
                           ? "constraint %d is off by %.3g, and the motion of all that takes part "
                             "in it is given"
                           : "contact %d closes by %.3g m, and the motion of all that takes part "
                             "in it is given",
                       impossible, problem->dt * violation(problem, ws, impossible));
    }
    ws->solver = solver;
    if (solver->form != PL_FORM_FULL) {
        PL_TRY(solve_reduced(solver, problem, options, ws, v, f, stats));
    } else {
        PL_TRY(solver->solve(problem, options, ws, v, f, stats));
    }
    measure(problem, ws, v, f, stats);
    stats->seconds = pl_seconds() - ws->started;
    return report(solver, options, stats);
}

pl_status pl_solve_measure(const pl_problem *problem, const pl_solver_options *options,
                           pl_workspace *ws, const double *v, const double *f,
                           pl_solve_stats *stats)
{
    *stats = (pl_solve_stats){.end = PL_SOLVE_LIMIT, .errors.residual = NAN};
    PL_TRY(check_options(options));
    PL_TRY(pl_problem_check(problem, v, f));
    pl_arena_reset(&ws->arena);
    PL_TRY(pl_workspace_prepare(problem, ws, v));
    measure(problem, ws, v, f, stats);
    stats->products = 0;
    bool solved = stats->errors.residual <= options->residual_tolerance &&
                  pl_contact_errors_within(&stats->errors, options->contact_tolerance);
    if (solved) stats->end = PL_SOLVE_CONVERGED;
    return PL_OK;
}
