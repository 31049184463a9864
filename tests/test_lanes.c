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
    RUN_TEST(test_inverse_power);
    RUN_TEST(test_masks);
    return UNITY_END();
}
