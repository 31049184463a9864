// Newton's method on faces with multigrid: the answers of apg, for fewer iterations where those of
// apg grow.

#include "contacts.h"
#include "piles.h"

void setUp(void)
{
    random_state = 9;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// --- A stiff beam on the ground ---

static const pile_options beam = {.shape = "box:size=2,0.1,0.1:cells=40,2,2",
                                  .nx = 1,
                                  .ny = 1,
                                  .nz = 1,
                                  .dx = 1,
                                  .dz = 0.11,
                                  .bottom = 0.051,
                                  .dt = 1e-2,
                                  .mu = 0.5,
                                  .young = 1e8};

// Pulled along itself at one end.
static void start_beam(pile *p, const pile_options *options)
{
    pile_create(options, p);
    pile_update(p);
    p->problem.n_x = p->n_vert;
    p->problem.x = p->x;
    for (int32_t i = 0; i < p->n_vert; i++) {
        if (p->x[3 * i] > 0.99) p->b[3 * i] += 0.3;
    }
    TEST_ASSERT_TRUE(p->problem.n_constraint > 50);
}

typedef struct answer {
    double *v, *f;
    pl_status status;
    pl_solve_stats stats;
} answer;

// From the velocities before, without impulses.
static answer solve(const pile *p, const char *name, const pl_solver_options *options)
{
    size_t n = 3 * (size_t)p->n_vert, m = 3 * (size_t)p->problem.n_constraint;
    const pl_solver *solver;
    pl_workspace ws = {0};
    answer a = {.v = calloc(n, sizeof *a.v), .f = calloc(m + 1, sizeof *a.f)};
    memcpy(a.v, p->v, n * sizeof *a.v);
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
    a.status = pl_solve(solver, &p->problem, options, &ws, a.v, a.f, &a.stats);
    for (size_t i = 0; i < n; i++) TEST_ASSERT_TRUE(isfinite(a.v[i]));
    for (size_t i = 0; i < m; i++) TEST_ASSERT_TRUE(isfinite(a.f[i]));
    pl_workspace_free(&ws);
    return a;
}

static void free_answer(answer *a)
{
    free(a->v), free(a->f);
}

// Both must have converged.
static void check_same(const pile *p, const answer *a, const answer *b, double tolerance)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, a->status, pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, b->status, pl_error_text());
    for (int64_t i = 0; i < 3 * (int64_t)p->n_vert; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(tolerance, a->v[i], b->v[i]);
    }
}

static void test_a_stiff_beam_takes_fewer_iterations(void)
{
    for (int slip = 0; slip < 2; slip++) {
        pile_options options = beam;
        options.mu = slip ? 0 : 0.5;
        pile p;
        start_beam(&p, &options);
        answer apg = solve(&p, "apg", NULL);
        answer face = solve(&p, "cone-newton", NULL), both = solve(&p, "auto", NULL);
        check_same(&p, &apg, &face, 1e-3); // contact_tolerance is 1e-4 m/s
        check_same(&p, &apg, &both, 1e-3);
        TEST_ASSERT_TRUE(apg.stats.iterations > 200);
        TEST_ASSERT_TRUE(2 * face.stats.iterations < apg.stats.iterations);
        TEST_ASSERT_TRUE(both.stats.iterations < apg.stats.iterations);
        TEST_ASSERT_TRUE(face.stats.factorizations > 0);
        free_answer(&apg), free_answer(&face), free_answer(&both);
        pile_free(&p);
    }
}

// auto is apg, bit for bit, where that needs no more than 40 iterations.
static void test_auto_begins_as_apg(void)
{
    pile_options options = beam;
    options.dt = 1e-4;
    options.bottom = 0.0501;
    pile p;
    start_beam(&p, &options);
    answer apg = solve(&p, "apg", NULL), both = solve(&p, "auto", NULL);
    TEST_ASSERT_EQUAL(PL_OK, apg.status);
    TEST_ASSERT_TRUE(apg.stats.iterations <= 40);
    TEST_ASSERT_EQUAL(0, both.stats.factorizations);
    TEST_ASSERT_TRUE(same_bits(apg.v, both.v, 3 * (int64_t)p.n_vert));
    TEST_ASSERT_TRUE(same_bits(apg.f, both.f, 3 * (int64_t)p.problem.n_constraint));
    free_answer(&apg), free_answer(&both);
    pile_free(&p);
}

