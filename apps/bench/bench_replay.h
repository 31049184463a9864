// A recorded contact problem, solved once more: as pl_problem_solve does, for benchmarks that look
// inside of problems and solvers.

#ifndef PL_BENCH_REPLAY_H
#define PL_BENCH_REPLAY_H

#include "../../solvers/problem_file.h"
#include "../../solvers/solver.h"

// What solves have in common. Begins as {0}.
typedef struct pl_bench_replay {
    pl_workspace workspace;
    double *v, *f; // (3*A.n), (3*n_contact) of the latest problem: its solution
    int64_t v_capacity, f_capacity;
} pl_bench_replay;

// One solve, and how it went.
typedef struct pl_bench_solved {
    pl_solve_stats stats;
    double cpu;    // time of all processors [s]
    uint64_t hash; // of the solution, velocities and impulses
} pl_bench_solved;

void pl_bench_replay_free(pl_bench_replay *replay); // leaves it empty

// Solves, from where the recorded solve started. That a solve does not converge is no failure:
// out->stats.end tells.
pl_status pl_bench_replay_solve(pl_bench_replay *replay, const pl_recorded *recorded,
                                const pl_solver *solver, const pl_solver_options *options,
                                pl_bench_solved *out);

#endif
