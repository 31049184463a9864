// One contact with friction: its solution obeys the laws for any S, and the errors of
// contact_error.h see it when it does not.

#include "contacts.h"
#include "../solvers/coulomb.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// S := M M^T + shift I.
static void random_S(double shift, double *S)
{
    double M[9];
    for (int i = 0; i < 9; i++) M[i] = random_number();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            S[3 * i + j] = i == j ? shift : 0;
            for (int k = 0; k < 3; k++) S[3 * i + j] += M[3 * i + k] * M[3 * j + k];
        }
    }
}

static void velocity(const double *S, const double *q, const double *f, double *u)
{
    for (int a = 0; a < 3; a++) {
        u[a] = q[a] + S[3 * a] * f[0] + S[3 * a + 1] * f[1] + S[3 * a + 2] * f[2];
    }
}

// The laws from their text, not from a map; tolerances by the rounding of u = S f + q.
static void check_laws(const double *S, const double *q, double mu, const double *f)
{
    double u[3], ft = hypot(f[1], f[2]), ut, size = 0;
    velocity(S, q, f, u);
    ut = hypot(u[1], u[2]);
    for (int i = 0; i < 9; i++) size = fmax(size, fabs(S[i]));
    size = size * (f[0] + ft) + fabs(q[0]) + fabs(q[1]) + fabs(q[2]);
    double e = 1e-11 * size;
    TEST_ASSERT_TRUE(f[0] >= 0 && u[0] >= -e);
    TEST_ASSERT_TRUE(f[0] == 0 || u[0] <= e);
    TEST_ASSERT_TRUE(ft <= mu * f[0] * (1 + 1e-12));
    TEST_ASSERT_TRUE(ft >= mu * f[0] * (1 - 1e-9) || ut <= e);
    // Slip against friction: u_t . f_t = -|u_t| |f_t|.
    TEST_ASSERT_TRUE(u[1] * f[1] + u[2] * f[2] <= -ut * ft + e * ft);
}

static void test_laws_hold(void)
{
    int open = 0, stick = 0, slip = 0;
    for (int i = 0; i < 200000; i++) {
        double S[9], q[3], f[3], mu = i % 10 == 0 ? 0 : pow(10, 2 * random_number() - 1);
        random_S(pow(10, 3 * random_number() - 3), S);
        for (int a = 0; a < 3; a++) q[a] = i % 7 == 0 && a > 0 ? 0 : random_number();
        pl_coulomb law;
        pl_coulomb_prepare(S, mu, &law);
        law.ratio = i % 2 == 0 ? 0 : pow(10, 6 * random_number());
        pl_coulomb_solve(&law, q, f);
        check_laws(S, q, mu, f);
        bool inside = hypot(f[1], f[2]) < mu * f[0] * (1 - 1e-9);
        open += f[0] == 0, stick += f[0] > 0 && inside, slip += f[0] > 0 && !inside;
    }
    TEST_ASSERT_TRUE(open > 10000 && stick > 10000 && slip > 10000);
}

static void solve(const double *S, const double *q, double mu, double *f)
{
    pl_coulomb law;
    pl_coulomb_prepare(S, mu, &law);
    pl_coulomb_solve(&law, q, f);
}

static void test_units_do_not_matter(void)
{
    for (int i = 0; i < 1000; i++) {
        double S[9], q[3], f[3], g[3];
        random_S(0.01, S);
        for (int a = 0; a < 3; a++) q[a] = random_number();
        solve(S, q, 0.6, f);
        for (int a = 0; a < 9; a++) S[a] *= 1e9;
        for (int a = 0; a < 3; a++) q[a] *= 1e-6;
        solve(S, q, 0.6, g);
        double size = f[0] + hypot(f[1], f[2]);
        for (int a = 0; a < 3; a++) TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, f[a], 1e15 * g[a]);
    }
}

// From any impulse in the cone to the solution, and no further; the change is that of the velocity
// which the contact's own rows answer.
static void test_relaxing(void)
{
    for (int i = 0; i < 1000; i++) {
        double S[9], q[3], u[3], solution[3], f[3] = {1 + random_number()}, from[3];
        random_S(0.1, S);
        for (int a = 0; a < 3; a++) q[a] = random_number();
        for (int a = 1; a < 3; a++) f[a] = 0.3 * f[0] * random_number();
        solve(S, q, 0.6, solution);
        pl_coulomb law;
        pl_coulomb_prepare(S, 0.6, &law);
        velocity(S, q, f, u);
        memcpy(from, f, sizeof f);
        double change = pl_coulomb_relax(&law, u, f);
        for (int a = 0; a < 3; a++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, solution[a], f[a]);
        double normal = S[0] * fabs(f[0] - from[0]);
        double slip = hypot(S[4] * (f[1] - from[1]), S[8] * (f[2] - from[2]));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, fmax(normal, slip), change);
        velocity(S, q, f, u);
        TEST_ASSERT_TRUE(pl_coulomb_relax(&law, u, f) < 1e-12);
    }
}

static void test_projection(void)
{
    double p[3];
    pl_coulomb_project(0.5, (double[]){2, 3, 4}, p);
    TEST_ASSERT_EQUAL_DOUBLE(2, p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.6, p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.8, p[2]);
    pl_coulomb_project(0.5, (double[]){-2, 3, 4}, p);
    TEST_ASSERT_TRUE(p[0] == 0 && p[1] == 0 && p[2] == 0);
    pl_coulomb_project(0.5, (double[]){20, 3, 4}, p);
    TEST_ASSERT_TRUE(p[0] == 20 && p[1] == 3 && p[2] == 4);
}

