// The multigrid cycle of cone-newton on a device: the bits of the CPU's, on every device, for any
// size of groups; its product against a plain one; GMRES with it; whole solves.

#include "contacts.h"
#include "devices.h"
#include "piles.h"
#include "../gpu/device.h"
#include "../gpu/gmres.h"
#include "../solvers/gmres.h"

#include <stdio.h>

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// Levels for a problem, with contacts of all kinds: every third slips, every seventh is open.
typedef struct levels {
    const pl_problem *problem;
    pl_workspace ws;
    pl_multigrid mg;
    pl_stiffness *K;
    float *couple; // (2*n_constraint)
} levels;

static void start_levels(levels *l, const pl_problem *problem, const double *v)
{
    int32_t n = problem->n_constraint;
    *l = (levels){.problem = problem};
    l->K = calloc((size_t)n + 1, sizeof *l->K);
    l->couple = calloc(2 * (size_t)n + 1, sizeof *l->couple);
    TEST_ASSERT_EQUAL(PL_OK, pl_workspace_prepare(problem, &l->ws, v));
    for (int32_t k = 0; k < n; k++) {
        double S[9];
        pl_contact_block(problem, &l->ws.D, k, S);
        if (!(S[0] > 0) || !(S[4] + S[8] > 0) || k % 7 == 6) continue;
        float s = (float)(5 / S[0]), t = (float)(10 / (S[4] + S[8]));
        l->K[k] = (pl_stiffness){s, k % 3 == 0 ? 0 : t, k % 3 == 1 ? 0.2f * t : 0, t};
        l->couple[2 * k] = k % 3 == 0 ? 0.3f * s : 0, l->couple[2 * k + 1] = -0.1f * s;
    }
    TEST_ASSERT_EQUAL(
        PL_OK, pl_multigrid_create(problem, &l->ws.D, &l->ws.uses, NULL, 3, &l->ws.arena, &l->mg));
    pl_multigrid_set(&l->mg, l->K);
}

static void end_levels(levels *l)
{
    pl_workspace_free(&l->ws);
    free(l->K), free(l->couple);
}

// y := (A + L^T J L) x, J with couple, in double precision.
static void multiply(const levels *l, const float *couple, const float *x, float *y)
{
    const pl_problem *p = l->problem;
    int64_t n = 3 * (int64_t)p->A->n, m = 3 * (int64_t)p->n_constraint;
    double *in = calloc((size_t)n, 8), *out = calloc((size_t)n, 8);
    double *u = calloc((size_t)m + 1, 8), *world = calloc((size_t)m + 1, 8);
    for (int64_t i = 0; i < n; i++) in[i] = pl_is_prescribed(p, i / 3) ? 0 : (double)x[i];
    pl_rows_multiply(p, NULL, false, in, u); // rows have no entries in prescribed blocks here
    for (int64_t i = 0; i < n; i++) in[i] = (double)x[i];
    pl_bsr_multiply(p->A, in, out);
    for (int32_t k = 0; k < p->n_constraint; k++) {
        const pl_stiffness *K = l->K + k;
        double *w = u + 3 * k, a = w[0], b = w[1], c = w[2];
        double t1 = couple != NULL ? (double)couple[2 * k] : 0;
        double t2 = couple != NULL ? (double)couple[2 * k + 1] : 0;
        if (K->nn == 0) t1 = t2 = 0;
        w[0] = (double)K->nn * a;
        w[1] = t1 * a + (double)K->t11 * b + (double)K->t12 * c;
        w[2] = t2 * a + (double)K->t12 * b + (double)K->t22 * c;
    }
    pl_rows_transpose_add(p, &l->ws.uses, 1, u, world, out);
    for (int64_t i = 0; i < n; i++) y[i] = pl_is_prescribed(p, i / 3) ? 0 : (float)out[i];
    free(in), free(out), free(u), free(world);
}

static float *random_floats(int64_t n)
{
    float *x = calloc((size_t)n + 1, sizeof *x); // the CPU reads one more
    for (int64_t i = 0; i < n; i++) x[i] = (float)random_number();
    return x;
}

// --- The cycle ---

static void run_cycle(pl_gpu *gpu, levels *l, const float *r, float *z, float *y)
{
    int64_t n = 3 * (int64_t)l->problem->A->n;
    pl_gpu_multigrid m = {.gpu = gpu};
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_multigrid_create(&m, &l->mg, &l->ws.arena));
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_multigrid_set(&m, l->K, l->couple, &l->ws.arena));
    pl_gpu_buffer from = to_device(gpu, n, 4, r), to = new_on_device(gpu, n, 4);
    pl_gpu_buffer product = new_on_device(gpu, n, 4);
    pl_gpu_multigrid_cycle(&m, &from, &to);
    pl_gpu_multigrid_multiply(&m, &from, &product);
    from_device(gpu, &to, 4 * n, z);
    from_device(gpu, &product, 4 * n, y);
    pl_gpu_drop(gpu, &from);
    pl_gpu_multigrid_free(&m);
}

