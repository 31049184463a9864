// One element: forces against differences of its energy, stiffness against differences of its
// forces, and what both must not notice: where the element is and how it is turned.

#define PL_LANES 1
#include "../fem/element_kernel.h"
#include "../fem/material.h"
#include "matrix3.h"

#include <stdio.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static const double YOUNG = 3e5;

static pl_material make_material(int kind)
{
    pl_material_options options = pl_material_options_default();
    options.kind = (pl_material_kind)kind;
    options.young = YOUNG;
    options.poisson = 0.35;
    pl_material material;
    TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&options, &material));
    return material;
}

// --- Elements ---

typedef struct element {
    double X[4][3]; // at rest
    pl_rest rest;
} element;

// A tet with edges of about a metre: the corner of a cube, each corner moved a little.
static element random_element(void)
{
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    element e;
    double d[9];
    for (int k = 0; k < 12; k++) {
        e.X[k / 3][k % 3] = corner[k / 3][k % 3] + random_between(-0.15, 0.15);
    }
    for (int i = 0; i < 9; i++) d[i] = e.X[i % 3 + 1][i / 3] - e.X[0][i / 3];
    double det = determinant3(d);
    e.rest.volume = det / 6;
    for (int i = 0; i < 9; i++) { // the inverse by cofactors
        int r = i % 3, c = i / 3;
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
        e.rest.shape[i] = (d[3 * r1 + c1] * d[3 * r2 + c2] - d[3 * r1 + c2] * d[3 * r2 + c1]) / det;
    }
    return e;
}

// x = F X + somewhere
static void place(const element *e, const double f[9], double x[4][3])
{
    double shift[3];
    for (int i = 0; i < 3; i++) shift[i] = random_between(-1, 1);
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < 3; i++) {
            x[a][i] = f[3 * i] * e->X[a][0] + f[3 * i + 1] * e->X[a][1] +
                      f[3 * i + 2] * e->X[a][2] + shift[i];
        }
    }
}

static double force_at(const pl_material *m, const element *e, const double x[4][3], double f[4][3])
{
    return pl_element_forces(m, &e->rest, x, f);
}

static double energy_at(const pl_material *m, const element *e, const double x[4][3])
{
    double f[4][3];
    return force_at(m, e, x, f);
}

// All of K (12x12), from the blocks of the edges and the rule for the rest.
static void fill_stiffness(const double k[6][9], double K[12][12])
{
    memset(K, 0, 144 * sizeof(double));
    for (int a = 0, edge = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++, edge++) {
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    double value = k[edge][3 * i + j];
                    K[3 * a + i][3 * b + j] = K[3 * b + j][3 * a + i] = value;
                    K[3 * a + i][3 * a + j] -= value;
                    K[3 * b + j][3 * b + i] -= value;
                }
            }
        }
    }
}

static void stiffness_at(const pl_material *m, const element *e, const double x[4][3], bool project,
                         double K[12][12])
{
    double f[4][3], k[6][9];
    pl_element_evaluate(m, &e->rest, x, 1, project ? 1 : 0, f, k);
    fill_stiffness(k, K);
}

// --- Differences ---

// [m] of fourth order; the error left is rounding, 1e-9 or less. Two steps move the stretches by
// far less than 1e-3, the distance of the nearest case from the kink at the stretch limit.
static const double STEP = 1e-6;
static const double offsets[4] = {-2, -1, 1, 2};
static const double weights[4] = {1 / 12., -8 / 12., 8 / 12., -1 / 12.};

static void expect_near(double expected, double value, double scale, const char *what, int kind,
                        int which)
{
    char message[160];
    const double *s = stretch_cases[which];
    snprintf(message, sizeof message, "%s of %s at %g %g %g: %.10g, not %.10g", what,
             material_names[kind], s[0], s[1], s[2], value, expected);
    TEST_ASSERT_TRUE_MESSAGE(fabs(value - expected) <= 1e-6 * scale, message);
}

