// The laws of constraints, block by block: against enumeration in long double, their definitions,
// and finite differences.

#include "contacts.h"
#include "../solvers/law.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// A symmetric positive definite S; every fifth is close to singular.
static void random_spd(int trial, double *S)
{
    double B[9], weak = trial % 5 == 0 ? 1e-6 : 1;
    for (int i = 0; i < 9; i++) B[i] = random_number() * (i >= 6 ? weak : 1);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            S[3 * i + j] = (i == j) * 1e-7;
            for (int k = 0; k < 3; k++) S[3 * i + j] += B[3 * k + i] * B[3 * k + j];
        }
    }
}

// Bounds of all kinds: none, one-sided, finite, and rows that are not used.
static pl_limits random_box(double soft)
{
    pl_limits limits = {.law = PL_LAW_BOX};
    for (int a = 0; a < 3; a++) {
        double x = random_number(), y = random_number();
        limits.compliance[a] = random_bits() % 2 == 0 ? soft * fabs(random_number()) : 0;
        limits.lo[a] = x < y ? x : y, limits.hi[a] = x < y ? y : x;
        switch (random_bits() % 6) {
        case 0:
            limits.lo[a] = -INFINITY, limits.hi[a] = INFINITY;
            break;
        case 1:
            limits.lo[a] = 0, limits.hi[a] = INFINITY;
            break;
        case 2:
            limits.lo[a] = -INFINITY;
            break;
        case 3:
            limits.lo[a] = limits.hi[a] = random_bits() % 2 == 0 ? 0 : x;
            break;
        default:
            break;
        }
    }
    return limits;
}

// --- One block ---

// By how much f breaks the law of a box with w = S f + q, in velocities.
static double break_of(const pl_limits *limits, const double *S, const double *q, const double *f)
{
    double worst = 0;
    for (int a = 0; a < 3; a++) {
        long double w = q[a] + (long double)limits->compliance[a] * f[a];
        for (int b = 0; b < 3; b++) w += (long double)S[3 * a + b] * f[b];
        if (f[a] < limits->lo[a] || f[a] > limits->hi[a] || isnan(f[a])) return INFINITY;
        if (limits->lo[a] == limits->hi[a]) continue;
        double e = 0;
        if (w > 0 && f[a] != limits->lo[a]) e = (double)w;
        if (w < 0 && f[a] != limits->hi[a]) e = (double)-w;
        worst = fmax(worst, e);
    }
    return worst;
}

// The same box by trying all faces in long double, each with pivots; shares no code with the other.
static void enumerate(const pl_limits *limits, const double *S, const double *q, long double *f)
{
    long double best = INFINITY;
    for (int face = 0; face < 27; face++) {
        const int place[3] = {face % 3, face / 3 % 3, face / 9};
        long double M[9] = {0}, x[3], excess = 0;
        bool possible = true;
        for (int a = 0; a < 3; a++) {
            double bound = place[a] == 0 ? limits->lo[a] : limits->hi[a];
            bool fixed = limits->lo[a] == limits->hi[a];
            if (place[a] < 2 ? !isfinite(bound) : fixed) possible = false;
            for (int b = 0; b < 3; b++) {
                M[3 * a + b] =
                    place[a] < 2 ? a == b : S[3 * a + b] + (a == b ? limits->compliance[a] : 0.0L);
            }
            x[a] = place[a] < 2 ? bound : -q[a];
        }
        if (!possible) continue;
        eliminate(3, 1, M, x);
        for (int a = 0; a < 3; a++) {
            long double w = q[a] + limits->compliance[a] * x[a], e = 0;
            for (int b = 0; b < 3; b++) w += S[3 * a + b] * x[b];
            if (place[a] == 2) e = fmaxl(limits->lo[a] - x[a], x[a] - limits->hi[a]);
            if (place[a] == 0 && limits->lo[a] < limits->hi[a]) e = -w;
            if (place[a] == 1 && limits->lo[a] < limits->hi[a]) e = w;
            excess = fmaxl(excess, e);
        }
        if (excess < best) {
            best = excess;
            memcpy(f, x, sizeof x);
        }
    }
    TEST_ASSERT_TRUE(best < 1e-15L);
}

