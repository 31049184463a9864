// Dense vectors: sums and updates in parallel, with the same bits for any number of threads.
// Internal.

#ifndef PL_VECTORS_H
#define PL_VECTORS_H

#include "../base/base.h"

// x . y, summed in 16 lanes per part (see kernel.h): lane l has the elements whose place in the
// part is l modulo 16; the lanes are then added by halves (l and l + 8, l and l + 4, ...).
double pl_vec_dot(int64_t n, const double *x, const double *y);

// y := x, no alias.
void pl_vec_copy(int64_t n, const double *x, double *y);

// y := y + a x, no alias.
void pl_vec_add(int64_t n, double a, const double *x, double *y);

// y := x + a y, no alias.
void pl_vec_chase(int64_t n, double a, const double *x, double *y);

// One pass instead of two for the end of an iteration of CG: x := x + alpha p, then p := z + beta
// p. No alias.
void pl_vec_advance(int64_t n, double alpha, double beta, const double *z, double *p, double *x);

// The same in single precision; the sum is of double precision.
double pl_vecf_dot(int64_t n, const float *x, const float *y);
void pl_vecf_add(int64_t n, float a, const float *x, float *y); // y := y + a x
void pl_vecf_scale(int64_t n, float a, float *x);               // x := a x

#endif
