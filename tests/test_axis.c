// Axes of plots: ticks at round numbers, labels that say what they are.

#include "../apps/plot/axis.h"

#include <math.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// The labels of an axis with a blank between them; an exponent behind '^'.
static const char *labels(const pl_axis *axis)
{
    static char text[1024];
    char number[PL_LABEL_TEXT], exponent[PL_LABEL_TEXT];
    text[0] = '\0';
    for (int32_t i = 0; i < axis->n_tick; i++) {
        pl_axis_label(axis, i, number, exponent);
        if (i > 0) strcat(text, " ");
        strcat(text, number);
        if (exponent[0] != '\0') strcat(strcat(text, "^"), exponent);
    }
    return text;
}

static void check_linear(double lo, double hi, int32_t most, bool tight, const char *expected)
{
    pl_axis axis = pl_axis_linear(lo, hi, most, tight);
    TEST_ASSERT_EQUAL_STRING(expected, labels(&axis));
    TEST_ASSERT_TRUE(axis.lo <= lo && axis.hi >= hi);
}

static void test_linear(void)
{
    check_linear(0, 10, 5, false, "0 2 4 6 8 10");
    check_linear(0, 11, 5, false, "0 5 10 15");
    check_linear(0, 11, 5, true, "0 5 10");
    check_linear(0, 1, 4, false, "0 0.5 1.0");
    check_linear(0.001, 1.017, 8, true, "0.2 0.4 0.6 0.8 1.0");
    check_linear(0, 0.3, 3, false, "0 0.1 0.2 0.3"); // 3 * 0.1 is above 0.3
    check_linear(0, 0.3, 3, true, "0 0.1 0.2 0.3");  // 0.3 / 0.1 is below 3
    check_linear(-3, 7, 5, false, "-4 -2 0 2 4 6 8");
    check_linear(0, 0.00045, 5, false, "0 0.0001 0.0002 0.0003 0.0004 0.0005");
    check_linear(0, 80000, 4, false, "0 20000 40000 60000 80000");
    check_linear(0, 2e5, 4, false, "0 0.5^5 1.0^5 1.5^5 2.0^5");
    check_linear(0, 3e-7, 3, false, "0 1^-7 2^-7 3^-7");
    check_linear(0, 1e300, 5, false, "0 0.2^300 0.4^300 0.6^300 0.8^300 1.0^300");
}

// No range is too short, too long or too far from 0.
static void test_any_range(void)
{
    static const double ends[] = {-1e300, -1e16, -1,        -1e-300, 0,    5e-324,   1e-300,
                                  1e-9,   1,     1 + 1e-15, 3,       1e16, 1e16 + 2, 1e300};
    enum { N = sizeof ends / sizeof ends[0] };
    for (int i = 0; i < N; i++) {
        for (int k = i; k < N; k++) {
            for (int32_t most = 1; most < 12; most++) {
                for (int tight = 0; tight < 2; tight++) {
                    pl_axis axis = pl_axis_linear(ends[i], ends[k], most, tight);
                    TEST_ASSERT_TRUE(axis.hi > axis.lo && isfinite(axis.hi - axis.lo));
                    TEST_ASSERT_TRUE(axis.n_tick <= most + 2);
                    TEST_ASSERT_TRUE(tight || axis.n_tick >= 2);
                    double slack = 2e-9 * (axis.hi - axis.lo); // twice what the axis allows
                    for (int32_t t = 0; t < axis.n_tick; t++) {
                        TEST_ASSERT_TRUE(axis.tick[t] >= axis.lo - slack);
                        TEST_ASSERT_TRUE(axis.tick[t] <= axis.hi + slack);
                        TEST_ASSERT_TRUE(t == 0 || axis.tick[t] > axis.tick[t - 1]);
                    }
                    labels(&axis);
                }
            }
        }
    }
}

static void test_log(void)
{
    pl_axis axis = pl_axis_log(3e-7, 2e-5, 5);
    TEST_ASSERT_EQUAL_STRING("^-7 ^-6 ^-5 ^-4", labels(&axis));
    axis = pl_axis_log(1e-7, 1e-5, 5); // exact powers are the ends
    TEST_ASSERT_EQUAL_STRING("^-7 ^-6 ^-5", labels(&axis));
    axis = pl_axis_log(1, 1, 5);
    TEST_ASSERT_EQUAL_STRING("^0 ^1", labels(&axis));
    axis = pl_axis_log(0.05, 3e4, 4); // every second one, at whole multiples
    TEST_ASSERT_EQUAL_STRING("^-2 ^0 ^2 ^4", labels(&axis));
    axis = pl_axis_log(5e-324, 1e300, 6);
    TEST_ASSERT_TRUE(axis.n_tick > 1 && axis.n_tick <= 7);
}

static void test_places(void)
{
    pl_axis axis = pl_axis_linear(0, 10, 5, false);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.25, pl_axis_place(&axis, 2.5));
    axis = pl_axis_log(1e-6, 1e-2, 5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, pl_axis_place(&axis, 1e-4));
    TEST_ASSERT_TRUE(isnan(pl_axis_place(&axis, 0)) && isnan(pl_axis_place(&axis, -1)));
    TEST_ASSERT_TRUE(isnan(pl_axis_place(&axis, NAN)));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_linear);
    RUN_TEST(test_any_range);
    RUN_TEST(test_log);
    RUN_TEST(test_places);
    return UNITY_END();
}
