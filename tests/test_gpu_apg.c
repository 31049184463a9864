// apg on a device: it solves what the CPU solves, within the same tolerances; its iterations have
// the same bits on every device; nothing comes back within an iteration; failures leave v and f as
// they were.

#include "contacts.h"
#include "devices.h"
#include "../gpu/apg.h"
#include "../gpu/device.h"

#include <stdio.h>

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static const pl_solver *solver_of(const char *name)
{
    const pl_solver *solver;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
    return solver;
}

// A floor of springs with boxes and soft contacts among its contacts.
static void start_mixed(small *s, int32_t side)
{
    start_floor(s, side);
    s->prescribed[3] = 1;
    pl_limits limits = {.law = PL_LAW_BOX, .lo = {0, -0.1, 0}, .hi = {INFINITY, 0.1, 0}};
    for (int32_t i = 1; i < s->A.n; i += 7) {
        pl_constraint box = contact_along(0, 0.1, 1, 0);
        limits.compliance[0] = i % 2 == 0 ? 1e-3 : 0;
        pl_term term = {i, 1, {0}};
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_limited(&s->problem, &box, &limits, 1, &term));
        if (s->problem.n_constraint > SMALL_ROOM - 2) break;
    }
}

static void solve_on(pl_gpu *gpu, small *s, int32_t n, const pl_solver_options *options, double *v,
                     double *f)
{
    pl_gpu_system system = {.gpu = gpu};
    pl_gpu_apg apg = {.sweeps = 0};
    s->stats = (pl_solve_stats){.end = PL_SOLVE_BREAKDOWN};
    pl_arena_reset(&s->ws.arena);
    s->ws.curvature = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(&s->problem, &s->ws, s->v));
    memcpy(v, s->v, 24 * (size_t)s->A.n);
    memcpy(f, s->f, 24 * (size_t)s->problem.n_constraint);
    pl_status status =
        pl_gpu_apg_solve(&apg, &system, &s->problem, options, &s->ws, n, v, f, &s->stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_gpu_apg_free(&apg, gpu);
    pl_gpu_system_free(&system);
}

static void try_same_bits(int32_t side, int32_t n)
{
    small s;
    start_mixed(&s, side);
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = 1e-30; // never done: all take n iterations
    int nv = 3 * s.A.n, nf = 3 * s.problem.n_constraint;
    double *v = random_vector(nv), *f = random_vector(nf), *w = random_vector(nv),
           *g = random_vector(nf);
    solve_on(use_device(0, 128), &s, n, &options, v, f);
    TEST_ASSERT_EQUAL(n, s.stats.iterations);
    for (int d = 1; d < n_devices; d++) {
        for (int i = 1; i < N_GROUPS; i++) {
            solve_on(use_device(d, device_groups[i]), &s, n, &options, w, g);
            expect_same_bits(devices + d, device_groups[i], v, w, 8 * nv);
            expect_same_bits(devices + d, device_groups[i], f, g, 8 * nf);
        }
    }
    free(v), free(f), free(w), free(g);
    end_small(&s);
}

static void test_iterations_have_the_same_bits(void)
{
    try_same_bits(4, 3);
    try_same_bits(9, 20);
    try_same_bits(14, 5); // more constraints than one group sweeps over
}

static void test_it_solves_what_the_cpu_solves(void)
{
    for (int d = 0; d < n_devices; d++) {
        for (int side = 3; side <= 14; side += 11) {
            for (int mixed = 0; mixed < 2; mixed++) {
                small s;
                random_state = 1;
                if (mixed) {
                    start_mixed(&s, side);
                } else {
                    start_floor(&s, side);
                }
                pl_solver_options options = pl_solver_options_default();
                int nv = 3 * s.A.n;
                double *v = random_vector(nv), *f = random_vector(3 * s.problem.n_constraint);
                solve_on(use_device(d, 64), &s, 2000, &options, v, f);
                TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, s.stats.end);
                int32_t of_device = s.stats.iterations;
                pl_status status =
                    pl_solve(solver_of("apg"), &s.problem, &options, &s.ws, s.v, s.f, &s.stats);
                TEST_ASSERT_EQUAL(PL_OK, status);
                TEST_ASSERT_LESS_OR_EQUAL(3 * s.stats.iterations + 20, of_device);
                // Both are within contact_tolerance of the law and the residual's tolerance of the
                // balance; friction leaves no more than a few times that to the velocities.
                for (int i = 0; i < nv; i++) {
                    TEST_ASSERT_DOUBLE_WITHIN(20 * options.contact_tolerance / s.problem.dt, s.v[i],
                                              v[i]);
                }
                free(v), free(f);
                end_small(&s);
            }
        }
    }
}

static void test_nothing_comes_back_within_an_iteration(void)
{
    small s;
    start_floor(&s, 9);
    pl_gpu *gpu = use_device(0, 64);
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = 1e-30;
    double *v = random_vector(3 * s.A.n), *f = random_vector(3 * s.problem.n_constraint);
    int64_t waits[2];
    for (int i = 0; i < 2; i++) {
        int64_t before = pl_gpu_look(gpu)->waits;
        solve_on(gpu, &s, i == 0 ? 8 : 80, &options, v, f);
        waits[i] = pl_gpu_look(gpu)->waits - before;
    }
    TEST_ASSERT_EQUAL_INT64(9, waits[1] - waits[0]); // one for eight iterations
    free(v), free(f);
    end_small(&s);
}

static void test_solvers_use_the_device_of_the_workspace(void)
{
    const char *const names[] = {"apg", "auto"};
    for (int i = 0; i < 2; i++) {
        small s;
        start_floor(&s, 9);
        pl_device *device;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
        s.ws.device = device;
        pl_status status =
            pl_solve(solver_of(names[i]), &s.problem, NULL, &s.ws, s.v, s.f, &s.stats);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_TRUE(pl_gpu_look(pl_gpu_of(device))->launches > 10);
        end_small(&s);
    }
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_iterations_have_the_same_bits);
    RUN_TEST(test_it_solves_what_the_cpu_solves);
    RUN_TEST(test_nothing_comes_back_within_an_iteration);
    RUN_TEST(test_solvers_use_the_device_of_the_workspace);
    close_devices();
    return UNITY_END();
}
