// Contact problems of other programs: the global and the local form against each other and against
// formulas, files of FCLIB and Matrix Market there and back, damaged ones, the files of
// ../shared/data/friction.

#include "../apps/cli/problem_export.h"
#include "../apps/lab/comparison.h"
#include "../apps/lab/contact_mtx.h"
#include "../apps/lab/generate.h"
#include "../apps/lab/traits.h"
#include "files.h"

#include <sys/resource.h>
#include <math.h>

// HDF5 1.10 does not free all of what it has begun to read of a damaged file: that is not ours.
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

void setUp(void)
{
    make_directory();
}

void tearDown(void)
{
    fail_never();
    remove_directory();
}

static uint64_t state = 7;

static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 33) / 2147483648.0 - 1;
}

static pl_sparse view(const pl_columns *c)
{
    return (pl_sparse){c->n_row, c->n_col, c->col, c->row, c->val};
}

// From dense numbers, row by row.
static pl_columns pack(int32_t n_row, int32_t n_col, const double *dense)
{
    pl_columns out;
    int64_t at = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_columns_create(n_row, n_col, (int64_t)n_row * n_col, &out));
    for (int32_t j = 0; j < n_col; j++) {
        for (int32_t i = 0; i < n_row; i++) {
            if (dense[i * n_col + j] == 0) continue;
            out.row[at] = i;
            out.val[at++] = dense[i * n_col + j];
        }
        out.col[j + 1] = at;
    }
    return out;
}

enum { N = 7, K = 4, M = 3 * K }; // velocities (no multiple of 3), contacts, their rows

// A random global problem with any rows: M = B B^T + 1, H dense.
static pl_fclib make_global(void)
{
    double B[N * N], A[N * N], H[N * M];
    pl_fclib p = {.n_contact = K, .dimension = 3};
    for (int i = 0; i < N * N; i++) B[i] = draw();
    for (int i = 0; i < N * M; i++) H[i] = draw();
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            A[i * N + j] = i == j;
            for (int k = 0; k < N; k++) A[i * N + j] += B[i * N + k] * B[j * N + k];
        }
    }
    p.M = pack(N, N, A);
    p.H = pack(N, M, H);
    p.f = pl_alloc(N, sizeof(double));
    p.w = pl_alloc(M, sizeof(double));
    p.mu = pl_alloc(K, sizeof(double));
    for (int i = 0; i < N; i++) p.f[i] = draw();
    for (int i = 0; i < M; i++) p.w[i] = 0.3 * draw();
    for (int i = 0; i < K; i++) p.mu[i] = 0.2 * i;
    snprintf(p.title, sizeof p.title, "random");
    return p;
}

// x := A^-1 b by Gauss's elimination (N).
static void solve_dense(const pl_columns *A, const double *b, double *x)
{
    double T[N][N + 1] = {{0}};
    for (int j = 0; j < N; j++) {
        for (int64_t k = A->col[j]; k < A->col[j + 1]; k++) T[A->row[k]][j] = A->val[k];
        T[j][N] = b[j];
    }
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            double by = T[i][j] / T[j][j];
            for (int k = 0; k <= N && i != j; k++) T[i][k] -= by * T[j][k];
        }
    }
    for (int j = 0; j < N; j++) x[j] = T[j][N] / T[j][j];
}

// The local form of a global problem: W = H^T M^-1 H, of rank N at most, q = H^T M^-1 f + w.
static pl_fclib make_local(const pl_fclib *g)
{
    double W[M * M] = {0}, column[N], x[N], v[N];
    pl_fclib p = {.local = true, .n_contact = K, .dimension = 3};
    p.w = pl_alloc(M, sizeof(double));
    p.mu = pl_alloc(K, sizeof(double));
    memcpy(p.mu, g->mu, K * sizeof(double));
    solve_dense(&g->M, g->f, v);
    for (int j = 0; j < M; j++) {
        memset(column, 0, sizeof column);
        p.w[j] = g->w[j];
        for (int64_t k = g->H.col[j]; k < g->H.col[j + 1]; k++) {
            column[g->H.row[k]] = g->H.val[k];
            p.w[j] += g->H.val[k] * v[g->H.row[k]];
        }
        solve_dense(&g->M, column, x);
        for (int i = 0; i < M; i++) {
            for (int64_t k = g->H.col[i]; k < g->H.col[i + 1]; k++) {
                W[i * M + j] += g->H.val[k] * x[g->H.row[k]];
            }
        }
    }
    p.M = pack(M, M, W);
    return p;
}

