// Banded factors: solves row by row and in blocks against dense Gauss, for all shapes of blocks;
// the products are counted.

#include "../lcp/band.h"
#include "../lcp/blas.h"
#include "lcps.h"

#include <stdio.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// A random matrix with half-bandwidth rho, dominated by its diagonal; dense, column by column.
static double *random_band(int32_t n, int32_t rho)
{
    double *H = calloc((size_t)n * (size_t)n + 1, sizeof *H);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n && i <= j + rho; i++) {
            double entry = random_number();
            H[i + j * n] = H[j + i * n] = i == j ? 1.2 * rho + 1 + 0.5 * entry : entry;
        }
    }
    return H;
}

static pl_band band_of(int32_t n, int32_t rho, const double *H)
{
    pl_band band;
    pl_band_start(&band, n, rho, malloc((size_t)pl_band_entries(n, rho) * sizeof(double) + 8));
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n && i <= j + rho; i++) {
            band.val[i - j + j * (int64_t)band.ld] = H[i + j * n];
        }
    }
    return band;
}

static void expect_same(int32_t n, const double *expected, const double *got, const char *text)
{
    double size = 0, error = 0;
    for (int32_t i = 0; i < n; i++) {
        size = fmax(size, fabs(expected[i]));
        error = fmax(error, fabs(expected[i] - got[i]));
    }
    // the condition is below 20
    TEST_ASSERT_TRUE_MESSAGE(error <= 1e-13 * size, text);
}

// All right-hand sides at once, in blocks of s, against `expected` (n * k).
static void hold_blocks(pl_band *band, int32_t s, int32_t k, const double *B,
                        const double *expected)
{
    int32_t n = band->n;
    char text[96];
    snprintf(text, sizeof text, "n %d, rho %d, s %d, k %d", n, band->rho, s, k);
    double *inverse = malloc((size_t)pl_band_inverse_entries(n, s) * sizeof *inverse);
    double *X = malloc((size_t)(n * k) * sizeof *X);
    double *scratch = malloc((size_t)(band->rho * k + 1) * sizeof *scratch);
    memcpy(X, B, (size_t)(n * k) * sizeof *X);
    pl_band_invert(band, s, inverse);
    int64_t before = band->products, p = (n + s - 1) / s;
    pl_band_solve(band, k, X, scratch);
    TEST_ASSERT_EQUAL_INT64_MESSAGE(4 * p - 2, band->products - before, text);
    for (int32_t c = 0; c < k; c++) expect_same(n, expected + c * n, X + c * n, text);
    free(inverse), free(X), free(scratch);
}

static void test_blocks_against_gauss(void)
{
    static const struct {
        int32_t n, rho;
        int32_t s[4];
    } cases[] = {{1, 0, {1, 0}},           {7, 0, {1, 3, 7, 0}},       {20, 19, {20, 25, 0}},
                 {40, 5, {5, 6, 8, 40}},   {97, 10, {10, 11, 32, 96}}, {130, 64, {64, 65, 96, 129}},
                 {200, 1, {1, 2, 32, 199}}};
    random_state = 3;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        enum { K = 9 };
        int32_t n = cases[c].n, rho = cases[c].rho;
        double *H = random_band(n, rho), *B = random_vector(n * K);
        double *X = malloc((size_t)(n * K) * sizeof *X), *K_ = malloc((size_t)(n * n) * sizeof *K_);
        double x[200];
        memcpy(X, B, (size_t)(n * K) * sizeof *X);
        for (int32_t k = 0; k < K; k++) {
            memcpy(K_, H, (size_t)(n * n) * sizeof *K_);
            TEST_ASSERT_TRUE(solve_dense(n, K_, X + k * n));
        }
        pl_band band = band_of(n, rho, H);
        band.products = 0;
        TEST_ASSERT_EQUAL_INT32(n, pl_band_factor(&band));
        memcpy(x, B, (size_t)n * sizeof *x);
        pl_band_substitute(&band, x);
        expect_same(n, X, x, "substitution");
        for (int32_t s = 0; s < 4 && cases[c].s[s] > 0; s++) {
            hold_blocks(&band, cases[c].s[s], 1, B, X);
            hold_blocks(&band, cases[c].s[s], K, B, X);
        }
        int32_t s = pl_band_block(n, rho);
        TEST_ASSERT_TRUE(s >= PL_MIN(n, rho) && s <= n);
        hold_blocks(&band, s, K, B, X);
        free(H), free(B), free(X), free(K_), free(band.val);
    }
}

static void test_a_pivot_that_is_not_positive(void)
{
    double H[16] = {2, 1, 0, 0, 1, 2, 3, 0, 0, 3, 2, 1, 0, 0, 1, 2};
    pl_band band = band_of(4, 1, H);
    TEST_ASSERT_EQUAL_INT32(2, pl_band_factor(&band));
    free(band.val);
}

// Every product with a triangle against its definition.
static void test_products_with_triangles(void)
{
    enum { M = 13, N = 6, LDA = 17 };
    static const unsigned cases[] = {PL_BLAS_LOWER, PL_BLAS_TRANSPOSED, PL_BLAS_UPPER,
                                     PL_BLAS_UPPER | PL_BLAS_TRANSPOSED, PL_BLAS_RIGHT};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        unsigned flags = cases[c];
        bool upper = flags & PL_BLAS_UPPER, transposed = flags & PL_BLAS_TRANSPOSED;
        bool right = flags & PL_BLAS_RIGHT;
        int32_t size = right ? N : M;
        double *A = random_vector(LDA * LDA), *B = random_vector(LDA * N), got[LDA * N];
        memcpy(got, B, sizeof got);
        pl_blas_trmm(flags, M, N, -0.5, A, LDA, got, LDA);
        for (int32_t i = 0; i < M; i++) {
            for (int32_t j = 0; j < N; j++) {
                double sum = 0;
                for (int32_t k = 0; k < size; k++) {
                    int32_t r = right ? k : i, s = right ? j : k; // of op(A)
                    int32_t row = transposed ? s : r, col = transposed ? r : s;
                    double a = (upper ? row <= col : row >= col) ? A[row + col * LDA] : 0;
                    sum += a * (right ? B[i + k * LDA] : B[k + j * LDA]);
                }
                TEST_ASSERT_DOUBLE_WITHIN(1e-14, -0.5 * sum, got[i + j * LDA]);
            }
        }
        free(A), free(B);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_blocks_against_gauss);
    RUN_TEST(test_a_pivot_that_is_not_positive);
    RUN_TEST(test_products_with_triangles);
    return UNITY_END();
}
