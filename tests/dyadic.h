// Exact arithmetic for references: numbers m * 2^e with integers m of any length. Sums and products
// of doubles stay exact, and nothing is ever divided.
//
// Numbers live in a pool and are named by their places in it; a test takes the mark before a case
// and goes back to it after.

#ifndef TEST_DYADIC_H
#define TEST_DYADIC_H

#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef int dyadic;

typedef struct dyadic3 {
    dyadic at[3];
} dyadic3;

enum { DYADIC_POOL = 1 << 16, DYADIC_PRECISION = 320 };

static struct {
    mpz_t m[DYADIC_POOL];
    long e[DYADIC_POOL];
    int used, ready; // places taken; places whose m has been initialized
} dyadic_pool;

static inline dyadic dyadic_new(void)
{
    if (dyadic_pool.used == DYADIC_POOL) {
        fprintf(stderr, "dyadic: the pool is empty\n");
        abort();
    }
    if (dyadic_pool.used == dyadic_pool.ready) mpz_init(dyadic_pool.m[dyadic_pool.ready++]);
    return dyadic_pool.used++;
}

static inline int dyadic_mark(void)
{
    return dyadic_pool.used;
}

static inline void dyadic_back(int mark)
{
    dyadic_pool.used = mark;
}

static inline dyadic dyadic_of(double value)
{
    int exponent;
    double mantissa = frexp(value, &exponent);
    dyadic r = dyadic_new();
    mpz_set_d(dyadic_pool.m[r], mantissa * 0x1p53);
    dyadic_pool.e[r] = exponent - 53;
    return r;
}

static inline dyadic dyadic_add(dyadic a, dyadic b)
{
    if (dyadic_pool.e[a] < dyadic_pool.e[b]) {
        dyadic swap = a;
        a = b;
        b = swap;
    }
    dyadic r = dyadic_new();
    mpz_mul_2exp(dyadic_pool.m[r], dyadic_pool.m[a],
                 (mp_bitcnt_t)(dyadic_pool.e[a] - dyadic_pool.e[b]));
    mpz_add(dyadic_pool.m[r], dyadic_pool.m[r], dyadic_pool.m[b]);
    dyadic_pool.e[r] = dyadic_pool.e[b];
    return r;
}

// k a for a small integer k.
static inline dyadic dyadic_times(dyadic a, long k)
{
    dyadic r = dyadic_new();
    mpz_mul_si(dyadic_pool.m[r], dyadic_pool.m[a], k);
    dyadic_pool.e[r] = dyadic_pool.e[a];
    return r;
}

static inline dyadic dyadic_half(dyadic a)
{
    dyadic r = dyadic_times(a, 1);
    dyadic_pool.e[r]--;
    return r;
}

static inline dyadic dyadic_sub(dyadic a, dyadic b)
{
    return dyadic_add(a, dyadic_times(b, -1));
}

static inline dyadic dyadic_mul(dyadic a, dyadic b)
{
    dyadic r = dyadic_new();
    mpz_mul(dyadic_pool.m[r], dyadic_pool.m[a], dyadic_pool.m[b]);
    dyadic_pool.e[r] = dyadic_pool.e[a] + dyadic_pool.e[b];
    return r;
}

static inline int dyadic_sign(dyadic a)
{
    return mpz_sgn(dyadic_pool.m[a]);
}

static inline bool dyadic_less(dyadic a, dyadic b)
{
    return dyadic_sign(dyadic_sub(a, b)) < 0;
}

// To DYADIC_PRECISION bits.
static inline void dyadic_get(dyadic a, mpf_t value)
{
    mpf_set_z(value, dyadic_pool.m[a]);
    long e = dyadic_pool.e[a];
    if (e >= 0) mpf_mul_2exp(value, value, (mp_bitcnt_t)e);
    if (e < 0) mpf_div_2exp(value, value, (mp_bitcnt_t)-e);
}

// --- Vectors ---

static inline dyadic3 dyadic3_of(const double x[3])
{
    return (dyadic3){{dyadic_of(x[0]), dyadic_of(x[1]), dyadic_of(x[2])}};
}

static inline dyadic3 dyadic3_add(dyadic3 a, dyadic3 b)
{
    dyadic3 r;
    for (int k = 0; k < 3; k++) r.at[k] = dyadic_add(a.at[k], b.at[k]);
    return r;
}

static inline dyadic3 dyadic3_sub(dyadic3 a, dyadic3 b)
{
    dyadic3 r;
    for (int k = 0; k < 3; k++) r.at[k] = dyadic_sub(a.at[k], b.at[k]);
    return r;
}

static inline dyadic3 dyadic3_scale(dyadic3 a, dyadic factor)
{
    dyadic3 r;
    for (int k = 0; k < 3; k++) r.at[k] = dyadic_mul(a.at[k], factor);
    return r;
}

static inline dyadic dyadic3_dot(dyadic3 a, dyadic3 b)
{
    dyadic r = dyadic_mul(a.at[0], b.at[0]);
    for (int k = 1; k < 3; k++) r = dyadic_add(r, dyadic_mul(a.at[k], b.at[k]));
    return r;
}

static inline dyadic3 dyadic3_cross(dyadic3 a, dyadic3 b)
{
    dyadic3 r;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        r.at[k] = dyadic_sub(dyadic_mul(a.at[i], b.at[j]), dyadic_mul(a.at[j], b.at[i]));
    }
    return r;
}

#endif
