// Banded matrices on devices: formed, multiplied, factored and solved with, against the oracle's
// bits, and against plain sums and lcp/band.h.

#include "../gpu/band.h"
#include "../lcp/band.h"
#include "devices.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

static uint64_t state = 1;

static double noise(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9.3e18;
}

static double *numbers(int64_t n)
{
    double *x = malloc((size_t)n * sizeof *x + 8);
    for (int64_t i = 0; i < n; i++) x[i] = noise();
    return x;
}

static int64_t entries(int32_t n, int32_t rho)
{
    return n * ((int64_t)rho + 1);
}

// Diagonally dominant; what is outside of the matrix is no number.
static double *random_band(int32_t n, int32_t rho)
{
    double *val = numbers(entries(n, rho));
    for (int32_t j = 0; j < n; j++) {
        for (int32_t k = 0; k <= rho; k++) {
            double *entry = val + k + j * ((int64_t)rho + 1);
            if (k == 0) *entry += 2 * rho + 2;
            if (j + k >= n) *entry = NAN;
        }
    }
    return val;
}

static double entry(const double *val, int32_t n, int32_t rho, int32_t i, int32_t j)
{
    int32_t row = i > j ? i : j, column = i > j ? j : i;
    return row < n && row - column <= rho ? val[row - column + column * ((int64_t)rho + 1)] : 0;
}

// --- Products ---

static void try_product(int32_t n, int32_t rho, int32_t m)
{
    double *B = random_band(n, rho), *A = numbers((int64_t)n * m);
    double *want = numbers((int64_t)n * m), *got = numbers((int64_t)n * m);
    int64_t size = 8 * (int64_t)n * m;
    for (int32_t e = 0; e < n * m; e++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++) {
            if (abs(k - e % n) <= rho) sum += entry(B, n, rho, e % n, k) * A[k + e / n * n];
        }
        want[e] = sum;
    }
    for (int d = 0; d < n_devices; d++) {
        for (int g = 0; g < N_GROUPS; g++) {
            for (int tiled = 0; tiled < 2; tiled++) {
                pl_gpu *gpu = use_device(d, device_groups[g]);
                pl_gpu_buffer b = to_device(gpu, entries(n, rho), 8, B);
                pl_gpu_buffer a = to_device(gpu, (int64_t)n * m, 8, A);
                pl_gpu_buffer c = to_device(gpu, (int64_t)n * m, 8, got);
                pl_gpu_band_multiply(gpu, n, rho, &b, m, &a, tiled, &c);
                from_device(gpu, &c, size, got);
                // Zeros beside the band change no sum.
                expect_same_bits(devices + d, device_groups[g], want, got, size);
                pl_gpu_drop(gpu, &a), pl_gpu_drop(gpu, &b);
            }
        }
    }
    free(B), free(A), free(want), free(got);
}

static void test_products(void)
{
    static const int32_t shapes[][3] = {{0, 0, 0},   {1, 0, 1},    {1, 5, 1},
                                        {15, 3, 2},  {16, 16, 16}, {17, 2, 33},
                                        {40, 39, 7}, {70, 20, 1},  {33, 0, 5}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        try_product(shapes[i][0], shapes[i][1], shapes[i][2]);
    }
}

// --- Forming ---

// Columns that meet those of neighbours alone.
static void test_forms_products_of_columns(void)
{
    enum { ROWS = 50, COLUMNS = 37, PER = 6 };
    int64_t col[COLUMNS + 1];
    int32_t row[COLUMNS * PER];
    double *val = numbers(COLUMNS * PER), *d = numbers(ROWS), want[COLUMNS * COLUMNS],
           got[COLUMNS * COLUMNS];
    for (int j = 0; j <= COLUMNS; j++) col[j] = PER * j;
    for (int k = 0; k < COLUMNS * PER; k++) row[k] = k / PER + 2 * (k % PER); // ascending
    const int32_t rho = 10, n = COLUMNS;
    for (int e = 0; e < (int)entries(n, rho); e++) {
        int j = e / (rho + 1), i = j + e % (rho + 1);
        double sum = 0;
        for (int p = 0; i < n && p < PER * PER; p++) {
            int a = PER * i + p / PER, b = PER * j + p % PER;
            if (row[a] == row[b]) sum += val[a] * d[row[a]] * val[b];
        }
        want[e] = sum;
    }
    for (int dev = 0; dev < n_devices; dev++) {
        for (int g = 0; g < N_GROUPS; g++) {
            pl_gpu *gpu = use_device(dev, device_groups[g]);
            pl_gpu_buffer c = to_device(gpu, n + 1, 8, col), r = to_device(gpu, n * PER, 4, row);
            pl_gpu_buffer v = to_device(gpu, n * PER, 8, val), m = to_device(gpu, ROWS, 8, d);
            pl_gpu_buffer H = to_device(gpu, entries(n, rho), 8, got);
            pl_gpu_launch(gpu, "band_form", entries(n, rho),
                          PL_ARGS(PL_ARG(n), PL_ARG(rho), PL_ARG(&c), PL_ARG(&r), PL_ARG(&v),
                                  PL_ARG(&m), PL_ARG(&H)));
            from_device(gpu, &H, 8 * entries(n, rho), got);
            expect_same_bits(devices + dev, device_groups[g], want, got, 8 * entries(n, rho));
            pl_gpu_drop(gpu, &c), pl_gpu_drop(gpu, &r), pl_gpu_drop(gpu, &v), pl_gpu_drop(gpu, &m);
        }
    }
    free(val), free(d);
}