static void test_boxes_equal_enumeration(void)
{
    for (int trial = 0; trial < 20000; trial++) {
        pl_limits limits = random_box(0.1);
        double S[9], q[3], u[3], f[3] = {0}, unit = trial % 3 == 0 ? 1 : 2.5;
        long double expected[3];
        random_spd(trial, S);
        for (int a = 0; a < 3; a++) q[a] = random_number();
        enumerate(&limits, S, q, expected);
        // From any impulse, in any unit.
        pl_block block;
        for (int i = 0; i < 9; i++) S[i] *= unit;
        pl_block_prepare(&block, &limits, 0, S, unit);
        for (int i = 0; i < 9; i++) S[i] /= unit;
        for (int a = 0; a < 3; a++) f[a] = trial % 2 == 0 ? 0 : random_number();
        for (int a = 0; a < 3; a++) {
            u[a] = q[a] + limits.compliance[a] * unit * f[a];
            for (int b = 0; b < 3; b++) u[a] += S[3 * a + b] * unit * f[b];
        }
        pl_block_relax(&block, &limits, u, f);
        for (int a = 0; a < 3; a++) f[a] *= unit;
        // Units make bounds inexact by a rounding.
        for (int a = 0; a < 3; a++) {
            if (fabs(f[a] - limits.lo[a]) < 1e-15) f[a] = limits.lo[a];
            if (fabs(f[a] - limits.hi[a]) < 1e-15) f[a] = limits.hi[a];
        }
        TEST_ASSERT_TRUE(break_of(&limits, S, q, f) < 1e-8); // S may have a condition of 1e7
        if (trial % 5 == 0) continue;
        for (int a = 0; a < 3; a++) {
            double size = 1 + fabs((double)expected[a]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-7 * size, (double)expected[a], f[a]);
        }
    }
}

// A soft cone is a hard one with a larger S.
static void test_soft_cones_obey(void)
{
    for (int trial = 0; trial < 5000; trial++) {
        double e = fabs(random_number()), mu = 0.2 * (trial % 6), S[9], q[3], f[3] = {0}, w[3];
        const pl_limits limits = {.law = PL_LAW_CONE, .compliance = {e, 2 * e, 2 * e}};
        random_spd(1, S);
        for (int a = 0; a < 3; a++) q[a] = random_number();
        pl_block block;
        pl_block_prepare(&block, &limits, mu, S, 1);
        pl_block_relax(&block, &limits, q, f);
        pl_law_velocity(&limits, q, f, w);
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) w[a] += S[3 * a + b] * f[b];
        }
        double slip = sqrt(w[1] * w[1] + w[2] * w[2]), ft = sqrt(f[1] * f[1] + f[2] * f[2]);
        TEST_ASSERT_TRUE(f[0] >= 0 && w[0] > -1e-9 && fabs(w[0] * f[0]) < 1e-9);
        TEST_ASSERT_TRUE(ft <= mu * f[0] * (1 + 1e-12));
        if (slip < 1e-7 || f[0] == 0) continue;
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, -mu * f[0] * w[1] / slip, f[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, -mu * f[0] * w[2] / slip, f[2]);
    }
}

// --- Pushes and slopes ---

typedef struct pushing {
    pl_limits limits;
    const pl_limits *has; // NULL for a plain cone
    double mu, K[3], f[3], u[3], F[3];
} pushing;

static pushing random_pushing(int trial)
{
    pushing p = {.limits = random_box(0.5), .mu = 0.3 * (trial % 4)};
    p.has = &p.limits;
    for (int a = 0; a < 3; a++) {
        p.K[a] = 0.5 + fabs(random_number());
        p.f[a] = random_number();
        p.u[a] = random_number();
    }
    if (trial % 2 == 0) {
        p.limits.law = PL_LAW_CONE;
        p.limits.compliance[2] = p.limits.compliance[1];
        p.K[2] = p.K[1];
    }
    if (trial % 4 == 2) {
        p.limits.law = PL_LAW_PYRAMID;
        p.limits.directions = 4 + 2 * (trial / 4 % 5);
        p.limits.outer = trial % 3 == 0;
    }
    return p;
}

// F is what it should be: the projection of f - K (u + E F).
static void test_pushes_solve_their_equation(void)
{
    int pushed = 0;
    for (int trial = 0; trial < 4000; trial++) {
        pushing p = random_pushing(trial);
        double z[3], w[3], again[3];
        p.has = trial % 8 == 0 ? NULL : &p.limits;
        pl_law_push(p.has, p.mu, p.K, p.f, p.u, p.F);
        pl_law_velocity(p.has, p.u, p.F, w);
        for (int a = 0; a < 3; a++) z[a] = p.f[a] - p.K[a] * w[a];
        pl_law_project(p.has, p.mu, z, again);
        for (int a = 0; a < 3; a++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, again[a], p.F[a]);
        pushed += p.F[0] != 0 && p.F[1] != 0;
    }
    TEST_ASSERT_TRUE(pushed > 1000);
}

