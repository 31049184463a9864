// cr on a device. Internal.

#ifndef PL_GPU_CR_SOLVER_H
#define PL_GPU_CR_SOLVER_H

#include "system.h"

typedef struct pl_gpu_cr {
    struct {
        pl_gpu_buffer y, r, z, p, Bp, Bz, q; // (3*n + 3*n_constraint) of both kinds of rows
        pl_gpu_buffer Ay, Ap, Az;            // (3*n)
        pl_gpu_buffer R, c;                  // (9*n_constraint), (3*n_constraint) tangents turn
        pl_gpu_buffer turns, note;           // (2*n_constraint), (n_constraint)
        pl_gpu_buffer Z, K, inverse, rows;   // (n_constraint), (3), (9), (1) each
        pl_gpu_buffer place;                 // (n) of a block among those that constraints use
        pl_gpu_buffer f;                     // (3*n_constraint) the result
        pl_gpu_buffer part, worst, count, totals, scalars;
    } on;
    pl_gpu_record *iteration;
} pl_gpu_cr;

// Improves v (3*A.n) and f (3*n_constraint): see pl_device_solve_fn. Of options->precond it knows
// full and diag. Memory of an earlier problem is used again; a pl_gpu_cr begins as {0}.
pl_status pl_gpu_cr_solve(pl_gpu_cr *cr, pl_gpu_system *s, const pl_problem *problem,
                          const pl_solver_options *options, pl_workspace *ws, int32_t n, double *v,
                          double *f, pl_solve_stats *stats);

void pl_gpu_cr_free(pl_gpu_cr *cr, pl_gpu *gpu);

#endif
