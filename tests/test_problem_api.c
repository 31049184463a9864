// Problems as a program outside of the library has them: built, read, written, solved, measured,
// taken apart; and solvers of the program.

#include "failing_alloc.h"
#include "worlds.h"

#include <float.h>
#include <math.h>
#include <unistd.h>

static char path[] = "/tmp/pliant_problem_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

// A soft cube that has just fallen on a plate and slides.
static pl_world *make_cube(const char *solver)
{
    const double lift[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1.001};
    pl_world_options world_options = pl_world_options_default();
    world_options.solver = solver;
    world_options.rescue = false;
    pl_world *world = make_world(&world_options);
    pl_mesh *cube = make_mesh("cube:cells=2"), *plate = make_mesh("box:size=4,4,1:cells=2");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, lift));
    pl_deformable_options options = pl_deformable_options_default();
    options.velocity[0] = 0.3, options.velocity[2] = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, cube, &options, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, plate, NULL, NULL));
    pl_mesh_destroy(cube);
    pl_mesh_destroy(plate);
    return world;
}

static void record(void)
{
    pl_world *world = make_cube("auto");
    step(world, 4);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_save_problem(world, path), pl_error_text());
    pl_world_destroy(world);
}

// A problem with room for its solution.
typedef struct solved {
    pl_problem *problem;
    pl_problem_size size;
    double *v, *f;
} solved;

static solved room(pl_problem *problem)
{
    solved s = {problem, pl_problem_sizes(problem), NULL, NULL};
    s.v = calloc(3 * (size_t)s.size.blocks, sizeof *s.v);
    s.f = calloc(3 * (size_t)s.size.constraints + 1, sizeof *s.f);
    return s;
}

static solved read_it(void)
{
    pl_problem *problem;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_problem_read(path, &problem), pl_error_text());
    return room(problem);
}

static void done(solved *s)
{
    pl_problem_destroy(s->problem);
    free(s->v), free(s->f);
}

static pl_solve_result solve(solved *s, const char *solver, const pl_solve_options *options,
                             bool cold)
{
    pl_solve_result result;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_start(s->problem, cold, s->v, s->f));
    pl_status status = pl_problem_solve(s->problem, solver, options, s->v, s->f, &result);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return result;
}

static double largest_difference(int64_t n, const double *a, const double *b)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// Solvers find the same velocities, warm and cold, and the same bits each time.
static void test_solvers_agree(void)
{
    static const char *const names[] = {"auto", "newton", "cr"};
    solved s = read_it();
    TEST_ASSERT_TRUE(s.size.constraints > 0);
    TEST_ASSERT_EQUAL_INT32(27, s.size.blocks);
    TEST_ASSERT_EQUAL_INT64(3 * 27, s.size.unknowns);
    double first[3 * 27];
    pl_solve_options options = pl_solve_options_default();
    options.residual_tolerance = 1e-9, options.contact_tolerance = 1e-10;
    for (int i = 0; i < 6; i++) {
        bool cold = i >= 3;
        pl_solve_result result = solve(&s, names[i % 3], &options, cold);
        TEST_ASSERT_EQUAL_MESSAGE(PL_SOLVE_CONVERGED, result.end, pl_error_text());
        TEST_ASSERT_TRUE(result.residual <= 1e-9 && result.fischer <= 1e-10);
        options.threads = 3;
        TEST_ASSERT_EQUAL_HEX64(result.hash, solve(&s, names[i % 3], &options, cold).hash);
        options.threads = 0;
        if (i == 0) memcpy(first, s.v, sizeof first);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, largest_difference(3 * 27, first, s.v));
    }
    double sum = 0;
    for (int32_t k = 0; k < s.size.constraints; k++) sum += s.f[3 * k];
    TEST_ASSERT_TRUE(sum > 0); // the plate holds it
    done(&s);
}

// Any v and f are measured, alike.
static void test_measures(void)
{
    solved s = read_it();
    pl_solve_result measured;
    pl_solve_result result = solve(&s, "auto", NULL, true);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_measure(s.problem, s.v, s.f, &measured));
    TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, measured.end);
    TEST_ASSERT_EQUAL_DOUBLE(result.friction, measured.friction);
    TEST_ASSERT_EQUAL_DOUBLE(result.penetration, measured.penetration);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, result.residual, measured.residual);
    TEST_ASSERT_EQUAL_HEX64(result.hash, measured.hash);
    s.v[2] += 1; // away from the solution
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_measure(s.problem, s.v, s.f, &measured));
    TEST_ASSERT_EQUAL(PL_SOLVE_LIMIT, measured.end);
    TEST_ASSERT_TRUE(measured.residual > 1e-3);
    done(&s);
}