static void check_force(int kind, int which, const element *e, double x[4][3])
{
    const pl_material m = make_material(kind);
    double f[4][3], scale = 1e-3 * YOUNG; // at rest there is no force to compare with
    force_at(&m, e, x, f);
    for (int k = 0; k < 12; k++) scale = fmax(scale, fabs(f[k / 3][k % 3]));
    for (int k = 0; k < 12; k++) {
        double *coordinate = &x[k / 3][k % 3], kept = *coordinate, slope = 0;
        for (int i = 0; i < 4; i++) {
            *coordinate = kept + offsets[i] * STEP;
            slope += weights[i] * energy_at(&m, e, x) / STEP;
        }
        *coordinate = kept;
        expect_near(-slope, f[k / 3][k % 3], scale, "force", kind, which);
    }
}

static void check_stiffness(int kind, int which, const element *e, double x[4][3])
{
    const pl_material m = make_material(kind);
    double K[12][12], scale = 0;
    stiffness_at(&m, e, x, false, K);
    for (int k = 0; k < 144; k++) scale = fmax(scale, fabs(K[k / 12][k % 12]));
    for (int k = 0; k < 12; k++) {
        double *coordinate = &x[k / 3][k % 3], kept = *coordinate, slope[12] = {0};
        for (int i = 0; i < 4; i++) {
            double f[4][3];
            *coordinate = kept + offsets[i] * STEP;
            force_at(&m, e, x, f);
            for (int j = 0; j < 12; j++) slope[j] -= weights[i] * f[j / 3][j % 3] / STEP;
        }
        *coordinate = kept;
        for (int j = 0; j < 12; j++) {
            expect_near(slope[j], K[j][k], scale, "stiffness", kind, which);
        }
    }
}

typedef void check(int kind, int which, const element *e, double x[4][3]);

static void for_all(check *check_one)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (int which = 0; which < N_STRETCH_CASES; which++) {
            for (int round = 0; round < 5; round++) {
                const element e = random_element();
                double f[9], x[4][3];
                random_with_stretches(stretch_cases[which], f);
                place(&e, f, x);
                check_one(kind, which, &e, x);
            }
        }
    }
}

static void test_force_is_the_slope_of_energy(void)
{
    for_all(check_force);
}

static void test_stiffness_is_the_slope_of_force(void)
{
    for_all(check_stiffness);
}

static void test_sheared(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (double shear = -2; shear <= 2; shear += 0.5) {
            const double f[9] = {1, shear, 0, 0, 1, 0.5 * shear, 0, 0, 1};
            const element e = random_element();
            double x[4][3];
            place(&e, f, x);
            check_force(kind, 0, &e, x);
            check_stiffness(kind, 0, &e, x);
        }
    }
}

// --- Invariance ---

static void check_balance(int kind, int which, const element *e, double x[4][3])
{
    const pl_material m = make_material(kind);
    double f[4][3], scale = YOUNG * 1e-3;
    force_at(&m, e, x, f);
    for (int k = 0; k < 12; k++) scale = fmax(scale, fabs(f[k / 3][k % 3]));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double sum = 0, torque = 0;
        for (int a = 0; a < 4; a++) {
            sum += f[a][i];
            torque += x[a][j] * f[a][k] - x[a][k] * f[a][j];
        }
        expect_near(0, sum, 1e-8 * scale, "sum of forces", kind, which);
        expect_near(0, torque, 1e-7 * scale, "torque", kind, which);
    }
}

static void test_forces_balance(void)
{
    for_all(check_balance);
}

