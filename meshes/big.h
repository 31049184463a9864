// Integers of bounded size, on the stack, for exact predicates. Internal.
//
// Coordinates over a common exponent have at most 1024 + 1073 + 53 bits, 34 limbs; differences one
// limb more. Polynomials up to the sixth degree in them fit, with some sums.

#ifndef PL_BIG_H
#define PL_BIG_H

#include <assert.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { PL_BIG_LIMBS = 6 * 36 };

static inline int pl_sign_of(double value)
{
    return (value > 0) - (value < 0);
}

static_assert(GMP_NUMB_BITS == 64, "limbs of 64 bits without nails");

typedef struct pl_big {
    int sign; // -1, 0, 1
    mp_size_t n;
    mp_limb_t limb[PL_BIG_LIMBS]; // (n) magnitude, the last not 0
} pl_big;

// x = m 2^(*exponent) with an integer |m| < 2^53.
static inline int64_t pl_big_decode(double x, int *exponent)
{
    double fraction = frexp(x, exponent);
    *exponent -= 53;
    return (int64_t)ldexp(fraction, 53);
}

static inline int pl_big_exponent(int lowest, double x)
{
    int exponent;
    if (x == 0) return lowest;
    pl_big_decode(x, &exponent);
    return exponent < lowest ? exponent : lowest;
}

// r = x / 2^base, an integer.
static inline void pl_big_set(pl_big *r, double x, int base)
{
    r->n = 0;
    r->sign = pl_sign_of(x);
    if (r->sign == 0) return;
    int exponent;
    uint64_t m = (uint64_t)llabs(pl_big_decode(x, &exponent));
    int shift = exponent - base, bits = shift % 64;
    while (r->n < shift / 64) r->limb[r->n++] = 0;
    r->limb[r->n++] = m << bits;
    mp_limb_t high = bits > 0 ? m >> (64 - bits) : 0;
    if (high != 0) r->limb[r->n++] = high;
    while (r->limb[r->n - 1] == 0) r->n--;
}

static inline void pl_big_multiply(pl_big *r, const pl_big *a, const pl_big *b)
{
    r->n = 0;
    r->sign = a->sign * b->sign;
    if (r->sign == 0) return;
    if (a->n >= b->n) {
        mpn_mul(r->limb, a->limb, a->n, b->limb, b->n);
    } else {
        mpn_mul(r->limb, b->limb, b->n, a->limb, a->n);
    }
    r->n = a->n + b->n;
    if (r->limb[r->n - 1] == 0) r->n--;
}

// r = a + factor b, factor = +-1. r may be a or b.
static inline void pl_big_add(pl_big *r, const pl_big *a, const pl_big *b, int factor)
{
    int sign_a = a->sign, sign_b = factor * b->sign;
    int order = a->n != b->n ? (a->n > b->n ? 1 : -1)
                : a->n > 0   ? mpn_cmp(a->limb, b->limb, a->n)
                             : 0;
    const pl_big *large = order >= 0 ? a : b, *small = order >= 0 ? b : a;
    int sign = order >= 0 ? sign_a : sign_b;
    mp_size_t n = large->n;
    if (sign_a * sign_b == 0) { // the smaller is 0
        for (mp_size_t k = 0; k < n; k++) r->limb[k] = large->limb[k];
    } else if (sign_a == sign_b) {
        mp_limb_t carry = mpn_add(r->limb, large->limb, n, small->limb, small->n);
        if (carry != 0) r->limb[n++] = carry;
    } else {
        mpn_sub(r->limb, large->limb, n, small->limb, small->n);
        while (n > 0 && r->limb[n - 1] == 0) n--;
    }
    r->n = n;
    r->sign = n > 0 ? sign : 0;
}

// r = a d - b c
static inline void pl_big_minor(pl_big *r, const pl_big *a, const pl_big *b, const pl_big *c,
                                const pl_big *d)
{
    pl_big ad, bc;
    pl_big_multiply(&ad, a, d);
    pl_big_multiply(&bc, b, c);
    pl_big_add(r, &ad, &bc, -1);
}

// r = x - y over the common exponent `base`
static inline void pl_big_difference(pl_big *r, double x, double y, int base)
{
    pl_big bx, by;
    pl_big_set(&bx, x, base);
    pl_big_set(&by, y, base);
    pl_big_add(r, &bx, &by, -1);
}

#endif