typedef struct solved {
    pl_problem *problem;
    double *v, *f;
    pl_solve_result result;
    double measure;
} solved;

static solved solve(const pl_fclib *p, const char *solver)
{
    solved s = {0};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_problem(p, NULL, &s.problem), pl_error_text());
    pl_problem_size size = pl_problem_sizes(s.problem);
    s.v = calloc(3 * (size_t)size.blocks + 1, sizeof *s.v);
    s.f = calloc(3 * (size_t)size.constraints + 1, sizeof *s.f);
    pl_solve_options options = pl_solve_options_default();
    options.residual_tolerance = options.contact_tolerance = 1e-10;
    TEST_ASSERT_EQUAL_MESSAGE(
        PL_OK, pl_problem_solve(s.problem, solver, &options, s.v, s.f, &s.result), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_measure(p, s.v, s.f, s.f + 3 * p->n_contact, &s.measure));
    return s;
}

static void solved_free(solved *s)
{
    pl_problem_destroy(s->problem);
    free(s->v), free(s->f);
}

// --- The forms ---

static void test_both_forms_have_the_velocities_of_formulas(void)
{
    pl_fclib g = make_global(), l = make_local(&g);
    pl_problem *global, *local;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_problem(&g, NULL, &global), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_problem(&l, NULL, &local), pl_error_text());
    // M has 7 rows, so that W has rank 7 of 12: three blocks each.
    TEST_ASSERT_EQUAL_INT32(3, pl_problem_sizes(global).blocks);
    TEST_ASSERT_EQUAL_INT32(3, pl_problem_sizes(local).blocks);
    double f[M], v[9] = {0}, p[9], u[M], z[9], w[M];
    for (int i = 0; i < M; i++) f[i] = draw();
    // u = H^T v + w for v = M^-1 (f + H r).
    double b[N], expected[M];
    memcpy(b, g.f, sizeof b);
    for (int j = 0; j < M; j++) {
        for (int64_t k = g.H.col[j]; k < g.H.col[j + 1]; k++) {
            b[g.H.row[k]] += g.H.val[k] * f[j];
        }
    }
    solve_dense(&g.M, b, v);
    for (int j = 0; j < M; j++) {
        expected[j] = g.w[j];
        for (int64_t k = g.H.col[j]; k < g.H.col[j + 1]; k++) {
            expected[j] += g.H.val[k] * v[g.H.row[k]];
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(global, v, u));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_momentum(global, f, p));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_momentum(local, f, z)); // A is 1: these are velocities
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(local, z, w));
    for (int i = 0; i < N; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, b[i] - g.f[i], p[i]);
    for (int i = 0; i < M; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected[i], u[i]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-10, expected[i], w[i]); // W is computed with errors of 1e-13
    }
    pl_problem_destroy(global), pl_problem_destroy(local);
    pl_fclib_free(&g), pl_fclib_free(&l);
}

static void test_solvers_agree_on_both_forms(void)
{
    static const char *const names[] = {"newton", "delassus", "apg", "auto", "cone-newton", "ica"};
    for (int trial = 0; trial < 3; trial++) {
        pl_fclib g = make_global(), l = make_local(&g);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            for (int form = 0; form < 2; form++) {
                solved s = solve(form == 0 ? &g : &l, names[i]);
                char text[96];
                snprintf(text, sizeof text, "%s, form %d: %s, %g", names[i], form,
                         pl_solve_end_name(s.result.end), s.measure);
                TEST_ASSERT_EQUAL_MESSAGE(PL_SOLVE_CONVERGED, s.result.end, text);
                // Errors of 1e-10 in scaled velocities; impulses of a problem with the condition
                // of this one have 1e4 times as much.
                TEST_ASSERT_TRUE_MESSAGE(s.measure < 1e-6, text);
                solved_free(&s);
            }
        }
        pl_fclib_free(&g), pl_fclib_free(&l);
    }
}

