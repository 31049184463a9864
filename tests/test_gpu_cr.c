// cr on a device: it solves what the CPU solves, within the same tolerances; its iterations have
// the same bits on every device; nothing comes back within an iteration; what is between two steps
// of the CPU's (a look, a mended direction, active rows that contradict each other) happens there,
// too.

#include "contacts.h"
#include "devices.h"
#include "../gpu/cr.h"
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

static void solve_on(pl_gpu *gpu, small *s, int32_t n, const pl_solver_options *options, double *v,
                     double *f)
{
    pl_gpu_system system = {.gpu = gpu};
    pl_gpu_cr cr = {.iteration = NULL};
    s->stats = (pl_solve_stats){.end = PL_SOLVE_BREAKDOWN};
    pl_arena_reset(&s->ws.arena);
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(&s->problem, &s->ws, s->v));
    memcpy(v, s->v, 24 * (size_t)s->A.n);
    memcpy(f, s->f, 24 * (size_t)s->problem.n_constraint);
    pl_status status =
        pl_gpu_cr_solve(&cr, &system, &s->problem, options, &s->ws, n, v, f, &s->stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_gpu_cr_free(&cr, gpu);
    pl_gpu_system_free(&system);
}

// --- Bits ---

static void try_same_bits(small *s, int32_t n, pl_precond precond)
{
    pl_solver_options options = pl_solver_options_default();
    options.precond = precond;
    int nv = 3 * s->A.n, nf = 3 * s->problem.n_constraint;
    double *v = random_vector(nv), *f = random_vector(nf), *w = random_vector(nv),
           *g = random_vector(nf);
    solve_on(use_device(0, 128), s, n, &options, v, f);
    pl_solve_stats stats = s->stats;
    for (int d = 1; d < n_devices; d++) {
        for (int i = 0; i < N_GROUPS; i++) {
            solve_on(use_device(d, device_groups[i]), s, n, &options, w, g);
            expect_same_bits(devices + d, device_groups[i], v, w, 8 * nv);
            expect_same_bits(devices + d, device_groups[i], f, g, 8 * nf);
            TEST_ASSERT_EQUAL(stats.iterations, s->stats.iterations);
            TEST_ASSERT_EQUAL(stats.state_changes, s->stats.state_changes);
        }
    }
    free(v), free(f), free(w), free(g);
}

static void test_iterations_have_the_same_bits(void)
{
    // Blocks and contacts around the sizes of groups and of parts of a sum.
    static const int32_t shapes[][2] = {{1, 0},    {1, 1},     {31, 2},   {63, 64},
                                        {64, 127}, {130, 257}, {400, 65}, {40, 1400}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        small s;
        start_random(&s, shapes[i][0], shapes[i][1], 0.5);
        if (s.A.n > 4) s.prescribed[4] = 1;
        try_same_bits(&s, 40, i % 2 == 0 ? PL_PRECOND_FULL : PL_PRECOND_DIAG);
        end_small(&s);
    }
}

// --- Solves ---

static void expect_solved(small *s, const double *v, const pl_solver_options *options, double bound)
{
    TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, s->stats.end);
    int32_t of_device = s->stats.iterations;
    int64_t products = s->stats.products;
    pl_status status =
        pl_solve(solver_of("cr"), &s->problem, options, &s->ws, s->v, s->f, &s->stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    // It is the same method: as many iterations, but for rounding and those that are looks.
    TEST_ASSERT_LESS_OR_EQUAL(1.05 * s->stats.iterations + 2, of_device);
    TEST_ASSERT_LESS_OR_EQUAL(1.1 * (double)s->stats.products + 10, products);
    for (int i = 0; i < 3 * s->A.n; i++) TEST_ASSERT_DOUBLE_WITHIN(bound, s->v[i], v[i]);
}

static void try_solve(int device, int32_t side, pl_precond precond, double mu)
{
    small s;
    random_state = 1;
    start_floor(&s, side);
    s.prescribed[3] = 1;
    for (int32_t k = 0; k < s.problem.n_constraint; k++) s.problem.constraint[k].mu = mu;
    pl_solver_options options = pl_solver_options_default();
    options.precond = precond;
    double *v = random_vector(3 * s.A.n), *f = random_vector(3 * s.problem.n_constraint);
    solve_on(use_device(device, 64), &s, 4000, &options, v, f);
    TEST_ASSERT_TRUE(s.stats.state_changes > 0);
    // Both are within contact_tolerance of the law and the residual's tolerance of the balance;
    // friction leaves no more than a few times that to the velocities.
    expect_solved(&s, v, &options, 20 * options.contact_tolerance / s.problem.dt);
    free(v), free(f);
    end_small(&s);
}

static void test_it_solves_what_the_cpu_solves(void)
{
    for (int d = 0; d < n_devices; d++) {
        for (int i = 0; i < 8; i++) {
            pl_precond precond = i % 2 == 0 ? PL_PRECOND_FULL : PL_PRECOND_DIAG;
            try_solve(d, i / 2 % 2 == 0 ? 3 : 12, precond, i < 4 ? 0.5 : 0);
        }
    }
}

