// Products in single precision: bit for bit those of plain loops, on any number of threads.

#include "failing_alloc.h"
#include "matrices.h"
#include "../solvers/bsr_single.h"

#include <math.h>

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// The order of sums that bsr.h promises.
static void plain_multiply(const pl_bsr *A, const float *x, float *y)
{
    for (int32_t i = 0; i < A->n; i++) {
        for (int r = 0; r < 3; r++) {
            float sum[3] = {0};
            for (int64_t k = A->row[i]; k < A->row[i + 1]; k++) {
                for (int c = 0; c < 3; c++) {
                    sum[c] += (float)A->val[9 * k + 3 * c + r] * x[3 * A->col[k] + c];
                }
            }
            y[3 * i + r] = (sum[0] + sum[1]) + sum[2];
        }
    }
}

static float *random_floats(int64_t n) // and one more
{
    float *x = calloc((size_t)n + 1, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = (float)random_number();
    return x;
}

static void check_product(const pl_bsr *A)
{
    int64_t n = 3 * (int64_t)A->n;
    pl_arena arena = {0};
    float *val = pl_single_take(A, &arena);
    float *x = random_floats(n), *plain = random_floats(n), *y = random_floats(n);
    double *z = random_vector(n), *sum = random_vector(n);
    TEST_ASSERT_NOT_NULL(val);
    plain_multiply(A, x, plain);
    for (int threads = 1; threads <= 4; threads++) {
        pl_threads_set(threads);
        memset(y, 0xff, (size_t)n * sizeof *y);
        pl_single_multiply(A, val, x, y);
        TEST_ASSERT_EQUAL(0, memcmp(plain, y, (size_t)n * sizeof *y));
    }
    int32_t first = A->n / 3, last = A->n - A->n / 4;
    memcpy(sum, z, (size_t)n * sizeof *sum);
    pl_single_multiply_rows(A, val, first, last, x, z, sum);
    for (int64_t i = 0; i < n; i++) {
        bool inside = i >= 3 * first && i < 3 * last;
        TEST_ASSERT_TRUE(sum[i] == (inside ? z[i] + (double)plain[i] : z[i]));
    }
    pl_single_multiply_rows(A, val, 0, A->n, x, NULL, sum);
    for (int64_t i = 0; i < n; i++) TEST_ASSERT_TRUE(sum[i] == (double)plain[i]);
    free(x), free(plain), free(y), free(z), free(sum);
    pl_arena_free(&arena);
}

static void test_products_against_plain_ones(void)
{
    const int32_t sizes[] = {1, 2, 77, 30000};
    for (int s = 0; s < 4; s++) {
        pl_bsr A;
        random_matrix(sizes[s], 6 * (int64_t)sizes[s], 1, &A);
        check_product(&A);
        pl_bsr_free(&A);
    }
}

// The kernel loads four numbers where three belong together: the fourth must leave no trace.
static void test_nan_stays_in_its_row(void)
{
    pl_bsr A;
    grid_matrix(6, 0.1, &A);
    int64_t n = 3 * (int64_t)A.n, bad = A.n / 2;
    float *x = random_floats(n), *clean = random_floats(n), *y = random_floats(n);
    plain_multiply(&A, x, clean);
    for (int64_t v = 9 * A.row[bad]; v < 9 * A.row[bad + 1]; v++) A.val[v] = NAN;
    pl_arena arena = {0};
    float *val = pl_single_take(&A, &arena);
    for (int i = 0; i < 9; i++) TEST_ASSERT_TRUE(val[9 * A.nnz + i] == 0);
    x[n] = NAN; // past the end
    pl_single_multiply(&A, val, x, y);
    for (int64_t i = 0; i < n; i++) {
        TEST_ASSERT_TRUE(i / 3 == bad ? isnan(y[i]) : y[i] == clean[i]);
    }
    free(x), free(clean), free(y);
    pl_arena_free(&arena);
    pl_bsr_free(&A);
}

static void test_memory_that_is_not_there(void)
{
    pl_bsr A;
    pl_arena arena = {0};
    grid_matrix(3, 0.1, &A);
    fail_nth(0);
    float *val = pl_single_take(&A, &arena);
    fail_never();
    TEST_ASSERT_NULL(val);
    pl_arena_free(&arena);
    pl_bsr_free(&A);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_products_against_plain_ones);
    RUN_TEST(test_nan_stays_in_its_row);
    RUN_TEST(test_memory_that_is_not_there);
    return UNITY_END();
}
