// What apg does by itself: conjugate steps, products of single precision for large matrices, and
// what becomes of steps that chase each other. What all solvers have in common is in
// test_solvers.c.

#include "contacts.h"
#include "../solvers/apg.h"
#include "../solvers/cg.h"
#include "../solvers/vectors.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

enum { SIDE = 22 }; // 140,000 blocks

static const way apg = {"apg", PL_PRECOND_FULL};

// By a product of its own, where pl_solve takes the one of apg.
static double true_residual(const small *s)
{
    int64_t n = 3 * (int64_t)s->A.n;
    double *r = calloc((size_t)n, sizeof *r);
    pl_rows_transpose_add(&s->problem, &s->ws.uses, 1, s->f, s->ws.world, r);
    double pushes = sqrt(pl_vec_dot(n, r, r));
    pl_contact_residual(&s->problem, &s->ws.uses, s->v, s->f, s->ws.world, r);
    double residual = pl_relative_residual(&s->ws, pushes, sqrt(pl_vec_dot(n, r, r)));
    free(r);
    return residual;
}

// Far below what single precision has.
static void test_residuals_are_those_of_double_precision(void)
{
    small s;
    start_floor(&s, SIDE);
    for (double eps = 1e-4; eps > 1e-13; eps *= 1e-2) {
        solve_anew(&s, apg, eps, 1e-9);
        TEST_ASSERT_TRUE(true_residual(&s) == s.stats.errors.residual);
        TEST_ASSERT_TRUE(s.stats.errors.residual <= eps);
        // Each 7 digits or so, products of double precision say what is left.
        TEST_ASSERT_TRUE(s.stats.products < s.stats.iterations + 16);
    }
    end_small(&s);
}

// A linear system whose solution is known.
static void test_velocities_are_those_of_double_precision(void)
{
    small s;
    grid_matrix(SIDE, 1, &s.A);
    start_small(&s, 0.01);
    int64_t n = 3 * (int64_t)s.A.n;
    double *v = random_vector(n), apart = 0;
    pl_bsr_multiply(&s.A, v, s.b);
    solve_anew(&s, apg, 1e-12, 1e-9);
    for (int64_t i = 0; i < n; i++) apart = fmax(apart, fabs(v[i] - s.v[i]));
    TEST_ASSERT_TRUE(apart < 1e-10);
    free(v);
    end_small(&s);
}

// A check in double precision that fails must not be taken for a curvature that is too small.
static void test_checks_leave_the_curvature_alone(void)
{
    small s;
    grid_matrix(SIDE, 1e-2, &s.A);
    start_small(&s, 0.01);
    for (int32_t i = 0; i < 3 * s.A.n; i++) s.b[i] = random_number() - (i % 3 == 2);
    solve_anew(&s, apg, 1e-2, 1e-9);
    double before = s.ws.curvature;
    solve_anew(&s, apg, 1e-8, 1e-9);
    TEST_ASSERT_TRUE(s.stats.products > s.stats.iterations + 4); // one failed
    TEST_ASSERT_TRUE(s.ws.curvature < 1.1 * before);
    end_small(&s);
}

// Blocks on the floor that stick to it are as good as held: apg takes about as many steps as
// conjugate gradients do with these, of which momentum would need several times as many.
static void test_steps_are_conjugate_while_contacts_stay_as_they_are(void)
{
    enum { FLOOR = 10, BLOCKS = FLOOR * FLOOR * FLOOR };
    for (int32_t n_held = 0; n_held <= FLOOR * FLOOR; n_held += FLOOR * FLOOR) {
        small s;
        static double v[3 * BLOCKS];
        static uint8_t held[BLOCKS];
        pl_block_jacobi D;
        pl_cg cg;
        pl_cg_options options = {1e-8, 1000, 0};
        pl_cg_stats stats;
        grid_matrix(FLOOR, 1e-3, &s.A);
        start_small(&s, 0.01);
        for (int32_t i = 0; i < 3 * BLOCKS; i++) s.b[i] = 0.1 * random_number() - (i % 3 == 2);
        for (int32_t i = 0; i < n_held; i++) {
            pl_constraint contact = contact_along(0, 0, 1, 10);
            add_contact(&s, &contact, 1, (pl_term[]){{i, 1, {0}}});
            held[i] = 1;
        }
        solve_anew(&s, apg, 1e-8, 1e-9);
        TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(BLOCKS, &D));
        TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&D, &s.A));
        TEST_ASSERT_EQUAL(PL_OK, pl_cg_create(BLOCKS, &cg));
        memset(v, 0, sizeof v);
        TEST_ASSERT_EQUAL(PL_OK, pl_cg_solve(&cg, &s.A, &D, s.b, held, &options, v, &stats));
        TEST_ASSERT_TRUE(stats.iterations > 20);
        TEST_ASSERT_TRUE(8 * abs(s.stats.iterations - stats.iterations) <= stats.iterations);
        for (int32_t i = 0; i < 3 * BLOCKS; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4, v[i], s.v[i]);
        pl_cg_free(&cg);
        pl_block_jacobi_free(&D);
        end_small(&s);
    }
}