static void try_cycle(const pl_problem *problem, const double *v)
{
    levels l;
    start_levels(&l, problem, v);
    int64_t n = 3 * (int64_t)problem->A->n;
    float *r = random_floats(n), *want = random_floats(n), *z = random_floats(n);
    float *product = random_floats(n), *y = random_floats(n), *first = random_floats(n);
    pl_multigrid_cycle(&l.mg, r, want);
    multiply(&l, l.couple, r, product);
    double largest = 0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)product[i]));
    for (int d = 0; d < n_devices; d++) {
        for (int g = 0; g < N_GROUPS; g++) {
            run_cycle(use_device(d, device_groups[g]), &l, r, z, d + g == 0 ? first : y);
            expect_same_bits(devices + d, device_groups[g], want, z, 4 * n);
            if (d + g > 0) expect_same_bits(devices + d, device_groups[g], first, y, 4 * n);
        }
    }
    // Sums of some hundred products in single precision
    for (int64_t i = 0; i < n; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5 * largest, (double)product[i], (double)first[i]);
    }
    free(r), free(want), free(z), free(product), free(y), free(first);
    end_levels(&l);
}

static void test_cycles_have_the_bits_of_the_cpu(void)
{
    static const int32_t shapes[][2] = {{1, 0}, {1, 1}, {31, 2}, {64, 63}, {65, 129}, {400, 257}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        small s;
        start_random(&s, shapes[i][0], shapes[i][1], 0.5);
        if (s.A.n > 4) s.prescribed[4] = 1;
        try_cycle(&s.problem, s.v);
        end_small(&s);
    }
}

// A last level without a factor: blocks that nothing joins make groups that nothing joins.
static void test_a_last_level_that_is_too_large(void)
{
    double mass[150];
    small s;
    for (int i = 0; i < 150; i++) mass[i] = 1 + i % 5;
    start_masses(&s, 150, mass, 0.01);
    for (int i = 0; i < 100; i++) {
        pl_constraint contact = random_contact(0.5);
        add_contact(&s, &contact, 2, (pl_term[2]){{i, 1, {0}}, {i + 50, -0.7, {0}}});
    }
    try_cycle(&s.problem, s.v);
    end_small(&s);
}

// Elastic bodies on a floor and on each other: several levels.
static void start_pile(pile *p, int32_t cells)
{
    char shape[64];
    snprintf(shape, sizeof shape, "box:size=1,0.3,0.3:cells=%d,%d,%d", cells, cells / 3, cells / 3);
    const pile_options options = {.shape = shape,
                                  .nx = 1,
                                  .ny = 1,
                                  .nz = 2,
                                  .dx = 0.3,
                                  .dz = 0.302,
                                  .bottom = 0.15,
                                  .dt = 1e-2,
                                  .mu = 0.5,
                                  .young = 1e8};
    pile_create(&options, p);
    pile_update(p);
    p->problem.n_x = p->A.n;
    p->problem.x = p->x;
}

static void test_cycles_of_bodies(void)
{
    pile p;
    start_pile(&p, 12);
    TEST_ASSERT_TRUE(p.problem.n_constraint > 50);
    try_cycle(&p.problem, p.v);
    pile_free(&p);
    start_pile(&p, 36);
    levels l;
    start_levels(&l, &p.problem, p.v);
    TEST_ASSERT_EQUAL(2, l.mg.n_grid);
    end_levels(&l);
    try_cycle(&p.problem, p.v);
    pile_free(&p);
}

// --- GMRES ---

static void multiply_plain(void *context, const float *x, float *y)
{
    multiply(context, NULL, x, y);
}

static void cycle_plain(void *context, const float *x, float *y)
{
    pl_multigrid_cycle(&((levels *)context)->mg, x, y);
}

