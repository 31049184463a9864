// Materials as functions of the principal stretches: derivatives against differences, rest, the
// projection, options.

#define PL_LANES 1
#include "../fem/material.h"
#include "../fem/material_kernel.h"
#include "../fem/svd3.h"
#include "matrix3.h"

#include <stdio.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static const double YOUNG = 2e5;

static pl_material make_material(int kind, double poisson)
{
    pl_material_options options = pl_material_options_default();
    options.kind = (pl_material_kind)kind;
    options.young = YOUNG;
    options.poisson = poisson;
    pl_material material;
    TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&options, &material));
    return material;
}

static pl_stress evaluate(const pl_material *m, const double s[3])
{
    pl_stress stress;
    pl_stress_evaluate(m, s, &stress);
    return stress;
}

// Differences of fourth order over steps of this size: their own error is below 1e-9 of the
// modulus, from rounding; no case lies closer than 1e-3 to the kink at the stretch limit.
static const double STEP = 2e-6;

static double difference(const double f[4])
{
    return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * STEP);
}

static const double offsets[4] = {-2, -1, 1, 2};

static void expect_near(double expected, double value, const char *what, int kind, const double *s)
{
    char message[160];
    snprintf(message, sizeof message, "%s of %s at %g %g %g: %.10g, not %.10g", what,
             material_names[kind], s[0], s[1], s[2], value, expected);
    double tolerance = 1e-7 * (fabs(expected) + YOUNG);
    TEST_ASSERT_TRUE_MESSAGE(fabs(value - expected) <= tolerance, message);
}

// --- Derivatives ---

static void check_gradient(const pl_material *m, int kind, const double s[3])
{
    pl_stress stress = evaluate(m, s);
    for (int i = 0; i < 3; i++) {
        double energy[4];
        for (int k = 0; k < 4; k++) {
            double moved[3] = {s[0], s[1], s[2]};
            moved[i] += offsets[k] * STEP;
            energy[k] = evaluate(m, moved).energy;
        }
        expect_near(difference(energy), stress.g[i], "gradient", kind, s);
    }
}

static void check_second(const pl_material *m, int kind, const double s[3])
{
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    pl_stress stress = evaluate(m, s);
    for (int i = 0; i < 3; i++) {
        double g[3][4];
        for (int k = 0; k < 4; k++) {
            double moved[3] = {s[0], s[1], s[2]};
            moved[i] += offsets[k] * STEP;
            pl_stress there = evaluate(m, moved);
            for (int j = 0; j < 3; j++) g[j][k] = there.g[j];
        }
        for (int j = 0; j < 3; j++) {
            expect_near(difference(g[j]), stress.h[place[i][j]], "second derivative", kind, s);
        }
    }
}

static void check_pairs(const pl_material *m, int kind, const double s[3])
{
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    pl_stress stress = evaluate(m, s);
    for (int p = 0; p < 3; p++) {
        int i = pair[p][0], j = pair[p][1];
        double d = s[i] - s[j];
        // Of equal stretches, the limit.
        double flip = d == 0 ? stress.h[i] - stress.h[3 + p] : (stress.g[i] - stress.g[j]) / d;
        expect_near(flip, stress.flip[p], "flip", kind, s);
        double twist = (stress.g[i] + stress.g[j]) / (s[i] + s[j]);
        expect_near(twist, stress.twist[p], "twist", kind, s);
    }
}

static void test_derivatives(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        for (int k = 0; k < 3; k++) {
            const pl_material m = make_material(kind, (const double[]){0.17, 0.3, 0.45}[k]);
            for (int i = 0; i < N_STRETCH_CASES; i++) {
                check_gradient(&m, kind, stretch_cases[i]);
                check_second(&m, kind, stretch_cases[i]);
                check_pairs(&m, kind, stretch_cases[i]);
            }
        }
    }
}