static void test_equations_and_two_dimensions(void)
{
    // A point of mass 2 on a rail: v_x = 3, on the ground: v_y >= 0, mu = 0.5, pushed down.
    const double A[4] = {2, 0, 0, 2}, H[4] = {0, 1, 1, 0}, G[2] = {1, 0};
    pl_columns m = pack(2, 2, A), h = pack(2, 2, H), g = pack(2, 1, G);
    const double f[2] = {1, -4}, w[2] = {0, 0}, b[1] = {-3}, mu[1] = {0.5};
    pl_global_contacts data = {1, 2, view(&m), view(&h), view(&g), f, w, b, mu};
    pl_problem *problem;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_problem_create_global(&data, 1, &problem), pl_error_text());
    TEST_ASSERT_EQUAL_INT32(2, pl_problem_sizes(problem).constraints);
    double v[3] = {0}, r[6] = {0};
    pl_solve_options options = pl_solve_options_default();
    options.residual_tolerance = options.contact_tolerance = 1e-11;
    pl_solve_result result;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_solve(problem, "newton", &options, v, r, &result));
    TEST_ASSERT_EQUAL_INT(PL_SOLVE_CONVERGED, result.end);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, v[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, v[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4, r[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2, r[1]); // it slips along x: friction is mu r_n against it
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, r[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 * 3 - 1 + 2, r[3]); // the rail
    pl_problem_destroy(problem);
    // The same as a local problem: W = H^T M^-1 H and so on, of rank 2 of 3.
    const double W[4] = {0.5, 0, 0, 0.5}, V[2] = {0, 0.5}, R[1] = {0.5};
    const double q[2] = {-2, 0.5}, s[1] = {0.5 - 3};
    pl_columns ww = pack(2, 2, W), vv = pack(2, 1, V), rr = pack(1, 1, R);
    pl_local_contacts local = {1, 2, view(&ww), view(&vv), view(&rr), q, s, mu};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_problem_create_local(&local, 1, &problem), pl_error_text());
    double z[6] = {0}, l[6] = {0};
    TEST_ASSERT_TRUE(pl_problem_sizes(problem).blocks <= 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_solve(problem, "newton", &options, z, l, &result));
    TEST_ASSERT_EQUAL_INT(PL_SOLVE_CONVERGED, result.end);
    for (int i = 0; i < 4; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-8, r[i], l[i]);
    pl_problem_destroy(problem);
    pl_columns_free(&m), pl_columns_free(&h), pl_columns_free(&g);
    pl_columns_free(&ww), pl_columns_free(&vv), pl_columns_free(&rr);
}

// Contacts that say the same, twice: W is singular, and that must not matter.
static void test_a_singular_local_problem(void)
{
    enum { TWICE = 6 };
    double W[TWICE * TWICE];
    for (int i = 0; i < TWICE; i++) {
        for (int j = 0; j < TWICE; j++) W[i * TWICE + j] = i % 3 == j % 3 ? 0.5 : 0;
    }
    const double q[TWICE] = {-1, 0.2, 0, -1, 0.2, 0}, mu[2] = {0.7, 0.7};
    pl_columns w = pack(TWICE, TWICE, W);
    pl_local_contacts local = {.n_contact = 2, .dimension = 3, .W = view(&w), .q = q, .mu = mu};
    static const char *const names[] = {"newton", "delassus", "apg", "auto"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        pl_problem *problem;
        pl_solve_result result;
        double v[3] = {0}, f[TWICE] = {0};
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_problem_create_local(&local, 1, &problem),
                                  pl_error_text());
        TEST_ASSERT_EQUAL_INT32(1, pl_problem_sizes(problem).blocks);
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_solve(problem, names[i], NULL, v, f, &result));
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_SOLVE_CONVERGED, result.end, names[i]);
        // Together they bear what one would, and stick.
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2, f[0] + f[3]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, -0.4, f[1] + f[4]);
        pl_problem_destroy(problem);
    }
    pl_columns_free(&w);
}

static void refuse_local(const double *W, const double *q, const double *mu, const char *part)
{
    pl_columns w = pack(3, 3, W);
    pl_local_contacts local = {.n_contact = 1, .dimension = 3, .W = view(&w), .q = q, .mu = mu};
    pl_problem *problem;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_problem_create_local(&local, 1, &problem));
    TEST_ASSERT_NULL(problem);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
    pl_columns_free(&w);
}

static void test_what_is_refused(void)
{
    const double good[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, skew[9] = {1, 0.5, 0, 0.4, 1, 0, 0, 0, 1};
    const double negative[9] = {1, 0, 0, 0, -1, 0, 0, 0, 1};
    const double indefinite[9] = {1, 2, 0, 2, 1, 0, 0, 0, 1},
                 nan[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1};
    const double q[3] = {0}, bad[3] = {0, INFINITY, 0}, mu[1] = {0.5}, less[1] = {-1};
    refuse_local(skew, q, mu, "W is not symmetric: row 1, column 0");
    refuse_local(negative, q, mu, "W: row 1 has a diagonal of -1");
    refuse_local(indefinite, q, mu, "W is not positive semidefinite");
    refuse_local(nan, q, mu, "W: row 0, column 0 is not finite");
    refuse_local(good, bad, mu, "q: number 1 is not finite");
    refuse_local(good, q, less, "mu: contact 0 has -1");
    refuse_local(good, NULL, mu, "q is missing");
    pl_fclib g = make_global();
    g.n_contact = 3;
    pl_problem *problem;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fclib_problem(&g, NULL, &problem));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "H has 7 rows and 12 columns, not 7 and 9"));
    g.n_contact = K;
    g.M.val[0] = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fclib_problem(&g, NULL, &problem));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "M: row 0 has a diagonal of 0"));
    pl_fclib_free(&g);
}

