// apg on a device: it solves what the CPU solves, within the same tolerances; its iterations have
// the same bits on every device; nothing comes back within an iteration; failures leave v and f as
// they were.

#include "contacts.h"
#include "devices.h"
#include "../gpu/apg.h"
#include "../gpu/device.h"
#include "../gpu/kernels/types.h"

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

// The worst of many constraints is found wherever it stands: in any lane of any part.
static void test_the_worst_is_found(void)
{
    enum { MANY = 2 * PL_PART + 300, ROWS = 3 * MANY };
    static const int64_t places[] = {0, 127, 128, 255, 256, PL_PART, 2 * PL_PART + 299};
    int64_t n = MANY, n_part = pl_gpu_parts(n);
    double dt = 0.5, *zero = calloc(ROWS, 8), *u = calloc(ROWS, 8);
    double total[8] = {0, 1, 0, 0, 0, 0, 0, 0}; // all is well but the constraints
    int32_t *law = malloc(4 * MANY);
    for (int32_t k = 0; k < MANY; k++) law[k] = -1;
    for (int d = 0; d < n_devices; d++) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            pl_gpu *gpu = use_device(d, device_groups[i % N_GROUPS]);
            pl_apg_state state = {.b_norm = 1, .residual_tolerance = 1, .least = INFINITY};
            u[3 * places[i]] = -3; // into the other one
            pl_gpu_buffer laws = to_device(gpu, n, 4, law), none = to_device(gpu, 3 * n, 8, zero);
            pl_gpu_buffer at = to_device(gpu, 3 * n, 8, u), sums = to_device(gpu, 8, 8, total);
            pl_gpu_buffer worst = new_on_device(gpu, n_part, 8);
            pl_gpu_buffer broken = new_on_device(gpu, n_part, 8);
            pl_gpu_buffer states = to_device(gpu, 1, sizeof state, &state);
            pl_gpu_launch_groups(gpu, "apg_contacts", n_part,
                                 PL_ARGS(PL_ARG(n), PL_ARG(dt), PL_ARG(&laws), PL_ARG(&none),
                                         PL_ARG(&none), PL_ARG(&none), PL_ARG(&at), PL_ARG(&none),
                                         PL_ARG(&none), PL_ARG(&worst), PL_ARG(&broken)));
            pl_gpu_launch(gpu, "apg_judge", 1,
                          PL_ARGS(PL_ARG(&sums), PL_ARG(n_part), PL_ARG(&worst), PL_ARG(&states)));
            from_device(gpu, &states, sizeof state, &state);
            TEST_ASSERT_EQUAL_DOUBLE(3 * dt, state.worst);
            pl_gpu_drop(gpu, &laws), pl_gpu_drop(gpu, &none), pl_gpu_drop(gpu, &at);
            pl_gpu_drop(gpu, &sums), pl_gpu_drop(gpu, &worst), pl_gpu_drop(gpu, &broken);
            u[3 * places[i]] = 0;
        }
    }
    free(zero), free(u), free(law);
}

// All products move by what A v was wrong by.
static void test_products_are_corrected(void)
{
    const double is[2] = {5, 7}, was[3][2] = {{4, 9}, {1, 2}, {-3, 8}};
    int64_t n = 2;
    for (int d = 0; d < n_devices; d++) {
        pl_gpu *gpu = use_device(d, 2);
        pl_gpu_buffer right = to_device(gpu, n, 8, is), A[3];
        for (int i = 0; i < 3; i++) A[i] = to_device(gpu, n, 8, was[i]);
        pl_gpu_launch(
            gpu, "apg_correct", n,
            PL_ARGS(PL_ARG(n), PL_ARG(&right), PL_ARG(&A[0]), PL_ARG(&A[1]), PL_ARG(&A[2])));
        for (int i = 0; i < 3; i++) {
            double got[2];
            from_device(gpu, &A[i], 16, got);
            for (int k = 0; k < 2; k++) {
                TEST_ASSERT_EQUAL_DOUBLE(was[i][k] + is[k] - was[0][k], got[k]);
            }
        }
        pl_gpu_drop(gpu, &right);
    }
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_iterations_have_the_same_bits);
    RUN_TEST(test_it_solves_what_the_cpu_solves);
    RUN_TEST(test_the_worst_is_found);
    RUN_TEST(test_products_are_corrected);
    RUN_TEST(test_nothing_comes_back_within_an_iteration);
    RUN_TEST(test_solvers_use_the_device_of_the_workspace);
    close_devices();
    return UNITY_END();
}
