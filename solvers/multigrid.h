// A multigrid cycle for A + L^T K L: a preconditioner for large or stiff bodies. Internal.
//
// Smoothed aggregation [Vanek, Mandel & Brezina 1996]: groups of about forty vertices move as rigid
// bodies, six numbers each, whose motion is smoothed by one step of Jacobi's method into the
// neighbouring groups; groups of groups follow, without smoothing, down to a dense matrix. On every
// level the matrix is P^T (A + L^T K L) P: the contacts' part is kept as rows, L P, and is not
// added to the matrix, since contacts join groups that have no common block. Numbers are of single
// precision: the cycle is a guess at an inverse, and bound by memory.

#ifndef PL_MULTIGRID_H
#define PL_MULTIGRID_H

#include "touched.h"

enum {
    PL_GRID_WIDTH = 8, // floats of a group in a vector: six numbers and two zeros
    PL_GRID_MODES = 6,
    PL_MAX_GRIDS = 8,
    PL_GRID_SWEEPS = 2,      // before and after the next level
    PL_GRID_LAST_SWEEPS = 6, // on a last level that is too large for a dense factor
};

// L P of a level: contact k has the entries start[k] .. start[k+1] - 1.
typedef struct pl_grid_rows {
    int32_t *start; // (n_constraint + 1)
    int32_t *col;   // groups; blocks on the finest level
    float *val;     // three rows of PL_GRID_WIDTH, on the finest level of three
} pl_grid_rows;

// A level of groups. Matrices of a group have six columns of PL_GRID_WIDTH.
typedef struct pl_grid {
    int32_t n;
    int64_t *row;
    int32_t *col;
    float *val;
    double *centre;       // (3*n) [m]
    double *weight;       // (n) vertices in the group
    double scale;         // rotations are about the centre, by this per metre [1/m]
    double *diagonal;     // (36*n) of the matrix, times what makes Jacobi's method converge
    double *sum;          // (36*n) the same with contacts, where there are any
    uint8_t *touched;     // (n) 0 between calls
    float *easy, *smooth; // (48*n) the inverses, without contacts and with them
    pl_grid_rows rows;
    float *x, *r, *t; // (8*n)
    // To the next level: the group that each is part of, and how it moves with that: six rows.
    int32_t *parent; // (n)
    float *T;        // (48*n)
} pl_grid;

typedef struct pl_multigrid {
    const pl_problem *problem;
    const float *A;     // (9*(A.nnz + 1)) see bsr_single.h
    double sigma;       // the smoother of the finest level is that of sigma D + L^T K L:
    float *easy;        // (6*A.n) xx, xy, xz, yy, yz, zz: where there are no contacts,
    pl_touched touched; // and where there are
    pl_grid_rows rows;
    float *t, *z; // (3*A.n + 1)
    // From the first level of groups to the blocks: the block i moves with the groups
    // p_col[p_row[i]] .., three rows of PL_GRID_WIDTH for each; and the same by groups.
    int64_t *p_row; // (A.n + 1)
    int32_t *p_col;
    float *p_val;
    int64_t *q_row; // (grid[0].n + 1)
    int64_t *q_at;  // in p_col, block by block
    int32_t *q_block;
    int32_t n_grid;
    pl_grid grid[PL_MAX_GRIDS];
    double *dense;   // (m*m) of the last level, m = 6 n, row by row: Cholesky's factor; NULL: none
    double *dense_x; // (m)
    bool is_dense, is_factored; // false where a factor broke down
    const pl_stiffness *K;
} pl_multigrid;

// Lives as long as what is taken from the arena, the problem, D and the uses do. `lambda` is at
// least the largest eigenvalue of D^-1 A; D^-1 is 0 in the prescribed blocks. The problem's places
// may be NULL: groups then move without turning; and so may `single`, see bsr_single.h, which is
// then made here.
pl_status pl_multigrid_create(const pl_problem *problem, const pl_block_jacobi *D,
                              const pl_uses *uses, const float *single, double lambda,
                              pl_arena *arena, pl_multigrid *out);

// Takes the stiffness K (n_constraint) of the contacts into every level. K must stay.
void pl_multigrid_set(pl_multigrid *mg, const pl_stiffness *K);

// y := A x; r (3*A.n), with room for one more number in x.
void pl_multigrid_multiply(const pl_multigrid *mg, const float *x, float *y);

// z := about (A + L^T K L)^-1 r, 0 in the prescribed blocks; a symmetric, linear map. r, z (3*A.n),
// no alias; room for one more number in z.
void pl_multigrid_cycle(pl_multigrid *mg, const float *r, float *z);

#endif
