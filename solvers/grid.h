// Products on a level of groups (multigrid.h). Internal.

#ifndef PL_GRID_H
#define PL_GRID_H

#include "multigrid.h"

// The inverse of a symmetric positive definite matrix, M (36) row by row, in single precision: six
// columns of PL_GRID_WIDTH.
void pl_grid_invert(const double *matrix, float *inverse);

// y := C x over the rows of the level. x, y (8*n), no alias.
void pl_grid_multiply(const pl_grid *g, const float *x, float *y);

// y := y + B x for a matrix of six columns of PL_GRID_WIDTH.
static inline void pl_grid_add(const float *restrict B, const float *restrict x, float *restrict y)
{
    for (int c = 0; c < PL_GRID_MODES; c++) {
        for (int m = 0; m < PL_GRID_WIDTH; m++) y[m] += B[PL_GRID_WIDTH * c + m] * x[c];
    }
}

#endif
