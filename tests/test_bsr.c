// Block-sparse matrices: the pattern against a dense one, the product against dense and plain ones.

#include "failing_alloc.h"
#include "matrices.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// --- The pattern ---

static void check_pattern(int32_t n, int64_t n_edge)
{
    int32_t *edge = random_edges(n, n_edge);
    bool *dense = calloc((size_t)n * (size_t)n, 1);
    for (int32_t i = 0; i < n; i++) dense[i * n + i] = true;
    for (int64_t e = 0; e < n_edge; e++) {
        dense[edge[2 * e] * n + edge[2 * e + 1]] = dense[edge[2 * e + 1] * n + edge[2 * e]] = true;
    }
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n, n_edge, edge, &A));
    TEST_ASSERT_EQUAL(n, A.n);
    int64_t k = 0;
    for (int32_t i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL(k, A.row[i]);
        for (int32_t j = 0; j < n; j++) {
            TEST_ASSERT_EQUAL(dense[i * n + j] ? k : -1, pl_bsr_find(&A, i, j));
            if (i == j) TEST_ASSERT_EQUAL(k, A.diag[i]);
            if (dense[i * n + j]) TEST_ASSERT_EQUAL(j, A.col[k++]);
        }
    }
    TEST_ASSERT_EQUAL(k, A.row[n]);
    TEST_ASSERT_EQUAL(k, A.nnz);
    for (int64_t v = 0; v < 9 * (A.nnz + 1); v++) TEST_ASSERT_TRUE(A.val[v] == 0);
    pl_bsr_free(&A);
    TEST_ASSERT_EQUAL(0, A.n);
    TEST_ASSERT_NULL(A.val);
    free(dense);
    free(edge);
}

static void test_pattern_against_dense(void)
{
    check_pattern(1, 0);
    check_pattern(1, 3); // loops only
    check_pattern(2, 1);
    check_pattern(40, 20);
    check_pattern(60, 400);
    check_pattern(30, 3000); // every pair, many times
}

static void test_pattern_of_nothing(void)
{
    pl_bsr A;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(0, 0, NULL, &A));
    TEST_ASSERT_EQUAL(0, A.nnz);
    pl_bsr_zero(&A);
    double none = 0;
    TEST_ASSERT_TRUE(pl_bsr_multiply_dot(&A, &none, &none) == 0);
    pl_bsr_free(&A);
}

static void test_pattern_errors(void)
{
    pl_bsr A;
    const int32_t high[4] = {0, 1, 2, 3}, low[2] = {-1, 0};
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_bsr_create(3, 2, high, &A));
    TEST_ASSERT_EQUAL_STRING("edge 1: index 3 is not among the 3 block rows", pl_error_text());
    TEST_ASSERT_NULL(A.row);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_bsr_create(3, 1, low, &A));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_bsr_create(-1, 0, NULL, &A));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_bsr_create(3, -1, NULL, &A));
    TEST_ASSERT_NULL(A.row);
}

static void test_parts_cover_the_rows(void)
{
    const int32_t sizes[4] = {1, 100, 3000, 100000};
    for (int s = 0; s < 4; s++) {
        pl_bsr A;
        random_matrix(sizes[s], 7 * (int64_t)sizes[s], 0, &A);
        TEST_ASSERT_TRUE(A.n_part >= 1 && A.n_part <= PL_MAX_PARTS);
        TEST_ASSERT_EQUAL(0, A.part[0]);
        TEST_ASSERT_EQUAL(A.n, A.part[A.n_part]);
        for (int32_t p = 0; p < A.n_part; p++) {
            TEST_ASSERT_TRUE(A.part[p] <= A.part[p + 1]);
            // A part is too long by the last row of the one before at most; that of 0 is long.
            int64_t blocks = A.row[A.part[p + 1]] - A.row[A.part[p]];
            int64_t longest = A.row[1];
            TEST_ASSERT_TRUE(blocks <= A.nnz / A.n_part + longest + 1);
        }
        pl_bsr_free(&A);
    }
}

static void test_allocation_failures(void)
{
    int32_t *edge = random_edges(50, 200);
    pl_bsr A;
    int64_t n = 0;
    for (; fail_nth(n), pl_bsr_create(50, 200, edge, &A) == PL_ERROR_MEMORY; n++) {
        TEST_ASSERT_EQUAL(0, live_blocks);
        TEST_ASSERT_NULL(A.row);
    }
    TEST_ASSERT_EQUAL(8, n);
    pl_bsr_free(&A);
    TEST_ASSERT_EQUAL(0, live_blocks);
    free(edge);
}

static void test_zero(void)
{
    pl_bsr A;
    random_matrix(3000, 20000, 1, &A);
    pl_bsr_zero(&A);
    for (int64_t v = 0; v < 9 * (A.nnz + 1); v++) TEST_ASSERT_TRUE(A.val[v] == 0);
    pl_bsr_free(&A);
}