// f(R x + t) = R f(x) and K(R x + t) = R K(x) R^T; energy does not change.
static void check_turned(int kind, int which, const element *e, double x[4][3])
{
    const pl_material m = make_material(kind);
    double R[9], y[4][3], f[4][3], g[4][3], K[12][12], L[12][12];
    random_rotation(R);
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < 3; i++) {
            const double *r = R + 3 * i;
            y[a][i] = r[0] * x[a][0] + r[1] * x[a][1] + r[2] * x[a][2] + i + 2;
        }
    }
    force_at(&m, e, x, f);
    force_at(&m, e, y, g);
    stiffness_at(&m, e, x, which % 2 == 0, K);
    stiffness_at(&m, e, y, which % 2 == 0, L);
    double f_scale = 1e-3 * YOUNG, k_scale = 0;
    for (int k = 0; k < 12; k++) f_scale = fmax(f_scale, fabs(f[k / 3][k % 3]));
    for (int k = 0; k < 144; k++) k_scale = fmax(k_scale, fabs(K[k / 12][k % 12]));
    expect_near(energy_at(&m, e, x), energy_at(&m, e, y), 1e-6 * f_scale, "energy", kind, which);
    for (int k = 0; k < 12; k++) {
        const double *r = R + k % 3 * 3, *fa = f[k / 3];
        double turned = r[0] * fa[0] + r[1] * fa[1] + r[2] * fa[2];
        expect_near(turned, g[k / 3][k % 3], 1e-5 * f_scale, "turned force", kind, which);
    }
    for (int k = 0; k < 144; k++) {
        int row = k / 12, column = k % 12, a = row / 3 * 3, b = column / 3 * 3;
        double turned = 0;
        for (int p = 0; p < 9; p++) {
            turned += R[row % 3 * 3 + p / 3] * K[a + p / 3][b + p % 3] * R[column % 3 * 3 + p % 3];
        }
        // Second derivatives jump at the stretch limit, and rounding decides on which side we are.
        expect_near(turned, L[row][column], 1e-3 * k_scale, "turned stiffness", kind, which);
    }
}

static void test_rotation_and_translation(void)
{
    for_all(check_turned);
}

// --- The shape of K ---

static void check_symmetry(int kind, int which, const element *e, double x[4][3])
{
    const pl_material m = make_material(kind);
    double K[12][12], scale = 0;
    stiffness_at(&m, e, x, true, K);
    for (int k = 0; k < 144; k++) scale = fmax(scale, fabs(K[k / 12][k % 12]));
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < i; j++) {
            expect_near(K[i][j], K[j][i], 1e-8 * scale, "symmetry", kind, which);
        }
    }
    for (int round = 0; round < 20; round++) { // projected: no direction of negative curvature
        double v[12], form = 0;
        for (int i = 0; i < 12; i++) v[i] = random_between(-1, 1);
        for (int k = 0; k < 144; k++) form += v[k / 12] * K[k / 12][k % 12] * v[k % 12];
        TEST_ASSERT_TRUE(form >= -1e-13 * scale);
    }
}

static void test_stiffness_is_symmetric_and_projected(void)
{
    for_all(check_symmetry);
}

// At rest K is that of linear elasticity: w B^T D B, the strains of B the symmetric gradients.
static void test_stiffness_at_rest_is_linear_elasticity(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material m = make_material(kind);
        const element e = random_element();
        double K[12][12], x[4][3], scale = 0;
        const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        place(&e, identity, x);
        stiffness_at(&m, &e, x, false, K);
        for (int k = 0; k < 144; k++) scale = fmax(scale, fabs(K[k / 12][k % 12]));
        for (int k = 0; k < 81; k++) {
            int row = k / 9, column = k % 9, i = row % 3, j = column % 3;
            const double *a = e.rest.shape + row / 3 * 3, *b = e.rest.shape + column / 3 * 3;
            double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            double value = m.lambda * a[i] * b[j] + m.mu * (a[j] * b[i] + (i == j ? dot : 0));
            expect_near(e.rest.volume * value, K[row + 3][column + 3], 1e-6 * scale,
                        "linear stiffness", kind, 0);
        }
    }
}

