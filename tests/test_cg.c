// Conjugate gradients: against dense Cholesky; known rows; every way to fail.

#include "failing_alloc.h"
#include "matrices.h"
#include "../solvers/cg.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

typedef struct problem {
    pl_bsr A;
    pl_block_jacobi M;
    pl_cg cg;
    double *b, *x;  // (3*n), random
    uint8_t *fixed; // (n), all 0
    pl_cg_stats stats;
} problem;

// Around A, which it takes.
static void start_problem(problem *p)
{
    int32_t n = p->A.n;
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(n, &p->M));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&p->M, &p->A));
    TEST_ASSERT_EQUAL(PL_OK, pl_cg_create(n, &p->cg));
    p->b = random_vector(3 * (int64_t)n);
    p->x = random_vector(3 * (int64_t)n);
    p->fixed = calloc((size_t)n + 1, 1);
}

static void end_problem(problem *p)
{
    pl_bsr_free(&p->A);
    pl_block_jacobi_free(&p->M);
    pl_cg_free(&p->cg);
    free(p->b);
    free(p->x);
    free(p->fixed);
}

static pl_status solve(problem *p, double tolerance, int32_t max_iterations)
{
    pl_cg_options options = {tolerance, max_iterations, 0};
    return pl_cg_solve(&p->cg, &p->A, &p->M, p->b, p->fixed, &options, p->x, &p->stats);
}

static void check_failure(problem *p, pl_cg_end end, const char *text)
{
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve(p, 1e-8, 1000));
    TEST_ASSERT_EQUAL(end, p->stats.end);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), text), pl_error_text());
}

// |b - A x| over the free rows.
static double true_residual(const problem *p)
{
    double *y = random_vector(3 * (int64_t)p->A.n), sum = 0;
    pl_bsr_multiply(&p->A, p->x, y);
    for (int32_t i = 0; i < 3 * p->A.n; i++) {
        if (!p->fixed[i / 3]) sum += (p->b[i] - y[i]) * (p->b[i] - y[i]);
    }
    free(y);
    return sqrt(sum);
}

// Solves A x = b with the fixed rows of x known, by Cholesky on the dense rest.
static double *dense_solve(const problem *p)
{
    int32_t n = 3 * p->A.n, m = 0;
    int32_t *free_row = malloc((size_t)n * sizeof *free_row);
    double *D = dense_copy(&p->A), *L = calloc((size_t)(n * n), sizeof *L);
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    for (int32_t i = 0; i < n; i++) {
        x[i] = p->x[i];
        if (!p->fixed[i / 3]) free_row[m++] = i;
    }
    for (int32_t i = 0; i < m; i++) {
        const double *row = D + free_row[i] * n;
        for (int32_t j = 0; j <= i; j++) {
            double sum = row[free_row[j]];
            for (int32_t k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
        y[i] = p->b[free_row[i]];
        for (int32_t j = 0; j < n; j++) y[i] -= p->fixed[j / 3] ? row[j] * x[j] : 0;
        for (int32_t k = 0; k < i; k++) y[i] -= L[i * n + k] * y[k];
        y[i] /= L[i * n + i];
    }
    for (int32_t i = m - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < m; k++) y[i] -= L[k * n + i] * y[k];
        y[i] /= L[i * n + i];
        x[free_row[i]] = y[i];
    }
    free(free_row);
    free(D);
    free(L);
    free(y);
    return x;
}

// Solves to 1e-12; the matrices here have conditions below 1e4.
static void check_against_dense(problem *p)
{
    double *exact = dense_solve(p), *start = random_vector(3 * p->A.n);
    memcpy(start, p->x, 3 * (size_t)p->A.n * sizeof *start);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, solve(p, 1e-12, 1000), pl_error_text());
    TEST_ASSERT_EQUAL(PL_CG_CONVERGED, p->stats.end);
    TEST_ASSERT_TRUE(p->stats.residual <= 1e-12);
    for (int32_t i = 0; i < 3 * p->A.n; i++) {
        if (p->fixed[i / 3]) {
            TEST_ASSERT_TRUE(start[i] == p->x[i]);
        } else {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, exact[i], p->x[i]);
        }
    }
    free(exact);
    free(start);
}

