// The values of a pl_bsr once more, in single precision: half the bytes for products that need no
// more digits. Internal.

#ifndef PL_BSR_SINGLE_H
#define PL_BSR_SINGLE_H

#include "../base/arena.h"
#include "bsr.h"

// From so many blocks on (9 MB of values) apg uses such products. To round a matrix costs as much
// as two of them, which the few steps on a smaller one do not bring in.
enum { PL_SINGLE_BLOCKS = 1 << 17 };

// The values of A (9*(nnz + 1)), rounded; NULL if there is no memory.
float *pl_single_take(const pl_bsr *A, pl_arena *arena);

// y := A x; x, y (3*A.n), no alias, with room for one more number in x. As deterministic as
// pl_bsr_multiply.
void pl_single_multiply(const pl_bsr *A, const float *val, const float *x, float *y);

// Rows first .. last - 1 of y := z + A x; z may be NULL, for 0.
void pl_single_multiply_rows(const pl_bsr *A, const float *val, int32_t first, int32_t last,
                             const float *x, const double *z, double *y);

#endif