// The axes of diamonds, and the free part, against their definitions.
static void test_turns_and_takes_the_free_part(void)
{
    for (int32_t rho = 0; rho < 6; rho++) {
        const int32_t n = 24, wide = (rho + 1) / 2 * 2 + 1, n_free = 9;
        const int32_t row[] = {0, 1, 4, 7, 8, 9, 15, 20, 23};
        double *H = random_band(n, rho), want[24 * 8], want_free[9 * 8];
        double *got = numbers(entries(n, wide)), *got_free = numbers(entries(n_free, wide));
        for (int e = 0; e < (int)entries(n, wide); e++) {
            int j = e / (wide + 1), i = j + e % (wide + 1);
            double sum = 0;
            for (int p = 0; p < 4; p++) {
                double sign = (i % 2 && p / 2 ? -1 : 1) * (j % 2 && p % 2 ? -1 : 1);
                sum += 0.5 * sign * entry(H, n, rho, i / 2 * 2 + p / 2, j / 2 * 2 + p % 2);
            }
            want[e] = i < n ? sum : 0;
        }
        for (int e = 0; e < (int)entries(n_free, wide); e++) {
            int b = e / (wide + 1), a = b + e % (wide + 1);
            want_free[e] = a < n_free ? entry(want, n, wide, row[a], row[b]) : 0;
        }
        for (int d = 0; d < n_devices; d++) {
            pl_gpu *gpu = use_device(d, device_groups[rho % N_GROUPS]);
            pl_gpu_buffer h = to_device(gpu, entries(n, rho), 8, H),
                          r = to_device(gpu, n_free, 4, row);
            pl_gpu_buffer t = to_device(gpu, entries(n, wide), 8, got);
            pl_gpu_buffer f = to_device(gpu, entries(n_free, wide), 8, got_free);
            pl_gpu_launch(gpu, "band_turn", entries(n, wide),
                          PL_ARGS(PL_ARG(n), PL_ARG(rho), PL_ARG(&h), PL_ARG(wide), PL_ARG(&t)));
            pl_gpu_launch(gpu, "band_free", entries(n_free, wide),
                          PL_ARGS(PL_ARG(n), PL_ARG(wide), PL_ARG(&t), PL_ARG(n_free), PL_ARG(wide),
                                  PL_ARG(&r), PL_ARG(&f)));
            from_device(gpu, &t, 8 * entries(n, wide), got);
            from_device(gpu, &f, 8 * entries(n_free, wide), got_free);
            for (int e = 0; e < (int)entries(n, wide); e++) {
                TEST_ASSERT_DOUBLE_WITHIN(4e-15 * (2 * rho + 3), want[e], got[e]);
            }
            for (int e = 0; e < (int)entries(n_free, wide); e++) {
                TEST_ASSERT_DOUBLE_WITHIN(4e-15 * (2 * rho + 3), want_free[e], got_free[e]);
            }
            pl_gpu_drop(gpu, &h), pl_gpu_drop(gpu, &r);
        }
        free(H), free(got), free(got_free);
    }
}

// --- Factors and solves ---

typedef struct outcome {
    double *L, *X;
    int32_t good;
} outcome;

static void run_solve(pl_gpu *gpu, int32_t n, int32_t rho, int32_t k, const double *H,
                      const double *B, outcome *out)
{
    pl_gpu_band band = {0};
    // From a larger one, so that memory is used again.
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_band_start(gpu, n + 3, rho + 40, &band),
                              pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_band_start(gpu, n, rho, &band), pl_error_text());
    pl_gpu_write(gpu, &band.val, 0, 8 * entries(n, rho), H);
    pl_gpu_buffer b = to_device(gpu, (int64_t)n * k, 8, B);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_gpu_band_factor(gpu, &band, true, &out->good),
                              pl_error_text());
    if (out->good == n) TEST_ASSERT_EQUAL(PL_OK, pl_gpu_band_solve(gpu, &band, k, &b));
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_read(gpu, &band.val, 0, 8 * entries(n, rho), out->L));
    from_device(gpu, &b, 8 * (int64_t)n * k, out->X);
    pl_gpu_band_free(gpu, &band);
}

