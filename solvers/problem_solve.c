// Problems of programs, solved and measured.

#include "device.h"
#include "friction_model.h"
#include "problem_api.h"
#include "../base/hash.h"
#include "../base/team.h"

#include <string.h>

pl_solve_options pl_solve_options_default(void)
{
    pl_solver_options o = pl_solver_options_default();
    return (pl_solve_options){.friction_model = "cone",
                              .residual_tolerance = o.residual_tolerance,
                              .contact_tolerance = o.contact_tolerance,
                              .max_seconds = o.max_seconds,
                              .max_iterations = o.max_iterations,
                              .device = "cpu",
                              .precond = pl_precond_names[o.precond]};
}

pl_status pl_problem_start(const pl_problem *problem, bool cold, double *v, double *f)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(v);
    if (problem->n_constraint > 0) PL_REQUIRE(f);
    const pl_recorded *recorded = &pl_problem_owner_const(problem)->recorded;
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    for (int64_t i = 0; i < n; i++) {
        v[i] = cold && !pl_is_prescribed(problem, i / 3) ? 0 : recorded->v[i];
    }
    for (int64_t i = 0; i < m; i++) f[i] = cold ? 0 : recorded->f[i];
    return PL_OK;
}

pl_status pl_problem_set_start(pl_problem *problem, const double *v, const double *f)
{
    PL_REQUIRE(problem);
    PL_REQUIRE(v);
    if (problem->n_constraint > 0) PL_REQUIRE(f);
    PL_TRY(pl_problem_check(problem, v, f));
    pl_recorded *recorded = &pl_problem_owner(problem)->recorded;
    size_t n = 3 * (size_t)problem->A->n, m = 3 * (size_t)problem->n_constraint;
    memcpy(recorded->v, v, n * sizeof *v);
    if (m > 0) memcpy(recorded->f, f, m * sizeof *f);
    return PL_OK;
}

static void report(const pl_problem *problem, const double *v, const double *f,
                   const pl_solve_stats *s, pl_solve_result *out)
{
    const pl_contact_errors *e = &s->errors;
    *out = (pl_solve_result){.end = s->end,
                             .iterations = s->iterations,
                             .products = s->products,
                             .state_changes = s->state_changes,
                             .restarts = s->restarts,
                             .factorizations = s->factorizations,
                             .seconds = s->seconds,
                             .residual = e->residual,
                             .penetration = e->penetration,
                             .normal = e->normal,
                             .friction = e->friction,
                             .cone = e->cone,
                             .fischer = e->fischer,
                             .joint = e->joint,
                             .energy = e->energy};
    size_t n = 3 * (size_t)problem->A->n, m = 3 * (size_t)problem->n_constraint;
    out->hash = pl_hash(PL_HASH_START, v, n * sizeof *v);
    out->hash = pl_hash(out->hash, f, m * sizeof *f);
}

// Passes on what a solver shows of its iterations.
static void show(const pl_trace_point *point, void *user)
{
    const pl_solve_options *options = user;
    options->trace(point->iteration, point->residual, point->constraint, options->trace_user);
}

static pl_status options_of(const pl_solve_options *from, pl_solver_options *to)
{
    *to = pl_solver_options_default();
    to->residual_tolerance = from->residual_tolerance;
    to->contact_tolerance = from->contact_tolerance;
    to->max_seconds = from->max_seconds;
    to->max_iterations = from->max_iterations;
    to->vj19 = from->vj19;
    to->trace = from->trace != NULL ? show : NULL;
    to->trace_user = (void *)(uintptr_t)from; // which `show` only reads
    to->parameters = from->parameters;
    PL_TRY(pl_complementarity_parameters_check(from->parameters));
    PL_REQUIRE(from->precond);
    return pl_precond_find(from->precond, &to->precond);
}

pl_status pl_problem_solve(pl_problem *problem, const char *solver, const pl_solve_options *options,
                           double *v, double *f, pl_solve_result *out)
{
    const pl_solve_options usual = pl_solve_options_default();
    const pl_solver *found;
    pl_solver_options o;
    pl_friction_model friction;
    pl_solve_stats stats;
    if (options == NULL) options = &usual;
    PL_REQUIRE(out);
    PL_REQUIRE(problem);
    PL_REQUIRE(solver);
    PL_REQUIRE(v);
    if (problem->n_constraint > 0) PL_REQUIRE(f);
    PL_TRY(pl_solver_find(solver, &found));
    PL_TRY(options_of(options, &o));
    PL_REQUIRE(options->friction_model);
    PL_TRY(pl_friction_model_parse(options->friction_model, &friction));
    PL_TRY(pl_threads_check(options->threads));
    pl_workspace *ws = &pl_problem_owner(problem)->workspace;
    PL_TRY(pl_workspace_use(ws, options->device));
    int32_t before = pl_threads_enter(options->threads);
    pl_modelled modelled = {0};
    pl_status status =
        pl_friction_solve(&friction, found, problem, &o, ws, &modelled, v, f, &stats);
    pl_modelled_free(&modelled);
    pl_threads_set(before);
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    report(problem, v, f, &stats, out);
    return PL_OK;
}

pl_status pl_problem_measure(pl_problem *problem, const double *v, const double *f,
                             pl_solve_result *out)
{
    const pl_solver_options usual = pl_solver_options_default();
    pl_solve_stats stats;
    PL_REQUIRE(out);
    PL_REQUIRE(problem);
    PL_REQUIRE(v);
    if (problem->n_constraint > 0) PL_REQUIRE(f);
    pl_workspace *ws = &pl_problem_owner(problem)->workspace;
    PL_TRY(pl_solve_measure(problem, &usual, ws, v, f, &stats));
    report(problem, v, f, &stats, out);
    return PL_OK;
}
