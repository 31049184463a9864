// The residuals of `cr` over a whole step of the loop that VJ19 prints [VJ19, Fig. 6].

#ifndef PL_BENCH_TRACE_H
#define PL_BENCH_TRACE_H

#include "bench_scene.h"
#include "../../solvers/solver.h"

typedef struct pl_bench_traced {
    int64_t step;       // which one it is
    int32_t iterations; // of all rounds
    int32_t rounds;     // solves; before each but the first, contacts were re-linearized or added
    pl_step_stats stats;
} pl_bench_traced;

// Goes on from the state in contact by `cr` with this preconditioner, as printed, until a step has
// more than one round, some steps at most, and writes what `cr` told in that step to a table at
// `path`: iterations counted through all rounds; `relinearization` has the residual where a round
// begins, `update` where contacts have switched.
pl_status pl_bench_trace_step(const pl_bench_scene *scene, const pl_bench_options *options,
                              pl_precond precond, const char *path, pl_bench_traced *out);

#endif
