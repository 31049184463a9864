// The block-Jacobi preconditioner: inverses against their blocks, one pass against several.

#include "failing_alloc.h"
#include "matrices.h"
#include "../solvers/block_jacobi.h"
#include "../solvers/vectors.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

static void diagonal_matrix(int32_t n, pl_bsr *A)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n, 0, NULL, A));
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) A->val[9 * (i / 3) + 4 * (i % 3)] = 1;
}

// G G^T with G's rows stretched over `decades` powers of ten, scaled by a power of ten of its own.
static void random_positive(double decades, double block[9])
{
    double g[9], scale = pow(10, 8 * random_number());
    for (int r = 0; r < 3; r++) {
        double stretch = pow(10, 0.5 * decades * random_number());
        for (int c = 0; c < 3; c++) g[3 * r + c] = stretch * random_number();
    }
    for (int e = 0; e < 9; e++) {
        const double *a = g + e / 3 * 3, *b = g + e % 3 * 3;
        block[e] = scale * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
}

static void test_inverses(void)
{
    enum { N = 10000 };
    pl_bsr A;
    pl_block_jacobi M;
    diagonal_matrix(N, &A);
    for (int32_t i = 0; i < N; i++) random_positive(i % 3, A.val + 9 * i);
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(N, &M));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&M, &A));
    double *x = random_vector(3 * N), *y = random_vector(3 * N), *z = random_vector(3 * N);
    pl_block_jacobi_apply(&M, x, z);
    pl_bsr_multiply(&A, z, y);
    for (int32_t i = 0; i < N; i++) {
        const double *a = A.val + 9 * i, *m = M.inv + 6 * i;
        // Rounding times the condition, which the traces bound from above.
        double condition = (a[0] + a[4] + a[8]) * (m[0] + m[3] + m[5]);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-15 * condition, x[3 * i + c], y[3 * i + c]);
        }
    }
    free(x);
    free(y);
    free(z);
    pl_block_jacobi_free(&M);
    pl_bsr_free(&A);
}

// Scales that differ by much do not make a block singular.
static void test_scales(void)
{
    pl_bsr A;
    pl_block_jacobi M;
    diagonal_matrix(1, &A);
    const double diagonal[3] = {1e-100, 1e100, 1};
    for (int c = 0; c < 3; c++) A.val[4 * c] = diagonal[c];
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(1, &M));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&M, &A));
    const double expected[6] = {1e100, 0, 0, 1e-100, 0, 1};
    for (int e = 0; e < 6; e++) TEST_ASSERT_EQUAL_DOUBLE(expected[e], M.inv[e]);
    pl_block_jacobi_free(&M);
    pl_bsr_free(&A);
}

static void test_blocks_that_have_no_inverse(void)
{
    static const double bad[][9] = {
        {0},
        {-1, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 0, 0, 0, -1, 0, 0, 0, 1},
        {1, 0, 0, 0, 1, 0, 0, 0, -1},
        {1, 2, 0, 2, 1, 0, 0, 0, 1},                   // indefinite
        {1, 1, 1, 1, 1, 1, 1, 1, 1},                   // rank 1
        {2, 1, 0, 1, 2, 0, 0, 0, 0},                   // rank 2
        {0.1, 0.2, 0.3, 0.2, 0.4, 0.6, 0.3, 0.6, 0.9}, // rank 1, rounded
        {NAN, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, NAN, 0, NAN, 1, 0, 0, 0, 1},
        {1, 0, 0, 0, 1, 0, 0, 0, NAN},
        {INFINITY, 0, 0, 0, 1, 0, 0, 0, 1},
        {1, 0, 0, 0, INFINITY, 0, 0, 0, 1},
        {1e-320, 0, 0, 0, 1, 0, 0, 0, 1}, // whose inverse overflows
    };
    enum { N = 20000 };
    pl_bsr A;
    pl_block_jacobi M;
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(N, &M));
    for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
        diagonal_matrix(N, &A);
        memcpy(A.val + 9 * 12345, bad[b], sizeof bad[b]);
        memcpy(A.val + 9 * 19999, bad[b], sizeof bad[b]);
        char number[16];
        snprintf(number, sizeof number, "case %zu", b);
        TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_NUMERICS, pl_block_jacobi_update(&M, &A), number);
        TEST_ASSERT_EQUAL_STRING("block row 12345: the diagonal block is not positive definite",
                                 pl_error_text());
        pl_bsr_free(&A);
    }
    pl_block_jacobi_free(&M);
}