// With an s that is too large, y runs far ahead of v in each step, and so would errors of A y.
static void test_errors_of_products_do_not_grow(void)
{
    small s;
    const pl_solver *solver;
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = 1e-8;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("apg", &solver));
    grid_matrix(12, 1e-3, &s.A);
    start_small(&s, 0.01);
    for (int32_t i = 0; i < 3 * s.A.n; i++) s.b[i] = 0.1 * random_number() - (i % 3 == 2);
    solve_anew(&s, apg, options.residual_tolerance, 1e-9);
    int32_t iterations = s.stats.iterations;
    TEST_ASSERT_TRUE(s.ws.curvature < 2.5);
    set_to_rest(&s);
    options.same_matrix = true;
    s.ws.curvature = 3;
    TEST_ASSERT_EQUAL(PL_OK, pl_solve(solver, &s.problem, &options, &s.ws, s.v, s.f, &s.stats));
    TEST_ASSERT_TRUE(s.ws.curvature == 3);
    TEST_ASSERT_TRUE(s.stats.iterations < 1.1 * iterations);
    end_small(&s);
}

static void test_allocations_that_fail(void)
{
    small s;
    start_floor(&s, SIDE);
    fresh_small f = {&s, apg};
    fail_each_allocation(solve_fresh_small, &f);
    end_small(&s);
}

// Vertices on triangles, two or three at nearly the same place, with normals that differ.
static void start_near_duplicates(small *s, int32_t n, int32_t n_constraint, double mu)
{
    double normal[3] = {0};
    int32_t at = 0;
    random_matrix(n, 2 * n, 8, &s->A);
    start_small(s, 0.1);
    for (int32_t i = 0; i < 3 * n; i++) s->b[i] = 3 * random_number();
    for (int32_t k = 0; k < n_constraint; k++) {
        double tilted[3];
        if (k % 3 == 0) at = (int32_t)(random_bits() % (uint64_t)n);
        for (int i = 0; i < 3 && k % 3 == 0; i++) normal[i] = random_number();
        for (int i = 0; i < 3; i++) tilted[i] = normal[i] + 0.5 * random_number();
        pl_constraint contact = contact_along(tilted[0], tilted[1], tilted[2], mu);
        double a = 0.5 + 0.4 * random_number(), b = (1 - a) * (0.5 + 0.5 * random_number());
        const double w[4] = {1, -a, -b, -(1 - a - b)};
        pl_term term[4];
        for (int t = 0; t < 4; t++) term[t] = (pl_term){(at + t) % n, w[t], {0}};
        add_contact(s, &contact, 4, term);
    }
}

// Problems whose steps would chase each other for ever.
static void test_steps_do_not_chase_each_other(void)
{
    const uint64_t seed[] = {65990, 71654, 75229, 76861};
    int32_t sum = 0;
    for (int i = 0; i < 4; i++) {
        small s;
        random_state = seed[i];
        start_near_duplicates(&s, 6 + (int32_t)(seed[i] % 12), 3 + (int32_t)(seed[i] % 8),
                              0.3 + 0.1 * (double)(seed[i] % 8));
        solve_anew(&s, apg, 1e-5, 1e-6);
        TEST_ASSERT_TRUE(s.stats.iterations < 200);
        sum += s.stats.iterations;
        // It finds out that steps of Newton's do not help, and leaves the rest to apg.
        solve_anew(&s, (way){"auto", PL_PRECOND_FULL}, 1e-5, 1e-6);
        TEST_ASSERT_TRUE(s.stats.iterations < 1000);
        end_small(&s);
    }
    TEST_ASSERT_TRUE(sum > 300); // they are hard ones
}

// Are contacts of clusters swept one by one after n steps?
static bool is_plain(small *s, int32_t n, double contact_tolerance)
{
    pl_apg a;
    pl_solve_stats stats = {0};
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = 1e-12;
    options.contact_tolerance = contact_tolerance;
    set_to_rest(s);
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(&s->problem, &s->ws, s->v));
    s->ws.curvature = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_apg_create(&s->problem, &s->ws, &stats, &a));
    pl_apg_start(&a, s->v, s->f, &stats);
    TEST_ASSERT_EQUAL(PL_SOLVE_LIMIT, pl_apg_run(&a, &options, n, &stats));
    return a.sweeps.plain;
}

