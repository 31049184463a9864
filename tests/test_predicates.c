// Signs against GMP's rationals, on inputs made to be hard.

#include "../meshes/predicates.h"
#include "surfaces.h"

#include <float.h>
#include <gmp.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// --- The same signs, by rationals ---

static void minus(mpq_t r, double x, double y)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_d(r, x);
    mpq_set_d(t, y);
    mpq_sub(r, r, t);
    mpq_clear(t);
}

// r += factor * a b c
static void add_product(mpq_t r, int factor, const mpq_t a, const mpq_t b, const mpq_t c)
{
    mpq_t t;
    mpq_init(t);
    mpq_mul(t, a, b);
    mpq_mul(t, t, c);
    if (factor > 0) mpq_add(r, r, t);
    if (factor < 0) mpq_sub(r, r, t);
    mpq_clear(t);
}

static int reference3d(double p[4][3])
{
    mpq_t m[9], det;
    mpq_init(det);
    for (int i = 0; i < 9; i++) {
        mpq_init(m[i]);
        minus(m[i], p[1 + i / 3][i % 3], p[0][i % 3]);
    }
    for (int k = 0; k < 3; k++) {
        add_product(det, 1, m[k], m[3 + (k + 1) % 3], m[6 + (k + 2) % 3]);
        add_product(det, -1, m[k], m[3 + (k + 2) % 3], m[6 + (k + 1) % 3]);
    }
    int sign = mpq_sgn(det);
    for (int i = 0; i < 9; i++) mpq_clear(m[i]);
    mpq_clear(det);
    return sign;
}

static int reference2d(double p[4][3], int i, int j)
{
    double q[4][3] = {{p[0][i], p[0][j], 0}, {p[1][i], p[1][j], 0}, {p[2][i], p[2][j], 0}};
    q[3][0] = p[0][i], q[3][1] = p[0][j], q[3][2] = 1;
    return reference3d(q);
}

static int zeros; // how many determinants were exactly 0, so that a test can know it tested some

static void check(double p[4][3])
{
    int expected = reference3d(p);
    zeros += expected == 0;
    TEST_ASSERT_EQUAL_INT(expected, pl_orient3d(p[0], p[1], p[2], p[3]));
    TEST_ASSERT_EQUAL_INT(-expected, pl_orient3d(p[1], p[0], p[2], p[3]));
    TEST_ASSERT_EQUAL_INT(-expected, pl_orient3d(p[3], p[0], p[1], p[2]));
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        int flat = reference2d(p, i, j);
        TEST_ASSERT_EQUAL_INT(flat, pl_orient2d(p[0], p[1], p[2], i, j));
        TEST_ASSERT_EQUAL_INT(-flat, pl_orient2d(p[0], p[1], p[2], j, i));
    }
}

// --- Inputs ---

static void random_points(double p[4][3], double scale)
{
    for (int i = 0; i < 12; i++) p[i / 3][i % 3] = scale * (2 * random_unit() - 1);
}

static void test_random_points_at_all_scales(void)
{
    for (int e = -1074; e <= 1023; e += 3) {
        double p[4][3];
        random_points(p, ldexp(1, e));
        check(p);
    }
}

static void test_coordinates_of_mixed_scales(void)
{
    for (int n = 0; n < 20000; n++) {
        double p[4][3];
        for (int i = 0; i < 12; i++) {
            p[i / 3][i % 3] = ldexp(2 * random_unit() - 1, random_int(2097) - 1074);
        }
        check(p);
    }
}

static double nudge(double x)
{
    switch (random_int(4)) {
    case 0:
        return nextafter(x, INFINITY);
    case 1:
        return nextafter(x, -INFINITY);
    default:
        return x;
    }
}

// p3 is a combination of the others, then moved by the last bit: determinants around 0.
static void test_almost_coplanar_points(void)
{
    zeros = 0;
    for (int n = 0; n < 40000; n++) {
        double p[4][3];
        int e = n % 2 == 0 ? 0 : random_int(1900) - 950;
        random_points(p, ldexp(1, e));
        double s = random_unit(), t = random_int(2) ? 1 - s : random_unit();
        for (int k = 0; k < 3; k++) {
            p[3][k] = nudge(p[0][k] + s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[0][k]));
        }
        check(p);
    }
}

// Small integers times a power of two, so that exact zeros are frequent.
static void test_exactly_coplanar_points(void)
{
    zeros = 0;
    for (int n = 0; n < 40000; n++) {
        double p[4][3];
        double scale = ldexp(1, random_int(2080) - 1074);
        for (int i = 0; i < 12; i++) p[i / 3][i % 3] = scale * (random_int(7) - 3);
        if (n % 3 == 0) {
            for (int k = 0; k < 3; k++)
                p[3][k] = p[0][k] + (p[1][k] - p[0][k]) * 2 - p[2][k] + p[0][k];
        }
        check(p);
    }
    TEST_ASSERT_GREATER_THAN_INT(10000, zeros);
}

// Products that underflow to 0 although the determinant is not 0, and sums that overflow.
static void test_underflow_and_overflow(void)
{
    const double tiny = DBL_TRUE_MIN, small = 1e-200, huge = DBL_MAX,
                 values[] = {0, tiny, -tiny, small, -small, huge, -huge, 1};
    for (int n = 0; n < 40000; n++) {
        double p[4][3];
        for (int i = 0; i < 12; i++) p[i / 3][i % 3] = values[random_int(8)];
        check(p);
    }
    double a[3] = {0, 0, 0}, b[3] = {tiny, 0, 0}, c[3] = {0, tiny, 0}, d[3] = {0, 0, tiny};
    TEST_ASSERT_EQUAL_INT(1, pl_orient3d(a, b, c, d));
    TEST_ASSERT_EQUAL_INT(1, pl_orient2d(a, b, c, 0, 1));
}

static void test_signs_follow_the_convention(void)
{
    double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, d[3] = {0, 0, 1};
    TEST_ASSERT_EQUAL_INT(1, pl_orient3d(a, b, c, d));
    TEST_ASSERT_EQUAL_INT(1, pl_orient2d(a, b, c, 0, 1));
    TEST_ASSERT_EQUAL_INT(0, pl_orient2d(a, b, c, 1, 2));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_signs_follow_the_convention);
    RUN_TEST(test_random_points_at_all_scales);
    RUN_TEST(test_coordinates_of_mixed_scales);
    RUN_TEST(test_almost_coplanar_points);
    RUN_TEST(test_exactly_coplanar_points);
    RUN_TEST(test_underflow_and_overflow);
    return UNITY_END();
}
