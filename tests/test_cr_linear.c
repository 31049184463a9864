// The recurrences of cr and minres: what sets them apart.

#include "contacts.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static const way CR = {"cr", PL_PRECOND_DIAG}, MINRES = {"minres", PL_PRECOND_DIAG};

// On a positive definite matrix both find the least residual of the same space: without contacts
// they need the same number of iterations.
static void test_without_contacts_they_are_one(void)
{
    for (int trial = 0; trial < 10; trial++) {
        small s;
        start_random(&s, 30, 0, 0);
        double v[90];
        solve_anew(&s, CR, 1e-6, 1e-6);
        int32_t iterations = s.stats.iterations;
        memcpy(v, s.v, sizeof v);
        solve_anew(&s, MINRES, 1e-6, 1e-6);
        TEST_ASSERT_TRUE(iterations > 5);
        TEST_ASSERT_EQUAL_INT32(iterations, s.stats.iterations);
        for (int i = 0; i < 90; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, v[i], s.v[i]);
        end_small(&s);
    }
}

// With the states held the problem is linear and indefinite, and with exact blocks minres ends
// after as many steps as C^-1 B has eigenvalues: two, as A is diagonal and contacts share no block.
static void test_two_eigenvalues_take_two_steps(void)
{
    small s;
    double mass[20];
    for (int i = 0; i < 20; i++) mass[i] = 2 + random_number();
    start_masses(&s, 20, mass, 0.01);
    for (int i = 0; i < 20; i += 2) {
        for (int a = 0; a < 6; a++) s.b[3 * i + a] = random_number();
        pl_constraint contact = random_contact(0);
        add_contact(&s, &contact, 2, (pl_term[]){{i, 1, {0}}, {i + 1, -1, {0, 0.3, 0}}});
    }
    const way full = {"minres", PL_PRECOND_FULL};
    solve_anew(&s, full, 1e-8, 1e-8);
    TEST_ASSERT_TRUE(s.stats.iterations <= 6); // a step without contacts, then two, at most twice
    end_small(&s);
}

// All is solved but for a contact that has to become active: r has constraint rows only, z . B z =
// 0. cr mends its direction; minres has no need to.
static void test_a_residual_of_rows_alone(void)
{
    const way both[] = {CR, MINRES};
    for (int w = 0; w < 2; w++) {
        small s;
        start_masses(&s, 2, (double[]){1, 4}, 0.01);
        pl_constraint contact = contact_along(0, 0, 1, 0);
        contact.c[0] = 1;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, -1, {0}}});
        solve_anew(&s, both[w], 1e-9, 1e-9);
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0.8, s.v[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-7, -0.2, s.v[5]);
        end_small(&s);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_without_contacts_they_are_one);
    RUN_TEST(test_two_eigenvalues_take_two_steps);
    RUN_TEST(test_a_residual_of_rows_alone);
    return UNITY_END();
}
