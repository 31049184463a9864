// The multigrid cycle: its matrices against dense ones, and what it does to errors.

#include "contacts.h"
#include "piles.h"
#include "../solvers/multigrid.h"

enum { W = PL_GRID_WIDTH, M = PL_GRID_MODES };

void setUp(void)
{
    random_state = 5;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// --- Bodies ---

typedef struct body {
    pile p;
    pl_arena arena;
    pl_uses uses;
    pl_block_jacobi D;
    double lambda;
    uint8_t *prescribed; // (A.n)
    pl_stiffness *K;     // (n_constraint)
    pl_multigrid mg;
} body;

static const pile_options beam = {.shape = "box:size=1,0.12,0.12:cells=25,3,3",
                                  .nx = 1,
                                  .ny = 1,
                                  .nz = 1,
                                  .dx = 0.3,
                                  .dz = 0.13,
                                  .bottom = 0.06,
                                  .dt = 1e-2,
                                  .mu = 0.5,
                                  .young = 1e8};

// The largest eigenvalue of D^-1 A, by many steps.
static double find_lambda(const body *b)
{
    int64_t n = 3 * (int64_t)b->p.A.n;
    double *x = random_vector(n), *y = random_vector(n), norm = 0;
    for (int step = 0; step < 100; step++) {
        pl_bsr_multiply(&b->p.A, x, y);
        pl_block_jacobi_apply(&b->D, y, x);
        norm = 0;
        for (int64_t i = 0; i < n; i++) norm += x[i] * x[i];
        norm = sqrt(norm);
        for (int64_t i = 0; i < n && norm > 0; i++) x[i] /= norm;
    }
    free(x), free(y);
    return 1.02 * PL_MAX(norm, 1);
}

// Finds the contacts with the floor and between bodies if `contacts`.
static void start_body(body *b, const pile_options *options, bool contacts)
{
    *b = (body){0};
    pile_create(options, &b->p);
    if (contacts) {
        pile_update(&b->p);
    } else {
        pile_assemble(&b->p);
    }
    b->p.problem.n_x = b->p.A.n;
    b->p.problem.x = b->p.x;
    b->prescribed = calloc((size_t)b->p.A.n, 1);
}

// After A and what is prescribed are set. The stiffness is `hard` times what contacts answer with;
// every third contact slips, and is open every seventh.
static void prepare(body *b, double hard)
{
    pl_problem *problem = &b->p.problem;
    pl_arena *arena = &b->arena;
    pl_arena_reset(arena);
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(problem, arena, &b->uses));
    pl_block_jacobi_free(&b->D);
    TEST_ASSERT_EQUAL(PL_OK, pl_block_jacobi_create(b->p.A.n, &b->D));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_block_jacobi_update(&b->D, &b->p.A), pl_error_text());
    for (int64_t i = 0; i < b->p.A.n; i++) {
        if (pl_is_prescribed(problem, i)) memset(b->D.inv + 6 * i, 0, 6 * sizeof *b->D.inv);
    }
    if (b->lambda == 0) b->lambda = find_lambda(b);
    free(b->K);
    b->K = calloc((size_t)problem->n_constraint + 1, sizeof *b->K);
    for (int32_t k = 0; k < problem->n_constraint; k++) {
        double S[9];
        pl_contact_block(problem, &b->D, k, S);
        if (!(S[0] > 0) || k % 7 == 6) continue;
        b->K[k].nn = (float)(hard / S[0]);
        b->K[k].t22 = (float)(2 * hard / (S[4] + S[8]));
        if (k % 3 > 0) b->K[k].t11 = b->K[k].t22;
    }
    TEST_ASSERT_EQUAL(
        PL_OK, pl_multigrid_create(problem, &b->D, &b->uses, NULL, b->lambda, arena, &b->mg));
    pl_multigrid_set(&b->mg, b->K);
}

static void end_body(body *b)
{
    pile_free(&b->p);
    pl_arena_free(&b->arena);
    pl_block_jacobi_free(&b->D);
    free(b->prescribed), free(b->K);
}

// --- What it stands for ---