// Near equal stretches the quotient loses its digits; flip must not.
static void test_flip_of_nearly_equal_stretches(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material m = make_material(kind, 0.3);
        for (double gap = 1e-3; gap > 1e-16; gap *= 0.1) {
            const double s[3] = {1.3 + gap, 1.3, 0.9};
            double flip = evaluate(&m, s).flip[0];
            double limit = evaluate(&m, (const double[]){1.3, 1.3, 0.9}).flip[0];
            // Ogden's third derivatives are the largest: 8 times the modulus.
            TEST_ASSERT_DOUBLE_WITHIN(10 * YOUNG * gap + 2e-14 * YOUNG, limit, flip);
        }
    }
}

static void test_twist_at_its_pole_is_finite(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material m = make_material(kind, 0.3);
        const double cases[3][3] = {{1, 0.5, -0.5}, {1, 0, 0}, {0, 0, 0}};
        for (int i = 0; i < 3; i++) {
            pl_stress stress = evaluate(&m, cases[i]);
            for (int p = 0; p < 3; p++) TEST_ASSERT_TRUE(isfinite(stress.twist[p]));
            for (int p = 0; p < 3; p++) TEST_ASSERT_TRUE(isfinite(stress.flip[p]));
        }
    }
}

// --- Ogden's exponent ---

static pl_material make_ogden(double exponent, double limit)
{
    pl_material_options options = pl_material_options_default();
    options.kind = PL_MATERIAL_OGDEN;
    options.young = YOUNG;
    options.poisson = 0.3;
    options.ogden_exponent = exponent;
    options.stretch_limit = limit;
    pl_material material;
    TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&options, &material));
    return material;
}

static const double exponents[] = {-8, -2, 0, 1e-9, 1, 2, 5, 12};
enum { N_EXPONENTS = sizeof exponents / sizeof exponents[0] };

// The textbooks' form, with powers; Hencky's for exponent 0.
static double ogden_by_powers(const pl_material *m, double alpha, const double s[3])
{
    double log_j = log(s[0]) + log(s[1]) + log(s[2]), sum = 0;
    for (int i = 0; i < 3; i++) {
        double e = log(s[i]);
        sum += alpha == 0 ? 0.5 * e * e : (pow(s[i], alpha) - 1 - alpha * e) / (alpha * alpha);
    }
    return 2 * m->mu * sum + 0.5 * m->lambda * log_j * log_j;
}

static void test_ogden_exponents(void)
{
    for (int k = 0; k < N_EXPONENTS; k++) {
        const pl_material m = make_ogden(exponents[k], 0.35);
        for (int i = 0; i < N_STRETCH_CASES; i++) {
            const double *s = stretch_cases[i];
            if (evaluate(&m, s).energy > 1e3 * YOUNG) continue; // differences have no digits left
            check_gradient(&m, PL_MATERIAL_OGDEN, s);
            check_second(&m, PL_MATERIAL_OGDEN, s);
            check_pairs(&m, PL_MATERIAL_OGDEN, s);
            double expected = ogden_by_powers(&m, k == 3 ? 0 : exponents[k], s);
            if (s[2] > 0.35) expect_near(expected, evaluate(&m, s).energy, "energy", m.kind, s);
        }
    }
}

static void test_ogden_with_exponent_2_is_neo_hookean(void)
{
    const pl_material ogden = make_ogden(2, 0.05),
                      neo = make_material(PL_MATERIAL_NEO_HOOKEAN, 0.3);
    for (int i = 0; i < N_STRETCH_CASES; i++) {
        const double *s = stretch_cases[i];
        pl_stress a = evaluate(&ogden, s), b = evaluate(&neo, s);
        if (s[2] < 0.05) continue; // what continues them differs
        expect_near(b.energy, a.energy, "energy", PL_MATERIAL_OGDEN, s);
        for (int k = 0; k < 3; k++) {
            expect_near(b.g[k], a.g[k], "gradient", PL_MATERIAL_OGDEN, s);
            expect_near(b.flip[k], a.flip[k], "flip", PL_MATERIAL_OGDEN, s);
        }
    }
}

