// Arithmetic on PL_LANES doubles at once, or on one, with the same source.
//
// The kernels of this room are straight-line code over `real`. A file that includes them defines
// PL_LANES before: 1 makes `real` a double (the plain version, and that of GPUs), 8 makes it a
// vector that the compiler maps to whatever the machine has. Without contraction every lane
// computes the bits that the plain version computes. They compile as C17, CUDA C++ (one lane) and
// OpenCL C; ../base/portable.h says what that asks of them. Internal.

#ifndef PL_LANES_H
#define PL_LANES_H

#include "../base/portable.h"

#ifdef __OPENCL_VERSION__
#define INT64_C(number) number##L
#else
#include <float.h>
#include <string.h>
#endif

#ifndef PL_LANES
#error "define PL_LANES as 1, 4 or 8 before this header"
#endif

// Always inlined, so that a kernel is compiled for the instruction set of the function that uses
// it.
#if defined(__CUDACC__)
#define PL_KERNEL PL_INLINE
#else
#define PL_KERNEL PL_INLINE __attribute__((always_inline))
#endif

#if PL_LANES == 1

typedef double real;
typedef bool real_mask;
typedef int64_t real_integer;

PL_KERNEL real real_of(double a)
{
    return a;
}

PL_KERNEL real real_sqrt(real a)
{
    return sqrt(a);
}

PL_KERNEL real real_select(real_mask mask, real a, real b)
{
    return mask ? a : b;
}

PL_KERNEL bool real_any(real_mask mask)
{
    return mask;
}

PL_KERNEL real real_abs(real a)
{
    return fabs(a);
}

PL_KERNEL int64_t real_bits(real a)
{
#if defined(__OPENCL_VERSION__)
    return as_long(a);
#else
    int64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
#endif
}

PL_KERNEL real real_from_bits(int64_t bits)
{
#if defined(__OPENCL_VERSION__)
    return as_double(bits);
#else
    real a;
    memcpy(&a, &bits, sizeof a);
    return a;
#endif
}

#elif defined(__OPENCL_VERSION__)

typedef double8 real;
typedef long8 real_mask;
typedef long8 real_integer;

PL_KERNEL real real_of(double a)
{
    return (double8)(a);
}

PL_KERNEL real real_sqrt(real a)
{
    return sqrt(a);
}

PL_KERNEL real real_select(real_mask mask, real a, real b)
{
    return select(b, a, mask);
}

PL_KERNEL bool real_any(real_mask mask)
{
    return any(mask) != 0;
}

PL_KERNEL real real_abs(real a)
{
    return fabs(a);
}

PL_KERNEL real_integer real_bits(real a)
{
    return as_long8(a);
}

PL_KERNEL real real_from_bits(real_integer bits)
{
    return as_double8(bits);
}

#else

typedef double real __attribute__((vector_size(8 * PL_LANES)));
typedef int64_t real_mask __attribute__((vector_size(8 * PL_LANES)));
typedef real_mask real_integer;

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

// 1 where the mask is set, else 0. Conditions are joined by products and maxima of flags: gcc takes
// masks that are joined bit by bit apart into lanes.
PL_KERNEL real real_flag(real_mask mask)
{
    return real_select(mask, real_of(1), real_of(0));
}

PL_KERNEL real real_max(real a, real b)
{
    return real_select(a > b, a, b);
}

PL_KERNEL real real_min(real a, real b)
{
    return real_select(a < b, a, b);
}

// The natural logarithm of positive normal numbers, to about a unit of the last place: the C
// library's knows no lanes. a = 2^k m with m from 1/sqrt 2 to sqrt 2 and, with s = (m - 1) / (m +
// 1),
//   log m = 2 (s + s^3/3 + s^5/5 + ...),   |s| < 0.172, so that eleven terms are enough.
// m - 1 is exact, and is added last: log m = f - s (f - 2 s^2 (1/3 + ...)) with f = m - 1.
PL_KERNEL real real_log(real a)
{
    const int64_t root = INT64_C(0x3fe6a09e667f3bcd); // the bits of 1/sqrt 2
    const int64_t one = INT64_C(0x3ff0000000000000), magic = INT64_C(0x4338000000000000);
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    real_integer shifted = real_bits(a) + (one - root);
    real_integer power = shifted & -(INT64_C(1) << 52);
    real m = real_from_bits((shifted ^ power) + root);
    // A small integer added to the bits of 1.5 2^52 adds its value.
    real k = real_from_bits(((power - one) >> 52) + magic) - 0x1.8p52;
    real f = m - 1, s = f / (2 + f), z = s * s, sum = real_of(2.0 / 23);
    for (int n = 21; n >= 3; n -= 2) sum = 2.0 / n + z * sum;
    return k * ln2_high + (f - (s * (f - z * sum) - k * ln2_low));
}

// log(1 + a) for a > -1, with the digits of a small a: what rounding leaves out of 1 + a is added
// by the derivative.
PL_KERNEL real real_log1p(real a)
{
    real b = 1 + a;
    return real_log(b) + (a - (b - 1)) / b;
}

// e^a to about two units of the last place, for |a| <= 700; beyond, as at the bound. a = k log 2 +
// r with |r| <= log 2 / 2, where fourteen terms of the series are enough.
PL_KERNEL real real_exp(real a)
{
    const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    const double magic = 0x1.8p52, inverse_ln2 = 0x1.71547652b82fep+0;
    real bounded = real_max(real_min(a, real_of(700)), real_of(-700));
    real shifted = bounded * inverse_ln2 + magic, k = shifted - magic;
    real r = (bounded - k * ln2_high) - k * ln2_low, sum = real_of(1);
    for (int n = 14; n >= 1; n--) sum = 1 + sum * r * (1.0 / n);
    // Those of `shifted` are the bits of magic plus k, which is added to the exponent.
    const int64_t bits = INT64_C(0x4338000000000000), exponent = INT64_C(1) << 52;
    return real_from_bits(real_bits(sum) + (real_bits(shifted) - bits) * exponent);
}

// (e^a - 1) / a and (e^a - 1 - a) / a^2, and their limits at 0.
PL_KERNEL void real_exp_quotients(real a, real *first, real *second)
{
    real square = a * a, series = real_of(1.0 / 18), e = real_exp(a);
    for (int n = 17; n >= 3; n--) series = (1 + series * a) * (1.0 / n);
    series = (1 + series * a) * 0.5;
    real_mask small = square < 1;
    *second = real_select(small, series, (e - 1 - a) / square);
    *first = real_select(small, 1 + a * series, (e - 1) / a);
}

#endif