// --- Files ---

static void expect_columns(const pl_columns *a, const pl_columns *b)
{
    TEST_ASSERT_EQUAL_INT32(a->n_row, b->n_row);
    TEST_ASSERT_EQUAL_INT32(a->n_col, b->n_col);
    size_t n = (size_t)a->n_col;
    TEST_ASSERT_EQUAL_MEMORY(a->col, b->col, (n + 1) * sizeof *a->col);
    TEST_ASSERT_EQUAL_MEMORY(a->row, b->row, (size_t)a->col[n] * sizeof *a->row);
    TEST_ASSERT_EQUAL_MEMORY(a->val, b->val, (size_t)a->col[n] * sizeof *a->val);
}

static void skip_without_hdf5(void)
{
    if (!pl_fclib_available()) TEST_IGNORE_MESSAGE("built without HDF5");
}

static void test_files_of_fclib_keep_every_bit(void)
{
    skip_without_hdf5();
    pl_fclib g = make_global(), l = make_local(&g), read;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_write(&g, path_of("g.hdf5")), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_read(path_of("g.hdf5"), &read), pl_error_text());
    expect_columns(&g.M, &read.M);
    expect_columns(&g.H, &read.H);
    TEST_ASSERT_EQUAL_MEMORY(g.f, read.f, N * sizeof *g.f);
    TEST_ASSERT_EQUAL_MEMORY(g.w, read.w, M * sizeof *g.w);
    TEST_ASSERT_EQUAL_MEMORY(g.mu, read.mu, K * sizeof *g.mu);
    TEST_ASSERT_EQUAL_STRING("random", read.title);
    TEST_ASSERT_TRUE(!read.local && read.r == NULL && read.G.n_col == 0);
    pl_fclib_free(&read);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_write(&l, path_of("l.h5")), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_read(path_of("l.h5"), &read), pl_error_text());
    expect_columns(&l.M, &read.M);
    TEST_ASSERT_TRUE(read.local);
    TEST_ASSERT_EQUAL_MEMORY(l.w, read.w, M * sizeof *l.w);
    pl_fclib_free(&read);
    // The same bytes again.
    pl_bytes one, two;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(path_of("g.hdf5"), &one));
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_write(&g, path_of("g.hdf5")));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(path_of("g.hdf5"), &two));
    TEST_ASSERT_EQUAL_UINT64(one.size, two.size);
    TEST_ASSERT_EQUAL_MEMORY(one.data, two.data, one.size);
    pl_bytes_free(&one), pl_bytes_free(&two);
    pl_fclib_free(&g), pl_fclib_free(&l);
}

// A problem of ours in the terms of FCLIB, and back: the same solution.
static void test_our_problems_as_fclib(void)
{
    static const char *const kinds[] = {"stack:n=4,ratio=10,seed=3", "wall:n=2", "arch:n=5"};
    skip_without_hdf5();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        pl_instance made, read;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_instance_make(kinds[i], &made), pl_error_text());
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_instance_write(&made, path_of("a.hdf5")),
                                  pl_error_text());
        TEST_ASSERT_EQUAL_INT(PL_FORMAT_FCLIB, pl_format_of(path_of("a.hdf5")));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_instance_read(path_of("a.hdf5"), &read),
                                  pl_error_text());
        TEST_ASSERT_EQUAL_INT32(made.size.blocks, read.size.blocks);
        pl_solve_options options = pl_solve_options_default();
        options.residual_tolerance = options.contact_tolerance = 1e-9;
        pl_solve_result a, b;
        TEST_ASSERT_EQUAL(PL_OK,
                          pl_problem_solve(made.problem, "newton", &options, made.v, made.f, &a));
        TEST_ASSERT_EQUAL(PL_OK,
                          pl_problem_solve(read.problem, "newton", &options, read.v, read.f, &b));
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_SOLVE_CONVERGED, a.end, kinds[i]);
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_SOLVE_CONVERGED, b.end, kinds[i]);
        for (int32_t k = 0; k < 3 * made.size.blocks; k++) {
            // dt is 1 there, and 0.01 here: errors of velocities are 1e-9 and 1e-7.
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, made.v[k], read.v[k], kinds[i]);
        }
        TEST_ASSERT_TRUE(pl_instance_measure(&read) < 1e-3);
        pl_instance_free(&made), pl_instance_free(&read);
    }
}