// A block whose factor takes as long as thousands of iterations: auto does not turn to newton after
// some hundred, nor begin with it from then on.
static void test_auto_knows_the_price_of_newton(void)
{
    pile_options options = beam;
    options.shape = "cube:cells=14";
    options.dz = 1.1;
    options.young = 1e10;
    options.bottom = 0.501;
    pile p;
    start_beam(&p, &options);
    TEST_ASSERT_TRUE(p.problem.A->n > 2500);
    pl_solver_options fine = pl_solver_options_default();
    fine.residual_tolerance = 1e-12;
    fine.contact_tolerance = 1e-12;
    const pl_solver *solver;
    pl_workspace ws = {0};
    pl_solve_stats stats;
    double *v = calloc(3 * (size_t)p.n_vert, sizeof *v);
    double *f = calloc(3 * (size_t)p.problem.n_constraint, sizeof *f);
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find("auto", &solver));
    pl_status status = pl_solve(solver, &p.problem, &fine, &ws, v, f, &stats);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_TRUE(stats.iterations > 200);
    TEST_ASSERT_FALSE(ws.direct);
    pl_workspace_free(&ws);
    free(v), free(f);
    pile_free(&p);
}

// Boxes on each other, through some steps, with and without friction: each step's answers agree.
static void test_a_pile(void)
{
    const char *names[] = {"cone-newton", "auto"};
    pl_solver_options options = pl_solver_options_default();
    options.residual_tolerance = options.contact_tolerance = 1e-7;
    for (int slip = 0; slip < 2; slip++) {
        pile_options boxes = pile_of_boxes;
        boxes.nx = 2, boxes.ny = 1, boxes.nz = 3;
        boxes.dt = 5e-3;
        boxes.mu = slip ? 0 : 0.5;
        pl_workspace ws = {0};
        pl_solve_stats stats;
        pile p;
        pile_create(&boxes, &p);
        for (int step = 0; step < 6; step++) {
            pile_update(&p);
            p.problem.n_x = p.n_vert;
            p.problem.x = p.x;
            answer apg = solve(&p, "apg", &options);
            for (int k = 0; k < 2; k++) {
                answer other = solve(&p, names[k], &options);
                check_same(&p, &apg, &other, 1e-3);
                free_answer(&other);
            }
            free_answer(&apg);
            pile_step(&p, "apg", &ws, &stats);
        }
        TEST_ASSERT_TRUE(p.problem.n_constraint > 50);
        pl_workspace_free(&ws);
        pile_free(&p);
    }
}

// Without places of the vertices, without contacts, with driven ends, and with nothing to find.
static void test_variants_of_the_beam(void)
{
    pile p;
    start_beam(&p, &beam);
    answer with = solve(&p, "apg", NULL);
    p.problem.n_x = 0, p.problem.x = NULL;
    answer without = solve(&p, "cone-newton", NULL);
    check_same(&p, &with, &without, 1e-3);
    free_answer(&with), free_answer(&without);
    p.problem.n_x = p.n_vert, p.problem.x = p.x;

    uint8_t *prescribed = calloc((size_t)p.n_vert, 1);
    p.problem.prescribed = prescribed;
    for (int32_t i = 0; i < p.n_vert; i++) {
        prescribed[i] = fabs(p.x[3 * i]) > 0.95;
        if (prescribed[i]) p.v[3 * i] = 0.1, p.v[3 * i + 1] = 0, p.v[3 * i + 2] = 0.2;
    }
    answer apg = solve(&p, "apg", NULL), face = solve(&p, "cone-newton", NULL);
    check_same(&p, &apg, &face, 1e-3);
    TEST_ASSERT_TRUE(face.stats.factorizations > 0);
    for (int32_t i = 0; i < 3 * p.n_vert; i++) {
        if (prescribed[i / 3]) TEST_ASSERT_EQUAL_DOUBLE(p.v[i], face.v[i]);
    }
    free_answer(&apg), free_answer(&face);

    memset(prescribed, 1, (size_t)p.n_vert);
    memset(p.v, 0, 3 * (size_t)p.n_vert * sizeof *p.v);
    for (int32_t k = 0; k < p.problem.n_constraint; k++) p.problem.constraint[k].c[0] = -1;
    face = solve(&p, "cone-newton", NULL);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, face.status, pl_error_text());
    free_answer(&face);

    p.problem.prescribed = NULL;
    pl_problem_clear(&p.problem);
    apg = solve(&p, "apg", NULL), face = solve(&p, "cone-newton", NULL);
    check_same(&p, &apg, &face, 1e-3);
    TEST_ASSERT_TRUE(face.stats.factorizations > 0);
    TEST_ASSERT_TRUE(2 * face.stats.iterations < apg.stats.iterations);
    free_answer(&apg), free_answer(&face);
    free(prescribed);
    pile_free(&p);
}