static void test_a_solve_that_is_cut_short(void)
{
    solved s = read_it();
    pl_solve_options options = pl_solve_options_default();
    options.max_iterations = 1;
    options.residual_tolerance = 1e-12, options.contact_tolerance = 1e-13;
    TEST_ASSERT_EQUAL_STRING("limit", pl_solve_end_name(solve(&s, "apg", &options, true).end));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "did not converge"));
    done(&s);
}

static void test_what_is_refused(void)
{
    pl_problem *none;
    pl_solve_result result;
    expect_failure(PL_ERROR_FILE, pl_problem_read("/tmp/no such.plp", &none), "no such.plp");
    TEST_ASSERT_NULL(none);
    solved s = read_it();
    pl_solve_options options = pl_solve_options_default();
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_solve(s.problem, "apq", NULL, s.v, s.f, &result),
                   "\"apg\"");
    options.precond = "ful";
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_problem_solve(s.problem, "cr", &options, s.v, s.f, &result), "full");
    options = pl_solve_options_default();
    options.residual_tolerance = 0;
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_problem_solve(s.problem, "cr", &options, s.v, s.f, &result), "positive");
    options = pl_solve_options_default();
    options.threads = 257;
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_problem_solve(s.problem, "cr", &options, s.v, s.f, &result), "threads");
    s.v[5] = NAN;
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_solve(s.problem, "cr", NULL, s.v, s.f, &result),
                   "v[5] is nan");
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_set_start(s.problem, s.v, s.f), "v[5] is nan");
    pl_constraint_info info;
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_constraint(s.problem, s.size.constraints, &info),
                   "the first is 0");
    done(&s);
}

// --- Taken apart ---

// The arrays say what the functions do: A x, L v - c and L^T f.
static void test_arrays(void)
{
    solved s = read_it();
    int n = s.size.blocks, m = s.size.constraints;
    int64_t *Ar = malloc(sizeof *Ar * (size_t)(n + 1)), *Lr = malloc(sizeof *Lr * (size_t)(m + 1));
    int32_t *Ac = malloc(sizeof *Ac * (size_t)s.size.matrix_blocks);
    int32_t *Lc = malloc(sizeof *Lc * (size_t)s.size.row_blocks);
    double *Av = malloc(9 * sizeof *Av * (size_t)s.size.matrix_blocks);
    double *Lv = malloc(9 * sizeof *Lv * (size_t)s.size.row_blocks);
    double *y = calloc(3 * (size_t)n, sizeof *y), *z = calloc(3 * (size_t)n, sizeof *z);
    double *u = calloc(3 * (size_t)m, sizeof *u), *w = calloc(3 * (size_t)m, sizeof *w);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_matrix(s.problem, Ar, Ac, Av));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_rows(s.problem, Lr, Lc, Lv));
    TEST_ASSERT_EQUAL_INT64(s.size.matrix_blocks, Ar[n]);
    TEST_ASSERT_EQUAL_INT64(s.size.row_blocks, Lr[m]);
    solve(&s, "auto", NULL, false);
    for (int i = 0; i < n; i++) {
        for (int64_t k = Ar[i]; k < Ar[i + 1]; k++) {
            for (int a = 0; a < 9; a++) y[3 * i + a / 3] += Av[9 * k + a] * s.v[3 * Ac[k] + a % 3];
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_multiply(s.problem, s.v, z));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, largest_difference(3 * n, y, z));
    memset(y, 0, 3 * (size_t)n * sizeof *y);
    for (int i = 0; i < m; i++) {
        pl_constraint_info info;
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_constraint(s.problem, i, &info));
        TEST_ASSERT_EQUAL(PL_LAW_CONE, info.law);
        for (int a = 0; a < 3; a++) u[3 * i + a] = -info.c[a];
        for (int64_t k = Lr[i]; k < Lr[i + 1]; k++) {
            TEST_ASSERT_TRUE(k == Lr[i] || Lc[k] > Lc[k - 1]);
            for (int a = 0; a < 9; a++) {
                u[3 * i + a / 3] += Lv[9 * k + a] * s.v[3 * Lc[k] + a % 3];
                y[3 * Lc[k] + a % 3] += Lv[9 * k + a] * s.f[3 * i + a / 3];
            }
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(s.problem, s.v, w));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_momentum(s.problem, s.f, z));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, largest_difference(3 * m, u, w));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, largest_difference(3 * n, y, z));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_matrix(s.problem, NULL, NULL, NULL));
    free(Ar), free(Lr), free(Ac), free(Lc), free(Av), free(Lv), free(y), free(z), free(u), free(w);
    done(&s);
}