// Equations come back as equations; velocities that are given go into f and w.
static void test_equations_and_given_velocities_as_fclib(void)
{
    const int64_t row[] = {0, 2, 4};
    const int32_t col[] = {0, 1, 0, 1};
    const uint8_t prescribed[] = {0, 1};
    double val[36] = {0}, b[6] = {1, 2, 3, 0, 0, 0}, v[6] = {0.1, 0.2, 0.3, 4, 5, 6}, f[6] = {0};
    for (int e = 0; e < 9; e += 4) {
        val[e] = 2, val[27 + e] = 2;   // the diagonal blocks
        val[9 + e] = val[18 + e] = -1; // and what is beside them
    }
    pl_problem *problem;
    TEST_ASSERT_EQUAL_MESSAGE(
        PL_OK, pl_problem_create(2, row, col, val, b, prescribed, 0.5, &problem), pl_error_text());
    pl_constraint_info contact = {.axes = {0, 0, 1, 1, 0, 0, 0, 1, 0}, .mu = 0.3};
    pl_constraint_info joint = {
        .law = PL_LAW_BOX, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .c = {7, 0, 0}};
    joint.lo[0] = -INFINITY, joint.hi[0] = INFINITY; // the other rows are not used
    const pl_term term[2] = {{.block = 0, .w = 1}, {.block = 1, .w = -1}};
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &contact, 2, term));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &joint, 2, term));
    pl_fclib p;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_from(problem, v, f, &p), pl_error_text());
    TEST_ASSERT_TRUE(p.M.n_col == 3 && p.H.n_col == 3 && p.G.n_col == 1 && p.n_contact == 1);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL_DOUBLE(b[i] + v[3 + i], p.f[i]); // A v_given = -v_given
        TEST_ASSERT_EQUAL_DOUBLE(v[i], p.v[i]);
    }
    const double w[3] = {-6, -4, -5};
    TEST_ASSERT_EQUAL_MEMORY(w, p.w, sizeof w);
    TEST_ASSERT_EQUAL_DOUBLE(-4 - 7, p.b[0]);
    TEST_ASSERT_TRUE(p.G.col[1] == 1 && p.G.row[0] == 0 && p.G.val[0] == 1);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.3 - 6, p.u[0]);
    pl_fclib_free(&p);
    // What has no word there.
    joint.lo[0] = -1, joint.hi[0] = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_add_constraint(problem, &joint, 2, term));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fclib_from(problem, v, f, &p));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "constraint 2 is a box with bounds -1 .. 1"));
    pl_problem_destroy(problem);
    TEST_ASSERT_EQUAL(PL_OK, pl_contacts_generate("chain:n=3", &problem));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fclib_from(problem, NULL, NULL, &p));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "there are no contacts"));
    pl_problem_destroy(problem);
}

