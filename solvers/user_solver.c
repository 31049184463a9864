// A solver of the program (pl_solver_register), called like one of the library.

#include "../base/team.h"
#include "solver.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

// What the functions for use within a solver need.
struct pl_solve_inner {
    const pl_solver_options *options;
    pl_workspace *ws;
    pl_solve_stats *stats;
};

bool pl_solve_done(pl_solve_job *job)
{
    if (job == NULL) return false;
    const struct pl_solve_inner *inner = job->inner;
    if (inner->ws->reduced != NULL) pl_reduced_velocities(inner->ws->reduced, job->f, job->v);
    return pl_is_solved(job->problem, inner->options, inner->ws, job->v, job->f, inner->stats);
}

bool pl_solve_late(const pl_solve_job *job)
{
    return job != NULL && pl_solve_is_late(job->inner->ws, job->inner->options);
}

void *pl_solve_memory(pl_solve_job *job, int64_t count, size_t size)
{
    bool possible =
        job != NULL && count >= 0 && size > 0 && (uint64_t)count <= (uint64_t)INT64_MAX / 2 / size;
    if (!possible) return NULL;
    void *memory = pl_arena_take(&job->inner->ws->arena, count, size);
    if (memory != NULL) memset(memory, 0, (size_t)count * size);
    return memory;
}

static bool all_finite(int64_t n, const double *x)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return false;
    }
    return true;
}

static pl_solve_options show_options(const pl_solver_options *options)
{
    return (pl_solve_options){.residual_tolerance = options->residual_tolerance,
                              .contact_tolerance = options->contact_tolerance,
                              .max_iterations = options->max_iterations,
                              .max_seconds = options->max_seconds,
                              .precond = pl_precond_names[options->precond],
                              .vj19 = options->vj19,
                              .friction_model = "cone", // its problem has what takes their place
                              .threads = pl_threads()};
}

// No impulse helps a constraint all of whose velocities are prescribed.
static void clear_empty(const pl_reduced *reduced, double *f)
{
    for (int32_t k = 0; k < reduced->n; k++) {
        if (reduced->diag[k] < 0) memset(f + 3 * (int64_t)k, 0, 3 * sizeof *f);
    }
}

// Takes what the solver has left; that it has converged is not taken on trust.
static void finish(pl_solve_job *job, double *v, double *f)
{
    pl_solve_stats *stats = job->inner->stats;
    int64_t n = 3 * (int64_t)job->problem->A->n, m = 3 * (int64_t)job->problem->n_constraint;
    const pl_reduced *reduced = job->inner->ws->reduced;
    stats->iterations = job->iterations;
    stats->products += job->products;
    stats->end = PL_SOLVE_BREAKDOWN;
    if (reduced != NULL && all_finite(m, job->f)) pl_reduced_velocities(reduced, job->f, job->v);
    if (!all_finite(n, job->v) || !all_finite(m, job->f)) return;
    for (int64_t i = 0; i < n; i++) {
        if (pl_is_prescribed(job->problem, i / 3)) job->v[i] = v[i];
    }
    memcpy(v, job->v, (size_t)n * sizeof *v);
    memcpy(f, job->f, (size_t)m * sizeof *f);
    if (job->end < PL_SOLVE_CONVERGED || job->end > PL_SOLVE_BREAKDOWN) return;
    bool wrong = job->end == PL_SOLVE_CONVERGED && !pl_solve_done(job);
    stats->end = wrong ? PL_SOLVE_STALLED : job->end;
}

pl_status pl_user_solve(const pl_problem *problem, const pl_solver_options *options,
                        pl_workspace *ws, double *v, double *f, pl_solve_stats *stats)
{
    int64_t n = 3 * (int64_t)problem->A->n, m = 3 * (int64_t)problem->n_constraint;
    struct pl_solve_inner inner = {options, ws, stats};
    const pl_solve_options shown = show_options(options);
    const pl_reduced *reduced = ws->reduced;
    pl_block_matrix W;
    pl_solve_job job = {
        .problem = problem, .options = &shown, .end = PL_SOLVE_BREAKDOWN, .inner = &inner};
    job.v = pl_arena_take(&ws->arena, n, sizeof *v);
    job.f = pl_arena_take(&ws->arena, m, sizeof *f);
    if (job.v == NULL || job.f == NULL) return PL_ERROR_MEMORY;
    memcpy(job.v, v, (size_t)n * sizeof *v);
    memcpy(job.f, f, (size_t)m * sizeof *f);
    if (reduced != NULL) {
        W = (pl_block_matrix){reduced->n, reduced->row, reduced->col, reduced->diag, reduced->val};
        job.W = &W;
        job.q = reduced->q;
        clear_empty(reduced, job.f);
    }
    pl_status status = ws->solver->own(&job, ws->solver->user);
    if (status != PL_OK) { // which a program cannot put into words itself
        return pl_fail(status, "%s: its function failed (%s)", ws->solver->name,
                       pl_status_name(status));
    }
    finish(&job, v, f);
    return PL_OK;
}
