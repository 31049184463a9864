// Iterative constraint anticipation. What all solvers have in common, tests/test_solvers.c tries.

#include "contacts.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static const way ICA = {"ica", PL_PRECOND_FULL};

// Where A is its diagonal blocks a step of Jacobi is the answer, and so is one iteration.
static void test_masses_take_one_iteration(void)
{
    small s;
    start_masses(&s, 3, (double[]){1, 2, 3}, 0.01);
    s.b[2] = -1, s.b[5] = -1, s.b[3] = 0.2;
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, -1, {0}}});
    add_contact(&s, &contact, 1, &(pl_term){1, 1, {0}});
    solve_anew(&s, ICA, 1e-9, 1e-9);
    TEST_ASSERT_EQUAL_INT32(1, s.stats.iterations);
    end_small(&s);
}

// Two blocks, coupled by the factor given: A has the eigenvalues 1 + factor and 1 - factor.
static void start_coupled(small *s, double factor)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(2, 1, (int32_t[]){0, 1}, &s->A));
    for (int64_t k = 0; k < 4; k++) {
        for (int c = 0; c < 3; c++) s->A.val[9 * k + 4 * c] = k % 3 == 0 ? 1 : factor;
    }
    start_small(s, 0.01);
    s->b[2] = -1, s->b[3] = 1;
    pl_constraint contact = contact_along(0, 0, 1, 0.8);
    add_contact(s, &contact, 1, &(pl_term){0, 1, {0}});
}

static void test_it_diverges_and_says_so(void)
{
    small s;
    start_coupled(&s, 0.9);
    solve_anew(&s, ICA, 1e-8, 1e-8);
    end_small(&s);
    start_coupled(&s, 1.1); // not positive definite, though its diagonal blocks are
    s.v[0] = 0.25, s.f[0] = 0.5;
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, ICA, 1e-8, 1e-8));
    TEST_ASSERT_EQUAL(PL_SOLVE_STALLED, s.stats.end);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, s.v[0]); // as they were
    TEST_ASSERT_EQUAL_DOUBLE(0.5, s.f[0]);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_masses_take_one_iteration);
    RUN_TEST(test_it_diverges_and_says_so);
    return UNITY_END();
}
