// Sweeps over contacts: where A is its own diagonal blocks they alone solve the problem.

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
static void check_solved(small *s, int32_t most)
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
    pl_sweeps_set(&sweeps, s->f);
    pl_block_jacobi_apply(&D, s->b, s->v);
    pl_rows_multiply(&s->problem, NULL, true, s->v, u);
    int32_t made = pl_sweeps_run(&sweeps, most, 1e-12, u, s->f);
    TEST_ASSERT_TRUE(made > 1 && made < most);
    memcpy(g, s->b, (size_t)n * sizeof *g);
    pl_rows_transpose_add(&s->problem, &uses, 1, s->f, world, g);
    for (int32_t i = 0; i < 3 * uses.n; i++) {
        int64_t k = 3 * (int64_t)uses.block[i / 3] + i % 3;
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, g[k] - s->b[k], sweeps.push[i]);
    }
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
        check_solved(&s, 20000);
        end_small(&s);
    }
}

// Three sweeps, contact by contact in their order, with a matrix that has all of S.
static void test_sweeps_of_a_dense_matrix(void)
{
    for (int trial = 0; trial < 50; trial++) {
        small s;
        double mass[8];
        for (int i = 0; i < 8; i++) mass[i] = 2 + random_number();
        start_masses(&s, 8, mass, 0.1);
        s.known[3] = 1;
        for (int i = 0; i < 24; i++) s.b[i] = 3 * random_number();
        for (int k = 0; k < 9; k++) {
            pl_contact contact = random_contact(0.1 * (trial % 6));
            pl_term term[4];
            for (int t = 0; t < 4; t++) {
                term[t] = (pl_term){(k + t * t) % 8, random_number(), {0}};
                for (int i = 0; i < 3 && t == trial % 5; i++) term[t].r[i] = random_number();
            }
            add_contact(&s, &contact, 4, term);
            s.f[3 * k] = 0.5 + 0.5 * random_number();
        }
        reduced r = reduce(&s.problem, s.v);
        pl_block_jacobi D;
        pl_uses uses;
        pl_sweeps sweeps;
        double u0[27], scale[18], sum[8], expected[27], f[27];
        TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(8, &D));
        TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&D, &s.A));
        memset(D.inv + 18, 0, 6 * sizeof *D.inv); // the known one
        TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
        pl_contact_scales(&s.problem, &D, &uses, sum, scale);
        TEST_ASSERT_EQUAL(PL_OK,
                          pl_sweeps_create(&s.problem, &D, &uses, scale, &s.ws.arena, &sweeps));
        sweeps.plain = true;
        TEST_ASSERT_EQUAL(9, sweeps.n);
        for (int i = 0; i < 27; i++) u0[i] = (double)r.q[i];
        memcpy(expected, s.f, sizeof expected);
        for (int i = 0; i < 27; i++) { // three times nine
            int k = sweeps.islands.contact[i % 9];
            double S[9], u[3];
            pl_coulomb law;
            for (int e = 0; e < 9; e++) S[e] = (double)r.W[(3 * k + e / 3) * 27 + 3 * k + e % 3];
            pl_coulomb_prepare(S, s.problem.contact[k].mu, &law);
            for (int a = 0; a < 3; a++) {
                u[a] = u0[3 * k + a];
                for (int j = 0; j < 27; j++) {
                    u[a] += (double)r.W[(3 * k + a) * 27 + j] * expected[j];
                }
            }
            pl_coulomb_relax(&law, u, expected + 3 * k);
        }
        pl_sweeps_set(&sweeps, s.f);
        TEST_ASSERT_EQUAL(2, pl_sweeps_run(&sweeps, 2, 0, u0, f));
        TEST_ASSERT_EQUAL(1, pl_sweeps_run(&sweeps, 1, 0, u0, f));
        for (int i = 0; i < 27; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8 * (1 + fabs(expected[i])), expected[i], f[i]);
        }
        pl_block_jacobi_free(&D);
        free_reduced(&r);
        end_small(&s);
    }
}

// A plate with n contacts, up to nine in a row.
static void check_plate(int n)
{
    small s;
    start_masses(&s, 2, (double[]){3, 0.5}, 0.01);
    s.b[0] = 0.2, s.b[2] = -0.3, s.b[3] = 0.01, s.b[5] = 0.02;
    for (int k = 0; k < n; k++) {
        pl_contact contact = contact_along(0.01 * random_number(), 0, 1, 0.5);
        const double x = k % 9 / 8.0 - 0.5, y = k / 9 / 8.0 - 0.5;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {x, y, -0.05}}});
    }
    check_solved(&s, 20000);
    end_small(&s);
}

static void test_many_contacts_of_one_body(void)
{
    check_plate(12);
    check_plate(13);
    check_plate(81);
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
    check_solved(&s, 20000);
    for (int k = 0; k < 13; k++) sum += s.f[3 * k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 13 * 0.2 * 0.49, sum);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_masses);
    RUN_TEST(test_sweeps_of_a_dense_matrix);
    RUN_TEST(test_many_contacts_of_one_body);
    RUN_TEST(test_contacts_that_others_close);
    return UNITY_END();
}