// y := (A + L^T K L) x in the blocks that are not prescribed, 0 in the others.
static void multiply(const body *b, const double *x, double *y)
{
    const pl_problem *p = &b->p.problem;
    int64_t m = 3 * (int64_t)p->n_constraint;
    double *u = calloc((size_t)m + 1, sizeof *u), *world = calloc((size_t)m + 1, sizeof *world);
    pl_bsr_multiply(p->A, x, y);
    pl_rows_multiply(p, NULL, false, x, u);
    for (int32_t k = 0; k < p->n_constraint; k++) {
        const pl_stiffness *K = b->K + k;
        double u1 = u[3 * k + 1], u2 = u[3 * k + 2];
        u[3 * k] *= (double)K->nn;
        u[3 * k + 1] = (double)K->t11 * u1 + (double)K->t12 * u2;
        u[3 * k + 2] = (double)K->t12 * u1 + (double)K->t22 * u2;
    }
    pl_rows_transpose_add(p, &b->uses, 1, u, world, y);
    for (int64_t i = 0; i < 3 * (int64_t)p->A->n; i++) {
        if (pl_is_prescribed(p, i / 3)) y[i] = 0;
    }
    free(u), free(world);
}

// z := cycle(r), for doubles.
static void cycle(body *b, const double *r, double *z)
{
    size_t n = 3 * (size_t)b->p.A.n;
    float *from = calloc(n, sizeof *from), *to = malloc((n + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++) from[i] = (float)r[i];
    pl_multigrid_cycle(&b->mg, from, to);
    for (size_t i = 0; i < n; i++) z[i] = (double)to[i];
    free(from), free(to);
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double *random_unknown(const body *b)
{
    double *x = random_vector(3 * (int64_t)b->p.A.n);
    for (int64_t i = 0; i < 3 * (int64_t)b->p.A.n; i++) {
        if (pl_is_prescribed(&b->p.problem, i / 3)) x[i] = 0;
    }
    return x;
}

// x . cycle(y) = y . cycle(x), and x . cycle(x) > 0: a preconditioner. 0 in the prescribed blocks.
static void check_symmetric(body *b)
{
    int64_t n = 3 * (int64_t)b->p.A.n;
    for (int trial = 0; trial < 3; trial++) {
        double *x = random_unknown(b), *y = random_unknown(b);
        double *cx = random_vector(n), *cy = random_vector(n);
        cycle(b, x, cx);
        cycle(b, y, cy);
        double xx = dot(n, x, cx), yy = dot(n, y, cy);
        TEST_ASSERT_TRUE(xx > 0 && yy > 0);
        TEST_ASSERT_DOUBLE_WITHIN(1e-4 * sqrt(xx * yy), dot(n, x, cy), dot(n, y, cx));
        for (int64_t i = 0; i < n; i++) {
            if (pl_is_prescribed(&b->p.problem, i / 3)) TEST_ASSERT_EQUAL_DOUBLE(0, cx[i]);
        }
        free(x), free(y), free(cx), free(cy);
    }
}

// One step of an iteration for (A + L^T K L) e = 0: e := e - z, where z is made of r = (A + L^T K
// L) e.
typedef void step_fn(body *b, const double *r, double *z);

// Block Jacobi, with a step as long as it may be where there are no contacts.
static void jacobi(body *b, const double *r, double *z)
{
    pl_block_jacobi_apply(&b->D, r, z);
    for (int64_t i = 0; i < 3 * (int64_t)b->p.A.n; i++) z[i] *= 1.5 / b->lambda;
}

// By how much n steps reduce an error, in the norm of the energy, after n steps before: what is
// easy is gone by then.
static double reduce_error(body *b, step_fn *step, int n_step)
{
    int64_t n = 3 * (int64_t)b->p.A.n;
    double *e = random_unknown(b), *Me = random_vector(n), *z = random_vector(n), first = 0;
    for (int i = 0; i <= 2 * n_step; i++) {
        multiply(b, e, Me);
        if (i == n_step) first = dot(n, e, Me);
        if (i == 2 * n_step) break;
        step(b, Me, z);
        for (int64_t k = 0; k < n; k++) e[k] -= z[k];
    }
    double last = dot(n, e, Me);
    free(e), free(Me), free(z);
    return sqrt(last / first);
}

// --- P ---

// y (3*A.n) := P c, with c (8 per group).
static void prolong(const pl_multigrid *mg, const double *c, double *y)
{
    for (int32_t i = 0; i < mg->problem->A->n; i++) {
        double *to = y + 3 * (int64_t)i;
        to[0] = to[1] = to[2] = 0;
        for (int64_t p = mg->p_row[i]; p < mg->p_row[i + 1]; p++) {
            for (int e = 0; e < 3 * W; e++) {
                to[e / W] +=
                    (double)mg->p_val[3 * W * p + e] * c[W * (int64_t)mg->p_col[p] + e % W];
            }
        }
    }
}

// c (8*n) := how the groups of a level move if all turns by w about the origin, after t.
static void move_groups(const pl_grid *g, const double t[3], const double w[3], double *c)
{
    for (int64_t a = 0; a < g->n; a++) {
        const double *x = g->centre + 3 * a;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            c[W * a + k] = t[k] + w[i] * x[j] - w[j] * x[i];
            c[W * a + 3 + k] = w[k] / g->scale;
        }
        c[W * a + 6] = c[W * a + 7] = 0;
    }
}

// A body without mass: rigid motions cost nothing, so that smoothing leaves them as they are, and P
// of a rigid motion of the groups is that motion of the vertices; on each level above, T of it.
static void check_rigid_motions(body *b)
{
    const pl_fem_weights weights = {.stiffness = 1, .project = 1};
    pl_fem_assemble(&b->p.fem, b->p.x, &weights, NULL, &b->p.A, b->p.f);
    prepare(b, 0);
    const pl_multigrid *mg = &b->mg;
    for (int mode = 0; mode < 7; mode++) {
        double t[3] = {mode == 0, mode == 1, mode == 2}, w[3] = {mode == 3, mode == 4, mode == 5};
        for (int k = 0; k < 3 && mode == 6; k++) t[k] = random_number(), w[k] = random_number();
        int64_t n = b->p.A.n;
        double *c = random_vector(W * (int64_t)mg->grid[0].n), *y = random_vector(3 * n);
        move_groups(&mg->grid[0], t, w, c);
        prolong(mg, c, y);
        for (int64_t i = 0; i < 3 * n; i++) {
            const double *x = b->p.x + i / 3 * 3;
            int k = (int)(i % 3), p = (k + 1) % 3, q = (k + 2) % 3;
            TEST_ASSERT_DOUBLE_WITHIN(5e-6, t[k] + w[p] * x[q] - w[q] * x[p], y[i]);
        }
        for (int32_t level = 0; level + 1 < mg->n_grid; level++) {
            const pl_grid *g = &mg->grid[level], *next = g + 1;
            double *up = random_vector(W * (int64_t)next->n);
            move_groups(g, t, w, c);
            move_groups(next, t, w, up);
            for (int64_t a = 0; a < g->n; a++) {
                const float *T = g->T + M * W * a;
                for (int m = 0; m < M; m++) {
                    double sum = 0;
                    for (int e = 0; e < M; e++) {
                        sum += (double)T[W * m + e] * up[W * (int64_t)g->parent[a] + e];
                    }
                    TEST_ASSERT_DOUBLE_WITHIN(1e-5, c[W * a + m], sum);
                }
            }
            free(up);
        }
        free(c), free(y);
    }
}

static void test_rigid_motions(void)
{
    body b;
    start_body(&b, &beam, false);
    check_rigid_motions(&b);
    TEST_ASSERT_TRUE(b.mg.grid[0].n > 5);
    end_body(&b);
    pile_options large = beam;
    large.shape = "box:size=1,0.3,0.3:cells=40,12,12"; // 6,929 vertices
    start_body(&b, &large, false);
    check_rigid_motions(&b);
    TEST_ASSERT_EQUAL(2, b.mg.n_grid);
    end_body(&b);
}

// --- P^T A P ---

// Columns of P, one after the other (3*A.n each).
static double *dense_P(const pl_multigrid *mg)
{
    int64_t n = 3 * (int64_t)mg->problem->A->n, m = M * (int64_t)mg->grid[0].n;
    double *P = calloc((size_t)(n * m), sizeof *P);
    double *c = calloc((size_t)W * (size_t)mg->grid[0].n, sizeof *c);
    for (int64_t k = 0; k < m; k++) {
        c[W * (k / M) + k % M] = 1;
        prolong(mg, c, P + n * k);
        c[W * (k / M) + k % M] = 0;
    }
    free(c);
    return P;
}

static double entry(const pl_grid *g, int64_t i, int64_t j)
{
    int64_t a = i / M, c = j / M;
    for (int64_t k = g->row[a]; k < g->row[a + 1]; k++) {
        if (g->col[k] == c) return (double)g->val[M * W * k + W * (j % M) + i % M];
    }
    return 0;
}

// The matrix of the groups, but for the shift of its diagonal, which is 1e-5 of its mean.
static void check_galerkin(const body *b)
{
    const pl_grid *g = &b->mg.grid[0];
    int64_t n = 3 * (int64_t)b->p.A.n, m = M * (int64_t)g->n;
    double *P = dense_P(&b->mg), *AP = random_vector(n);
    for (int64_t j = 0; j < m; j++) {
        pl_bsr_multiply(&b->p.A, P + n * j, AP);
        for (int64_t i = 0; i < m; i++) {
            double size = sqrt(entry(g, i, i) * entry(g, j, j));
            double mean = 0;
            for (int e = 0; e < M && i == j; e++)
                mean += entry(g, i / M * M + e, i / M * M + e) / M;
            TEST_ASSERT_DOUBLE_WITHIN(2e-6 * size + 1.1e-5 * mean, dot(n, P + n * i, AP),
                                      entry(g, i, j));
        }
    }
    free(P), free(AP);
}

static void test_galerkin(void)
{
    body b;
    start_body(&b, &beam, false);
    prepare(&b, 0);
    check_galerkin(&b);
    b.p.problem.prescribed = b.prescribed;
    for (int32_t i = 0; i < b.p.A.n; i += 5) b.prescribed[i] = 1;
    b.lambda = 0;
    prepare(&b, 0);
    check_galerkin(&b);
    b.p.problem.n_x = 0, b.p.problem.x = NULL;
    prepare(&b, 0);
    TEST_ASSERT_EQUAL_DOUBLE(1, b.mg.grid[0].scale);
    end_body(&b);
}

// --- The cycle ---

static void test_a_beam_on_the_ground(void)
{
    body b;
    start_body(&b, &beam, true);
    TEST_ASSERT_TRUE(b.p.problem.n_constraint > 50);
    prepare(&b, 5);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.4);
    prepare(&b, 1e4); // hard contacts hardly disturb it
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.55);
    prepare(&b, 0);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.4); // twelve products with A
    TEST_ASSERT_TRUE(reduce_error(&b, jacobi, 96) > 0.5);
    end_body(&b);
}