static void test_against_dense(void)
{
    for (int32_t n = 1; n <= 60; n += n < 4 ? 1 : 14) {
        problem p;
        random_matrix(n, 3 * n, 40, &p.A); // dominated by its diagonal but for row 0's, nearly
        start_problem(&p);
        check_against_dense(&p);
        end_problem(&p);
    }
    for (int32_t side = 2; side <= 5; side++) {
        problem p;
        grid_matrix(side, 0.1, &p.A);
        start_problem(&p);
        check_against_dense(&p);
        end_problem(&p);
    }
}

static void test_known_rows(void)
{
    for (int variant = 0; variant < 4; variant++) {
        problem p;
        grid_matrix(5, 0, &p.A); // without mass, only known rows make it regular
        start_problem(&p);
        for (int32_t i = 0; i < p.A.n; i++) p.fixed[i] = i < 25 || i % 17 == 0;
        if (variant == 1) memset(p.b, 0, 3 * (size_t)p.A.n * sizeof *p.b); // moved by them alone
        if (variant == 2) {                                                // held at 0
            for (int32_t i = 0; i < 3 * p.A.n; i++) p.x[i] *= !p.fixed[i / 3];
        }
        if (variant == 3) memset(p.fixed, 1, (size_t)p.A.n); // nothing to do
        check_against_dense(&p);
        if (variant == 3) TEST_ASSERT_EQUAL(0, p.stats.iterations);
        end_problem(&p);
    }
}

// Where rows are fixed, b means nothing: not even a NaN.
static void test_rhs_of_known_rows_is_not_read(void)
{
    problem p;
    grid_matrix(4, 0.1, &p.A);
    start_problem(&p);
    for (int32_t i = 0; i < 10; i++) {
        p.fixed[i] = 1;
        for (int c = 0; c < 3; c++) p.b[3 * i + c] = NAN;
    }
    check_against_dense(&p);
    end_problem(&p);
}

// The residual of the recurrence is the true one, at every tolerance in use.
static void test_tolerances(void)
{
    double tolerance[4] = {1e-2, 1e-5, 1e-8, 1e-11};
    int32_t last = 0;
    for (int t = 0; t < 4; t++) {
        problem p;
        random_state = 7;
        grid_matrix(12, 0.01, &p.A);
        start_problem(&p);
        memset(p.x, 0, 3 * (size_t)p.A.n * sizeof *p.x);
        double bb = true_residual(&p);
        TEST_ASSERT_EQUAL(PL_OK, solve(&p, tolerance[t], 1000));
        TEST_ASSERT_TRUE(p.stats.residual <= tolerance[t]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 + 1e-3 * tolerance[t], true_residual(&p) / bb,
                                  p.stats.residual);
        TEST_ASSERT_TRUE(p.stats.iterations > last);
        last = p.stats.iterations;
        end_problem(&p);
    }
}

static void test_warm_start(void)
{
    problem p;
    grid_matrix(8, 0.01, &p.A);
    start_problem(&p);
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-9, 1000));
    int32_t cold = p.stats.iterations;
    double *before = random_vector(3 * p.A.n);
    memcpy(before, p.x, 3 * (size_t)p.A.n * sizeof *before);
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-8, 1000)); // is there already
    TEST_ASSERT_EQUAL(0, p.stats.iterations);
    TEST_ASSERT_TRUE(same_bits(before, p.x, 3 * p.A.n));
    for (int32_t i = 0; i < 3 * p.A.n; i++) p.x[i] *= 1.001;
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-9, 1000)); // is near
    TEST_ASSERT_TRUE(p.stats.iterations > 0 && p.stats.iterations < cold);
    free(before);
    end_problem(&p);
}

