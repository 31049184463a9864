// Sweeps over contacts: where A is its own diagonal blocks they alone solve the problem, whether
// blocks stand in S or carry their velocity.

#include "contacts.h"
#include "../solvers/sweeps.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// Sweeps to the end, and measures with the velocities that the impulses make.
static void check_solved(small *s, int32_t most, int32_t n_link)
{
    pl_block_jacobi D;
    pl_uses uses;
    pl_sweeps sweeps;
    int64_t n = 3 * (int64_t)s->A.n, m = 3 * (int64_t)s->problem.n_contact;
    double *u = random_vector(m), *world = random_vector(m), *g = random_vector(n);
    double *scale = random_vector(m), *sum = random_vector(n);
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(s->A.n, &D));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&D, &s->A));
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s->problem, &s->ws.arena, &uses));
    pl_contact_scales(&s->problem, &D, &uses, sum, scale);
    TEST_ASSERT_EQUAL(PL_OK,
                      pl_sweeps_create(&s->problem, &D, &uses, scale, &s->ws.arena, &sweeps));
    int32_t links = 0;
    for (int32_t i = 0; i < sweeps.n; i++) links += sweeps.node[i].n_link;
    TEST_ASSERT_EQUAL(n_link, links);
    pl_block_jacobi_apply(&D, s->b, s->v);
    pl_rows_multiply(&s->problem, NULL, true, s->v, u);
    int32_t made = pl_sweeps_run(&sweeps, most, 1e-12, u, s->f);
    TEST_ASSERT_TRUE(made > 1 && made < most);
    memcpy(g, s->b, (size_t)n * sizeof *g);
    pl_rows_transpose_add(&s->problem, &uses, 1, s->f, world, g);
    pl_block_jacobi_apply(&D, g, s->v);
    pl_rows_multiply(&s->problem, NULL, true, s->v, u);
    pl_contact_errors errors = {0};
    pl_contact_errors_update(&s->problem, scale, u, s->f, &errors);
    TEST_ASSERT_TRUE(pl_contact_errors_within(&errors, 1e-9));
    pl_block_jacobi_apply(&D, s->b, s->v); // once more, from the impulses that it found
    pl_rows_multiply(&s->problem, NULL, true, s->v, u);
    TEST_ASSERT_EQUAL(1, pl_sweeps_run(&sweeps, most, 1e-9, u, s->f));
    pl_block_jacobi_free(&D);
    free(u), free(world), free(g), free(scale), free(sum);
}

static void test_random_masses(void)
{
    for (int trial = 0; trial < 20; trial++) {
        small s;
        double mass[12];
        for (int i = 0; i < 12; i++) mass[i] = 2 + random_number();
        start_masses(&s, 12, mass, 0.1);
        for (int i = 0; i < 36; i++) s.b[i] = 3 * random_number();
        for (int k = 0; k < 10; k++) {
            pl_contact contact = random_contact(0.1 * (trial % 6));
            int32_t a = (int32_t)(random_bits() % 12),
                    b = (a + 1 + (int32_t)(random_bits() % 11)) % 12;
            pl_term term[2] = {{a, 1, {0}}, {b, -1, {0}}};
            if (b % 2 == 1) term[1].r[trial % 3] = 0.4;
            add_contact(&s, &contact, 2, term);
        }
        check_solved(&s, 20000, 0);
        end_small(&s);
    }
}

// A plate with n contacts, up to nine in a row.
static void check_plate(int n, int32_t n_link)
{
    small s;
    start_masses(&s, 2, (double[]){3, 0.5}, 0.01);
    s.b[0] = 0.2, s.b[2] = -0.3, s.b[3] = 0.01, s.b[5] = 0.02;
    for (int k = 0; k < n; k++) {
        pl_contact contact = contact_along(0.01 * random_number(), 0, 1, 0.5);
        const double x = k % 9 / 8.0 - 0.5, y = k / 9 / 8.0 - 0.5;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {x, y, -0.05}}});
    }
    check_solved(&s, 20000, n_link);
    end_small(&s);
}

static void test_many_contacts_of_one_body(void)
{
    check_plate(12, 0);
    check_plate(13, 26);
    check_plate(81, 162);
}

// A lid pushes a mass onto 13 others, which it would not reach by itself: contacts that are open at
// first close by what its block carries.
static void test_contacts_that_others_close(void)
{
    small s;
    double mass[14] = {3}, sum = 0;
    for (int k = 0; k < 13; k++) mass[1 + k] = 0.2;
    start_masses(&s, 14, mass, 0.01);
    for (int k = 0; k < 13; k++) {
        pl_contact contact = contact_along(0, 0, 1, 0.3);
        contact.c[0] = -0.01;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1 + k, -1, {0}}});
    }
    pl_contact lid = contact_along(0, 0, -1, 0.3);
    lid.c[0] = 0.5;
    add_contact(&s, &lid, 1, (pl_term[]){{0, 1, {0}}});
    check_solved(&s, 20000, 14);
    for (int k = 0; k < 13; k++) sum += s.f[3 * k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 13 * 0.2 * 0.49, sum);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_masses);
    RUN_TEST(test_many_contacts_of_one_body);
    RUN_TEST(test_contacts_that_others_close);
    return UNITY_END();
}
