// F = V R: R is a rotation, V symmetric, and M is the inverse of tr V I - V, by whichever way.

#define PL_LANES 1
#include "../fem/polar3.h"
#include "matrix3.h"

#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static void check(const double s[3])
{
    double f[9], r[9], rt[9], m[6], v[9], product[9];
    random_with_stretches(s, f);
    pl_polar3(f, r, m);
    transpose3(r, rt);
    multiply3(r, rt, product);
    for (int k = 0; k < 9; k++) TEST_ASSERT_DOUBLE_WITHIN(4e-15, k % 4 == 0, product[k]);
    TEST_ASSERT_DOUBLE_WITHIN(4e-15, 1, determinant3(r));
    multiply3(f, rt, v);
    for (int k = 0; k < 9; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14 * largest3(f), v[k % 3 * 3 + k / 3], v[k]);
    }
    // What the pole changes is not compared.
    if (s[1] + s[2] < 1e-3) return;
    const double full[9] = {m[0], m[3], m[5], m[3], m[1], m[4], m[5], m[4], m[2]};
    double trace = v[0] + v[4] + v[8], g[9];
    for (int k = 0; k < 9; k++) g[k] = (k % 4 == 0 ? trace : 0) - v[k];
    multiply3(g, full, product);
    double condition = (s[0] + s[1]) / (s[1] + s[2]);
    for (int k = 0; k < 9; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14 * condition, k % 4 == 0, product[k]);
    }
}

static void test_cases(void)
{
    for (int round = 0; round < 50; round++) {
        for (int which = 0; which < N_STRETCH_CASES; which++) check(stretch_cases[which]);
    }
}

// s[0] >= s[1] >= |s[2]|, from gentle to far beyond where Newton's iteration is used.
static void test_random_stretches(void)
{
    for (int round = 0; round < 20000; round++) {
        double s[3] = {pow(10, random_between(-1, 1)), 0, 0};
        s[1] = s[0] * (round % 2 == 0 ? random_between(0.5, 1) : random_between(0.01, 1));
        s[2] = s[1] * (round % 2 == 0 ? random_between(0.5, 1) : random_between(-0.9, 1));
        check(s);
    }
}

// Near a rotation Newton's iteration does it alone.
static void test_gentle_ones_are_quick(void)
{
    for (int round = 0; round < 1000; round++) {
        const double s[3] = {random_between(1, 2), random_between(0.6, 1),
                             random_between(0.3, 0.6)};
        double f[9], r[9];
        random_with_stretches(s, f);
        TEST_ASSERT_EQUAL_DOUBLE(1, pl_polar3_iterate(f, r));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cases);
    RUN_TEST(test_random_stretches);
    RUN_TEST(test_gentle_ones_are_quick);
    return UNITY_END();
}
