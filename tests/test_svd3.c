// The signed singular value decomposition, eight matrices at a time as the assembly uses it. That
// one at a time gives the same bits is seen in test_fem.c, where whole elements are compared.

#define PL_LANES 8
#include "../fem/svd3.h"
#include "matrix3.h"

#include <float.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// A few units of the last place: each of up to five sweeps of three rotations adds one.
static const double TOLERANCE = 2e-15 * 8;

typedef struct decomposed {
    double u[9], s[3], v[9];
} decomposed;

static void decompose(const double f[8][9], decomposed out[8])
{
    real rf[9], u[9], s[3], v[9];
    for (int i = 0; i < 9; i++) {
        for (int lane = 0; lane < 8; lane++) rf[i][lane] = f[lane][i];
    }
    pl_svd3(rf, u, s, v);
    for (int lane = 0; lane < 8; lane++) {
        for (int i = 0; i < 9; i++) out[lane].u[i] = u[i][lane];
        for (int i = 0; i < 3; i++) out[lane].s[i] = s[i][lane];
        for (int i = 0; i < 9; i++) out[lane].v[i] = v[i][lane];
    }
}

static void expect_rotation(const double r[9])
{
    double t[9], product[9];
    transpose3(r, t);
    multiply3(t, r, product);
    for (int i = 0; i < 9; i++) TEST_ASSERT_DOUBLE_WITHIN(TOLERANCE, i % 4 == 0, product[i]);
    TEST_ASSERT_DOUBLE_WITHIN(TOLERANCE, 1, determinant3(r));
}

static void expect_decomposition(const double f[9], const decomposed *d)
{
    double scaled[9], vt[9], product[9], size = largest3(f);
    const double *s = d->s;
    expect_rotation(d->u);
    expect_rotation(d->v);
    double slack = TOLERANCE * s[0];
    TEST_ASSERT_TRUE(s[0] >= s[1] - slack && s[1] >= fabs(s[2]) - slack);
    for (int i = 0; i < 9; i++) scaled[i] = d->u[i] * s[i % 3];
    transpose3(d->v, vt);
    multiply3(scaled, vt, product);
    // Smaller than normal numbers have fewer digits.
    for (int i = 0; i < 9; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(TOLERANCE * size + 9 * DBL_TRUE_MIN, f[i], product[i]);
    }
}

static void expect_all(const double f[8][9])
{
    decomposed d[8];
    decompose(f, d);
    for (int lane = 0; lane < 8; lane++) expect_decomposition(f[lane], &d[lane]);
}

// Fills eight matrices with the stretches s and random rotations, decomposes, and expects s back.
static void expect_stretches(const double s[3], double scale)
{
    double f[8][9];
    decomposed d[8];
    for (int lane = 0; lane < 8; lane++) {
        random_with_stretches(s, f[lane]);
        for (int i = 0; i < 9; i++) f[lane][i] *= scale;
    }
    decompose(f, d);
    for (int lane = 0; lane < 8; lane++) {
        expect_decomposition(f[lane], &d[lane]);
        for (int i = 0; i < 3; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(TOLERANCE * s[0] * scale, s[i] * scale, d[lane].s[i]);
        }
    }
}

// --- Tests ---

static void test_random(void)
{
    for (int round = 0; round < 5000; round++) {
        double f[8][9];
        for (int i = 0; i < 72; i++) f[i / 9][i % 9] = random_between(-1, 1);
        expect_all(f);
    }
}

static void test_sign_is_that_of_the_determinant(void)
{
    for (int round = 0; round < 1000; round++) {
        double f[8][9];
        decomposed d[8];
        for (int i = 0; i < 72; i++) f[i / 9][i % 9] = random_between(-1, 1);
        decompose(f, d);
        for (int lane = 0; lane < 8; lane++) {
            double det = determinant3(f[lane]), s = d[lane].s[0] * d[lane].s[1] * d[lane].s[2];
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, det, s);
        }
    }
}

static void test_known_stretches(void)
{
    for (int i = 0; i < N_STRETCH_CASES; i++) {
        for (int round = 0; round < 50; round++) expect_stretches(stretch_cases[i], 1);
    }
    const double graded[3] = {1, 1e-6, -1e-12}, far[3] = {1, 1e-15, 1e-16};
    for (int round = 0; round < 50; round++) {
        expect_stretches(graded, 1);
        expect_stretches(far, 1);
    }
}

static void test_scales(void)
{
    const double s[3] = {1.5, 1, -0.5};
    for (int exponent = -150; exponent <= 150; exponent += 10) {
        expect_stretches(s, pow(10, exponent));
    }
    // As far as numbers go; below DBL_MIN they lose digits, but must not turn into infinities.
    expect_stretches(s, 1e307);
    expect_stretches(s, 1e-307);
    expect_all((const double[8][9]){{1e-310}, {0, 3e-320}, {DBL_TRUE_MIN, 0, 0, 0, DBL_TRUE_MIN}});
}