// Beyond the bound of its powers the energy goes on as a parabola, on both sides of every
// difference: what is torn or inverted has numbers of single precision, and rising energies.
static void test_ogden_beyond_its_bound(void)
{
    static const double cases[][3] = {
        {30, 1.1, 0.8}, {30, 28, 0.8}, {12.3, 11.9, 0.9}, {40, 40, 40}};
    const pl_material torn = make_ogden(12, 0.3), inverted = make_ogden(-12, 0.3);
    for (int i = 0; i < 4; i++) { // 12 log s = 30 at 12.18
        pl_stress stress = evaluate(&torn, cases[i]);
        for (int p = 0; p < 3; p++) {
            static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
            double d = cases[i][pair[p][0]] - cases[i][pair[p][1]];
            double flip = (stress.g[pair[p][0]] - stress.g[pair[p][1]]) / d;
            if (d > 0) TEST_ASSERT_DOUBLE_WITHIN(1e-12 * fabs(flip), flip, stress.flip[p]);
            double moved[3] = {cases[i][0], cases[i][1], cases[i][2]};
            moved[p] *= 1 + 1e-6;
            double slope = (evaluate(&torn, moved).energy - stress.energy) / (1e-6 * cases[i][p]);
            double rounding = 1e-9 * stress.energy / cases[i][p];
            TEST_ASSERT_DOUBLE_WITHIN(1e-4 * fabs(stress.g[p]) + rounding, stress.g[p], slope);
        }
    }
    // Strains so far apart that exp of their difference is no number.
    const pl_material low = make_ogden(8, 0.001);
    const double far[3] = {1.2, 0.8, -0.3};
    check_pairs(&low, PL_MATERIAL_OGDEN, far);
    double last = 0;
    for (double s = 0.1; s > -20; s -= 0.37) {
        const double stretch[3] = {20, 1, s};
        pl_stress stress = evaluate(&inverted, stretch);
        TEST_ASSERT_TRUE(stress.energy > last && stress.energy < 1e30 && stress.h[2] < 1e30);
        last = stress.energy;
    }
}

// --- Rest ---

static void test_rest_is_linear_elasticity(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const double nu = 0.3;
        const pl_material m = make_material(kind, nu);
        double mu = YOUNG / (2 * (1 + nu)), lambda = YOUNG * nu / ((1 + nu) * (1 - 2 * nu));
        pl_stress stress = evaluate(&m, (const double[]){1, 1, 1});
        double tiny = 1e-15 * YOUNG;
        TEST_ASSERT_DOUBLE_WITHIN(tiny, 0, stress.energy);
        for (int i = 0; i < 3; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(tiny, 0, stress.g[i]);
            TEST_ASSERT_DOUBLE_WITHIN(4 * tiny, 2 * mu + lambda, stress.h[i]);
            TEST_ASSERT_DOUBLE_WITHIN(4 * tiny, lambda, stress.h[3 + i]);
            TEST_ASSERT_DOUBLE_WITHIN(4 * tiny, 2 * mu, stress.flip[i]);
            TEST_ASSERT_DOUBLE_WITHIN(tiny, 0, stress.twist[i]);
        }
    }
}

// Near rest the energy is that of linear elasticity, and rounding leaves it as many digits as the
// strain has.
static void test_small_energies_keep_their_digits(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material m = make_material(kind, 0.3);
        for (double size = 1e-4; size > 1e-7; size *= 0.1) {
            const double s[3] = {1 + 2 * size, 1 + size, 1 - 0.5 * size};
            double square = 0, trace = 0;
            for (int i = 0; i < 3; i++) {
                square += (s[i] - 1) * (s[i] - 1);
                trace += s[i] - 1;
            }
            double linear = m.mu * square + 0.5 * m.lambda * trace * trace;
            double tolerance = linear * (20 * size + 1e-15 / size);
            TEST_ASSERT_DOUBLE_WITHIN(tolerance, linear, evaluate(&m, s).energy);
        }
    }
}