// What a world gives out is what it writes.
static void test_out_of_a_world(void)
{
    char again[] = "/tmp/pliant_problem_XXXXXX";
    TEST_ASSERT_TRUE(close(mkstemp(again)) == 0);
    pl_world *world = make_cube("auto");
    pl_problem *problem;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_problem(world, &problem), "no contact problem");
    TEST_ASSERT_NULL(problem);
    step(world, 4);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_problem(world, &problem));
    pl_world_destroy(world);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_write(problem, again));
    pl_problem_destroy(problem);
    static char a[1 << 20], b[1 << 20];
    FILE *x = fopen(path, "rb"), *y = fopen(again, "rb");
    size_t n = fread(a, 1, sizeof a, x), o = fread(b, 1, sizeof b, y);
    fclose(x), fclose(y), unlink(again);
    TEST_ASSERT_EQUAL(n, o);
    TEST_ASSERT_EQUAL_MEMORY(a, b, n);
}

// --- Built ---

enum { BLOCKS = 3 };
static const int64_t row[] = {0, 2, 4, 5};
static const int32_t col[] = {0, 1, 0, 1, 2};
static const double b[3 * BLOCKS] = {0, 0, -1, 1, 0, -1, 0, 0, 0};
static const pl_constraint_info contact = {.axes = {0, 0, 1, 1, 0, 0, 0, 1, 0}, .mu = 0.5};

// Two masses tied by what is off the diagonal, and a third that does not move.
static void fill_matrix(double *val)
{
    memset(val, 0, 45 * sizeof *val);
    for (int a = 0; a < 3; a++) {
        val[4 * a] = val[27 + 4 * a] = 2, val[36 + 4 * a] = 1;
        val[9 + 4 * a] = val[18 + 4 * a] = -0.5;
    }
    val[9 + 1] = 0.25, val[18 + 3] = 0.25; // row by row: (0, 1) above, (1, 0) below
}

static pl_problem *build(void)
{
    static const uint8_t prescribed[BLOCKS] = {0, 0, 1};
    double val[45];
    pl_problem *problem;
    fill_matrix(val);
    pl_status status = pl_problem_create(BLOCKS, row, col, val, b, prescribed, 0.01, &problem);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    return problem;
}

// Mass 0 rests on mass 2, which is held; mass 1 hangs on mass 2 by a joint. By hand: v = 0, and the
// impulses bear b.
static void test_built(void)
{
    pl_problem *problem = build();
    const pl_term on[] = {{0, 1, {0}}, {2, -1, {0}}}, hangs[] = {{1, 1, {0}}, {2, -1, {0}}};
    pl_constraint_info joint = contact;
    joint.law = PL_LAW_BOX;
    for (int a = 0; a < 3; a++) joint.lo[a] = -INFINITY, joint.hi[a] = INFINITY;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &contact, 2, on));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &joint, 2, hangs));
    pl_constraint_info back;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_constraint(problem, 1, &back));
    TEST_ASSERT_EQUAL_MEMORY(&joint, &back, sizeof joint);
    solved s = room(problem);
    TEST_ASSERT_EQUAL_INT32(2, s.size.constraints);
    TEST_ASSERT_EQUAL_INT64(6, s.size.unknowns);
    pl_solve_options options = pl_solve_options_default();
    options.residual_tolerance = 1e-12, options.contact_tolerance = 1e-12;
    pl_solve_result result = solve(&s, "newton", &options, false);
    TEST_ASSERT_EQUAL_MESSAGE(PL_SOLVE_CONVERGED, result.end, pl_error_text());
    TEST_ASSERT_TRUE(result.joint <= 1e-12);
    static const double zero[9], f[6] = {1, 0, 0, 1, -1, 0};
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, largest_difference(9, zero, s.v));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, largest_difference(6, f, s.f));
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_solve(problem, "cr", NULL, s.v, s.f, &result),
                   "cr cannot do box constraints");
    // Where it begins travels through a file.
    s.v[6] = 0.125;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_set_start(problem, s.v, s.f));
    char name[] = "/tmp/pliant_problem_XXXXXX";
    TEST_ASSERT_TRUE(close(mkstemp(name)) == 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_write(problem, name));
    pl_problem *again;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_read(name, &again));
    unlink(name);
    solved t = room(again);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_start(again, false, t.v, t.f));
    TEST_ASSERT_EQUAL_MEMORY(s.v, t.v, sizeof zero);
    TEST_ASSERT_EQUAL_MEMORY(s.f, t.f, sizeof f);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_start(again, true, t.v, t.f));
    TEST_ASSERT_EQUAL_DOUBLE(0.125, t.v[6]); // prescribed
    TEST_ASSERT_EQUAL_DOUBLE(0, t.f[0]);
    // One that was read takes more constraints, and begins them at 0.
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(again, &contact, 2, hangs));
    free(t.v), free(t.f);
    t = room(again);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_start(again, false, t.v, t.f));
    TEST_ASSERT_EQUAL_MEMORY(s.f, t.f, sizeof f);
    TEST_ASSERT_EQUAL_DOUBLE(0, t.f[6]);
    done(&s), free(t.v), free(t.f);
    pl_problem_destroy(again);
}