static void test_gmres(void)
{
    pile p;
    levels l;
    pl_gmres gmres;
    start_pile(&p, 18);
    start_levels(&l, &p.problem, p.v);
    memset(l.couple, 0, 2 * (size_t)p.problem.n_constraint * sizeof *l.couple);
    int64_t n = 3 * (int64_t)p.A.n;
    double *r = random_vector(n), *want = random_vector(n), *e = random_vector(n);
    double *first = random_vector(n), size = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_gmres_create(n, &l.ws.arena, &gmres));
    for (int steps = 0; steps <= 12; steps += 6) {
        int32_t of_cpu =
            pl_gmres_solve(&gmres, multiply_plain, cycle_plain, &l, 1e-4, steps, r, want);
        for (int64_t i = 0; i < n; i++) size = fmax(size, fabs(want[i]));
        for (int d = 0; d < n_devices; d++) {
            for (int i = 0; i < N_GROUPS; i += 2) {
                pl_gpu *gpu = use_device(d, device_groups[i]);
                pl_gpu_multigrid m = {.gpu = gpu};
                pl_gpu_gmres g;
                memset(&g, 0, sizeof g);
                int32_t made;
                TEST_ASSERT_EQUAL(PL_OK, pl_gpu_multigrid_create(&m, &l.mg, &l.ws.arena));
                TEST_ASSERT_EQUAL(PL_OK, pl_gpu_multigrid_set(&m, l.K, l.couple, &l.ws.arena));
                TEST_ASSERT_EQUAL(PL_OK,
                                  pl_gpu_gmres_solve(&g, &m, 1e-4, steps, r, d + i == 0 ? first : e,
                                                     &l.ws.arena, &made));
                TEST_ASSERT_EQUAL(of_cpu, made);
                if (d + i > 0) expect_same_bits(devices + d, device_groups[i], first, e, 8 * n);
                pl_gpu_gmres_free(&g, gpu);
                pl_gpu_multigrid_free(&m);
            }
        }
        // Both have a residual of 1e-4, and single precision makes less of a difference than that.
        for (int64_t i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4 * size, want[i], first[i]);
    }
    TEST_ASSERT_TRUE(size > 0);
    free(r), free(want), free(e), free(first);
    end_levels(&l);
    pile_free(&p);
}

// --- Whole solves ---

static void solve_pile(pile *p, pl_device *device, double *v, pl_solve_stats *stats)
{
    const pl_solver *solver;
    pl_workspace ws = {.device = device};
    int64_t n = 3 * (int64_t)p->A.n, m = 3 * (int64_t)p->problem.n_constraint;
    double *f = calloc((size_t)m + 1, 8);
    memcpy(v, p->v, (size_t)n * sizeof *v);
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("cone-newton", &solver));
    pl_status status = pl_solve(solver, &p->problem, NULL, &ws, v, f, stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    free(f);
    ws.device = NULL;
    pl_workspace_free(&ws);
}

static pl_status fail_inner(pl_device *device, const pl_multigrid *mg, bool fresh,
                            const pl_stiffness *J, const float *couple, double drop, int32_t steps,
                            const double *r, double *e, pl_arena *arena, int32_t *made)
{
    (void)device, (void)mg, (void)fresh, (void)J, (void)couple, (void)drop, (void)steps, (void)r;
    (void)e, (void)arena, (void)made;
    return pl_fail(PL_ERROR_DEVICE, "planted");
}

static void test_cone_newton_uses_the_device_of_the_workspace(void)
{
    pile p;
    start_pile(&p, 12);
    int64_t n = 3 * (int64_t)p.A.n;
    double *want = random_vector(n), *v = random_vector(n);
    pl_solve_stats of_cpu, stats;
    pl_device *device;
    solve_pile(&p, NULL, want, &of_cpu);
    TEST_ASSERT_TRUE(of_cpu.factorizations > 0); // steps of Newton's
    TEST_ASSERT_EQUAL(PL_OK, pl_gpu_device_open(PL_GPU_ORACLE, 0, &device));
    solve_pile(&p, device, v, &stats);
    TEST_ASSERT_TRUE(pl_gpu_look(pl_gpu_of(device))->launches > 100);
    TEST_ASSERT_LESS_OR_EQUAL(of_cpu.iterations + 5, stats.iterations);
    for (int64_t i = 0; i < n; i++) TEST_ASSERT_DOUBLE_WITHIN(20 * 1e-6 / 1e-2, want[i], v[i]);
    pl_gpu_device_close(device);
    pl_device failing = {.name = "planted", .inner = fail_inner};
    solve_pile(&p, &failing, v, &stats);
    TEST_ASSERT_TRUE(failing.lost);
    TEST_ASSERT_EQUAL_MEMORY(want, v, 8 * (size_t)n);
    free(want), free(v);
    pile_free(&p);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_cycles_have_the_bits_of_the_cpu);
    RUN_TEST(test_a_last_level_that_is_too_large);
    RUN_TEST(test_cycles_of_bodies);
    RUN_TEST(test_gmres);
    RUN_TEST(test_cone_newton_uses_the_device_of_the_workspace);
    close_devices();
    return UNITY_END();
}
