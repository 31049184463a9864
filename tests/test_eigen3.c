// The positive part of symmetric 3x3 matrices that are built from known eigenvalues.

#define PL_LANES 1
#include "../fem/eigen3.h"
#include "matrix3.h"

#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// out (00, 11, 22, 01, 12, 20) := R diag(e) R^T
static void build(const double R[9], const double e[3], double out[6])
{
    for (int k = 0; k < 6; k++) {
        const double *p = R + k % 3 * 3, *q = R + (k < 3 ? k : (k + 1) % 3) * 3;
        out[k] = e[0] * p[0] * q[0] + e[1] * p[1] * q[1] + e[2] * p[2] * q[2];
    }
}

// Projecting by a share: what is negative is multiplied by 1 - share. Clamping: the share 1.
static void check(const double e[3])
{
    double R[9], S[6], clamped[6], positive[3], expected[6], size = 0;
    random_rotation(R);
    build(R, e, S);
    for (int k = 0; k < 6; k++) {
        size = fmax(size, fabs(S[k]));
        clamped[k] = S[k];
    }
    for (int k = 0; k < 3; k++) positive[k] = fmax(e[k], 0);
    build(R, positive, expected);
    pl_eigen3_clamp(clamped);
    for (int k = 0; k < 6; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-14 * size, expected[k], clamped[k]);
    for (int round = 0; round < 2; round++) {
        double share = round == 0 ? 1 : 0.25, projected[6];
        memcpy(projected, S, sizeof S);
        pl_eigen3_project(projected, share);
        for (int k = 0; k < 6; k++) {
            double value = share * expected[k] + (1 - share) * S[k];
            // The quick way is allowed a few residuals of PL_EIGEN3_CERTAIN.
            TEST_ASSERT_DOUBLE_WITHIN(4 * PL_EIGEN3_CERTAIN * size, value, projected[k]);
        }
    }
}

static void test_any_spectrum(void)
{
    for (int round = 0; round < 20000; round++) {
        double e[3];
        for (int k = 0; k < 3; k++) {
            double low = round % 3 == 0 ? 0 : round % 3 == 1 ? -4 : -12; // decades
            e[k] = random_between(-1, 1) * pow(10, random_between(low, 0));
        }
        check(e);
    }
}

// Eigenvalues that coincide, vanish, or all but cancel.
static void test_special_spectra(void)
{
    static const double values[] = {-1, -0.5, -1e-8, -1e-15, 0, 1e-15, 1e-8, 0.5, 1};
    enum { N = sizeof values / sizeof values[0] };
    for (int i = 0; i < N * N * N; i++) {
        check((const double[3]){values[i % N], values[i / N % N], values[i / N / N]});
    }
}

// Most matrices with both signs take the quick way: it is what makes it quick.
static void test_few_need_the_slow_way(void)
{
    int n = 0, slow = 0;
    for (int round = 0; round < 10000; round++) {
        double R[9], S[6], c[6], out[6];
        random_rotation(R);
        const double e[3] = {random_between(-1, 0), random_between(-1, 1), random_between(0, 1)};
        build(R, e, S);
        pl_eigen3_cofactors(S, c);
        n++;
        double det = S[0] * c[0] + S[3] * c[3] + S[5] * c[5], square = 0;
        for (int k = 0; k < 6; k++) square += (k < 3 ? 1 : 2) * S[k] * S[k];
        slow += pl_eigen3_split(S, det, square, out) < 1;
    }
    TEST_ASSERT_TRUE(1000 * slow < n);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_any_spectrum);
    RUN_TEST(test_special_spectra);
    RUN_TEST(test_few_need_the_slow_way);
    return UNITY_END();
}
