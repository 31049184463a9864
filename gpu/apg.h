// apg on a device. Internal.

#ifndef PL_GPU_APG_SOLVER_H
#define PL_GPU_APG_SOLVER_H

#include "system.h"

typedef struct pl_gpu_apg {
    struct {
        pl_gpu_buffer v, y, old, Av, Ay, Aold, g; // (3*n)
        pl_gpu_buffer by;                         // (3*n) single precision
        pl_gpu_buffer f, u, uy;                   // (3*n_constraint)
        pl_gpu_buffer x;                          // (3*n) what impulses make of the velocities
        pl_gpu_buffer ratio;                      // (n_constraint)
        pl_gpu_buffer part, worst, totals, state;
    } on;
    pl_gpu_record *iteration; // with so many sweeps
    int32_t sweeps;
} pl_gpu_apg;

// Improves v (3*A.n) and f (3*n_constraint): see pl_device_solve_fn. Memory of an earlier problem
// is used again; a pl_gpu_apg begins as {0}.
pl_status pl_gpu_apg_solve(pl_gpu_apg *a, pl_gpu_system *s, const pl_problem *problem,
                           const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                           double *f, pl_solve_stats *stats);

void pl_gpu_apg_free(pl_gpu_apg *a, pl_gpu *gpu);

#endif