// Except at the edges between faces, which random numbers may come near.
static void test_slopes_equal_differences(void)
{
    const double h = 1e-6;
    int edges = 0, n = 4000;
    for (int trial = 0; trial < n; trial++) {
        pushing p = random_pushing(trial);
        p.has = trial % 8 == 0 ? NULL : &p.limits;
        pl_law_push(p.has, p.mu, p.K, p.f, p.u, p.F);
        pl_slope J = pl_law_slope(p.has, p.mu, p.K, p.f, p.u, p.F);
        const double M[9] = {J.nn, 0, 0, J.n1, J.t11, J.t12, J.n2, J.t12, J.t22};
        double worst = 0;
        for (int b = 0; b < 3; b++) {
            double u[3] = {p.u[0], p.u[1], p.u[2]}, more[3], less[3];
            u[b] += h;
            pl_law_push(p.has, p.mu, p.K, p.f, u, more);
            u[b] -= 2 * h;
            pl_law_push(p.has, p.mu, p.K, p.f, u, less);
            for (int a = 0; a < 3; a++) {
                worst = fmax(worst, fabs((less[a] - more[a]) / (2 * h) - M[3 * a + b]));
            }
        }
        edges += worst > 1e-5; // of the second differences
    }
    TEST_ASSERT_TRUE(edges < 5);
}

// --- Errors ---

static void test_errors_of_boxes(void)
{
    pl_limits limits = {PL_LAW_BOX, {0, 0.5, 0}, {-INFINITY, -1, 0}, {INFINITY, 1, 0}, 0, false};
    double d[3];
    pl_box_map(&limits, 2, (double[]){0.3, -0.2, 7}, (double[]){5, 0.4, 0}, d);
    TEST_ASSERT_EQUAL_DOUBLE(0.3, d[0]);       // its velocity
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, d[1]); // -0.2 + 0.5 * 0.4
    TEST_ASSERT_EQUAL_DOUBLE(0, d[2]);         // free
    pl_box_map(&limits, 2, (double[]){0, 9, 7}, (double[]){5, -0.9, 0.25}, d);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, d[1]); // s times what it lacks to the bound
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5, d[2]); // an impulse where there is none
    // In the yardstick: of a box beside a contact.
    pl_constraint both[2] = {contact_along(0, 0, 1, 0.5), contact_along(1, 0, 0, 0)};
    both[1].limits = 0;
    const pl_problem problem = {
        .n_constraint = 2, .constraint = both, .n_limits = 1, .limits = &limits, .dt = 0.1};
    const double scale[4] = {1, 1, 2, 2}, f[6] = {1, 0, 0, 5, -0.9, 0};
    const double u[6] = {0, 0, 0, -0.3, 9, 7};
    pl_contact_errors errors = {0};
    pl_contact_errors_update(&problem, scale, u, f, &errors);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.03, errors.joint);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.03, pl_contact_errors_worst(&errors));
    TEST_ASSERT_TRUE(!pl_contact_errors_within(&errors, 0.02));
    TEST_ASSERT_EQUAL_DOUBLE(0, errors.penetration);
    TEST_ASSERT_EQUAL_DOUBLE(0, errors.normal);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5 * (0.09 + 0.04) / 2 / 2, errors.energy);
    // A soft contact that gives way as it should has no error.
    limits = (pl_limits){.law = PL_LAW_CONE, .compliance = {0.3, 0, 0}};
    const double soft_f[6] = {1, 0, 0, 1, 0, 0}, soft_u[6] = {0, 0, 0, -0.3, 0, 0};
    pl_contact_errors_update(&problem, scale, soft_u, soft_f, &errors);
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_contact_errors_worst(&errors));
}

static void test_what_no_impulse_helps(void)
{
    const pl_limits bilateral = {PL_LAW_BOX, {0}, {-INFINITY, 0, 0}, {INFINITY, 0, 0}, 0, false};
    const pl_limits motor = {PL_LAW_BOX, {0}, {-1, 0, 0}, {1, INFINITY, 0}, 0, false};
    const pl_limits soft = {.law = PL_LAW_CONE, .compliance = {0.1, 0, 0}};
    const double out[3] = {0.5, 0, 3}, in[3] = {-0.5, -0.25, 3};
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_law_impossible(NULL, in));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_law_impossible(NULL, out));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_law_impossible(&soft, in));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_law_impossible(&bilateral, in));
    TEST_ASSERT_EQUAL_DOUBLE(0.5, pl_law_impossible(&bilateral, out));
    TEST_ASSERT_EQUAL_DOUBLE(0.25, pl_law_impossible(&motor, in));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_law_impossible(&motor, out));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_boxes_equal_enumeration);
    RUN_TEST(test_soft_cones_obey);
    RUN_TEST(test_pushes_solve_their_equation);
    RUN_TEST(test_slopes_equal_differences);
    RUN_TEST(test_errors_of_boxes);
    RUN_TEST(test_what_no_impulse_helps);
    return UNITY_END();
}