// --- The product ---

// What multiply_rows promises, one number at a time.
static double plain_multiply(const pl_bsr *A, const double *x, double *y)
{
    double total = 0;
    for (int32_t p = 0; p < A->n_part; p++) {
        double dot[3] = {0, 0, 0};
        for (int32_t i = A->part[p]; i < A->part[p + 1]; i++) {
            for (int r = 0; r < 3; r++) {
                double sum[3] = {0, 0, 0}; // by columns
                for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
                    for (int c = 0; c < 3; c++) {
                        sum[c] += A->val[9 * k + 3 * c + r] * x[3 * A->col[k] + c];
                    }
                }
                y[3 * i + r] = (sum[0] + sum[1]) + sum[2];
                dot[r] += x[3 * i + r] * y[3 * i + r];
            }
        }
        total += (dot[0] + dot[1]) + dot[2];
    }
    return total;
}

static void test_product_against_dense(void)
{
    for (int32_t n = 1; n < 80; n += 13) {
        pl_bsr A;
        random_matrix(n, 4 * n, 1, &A);
        double *D = dense_copy(&A), *x = random_vector(3 * n), *y = random_vector(3 * n);
        pl_bsr_multiply(&A, x, y);
        for (int32_t i = 0; i < 3 * n; i++) {
            double sum = 0;
            for (int32_t j = 0; j < 3 * n; j++) sum += D[3 * n * i + j] * x[j];
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, sum, y[i]); // 240 terms of about 1, and rounding
        }
        free(D);
        free(x);
        free(y);
        pl_bsr_free(&A);
    }
}

// Bit for bit, on one thread and on several.
static void check_product(const pl_bsr *A)
{
    int64_t size = 3 * (int64_t)A->n;
    double *x = random_vector(size), *plain = random_vector(size), *y = random_vector(size);
    double plain_dot = plain_multiply(A, x, plain);
    const int threads[4] = {1, 2, 3, 4};
    for (int t = 0; t < 4; t++) {
        pl_threads_set(threads[t]);
        memset(y, 0xff, (size_t)size * sizeof *y);
        double dot = pl_bsr_multiply_dot(A, x, y);
        TEST_ASSERT_TRUE(same_bits(&plain_dot, &dot, 1));
        TEST_ASSERT_TRUE(same_bits(plain, y, size));
        memset(y, 0xff, (size_t)size * sizeof *y);
        pl_bsr_multiply(A, x, y);
        TEST_ASSERT_TRUE(same_bits(plain, y, size));
    }
    free(x);
    free(plain);
    free(y);
}

static void test_product_against_plain(void)
{
    const int32_t sizes[5] = {1, 2, 77, 1000, 30000};
    for (int s = 0; s < 5; s++) {
        pl_bsr A;
        random_matrix(sizes[s], 6 * (int64_t)sizes[s], 1, &A);
        check_product(&A);
        pl_bsr_free(&A);
    }
    pl_bsr A;
    grid_matrix(20, 0.1, &A);
    check_product(&A);
    pl_bsr_free(&A);
}

// The kernel loads four numbers where three belong together: the fourth must leave no trace.
static void test_product_keeps_nan_in_its_row(void)
{
    pl_bsr A;
    grid_matrix(6, 0.1, &A);
    double *x = random_vector(3 * A.n), *clean = random_vector(3 * A.n),
           *y = random_vector(3 * A.n);
    plain_multiply(&A, x, clean);
    int32_t bad = A.n / 2;
    for (int64_t v = 9 * A.row[bad]; v < 9 * A.row[bad + 1]; v++) A.val[v] = NAN;
    A.val[9 * A.nnz] = NAN; // past the end
    pl_bsr_multiply(&A, x, y);
    TEST_ASSERT_TRUE(isnan(y[3 * bad]) && isnan(y[3 * bad + 1]) && isnan(y[3 * bad + 2]));
    TEST_ASSERT_TRUE(same_bits(clean, y, 3 * bad));
    TEST_ASSERT_TRUE(same_bits(clean + 3 * bad + 3, y + 3 * bad + 3, 3 * (A.n - bad - 1)));
    free(x);
    free(clean);
    free(y);
    pl_bsr_free(&A);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pattern_against_dense);
    RUN_TEST(test_pattern_of_nothing);
    RUN_TEST(test_pattern_errors);
    RUN_TEST(test_parts_cover_the_rows);
    RUN_TEST(test_allocation_failures);
    RUN_TEST(test_zero);
    RUN_TEST(test_product_against_dense);
    RUN_TEST(test_product_against_plain);
    RUN_TEST(test_product_keeps_nan_in_its_row);
    return UNITY_END();
}
