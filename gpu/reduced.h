// The reduced form on a device, and delassus on it. Internal.

#ifndef PL_GPU_REDUCED_FORM_H
#define PL_GPU_REDUCED_FORM_H

#include "system.h"

typedef struct pl_gpu_reduced {
    pl_gpu_colours colours; // none of a colour answers to another
    bool long_rows;         // too many colours for launches of their own: one group sweeps
    struct {
        pl_gpu_buffer row, col, of, diag, val; // W by block rows; `of`: the row of each block
        pl_gpu_buffer q, f, ratio;             // (3*n), (3*n), (n)
        pl_gpu_buffer order;                   // of sweeps
        pl_gpu_buffer alone, place, touch;     // of parts: see pl_reduced
        pl_gpu_buffer G_col, G_row, G_val, G_inv, x;
    } on;
    pl_gpu_record *sweep;
} pl_gpu_reduced;

// Forms W from what `reduced` knows of the parts and their factors; `s` becomes its problem. Memory
// of an earlier one is used again; begins as {0}.
pl_status pl_gpu_reduced_create(pl_gpu_reduced *r, pl_gpu_system *s, const pl_reduced *reduced,
                                pl_workspace *ws);

// y := q + W f, (3*n) each.
void pl_gpu_reduced_multiply(pl_gpu_reduced *r, const pl_gpu_system *s, const pl_gpu_buffer *f,
                             const pl_gpu_buffer *y);

// See pl_device_reduced_fn.
pl_status pl_gpu_reduced_solve(pl_gpu_reduced *r, pl_gpu_system *s, const pl_reduced *reduced,
                               const pl_solver_options *options, pl_workspace *ws, double *v,
                               double *f, pl_solve_stats *stats);

void pl_gpu_reduced_free(pl_gpu_reduced *r, pl_gpu *gpu);

#endif
