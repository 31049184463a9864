// The solver `cone-newton` from where apg has come to, for `auto`. Internal.

#ifndef PL_CONE_NEWTON_H
#define PL_CONE_NEWTON_H

#include "apg.h"

// Goes on from v and f with apg, which has solved with them before. stats->end is PL_SOLVE_STALLED
// if it has come to `most` iterations in all, or does not help.
pl_status pl_cone_newton_go_on(const pl_problem *problem, const pl_solver_options *options,
                               pl_workspace *ws, pl_apg *apg, int32_t most, double *v, double *f,
                               pl_solve_stats *stats);

#endif