// --- Stationary points ---

// psi and its gradient P at F.
static double energy_of(const pl_material *m, const double f[9], double p[9])
{
    double u[9], s[3], v[9], vt[9];
    pl_svd3(f, u, s, v);
    pl_stress stress = evaluate(m, s);
    for (int i = 0; i < 9; i++) u[i] *= stress.g[i % 3];
    transpose3(v, vt);
    multiply3(u, vt, p);
    return stress.energy;
}

// Goes downhill from F until psi no longer falls; returns psi.
static double descend(const pl_material *m, double f[9])
{
    double p[9], step = 1 / YOUNG, energy = energy_of(m, f, p);
    for (int i = 0; i < 3000 && step > 1e-12 / YOUNG; i++) {
        double next[9], q[9], slope = 0;
        for (int k = 0; k < 9; k++) {
            next[k] = f[k] - step * p[k];
            slope += p[k] * p[k];
        }
        if (sqrt(slope) < 1e-7 * YOUNG) break;
        double there = energy_of(m, next, q);
        if (!(there <= energy - 0.1 * step * slope)) {
            step *= 0.5;
            continue;
        }
        memcpy(f, next, sizeof next);
        memcpy(p, q, sizeof q);
        energy = there;
        step *= 1.5;
    }
    return energy;
}

// From anywhere downhill to rest: the energies that are continued below the stretch limit have no
// other minimum, however much an element is crushed or inverted.
static void test_neo_hookean_descends_to_rest(void)
{
    for (int round = 0; round < 400; round++) {
        static const pl_material_kind kinds[] = {PL_MATERIAL_NEO_HOOKEAN, PL_MATERIAL_MOONEY_RIVLIN,
                                                 PL_MATERIAL_STABLE_NEO_HOOKEAN};
        pl_material_kind kind = kinds[round % 3];
        pl_material m = make_material(kind, (const double[]){0.15, 0.3, 0.45}[round / 3 % 3]);
        m.s0 = (const double[]){0.05, 0.3, 0.7}[round / 9 % 3];
        double f[9], size = random_between(0, 3);
        for (int k = 0; k < 9; k++) f[k] = random_between(-size, size);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9 * YOUNG, 0, descend(&m, f));
    }
}

// --- Barriers ---

static pl_material make_barrier(int kind)
{
    pl_material_options options = pl_material_options_default();
    options.kind = (pl_material_kind)kind;
    options.young = YOUNG;
    options.poisson = 0.3;
    options.stretch_limit = 0;
    pl_material material;
    TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&options, &material));
    return material;
}

// Without a limit the energy rises without bound towards zero volume, and is infinite there and
// beyond, with derivatives that are finite nevertheless.
static void check_barrier(const pl_material *m, int kind)
{
    for (int flat = 1; flat <= 3; flat++) { // how many stretches vanish
        double last = 0;
        for (double low = 0.1; low > 2e-9; low *= 0.1) {
            const double s[3] = {flat > 2 ? low : 1.2, flat > 1 ? low : 0.9, low};
            double energy = evaluate(m, s).energy;
            // Of -log J alone, each power of ten adds k log 10; (log J)^2 adds more.
            TEST_ASSERT_TRUE(isfinite(energy) && energy > last + 0.5 * m->mu);
            last = energy;
        }
    }
    const double beyond[4][3] = {{1, 1, 0}, {1, 0, 0}, {0, 0, 0}, {1, 0.5, -0.5}};
    for (int i = 0; i < 4; i++) {
        pl_stress stress = evaluate(m, beyond[i]);
        TEST_ASSERT_TRUE(isinf(stress.energy) && stress.energy > 0);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_TRUE(isfinite(stress.g[k]) && isfinite(stress.h[k]));
            TEST_ASSERT_TRUE(isfinite(stress.flip[k]) && isfinite(stress.twist[k]));
        }
    }
    for (int i = 0; i < N_STRETCH_CASES; i++) {
        if (stretch_cases[i][2] < 0) continue;
        check_gradient(m, kind, stretch_cases[i]);
        check_second(m, kind, stretch_cases[i]);
        check_pairs(m, kind, stretch_cases[i]);
    }
}

