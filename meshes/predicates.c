#include "predicates.h"

#include <assert.h>
#include <float.h>
#include <gmp.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

// Both predicates evaluate the determinant in doubles first. With e = 2^-53 the computed value is a
// sum of products, each carrying at most k factors (1 + d), |d| <= e: one per difference, product
// and sum on its way (4 for orient2d, 8 for orient3d). Its error is below k e (1 + 20 e) times the
// permanent, the same sum over absolute values; two more e cover the rounding of the bound itself.
// Products that underflow add at most 2^-1074 each, times the factor they are multiplied with
// later; DBL_MIN in its place leaves room for all of them. Overflow gives infinities or NaNs, which
// fail every comparison below.
#define ORIENT2D_ERROR (6 * (DBL_EPSILON / 2))
#define ORIENT3D_ERROR (10 * (DBL_EPSILON / 2))

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

// --- Integers of bounded size, on the stack ---

// Coordinates over the common exponent have at most 1024 + 1073 + 53 bits (34 limbs), differences
// one limb more, products of three 105, their sums 106.
enum { BIG_LIMBS = 108 };

static_assert(GMP_NUMB_BITS == 64, "limbs of 64 bits without nails");

typedef struct big {
    int sign; // -1, 0, 1
    mp_size_t n;
    mp_limb_t limb[BIG_LIMBS]; // (n) magnitude, the last not 0
} big;

// x = m 2^(*exponent) with an integer |m| < 2^53.
static int64_t decode(double x, int *exponent)
{
    double fraction = frexp(x, exponent);
    *exponent -= 53;
    return (int64_t)ldexp(fraction, 53);
}

static int lowest_exponent(int lowest, double x)
{
    int exponent;
    if (x == 0) return lowest;
    decode(x, &exponent);
    return exponent < lowest ? exponent : lowest;
}

// r = x / 2^base, an integer.
static void big_set(big *r, double x, int base)
{
    r->n = 0;
    r->sign = sign_of(x);
    if (r->sign == 0) return;
    int exponent;
    uint64_t m = (uint64_t)llabs(decode(x, &exponent));
    int shift = exponent - base, bits = shift % 64;
    while (r->n < shift / 64) r->limb[r->n++] = 0;
    r->limb[r->n++] = m << bits;
    mp_limb_t high = bits > 0 ? m >> (64 - bits) : 0;
    if (high != 0) r->limb[r->n++] = high;
    while (r->limb[r->n - 1] == 0) r->n--;
}

static void big_multiply(big *r, const big *a, const big *b)
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
static void big_add(big *r, const big *a, const big *b, int factor)
{
    int sign_a = a->sign, sign_b = factor * b->sign;
    int order = a->n != b->n ? (a->n > b->n ? 1 : -1)
                : a->n > 0   ? mpn_cmp(a->limb, b->limb, a->n)
                             : 0;
    const big *large = order >= 0 ? a : b, *small = order >= 0 ? b : a;
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
static void big_minor(big *r, const big *a, const big *b, const big *c, const big *d)
{
    big ad, bc;
    big_multiply(&ad, a, d);
    big_multiply(&bc, b, c);
    big_add(r, &ad, &bc, -1);
}

// r = x - y over the common exponent `base`
static void big_difference(big *r, double x, double y, int base)
{
    big bx, by;
    big_set(&bx, x, base);
    big_set(&by, y, base);
    big_add(r, &bx, &by, -1);
}

// --- Predicates ---

static int orient2d_exact(const double *a, const double *b, const double *c, int i, int j)
{
    const double *point[3] = {a, b, c};
    int base = INT_MAX;
    for (int k = 0; k < 3; k++) {
        base = lowest_exponent(base, point[k][i]);
        base = lowest_exponent(base, point[k][j]);
    }
    big ux, uy, vx, vy, det;
    big_difference(&ux, b[i], a[i], base);
    big_difference(&uy, b[j], a[j], base);
    big_difference(&vx, c[i], a[i], base);
    big_difference(&vy, c[j], a[j], base);
    big_minor(&det, &ux, &uy, &vx, &vy);
    return det.sign;
}

int pl_orient2d(const double *a, const double *b, const double *c, int i, int j)
{
    double left = (b[i] - a[i]) * (c[j] - a[j]);
    double right = (b[j] - a[j]) * (c[i] - a[i]);
    double det = left - right;
    double bound = ORIENT2D_ERROR * (fabs(left) + fabs(right)) + DBL_MIN;
    if (det > bound || -det > bound) return sign_of(det);
    if ((a[i] == b[i] && a[i] == c[i]) || (a[j] == b[j] && a[j] == c[j])) return 0;
    return orient2d_exact(a, b, c, i, j);
}

static int orient3d_exact(const double *a, const double *b, const double *c, const double *d)
{
    const double *point[4] = {a, b, c, d};
    int base = INT_MAX;
    for (int k = 0; k < 12; k++) base = lowest_exponent(base, point[k / 3][k % 3]);
    big u[3], v[3], w[3], minor, term, det = {.sign = 0};
    for (int k = 0; k < 3; k++) {
        big_difference(&u[k], b[k], a[k], base);
        big_difference(&v[k], c[k], a[k], base);
        big_difference(&w[k], d[k], a[k], base);
    }
    for (int k = 0; k < 3; k++) {
        int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        big_minor(&minor, &v[k1], &v[k2], &w[k1], &w[k2]);
        big_multiply(&term, &u[k], &minor);
        big_add(&det, &det, &term, 1);
    }
    return det.sign;
}

int pl_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    double wx = d[0] - a[0], wy = d[1] - a[1], wz = d[2] - a[2];
    double vywz = vy * wz, vzwy = vz * wy;
    double vzwx = vz * wx, vxwz = vx * wz;
    double vxwy = vx * wy, vywx = vy * wx;
    double det = ux * (vywz - vzwy) + uy * (vzwx - vxwz) + uz * (vxwy - vywx);
    double permanent = fabs(ux) * (fabs(vywz) + fabs(vzwy)) + fabs(uy) * (fabs(vzwx) + fabs(vxwz)) +
                       fabs(uz) * (fabs(vxwy) + fabs(vywx));
    double bound = ORIENT3D_ERROR * permanent + DBL_MIN * (1 + fabs(ux) + fabs(uy) + fabs(uz));
    if (det > bound || -det > bound) return sign_of(det);
    // A plane of constant coordinate, as in boxes and plates, needs no big numbers.
    if (ux == 0 && vx == 0 && wx == 0) return 0;
    if (uy == 0 && vy == 0 && wy == 0) return 0;
    if (uz == 0 && vz == 0 && wz == 0) return 0;
    return orient3d_exact(a, b, c, d);
}
