// What can be seen of CR while it runs; how well it solves is in test_solvers.c.

#include "contacts.h"

void setUp(void)
{
}

void tearDown(void)
{
}

enum { POINTS_MAX = 20000 };

static pl_trace_point points[POINTS_MAX];
static int32_t n_point;

static void note(const pl_trace_point *point, void *user)
{
    TEST_ASSERT_EQUAL_PTR(points, user);
    TEST_ASSERT_TRUE(n_point < POINTS_MAX);
    points[n_point++] = *point;
}

static void solve_with(const char *name, small *s, pl_solver_options *options, bool traced)
{
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
    memset(s->v, 0, 3 * (size_t)s->A.n * sizeof *s->v);
    memset(s->f, 0, 3 * (size_t)s->problem.n_constraint * sizeof *s->f);
    options->trace = traced ? note : NULL;
    options->trace_user = traced ? points : NULL;
    n_point = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_solve(solver, &s->problem, options, &s->ws, s->v, s->f, &s->stats));
}

static void solve(small *s, pl_solver_options *options, bool traced)
{
    solve_with("cr", s, options, traced);
}

// One point per iteration, and the solution of a solve that nobody looked at.
static void check_trace(small *s, pl_precond precond)
{
    pl_solver_options options = pl_solver_options_default();
    options.precond = precond;
    static double v[3 * SMALL_ROOM], f[3 * SMALL_ROOM];
    size_t n_v = 3 * (size_t)s->A.n, n_f = 3 * (size_t)s->problem.n_constraint;
    solve(s, &options, false);
    int32_t iterations = s->stats.iterations;
    memcpy(v, s->v, n_v * sizeof *v);
    memcpy(f, s->f, n_f * sizeof *f);
    solve(s, &options, true);
    TEST_ASSERT_EQUAL_MEMORY(v, s->v, n_v * sizeof *v);
    TEST_ASSERT_EQUAL_MEMORY(f, s->f, n_f * sizeof *f);
    TEST_ASSERT_EQUAL_INT32(iterations, s->stats.iterations);
    TEST_ASSERT_EQUAL_INT32(iterations + 1, n_point);
    int updates = 0;
    for (int32_t i = 0; i < n_point; i++) {
        TEST_ASSERT_EQUAL_INT32(i, points[i].iteration);
        bool part = points[i].preconditioned_constraint <= 1.001 * points[i].preconditioned;
        TEST_ASSERT_TRUE(part || precond != PL_PRECOND_DIAG);
        updates += points[i].update;
    }
    TEST_ASSERT_FALSE(points[0].update);
    TEST_ASSERT_TRUE(updates > 0);
    const pl_trace_point *last = &points[n_point - 1];
    TEST_ASSERT_TRUE(last->residual < options.residual_tolerance &&
                     last->constraint < options.contact_tolerance);
    TEST_ASSERT_TRUE(last->preconditioned < 1e-3 * points[0].preconditioned);
}

// A_d is diagonal for masses, so that |C^-1/2 r| at the start is that of b alone.
static void test_norms_of_masses(void)
{
    const double mass[2] = {2, 8};
    small s;
    start_masses(&s, 2, mass, 1e-3);
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    add_contact(&s, &contact, 1, &(pl_term){.block = 0, .w = 1});
    s.b[1] = 2;
    s.b[3] = -4;
    pl_solver_options options = pl_solver_options_default();
    options.precond = PL_PRECOND_DIAG;
    solve(&s, &options, true);
    TEST_ASSERT_EQUAL_DOUBLE(2, points[0].preconditioned); // 2^2/2 + 4^2/8 = 4
    TEST_ASSERT_EQUAL_DOUBLE(1, points[0].residual);
    end_small(&s);
}

// A contact of a mass that pushes with 1 N s along z: all of it by hand. With S = 1/2,
//     |a|^2 = (2^2 + 1^2) / 2 + 4^2 / 8 = 4.5,   w = (1, 0, 0) + (1/2, 1 along a tangent),
// and 4.5 + 2 |w|^2 = 11. As printed, so that there is no compliance.
static void test_norms_of_a_contact(void)
{
    const double mass[2] = {2, 8};
    small s;
    start_masses(&s, 2, mass, 1e-3);
    pl_constraint contact = contact_along(0, 0, 1, 5);
    contact.c[0] = -1;
    add_contact(&s, &contact, 1, &(pl_term){.block = 0, .w = 1});
    s.b[1] = 2;
    s.b[3] = -4;
    s.f[0] = 1;
    pl_solver_options options = pl_solver_options_default();
    options.vj19 = true;
    options.trace = note;
    options.trace_user = points;
    const pl_solver *cr;
    n_point = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("cr", &cr));
    pl_solve(cr, &s.problem, &options, &s.ws, s.v, s.f, &s.stats);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(11), points[0].preconditioned);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(2), points[0].preconditioned_constraint);
    TEST_ASSERT_DOUBLE_WITHIN(1e-17, 1e-3, points[0].constraint); // 1 m/s in 1 ms
    end_small(&s);
}