static const bool has_logarithm[N_MATERIALS] = {false, true, false, false, true, false, true};

static void test_barriers(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material with_limit = make_material(kind, 0.3), m = make_barrier(kind);
        TEST_ASSERT_FALSE(with_limit.barrier);
        TEST_ASSERT_EQUAL(has_logarithm[kind], m.barrier);
        if (has_logarithm[kind]) check_barrier(&m, kind);
        // Others do not know of it.
        const double inverted[3] = {1, 0.9, -0.3};
        bool finite = isfinite(evaluate(&m, inverted).energy);
        TEST_ASSERT_EQUAL(!has_logarithm[kind], finite);
    }
}

// --- Projection ---

// The eigenvalues of a symmetric matrix (00, 11, 22, 01, 02, 12), rising, by the closed formula.
static void eigenvalues(const double h[6], double out[3])
{
    double mean = (h[0] + h[1] + h[2]) / 3;
    double a = h[0] - mean, b = h[1] - mean, c = h[2] - mean;
    double off = h[3] * h[3] + h[4] * h[4] + h[5] * h[5];
    double size = sqrt((a * a + b * b + c * c + 2 * off) / 6);
    double det = a * (b * c - h[5] * h[5]) - h[3] * (h[3] * c - h[5] * h[4]) +
                 h[4] * (h[3] * h[5] - b * h[4]);
    double ratio = size > 0 ? det / (2 * size * size * size) : 0;
    double angle = acos(fmin(fmax(ratio, -1), 1)) / 3;
    for (int i = 0; i < 3; i++) {
        out[i] = mean + 2 * size * cos(angle + 2 * acos(-1) / 3 * (i + 1));
    }
    if (out[0] > out[1]) {
        double low = out[1];
        out[1] = out[0];
        out[0] = low;
    }
}

static void check_projection(const pl_material *m, const double s[3], double share)
{
    pl_stress before = evaluate(m, s), after = before;
    pl_stress_project(&after, share);
    double low[3], high[3], size = 0;
    eigenvalues(before.h, low);
    eigenvalues(after.h, high);
    for (int i = 0; i < 6; i++) size = fmax(size, fabs(before.h[i]));
    for (int i = 0; i < 3; i++) { // the formula is good to the root of a unit of the last place
        double expected = low[i] < 0 ? (1 - share) * low[i] : low[i];
        TEST_ASSERT_DOUBLE_WITHIN(1e-7 * size, expected, high[i]);
        double flip = before.flip[i], twist = before.twist[i];
        TEST_ASSERT_EQUAL_DOUBLE(flip < 0 ? (1 - share) * flip : flip, after.flip[i]);
        TEST_ASSERT_EQUAL_DOUBLE(twist < 0 ? (1 - share) * twist : twist, after.twist[i]);
    }
    if (low[0] > 1e-6 * size) TEST_ASSERT_EQUAL_MEMORY(before.h, after.h, sizeof before.h);
    // Positive semi-definite to rounding: no direction has negative curvature.
    for (int k = 0; share == 1 && k < 50; k++) {
        double x = random_between(-1, 1), y = random_between(-1, 1), z = random_between(-1, 1);
        const double *h = after.h;
        double form = h[0] * x * x + h[1] * y * y + h[2] * z * z +
                      2 * (h[3] * x * y + h[4] * x * z + h[5] * y * z);
        TEST_ASSERT_TRUE(form >= -1e-14 * size);
    }
}