// Contacts at nearly the same place are swept one by one where they are many for the unknowns and
// sweeps do not end early, for the first steps; else they are solved together.
static void test_clusters_are_left_where_sweeps_are_the_work(void)
{
    small s;
    start_near_duplicates(&s, 20, 30, 0.3);
    TEST_ASSERT_TRUE(is_plain(&s, 5, 1e-12));
    TEST_ASSERT_FALSE(is_plain(&s, 5, 100));
    TEST_ASSERT_FALSE(is_plain(&s, 22, 1e-12));
    end_small(&s);
    random_state = 1;
    start_near_duplicates(&s, 200, 30, 0.3);
    TEST_ASSERT_FALSE(is_plain(&s, 5, 1e-12));
    end_small(&s);
}

// Steps whose residual stands become slow, then fast for longer; those with a good residual do not
// count, and neither does a residual that is hardly less.
static void test_the_pace_changes_where_residuals_stand(void)
{
    pl_ahead ahead;
    pl_ahead_start(&ahead);
    for (int i = 0; i < 200; i++) TEST_ASSERT_FALSE(pl_ahead_note(&ahead, 1, true));
    const pl_step_sums sum = {.rr = 1, .model = 1, .true_ = 0.9, .last = 1};
    TEST_ASSERT_TRUE(pl_ahead_look(&ahead, &sum, true, false));
    TEST_ASSERT_FALSE(ahead.conjugate || ahead.slow);
    const int32_t stands[] = {61, 61, 121, 121, 241};
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 1000; i++) TEST_ASSERT_FALSE(pl_ahead_note(&ahead, 1, false));
        for (int i = 1; i < stands[k]; i++) TEST_ASSERT_FALSE(pl_ahead_note(&ahead, 0.85, true));
        TEST_ASSERT_TRUE(pl_ahead_note(&ahead, 1, true));
        TEST_ASSERT_EQUAL(k % 2 == 0, ahead.slow);
        pl_ahead_look(&ahead, &sum, true, true);
        for (int i = 0; i < 20; i++) {
            pl_ahead_look(&ahead, &sum, true, false);
            TEST_ASSERT_TRUE(ahead.of_step <= (ahead.slow ? 0.5 : 1));
        }
        TEST_ASSERT_EQUAL(ahead.slow, ahead.of_step == 0.5);
    }
    TEST_ASSERT_FALSE(pl_ahead_note(&ahead, 0.75, true));
    TEST_ASSERT_EQUAL(0, ahead.n_vain);
}

// What others would do to a prescribed block, were it free, is not asked: its rows may be as large
// as they like.
static void test_known_rows_have_no_residual(void)
{
    int32_t iterations[2];
    for (int large = 0; large < 2; large++) {
        small s;
        random_state = 5;
        random_matrix(40, 120, 8, &s.A);
        for (int32_t i = 0; i < s.A.n && large; i++) {
            for (int64_t k = s.A.row[i]; k < s.A.row[i + 1]; k++) {
                bool of_known = (i == 0) != (s.A.col[k] == 0);
                for (int e = 0; e < 9 && of_known; e++) s.A.val[9 * k + e] *= 1e6;
            }
        }
        start_small(&s, 0.1);
        for (int32_t i = 0; i < 120; i++) s.b[i] = 3 * random_number();
        s.prescribed[0] = 1;
        for (int k = 0; k < 6; k++) {
            pl_constraint contact = random_contact(0.3);
            add_contact(&s, &contact, 2, (pl_term[]){{5 * k, 1, {0}}, {5 * k + 3, -1, {0}}});
        }
        solve_anew(&s, apg, 1e-6, 1e-6);
        iterations[large] = s.stats.iterations;
        end_small(&s);
    }
    TEST_ASSERT_TRUE(iterations[0] > 5);
    TEST_ASSERT_EQUAL(iterations[0], iterations[1]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_residuals_are_those_of_double_precision);
    RUN_TEST(test_velocities_are_those_of_double_precision);
    RUN_TEST(test_checks_leave_the_curvature_alone);
    RUN_TEST(test_steps_are_conjugate_while_contacts_stay_as_they_are);
    RUN_TEST(test_errors_of_products_do_not_grow);
    RUN_TEST(test_steps_do_not_chase_each_other);
    RUN_TEST(test_clusters_are_left_where_sweeps_are_the_work);
    RUN_TEST(test_the_pace_changes_where_residuals_stand);
    RUN_TEST(test_known_rows_have_no_residual);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
