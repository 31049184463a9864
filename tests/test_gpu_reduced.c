// The reduced form on a device: W and its products against the CPU's, the same bits on every
// device; Gauss-Seidel on it solves what the CPU's does, by colours and by rows.

#include "contacts.h"
#include "devices.h"
#include "../gpu/device.h"
#include "../gpu/reduced.h"

#include <stdio.h>

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// Rigid bodies, two blocks each with no others, and contacts between any two of them or with what
// does not move; boxes and soft contacts among them.
static void start_rigid(small *s, int32_t n_body, int32_t n_constraint)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(2 * n_body, 0, NULL, &s->A));
    for (int32_t i = 0; i < 2 * n_body; i++) {
        double *a = s->A.val + 9 * s->A.diag[i];
        for (int c = 0; c < 3; c++) a[4 * c] = 1 + (i + c) % 4;
        if (i % 2 == 1) a[1] = a[3] = 0.3;
    }
    start_small(s, 0.01);
    for (int32_t i = 0; i < 6 * n_body; i++) s->b[i] = random_number() - (i % 6 == 2);
    pl_limits limits = {.law = PL_LAW_BOX, .lo = {0, -0.1, -INFINITY}, .hi = {INFINITY, 0.1, 1}};
    for (int32_t k = 0; k < n_constraint; k++) {
        pl_constraint contact = contact_along(random_number(), random_number(), 1, 0.5);
        pl_term term[4];
        int32_t a = (int32_t)(random_bits() % (uint32_t)n_body), b = (a + 1) % n_body;
        int32_t n_term = n_body > 1 && k % 3 > 0 ? 4 : 2;
        for (int32_t t = 0; t < n_term; t++) {
            double w = t % 2 == 0 ? (t < 2 ? 1 : -1) : 0;
            term[t] = (pl_term){2 * (t < 2 ? a : b) + t % 2, w, {0}};
            for (int i = 0; i < 3 && t % 2 == 1; i++) term[t].r[i] = random_number();
        }
        limits.compliance[0] = k % 2 == 0 ? 0 : 0.01;
        if (k % 7 == 3) {
            TEST_ASSERT_EQUAL(PL_OK,
                              pl_problem_add_limited(&s->problem, &contact, &limits, n_term, term));
        } else {
            add_contact(s, &contact, n_term, term);
        }
    }
}

static void prepare(small *s, pl_reduced *reduced)
{
    pl_arena_reset(&s->ws.arena);
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(&s->problem, &s->ws, s->v));
    TEST_ASSERT_EQUAL(PL_OK, pl_reduced_create(&s->problem, &s->ws.uses, &s->ws.D, s->ws.scale,
                                               s->v, true, 1e9, &s->ws.arena, reduced));
    TEST_ASSERT_TRUE(reduced->fits);
}

// --- W ---

// The largest difference of W (9*nnz), in parts of its largest number.
static double compare(const pl_reduced *reduced, const double *W)
{
    double most = 0, size = 0;
    for (int64_t i = 0; i < 9 * reduced->row[reduced->n]; i++) {
        most = fmax(most, fabs(W[i] - reduced->val[i]));
        size = fmax(size, fabs(reduced->val[i]));
    }
    return size > 0 ? most / size : 0;
}

static void try_form(small *s, double bound)
{
    pl_reduced reduced;
    prepare(s, &reduced);
    int64_t n = 3 * (int64_t)reduced.n, size = 9 * reduced.row[reduced.n];
    double *W = random_vector(size + 1), *first = random_vector(size + 1);
    double *f = random_vector(n + 1), *w = random_vector(n + 1), *of_cpu = random_vector(n + 1);
    for (int64_t i = 0; i < n; i++) f[i] = reduced.diag[i / 3] < 0 ? 0 : f[i];
    pl_reduced_multiply(&reduced, f, of_cpu);
    for (int d = 0; d < n_devices; d++) {
        for (int g = 0; g < N_GROUPS; g++) {
            pl_gpu *gpu = use_device(d, device_groups[g]);
            pl_gpu_system system = {.gpu = gpu};
            pl_gpu_reduced r = {.sweep = NULL};
            pl_arena_mark mark = pl_arena_here(&s->ws.arena);
            TEST_ASSERT_EQUAL(PL_OK, pl_gpu_reduced_create(&r, &system, &reduced, &s->ws));
            pl_arena_back(&s->ws.arena, mark);
            pl_gpu_buffer in = to_device(gpu, n, 8, f), out = new_on_device(gpu, n, 8);
            pl_gpu_reduced_multiply(&r, &system, &in, &out);
            from_device(gpu, &out, 8 * n, w);
            pl_gpu_drop(gpu, &in);
            from_device(gpu, &r.on.val, 8 * size, d + g == 0 ? first : W);
            if (d + g > 0) expect_same_bits(devices + d, device_groups[g], first, W, 8 * size);
            for (int64_t i = 0; i < n; i++) {
                if (reduced.diag[i / 3] < 0) continue;
                double q = reduced.q[i], wide = 1e-12 * (1 + fabs(q) + fabs(of_cpu[i])) * (double)n;
                TEST_ASSERT_DOUBLE_WITHIN(wide, q + of_cpu[i], w[i]);
            }
            pl_gpu_reduced_free(&r, gpu);
            pl_gpu_system_free(&system);
        }
    }
    TEST_ASSERT_TRUE(compare(&reduced, first) <= bound);
    free(W), free(first), free(f), free(w), free(of_cpu);
}