static void try_solve(int32_t n, int32_t rho, int32_t k, int n_groups)
{
    double *H = random_band(n, rho), *B = numbers((int64_t)n * k);
    double *L = numbers(entries(n, rho)), *X = numbers((int64_t)n * k);
    outcome want = {numbers(entries(n, rho)), numbers((int64_t)n * k), 0};
    outcome got = {numbers(entries(n, rho)), numbers((int64_t)n * k), 0};
    run_solve(use_device(0, 64), n, rho, k, H, B, &want);
    TEST_ASSERT_EQUAL_INT32(n, want.good);
    // As lcp/band.h has it. The matrix is diagonally dominant: condition below 4.
    pl_band band;
    pl_band_start(&band, n, rho, L);
    memcpy(L, H, (size_t)entries(n, rho) * 8);
    memcpy(X, B, (size_t)n * (size_t)k * 8);
    TEST_ASSERT_EQUAL_INT32(n, pl_band_factor(&band));
    for (int32_t c = 0; c < k; c++) pl_band_substitute(&band, X + (int64_t)c * n);
    for (int64_t e = 0; e < entries(n, rho); e++) {
        if (e % (rho + 1) + e / (rho + 1) >= n) continue;
        TEST_ASSERT_DOUBLE_WITHIN(1e-13 * (rho + 1), L[e], want.L[e]);
    }
    for (int64_t e = 0; e < (int64_t)n * k; e++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, X[e], want.X[e]);
    for (int d = 0; d < n_devices; d++) {
        for (int g = 0; g < n_groups; g++) {
            int32_t size = n_groups > 1 ? device_groups[g] : 128;
            run_solve(use_device(d, size), n, rho, k, H, B, &got);
            TEST_ASSERT_EQUAL_INT32(n, got.good);
            expect_same_bits(devices + d, size, want.X, got.X, 8 * (int64_t)n * k);
        }
    }
    free(H), free(B), free(L), free(X), free(want.L), free(want.X), free(got.L), free(got.X);
}

// Bands around the size of tiles and blocks, n not a multiple of either, one and many columns.
static void test_solves(void)
{
    static const int32_t shapes[][3] = {{0, 0, 1},    {1, 0, 1},    {1, 4, 3},     {31, 2, 1},
                                        {32, 31, 5},  {33, 32, 33}, {70, 33, 2},   {100, 7, 64},
                                        {129, 64, 1}, {200, 40, 3}, {200, 97, 31}, {150, 149, 4},
                                        {160, 0, 2},  {257, 130, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        try_solve(shapes[i][0], shapes[i][1], shapes[i][2], i % 5 == 0 ? N_GROUPS : 1);
    }
}

static void test_tells_the_first_bad_pivot(void)
{
    const int32_t n = 90, rho = 20;
    double *H = random_band(n, rho), *B = numbers(n);
    outcome got = {numbers(entries(n, rho)), numbers(n), 0};
    for (int32_t bad = 3; bad < n; bad += 43) {
        H[bad * (rho + 1)] = -100;
        for (int d = 0; d < n_devices; d++) {
            run_solve(use_device(d, 64), n, rho, 1, H, B, &got);
            TEST_ASSERT_EQUAL_INT32(bad, got.good);
        }
        H[bad * (rho + 1)] = 100;
    }
    free(H), free(B), free(got.L), free(got.X);
}

static pl_status start_and_factor(void *user)
{
    pl_gpu *gpu = user;
    pl_gpu_band band = {0};
    int32_t good;
    double *H = random_band(70, 40);
    pl_status status = pl_gpu_band_start(gpu, 70, 40, &band);
    if (status == PL_OK) pl_gpu_write(gpu, &band.val, 0, 8 * entries(70, 40), H);
    if (status == PL_OK) status = pl_gpu_band_factor(gpu, &band, true, &good);
    if (status == PL_OK) status = pl_gpu_band_solve(gpu, &band, 1, &band.turn);
    pl_gpu_band_free(gpu, &band);
    free(H);
    return status;
}

static void test_no_memory(void)
{
    fail_each_allocation(start_and_factor, use_device(0, 64));
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_products);
    RUN_TEST(test_forms_products_of_columns);
    RUN_TEST(test_turns_and_takes_the_free_part);
    RUN_TEST(test_solves);
    RUN_TEST(test_tells_the_first_bad_pivot);
    RUN_TEST(test_no_memory);
    close_devices();
    return UNITY_END();
}