// What a body does as a whole costs little energy; a cycle finds it nevertheless.
static void test_rigid_errors_are_found(void)
{
    body b;
    start_body(&b, &beam, false);
    prepare(&b, 0);
    int64_t n = 3 * (int64_t)b.p.A.n;
    double *e = random_vector(n), *Me = random_vector(n), *z = random_vector(n);
    for (int turn = 0; turn < 2; turn++) {
        double first = 0, last = 0;
        for (int64_t i = 0; i < n; i += 3) {
            e[i] = turn ? -b.p.x[i + 2] : 1;
            e[i + 1] = turn ? 0 : 2;
            e[i + 2] = turn ? b.p.x[i] : 3;
        }
        first = dot(n, e, e);
        multiply(&b, e, Me);
        cycle(&b, Me, z);
        for (int64_t i = 0; i < n; i++) e[i] -= z[i];
        last = dot(n, e, e);
        TEST_ASSERT_TRUE(sqrt(last / first) < 0.05);
    }
    free(e), free(Me), free(z);
    end_body(&b);
}

static void test_known_blocks(void)
{
    body b;
    start_body(&b, &beam, true);
    b.p.problem.prescribed = b.prescribed;
    for (int32_t i = 0; i < b.p.A.n; i++) b.prescribed[i] = b.p.x[3 * i] < -0.4 || i % 11 == 0;
    prepare(&b, 5);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.2);
    memset(b.prescribed, 1, (size_t)b.p.A.n);
    prepare(&b, 5);
    double *r = random_vector(3 * b.p.A.n), *z = random_vector(3 * b.p.A.n);
    cycle(&b, r, z);
    for (int32_t i = 0; i < 3 * b.p.A.n; i++) TEST_ASSERT_EQUAL_DOUBLE(0, z[i]);
    free(r), free(z);
    end_body(&b);
}