static void test_zero_rhs(void)
{
    problem p;
    grid_matrix(4, 0.1, &p.A);
    start_problem(&p);
    memset(p.b, 0, 3 * (size_t)p.A.n * sizeof *p.b);
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-8, 1000));
    TEST_ASSERT_EQUAL(0, p.stats.iterations);
    TEST_ASSERT_TRUE(p.stats.residual == 0);
    for (int32_t i = 0; i < 3 * p.A.n; i++) TEST_ASSERT_TRUE(p.x[i] == 0);
    end_problem(&p);
}

static void test_nothing(void)
{
    problem p;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(0, 0, NULL, &p.A));
    start_problem(&p);
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-8, 1000));
    TEST_ASSERT_EQUAL(PL_CG_CONVERGED, p.stats.end);
    end_problem(&p);
}

// One block: block Jacobi is its inverse, so that one iteration is enough.
static void test_one_row(void)
{
    problem p;
    random_matrix(1, 0, 5, &p.A);
    start_problem(&p);
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-12, 3));
    TEST_ASSERT_TRUE(p.stats.iterations <= 2);
    TEST_ASSERT_TRUE(true_residual(&p) < 1e-12);
    end_problem(&p);
}

static void test_iteration_limit(void)
{
    problem p;
    grid_matrix(8, 0.001, &p.A);
    start_problem(&p);
    memset(p.x, 0, 3 * (size_t)p.A.n * sizeof *p.x);
    double bb = true_residual(&p);
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve(&p, 1e-10, 7));
    TEST_ASSERT_EQUAL(PL_CG_LIMIT, p.stats.end);
    TEST_ASSERT_EQUAL(7, p.stats.iterations);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "not 1e-10, in 7 iterations"));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, true_residual(&p) / bb, p.stats.residual); // x is the last one
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve(&p, 1e-10, 0));
    TEST_ASSERT_EQUAL(0, p.stats.iterations);
    end_problem(&p);
}

static void test_time_limit(void)
{
    problem p;
    grid_matrix(8, 0.001, &p.A);
    start_problem(&p);
    const pl_cg_options options = {1e-10, 1000, 1e-9};
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                      pl_cg_solve(&p.cg, &p.A, &p.M, p.b, p.fixed, &options, p.x, &p.stats));
    TEST_ASSERT_EQUAL(PL_CG_TIME, p.stats.end);
    TEST_ASSERT_TRUE(p.stats.iterations < 10);
    end_problem(&p);
}

static void test_indefinite(void)
{
    problem p;
    grid_matrix(5, 0.1, &p.A);
    const double minus[9] = {-50, 0, 0, 0, -50, 0, 0, 0, -50};
    set_block(&p.A, 7, 8, minus); // a 2x2 minor of it is negative; the diagonal blocks stay
    start_problem(&p);
    check_failure(&p, PL_CG_INDEFINITE, "the matrix is not positive definite");
    for (int32_t i = 0; i < 3 * p.A.n; i++) TEST_ASSERT_TRUE(isfinite(p.x[i]));
    end_problem(&p);
}

// The grid without mass, pushed as a whole: there is no solution.
static void test_singular(void)
{
    problem p;
    grid_matrix(5, 0, &p.A);
    start_problem(&p);
    for (int32_t i = 0; i < 3 * p.A.n; i++) p.b[i] = 1;
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve(&p, 1e-8, 1000));
    TEST_ASSERT_TRUE(p.stats.end != PL_CG_CONVERGED);
    end_problem(&p);
}

