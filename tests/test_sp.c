// Staggered projections. What all solvers have in common, tests/test_solvers.c tries.

#include "contacts.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static const way SP[] = {{"sp-cr", PL_PRECOND_FULL}, {"sp-as", PL_PRECOND_FULL}};

// Without friction there is one program, and its solution is all.
static void test_without_friction_a_turn_is_enough(void)
{
    small s;
    start_random(&s, 10, 6, 0);
    const way cr = {"cr", PL_PRECOND_DIAG};
    double v[30];
    solve_anew(&s, cr, 1e-9, 1e-9);
    int32_t iterations = s.stats.iterations;
    memcpy(v, s.v, sizeof v);
    for (int w = 0; w < 2; w++) {
        solve_anew(&s, SP[w], 1e-9, 1e-9);
        for (int i = 0; i < 30; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, v[i], s.v[i]);
        // The same rules, and so the same steps.
        if (w == 0) TEST_ASSERT_EQUAL_INT32(iterations, s.stats.iterations);
    }
    end_small(&s);
}

// An active-set method switches only when a linear problem is solved: so it takes fewer restarts
// and more iterations.
static void test_patience(void)
{
    small s;
    random_matrix(60, 180, 8, &s.A);
    start_small(&s, 0.1);
    for (int32_t i = 0; i < 180; i++) s.b[i] = 10 * random_number() - 8 * (i % 3 == 2);
    for (int32_t k = 0; k < 60; k++) {
        pl_constraint contact = contact_along(0.3 * random_number(), 0.3 * random_number(), 1, 0.5);
        add_contact(&s, &contact, 1, &(pl_term){k, 1, {0}});
    }
    solve_anew(&s, SP[0], 1e-7, 1e-7);
    int32_t eager = s.stats.iterations;
    solve_anew(&s, SP[1], 1e-7, 1e-7);
    TEST_ASSERT_TRUE(s.stats.iterations > eager);
    end_small(&s);
}

// With much friction the turns may not come to an end: what does not converge says so, is not worse
// than any number, and what converges is right.
static void test_much_friction(void)
{
    int converged = 0, stalled = 0;
    for (int trial = 0; trial < 30; trial++) {
        small s;
        start_random(&s, 8, 6, 4);
        for (int w = 0; w < 2; w++) {
            set_to_rest(&s);
            pl_status status = solve_small(&s, SP[w], 1e-7, 1e-7);
            TEST_ASSERT_EQUAL(status == PL_OK, s.stats.end == PL_SOLVE_CONVERGED);
            bool good =
                s.stats.errors.residual <= 1e-7 && pl_contact_errors_within(&s.stats.errors, 1e-7);
            TEST_ASSERT_TRUE(good || status != PL_OK);
            for (int i = 0; i < 24; i++) TEST_ASSERT_TRUE(isfinite(s.v[i]));
            for (int i = 0; i < 18; i++) TEST_ASSERT_TRUE(isfinite(s.f[i]));
            converged += good;
            stalled += s.stats.end == PL_SOLVE_STALLED;
        }
        end_small(&s);
    }
    TEST_ASSERT_TRUE(converged >= 20);
    TEST_ASSERT_TRUE(stalled > 0); // or this test tries nothing
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_without_friction_a_turn_is_enough);
    RUN_TEST(test_patience);
    RUN_TEST(test_much_friction);
    return UNITY_END();
}
