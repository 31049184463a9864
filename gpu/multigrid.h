// The multigrid cycle of cone-newton on a device. Internal.

#ifndef PL_GPU_MULTIGRID_CYCLE_H
#define PL_GPU_MULTIGRID_CYCLE_H

#include "../solvers/multigrid.h"
#include "gpu.h"

// Rows of contacts, and where each column stands in them: pairs of a contact and an entry.
typedef struct pl_gpu_grid_rows {
    pl_gpu_buffer start, col, val, use_start, use;
} pl_gpu_grid_rows;

typedef struct pl_gpu_grid {
    pl_gpu_grid_rows rows;
    pl_gpu_buffer row, col, val, smooth; // as in pl_grid
    pl_gpu_buffer parent, T;
    pl_gpu_buffer member_start, member; // of each group of the next level
    pl_gpu_buffer x, r, t;
} pl_gpu_grid;

typedef struct pl_gpu_multigrid {
    pl_gpu *gpu;
    const pl_multigrid *mg;
    int32_t n, n_constraint, n_level; // blocks, contacts; steps of the solve below
    pl_gpu_grid grid[PL_MAX_GRIDS];
    pl_gpu_grid_rows rows;
    struct {
        pl_gpu_buffer row, col, A, moves, easy;             // the finest level
        pl_gpu_buffer p_row, p_col, p_val;                  // P by blocks,
        pl_gpu_buffer q_row, q_at, q_block;                 // and by groups
        pl_gpu_buffer K, J, couple, f;                      // (4, 4, 2, 3 *n_constraint)
        pl_gpu_buffer level, order, lower_row, lower_of;    // of contacts' blocks (touched.h):
        pl_gpu_buffer lower_at, col_start, below, val, inv; // which rows need nothing of each
        pl_gpu_buffer block, solved;                        // other, the factor, and scratch
        pl_gpu_buffer dense;                                // the factor of the last level
        pl_gpu_buffer t, z;                                 // (3*n)
    } on;
} pl_gpu_multigrid;

// Copies the levels to the device. Memory of earlier ones is used again; one begins as {.gpu =
// ...}. `mg` stays borrowed.
pl_status pl_gpu_multigrid_create(pl_gpu_multigrid *m, const pl_multigrid *mg, pl_arena *arena);

// After pl_multigrid_set: what contacts are to the levels. J and couple (n_constraint, 2 each): see
// pl_gpu_multigrid_multiply.
pl_status pl_gpu_multigrid_set(pl_gpu_multigrid *m, const pl_stiffness *J, const float *couple,
                               pl_arena *arena);

void pl_gpu_multigrid_free(pl_gpu_multigrid *m);

// z := the cycle of r. (3*n) each.
void pl_gpu_multigrid_cycle(pl_gpu_multigrid *m, const pl_gpu_buffer *r, const pl_gpu_buffer *z);

// y := (A + L^T J L) x, 0 in the prescribed blocks; J not symmetric by couple, its tangents by the
// normal velocity.
void pl_gpu_multigrid_multiply(pl_gpu_multigrid *m, const pl_gpu_buffer *x, const pl_gpu_buffer *y);

#endif
