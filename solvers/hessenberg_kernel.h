// Rotations that make Hessenberg's matrix triangular, for C, CUDA and OpenCL. Internal.

#ifndef PL_HESSENBERG_KERNEL_H
#define PL_HESSENBERG_KERNEL_H

#include "../base/portable.h"

// Turns two entries of a column by (c, s): returns the upper one, the lower becomes *last. That was
// the upper one, as turned so far, and `next` the lower.
PL_INLINE double pl_hessenberg_turn(double c, double s, double *last, double next)
{
    double upper = c * *last + s * next;
    *last = c * next - s * *last;
    return upper;
}

// The rotation that takes the last two entries of a column, of this length, to (length, 0), and g
// (2), whose first is given; returns the length.
PL_INLINE double pl_hessenberg_close(double upper, double lower, double length, double *c,
                                     double *s, double *g)
{
    *c = length > 0 ? upper / length : 1;
    *s = length > 0 ? lower / length : 0;
    g[1] = -*s * g[0];
    g[0] *= *c;
    return length;
}

#endif