static void refuse_matrix(const int64_t *r, const int32_t *c, const double *val, const char *part)
{
    pl_problem *problem;
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_create(BLOCKS, r, c, val, b, NULL, 0.01, &problem),
                   part);
    TEST_ASSERT_NULL(problem);
}

static void test_what_cannot_be_built(void)
{
    double val[45], nothing[9] = {0};
    pl_problem *problem;
    fill_matrix(val);
    refuse_matrix((int64_t[]){0, 2, 4, 3}, col, val, "row 2 of the matrix ends");
    refuse_matrix(row, (int32_t[]){0, 1, 0, 1, 3}, val, "row 2 of the matrix: column 3");
    refuse_matrix(row, (int32_t[]){1, 0, 0, 1, 2}, val, "row 0 of the matrix: column 0");
    refuse_matrix(row, (int32_t[]){0, 2, 0, 1, 2}, val, "not symmetric");
    val[9] = 0.5;
    refuse_matrix(row, col, val, "block (0, 1) of the matrix is not that of (1, 0)");
    val[9] = NAN;
    refuse_matrix(row, col, val, "block (0, 1) of the matrix is not finite");
    fill_matrix(val);
    nothing[4] = INFINITY;
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_problem_create(BLOCKS, row, col, val, nothing, NULL, 0.01, &problem), "b[4]");
    expect_failure(PL_ERROR_ARGUMENT,
                   pl_problem_create(BLOCKS, row, col, val, b, NULL, 0, &problem), "time step");
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_create(-1, row, col, val, b, NULL, 1, &problem),
                   "-1 block rows");
    problem = build();
    const pl_term bad = {3, 1, {0}}, good = {1, 1, {0}}, infinite = {1, INFINITY, {0}};
    pl_constraint_info crooked = contact;
    crooked.axes[0] = 1;
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_add_constraint(problem, &contact, 1, &bad),
                   "block 3 of 3");
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_add_constraint(problem, &crooked, 1, &good),
                   "orthonormal");
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_add_constraint(problem, &contact, 1, &infinite),
                   "not finite");
    TEST_ASSERT_EQUAL_INT32(0, pl_problem_sizes(problem).constraints);
    TEST_ASSERT_EQUAL_INT64(0, pl_problem_sizes(problem).row_blocks);
    pl_problem_destroy(problem);
}

// One contact by itself: it opens, sticks and slips as Coulomb's law says.
static void test_one_constraint(void)
{
    pl_problem *problem = build();
    const pl_term on = {0, 1, {0}};
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &contact, 1, &on));
    const double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double q[3][3] = {{1, 1, 0}, {-1, 0.3, 0}, {-1, 0, 2}};
    const double expected[3][3] = {{0, 0, 0}, {1, -0.3, 0}, {1, 0, -0.5}};
    for (int i = 0; i < 3; i++) {
        double f[3] = {0};
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_solve_one(problem, 0, S, q[i], f));
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, largest_difference(3, expected[i], f));
    }
    double f[3];
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_solve_one(problem, 1, S, q[0], f), "1 of 1");
    pl_problem_destroy(problem);
}

// --- A solver of the program ---

typedef struct seen {
    int calls;
    bool reduced;
    int32_t threads;
} seen;

