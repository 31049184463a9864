// Problems and their rows: terms that add up, products against dense ones, transposes, blocks of
// L D^-1 L^T, the same bits on any number of threads, every refused number.

#include "contacts.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

static void test_terms_of_one_block_add_up(void)
{
    small s;
    start_masses(&s, 2, (double[]){1, 1}, 1);
    pl_constraint contact = random_contact(0);
    const pl_term term[3] = {{1, 0.5, {1, 0, 0}}, {0, 1, {0}}, {1, -2, {0, 3, 0}}};
    add_contact(&s, &contact, 3, term);
    TEST_ASSERT_EQUAL(2, s.problem.constraint[0].count);
    pl_term first = pl_problem_term(&s.problem, 0), second = pl_problem_term(&s.problem, 1);
    TEST_ASSERT_EQUAL_DOUBLE(-1.5, first.w);
    TEST_ASSERT_EQUAL_DOUBLE(1, first.r[0]);
    TEST_ASSERT_EQUAL_DOUBLE(3, first.r[1]);
    TEST_ASSERT_EQUAL(0, second.block);
    TEST_ASSERT_EQUAL_DOUBLE(0, second.r[0]);
    TEST_ASSERT_EQUAL(1, s.problem.n_arm); // only one has an arm
    end_small(&s);
}

static void test_products_equal_dense_ones(void)
{
    small s;
    start_random(&s, 9, 14, 0.5);
    s.prescribed[4] = 1;
    int n = 3 * s.A.n, m = 3 * s.problem.n_constraint;
    double *L = dense_rows(&s.problem), *v = random_vector(n), *f = random_vector(m);
    double *u = random_vector(m), *y = random_vector(n), *start = random_vector(n);
    memcpy(y, start, (size_t)n * sizeof *y);
    double *world = random_vector(m);
    uint8_t rows[14];
    for (int k = 0; k < 14; k++) rows[k] = (uint8_t)(k % 8);
    for (int pass = 0; pass < 4; pass++) {
        bool offset = pass & 1;
        pl_rows_multiply(&s.problem, pass & 2 ? rows : NULL, offset, v, u);
        for (int k = 0; k < m; k++) {
            double sum = offset ? -s.problem.constraint[k / 3].c[k % 3] : 0;
            for (int i = 0; i < n; i++) sum += L[k * n + i] * v[i];
            if (pass & 2 && (rows[k / 3] >> k % 3 & 1) == 0) sum = 0;
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, sum, u[k]);
        }
    }
    pl_uses uses;
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    pl_rows_transpose_add(&s.problem, &uses, -2, f, world, y);
    for (int i = 0; i < n; i++) {
        double sum = start[i];
        for (int k = 0; k < m && i / 3 != 4; k++) sum -= 2 * L[k * n + i] * f[k];
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, sum, y[i]);
    }
    free(L), free(v), free(f), free(u), free(y), free(start), free(world);
    end_small(&s);
}

static void test_blocks_equal_dense_ones(void)
{
    small s;
    start_random(&s, 7, 10, 0.5);
    s.prescribed[2] = 1;
    pl_block_jacobi D;
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(7, &D));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&D, &s.A));
    memset(D.inv + 12, 0, 6 * sizeof *D.inv);
    double *L = dense_rows(&s.problem);
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int k = 0; k < 10; k++) {
        double S[9];
        pl_contact_block(&s.problem, &D, k, S);
        for (int e = 0; e < 9; e++) {
            const double *a = L + (3 * k + e / 3) * 21, *b = L + (3 * k + e % 3) * 21;
            double sum = 0;
            for (int i = 0; i < 63; i++) {
                sum += a[i / 9 * 3 + i % 9 / 3] * D.inv[6 * (i / 9) + at[i % 9]] *
                       b[i / 9 * 3 + i % 3];
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, sum, S[e]);
        }
    }
    free(L);
    pl_block_jacobi_free(&D);
    end_small(&s);
}

