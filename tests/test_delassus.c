// The reduced form. What all solvers have in common, tests/test_solvers.c tries.

#include "contacts.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    pl_threads_set(2);
}

static const way DELASSUS = {"delassus", PL_PRECOND_FULL};

// Bodies of 27 blocks each, in a row: each rests on the floor and on the next.
static void start_row(small *s, int32_t n_body)
{
    pl_bsr one;
    grid_matrix(3, 1, &one);
    int32_t n = one.n;
    int32_t *edge = malloc(2 * (size_t)(n_body * one.nnz) * sizeof *edge);
    int64_t n_edge = 0;
    for (int32_t body = 0; body < n_body; body++) {
        for (int32_t i = 0; i < n; i++) {
            for (int64_t k = one.row[i]; k < one.row[i + 1]; k++, n_edge++) {
                edge[2 * n_edge] = body * n + i, edge[2 * n_edge + 1] = body * n + one.col[k];
            }
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n * n_body, n_edge, edge, &s->A));
    for (int32_t i = 0; i < s->A.n; i++) {
        for (int64_t k = s->A.row[i]; k < s->A.row[i + 1]; k++) {
            int64_t from = pl_bsr_find(&one, i % n, s->A.col[k] % n);
            memcpy(s->A.val + 9 * k, one.val + 9 * from, 9 * sizeof *one.val);
        }
    }
    free(edge);
    pl_bsr_free(&one);
    start_small(s, 0.01);
    for (int32_t i = 0; i < 3 * s->A.n; i++) s->b[i] = random_number() - (i % 3 == 2);
    for (int32_t i = 0; i < s->A.n; i += 2) {
        pl_constraint contact = contact_along(0.1 * random_number(), 0.1 * random_number(), 1, 0.5);
        int32_t next = i + n < s->A.n ? 2 : 1;
        add_contact(s, &contact, next, (pl_term[]){{i, 1, {0}}, {(i + n) % s->A.n, -0.7, {0}}});
    }
}

static void test_a_factor_for_each_body(void)
{
    small s;
    start_row(&s, 5);
    s.prescribed[3] = 1;
    solve_anew(&s, DELASSUS, 1e-9, 1e-9);
    TEST_ASSERT_EQUAL_INT64(5, s.stats.factorizations);
    double *v = random_vector(3 * s.A.n);
    memcpy(v, s.v, 3 * (size_t)s.A.n * sizeof *v);
    const way apg = {"apg", PL_PRECOND_FULL};
    solve_anew(&s, apg, 1e-9, 1e-9);
    for (int32_t i = 0; i < 3 * s.A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, s.v[i], v[i]);
    // What is solved needs none.
    TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, DELASSUS, 1e-8, 1e-8));
    TEST_ASSERT_EQUAL_INT64(0, s.stats.factorizations);
    TEST_ASSERT_EQUAL_INT32(0, s.stats.iterations);
    free(v);
    end_small(&s);
}

static void test_threads_do_not_change_bits(void)
{
    small s;
    start_row(&s, 12);
    int64_t n = 3 * (int64_t)s.A.n, m = 3 * (int64_t)s.problem.n_constraint;
    double *v = random_vector(n), *f = random_vector(m);
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_threads_set(threads);
        solve_anew(&s, DELASSUS, 1e-7, 1e-7);
        if (threads == 1) memcpy(v, s.v, (size_t)n * sizeof *v);
        if (threads == 1) memcpy(f, s.f, (size_t)m * sizeof *f);
        TEST_ASSERT_TRUE(same_bits(v, s.v, n));
        TEST_ASSERT_TRUE(same_bits(f, s.f, m));
    }
    free(v), free(f);
    end_small(&s);
}

// 6,000 contacts of one rigid body: W would have 18,000^2 entries.
static void test_too_many_contacts_are_refused(void)
{
    enum { MANY = 6000 };
    small s;
    start_masses(&s, 2, (double[]){3, 0.5}, 0.001);
    s.b[2] = -3;
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    s.f = realloc(s.f, 3 * MANY * sizeof *s.f);
    memset(s.f, 0, 3 * MANY * sizeof *s.f);
    for (int k = 0; k < MANY; k++) {
        double x = k % 64 / 63.0 - 0.5, y = k / 64 / 63.0 - 0.5;
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {x, y, -0.01}}});
    }
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, DELASSUS, 1e-6, 1e-6));
    TEST_ASSERT_EQUAL(PL_SOLVE_SIZE, s.stats.end);
    TEST_ASSERT_EQUAL_STRING("size", pl_solve_end_name(s.stats.end));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "2.59 GB"), pl_error_text());
    for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_DOUBLE(0, s.v[i]);
    end_small(&s);
}

// Its diagonal blocks are positive definite, and it is not: the factor shows it.
static void test_an_indefinite_matrix(void)
{
    small s;
    const int32_t edge[2] = {0, 1};
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(2, 1, edge, &s.A));
    for (int64_t k = 0; k < 4; k++) {
        for (int c = 0; c < 3; c++) s.A.val[9 * k + 4 * c] = k == 0 || k == 3 ? 1 : 2;
    }
    start_small(&s, 0.01);
    s.b[2] = -1;
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    add_contact(&s, &contact, 1, &(pl_term){0, 1, {0}});
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, DELASSUS, 1e-6, 1e-6));
    TEST_ASSERT_EQUAL(PL_SOLVE_BREAKDOWN, s.stats.end);
    for (int i = 0; i < 6; i++) TEST_ASSERT_EQUAL_DOUBLE(0, s.v[i]);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_factor_for_each_body);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_too_many_contacts_are_refused);
    RUN_TEST(test_an_indefinite_matrix);
    return UNITY_END();
}