// --- Errors ---

static pl_contact_errors errors_of(double mu, const double *u, const double *f)
{
    pl_constraint contact = contact_along(0, 0, 1, mu);
    pl_problem problem = {.n_constraint = 1, .constraint = &contact, .dt = 0.1};
    pl_contact_errors errors = {.residual = 7};
    pl_contact_errors_update(&problem, (double[]){2, 4}, u, f, &errors); // s_n = 2, s_t = 4
    TEST_ASSERT_EQUAL_DOUBLE(7, errors.residual);
    return errors;
}

static void test_errors_are_displacements(void)
{
    // Penetrates by 0.1 * 3.
    pl_contact_errors e = errors_of(0.5, (double[]){-3, 0, 0}, (double[]){0, 0, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.3, e.penetration);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.3, e.normal);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.6, e.fischer); // y - |y|
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 9.0 / 2 / 2, e.energy);
    // Pushes though open: min(u, s f) = min(5, 2).
    e = errors_of(0.5, (double[]){5, 0, 0}, (double[]){1, 0, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, e.normal);
    TEST_ASSERT_EQUAL_DOUBLE(0, e.penetration);
    // Pulls.
    e = errors_of(0.5, (double[]){5, 0, 0}, (double[]){-1, 0, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, e.cone);
    // Outside of the cone, at rest: 4 (1 - 0.5).
    e = errors_of(0.5, (double[]){0, 0, 0}, (double[]){1, 0, 1});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, e.cone);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.2, e.friction);
    // Slips across its friction: f_t = (-0.5, 0), u_t = (0, 2), P(-0.5, -0.5) = (-1, -1) / sqrt(8).
    e = errors_of(0.5, (double[]){0, 0, 2}, (double[]){1, -0.5, 0});
    double d = hypot(-0.5 + sqrt(0.125), sqrt(0.125));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.1 * 4 * d, e.friction);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, (4 * d) * (4 * d) / 4 / 2, e.energy);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, e.cone);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, e.fischer_slip); // which looks at no direction
    // Slips against it, as it should.
    e = errors_of(0.5, (double[]){0, 3, 0}, (double[]){1, -0.5, 0});
    TEST_ASSERT_TRUE(pl_contact_errors_within(&e, 1e-15));
}

static double fischer(double x, double y)
{
    return fabs(x + y - sqrt(x * x + y * y));
}

// Each part of the Fischer-Burmeister error where it belongs, in displacements: dt s_n = 0.2,
// dt s_t = 0.4, dt = 0.1.
static void test_errors_by_kind(void)
{
    // Open by 0.3, and pushes with 2.
    pl_contact_errors e = errors_of(0, (double[]){3, 0, 0}, (double[]){2, 0, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, fischer(0.4, 0.3), e.fischer_normal);
    TEST_ASSERT_TRUE(e.fischer_stick == 0 && e.fischer_slip == 0);
    TEST_ASSERT_TRUE(e.fischer == e.fischer_normal);
    // Sticks by its impulse, which has (5 - 1) to spare, and creeps by 0.05.
    e = errors_of(0.5, (double[]){0, 0.3, -0.4}, (double[]){10, 0, 1});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, fischer(1.6, 0.05), e.fischer_stick);
    TEST_ASSERT_TRUE(e.fischer_normal == 0 && e.fischer_slip == 0);
    TEST_ASSERT_TRUE(e.fischer == e.fischer_stick);
    // Creeps, and nothing pulls.
    e = errors_of(0.5, (double[]){0, 0.5, 0}, (double[]){10, 0, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, fischer(2, 0.05), e.fischer_stick);
    // Slips by 0.5, and has 5 - 4.9 to spare; or 0.1 too much.
    e = errors_of(0.5, (double[]){0, -5, 0}, (double[]){10, 4.9, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, fischer(0.04, 0.5), e.fischer_slip);
    TEST_ASSERT_TRUE(e.fischer_normal == 0 && e.fischer_stick == 0);
    TEST_ASSERT_TRUE(e.fischer == e.fischer_slip);
    e = errors_of(0.5, (double[]){0, -5, 0}, (double[]){10, 5.1, 0});
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, fischer(-0.04, 0.5), e.fischer_slip);
    // Open: free to slip.
    e = errors_of(0.5, (double[]){1, 5, 0}, (double[]){0, 0, 0});
    TEST_ASSERT_TRUE(e.fischer == 0);
}

static void test_numbers_that_are_none_are_errors(void)
{
    for (int i = 0; i < 6; i++) {
        double x[6] = {0, 1, 0, 1, 0, 0};
        x[i] = NAN;
        pl_contact_errors e = errors_of(0.5, x, x + 3);
        TEST_ASSERT_FALSE(pl_contact_errors_within(&e, 1e30));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_laws_hold);
    RUN_TEST(test_units_do_not_matter);
    RUN_TEST(test_relaxing);
    RUN_TEST(test_projection);
    RUN_TEST(test_errors_are_displacements);
    RUN_TEST(test_errors_by_kind);
    RUN_TEST(test_numbers_that_are_none_are_errors);
    return UNITY_END();
}