// Rows of a box have the largest scale of those that are used.
static void test_scales_of_boxes(void)
{
    const double r[3] = {1, 0, 0};
    small s;
    start_masses(&s, 2, (double[]){1, 0.5}, 1);
    pl_constraint frame = contact_along(1, 0, 0, 0); // S is 1 along x, 3 across it
    pl_limits limits = {PL_LAW_BOX, {0}, {-1, 0, 0}, {1, 0, 0}, 0, false};
    const pl_term term[2] = {{0, 1, {0}}, {1, 0, {r[0], r[1], r[2]}}};
    for (int k = 0; k < 2; k++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_limited(&s.problem, &frame, &limits, 2, term));
        limits.lo[2] = -INFINITY; // one row of it, then two
    }
    pl_block_jacobi D;
    pl_uses uses;
    double sum[2], scale[4];
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(2, &D));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&D, &s.A));
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    pl_contact_scales(&s.problem, &D, &uses, sum, scale);
    const double expected[4] = {2, 2, 6, 6}; // there are two
    for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-14, expected[i], scale[i]);
    pl_block_jacobi_free(&D);
    end_small(&s);
}

// Alone, a contact's scale is its S; n contacts alike have n times as much.
static void test_scales_count_neighbours(void)
{
    for (int n = 1; n <= 5; n += 2) {
        small s;
        start_masses(&s, 3, (double[]){2, 4, 1}, 1);
        s.prescribed[2] = 1;
        pl_constraint contact = contact_along(1, 2, 3, 0.5);
        const pl_term term[3] = {{0, 1, {0}}, {1, -0.5, {0}}, {2, -0.5, {0}}};
        for (int k = 0; k < n; k++) add_contact(&s, &contact, 3, term);
        const pl_term heavy = {0, 3, {0}}; // and one more with a block, and thrice the weight
        if (n == 5) add_contact(&s, &contact, 1, &heavy);
        pl_block_jacobi D;
        pl_uses uses;
        double sum[3], scale[12], S[9];
        TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(3, &D));
        TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&D, &s.A));
        memset(D.inv + 12, 0, 6 * sizeof *D.inv);
        TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
        pl_contact_scales(&s.problem, &D, &uses, sum, scale);
        pl_contact_block(&s.problem, &D, 0, S);
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5 + 0.0625, S[0]);
        double expected = n == 5 ? 8 * 0.5 + 5 * 0.0625 : n * S[0];
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, expected, scale[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, expected, scale[1]);
        pl_block_jacobi_free(&D);
        end_small(&s);
    }
}

static void test_threads_do_not_change_bits(void)
{
    small s;
    grid_matrix(16, 1, &s.A);
    start_small(&s, 1);
    for (int k = 0; k < 4000; k++) {
        pl_constraint contact = random_contact(0.5);
        pl_term term[3];
        for (int t = 0; t < 3; t++) {
            term[t] = (pl_term){(int32_t)(random_bits() % 4096), random_number(), {0, 1, 0.5}};
        }
        add_contact(&s, &contact, 3, term);
    }
    pl_uses uses;
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    double *v = random_vector(3 * 4096), *f = random_vector(12000), *world = random_vector(12000);
    double *u[3], *y[3];
    for (int t = 0; t < 3; t++) {
        pl_threads_set(1 << t);
        u[t] = calloc(12000, sizeof(double)), y[t] = calloc(3 * 4096, sizeof(double));
        pl_rows_multiply(&s.problem, NULL, true, v, u[t]);
        pl_rows_transpose_add(&s.problem, &uses, 1, f, world, y[t]);
        TEST_ASSERT_TRUE(same_bits(u[0], u[t], 12000));
        TEST_ASSERT_TRUE(same_bits(y[0], y[t], 3 * 4096));
    }
    for (int t = 0; t < 3; t++) free(u[t]), free(y[t]);
    free(v), free(f), free(world);
    end_small(&s);
}

static void refuse(small *s, const char *part)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_ARGUMENT, pl_problem_check(&s->problem, s->v, s->f), part);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
}

static void test_what_no_solver_could_handle_is_named(void)
{
    small s;
    start_random(&s, 4, 6, 0.5);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_check(&s.problem, s.v, s.f));
    pl_constraint *contact = s.problem.constraint + 3;
    pl_entry *entry = s.problem.entry + contact->first, *end = entry + contact->count;
    while (entry < end && entry->arm < 0) entry++;
    TEST_ASSERT_TRUE(entry < end);
    double *number[] = {s.b + 5,        s.v + 2,      s.f + 7,   contact->R + 4,
                        contact->c + 1, &contact->mu, &entry->w, s.problem.arm + 3 * entry->arm,
                        &s.problem.dt};
    const char *part[] = {"b[5]",         "v[2]",         "f[7]",         "constraint 3: its frame",
                          "constraint 3", "constraint 3", "constraint 3", "constraint 3",
                          "time step"};
    for (int i = 0; i < 9; i++) {
        double old = *number[i];
        *number[i] = i % 2 == 0 ? NAN : INFINITY;
        refuse(&s, part[i]);
        *number[i] = old;
    }
    contact->mu = -0.1;
    refuse(&s, "constraint 3: a friction coefficient of -0.1");
    contact->mu = 0.5;
    contact->R[0] *= 1.01;
    refuse(&s, "constraint 3: its frame is not orthonormal");
    contact->R[0] /= 1.01;
    entry->block = 4;
    refuse(&s, "constraint 3: block 4 is not among the 4");
    entry->block = -1;
    refuse(&s, "constraint 3: block -1");
    entry->block = 0;
    s.problem.dt = 0;
    refuse(&s, "time step of 0");
    end_small(&s);
}

