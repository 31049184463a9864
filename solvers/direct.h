// A linear system by a sparse factor, where conjugate gradients take too long. Internal.

#ifndef PL_DIRECT_H
#define PL_DIRECT_H

#include "../base/arena.h"
#include "bsr.h"

enum { PL_DIRECT_BLOCKS = 10000 }; // of A, at most: others are left to iterations

// x := x + A^-1 (b - A x), in the block rows that are not fixed (A.n, may be NULL): the solution,
// up to rounding. *done is false, and x as it was, if the factor would take more than a second or
// so, or A is not positive definite. The arena is for this alone. Fails with PL_ERROR_MEMORY.
pl_status pl_direct_improve(pl_arena *arena, const pl_bsr *A, const double *b, const uint8_t *fixed,
                            double *x, bool *done);

#endif
