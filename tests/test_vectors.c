// Sums and updates of vectors: against plain loops, bit for bit, on any number of threads.

#include "matrices.h"
#include "../solvers/vectors.h"

static const int64_t sizes[] = {0,    1,    2,     15,    16,    17,     100,    2047,
                                2048, 2049, 32767, 32768, 50001, 524287, 524288, 600001};

enum { SIZES = sizeof sizes / sizeof sizes[0], MAX_THREADS = 4 };

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    pl_threads_set(2);
}

// The order that vectors.h promises.
static double plain_dot(int64_t n, const double *x, const double *y)
{
    double total = 0;
    int64_t size = pl_part_size(n, 2048);
    for (int64_t first = 0; first < n; first += size) {
        double lane[16] = {0};
        for (int64_t i = first; i < n && i < first + size; i++)
            lane[(i - first) % 16] += x[i] * y[i];
        for (int half = 8; half > 0; half /= 2) {
            for (int l = 0; l < half; l++) lane[l] += lane[l + half];
        }
        total += lane[0];
    }
    return total;
}

static void test_parts(void)
{
    for (int s = 0; s < SIZES; s++) {
        int64_t size = pl_part_size(sizes[s], 2048);
        TEST_ASSERT_TRUE(size >= 2048 && size % 16 == 0);
        TEST_ASSERT_TRUE(size * PL_MAX_PARTS >= sizes[s]);
    }
}

static void test_dot(void)
{
    for (int s = 0; s < SIZES; s++) {
        int64_t n = sizes[s];
        double *x = random_vector(n), *y = random_vector(n);
        long double exact = 0, scale = 0;
        for (int64_t i = 0; i < n; i++) {
            exact += (long double)x[i] * y[i];
            scale += fabsl((long double)x[i] * y[i]);
        }
        double plain = plain_dot(n, x, y);
        // Sums of sums of at most 150 + 4 + 256 terms, each rounded.
        TEST_ASSERT_TRUE(fabsl(plain - exact) <= 410 * 1.2e-16L * scale);
        for (int threads = 1; threads <= MAX_THREADS; threads++) {
            pl_threads_set(threads);
            double dot = pl_vec_dot(n, x, y);
            TEST_ASSERT_TRUE(same_bits(&plain, &dot, 1));
        }
        free(x);
        free(y);
    }
}

static void test_add(void)
{
    for (int s = 0; s < SIZES; s++) {
        int64_t n = sizes[s];
        double *x = random_vector(n), *y = random_vector(n), *plain = random_vector(n);
        for (int threads = 1; threads <= MAX_THREADS; threads++) {
            pl_threads_set(threads);
            for (int64_t i = 0; i < n; i++) plain[i] = y[i] + 0.3 * x[i];
            pl_vec_add(n, 0.3, x, y);
            TEST_ASSERT_TRUE(same_bits(plain, y, n));
        }
        free(x);
        free(y);
        free(plain);
    }
}

static void test_copy(void)
{
    for (int s = 0; s < SIZES; s++) {
        int64_t n = sizes[s];
        double *x = random_vector(n + 1), *y = random_vector(n + 1), beyond = y[n];
        pl_vec_copy(n, x, y);
        TEST_ASSERT_TRUE(same_bits(x, y, n) && y[n] == beyond);
        free(x), free(y);
    }
    pl_vec_copy(0, NULL, NULL);
}

static void test_advance(void)
{
    for (int s = 0; s < SIZES; s++) {
        int64_t n = sizes[s];
        double *x = random_vector(n), *p = random_vector(n), *z = random_vector(n);
        double *plain_x = random_vector(n), *plain_p = random_vector(n);
        for (int threads = 1; threads <= MAX_THREADS; threads++) {
            pl_threads_set(threads);
            for (int64_t i = 0; i < n; i++) {
                plain_x[i] = x[i] + 0.7 * p[i];
                plain_p[i] = z[i] + -0.2 * p[i];
            }
            pl_vec_advance(n, 0.7, -0.2, z, p, x);
            TEST_ASSERT_TRUE(same_bits(plain_x, x, n));
            TEST_ASSERT_TRUE(same_bits(plain_p, p, n));
        }
        free(x);
        free(p);
        free(z);
        free(plain_x);
        free(plain_p);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_parts);
    RUN_TEST(test_dot);
    RUN_TEST(test_add);
    RUN_TEST(test_copy);
    RUN_TEST(test_advance);
    return UNITY_END();
}
