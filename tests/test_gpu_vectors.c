// Kernels of dense vectors: the same bits on every device, for any size of groups, and right.

#include "devices.h"

#include <math.h>
#include <stdio.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static uint64_t state = 1;

static double noise(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 9.3e18;
}

static double *random_numbers(int64_t n)
{
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = noise();
    return x;
}

// What all kernels of the family leave: y, its round, and the dot product.
typedef struct outcome {
    double *y;
    float *single;
    double dot[4];
} outcome;

static void run_all(pl_gpu *gpu, int64_t n, const double *x, const double *y, outcome *out)
{
    int64_t n_part = (n + 4095) / 4096;
    pl_gpu_buffer a = to_device(gpu, n, 8, x), b = to_device(gpu, n, 8, y),
                  c = to_device(gpu, n, 8, y);
    pl_gpu_buffer single = new_on_device(gpu, n, 4), part = new_on_device(gpu, n_part, 8);
    pl_gpu_buffer dot = to_device(gpu, 4, 8, (double[]){0, 7, 7, 7});
    pl_gpu_launch(gpu, "vec_zero", n, PL_ARGS(PL_ARG(n), PL_ARG(&c)));
    pl_gpu_launch(gpu, "vec_copy", n, PL_ARGS(PL_ARG(n), PL_ARG(&b), PL_ARG(&c)));
    pl_gpu_launch(gpu, "vec_add", n, PL_ARGS(PL_ARG(n), PL_ARG(0.3), PL_ARG(&a), PL_ARG(&c)));
    pl_gpu_launch(gpu, "vec_round", n, PL_ARGS(PL_ARG(n), PL_ARG(&c), PL_ARG(&single)));
    pl_gpu_launch_groups(gpu, "vec_dot", n_part,
                         PL_ARGS(PL_ARG(n), PL_ARG(&a), PL_ARG(&c), PL_ARG(&part)));
    pl_gpu_launch_groups(gpu, "vec_sum", 1,
                         PL_ARGS(PL_ARG(n_part), PL_ARG(&part), PL_ARG((int32_t)1), PL_ARG(&dot)));
    int64_t half = n / 2; // and the sums of two lists, one after the other
    pl_gpu_launch_groups(gpu, "vec_sum", 2,
                         PL_ARGS(PL_ARG(half), PL_ARG(&a), PL_ARG((int32_t)2), PL_ARG(&dot)));
    from_device(gpu, &c, n * 8, out->y);
    from_device(gpu, &single, n * 4, out->single);
    from_device(gpu, &dot, sizeof out->dot, out->dot);
    pl_gpu_drop(gpu, &a), pl_gpu_drop(gpu, &b), pl_gpu_drop(gpu, &part);
}

static void try_shape(int64_t n)
{
    double *x = random_numbers(n), *y = random_numbers(n);
    outcome want = {random_numbers(n), malloc((size_t)n * 4 + 4), {0}};
    outcome got = {random_numbers(n), malloc((size_t)n * 4 + 4), {0}};
    run_all(use_device(0, 128), n, x, y, &want);
    long double sum = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        TEST_ASSERT_EQUAL_DOUBLE(y[i] + 0.3 * x[i], want.y[i]);
        TEST_ASSERT_TRUE((float)want.y[i] == want.single[i]);
        sum += (long double)x[i] * want.y[i], size += fabsl((long double)x[i] * want.y[i]);
    }
    // 24 additions one after the other for a part of 4096, and as many at most for the parts
    TEST_ASSERT_TRUE(fabsl(sum - want.dot[1]) <= 60 * 1.2e-16L * size);
    TEST_ASSERT_EQUAL_DOUBLE(0, want.dot[0]);
    for (int64_t list = 0; list < 2; list++) {
        sum = size = 0;
        for (int64_t i = list * (n / 2); i < (list + 1) * (n / 2); i++) {
            sum += x[i], size += fabs(x[i]);
        }
        TEST_ASSERT_TRUE(fabsl(sum - want.dot[2 + list]) <= (n / 256 + 10) * 1.2e-16L * size);
    }
    for (int d = 0; d < n_devices; d++) {
        for (int g = 0; g < N_GROUPS; g++) {
            run_all(use_device(d, device_groups[g]), n, x, y, &got);
            expect_same_bits(devices + d, device_groups[g], want.y, got.y, n * 8);
            expect_same_bits(devices + d, device_groups[g], want.single, got.single, n * 4);
            expect_same_bits(devices + d, device_groups[g], want.dot, got.dot, sizeof got.dot);
        }
    }
    free(x), free(y), free(want.y), free(want.single), free(got.y), free(got.single);
}

static void test_all_shapes(void)
{
    for (int s = 0; s < N_SHAPES; s++) try_shape(device_shapes[s]);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_all_shapes);
    close_devices();
    return UNITY_END();
}