// Bounds may be infinite, all other numbers may not; what a cone does not use is not looked at.
static void test_limits_that_no_solver_could_handle_are_named(void)
{
    small s;
    start_random(&s, 4, 2, 0.5);
    pl_constraint frame = random_contact(0);
    const pl_limits good = {PL_LAW_BOX, {0, 0.1, 2}, {-INFINITY, 0, 1}, {INFINITY, 0, INFINITY},
                            0,          false};
    TEST_ASSERT_EQUAL(PL_OK,
                      pl_problem_add_limited(&s.problem, &frame, &good, 1, &(pl_term){0, 1, {0}}));
    TEST_ASSERT_EQUAL_INT32(-1, s.problem.constraint[1].limits);
    TEST_ASSERT_EQUAL_INT32(0, s.problem.constraint[2].limits);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_check(&s.problem, s.v, s.f));
    pl_limits *limits = s.problem.limits;
    const struct {
        double *number, bad;
        const char *part;
    } bad[] = {{limits->compliance, -1e-9, "constraint 2: a compliance of -1e-09"},
               {limits->compliance + 2, NAN, "constraint 2: a compliance of nan"},
               {limits->compliance + 1, INFINITY, "constraint 2: a compliance of inf"},
               {limits->lo, NAN, "constraint 2: bounds from nan to inf"},
               {limits->lo + 1, 0.5, "constraint 2: bounds from 0.5 to 0"},
               {limits->lo + 2, INFINITY, "constraint 2: bounds from inf to inf"},
               {limits->hi + 1, NAN, "constraint 2: bounds from 0 to nan"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double old = *bad[i].number;
        *bad[i].number = bad[i].bad;
        refuse(&s, bad[i].part);
        *bad[i].number = old;
    }
    limits->law = (pl_law)7;
    refuse(&s, "constraint 2: an unknown law, 7");
    limits->law = PL_LAW_CONE;
    refuse(&s, "compliances of 0.1 and 2 in the tangents of a contact");
    limits->law = PL_LAW_PYRAMID;
    limits->directions = 5;
    refuse(&s, "constraint 2: a pyramid of 5 directions; an even number from 4 to 64");
    limits->law = PL_LAW_CONE;
    limits->compliance[2] = 0.1;
    limits->lo[0] = NAN;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_check(&s.problem, s.v, s.f));
    pl_problem_clear(&s.problem);
    TEST_ASSERT_EQUAL_INT32(0, s.problem.n_limits);
    end_small(&s);
}

static pl_status grow(void *user)
{
    (void)user;
    pl_problem problem = {0};
    pl_status status = PL_OK;
    pl_constraint contact = contact_along(0, 0, 1, 0);
    for (int32_t k = 0; k < 40 && status == PL_OK; k++) {
        const pl_term term = {k, 1, {0}};
        int32_t before = problem.n_constraint;
        status = pl_problem_add(&problem, &contact, 1, &term);
        TEST_ASSERT_EQUAL(before + (status == PL_OK), problem.n_constraint);
        TEST_ASSERT_EQUAL(problem.n_constraint, problem.n_term);
    }
    pl_problem_free(&problem);
    return status;
}

static void test_allocations_that_fail(void)
{
    fail_each_allocation(grow, NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_terms_of_one_block_add_up);
    RUN_TEST(test_products_equal_dense_ones);
    RUN_TEST(test_blocks_equal_dense_ones);
    RUN_TEST(test_scales_count_neighbours);
    RUN_TEST(test_scales_of_boxes);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_what_no_solver_could_handle_is_named);
    RUN_TEST(test_limits_that_no_solver_could_handle_are_named);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
