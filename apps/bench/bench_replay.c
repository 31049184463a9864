#include "bench_replay.h"
#include "cpu_time.h"
#include "../../base/hash.h"

#include <string.h>

void pl_bench_replay_free(pl_bench_replay *replay)
{
    pl_workspace_free(&replay->workspace);
    pl_free(replay->v);
    pl_free(replay->f);
    *replay = (pl_bench_replay){0};
}

pl_status pl_bench_replay_solve(pl_bench_replay *replay, const pl_recorded *recorded,
                                const pl_solver *solver, const pl_solver_options *options,
                                pl_bench_solved *out)
{
    int64_t n_v = 3 * (int64_t)recorded->A.n, n_f = 3 * (int64_t)recorded->problem.n_constraint;
    size_t v_size = (size_t)n_v * sizeof *replay->v, f_size = (size_t)n_f * sizeof *replay->f;
    PL_TRY(pl_reserve((void **)&replay->v, &replay->v_capacity, n_v, sizeof *replay->v));
    PL_TRY(pl_reserve((void **)&replay->f, &replay->f_capacity, n_f, sizeof *replay->f));
    memcpy(replay->v, recorded->v, v_size);
    memcpy(replay->f, recorded->f, f_size);
    double started = pl_cpu_seconds();
    pl_status status = pl_solve(solver, &recorded->problem, options, &replay->workspace, replay->v,
                                replay->f, &out->stats);
    out->cpu = pl_cpu_seconds() - started;
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    out->hash = pl_hash(pl_hash(PL_HASH_START, replay->v, v_size), replay->f, f_size);
    return PL_OK;
}