static void test_columns_of_very_different_size(void)
{
    for (int round = 0; round < 1000; round++) {
        double f[8][9];
        for (int i = 0; i < 72; i++) {
            const double column[3] = {1, pow(10, random_between(-200, 0)), 1e-170};
            f[i / 9][i % 9] = random_between(-1, 1) * column[i % 3];
        }
        expect_all(f);
    }
}

static void test_singular(void)
{
    expect_all((const double[8][9]){{0},
                                    {1},
                                    {0, 0, 0, 0, 0, -3},
                                    {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                    {0, 2, 0, 0, 0, 0, 0, 0, 1},
                                    {1, 2, 3, 2, 4, 6, -1, -2, -3},
                                    {1, 2, 3, 4, 5, 6, 7, 8, 9},
                                    {-0.0, -0.0, -0.0, 0, 0, 0, 0, 1e-30}});
    const double rank2[3] = {1.2, 0.7, 0}, rank1[3] = {2, 0, 0}, rank0[3] = {0, 0, 0};
    for (int round = 0; round < 200; round++) {
        expect_stretches(rank2, 1);
        expect_stretches(rank1, 1);
        expect_stretches(rank0, 1);
    }
}

static void test_axes(void)
{
    // Rotations, reflections and permutations of the axes, exactly.
    double f[8][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},  {-1, 0, 0, 0, -1, 0, 0, 0, -1},
                      {0, 1, 0, 1, 0, 0, 0, 0, 1},  {0, 1, 0, 0, 0, 1, 1, 0, 0},
                      {1, 0, 0, 0, 1, 0, 0, 0, -1}, {-1, 0, 0, 0, 1, 0, 0, 0, 1},
                      {0, 0, -2, 0, 1, 0, 3, 0, 0}, {1, 0, 0, 0, 2, 0, 0, 0, 3}};
    expect_all(f);
    decomposed d[8];
    decompose(f, d);
    TEST_ASSERT_EQUAL_DOUBLE(1, d[0].s[2]);
    TEST_ASSERT_EQUAL_DOUBLE(-1, d[1].s[2]);
    TEST_ASSERT_EQUAL_DOUBLE(-1, d[4].s[2]);
    TEST_ASSERT_EQUAL_DOUBLE(3, d[7].s[0]);
    TEST_ASSERT_EQUAL_DOUBLE(1, d[7].s[2]);
}

// A matrix gets the same bits in every lane, whatever its neighbours need.
static void test_lanes_are_independent(void)
{
    for (int round = 0; round < 1000; round++) {
        double f[8][9];
        decomposed d[8], shifted[8];
        for (int i = 0; i < 72; i++) f[i / 9][i % 9] = random_between(-1, 1);
        for (int i = 0; i < 9; i++) f[3][i] = i % 4 == 0; // this lane is ready at once
        decompose(f, d);
        double g[8][9];
        for (int lane = 0; lane < 8; lane++) memcpy(g[(lane + 3) % 8], f[lane], sizeof f[lane]);
        for (int i = 0; i < 9; i++) g[0][i] = 0;
        decompose(g, shifted);
        for (int lane = 0; lane < 8; lane++) {
            if ((lane + 3) % 8 == 0) continue;
            TEST_ASSERT_EQUAL_MEMORY(&d[lane], &shifted[(lane + 3) % 8], sizeof d[lane]);
        }
    }
}

// What is not a number stays so, in its lane alone.
static void test_not_finite(void)
{
    double f[8][9];
    decomposed d[8];
    for (int i = 0; i < 72; i++) f[i / 9][i % 9] = random_between(-1, 1);
    f[1][4] = NAN;
    f[6][0] = INFINITY;
    decompose(f, d);
    for (int lane = 0; lane < 8; lane++) {
        bool finite = isfinite(d[lane].s[0] + d[lane].s[1] + d[lane].s[2]);
        TEST_ASSERT_EQUAL(lane != 1 && lane != 6, finite);
        if (finite) expect_decomposition(f[lane], &d[lane]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random);
    RUN_TEST(test_sign_is_that_of_the_determinant);
    RUN_TEST(test_known_stretches);
    RUN_TEST(test_scales);
    RUN_TEST(test_columns_of_very_different_size);
    RUN_TEST(test_singular);
    RUN_TEST(test_axes);
    RUN_TEST(test_lanes_are_independent);
    RUN_TEST(test_not_finite);
    return UNITY_END();
}
