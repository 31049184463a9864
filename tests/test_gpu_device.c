// The option device: names, what is there, worlds and problems that use it, and devices that fail.

#include "contacts.h"
#include "logs.h"
#include "../gpu/device.h"
#include "../lcp/saddle.h"
#include "../solvers/friction_model.h"

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

// --- Staggered projections ---

static pl_status open_nothing(void *user, const pl_saddle *K, void **work)
{
    (void)K;
    *work = user;
    return PL_OK;
}

static pl_status fail_factor(void *work, const pl_saddle *K, int32_t rho, int32_t *good)
{
    (void)work, (void)K, (void)rho, (void)good;
    n_asked++;
    return pl_fail(PL_ERROR_DEVICE, "planted");
}

static pl_status fail_solve(void *work, int32_t k, double *rhs)
{
    (void)work, (void)k, (void)rhs;
    return PL_ERROR_DEVICE;
}

static const pl_saddle_engine *find_failing(pl_device *device)
{
    static const pl_saddle_engine engine = {NULL, open_nothing, fail_factor, fail_solve};
    (void)device;
    return &engine;
}

// The same problem with a device, and without.
static void solve_both(const char *name, pl_device *device, small *s, small *plain)
{
    small *each[2] = {s, plain};
    const pl_solver_options options = pl_solver_options_default();
    for (int i = 0; i < 2; i++) {
        const pl_solver *solver;
        pl_friction_model model;
        pl_modelled modelled = {0};
        small *at = each[i];
        random_state = 1;
        start_floor(at, 5);
        at->ws.device = i == 0 ? device : NULL;
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
        TEST_ASSERT_EQUAL(PL_OK, pl_friction_model_parse("diamond", &model));
        pl_status status = pl_friction_solve(&model, solver, &at->problem, &options, &at->ws,
                                             &modelled, at->v, at->f, &at->stats);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        pl_modelled_free(&modelled);
    }
    s->ws.device = NULL;
    TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, s->stats.end);
    TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, plain->stats.end);
    TEST_ASSERT_TRUE(s->stats.iterations > 0 && s->stats.factorizations > 0);
    TEST_ASSERT_EQUAL(plain->stats.iterations, s->stats.iterations);
    TEST_ASSERT_EQUAL(plain->stats.factorizations, s->stats.factorizations);
}

static void test_staggered_projections_use_it(void)
{
    for (int schurpa = 0; schurpa < 2; schurpa++) {
        small s, plain;
        pl_device *device;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
        solve_both(schurpa == 1 ? "sp-schurpa" : "sp-direct", device, &s, &plain);
        TEST_ASSERT_TRUE(pl_gpu_look(pl_gpu_of(device))->launches > 0);
        for (int32_t i = 0; i < 3 * s.A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, plain.v[i], s.v[i]);
        end_small(&s), end_small(&plain);
        pl_gpu_device_close(device);
    }
}

static void test_staggered_projections_go_on_without_it(void)
{
    small s, plain;
    n_asked = 0;
    pl_device device = {.name = "planted", .close = close_nothing, .saddles = find_failing};
    keep_log();
    solve_both("sp-schurpa", &device, &s, &plain);
    TEST_ASSERT_TRUE(device.lost && n_asked == 1);
    TEST_ASSERT_EQUAL_MEMORY(plain.v, s.v, 24 * (size_t)s.A.n);
    expect_warning("the device is lost", "planted");
    pl_set_log(NULL, NULL);
    end_small(&s), end_small(&plain);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_names_are_found_or_named);
    RUN_TEST(test_the_list_has_the_cpu_and_one_choice);
    RUN_TEST(test_a_device_that_is_not_there_is_one_sentence);
    RUN_TEST(test_a_failure_costs_nothing_but_the_device);
    RUN_TEST(test_staggered_projections_use_it);
    RUN_TEST(test_staggered_projections_go_on_without_it);
    return UNITY_END();
}