// Gauss-Seidel on the reduced form.
static pl_status sweep_solve(pl_solve_job *job, void *user)
{
    seen *s = user;
    s->calls++;
    s->reduced = job->W != NULL && job->q != NULL;
    s->threads = job->options->threads;
    for (job->end = PL_SOLVE_LIMIT; job->iterations < job->options->max_iterations;) {
        if (pl_solve_late(job)) job->end = PL_SOLVE_TIME;
        if (pl_solve_done(job)) job->end = PL_SOLVE_CONVERGED;
        if (job->end != PL_SOLVE_LIMIT) break;
        for (int32_t k = 0; k < job->W->n; k++) {
            double q[3], *f = job->f + 3 * (int64_t)k;
            if (job->W->diag[k] < 0) continue;
            memcpy(q, job->q + 3 * (int64_t)k, sizeof q);
            for (int64_t i = job->W->row[k]; i < job->W->row[k + 1]; i++) {
                if (i == job->W->diag[k]) continue;
                for (int a = 0; a < 9; a++) {
                    q[a / 3] += job->W->val[9 * i + a] * job->f[3 * job->W->col[i] + a % 3];
                }
            }
            pl_problem_solve_one(job->problem, k, job->W->val + 9 * job->W->diag[k], q, f);
        }
        job->iterations++;
    }
    return PL_OK;
}

// Says that it is done, and is not.
static pl_status lie(pl_solve_job *job, void *user)
{
    (void)user;
    memset(job->f, 0, 3 * sizeof *job->f * (size_t)pl_problem_sizes(job->problem).constraints);
    job->end = PL_SOLVE_CONVERGED;
    return PL_OK;
}

static pl_status go_astray(pl_solve_job *job, void *user)
{
    double *memory = pl_solve_memory(job, 10, sizeof *memory);
    for (int i = 0; i < 10; i++) *(double *)user += memory[i]; // it is 0
    job->v[0] = NAN;
    job->end = PL_SOLVE_CONVERGED;
    return PL_OK;
}

static pl_status give_up(pl_solve_job *job, void *user)
{
    (void)job, (void)user;
    return PL_ERROR_MEMORY;
}

static seen sweeps;
static double sum_of_memory;

static void test_solvers_of_the_program(void)
{
    int32_t n = pl_solver_count(), number;
    const pl_solver_def def = {.name = "sweeps",
                               .guarantee = "of this test",
                               .reduced = true,
                               .boxes = true,
                               .solve = sweep_solve,
                               .user = &sweeps};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_solver_register(&def), pl_error_text());
    TEST_ASSERT_EQUAL_INT32(n + 1, pl_solver_count());
    pl_solver_info info;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_number("sweeps", &number));
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_describe(number, &info));
    TEST_ASSERT_EQUAL_STRING("of this test", info.guarantee);
    TEST_ASSERT_TRUE(info.own && info.reduced && info.boxes && !info.compliance);
    solved s = read_it();
    pl_solve_options options = pl_solve_options_default();
    options.residual_tolerance = 1e-9, options.contact_tolerance = 1e-9;
    pl_solve_result result = solve(&s, "sweeps", &options, true);
    TEST_ASSERT_EQUAL_MESSAGE(PL_SOLVE_CONVERGED, result.end, pl_error_text());
    TEST_ASSERT_TRUE(result.iterations > 1 && sweeps.reduced && sweeps.threads > 0);
    options.threads = 3;
    solve(&s, "sweeps", &options, true);
    TEST_ASSERT_EQUAL_INT32(3, sweeps.threads);
    double *v = malloc(3 * 27 * sizeof *v);
    memcpy(v, s.v, 3 * 27 * sizeof *v);
    solve(&s, "newton", &options, true);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, largest_difference(3 * 27, v, s.v));
    free(v);
    done(&s);
    // A world steps by it, with nobody's help.
    sweeps.calls = 0;
    pl_world *world = make_cube("sweeps"), *other = make_cube("auto");
    step(world, 20), step(other, 20);
    TEST_ASSERT_TRUE(sweeps.calls >= 15);
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-5, 0, // each step is solved to 1e-6 m
        largest_difference(3 * 27, pl_world_positions(world, 0), pl_world_positions(other, 0)));
    pl_world_destroy(world), pl_world_destroy(other);
}