// Nothing is off but a row, on which B has no diagonal: z and B z are orthogonal.
static void test_a_direction_is_mended(void)
{
    const double mass[2] = {2, 3};
    for (int d = 0; d < n_devices; d++) {
        small s;
        start_masses(&s, 2, mass, 0.01);
        pl_constraint contact = contact_along(0, 0, 1, 0.5);
        contact.c[0] = 0.7;
        add_contact(&s, &contact, 2, (pl_term[2]){{0, 1, {0}}, {1, -1, {0}}});
        pl_solver_options options = pl_solver_options_default();
        options.precond = PL_PRECOND_DIAG;
        double v[6], f[3];
        solve_on(use_device(d, 32), &s, 100, &options, v, f);
        TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, s.stats.end);
        TEST_ASSERT_LESS_OR_EQUAL(4, s.stats.iterations);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.7 * 2 * 3 / 5, f[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.7, v[2] - v[5]);
        end_small(&s);
    }
}

// Two contacts at one place that ask for different velocities, and press both at the start: the
// linear problem ends in a local minimum, and one of them opens.
static void test_contradicting_rows_open(void)
{
    const double mass[1] = {2};
    for (int d = 0; d < n_devices; d++) {
        for (int precond = 0; precond < 2; precond++) {
            small s;
            start_masses(&s, 1, mass, 0.01);
            for (int k = 0; k < 2; k++) {
                pl_constraint contact = contact_along(0, 0, 1, 0);
                contact.c[0] = 0.1 * k;
                add_contact(&s, &contact, 1, (pl_term[1]){{0, 1, {0}}});
                s.f[3 * k] = 1000;
            }
            s.b[2] = -2000;
            pl_solver_options options = pl_solver_options_default();
            options.precond = precond == 0 ? PL_PRECOND_FULL : PL_PRECOND_DIAG;
            double v[3], f[6];
            solve_on(use_device(d, 32), &s, 2000, &options, v, f);
            TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, s.stats.end);
            TEST_ASSERT_LESS_OR_EQUAL(20, s.stats.iterations);
            TEST_ASSERT_DOUBLE_WITHIN(2 * options.contact_tolerance / s.problem.dt, 0.1, v[2]);
            TEST_ASSERT_DOUBLE_WITHIN(0.1, 2000.2, f[0] + f[3]);
            end_small(&s);
        }
    }
}

// --- The host's side ---

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
        solve_on(gpu, &s, i == 0 ? 8 : 48, &options, v, f);
        TEST_ASSERT_EQUAL(i == 0 ? 8 : 48, s.stats.iterations);
        waits[i] = pl_gpu_look(gpu)->waits - before;
    }
    TEST_ASSERT_EQUAL_INT64(5, waits[1] - waits[0]); // one for eight iterations
    free(v), free(f);
    end_small(&s);
}

static void test_the_solver_uses_the_device_of_the_workspace(void)
{
    for (int i = 0; i < 2; i++) {
        small s;
        pl_device *device;
        start_floor(&s, 9);
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
        s.ws.device = device;
        pl_solver_options options = pl_solver_options_default();
        options.precond = i == 0 ? PL_PRECOND_FULL : PL_PRECOND_SCHUR;
        pl_status status =
            pl_solve(solver_of("cr"), &s.problem, &options, &s.ws, s.v, s.f, &s.stats);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_EQUAL(i == 0, pl_gpu_look(pl_gpu_of(device))->launches > 10);
        end_small(&s);
    }
}

static pl_status fail_after_work(pl_device *device, const pl_problem *problem,
                                 const pl_solver_options *options, pl_workspace *ws, int32_t n,
                                 double *v, double *f, pl_solve_stats *stats)
{
    (void)device, (void)problem, (void)options, (void)ws, (void)n, (void)v, (void)f, (void)stats;
    return pl_fail(PL_ERROR_DEVICE, "planted");
}

static void close_nothing(pl_device *device)
{
    (void)device;
}

static void test_a_failure_costs_nothing_but_the_device(void)
{
    small s, plain;
    pl_device device = {.name = "planted", .close = close_nothing, .cr = fail_after_work};
    start_floor(&s, 5);
    random_state = 1;
    start_floor(&plain, 5);
    s.ws.device = &device;
    const pl_solver *cr = solver_of("cr");
    TEST_ASSERT_EQUAL(PL_OK, pl_solve(cr, &s.problem, NULL, &s.ws, s.v, s.f, &s.stats));
    TEST_ASSERT_EQUAL(
        PL_OK, pl_solve(cr, &plain.problem, NULL, &plain.ws, plain.v, plain.f, &plain.stats));
    TEST_ASSERT_TRUE(device.lost);
    TEST_ASSERT_EQUAL_MEMORY(plain.v, s.v, 24 * (size_t)s.A.n);
    end_small(&s), end_small(&plain);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_iterations_have_the_same_bits);
    RUN_TEST(test_it_solves_what_the_cpu_solves);
    RUN_TEST(test_a_direction_is_mended);
    RUN_TEST(test_contradicting_rows_open);
    RUN_TEST(test_nothing_comes_back_within_an_iteration);
    RUN_TEST(test_the_solver_uses_the_device_of_the_workspace);
    RUN_TEST(test_a_failure_costs_nothing_but_the_device);
    close_devices();
    return UNITY_END();
}