static void test_W_of_rigid_bodies_has_the_bits_of_the_cpu(void)
{
    static const int32_t shapes[][2] = {{1, 0}, {1, 1}, {2, 5}, {20, 63}, {32, 64}, {50, 129}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        small s;
        start_rigid(&s, shapes[i][0], shapes[i][1]);
        if (shapes[i][0] > 2) s.prescribed[2] = s.prescribed[3] = 1;
        try_form(&s, 0);
        end_small(&s);
    }
}

static void test_W_of_bodies_with_factors(void)
{
    for (int i = 0; i < 4; i++) {
        small s;
        if (i < 2) {
            start_floor(&s, i == 0 ? 2 : 6);
        } else {
            start_random(&s, i == 2 ? 30 : 100, i == 2 ? 40 : 130, 0.5);
        }
        s.prescribed[3] = 1;
        try_form(&s, 1e-14); // sums over several parts may have another order
        end_small(&s);
    }
}

// --- Solves ---

static void solve(small *s, pl_device *device, double *v, double *f)
{
    const pl_solver *solver;
    int64_t n = 3 * (int64_t)s->A.n, m = 3 * (int64_t)s->problem.n_constraint;
    pl_workspace ws = {.device = device};
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = 1e-8, options.contact_tolerance = 1e-9;
    memcpy(v, s->v, (size_t)n * sizeof *v);
    memset(f, 0, (size_t)m * sizeof *f);
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("delassus", &solver));
    pl_status status = pl_solve(solver, &s->problem, &options, &ws, v, f, &s->stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    ws.device = NULL;
    pl_workspace_free(&ws);
}

static void try_solve(small *s, bool few)
{
    int64_t n = 3 * (int64_t)s->A.n, m = 3 * (int64_t)s->problem.n_constraint;
    double *want = random_vector(n), *v = random_vector(n), *f = random_vector(m);
    double *first = random_vector(m);
    solve(s, NULL, want, f);
    int32_t of_cpu = s->stats.iterations;
    for (int d = 0; d < n_devices; d++) {
        pl_device *device;
        pl_gpu_kind kind = pl_gpu_about(devices[d].gpu)->kind;
        TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(kind, 0, &device));
        pl_oracle_go_backward(devices[d].backward);
        pl_gpu_set_group_size(pl_gpu_of(device), d == 1 ? 32 : 256);
        solve(s, device, v, d == 0 ? first : f);
        int64_t launches = pl_gpu_look(pl_gpu_of(device))->launches;
        TEST_ASSERT_TRUE(launches > s->stats.iterations);
        TEST_ASSERT_TRUE(few || launches < 40 + s->stats.iterations);
        TEST_ASSERT_LESS_OR_EQUAL(2 * of_cpu + 10, s->stats.iterations);
        if (d > 0) expect_same_bits(devices + d, 0, first, f, 8 * m);
        // Friction leaves a few times contact_tolerance to the velocities.
        for (int64_t i = 0; i < n; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(100 * 1e-9 / s->problem.dt, want[i], v[i]);
        }
        pl_gpu_device_close(device);
    }
    free(want), free(v), free(f), free(first);
}

static void test_it_solves_what_the_cpu_solves(void)
{
    small s;
    start_rigid(&s, 30, 60);
    try_solve(&s, true);
    end_small(&s);
    start_floor(&s, 4);
    try_solve(&s, true); // one body, a colour for each contact
    end_small(&s);
    start_floor(&s, 9); // too many colours: all contacts by one group
    TEST_ASSERT_TRUE(s.problem.n_constraint > 130);
    try_solve(&s, false);
    end_small(&s);
}

static pl_status fail_reduced(pl_device *device, const pl_reduced *reduced,
                              const pl_solver_options *options, pl_workspace *ws, double *v,
                              double *f, pl_solve_stats *stats)
{
    (void)device, (void)reduced, (void)options, (void)ws, (void)stats;
    v[0] = f[0] = NAN;
    return pl_fail(PL_ERROR_DEVICE, "planted");
}

static void test_a_failure_costs_nothing_but_the_device(void)
{
    small s;
    pl_device device = {.name = "planted", .reduced = fail_reduced};
    start_floor(&s, 4);
    int64_t n = 3 * (int64_t)s.A.n, m = 3 * (int64_t)s.problem.n_constraint;
    double *want = random_vector(n), *v = random_vector(n), *f = random_vector(m);
    solve(&s, NULL, want, f);
    solve(&s, &device, v, f);
    TEST_ASSERT_TRUE(device.lost);
    TEST_ASSERT_EQUAL_MEMORY(want, v, 8 * (size_t)n);
    free(want), free(v), free(f);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_W_of_rigid_bodies_has_the_bits_of_the_cpu);
    RUN_TEST(test_W_of_bodies_with_factors);
    RUN_TEST(test_it_solves_what_the_cpu_solves);
    RUN_TEST(test_a_failure_costs_nothing_but_the_device);
    close_devices();
    return UNITY_END();
}
