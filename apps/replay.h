// A recorded contact problem, solved once more: for `pliant solve` and the benchmarks.

#ifndef PL_REPLAY_H
#define PL_REPLAY_H

#include "../solvers/problem_file.h"
#include "../solvers/solver.h"

// What solves have in common. Begins as {0}.
typedef struct pl_replay {
    pl_workspace workspace;
    double *v, *f; // (3*A.n), (3*n_constraint) of the latest problem: its solution
    int64_t v_capacity, f_capacity;
} pl_replay;

// One solve, and how it went.
typedef struct pl_replayed {
    pl_solve_stats stats;
    double cpu;    // time of all processors [s]
    uint64_t hash; // of the solution, velocities and impulses
} pl_replayed;

void pl_replay_free(pl_replay *replay); // leaves it empty

// Solves, from where the recorded solve started or, if `cold`, with everything at rest that may be
// and without impulses. That a solve does not converge is no failure: out->stats.end tells.
pl_status pl_replay_solve(pl_replay *replay, const pl_recorded *recorded, const pl_solver *solver,
                          const pl_solver_options *options, bool cold, pl_replayed *out);

// Velocities that are not given.
int64_t pl_recorded_unknowns(const pl_recorded *recorded);

#endif
