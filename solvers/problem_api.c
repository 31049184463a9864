// Recorded problems for the outside: pl_replay.

#include "problem_file.h"
#include "solver.h"
#include "../base/hash.h"
#include "../base/team.h"

#include <string.h>

struct pl_replay {
    pl_recorded recorded;
    pl_workspace workspace;
    double *v, *f; // (n_v), (n_f) the solution
    int64_t n_v, n_f;
};

static pl_status read_problem(const char *path, pl_replay *replay)
{
    PL_TRY(pl_problem_read(path, &replay->recorded));
    replay->n_v = 3 * (int64_t)replay->recorded.A.n;
    replay->n_f = 3 * (int64_t)replay->recorded.problem.n_constraint;
    replay->v = pl_alloc(replay->n_v, sizeof *replay->v);
    replay->f = pl_alloc(replay->n_f, sizeof *replay->f);
    if (replay->v == NULL || replay->f == NULL) return PL_ERROR_MEMORY;
    memcpy(replay->v, replay->recorded.v, (size_t)replay->n_v * sizeof *replay->v);
    memcpy(replay->f, replay->recorded.f, (size_t)replay->n_f * sizeof *replay->f);
    return PL_OK;
}

pl_status pl_replay_read(const char *path, pl_replay **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(path);
    pl_replay *replay = pl_alloc_zero(1, sizeof *replay);
    if (replay == NULL) return PL_ERROR_MEMORY;
    pl_status status = read_problem(path, replay);
    if (status != PL_OK) {
        pl_replay_destroy(replay);
        return status;
    }
    *out = replay;
    return PL_OK;
}

void pl_replay_destroy(pl_replay *replay)
{
    if (replay == NULL) return;
    pl_recorded_free(&replay->recorded);
    pl_workspace_free(&replay->workspace);
    pl_free(replay->v);
    pl_free(replay->f);
    pl_free(replay);
}

int32_t pl_replay_contacts(const pl_replay *replay)
{
    return replay != NULL ? (int32_t)(replay->n_f / 3) : 0;
}

int64_t pl_replay_velocities(const pl_replay *replay)
{
    return replay != NULL ? replay->n_v : 0;
}

int64_t pl_replay_unknowns(const pl_replay *replay)
{
    int64_t n = 0;
    for (int64_t i = 0; i < pl_replay_velocities(replay); i += 3) {
        n += pl_is_prescribed(&replay->recorded.problem, i / 3) ? 0 : 3;
    }
    return n;
}

const double *pl_replay_solution(const pl_replay *replay)
{
    return replay != NULL ? replay->v : NULL;
}

const double *pl_replay_impulses(const pl_replay *replay)
{
    return replay != NULL ? replay->f : NULL;
}

// --- Solving ---

pl_replay_options pl_replay_options_default(void)
{
    pl_solver_options o = pl_solver_options_default();
    return (pl_replay_options){.residual_tolerance = o.residual_tolerance,
                               .contact_tolerance = o.contact_tolerance,
                               .max_seconds = o.max_seconds,
                               .max_iterations = o.max_iterations,
                               .precond = pl_precond_names[o.precond]};
}

// Where the recorded solve started; if `cold`, with everything at rest that may be.
static void start(pl_replay *replay, bool cold)
{
    const pl_recorded *recorded = &replay->recorded;
    for (int64_t i = 0; i < replay->n_v; i++) {
        bool zero = cold && !pl_is_prescribed(&recorded->problem, i / 3);
        replay->v[i] = zero ? 0 : recorded->v[i];
    }
    for (int64_t i = 0; i < replay->n_f; i++) replay->f[i] = cold ? 0 : recorded->f[i];
}

static void report(const pl_replay *replay, const pl_solve_stats *s, pl_replay_result *out)
{
    const pl_contact_errors *e = &s->errors;
    *out = (pl_replay_result){.converged = s->end == PL_SOLVE_CONVERGED,
                              .end = pl_solve_end_name(s->end),
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
                              .energy = e->energy};
    out->hash = pl_hash(PL_HASH_START, replay->v, (size_t)replay->n_v * sizeof *replay->v);
    out->hash = pl_hash(out->hash, replay->f, (size_t)replay->n_f * sizeof *replay->f);
}

static pl_status options_of(const pl_replay_options *from, pl_solver_options *to)
{
    *to = pl_solver_options_default();
    to->residual_tolerance = from->residual_tolerance;
    to->contact_tolerance = from->contact_tolerance;
    to->max_seconds = from->max_seconds;
    to->max_iterations = from->max_iterations;
    to->vj19 = from->vj19;
    PL_REQUIRE(from->precond);
    return pl_precond_find(from->precond, &to->precond);
}

pl_status pl_replay_solve(pl_replay *replay, const char *solver, const pl_replay_options *options,
                          pl_replay_result *out)
{
    const pl_replay_options usual = pl_replay_options_default();
    const pl_solver *found;
    pl_solver_options o;
    pl_solve_stats stats;
    if (options == NULL) options = &usual;
    PL_REQUIRE(replay);
    PL_REQUIRE(solver);
    PL_REQUIRE(out);
    PL_TRY(pl_solver_find(solver, &found));
    PL_TRY(options_of(options, &o));
    PL_TRY(pl_threads_check(options->threads));
    start(replay, options->cold);
    int32_t before = pl_threads_enter(options->threads);
    pl_status status = pl_solve(found, &replay->recorded.problem, &o, &replay->workspace, replay->v,
                                replay->f, &stats);
    pl_threads_set(before);
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    report(replay, &stats, out);
    return PL_OK;
}
