#include "replay.h"
#include "cpu_time.h"
#include "../base/hash.h"

void pl_replay_free(pl_replay *replay)
{
    pl_workspace_free(&replay->workspace);
    pl_free(replay->v);
    pl_free(replay->f);
    *replay = (pl_replay){0};
}

static pl_status start(pl_replay *replay, const pl_recorded *recorded, bool cold)
{
    int64_t n_v = 3 * (int64_t)recorded->A.n, n_f = 3 * (int64_t)recorded->problem.n_constraint;
    PL_TRY(pl_reserve((void **)&replay->v, &replay->v_capacity, n_v, sizeof *replay->v));
    PL_TRY(pl_reserve((void **)&replay->f, &replay->f_capacity, n_f, sizeof *replay->f));
    for (int64_t i = 0; i < n_v; i++) {
        bool zero = cold && !pl_is_known(&recorded->problem, i / 3);
        replay->v[i] = zero ? 0 : recorded->v[i];
    }
    for (int64_t i = 0; i < n_f; i++) replay->f[i] = cold ? 0 : recorded->f[i];
    return PL_OK;
}

pl_status pl_replay_solve(pl_replay *replay, const pl_recorded *recorded, const pl_solver *solver,
                          const pl_solver_options *options, bool cold, pl_replayed *out)
{
    const pl_problem *problem = &recorded->problem;
    PL_TRY(start(replay, recorded, cold));
    double started = pl_cpu_seconds();
    pl_status status =
        pl_solve(solver, problem, options, &replay->workspace, replay->v, replay->f, &out->stats);
    out->cpu = pl_cpu_seconds() - started;
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    size_t n_v = 3 * (size_t)recorded->A.n, n_f = 3 * (size_t)problem->n_constraint;
    out->hash = pl_hash(PL_HASH_START, replay->v, n_v * sizeof *replay->v);
    out->hash = pl_hash(out->hash, replay->f, n_f * sizeof *replay->f);
    return PL_OK;
}

int64_t pl_recorded_unknowns(const pl_recorded *recorded)
{
    int64_t n = 0;
    for (int64_t i = 0; i < recorded->A.n; i++) n += pl_is_known(&recorded->problem, i) ? 0 : 3;
    return n;
}