// --- Limits, threads, memory ---

static void test_limits(void)
{
    const char *names[] = {"cone-newton", "auto"};
    pile p;
    start_beam(&p, &beam);
    for (int k = 0; k < 2; k++) {
        pl_solver_options options = pl_solver_options_default();
        options.residual_tolerance = options.contact_tolerance = 1e-20; // never
        for (int32_t limit = 0; limit <= 70; limit += limit < 12 ? 1 : 7) {
            options.max_iterations = limit;
            answer a = solve(&p, names[k], &options);
            TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, a.status);
            TEST_ASSERT_EQUAL(PL_SOLVE_LIMIT, a.stats.end);
            TEST_ASSERT_EQUAL(limit, a.stats.iterations);
            free_answer(&a);
        }
        options.max_iterations = 1000000;
        options.max_seconds = 0.05; // some rounds of Newton's have been made by then
        answer a = solve(&p, names[k], &options);
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, a.status);
        TEST_ASSERT_EQUAL(PL_SOLVE_TIME, a.stats.end);
        TEST_ASSERT_TRUE(a.stats.seconds < 5);
        free_answer(&a);
    }
    pile_free(&p);
}

static void test_threads_do_not_change_bits(void)
{
    pile_options options = beam;
    options.shape = "box:size=2,0.2,0.2:cells=80,10,10"; // 9,801 vertices: all loops in parallel
    options.bottom = 0.1;
    pile p;
    start_beam(&p, &options);
    pl_solver_options loose = pl_solver_options_default();
    loose.max_iterations = 30;
    answer first = {0};
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_threads_set(threads);
        answer a = solve(&p, "cone-newton", &loose);
        TEST_ASSERT_TRUE(a.stats.factorizations > 1);
        if (threads == 1) first = a;
        TEST_ASSERT_TRUE(same_bits(first.v, a.v, 3 * (int64_t)p.n_vert));
        TEST_ASSERT_TRUE(same_bits(first.f, a.f, 3 * (int64_t)p.problem.n_constraint));
        if (threads > 1) free_answer(&a);
    }
    free_answer(&first);
    pile_free(&p);
}

typedef struct fresh {
    pile *p;
    double *v, *f;
} fresh;

static pl_status solve_fresh(void *user)
{
    const fresh *f = user;
    pl_workspace ws = {0};
    pl_solve_stats stats;
    memcpy(f->v, f->p->v, 3 * (size_t)f->p->n_vert * sizeof *f->v);
    memset(f->f, 0, 3 * (size_t)f->p->problem.n_constraint * sizeof *f->f);
    pl_status status = pl_solve(pl_solver_at(1), &f->p->problem, NULL, &ws, f->v, f->f, &stats);
    pl_workspace_free(&ws);
    return status;
}

static void test_allocations_that_fail(void)
{
    pile p;
    start_beam(&p, &beam);
    TEST_ASSERT_EQUAL_STRING("cone-newton", pl_solver_at(1)->name);
    fresh f = {&p, random_vector(3 * p.n_vert), random_vector(3 * p.problem.n_constraint)};
    TEST_ASSERT_TRUE(fail_each_allocation(solve_fresh, &f) > 3);
    free(f.v), free(f.f);
    pile_free(&p);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_stiff_beam_takes_fewer_iterations);
    RUN_TEST(test_auto_begins_as_apg);
    RUN_TEST(test_auto_knows_the_price_of_newton);
    RUN_TEST(test_a_pile);
    RUN_TEST(test_variants_of_the_beam);
    RUN_TEST(test_limits);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