static void test_projection(void)
{
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        const pl_material m = make_material(kind, 0.3);
        for (int i = 0; i < N_STRETCH_CASES; i++) {
            check_projection(&m, stretch_cases[i], 1);
            check_projection(&m, stretch_cases[i], 0.25);
        }
        for (int i = 0; i < 500; i++) {
            double s[3] = {random_between(0, 3), 0, 0};
            s[1] = random_between(0, s[0]);
            s[2] = random_between(-s[1], s[1]);
            check_projection(&m, s, 1);
        }
    }
}

// --- Options ---

static void refuse(const pl_material_options *options, const char *name)
{
    pl_material material;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_material_setup(options, &material));
    char message[512];
    snprintf(message, sizeof message, "expected \"%s\" in \"%s\"", name, pl_error_text());
    TEST_ASSERT_TRUE_MESSAGE(strncmp(pl_error_text(), name, strlen(name)) == 0, message);
}

#define REFUSE(field, value)                                                                       \
    do {                                                                                           \
        pl_material_options options = pl_material_options_default();                               \
        options.field = value;                                                                     \
        refuse(&options, #field ":");                                                              \
    } while (0)

static void test_options(void)
{
    REFUSE(kind, (pl_material_kind)-1);
    REFUSE(kind, (pl_material_kind)(PL_MATERIAL_OGDEN + 1));
    REFUSE(young, 0);
    REFUSE(young, -1);
    REFUSE(young, NAN);
    REFUSE(young, INFINITY);
    REFUSE(poisson, 0.5);
    REFUSE(poisson, -1);
    REFUSE(poisson, NAN);
    REFUSE(density, 0);
    REFUSE(density, -1000);
    REFUSE(density, NAN);
    REFUSE(density, INFINITY);
    REFUSE(mass_damping, -1e-3);
    REFUSE(mass_damping, NAN);
    REFUSE(stiffness_damping, -1e-3);
    REFUSE(stiffness_damping, INFINITY);
    REFUSE(stretch_limit, -0.1);
    REFUSE(stretch_limit, 1);
    REFUSE(stretch_limit, INFINITY);
    REFUSE(mooney_share, -0.1);
    REFUSE(mooney_share, 0.81);
    REFUSE(mooney_share, NAN);
    REFUSE(ogden_exponent, 51);
    REFUSE(ogden_exponent, -51);
    REFUSE(ogden_exponent, NAN);
}

// Energies that have another minimum, or none.
static void test_options_without_a_minimum(void)
{
    static const bool negative[N_MATERIALS] = {true, false, false, true, false, false, false};
    for (int kind = 0; kind < N_MATERIALS; kind++) {
        pl_material_options options = pl_material_options_default();
        options.kind = (pl_material_kind)kind;
        options.poisson = -0.1;
        pl_material material;
        if (negative[kind]) TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&options, &material));
        if (!negative[kind]) refuse(&options, "poisson:");
    }
    pl_material_options options = pl_material_options_default();
    options.kind = PL_MATERIAL_MOONEY_RIVLIN;
    options.mooney_share = 0.3;
    options.poisson = 0.18;
    refuse(&options, "mooney_share:");
    options.poisson = 0.2;
    pl_material material;
    TEST_ASSERT_EQUAL(PL_OK, pl_material_setup(&options, &material));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_derivatives);
    RUN_TEST(test_flip_of_nearly_equal_stretches);
    RUN_TEST(test_twist_at_its_pole_is_finite);
    RUN_TEST(test_ogden_exponents);
    RUN_TEST(test_ogden_with_exponent_2_is_neo_hookean);
    RUN_TEST(test_ogden_beyond_its_bound);
    RUN_TEST(test_rest_is_linear_elasticity);
    RUN_TEST(test_small_energies_keep_their_digits);
    RUN_TEST(test_neo_hookean_descends_to_rest);
    RUN_TEST(test_barriers);
    RUN_TEST(test_projection);
    RUN_TEST(test_options);
    RUN_TEST(test_options_without_a_minimum);
    return UNITY_END();
}
