// Flexible GMRES in single precision, for a few steps with a good preconditioner. Internal.

#ifndef PL_GMRES_H
#define PL_GMRES_H

#include "../base/arena.h"

enum { PL_GMRES_STEPS = 12 }; // at most

// y := an operator times x. x and y (n), no alias.
typedef void pl_gmres_apply(void *context, const float *x, float *y);

typedef struct pl_gmres {
    int64_t n;
    float *basis[PL_GMRES_STEPS + 1]; // (n + 1) each: kernels may read one number past the end
    float *moved[PL_GMRES_STEPS];     // (n + 1) the preconditioner times them
} pl_gmres;

pl_status pl_gmres_create(int64_t n, pl_arena *arena, pl_gmres *out);

// e (n) := about the solution of `multiply` e = r, from 0: until the residual has fallen by the
// factor `drop`, at most `steps` steps. `precondition` may be another map in every step. Returns
// the number of steps, 0 if r is 0 or nothing could be done.
int32_t pl_gmres_solve(pl_gmres *gmres, pl_gmres_apply *multiply, pl_gmres_apply *precondition,
                       void *context, double drop, int32_t steps, const double *r, double *e);

#endif
