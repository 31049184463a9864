// Small dense matrices: factors against products, and factors that grow and shrink against new
// ones.

#include "../lcp/dense.h"
#include "matrices.h"

static const int32_t sizes[] = {1, 2, 15, 16, 17, 47, 48, 49, 97, 150}; // around panels and tiles
enum { N_SIZES = sizeof sizes / sizeof *sizes };

void setUp(void)
{
}

void tearDown(void)
{
}

// Columns of ld = n + 3, with what is not to be touched set to NAN.
static double *spd_matrix(int32_t n, int64_t ld)
{
    double *B = random_vector((int64_t)n * n), *A = malloc((size_t)(ld * n) * sizeof *A);
    for (int64_t e = 0; e < ld * n; e++) A[e] = NAN;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n; i++) {
            double sum = i == j ? 0.1 : 0;
            for (int32_t k = 0; k < n; k++) sum += B[i + k * n] * B[j + k * n] / n;
            A[i + j * ld] = sum;
        }
    }
    free(B);
    return A;
}

static double *copy_of(const double *A, int64_t size)
{
    double *copy = malloc((size_t)size * sizeof *copy);
    memcpy(copy, A, (size_t)size * sizeof *copy);
    return copy;
}

// |A x - b| for the lower triangle of a symmetric A.
static double residual(int32_t n, const double *A, int64_t ld, const double *x, const double *b)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        double sum = -b[i];
        for (int32_t j = 0; j < n; j++) sum += (i >= j ? A[i + j * ld] : A[j + i * ld]) * x[j];
        most = fmax(most, fabs(sum));
    }
    return most;
}

static void test_cholesky(void)
{
    random_state = 4;
    for (int32_t s = 0; s < N_SIZES; s++) {
        int32_t n = sizes[s];
        int64_t ld = n + 3;
        double *A = spd_matrix(n, ld), *L = copy_of(A, ld * n), *b = random_vector(n);
        double *x = copy_of(b, n), *least = random_vector(n);
        TEST_ASSERT_EQUAL_INT32(n, pl_dense_cholesky(n, L, ld, least));
        pl_dense_cholesky_solve(n, L, ld, x);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, residual(n, A, ld, x, b));
        for (int32_t k = 0; k < n; k++) TEST_ASSERT_TRUE(isnan(L[n + k * ld])); // nothing else
        A[n - 1 + (n - 1) * ld] = -0.1;
        TEST_ASSERT_EQUAL_INT32(n - 1, pl_dense_cholesky(n, A, ld, least));
        free(A), free(L), free(b), free(x), free(least);
    }
}

// A matrix of rank n - 1 has a last pivot of rounding, whatever its sign.
static void test_a_singular_matrix(void)
{
    random_state = 19;
    for (int32_t trial = 0; trial < 20; trial++) {
        enum { N = 60 };
        double v[N], *A = spd_matrix(N, N), least[N];
        for (int32_t i = 0; i < N; i++) v[i] = i == N - 1 ? -1 : random_number();
        // row N - 1 becomes a combination of the others
        double corner = 0;
        for (int32_t j = 0; j < N - 1; j++) {
            double sum = 0;
            for (int32_t k = 0; k < N - 1; k++)
                sum += (k >= j ? A[k + j * N] : A[j + k * N]) * v[k];
            A[N - 1 + j * N] = sum;
            corner += sum * v[j];
        }
        A[N - 1 + (N - 1) * N] = corner * (1 - 1e-15);
        TEST_ASSERT_EQUAL_INT32(N - 1, pl_dense_cholesky(N, A, N, least));
        free(A);
    }
}

static void test_lu(void)
{
    random_state = 5;
    for (int32_t s = 0; s < N_SIZES; s++) {
        int32_t n = sizes[s], *pivot = calloc((size_t)n, sizeof *pivot);
        int64_t ld = n + 3;
        double *A = random_vector(ld * n), *F = copy_of(A, ld * n), *b = random_vector(n);
        double *x = copy_of(b, n), *least = random_vector(n);
        TEST_ASSERT_EQUAL_INT32(n, pl_dense_lu(n, F, ld, pivot, least));
        pl_dense_lu_solve(n, F, ld, pivot, x);
        for (int32_t i = 0; i < n; i++) {
            double sum = -b[i], size = 1;
            for (int32_t j = 0; j < n; j++) {
                sum += A[i + j * ld] * x[j];
                size += fabs(A[i + j * ld] * x[j]);
            }
            TEST_ASSERT_DOUBLE_WITHIN(1e-13 * size, 0, sum);
        }
        for (int32_t i = 0; i < n && n > 1; i++) A[i + (n - 1) * ld] = A[i];
        if (n > 1) TEST_ASSERT_EQUAL_INT32(n - 1, pl_dense_lu(n, A, ld, pivot, least));
        free(A), free(F), free(b), free(x), free(least), free(pivot);
    }
}

// Rows appended one by one, and removed at random places, against the factor of what is left.
static void test_rows_come_and_go(void)
{
    enum { N = 40 };
    random_state = 6;
    double *A = spd_matrix(N, N), L[N * N], a[N], least[N];
    int32_t rows[N], n = 0;
    for (int32_t step = 0; step < 400; step++) {
        bool grow = n == 0 || (n < N && random_bits() % 3 > 0);
        if (grow) {
            int32_t row = (int32_t)(random_bits() % N);
            bool there = false;
            for (int32_t k = 0; k < n; k++) there = there || rows[k] == row;
            if (there) continue;
            rows[n] = row;
            for (int32_t k = 0; k <= n; k++) {
                a[k] = A[PL_MAX(row, rows[k]) + PL_MIN(row, rows[k]) * N];
            }
            TEST_ASSERT_TRUE(pl_dense_cholesky_append(n++, L, N, a));
        } else {
            int32_t k = (int32_t)(random_bits() % (uint32_t)n);
            pl_dense_cholesky_remove(n--, L, N, k);
            memmove(rows + k, rows + k + 1, (size_t)(n - k) * sizeof *rows);
        }
        double *fresh = calloc((size_t)(n * n) + 1, sizeof *fresh);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j <= i; j++) {
                fresh[i + j * n] = A[PL_MAX(rows[i], rows[j]) + PL_MIN(rows[i], rows[j]) * N];
            }
        }
        TEST_ASSERT_EQUAL_INT32(n, pl_dense_cholesky(n, fresh, n, least));
        for (int32_t j = 0; j < n; j++) {
            for (int32_t i = j; i < n; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-11, fresh[i + j * n], L[i + j * N]);
            }
        }
        free(fresh);
    }
    // a row twice is singular, and leaves the factor as it was
    for (int32_t k = 0; k < n; k++)
        a[k] = A[PL_MAX(rows[0], rows[k]) + PL_MIN(rows[0], rows[k]) * N];
    a[n] = a[0];
    TEST_ASSERT_FALSE(pl_dense_cholesky_append(n, L, N, a));
    free(A);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_cholesky);
    RUN_TEST(test_a_singular_matrix);
    RUN_TEST(test_lu);
    RUN_TEST(test_rows_come_and_go);
    return UNITY_END();
}
