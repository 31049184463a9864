// The option device: names, what is there, worlds and problems that use it, and devices that fail.

#include "contacts.h"
#include "logs.h"
#include "../gpu/device.h"

#include <stdio.h>
#include <string.h>

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static void test_names_are_found_or_named(void)
{
    const char *name;
    TEST_ASSERT_EQUAL(PL_OK, pl_device_find("opencl:1", &name));
    TEST_ASSERT_EQUAL_STRING("opencl:1", name);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_device_find("opncl", &name));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "did you mean \"opencl\""));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_device_find(NULL, &name));
}

static void test_the_list_has_the_cpu_and_one_choice(void)
{
    pl_device_info info[32];
    int32_t n = pl_device_list(32, info), chosen = 0;
    TEST_ASSERT_TRUE(n >= 1 && n <= 32);
    TEST_ASSERT_EQUAL_STRING("cpu", info[0].name);
    for (int32_t i = 0; i < n; i++) chosen += info[i].chosen;
    TEST_ASSERT_EQUAL(1, chosen);
    TEST_ASSERT_EQUAL(n, pl_device_list(0, NULL));
    bool any = false;
    for (int32_t i = 1; i < n; i++) any = any || strncmp(info[i].name, "cuda", 4) == 0;
    TEST_ASSERT_EQUAL(any, pl_device_missing("cuda") == NULL);
}

static void test_a_device_that_is_not_there_is_one_sentence(void)
{
    pl_world_options options = pl_world_options_default();
    pl_world *world;
    options.device = "opencl:7";
    TEST_ASSERT_EQUAL(PL_ERROR_DEVICE, pl_world_create(&options, &world));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "device opencl:7: "));
    if (pl_device_missing("cuda") == NULL) return;
    options.device = "cuda";
    TEST_ASSERT_EQUAL(PL_ERROR_DEVICE, pl_world_create(&options, &world));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "device cuda: "));
}

// --- Failures ---

static pl_status failure;
static int n_asked;

static pl_status fail_after_work(pl_device *device, const pl_problem *problem,
                                 const pl_solver_options *options, pl_workspace *ws, int32_t n,
                                 double *v, double *f, pl_solve_stats *stats)
{
    (void)device, (void)problem, (void)options, (void)ws, (void)n, (void)v, (void)f, (void)stats;
    n_asked++;
    return pl_fail(failure, "planted");
}

static void close_nothing(pl_device *device)
{
    (void)device;
}

static void try_failure(pl_status status, int asked, const char *warning)
{
    small s, plain;
    failure = status;
    n_asked = 0;
    random_state = 1;
    start_floor(&s, 5);
    random_state = 1;
    start_floor(&plain, 5);
    pl_device device = {.name = "planted", .close = close_nothing, .apg = fail_after_work};
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("auto", &solver));
    s.ws.device = &device;
    keep_log();
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_solve(solver, &s.problem, NULL, &s.ws, s.v, s.f, &s.stats));
        TEST_ASSERT_EQUAL(PL_OK, pl_solve(solver, &plain.problem, NULL, &plain.ws, plain.v, plain.f,
                                          &plain.stats));
        // The CPU goes on from where the step began: the same bits as without a device.
        TEST_ASSERT_EQUAL_MEMORY(plain.v, s.v, 24 * (size_t)s.A.n);
    }
    TEST_ASSERT_EQUAL(asked, n_asked);
    expect_warning(warning, "planted");
    pl_set_log(NULL, NULL);
    end_small(&s), end_small(&plain);
}

static void test_a_failure_costs_nothing_but_the_device(void)
{
    try_failure(PL_ERROR_DEVICE, 1, "the device is lost");
    try_failure(PL_ERROR_MEMORY, 2, "not enough memory");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_names_are_found_or_named);
    RUN_TEST(test_the_list_has_the_cpu_and_one_choice);
    RUN_TEST(test_a_device_that_is_not_there_is_one_sentence);
    RUN_TEST(test_a_failure_costs_nothing_but_the_device);
    return UNITY_END();
}
