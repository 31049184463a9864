// gpu/cuda.c on a driver that runs the kernels in C (fake_cuda.c): what it hands over is what the
// other devices are handed, graphs are what was written down, failures are failures, nothing is
// left behind. It says nothing of the device code, which needs a device.

#include "contacts.h"
#include "fake_cuda.h"
#include "logs.h"
#include "../gpu/device.h"
#include "../gpu/oracle.h"

#include <string.h>

void setUp(void)
{
    random_state = 1;
    fake_cuda.most = SIZE_MAX;
    fake_cuda.calls_until_lost = 0;
    fake_cuda.lost = false;
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

static const pl_gpu_kernel *find(const char *name)
{
    const pl_gpu_kernel *k = pl_gpu_kernels;
    while (strcmp(k->name, name) != 0) k++;
    return k;
}

static int count_args(const char *kernel)
{
    return (int)strlen(find(kernel)->kinds);
}

static void launch(const char *kernel, unsigned groups, unsigned size, void **arg)
{
    for (unsigned g = 0; g < groups; g++) {
        pl_oracle_call(find(kernel), g, (int32_t)size, false, arg);
    }
}

static void expect_nothing_left(void)
{
    TEST_ASSERT_EQUAL(0, fake_cuda.contexts);
    TEST_ASSERT_EQUAL(0, fake_cuda.buffers);
    TEST_ASSERT_EQUAL(0, fake_cuda.graphs);
}

// All that know a device.
static const char *const names[] = {"apg", "cr", "cone-newton", "delassus"};
enum { N_NAMES = sizeof names / sizeof *names };

// A solve on a device of this kind.
static void solve(const char *name, const char *kind, small *s, double *v)
{
    const pl_solver *solver;
    random_state = 1;
    start_floor(s, 9);
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
    if (strcmp(kind, "oracle") == 0) {
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &s->ws.device));
    } else {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_workspace_use(&s->ws, kind), pl_error_text());
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_solve(solver, &s->problem, NULL, &s->ws, s->v, s->f, &s->stats));
    memcpy(v, s->v, 24 * (size_t)s->A.n);
    end_small(s);
}

static void test_a_solve_has_the_bits_of_the_oracle(void)
{
    for (int i = 0; i < N_NAMES; i++) {
        small s;
        double v[3 * 729], w[3 * 729];
        solve(names[i], "oracle", &s, v);
        solve(names[i], "cuda", &s, w);
        TEST_ASSERT_EQUAL_MEMORY(v, w, sizeof v);
        expect_nothing_left();
    }
}

static void test_auto_chooses_it_and_old_ones_are_not_used(void)
{
    pl_device_info info[8];
    int32_t n = pl_device_list(8, info);
    TEST_ASSERT_TRUE(n >= 2);
    TEST_ASSERT_EQUAL_STRING("cuda:0", info[1].name);
    TEST_ASSERT_EQUAL_STRING("CUDA 13.0, compute capability 8.6", info[1].driver);
    TEST_ASSERT_TRUE(info[1].chosen);
    fake_cuda.capability = 61;
    pl_device_list(8, info);
    TEST_ASSERT_FALSE(info[1].chosen);
    TEST_ASSERT_EQUAL(PL_ERROR_DEVICE, pl_device_check("cuda"));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "too old"));
    fake_cuda.capability = 86;
}

// The CPU goes on from where the solve began: the bits are those without a device.
static void expect_the_cpu_goes_on(const char *name, const char *warning)
{
    small s;
    double v[3 * 729], w[3 * 729];
    int32_t calls = fake_cuda.calls_until_lost;
    fake_cuda.calls_until_lost = 0;
    solve(name, "cpu", &s, v);
    fake_cuda.calls_until_lost = calls;
    keep_log();
    solve(name, "cuda", &s, w);
    expect_warning(warning, "CUDA");
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(v, w, sizeof v, name);
    expect_nothing_left();
}

static void test_without_memory_the_cpu_goes_on(void)
{
    fake_cuda.most = 100000; // smaller than the matrix
    for (int i = 0; i < N_NAMES; i++) expect_the_cpu_goes_on(names[i], "not enough memory");
}

static void test_a_device_that_is_lost_leaves_the_cpu(void)
{
    const int calls[] = {1, 20, 45}; // while it is filled, started, iterates
    for (int i = 0; i < 3 * N_NAMES; i++) {
        fake_cuda.lost = false;
        fake_cuda.calls_until_lost = calls[i % 3];
        expect_the_cpu_goes_on(names[i / 3], "the device is lost");
    }
}

int main(void)
{
    fake_cuda.launch = launch;
    fake_cuda.count_args = count_args;
    UNITY_BEGIN();
    RUN_TEST(test_a_solve_has_the_bits_of_the_oracle);
    RUN_TEST(test_auto_chooses_it_and_old_ones_are_not_used);
    RUN_TEST(test_without_memory_the_cpu_goes_on);
    RUN_TEST(test_a_device_that_is_lost_leaves_the_cpu);
    return UNITY_END();
}