static void test_without_places(void)
{
    body b;
    start_body(&b, &beam, true);
    b.p.problem.n_x = 0, b.p.problem.x = NULL;
    prepare(&b, 5);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.65);
    end_body(&b);
}

// Bodies that lie on each other, and a rigid one on top: two blocks without a place.
static void test_several_bodies(void)
{
    body b;
    pile_options several = beam;
    several.shape = "box:size=0.4,0.12,0.12:cells=10,3,3";
    several.ny = 2, several.nz = 3;
    start_body(&b, &several, true);
    int32_t n = b.p.A.n;
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_extend(&b.p.A, 2));
    for (int k = 0; k < 2; k++) {
        for (int c = 0; c < 3; c++) b.p.A.val[9 * b.p.A.diag[n + k] + 4 * c] = k == 0 ? 1 : 0.01;
    }
    for (int k = 0; k < 12; k++) {
        pl_term term[3] = {{n, 1, {0}}, {n + 1, 0, {0.1 * k, 0.05, -0.05}}, {7 * k, -1, {0}}};
        pl_constraint contact = contact_along(0, 0.1, 1, 0.5);
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_add(&b.p.problem, &contact, 3, term));
    }
    prepare(&b, 5);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.45);
    end_body(&b);
}

// One tet, one block, and bodies that are smaller than a group.
static void test_small_bodies(void)
{
    body b;
    pile_options tiny = beam;
    tiny.shape = "box:size=0.1,0.1,0.1:cells=1,1,1";
    tiny.bottom = 0.05;
    start_body(&b, &tiny, true);
    prepare(&b, 5);
    check_symmetric(&b);
    check_galerkin(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.2);
    end_body(&b);
    start_body(&b, &tiny, false);
    pl_bsr_free(&b.p.A);
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(1, 0, NULL, &b.p.A));
    for (int c = 0; c < 3; c++) b.p.A.val[4 * c] = 1 + c;
    b.p.problem.n_x = 1;
    prepare(&b, 5);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.2);
    end_body(&b);
}

