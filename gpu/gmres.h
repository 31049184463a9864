// GMRES with the multigrid cycle on a device: the inner iterations of cone-newton. Internal.

#ifndef PL_GPU_GMRES_SOLVER_H
#define PL_GPU_GMRES_SOLVER_H

#include "multigrid.h"

typedef struct pl_gpu_gmres {
    struct {
        pl_gpu_buffer basis, moved; // (13*n), (12*n) single precision
        pl_gpu_buffer x, z, w;      // (n) of a step
        pl_gpu_buffer e, y;         // (n), (12) the result
        pl_gpu_buffer part, dots, scalars;
    } on;
} pl_gpu_gmres;

// e (n) := about the solution of (A + L^T J L) e = r with what `m` was set to, as pl_gmres_solve
// does with its cycle; *made := the steps. Memory of an earlier one is used again; begins as {0}.
pl_status pl_gpu_gmres_solve(pl_gpu_gmres *g, pl_gpu_multigrid *m, double drop, int32_t steps,
                             const double *r, double *e, pl_arena *arena, int32_t *made);

void pl_gpu_gmres_free(pl_gpu_gmres *g, pl_gpu *gpu);

#endif