// The co-rotational element without stretches against the general way, by its stretches: energy,
// forces and stiffness, true and projected, for all shapes and for those where rotations are hard
// to find.
static void test_corotational_by_stretches(void)
{
    const pl_material m = make_material(PL_MATERIAL_COROTATIONAL);
    for (int round = 0; round < 3000; round++) {
        const element e = random_element();
        double s[3], f[9], x[4][3], size = 1;
        for (int i = 0; i < 3; i++) {
            double spread = round % 3 == 0 ? 0.1 : round % 3 == 1 ? 1 : 3;
            s[i] = round % 3 < 2 ? 1 + random_between(-spread, spread)
                                 : pow(10, random_between(-spread, 1));
        }
        random_with_stretches(round < N_STRETCH_CASES ? stretch_cases[round] : s, f);
        place(&e, f, x);
        double share = (const double[]){0, 1, 0.25}[round % 5 % 3];
        double force[4][3], k[6][9], p[9], force_s[4][3], k_s[6][9], scale = 0;
        double energy = pl_element_evaluate(&m, &e.rest, x, 2, share, force, k);
        pl_deformed d;
        pl_element_deform(&m, &e.rest, x, &d);
        pl_element_stress(&d, p);
        pl_element_force(&e.rest, p, force_s);
        double energy_s = e.rest.volume * d.stress.energy;
        if (share > 0) pl_stress_project(&d.stress, share);
        pl_element_stiffness(&e.rest, &d, 2, k_s);
        for (int i = 0; i < 9; i++) size = fmax(size, fabs(f[i]));
        for (int i = 0; i < 54; i++) scale = fmax(scale, fabs(k_s[i / 9][i % 9]));
        // A twist's pole takes digits: of the rotation they are lost by size / (s_i + s_j).
        double sum = fmax(fabs(d.s[1] + d.s[2]), 1e-6), lost = 1 + size / sum;
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * YOUNG * size * size * lost, energy_s, energy);
        for (int i = 0; i < 12; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-13 * YOUNG * size * lost, force_s[i / 3][i % 3],
                                      force[i / 3][i % 3]);
        }
        for (int i = 0; i < 54; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12 * scale * lost, k_s[i / 9][i % 9], k[i / 9][i % 9]);
        }
    }
}

// An element that has collapsed, or is turned inside out, has finite forces and a finite stiffness.
static void test_degenerate(void)
{
    const double flat[][9] = {{0},
                              {1, 0, 0, 0, 0, 0, 0, 0, 0},
                              {1, 0, 0, 0, 1, 0, 0, 0, 0},
                              {1, 0, 0, 0, 0.5, 0, 0, 0, -0.5},
                              {-1, 0, 0, 0, -1, 0, 0, 0, -1}};
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material m = make_material(kind);
        for (int i = 0; i < 5; i++) {
            const element e = random_element();
            double x[4][3], f[4][3], K[12][12], sum = energy_at(&m, &e, e.X);
            place(&e, flat[i], x);
            force_at(&m, &e, x, f);
            for (int project = 0; project < 2; project++) {
                stiffness_at(&m, &e, x, project, K);
                for (int k = 0; k < 144; k++) sum += K[k / 12][k % 12];
            }
            for (int k = 0; k < 12; k++) sum += f[k / 3][k % 3];
            TEST_ASSERT_TRUE(isfinite(sum));
        }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_force_is_the_slope_of_energy);
    RUN_TEST(test_stiffness_is_the_slope_of_force);
    RUN_TEST(test_sheared);
    RUN_TEST(test_forces_balance);
    RUN_TEST(test_rotation_and_translation);
    RUN_TEST(test_stiffness_is_symmetric_and_projected);
    RUN_TEST(test_stiffness_at_rest_is_linear_elasticity);
    RUN_TEST(test_corotational_by_stretches);
    RUN_TEST(test_degenerate);
    return UNITY_END();
}