// Many small bodies: more groups than a dense factor takes, and nothing to join.
static void test_many_bodies(void)
{
    body b;
    pile_options many = beam;
    many.shape = "box:size=0.1,0.1,0.1:cells=1,1,1";
    many.bottom = 0.0505, many.dx = 0.12, many.dz = 0.101;
    many.nx = many.ny = 7, many.nz = 3;
    start_body(&b, &many, true);
    prepare(&b, 5);
    TEST_ASSERT_EQUAL(1, b.mg.n_grid);
    TEST_ASSERT_NULL(b.mg.dense);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.6);
    end_body(&b);
}

// Three levels; all loops run in parallel.
static void test_threads_do_not_change_bits(void)
{
    body b;
    pile_options large = beam;
    large.shape = "box:size=1.2,0.3,0.3:cells=56,12,12"; // 9,633 vertices
    large.bottom = 0.15;
    start_body(&b, &large, true);
    int64_t n = 3 * (int64_t)b.p.A.n;
    double *r = random_vector(n), *z = random_vector(n), *first = random_vector(n);
    b.lambda = 3;
    for (int threads = 1; threads <= 4; threads *= 2) {
        pl_threads_set(threads);
        prepare(&b, 5);
        TEST_ASSERT_EQUAL(2, b.mg.n_grid);
        cycle(&b, r, z);
        if (threads == 1) memcpy(first, z, (size_t)n * sizeof *z);
        TEST_ASSERT_TRUE(same_bits(first, z, n));
    }
    b.lambda = 0;
    prepare(&b, 5);
    check_symmetric(&b);
    TEST_ASSERT_TRUE(reduce_error(&b, cycle, 6) < 0.3);
    free(r), free(z), free(first);
    end_body(&b);
}

static pl_status create(void *user)
{
    body *b = user;
    pl_arena arena = {0};
    pl_uses uses;
    pl_multigrid mg;
    pl_status status = pl_uses_create(&b->p.problem, &arena, &uses);
    if (status == PL_OK) {
        status = pl_multigrid_create(&b->p.problem, &b->D, &uses, NULL, b->lambda, &arena, &mg);
    }
    if (status == PL_OK) pl_multigrid_set(&mg, b->K);
    pl_arena_free(&arena);
    return status;
}

static void test_allocations_that_fail(void)
{
    body b;
    start_body(&b, &beam, true);
    prepare(&b, 5);
    TEST_ASSERT_TRUE(fail_each_allocation(create, &b) > 3);
    end_body(&b);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_rigid_motions);
    RUN_TEST(test_galerkin);
    RUN_TEST(test_a_beam_on_the_ground);
    RUN_TEST(test_rigid_errors_are_found);
    RUN_TEST(test_known_blocks);
    RUN_TEST(test_without_places);
    RUN_TEST(test_several_bodies);
    RUN_TEST(test_small_bodies);
    RUN_TEST(test_many_bodies);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_allocations_that_fail);
    return UNITY_END();
}