// g g^T + h h^T: rounding leaves a last pivot that is as often positive as not.
static void test_rank_two(void)
{
    enum { N = 1000 };
    pl_bsr A;
    pl_block_jacobi M;
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(1, &M));
    diagonal_matrix(1, &A);
    for (int k = 0; k < N; k++) {
        double g[3], h[3];
        for (int c = 0; c < 3; c++) g[c] = random_number(), h[c] = random_number();
        for (int e = 0; e < 9; e++) A.val[e] = g[e / 3] * g[e % 3] + h[e / 3] * h[e % 3];
        // The rounding is magnified by what is lost between the first two rows.
        if (A.val[0] * A.val[4] - A.val[1] * A.val[1] < 0.1 * A.val[0] * A.val[4]) continue;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, pl_block_jacobi_update(&M, &A));
    }
    pl_block_jacobi_free(&M);
    pl_bsr_free(&A);
}

// The one pass of an iteration, against its parts.
static void check_step(int32_t n, const uint8_t *fixed)
{
    pl_bsr A;
    pl_block_jacobi M;
    diagonal_matrix(n, &A);
    for (int32_t i = 0; i < n; i++) random_positive(1, A.val + 9 * i);
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(n, &M));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&M, &A));
    int64_t size = 3 * (int64_t)n;
    double *r0 = random_vector(size), *q0 = random_vector(size), *plain_r = random_vector(size);
    double *plain_z = random_vector(size), *r = random_vector(size), *q = random_vector(size);
    for (int64_t i = 0; i < size; i++) {
        plain_r[i] = fixed != NULL && fixed[i / 3] ? 0 : r0[i] - 0.4 * q0[i];
    }
    pl_block_jacobi_apply(&M, plain_r, plain_z);
    pl_residual_sums first = {0, 0};
    for (int threads = 1; threads <= 4; threads++) {
        pl_threads_set(threads);
        memcpy(r, r0, (size_t)size * sizeof *r);
        memcpy(q, q0, (size_t)size * sizeof *q);
        pl_residual_sums sums = pl_block_jacobi_step(&M, fixed, 0.4, r, q);
        TEST_ASSERT_TRUE(same_bits(plain_r, r, size));
        TEST_ASSERT_TRUE(same_bits(plain_z, q, size));
        if (threads == 1) first = sums;
        TEST_ASSERT_TRUE(same_bits(&first.rr, &sums.rr, 1) && same_bits(&first.rz, &sums.rz, 1));
    }
    double rr = pl_vec_dot(size, r, r), rz = pl_vec_dot(size, r, q);
    TEST_ASSERT_DOUBLE_WITHIN(1e-13 * rr, rr, first.rr); // all terms positive: rounding only
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * fabs(rz), rz, first.rz);
    double *all[6] = {r0, q0, plain_r, plain_z, r, q};
    for (int v = 0; v < 6; v++) free(all[v]);
    pl_block_jacobi_free(&M);
    pl_bsr_free(&A);
}

static void test_step(void)
{
    check_step(1, NULL);
    check_step(100, NULL);
    check_step(30000, NULL);
    uint8_t *fixed = malloc(30000);
    for (int i = 0; i < 30000; i++) fixed[i] = random_bits() % 3 == 0;
    check_step(30000, fixed);
    memset(fixed, 1, 30000);
    check_step(700, fixed);
    free(fixed);
}

static void test_nothing_and_no_memory(void)
{
    pl_block_jacobi M;
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(0, 0, NULL, &A));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(0, &M));
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_update(&M, &A));
    pl_block_jacobi_free(&M);
    pl_bsr_free(&A);
    fail_nth(0);
    TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_block_jacobi_create(10, &M));
    TEST_ASSERT_NULL(M.inv);
    TEST_ASSERT_EQUAL(0, live_blocks);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_inverses);
    RUN_TEST(test_scales);
    RUN_TEST(test_blocks_that_have_no_inverse);
    RUN_TEST(test_rank_two);
    RUN_TEST(test_step);
    RUN_TEST(test_nothing_and_no_memory);
    return UNITY_END();
}
