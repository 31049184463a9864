// The blocks that contacts touch: H and its solves against dense matrices.

#include "contacts.h"
#include "../solvers/touched.h"

void setUp(void)
{
    random_state = 11;
}

void tearDown(void)
{
    fail_never();
}

// Positive semi-definite ones of all kinds: open, normal only, stuck, and across a slip.
static void fill_stiffness(int32_t n, pl_stiffness *K)
{
    for (int32_t k = 0; k < n; k++) {
        float a = (float)(1.5 + random_number()), angle = (float)(3 * random_number());
        float c = cosf(angle), s = sinf(angle);
        K[k] = (pl_stiffness){0};
        if (k % 4 > 0) K[k].nn = a;
        if (k % 4 == 2) K[k].t11 = K[k].t22 = 2 * a;
        if (k % 4 == 3) K[k].t11 = a * c * c, K[k].t12 = a * c * s, K[k].t22 = a * s * s;
    }
}

// sigma D + L^T K L (3*n each way), with the identity in the prescribed blocks, which L leaves out.
static long double *dense_H(const small *s, double sigma, const pl_stiffness *K)
{
    const pl_problem *p = &s->problem;
    int n = 3 * s->A.n;
    long double *H = calloc((size_t)(n * n), sizeof *H);
    double *A = dense_copy(&s->A), *L = dense_rows(p);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            bool prescribed = pl_is_prescribed(p, i / 3) || pl_is_prescribed(p, j / 3);
            if (i / 3 == j / 3) H[i * n + j] = prescribed ? i == j : sigma * A[i * n + j];
            for (int k = 0; k < p->n_constraint && !prescribed; k++) {
                const double *r = L + 3 * k * n;
                H[i * n + j] += K[k].nn * r[i] * r[j] + K[k].t11 * r[n + i] * r[n + j] +
                                K[k].t22 * r[2 * n + i] * r[2 * n + j] +
                                K[k].t12 * (r[n + i] * r[2 * n + j] + r[2 * n + i] * r[n + j]);
            }
        }
    }
    free(A), free(L);
    return H;
}

static void check_matrix(const small *s, const pl_touched *t, const long double *H)
{
    int n = 3 * s->A.n;
    for (int32_t a = 0; a < t->H.n; a++) {
        for (int32_t b = 0; b < t->H.n; b++) {
            int64_t k = pl_bsr_find(&t->H, a, b);
            for (int e = 0; e < 9; e++) {
                int row = 3 * t->uses->block[a] + e % 3, col = 3 * t->uses->block[b] + e / 3;
                double value = k >= 0 ? t->H.val[9 * k + e] : 0;
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, (double)H[row * n + col], value);
            }
        }
    }
}

// Solves, against elimination; the blocks that are not touched stay as they are.
static void check_solve(const small *s, const pl_touched *t, long double *H)
{
    int n = 3 * s->A.n;
    float *r = malloc((size_t)n * sizeof *r), *z = malloc((size_t)n * sizeof *z);
    long double *x = calloc((size_t)n, sizeof *x);
    for (int i = 0; i < n; i++) {
        r[i] = (float)random_number(), z[i] = 77;
        x[i] = pl_is_prescribed(&s->problem, i / 3) ? 0 : r[i];
    }
    pl_touched_solve(t, r, z);
    double *own = calloc(3 * (size_t)t->H.n + 1, sizeof *own); // the same by the order of the uses
    for (int i = 0; i < 3 * t->H.n; i++) own[i] = (double)r[3 * t->uses->block[i / 3] + i % 3];
    pl_touched_apply(t, own);
    eliminate(n, 1, H, x);
    for (int i = 0; i < 3 * t->H.n; i++) {
        double expected = (double)x[3 * t->uses->block[i / 3] + i % 3];
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, expected, own[i]);
    }
    free(own);
    for (int i = 0; i < n; i++) {
        bool touched = t->place[i / 3] >= 0;
        TEST_ASSERT_FLOAT_WITHIN(1e-5f, touched ? (float)x[i] : 77, z[i]);
    }
    free(r), free(z), free(x);
}

static void check(small *s, double sigma)
{
    const pl_problem *p = &s->problem;
    pl_uses uses;
    pl_touched t;
    pl_stiffness *K = calloc((size_t)p->n_constraint + 1, sizeof *K);
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(p, &s->ws.arena, &uses));
    TEST_ASSERT_EQUAL(PL_OK, pl_touched_create(p, &uses, &s->ws.arena, &t));
    for (int again = 0; again < 2; again++) { // the second time over the first
        fill_stiffness(p->n_constraint, K);
        TEST_ASSERT_TRUE(pl_touched_set(&t, sigma, K));
        long double *H = dense_H(s, sigma, K);
        check_matrix(s, &t, H);
        check_solve(s, &t, H);
        free(H);
    }
    free(K);
}