static void test_trace_of_a_solve(void)
{
    static const pl_precond preconds[] = {PL_PRECOND_DIAG, PL_PRECOND_FULL, PL_PRECOND_SCHUR};
    for (int i = 0; i < 3; i++) {
        small s;
        start_random(&s, 40, 12, 0.5);
        check_trace(&s, preconds[i]);
        end_small(&s);
    }
}

// Its C is positive definite, so that no residual but 0 has a norm of 0.
static void test_norms_of_minres(void)
{
    static const pl_precond preconds[] = {PL_PRECOND_DIAG, PL_PRECOND_FULL, PL_PRECOND_SCHUR};
    for (int i = 0; i < 3; i++) {
        small s;
        start_random(&s, 10, 6, 0.5);
        pl_solver_options options = pl_solver_options_default();
        options.precond = preconds[i];
        solve_with("minres", &s, &options, true);
        TEST_ASSERT_TRUE(n_point > 3);
        for (int32_t k = 0; k < n_point; k++) TEST_ASSERT_TRUE(points[k].preconditioned > 0);
        end_small(&s);
    }
}

// A column of masses, each on two contacts at one place: what the lowest ones carry, they learn of
// contact by contact unless the preconditioner knows how contacts act on each other.
static void test_schur_of_a_column(void)
{
    enum { N = 40 };
    double mass[N];
    int32_t iterations[2];
    const pl_precond preconds[] = {PL_PRECOND_FULL, PL_PRECOND_SCHUR};
    for (int i = 0; i < N; i++) mass[i] = 1 + 0.1 * i;
    for (int k = 0; k < 2; k++) {
        small s;
        start_masses(&s, N, mass, 1e-3);
        const pl_constraint contact = contact_along(0, 0, 1, 0.5);
        for (int i = 0; i < 2 * N; i++) {
            const pl_term term[] = {{i / 2, 1, {0}}, {i / 2 - 1, -1, {0}}};
            add_contact(&s, &contact, i < 2 ? 1 : 2, term);
        }
        for (int i = 0; i < N; i++) s.b[3 * i] = 1e-3 * mass[i], s.b[3 * i + 2] = -0.01 * mass[i];
        for (int i = 0; i < 2 * N; i++) s.f[3 * i] = 0.01; // all of them stick
        TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, (way){"cr", preconds[k]}, 1e-8, 1e-8));
        iterations[k] = s.stats.iterations;
        TEST_ASSERT_EQUAL(preconds[k] == PL_PRECOND_SCHUR, s.stats.factorizations > 0);
        double above = 0;
        for (int i = N - 1; i >= 0; i--) {
            above += 0.01 * mass[i];
            TEST_ASSERT_DOUBLE_WITHIN(1e-5 * above, above, s.f[6 * i] + s.f[6 * i + 3]);
        }
        end_small(&s);
    }
    TEST_ASSERT_TRUE(4 * iterations[1] < iterations[0]);
}

// The velocity that is left over: |b + L^T f - A v|, of masses.
static double left_over(const small *s, const double *mass)
{
    double *L = dense_rows(&s->problem), sum = 0;
    int n = 3 * s->A.n, m = 3 * s->problem.n_constraint;
    for (int i = 0; i < n; i++) {
        double r = s->b[i] - mass[i / 3] * s->v[i];
        for (int k = 0; k < m; k++) r += L[k * n + i] * s->f[k];
        sum += r * r;
    }
    free(L);
    return sqrt(sum);
}

// Walls that close on a point, which friction holds: no impulse does. What a solve that ends
// without an answer leaves behind is where others go on.
static void test_not_astray(void)
{
    const double mass[1] = {1};
    const pl_precond preconds[] = {PL_PRECOND_FULL, PL_PRECOND_DIAG, PL_PRECOND_NONE,
                                   PL_PRECOND_SCHUR};
    for (int i = 0; i < 4 * 40; i++) {
        small s;
        start_masses(&s, 1, mass, 0.01);
        for (int side = -1; side <= 1; side += 2) {
            pl_constraint contact = contact_along(0.8 * side, 0, 0.6, 0.8);
            contact.c[0] = 1;
            add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
        }
        s.b[2] = 0.1;
        pl_solver_options options = pl_solver_options_default();
        options.precond = preconds[i % 4];
        options.max_iterations = i / 4 * (i / 4);
        const pl_solver *cr;
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("cr", &cr));
        pl_solve(cr, &s.problem, &options, &s.ws, s.v, s.f, &s.stats);
        TEST_ASSERT_TRUE(left_over(&s, mass) <= 0.1 * (1 + 1e-9));
        end_small(&s);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_norms_of_masses);
    RUN_TEST(test_norms_of_a_contact);
    RUN_TEST(test_trace_of_a_solve);
    RUN_TEST(test_norms_of_minres);
    RUN_TEST(test_schur_of_a_column);
    RUN_TEST(test_not_astray);
    return UNITY_END();
}