// A W that is not symmetric is solved by rounds, one that is far from it refused.
static void test_a_matrix_that_is_not_symmetric(void)
{
    pl_fclib g = make_global();
    pl_instance instance = {.format = PL_FORMAT_FCLIB, .fclib = make_local(&g)};
    pl_fclib *p = &instance.fclib;
    for (int32_t j = 0; j < M; j++) {
        for (int64_t k = p->M.col[j]; k < p->M.col[j + 1]; k++) {
            double sign = p->M.row[k] > j ? 1 : p->M.row[k] < j ? -1 : 0;
            p->M.val[k] += 2e-3 * sign;
        }
    }
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_split(p), pl_error_text());
    TEST_ASSERT_EQUAL_INT32(M, p->K.n_col);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_fclib_problem(p, NULL, &instance.problem), pl_error_text());
    instance.size = pl_problem_sizes(instance.problem);
    instance.v = pl_alloc_zero(3 * (int64_t)instance.size.blocks, sizeof(double));
    instance.f = pl_alloc_zero(3 * (int64_t)instance.size.constraints, sizeof(double));
    pl_attempt attempt = {.contact = pl_solve_options_default()};
    attempt.contact.residual_tolerance = attempt.contact.contact_tolerance = 1e-9;
    pl_comparison c = {.n_file = 1};
    double f[M];
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_comparison_solve(&c, &attempt, "a", "newton", &instance),
                              pl_error_text());
    TEST_ASSERT_TRUE_MESSAGE(c.outcome[0].solved, c.outcome[0].end);
    TEST_ASSERT_TRUE(c.outcome[0].relative <= 1e-9); // by W itself, not by its symmetric part
    // The next solver begins where this one did, not with its q.
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_comparison_solve(&c, &attempt, "a", "newton", &instance),
                              pl_error_text());
    TEST_ASSERT_EQUAL_INT32(c.outcome[0].iterations, c.outcome[1].iterations);
    TEST_ASSERT_TRUE(c.outcome[0].relative == c.outcome[1].relative);
    // The measure of the file knows cones only, and does not judge other friction models.
    attempt.contact.friction_model = "box";
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_comparison_solve(&c, &attempt, "a", "bpp", &instance),
                              pl_error_text());
    TEST_ASSERT_TRUE_MESSAGE(c.outcome[2].solved, c.outcome[2].end);
    double left;
    memcpy(f, instance.f, sizeof f);
    for (int i = 0; i < M; i++) f[i] += i == 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_instance_skew(&instance, f, &left));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2e-3, left);
    pl_comparison_free(&c);
    for (int64_t k = p->M.col[1]; k < p->M.col[2]; k++) p->M.val[k] *= 1.5;
    pl_columns_free(&p->K);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_fclib_split(p));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "W is not symmetric: row "));
    pl_instance_free(&instance);
    pl_fclib_free(&g);
}

static void test_damaged_files_of_fclib(void)
{
    skip_without_hdf5();
    pl_fclib g = make_global(), read;
    pl_bytes bytes;
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_write(&g, path_of("g.hdf5")));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(path_of("g.hdf5"), &bytes));
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_fclib_read(path_of("none.hdf5"), &read));
    uint64_t random = 3;
    int n_read = 0;
    for (int i = 0; i < 400; i++) {
        size_t size = bytes.size, at;
        random = random * 6364136223846793005u + 1442695040888963407u;
        at = (size_t)(random >> 20) % size;
        char before = bytes.data[at];
        if (i < 40) {
            size = bytes.size * (size_t)i / 40;
        } else {
            bytes.data[at] = (char)(random >> 40);
        }
        save(path_of("d.hdf5"), bytes.data, size);
        bytes.data[at] = before;
        pl_status status = pl_fclib_read(path_of("d.hdf5"), &read);
        bool named = status == PL_OK || strstr(pl_error_text(), "d.hdf5") != NULL;
        TEST_ASSERT_TRUE_MESSAGE(named, pl_error_text());
        TEST_ASSERT_TRUE_MESSAGE(i >= 40 || status != PL_OK, "a file that was cut is read");
        n_read += status == PL_OK;
        if (status == PL_OK) pl_fclib_free(&read);
    }
    TEST_ASSERT_TRUE(n_read > 50); // most bytes are padding or numbers
    pl_bytes_free(&bytes);
    pl_fclib_free(&g);
}

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// A type of 512 MB a number, one byte away from one of 4, is no reason to ask for as much.
static void test_a_huge_type(void)
{
    skip_without_hdf5();
    // As HDF5 stores a signed number of 4 bytes: class, its bits, the size.
    static const char TYPE[] = {0x10, 0x08, 0, 0, 4, 0, 0, 0, 0, 0, 0x20, 0};
    pl_fclib g = make_global(), read;
    pl_bytes bytes;
    int n = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_write(&g, path_of("g.hdf5")));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_load(path_of("g.hdf5"), &bytes));
    long before = peak_kilobytes();
    for (size_t at = 0; at + sizeof TYPE < bytes.size; at++) {
        if (memcmp(bytes.data + at, TYPE, sizeof TYPE) != 0) continue;
        bytes.data[at + 7] = 0x20;
        save(path_of("d.hdf5"), bytes.data, bytes.size);
        bytes.data[at + 7] = 0;
        pl_status status = pl_fclib_read(path_of("d.hdf5"), &read);
        if (status == PL_OK) pl_fclib_free(&read); // it is not of what is read
        n += status != PL_OK && strstr(pl_error_text(), "than the file can hold") != NULL;
    }
    TEST_ASSERT_TRUE(n > 3);
    TEST_ASSERT_TRUE_MESSAGE(peak_kilobytes() - before < 100000, "100 MB for a small file");
    pl_bytes_free(&bytes);
    pl_fclib_free(&g);
}