// What a solver claims is checked, and what it spoils does not get out.
static void test_solvers_that_are_wrong(void)
{
    const pl_solver_def liar = {.name = "liar", .solve = lie};
    const pl_solver_def astray = {.name = "astray", .solve = go_astray, .user = &sum_of_memory};
    const pl_solver_def quitter = {.name = "quitter", .solve = give_up};
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_register(&liar));
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_register(&astray));
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_register(&quitter));
    solved s = read_it();
    TEST_ASSERT_EQUAL(PL_SOLVE_STALLED, solve(&s, "liar", NULL, true).end);
    TEST_ASSERT_EQUAL(PL_SOLVE_BREAKDOWN, solve(&s, "astray", NULL, false).end);
    TEST_ASSERT_TRUE(isfinite(s.v[0]));
    TEST_ASSERT_EQUAL_DOUBLE(0, sum_of_memory);
    pl_solve_result result;
    expect_failure(PL_ERROR_MEMORY, pl_problem_solve(s.problem, "quitter", NULL, s.v, s.f, &result),
                   "quitter: its function failed (memory)");
    done(&s);
    pl_problem *problem = build();
    const pl_term on = {0, 1, {0}};
    pl_constraint_info joint = contact;
    joint.law = PL_LAW_BOX;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &joint, 1, &on));
    s = room(problem);
    expect_failure(PL_ERROR_ARGUMENT, pl_problem_solve(problem, "liar", NULL, s.v, s.f, &result),
                   "liar cannot do box constraints");
    done(&s);
}

static void refuse_solver(const char *name, const char *part)
{
    const pl_solver_def def = {.name = name, .solve = lie};
    expect_failure(PL_ERROR_ARGUMENT, pl_solver_register(&def), part);
}

static void test_solvers_that_are_refused(void)
{
    const pl_solver_def none = {.name = "none"};
    expect_failure(PL_ERROR_ARGUMENT, pl_solver_register(NULL), "NULL");
    expect_failure(PL_ERROR_ARGUMENT, pl_solver_register(&none),
                   "pl_solver_register: def->solve is NULL");
    refuse_solver(NULL, "pl_solver_register: def->name is NULL");
    refuse_solver("", "1 to 31 letters");
    refuse_solver("two words", "1 to 31 letters");
    refuse_solver("abcdefghijklmnopqrstuvwxyz0123456789", "1 to 31 letters");
    refuse_solver("auto", "is taken");
    refuse_solver("face", "is taken"); // an old name of another
    refuse_solver("all", "is taken");
    char name[32];
    int own = 0;
    for (int i = 0; i < pl_solver_count(); i++) {
        pl_solver_info info;
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_describe(i, &info));
        own += info.own;
    }
    for (int i = own; i < PL_USER_SOLVERS_MAX; i++) {
        snprintf(name, sizeof name, "solver-%d", i);
        const pl_solver_def def = {.name = name, .solve = lie};
        TEST_ASSERT_EQUAL(PL_OK, pl_solver_register(&def));
    }
    refuse_solver("one-more", "the limit");
}

// --- Memory ---

static pl_status read_and_solve(void *user)
{
    solved *s = user;
    pl_solve_result result;
    pl_problem *problem;
    pl_status status = pl_problem_read(path, &problem);
    if (status == PL_OK) status = pl_problem_solve(problem, "apg", NULL, s->v, s->f, &result);
    pl_problem_destroy(problem);
    return status;
}

static pl_status build_one(void *user)
{
    const pl_term on = {0, 1, {0}};
    double val[45];
    pl_problem *problem;
    (void)user;
    fill_matrix(val);
    pl_status status = pl_problem_create(BLOCKS, row, col, val, b, NULL, 0.01, &problem);
    if (status == PL_OK) status = pl_problem_add_constraint(problem, &contact, 1, &on);
    pl_problem_destroy(problem);
    return status;
}

static pl_status take_out(void *user)
{
    pl_problem *problem;
    pl_status status = pl_world_problem(user, &problem);
    pl_problem_destroy(problem);
    return status;
}

static void test_allocations_fail(void)
{
    solved s = read_it();
    pl_world *world = make_cube("auto");
    step(world, 4);
    fail_each_allocation(read_and_solve, &s);
    fail_each_allocation(build_one, NULL);
    fail_each_allocation(take_out, world);
    pl_world_destroy(world);
    done(&s);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    record();
    UNITY_BEGIN();
    RUN_TEST(test_solvers_agree);
    RUN_TEST(test_measures);
    RUN_TEST(test_a_solve_that_is_cut_short);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_arrays);
    RUN_TEST(test_out_of_a_world);
    RUN_TEST(test_built);
    RUN_TEST(test_what_cannot_be_built);
    RUN_TEST(test_one_constraint);
    RUN_TEST(test_solvers_of_the_program);
    RUN_TEST(test_solvers_that_are_wrong);
    RUN_TEST(test_solvers_that_are_refused);
    RUN_TEST(test_allocations_fail);
    unlink(path);
    return UNITY_END();
}
