// A problem on a device: matrix, constraints, and products with them. Internal.

#ifndef PL_GPU_SYSTEM_H
#define PL_GPU_SYSTEM_H

#include "../solvers/solver.h"
#include "gpu.h"

// Where constraints of one colour start and end in an order in which none of a colour shares a
// block that moves with another.
typedef struct pl_gpu_colours {
    int32_t n;      // colours
    int32_t *start; // (n + 1)
    int32_t *order; // (start[n]) constraints that answer to something
} pl_gpu_colours;

typedef struct pl_gpu_system {
    pl_gpu *gpu;
    int32_t n, n_constraint, n_use; // blocks, constraints, and blocks that constraints use
    int64_t nnz;
    int32_t stretched;
    bool sliced; // how the matrix is laid out, see pl_gpu_is_sliced
    bool single; // its values are there in single precision, too
    pl_gpu_colours colours;
    struct {
        // The matrix: compressed rows, and in the layout of products.
        pl_gpu_buffer row, col, val, slice, product_col, product_val, product_single;
        pl_gpu_buffer b, moves, inv;               // (3*n), (n), (6*n)
        pl_gpu_buffer first, block, arm_of, w;     // of the terms
        pl_gpu_buffer arm, stretch;                // (3), (6) each
        pl_gpu_buffer R, c, mu, law, bounds, mask; // of the constraints; mask: all rows
        pl_gpu_buffer scale, response;             // (2), (9) each
        pl_gpu_buffer use_block, use_start, use;   // of the blocks that constraints use
        pl_gpu_buffer order, colour;               // of sweeps
        pl_gpu_buffer world, push;                 // scratch: (3*n_constraint), (3*n_use)
    } on;
} pl_gpu_system;

// Is the matrix to be laid out in slices? Not on a CPU, whose caches read row by row; elsewhere if
// slices are no more than PL_GPU_PADDING longer than the rows are.
bool pl_gpu_is_sliced(const pl_bsr *A, bool is_cpu);

// Copies a problem to the device; `ws` is as pl_solve has it when it calls a solver. Memory of an
// earlier problem is used again. A system begins as {.gpu = ...}.
pl_status pl_gpu_system_set(pl_gpu_system *s, const pl_problem *problem, pl_workspace *ws,
                            bool single, bool sliced);
void pl_gpu_system_free(pl_gpu_system *s);

// y := A x, plus z if that is not NULL. (3*n) each, no alias.
void pl_gpu_multiply(pl_gpu_system *s, const pl_gpu_buffer *x, const pl_gpu_buffer *z,
                     const pl_gpu_buffer *y);
// y := z + A x, with the values of single precision; x (3*n) too.
void pl_gpu_multiply_single(pl_gpu_system *s, const pl_gpu_buffer *x, const pl_gpu_buffer *z,
                            const pl_gpu_buffer *y);

// u (3*n_constraint) := L v, or L v - c if `offset`, in the rows of `mask`.
void pl_gpu_rows(pl_gpu_system *s, bool offset, const pl_gpu_buffer *mask, const pl_gpu_buffer *v,
                 const pl_gpu_buffer *u);

// on.push := L^T f, block by block of those that constraints use.
void pl_gpu_push(pl_gpu_system *s, const pl_gpu_buffer *f);

// to[first] := x . y, and for parts of n_sum sums: to[first + k] := the sum of part[k * n_part] ...
void pl_gpu_dot(pl_gpu *gpu, int64_t n, const pl_gpu_buffer *x, const pl_gpu_buffer *y,
                const pl_gpu_buffer *part, int32_t first, const pl_gpu_buffer *to);
void pl_gpu_sum(pl_gpu *gpu, int64_t n_part, const pl_gpu_buffer *part, int32_t n_sum,
                int32_t first, const pl_gpu_buffer *to);

int64_t pl_gpu_parts(int64_t n); // of a sum of n elements

#endif