static void expect_refusal(pl_fclib *p, const char *part)
{
    pl_fclib read;
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_write(p, path_of("r.hdf5")));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_fclib_read(path_of("r.hdf5"), &read));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), part), pl_error_text());
}

static void test_files_that_are_refused(void)
{
    skip_without_hdf5();
    pl_fclib g = make_global();
    g.M.n_row = 1 << 30;
    expect_refusal(&g, "fclib_global/M: 1073741824 rows and 7 columns do not fit");
    g.M.n_row = N;
    g.n_contact = 3;
    expect_refusal(&g, "fclib_global/H: 7 rows and 12 columns do not fit");
    g.n_contact = K;
    double keep = g.w[3];
    g.w[3] = NAN;
    expect_refusal(&g, "fclib_global/vectors/w: a number is not finite");
    g.w[3] = keep;
    int32_t row = g.H.row[4];
    g.H.row[4] = -5;
    expect_refusal(&g, "fclib_global/H/i: an index is out of range");
    g.H.row[4] = row;
    g.mu[1] = -0.5;
    expect_refusal(&g, "fclib_global/vectors/mu: a coefficient is negative");
    g.mu[1] = 0;
    g.dimension = 5;
    pl_fclib_free(&g);
    save(path_of("x.hdf5"), LITERAL("\x89HDF\r\n\x1a\nnothing"));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_fclib_read(path_of("x.hdf5"), &g));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "x.hdf5: not a file of HDF5"));
}

// What --export writes is read back: boxes, cones, prescribed blocks and rows of any kind.
static void test_folders_of_matrix_market(void)
{
    char command[640], folder[600];
    pl_fclib g = make_global();
    pl_problem *problems[2], *read;
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_problem(&g, NULL, &problems[0]));
    TEST_ASSERT_EQUAL(PL_OK, pl_contacts_generate("chain:n=3", &problems[1]));
    for (int i = 0; i < 2; i++) {
        pl_problem_size size = pl_problem_sizes(problems[i]), again;
        double v[64] = {0}, f[64] = {0}, x[64], y[64], z[64], w[64];
        for (int k = 0; k < 64; k++) x[k] = draw();
        TEST_ASSERT_EQUAL_MESSAGE(
            PL_OK, pl_problem_export(problems[i], v, f, "p.plp", test_directory), pl_error_text());
        snprintf(folder, sizeof folder, "%s/p", test_directory);
        TEST_ASSERT_EQUAL_INT(PL_FORMAT_EXPORT, pl_format_of(folder));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_contact_mtx_read(folder, &read), pl_error_text());
        again = pl_problem_sizes(read);
        TEST_ASSERT_EQUAL_INT32(size.constraints, again.constraints);
        TEST_ASSERT_EQUAL_DOUBLE(size.dt, again.dt);
        TEST_ASSERT_EQUAL_INT64(size.unknowns, again.unknowns);
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_multiply(problems[i], x, y));
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_multiply(read, x, z));
        TEST_ASSERT_EQUAL_MEMORY(y, z, 3 * (size_t)size.blocks * sizeof *y);
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(problems[i], x, y));
        TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(read, x, w));
        for (int k = 0; k < 3 * size.constraints; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, y[k], w[k]);
        for (int32_t k = 0; k < size.constraints; k++) {
            pl_constraint_info a, b;
            TEST_ASSERT_EQUAL(PL_OK, pl_problem_constraint(problems[i], k, &a));
            TEST_ASSERT_EQUAL(PL_OK, pl_problem_constraint(read, k, &b));
            TEST_ASSERT_EQUAL_INT(a.law, b.law);
            TEST_ASSERT_EQUAL_DOUBLE(a.law == PL_LAW_CONE ? a.mu : 0, b.mu);
            TEST_ASSERT_EQUAL_MEMORY(a.lo, b.lo, sizeof a.lo);
            TEST_ASSERT_EQUAL_MEMORY(a.axes, b.axes, sizeof a.axes);
        }
        pl_problem_destroy(read);
        pl_problem_destroy(problems[i]);
        snprintf(command, sizeof command, "rm -r '%s'", folder);
        TEST_ASSERT_EQUAL_INT(0, system(command));
    }
    pl_fclib_free(&g);
}

