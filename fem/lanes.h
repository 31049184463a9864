// Arithmetic on PL_LANES doubles at once, or on one, with the same source.
//
// The kernels of this room are straight-line code over `real`. A file that includes them defines
// PL_LANES before: 1 makes `real` a double (the plain version, and CUDA's), 4 makes it a vector
// that the compiler maps to whatever the machine has. Without contraction every lane computes the
// bits that the plain version computes. Internal.

#ifndef PL_LANES_H
#define PL_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef PL_LANES
#error "define PL_LANES as 1 or 4 before this header"
#endif

// Always inlined, so that a kernel is compiled for the instruction set of the function that uses
// it.
#define PL_KERNEL static inline __attribute__((always_inline))

#if PL_LANES == 1

typedef double real;
typedef bool real_mask;

PL_KERNEL real real_of(double a)
{
    return a;
}

PL_KERNEL real real_sqrt(real a)
{
    return sqrt(a);
}

PL_KERNEL real real_log(real a)
{
    return log(a);
}

PL_KERNEL real real_select(real_mask mask, real a, real b)
{
    return mask ? a : b;
}

PL_KERNEL bool real_any(real_mask mask)
{
    return mask;
}

PL_KERNEL real_mask real_not(real_mask mask)
{
    return !mask;
}

PL_KERNEL real real_abs(real a)
{
    return fabs(a);
}

PL_KERNEL int64_t real_bits(real a)
{
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

PL_KERNEL real real_from_bits(int64_t bits)
{
    real a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

#else

typedef double real __attribute__((vector_size(8 * PL_LANES)));
typedef int64_t real_mask __attribute__((vector_size(8 * PL_LANES)));

PL_KERNEL real real_of(double a)
{
    return a - (real){0};
}

PL_KERNEL real real_sqrt(real a)
{
    real r = {0};
    for (int i = 0; i < PL_LANES; i++) r[i] = sqrt(a[i]);
    return r;
}

PL_KERNEL real real_log(real a)
{
    real r = {0};
    for (int i = 0; i < PL_LANES; i++) r[i] = log(a[i]);
    return r;
}

PL_KERNEL real real_select(real_mask mask, real a, real b)
{
    return (real)((mask & (real_mask)a) | (~mask & (real_mask)b));
}

PL_KERNEL bool real_any(real_mask mask)
{
    int64_t any = 0;
    for (int i = 0; i < PL_LANES; i++) any |= mask[i];
    return any != 0;
}

PL_KERNEL real_mask real_not(real_mask mask)
{
    return ~mask;
}

PL_KERNEL real real_abs(real a)
{
    return (real)((real_mask)a & INT64_MAX);
}

PL_KERNEL real_mask real_bits(real a)
{
    return (real_mask)a;
}

PL_KERNEL real real_from_bits(real_mask bits)
{
    return (real)bits;
}

#endif

// A power of two p with 1/2 <= |a| p < 2 for most a; for the largest and the smallest, any number.
PL_KERNEL real real_inverse_power(real a)
{
    return real_from_bits((INT64_C(2045) << 52) - (real_bits(a) & (INT64_C(2047) << 52)));
}

PL_KERNEL real real_max(real a, real b)
{
    return real_select(a > b, a, b);
}

PL_KERNEL real real_min(real a, real b)
{
    return real_select(a < b, a, b);
}

#endif