// Some blocks turn, some are prescribed, and terms of one block are added up.
static void test_random_problems(void)
{
    for (int trial = 0; trial < 30; trial++) {
        small s;
        int32_t n = 4 + trial % 12;
        start_random(&s, n, trial % 15, 0.5);
        for (int32_t i = 0; i < n && trial % 3 > 0; i += 3) s.prescribed[i] = 1;
        if (trial % 5 == 4) s.problem.prescribed = NULL;
        check(&s, 1.2 + 0.1 * trial);
        end_small(&s);
    }
}

// The same contact many times, and many of one rigid body: H is no larger.
static void test_duplicates(void)
{
    small s;
    start_random(&s, 12, 6, 0.5);
    for (int32_t k = 0; k < 40; k++) {
        pl_constraint contact = s.problem.constraint[k % 6];
        pl_term term[4];
        for (int t = 0; t < contact.count; t++) {
            term[t] = pl_problem_term(&s.problem, contact.first + t);
        }
        add_contact(&s, &contact, contact.count, term);
    }
    check(&s, 2);
    end_small(&s);
    start_masses(&s, 2, (double[]){3, 0.5}, 0.001);
    pl_constraint contact = contact_along(0.1, 0, 1, 0.5);
    for (int k = 0; k < 50; k++) {
        double x = random_number(), y = random_number();
        add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, 0, {x, y, -0.1}}});
    }
    check(&s, 1.5);
    end_small(&s);
}

// A rigid body on many blocks in no order: they are not coupled with each other, nor does the
// factor couple them.
static void test_the_factor_of_a_rigid_body_is_sparse(void)
{
    enum { N = 600 };
    small s;
    pl_uses uses;
    pl_touched t;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(N + 2, 0, NULL, &s.A));
    for (int32_t i = 0; i < N + 2; i++) {
        for (int c = 0; c < 3; c++) s.A.val[9 * s.A.diag[i] + 4 * c] = 1;
    }
    start_small(&s, 0.01);
    pl_constraint contact = contact_along(0, 0.2, 1, 0.5);
    for (int32_t k = 0; k < N; k++) {
        double x = random_number(), y = random_number();
        add_contact(&s, &contact, 3,
                    (pl_term[]){{N, 1, {0}}, {N + 1, 0, {x, y, -1}}, {k * 7919 % N, -1, {0}}});
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    TEST_ASSERT_EQUAL(PL_OK, pl_touched_create(&s.problem, &uses, &s.ws.arena, &t));
    TEST_ASSERT_EQUAL_INT64(2 * N + 1, t.factor.nnz);
    for (int64_t k = 1; k < t.H.nnz; k++) {
        bool starts = k == t.H.row[0];
        for (int32_t i = 0; i < t.H.n && !starts; i++) starts = k == t.H.row[i];
        TEST_ASSERT_TRUE(starts || t.H.col[k] > t.H.col[k - 1]);
    }
    end_small(&s);
}

static void test_no_contacts_and_only_known_blocks(void)
{
    small s;
    start_random(&s, 5, 0, 0);
    check(&s, 1);
    end_small(&s);
    start_random(&s, 5, 4, 0.5);
    memset(s.prescribed, 1, 5);
    check(&s, 1);
    end_small(&s);
}

static void test_an_indefinite_matrix_is_told(void)
{
    small s;
    pl_uses uses;
    pl_touched t;
    start_masses(&s, 2, (double[]){1, 1}, 0.01);
    pl_constraint contact = contact_along(0, 0, 1, 0.5);
    add_contact(&s, &contact, 2, (pl_term[]){{0, 1, {0}}, {1, -1, {0}}});
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    TEST_ASSERT_EQUAL(PL_OK, pl_touched_create(&s.problem, &uses, &s.ws.arena, &t));
    pl_stiffness K = {.nn = -5};
    TEST_ASSERT_FALSE(pl_touched_set(&t, 1, &K));
    K.nn = NAN;
    TEST_ASSERT_FALSE(pl_touched_set(&t, 1, &K));
    K.nn = 5; // and it can be set again
    TEST_ASSERT_TRUE(pl_touched_set(&t, 1, &K));
    end_small(&s);
}

static pl_status create(void *user)
{
    small *s = user;
    pl_arena arena = {0};
    pl_uses uses;
    pl_touched t;
    pl_status status = pl_uses_create(&s->problem, &arena, &uses);
    if (status == PL_OK) status = pl_touched_create(&s->problem, &uses, &arena, &t);
    pl_arena_free(&arena);
    return status;
}

static void test_allocations_that_fail(void)
{
    small s;
    start_random(&s, 1500, 1200, 0.5);
    TEST_ASSERT_TRUE(fail_each_allocation(create, &s) > 3);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_random_problems);
    RUN_TEST(test_duplicates);
    RUN_TEST(test_the_factor_of_a_rigid_body_is_sparse);
    RUN_TEST(test_no_contacts_and_only_known_blocks);
    RUN_TEST(test_an_indefinite_matrix_is_told);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
