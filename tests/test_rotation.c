// Rotations: exponential and logarithm at any angle, matrices, displacements with all their digits.

#include "../rigid/rotation.h"
#include "matrix3.h"

#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static const double PI = 3.14159265358979323846;

static void random_vector(double length, double u[3])
{
    double square = 0;
    while (square < 0.01 || square > 1) {
        square = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = random_between(-1, 1);
            square += u[k] * u[k];
        }
    }
    for (int k = 0; k < 3; k++) u[k] *= length / sqrt(square);
}

static void expect_near(const double *expected, const double *actual, int n, double within)
{
    for (int k = 0; k < n; k++) TEST_ASSERT_DOUBLE_WITHIN(within, expected[k], actual[k]);
}

// Rodrigues' formula in long double is the reference.
static void turn_exactly(const double u[3], const double r[3], long double d[3])
{
    long double square = 0, dot = 0, n[3];
    for (int k = 0; k < 3; k++) square += (long double)u[k] * u[k];
    long double t = sqrtl(square), s = sinl(t), h = sinl(t / 2);
    for (int k = 0; k < 3; k++) n[k] = u[k] / t;
    for (int k = 0; k < 3; k++) dot += n[k] * r[k];
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        d[k] = s * (n[i] * r[j] - n[j] * r[i]) + 2 * h * h * (n[k] * dot - r[k]);
    }
}

static void test_displacement_has_all_digits(void)
{
    for (double angle = 1e-300; angle < 1e5; angle *= 10) {
        double u[3], r[3], q[4], d[3];
        long double exact[3];
        random_vector(angle, u);
        random_vector(2, r);
        turn_exactly(u, r, exact);
        pl_rotation_exp(u, q);
        pl_rotation_displace(q, r, d);
        // Relative to the displacement: a few roundings, and that of the angle itself.
        double within = 2 * fmin(angle, 2) * (1e-15 + 1e-15 * fmin(angle, 1e5));
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(within, (double)exact[k], d[k]);
    }
}

static void test_exp_at_the_ends(void)
{
    double q[4];
    const double none[3] = {0}, least[3] = {0x1p-1074, 0, 0}, most[3] = {1e308, 1e308, -1e308};
    const double identity[4] = {1, 0, 0, 0};
    pl_rotation_exp(none, q);
    TEST_ASSERT_EQUAL_MEMORY(identity, q, sizeof q);
    pl_rotation_exp(least, q);
    expect_near(identity, q, 4, 1e-300);
    pl_rotation_exp(most, q);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, q[0] * q[0] + pl_dot(q + 1, q + 1));
}

static void test_log_keeps_turns(void)
{
    for (int round = 0; round < 2000; round++) {
        double u[3], near[3], q[4], back[3];
        random_vector(random_between(0, 40), u);
        random_vector(random_between(0, 2), near); // less than half a turn off
        for (int k = 0; k < 3; k++) near[k] += u[k];
        pl_rotation_exp(u, q);
        if (round % 2) {
            for (int k = 0; k < 4; k++) q[k] = -q[k]; // the same rotation
        }
        pl_rotation_log(q, near, back);
        // Near a whole turn the axis has the few digits of sin(angle / 2).
        double s = fmax(1e-8, sqrt(pl_dot(q + 1, q + 1)));
        expect_near(u, back, 3, 1e-14 * (1 + 40 / s));
    }
    const double identity[4] = {1, 0, 0, 0}, two_turns[3] = {0, 0, 4 * PI + 0.1}, none[3] = {0};
    double u[3];
    pl_rotation_log(identity, two_turns, u);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4 * PI, u[2]);
    pl_rotation_log(identity, none, u);
    expect_near(none, u, 3, 0);
}

static void test_matrix_and_back(void)
{
    for (int round = 0; round < 1000; round++) {
        double R[9], again[9], q[4], x[3], y[3], d[3], z[3];
        random_rotation(R);
        if (round < 4) { // no turn, and half turns, where w = 0
            memset(R, 0, sizeof R);
            for (int k = 0; k < 3; k++) R[4 * k] = round == 0 || k == round - 1 ? 1 : -1;
        }
        pl_rotation_from_matrix(R, q);
        TEST_ASSERT_TRUE(q[0] >= 0);
        pl_rotation_matrix(q, again);
        expect_near(R, again, 9, 2e-15);
        random_vector(1, x);
        pl_matrix_apply(R, x, y);
        pl_rotation_displace(q, x, d);
        for (int k = 0; k < 3; k++) d[k] += x[k];
        expect_near(y, d, 3, 2e-15);
        pl_matrix_apply_back(R, y, z);
        expect_near(x, z, 3, 2e-15);
    }
}

static void test_composition(void)
{
    double a[4], b[4], A[9], B[9], AB[9], C[9], u[3];
    for (int round = 0; round < 100; round++) {
        random_vector(random_between(0, 6), u);
        pl_rotation_exp(u, a);
        random_vector(random_between(0, 6), u);
        pl_rotation_exp(u, b);
        pl_rotation_matrix(a, A);
        pl_rotation_matrix(b, B);
        multiply3(A, B, AB);
        pl_rotation_compose(a, b, b);
        pl_rotation_matrix(b, C);
        expect_near(AB, C, 9, 3e-15);
        double same[4];
        const double none[4] = {1, 0, 0, 0};
        pl_rotation_compose(none, b, same);
        TEST_ASSERT_EQUAL_MEMORY(b, same, sizeof same);
        pl_rotation_compose(b, none, same);
        TEST_ASSERT_EQUAL_MEMORY(b, same, sizeof same);
    }
}

// A million small turns: the length does not drift, and the angle by rounding only.
static void test_no_drift(void)
{
    const double u[3] = {0, 0, 2 * PI * 1e-6};
    double q[4] = {1, 0, 0, 0}, part[4];
    pl_rotation_exp(u, part);
    for (int i = 0; i < 1000000; i++) pl_rotation_compose(part, q, q);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, q[0] * q[0] + pl_dot(q + 1, q + 1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-10, 0, q[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -1, q[0]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_displacement_has_all_digits);
    RUN_TEST(test_exp_at_the_ends);
    RUN_TEST(test_log_keeps_turns);
    RUN_TEST(test_matrix_and_back);
    RUN_TEST(test_composition);
    RUN_TEST(test_no_drift);
    return UNITY_END();
}