static void test_not_finite(void)
{
    const double bad[2] = {NAN, INFINITY};
    for (int k = 0; k < 8; k++) {
        problem p;
        grid_matrix(4, 0.1, &p.A);
        start_problem(&p);
        double *place[4] = {p.b + 20, p.x + 20, p.A.val + 9 * 33 + 1, p.x + 31};
        *place[k / 2] = bad[k % 2];
        if (k / 2 == 3) p.fixed[31 / 3] = 1; // a known value
        if (k / 2 == 2) memset(p.x, 0, 3 * (size_t)p.A.n * sizeof *p.x);
        check_failure(&p, PL_CG_NOT_FINITE, "a number is not finite");
        for (int32_t i = 0; i < 3 * p.A.n; i++) {
            TEST_ASSERT_TRUE(isfinite(p.x[i]) || p.x + i == place[k / 2]);
        }
        end_problem(&p);
    }
}

// The first residual of [1 c; c c^2+1] is c times its right-hand side, and r . r then overflows.
static void test_overflow_does_not_reach_x(void)
{
    problem p;
    const int32_t edge[2] = {0, 1};
    const double c = 1e3, entry[3] = {1, c, c * c + 1};
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(2, 1, edge, &p.A));
    for (int k = 0; k < 3; k++) {
        double block[9] = {0};
        for (int d = 0; d < 3; d++) block[4 * d] = entry[k];
        set_block(&p.A, k / 2, (k + 1) / 2, block);
    }
    start_problem(&p);
    for (int i = 0; i < 6; i++) {
        p.b[i] = i < 3 ? 1e152 : 0;
        p.x[i] = 0;
    }
    check_failure(&p, PL_CG_NOT_FINITE, "iteration 1: a number is not finite");
    for (int i = 0; i < 6; i++) TEST_ASSERT_TRUE(p.x[i] == 0);
    end_problem(&p);
}

static void test_threads(void)
{
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        pl_threads_set(threads);
        problem p;
        random_state = 3;
        grid_matrix(24, 0.01, &p.A); // 13,824 block rows: every kernel runs in parallel
        start_problem(&p);
        for (int32_t i = 0; i < p.A.n; i++) p.fixed[i] = i % 100 == 0;
        TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-6, 1000));
        if (first == NULL) {
            first = random_vector(3 * p.A.n);
            memcpy(first, p.x, 3 * (size_t)p.A.n * sizeof *first);
        }
        TEST_ASSERT_TRUE(same_bits(first, p.x, 3 * p.A.n));
        end_problem(&p);
    }
    free(first);
}

static void test_memory(void)
{
    pl_cg cg;
    for (int64_t n = 0; fail_nth(n), pl_cg_create(10, &cg) == PL_ERROR_MEMORY; n++) {
        TEST_ASSERT_EQUAL(0, live_blocks);
        TEST_ASSERT_NULL(cg.r);
        TEST_ASSERT_TRUE(n < 3);
    }
    pl_cg_free(&cg);
    TEST_ASSERT_EQUAL(0, live_blocks);
    problem p;
    fail_never();
    grid_matrix(5, 0.1, &p.A);
    start_problem(&p);
    fail_nth(0);
    TEST_ASSERT_EQUAL(PL_OK, solve(&p, 1e-8, 1000)); // takes no memory
    TEST_ASSERT_EQUAL(0, allocations);
    fail_never();
    end_problem(&p);
}

static void test_defaults(void)
{
    pl_cg_options options = pl_cg_options_default();
    TEST_ASSERT_TRUE(options.tolerance == 1e-6);
    TEST_ASSERT_EQUAL(1000, options.max_iterations);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_against_dense);
    RUN_TEST(test_known_rows);
    RUN_TEST(test_rhs_of_known_rows_is_not_read);
    RUN_TEST(test_tolerances);
    RUN_TEST(test_warm_start);
    RUN_TEST(test_zero_rhs);
    RUN_TEST(test_nothing);
    RUN_TEST(test_one_row);
    RUN_TEST(test_iteration_limit);
    RUN_TEST(test_time_limit);
    RUN_TEST(test_indefinite);
    RUN_TEST(test_singular);
    RUN_TEST(test_not_finite);
    RUN_TEST(test_overflow_does_not_reach_x);
    RUN_TEST(test_threads);
    RUN_TEST(test_memory);
    RUN_TEST(test_defaults);
    return UNITY_END();
}