// A .plp keeps rows of any kind.
static void test_a_recorded_problem_with_any_rows(void)
{
    pl_fclib g = make_global();
    pl_problem *problem, *read;
    double x[9], y[M], z[M];
    TEST_ASSERT_EQUAL(PL_OK, pl_fclib_problem(&g, NULL, &problem));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_write(problem, path_of("a.plp")));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_problem_read(path_of("a.plp"), &read), pl_error_text());
    for (int i = 0; i < 9; i++) x[i] = draw();
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(problem, x, y));
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_relative(read, x, z));
    TEST_ASSERT_EQUAL_MEMORY(y, z, sizeof y);
    pl_problem_destroy(problem), pl_problem_destroy(read);
    pl_fclib_free(&g);
}

// --- Traits ---

static void test_traits(void)
{
    pl_problem *problem;
    pl_traits t;
    // Four points under one box: 12 rows for 6 numbers.
    TEST_ASSERT_EQUAL(PL_OK, pl_contacts_generate("stack:n=1", &problem));
    TEST_ASSERT_EQUAL(PL_OK, pl_traits_of(problem, &t));
    TEST_ASSERT_EQUAL_INT64(12, t.rows);
    TEST_ASSERT_EQUAL_INT64(6, t.rank);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, t.hyperstatic);
    TEST_ASSERT_EQUAL_DOUBLE(2, t.rows_per_unknown);
    TEST_ASSERT_TRUE(t.condition >= 1 && t.condition < 100);
    pl_problem_destroy(problem);
    TEST_ASSERT_EQUAL(PL_OK, pl_contacts_generate("chain:n=4", &problem));
    TEST_ASSERT_EQUAL(PL_OK, pl_traits_of(problem, &t));
    TEST_ASSERT_EQUAL_INT64(12, t.rank);
    TEST_ASSERT_EQUAL_DOUBLE(0, t.hyperstatic);
    TEST_ASSERT_TRUE(t.contacts == 0 && t.boxes == 4);
    pl_problem_destroy(problem);
}

// --- The files of others ---

static void test_shared_files(void)
{
    static const struct {
        const char *name, *solver;
        double tolerance;
    } cases[] = {{"Box_Stacks-i0035-31-0", "auto", 1e-8},
                 {"Box_Stacks-i0035-31-0", "newton", 1e-8},
                 {"Capsules-i97-269", "auto", 1e-8},
                 {"CubeH8", "auto", 1e-9},
                 {"CubeH8", "delassus", 1e-9},
                 {"LMGC_GlobalFrictionContactProblem00046", "auto", 1e-9}};
    skip_without_hdf5();
    if (access("../shared/data/friction/CubeH8.hdf5", R_OK) != 0) {
        TEST_IGNORE_MESSAGE("there is no ../shared/data/friction");
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[128], text[256];
        pl_instance instance;
        snprintf(path, sizeof path, "../shared/data/friction/%s.hdf5", cases[i].name);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_instance_read(path, &instance), pl_error_text());
        pl_attempt attempt = {.contact = pl_solve_options_default()};
        attempt.contact.residual_tolerance = cases[i].tolerance;
        attempt.contact.contact_tolerance = cases[i].tolerance;
        pl_comparison c = {.n_file = 1};
        TEST_ASSERT_EQUAL_MESSAGE(
            PL_OK, pl_comparison_solve(&c, &attempt, path, cases[i].solver, &instance),
            pl_error_text());
        double measure = c.outcome[0].relative;
        snprintf(text, sizeof text, "%s by %s: %s, %g", cases[i].name, cases[i].solver,
                 c.outcome[0].end, measure);
        TEST_ASSERT_TRUE_MESSAGE(measure <= 1e-6, text);
        pl_comparison_free(&c);
        pl_instance_free(&instance);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_both_forms_have_the_velocities_of_formulas);
    RUN_TEST(test_solvers_agree_on_both_forms);
    RUN_TEST(test_equations_and_two_dimensions);
    RUN_TEST(test_a_singular_local_problem);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_files_of_fclib_keep_every_bit);
    RUN_TEST(test_our_problems_as_fclib);
    RUN_TEST(test_equations_and_given_velocities_as_fclib);
    RUN_TEST(test_a_matrix_that_is_not_symmetric);
    RUN_TEST(test_damaged_files_of_fclib);
    RUN_TEST(test_a_huge_type);
    RUN_TEST(test_files_that_are_refused);
    RUN_TEST(test_folders_of_matrix_market);
    RUN_TEST(test_a_recorded_problem_with_any_rows);
    RUN_TEST(test_traits);
    RUN_TEST(test_shared_files);
    return UNITY_END();
}
