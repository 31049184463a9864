// Arithmetic on lanes: what is not the compiler's.

#define PL_LANES 8
#include "../fem/lanes.h"

#include <float.h>
#include <stdlib.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static double random_unit(void)
{
    return rand() / (double)RAND_MAX;
}

// Around 1, where the logarithm is small, and over the whole range.
static double sample(int i)
{
    double r = random_unit() - 0.5;
    if (i % 4 == 0) return 1 + r;
    if (i % 4 == 1) return 1 + ldexp(r, -(rand() % 50));
    if (i % 4 == 2) return exp(1400 * r);
    return ldexp(1 + ldexp(r, -48), rand() % 2000 - 1000);
}

static void test_log(void)
{
    for (int i = 0; i < 300000; i++) {
        real a = {0};
        for (int lane = 0; lane < PL_LANES; lane++) a[lane] = sample(i);
        real b = real_log(a);
        for (int lane = 0; lane < PL_LANES; lane++) {
            long double exact = logl(a[lane]);
            TEST_ASSERT_TRUE(fabsl(b[lane] - exact) <= DBL_EPSILON * fabsl(exact));
        }
    }
    TEST_ASSERT_EQUAL_DOUBLE(0, real_log(real_of(1))[3]);
}

static void test_log1p(void)
{
    for (int i = 0; i < 100000; i++) {
        double a = i % 2 == 0 ? ldexp(random_unit() - 0.5, -(rand() % 60)) : 50 * random_unit();
        long double exact = log1pl(a);
        double b = real_log1p(real_of(a))[i % PL_LANES];
        TEST_ASSERT_TRUE(fabsl(b - exact) <= 2 * DBL_EPSILON * fabsl(exact));
    }
}

static void test_exp(void)
{
    for (int i = 0; i < 100000; i++) {
        double a = (random_unit() - 0.5) * ldexp(1400, -(rand() % 60));
        long double exact = expl(a);
        double b = real_exp(real_of(a))[i % PL_LANES];
        // r is off by a unit of the last place of log 2 / 2 at most, the sum by one of its own.
        TEST_ASSERT_TRUE(fabsl(b - exact) <= 2 * DBL_EPSILON * exact);
    }
    TEST_ASSERT_EQUAL_DOUBLE(1, real_exp(real_of(0))[3]);
    TEST_ASSERT_TRUE(isfinite(real_exp(real_of(1e9))[0]));
    TEST_ASSERT_TRUE(real_exp(real_of(-1e9))[0] < 1e-300);
}

static void test_exp_quotients(void)
{
    for (int i = 0; i < 100000; i++) {
        double a = (random_unit() - 0.5) * ldexp(100, -(rand() % 60));
        long double first = expm1l(a) / a, second = (expm1l(a) - a) / ((long double)a * a);
        if (fabs(a) < 1e-3) {
            long double x = a;
            second = 0.5L + x / 6 + x * x / 24 + x * x * x / 120 + x * x * x * x / 720;
        }
        real b, c;
        real_exp_quotients(real_of(a), &b, &c);
        TEST_ASSERT_TRUE(fabsl(b[0] - first) <= 8 * DBL_EPSILON * first);
        TEST_ASSERT_TRUE(fabsl(c[0] - second) <= 16 * DBL_EPSILON * second);
    }
    real b, c;
    real_exp_quotients(real_of(0), &b, &c);
    TEST_ASSERT_EQUAL_DOUBLE(1, b[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, c[2]);
}

static void test_inverse_power(void)
{
    for (int i = 0; i < 10000; i++) {
        double a = ldexp(1 + random_unit(), rand() % 1800 - 900) * (i % 2 == 0 ? 1 : -1);
        double b = fabs(a * real_inverse_power(real_of(a))[i % PL_LANES]);
        TEST_ASSERT_TRUE(b >= 0.5 && b < 2);
    }
}

static void test_masks(void)
{
    real a = {1, -2, 3, -4, 5, -6, 7, -8}, zero = {0};
    real b = real_select(a < zero, -a, a);
    for (int lane = 0; lane < PL_LANES; lane++) {
        TEST_ASSERT_EQUAL_DOUBLE(lane + 1, b[lane]);
        TEST_ASSERT_EQUAL_DOUBLE(lane + 1, real_abs(a)[lane]);
        TEST_ASSERT_EQUAL_DOUBLE(lane % 2 == 0 ? lane + 1 : 0, real_max(a, zero)[lane]);
    }
    TEST_ASSERT_TRUE(real_any(a < zero));
    TEST_ASSERT_FALSE(real_any(b < zero));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_log);
    RUN_TEST(test_log1p);
    RUN_TEST(test_exp);
    RUN_TEST(test_exp_quotients);
    RUN_TEST(test_inverse_power);
    RUN_TEST(test_masks);
    return UNITY_END();
}
