// What solvers ask of a device that has another set of the same kernels (../gpu). Internal.

#ifndef PL_DEVICE_H
#define PL_DEVICE_H

#include "solver.h"

// Improves v and f as apg does, for n iterations at most; stats->end is PL_SOLVE_CONVERGED only if
// they were measured on the CPU and are within the tolerances. Where it fails (PL_ERROR_MEMORY,
// PL_ERROR_DEVICE) v and f are as they were. PL_SOLVE_LIMIT without an iteration: the problem is
// not one for the device.
typedef pl_status pl_device_solve_fn(struct pl_device *device, const pl_problem *problem,
                                     const pl_solver_options *options, pl_workspace *ws, int32_t n,
                                     double *v, double *f, pl_solve_stats *stats);

typedef struct pl_device {
    pl_device_solve_fn *apg;
    bool lost;       // it has failed, and is not asked again
    bool is_warning; // that it has no memory has been said
} pl_device;

// The same on the device of the workspace, if it has one: a failure becomes a warning, and
// stats->end PL_SOLVE_LIMIT.
void pl_device_apg(const pl_problem *problem, const pl_solver_options *options, pl_workspace *ws,
                   int32_t n, double *v, double *f, pl_solve_stats *stats);

#endif
