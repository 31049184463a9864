// The reduced form: sparse against dense, products with W against W, velocities against the full
// form.

#include "joints.h"
#include "../solvers/reduced.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(2);
}

// What pl_solve makes before it reduces.
typedef struct made {
    pl_arena arena;
    pl_uses uses;
    pl_block_jacobi D;
    double *scale;
    pl_reduced reduced;
} made;

static pl_status make(const small *s, bool build, double most, made *out)
{
    const pl_problem *p = &s->problem;
    int64_t n = p->A->n;
    *out = (made){0};
    out->D = (pl_block_jacobi){(int32_t)n, pl_arena_take(&out->arena, 6 * n, sizeof(double))};
    double *sum = pl_arena_take(&out->arena, n, sizeof *sum);
    out->scale = pl_arena_take(&out->arena, 2 * p->n_constraint, sizeof *out->scale);
    if (out->D.inv == NULL || sum == NULL || out->scale == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_uses_create(p, &out->arena, &out->uses));
    PL_TRY(pl_block_jacobi_update(&out->D, p->A));
    for (int64_t i = 0; i < n; i++) {
        if (s->prescribed[i]) memset(out->D.inv + 6 * i, 0, 6 * sizeof *out->D.inv);
    }
    pl_contact_scales(p, &out->D, &out->uses, sum, out->scale);
    return pl_reduced_create(p, &out->uses, &out->D, out->scale, s->v, build, most, &out->arena,
                             &out->reduced);
}

// Two bodies that turn, a grid of springs beside them, and constraints of all kinds between.
static void start_mixed(small *s)
{
    pl_bsr grid;
    grid_matrix(3, 1, &grid);
    int32_t n = grid.n + 6, *edge = malloc(2 * (size_t)grid.nnz * sizeof *edge);
    for (int32_t i = 0; i < grid.n; i++) {
        for (int64_t k = grid.row[i]; k < grid.row[i + 1]; k++) {
            edge[2 * k] = i, edge[2 * k + 1] = grid.col[k];
        }
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_bsr_create(n, grid.nnz, edge, &s->A));
    for (int32_t i = 0; i < n; i++) {
        for (int64_t k = s->A.row[i]; k < s->A.row[i + 1]; k++) {
            double *M = s->A.val + 9 * k;
            if (i < grid.n) {
                memcpy(M, grid.val + 9 * pl_bsr_find(&grid, i, s->A.col[k]), 9 * sizeof *M);
            } else {
                for (int c = 0; c < 3; c++) M[4 * c] = 1 + 0.3 * (i + c);
                M[1] = M[3] = 0.1 * i / n;
            }
        }
    }
    start_small(s, 0.01);
    s->prescribed[2] = s->prescribed[n - 1] = 1;
    for (int32_t i = 0; i < 3 * n; i++) s->b[i] = random_number();
    for (int i = 0; i < 3; i++) s->v[6 + i] = 0.1, s->v[3 * n - 3 + i] = -0.2;
    for (int32_t k = 0; k < 14; k++) {
        pl_constraint frame = random_contact(0.4);
        pl_limits limits = BILATERAL;
        limits.compliance[k % 3] = 0.1 * (k % 4);
        int32_t body = grid.n + 2 * (k % 3);
        pl_term term[3] = {{body, 1, {0}}, {body + 1, 0.2 * (k % 2), {0}}, {k, -1, {0}}};
        for (int i = 0; i < 3; i++) term[1].r[i] = random_number();
        add_limited(s, &frame, k % 2 == 0 ? &limits : NULL, k % 5 == 0 ? 2 : 3, term);
    }
    // One whose blocks are all prescribed.
    pl_constraint frame = random_contact(0.4);
    add_contact(s, &frame, 1, &(pl_term){2, 1, {0}});
    free(edge);
    pl_bsr_free(&grid);
}

static void test_sparse_equals_dense(void)
{
    small s;
    made m;
    start_mixed(&s);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, make(&s, true, 1e9, &m), pl_error_text());
    const pl_reduced *W = &m.reduced;
    reduced r = reduce(&s.problem, s.v);
    int rows = r.m;
    double *dense = calloc((size_t)(rows * rows), sizeof *dense);
    TEST_ASSERT_TRUE(W->fits);
    TEST_ASSERT_EQUAL_INT32(s.problem.n_constraint, W->n);
    for (int32_t k = 0; k < W->n; k++) {
        for (int64_t i = W->row[k]; i < W->row[k + 1]; i++) {
            int32_t l = W->col[i];
            TEST_ASSERT_TRUE(i == W->row[k] || l > W->col[i - 1]);
            if (l == k) TEST_ASSERT_EQUAL_INT64(i, W->diag[k]);
            for (int e = 0; e < 9; e++) {
                dense[(3 * k + e / 3) * rows + 3 * l + e % 3] = W->val[9 * i + e];
            }
            bool back = false; // the pattern is symmetric
            for (int64_t j = W->row[l]; j < W->row[l + 1]; j++) back = back || W->col[j] == k;
            TEST_ASSERT_TRUE(back);
        }
    }
    TEST_ASSERT_EQUAL_INT64(-1, W->diag[W->n - 1]); // all of it is prescribed
    TEST_ASSERT_TRUE(W->row[W->n] < W->n * W->n);   // it is sparse
    TEST_ASSERT_EQUAL_DOUBLE(72.0 * (double)W->row[W->n], W->W_bytes);
    for (int i = 0; i < rows; i++) {
        const pl_limits *limits = pl_limits_of(&s.problem, s.problem.constraint + i / 3);
        if (limits != NULL) r.W[i * rows + i] += limits->compliance[i % 3];
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, (double)r.q[i], W->q[i]);
        for (int j = 0; j < rows; j++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-13, (double)r.W[i * rows + j], dense[i * rows + j]);
        }
    }
    for (int i = 0; i < r.n; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-13, (double)r.v0[i], W->v0[i]);
    TEST_ASSERT_EQUAL_INT64(1, pl_reduced_count_factors(W)); // that of the grid
    free(dense);
    free_reduced(&r);
    pl_arena_free(&m.arena);
    end_small(&s);
}

// Without W as with it: W f, and the velocities.
static void test_products_and_velocities(void)
{
    small s;
    made m;
    start_mixed(&s);
    int rows = 3 * s.problem.n_constraint;
    double *f = random_vector(rows), *w = random_vector(rows), *v = random_vector(3 * s.A.n);
    memset(f + rows - 3, 0, 3 * sizeof *f);
    reduced r = reduce(&s.problem, s.v);
    for (int build = 0; build < 2; build++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, make(&s, build, 1e9, &m), pl_error_text());
        TEST_ASSERT_EQUAL(build, m.reduced.val != NULL);
        pl_reduced_multiply(&m.reduced, f, w);
        pl_reduced_velocities(&m.reduced, f, v);
        for (int i = 0; i < rows - 3; i++) {
            const pl_limits *limits = pl_limits_of(&s.problem, s.problem.constraint + i / 3);
            long double sum = limits != NULL ? limits->compliance[i % 3] * f[i] : 0;
            for (int j = 0; j < rows; j++) sum += r.W[i * rows + j] * f[j];
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, (double)sum, w[i]);
        }
        // A v = b + L^T f where nothing is prescribed.
        double *D = dense_copy(&s.A), *L = dense_rows(&s.problem);
        for (int i = 0; i < 3 * s.A.n; i++) {
            double sum = -s.b[i];
            for (int j = 0; j < 3 * s.A.n; j++) sum += D[i * 3 * s.A.n + j] * v[j];
            for (int k = 0; k < rows; k++) sum -= L[k * 3 * s.A.n + i] * f[k];
            if (s.prescribed[i / 3]) {
                TEST_ASSERT_EQUAL_DOUBLE(s.v[i], v[i]);
            } else {
                TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, sum);
            }
        }
        free(D), free(L);
        pl_arena_free(&m.arena);
    }
    free(f), free(w), free(v);
    free_reduced(&r);
    end_small(&s);
}

static void test_threads_do_not_change_bits(void)
{
    small s;
    double *first = NULL;
    start_floor(&s, 5);
    for (int threads = 1; threads <= 4; threads *= 2) {
        made m;
        pl_threads_set(threads);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, make(&s, true, 1e9, &m), pl_error_text());
        int64_t n = 9 * m.reduced.row[m.reduced.n];
        if (threads == 1) {
            first = random_vector(n);
            memcpy(first, m.reduced.val, (size_t)n * sizeof *first);
        }
        TEST_ASSERT_TRUE(same_bits(first, m.reduced.val, n));
        pl_arena_free(&m.arena);
    }
    free(first);
    end_small(&s);
}

static void test_what_does_not_fit(void)
{
    small s;
    made m;
    start_mixed(&s);
    TEST_ASSERT_EQUAL(PL_OK, make(&s, true, 1e9, &m));
    double most = m.reduced.W_bytes - 1, factor = m.reduced.G_bytes;
    pl_arena_free(&m.arena);
    const double limit[] = {most, 1000, 10}; // the pattern, a part, the factor
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL(PL_OK, make(&s, true, limit[i], &m));
        TEST_ASSERT_TRUE(!m.reduced.fits && m.reduced.val == NULL);
        pl_arena_free(&m.arena);
    }
    TEST_ASSERT_EQUAL(PL_OK, make(&s, false, factor, &m)); // no W
    TEST_ASSERT_TRUE(m.reduced.fits);
    pl_arena_free(&m.arena);
    end_small(&s);
}

static pl_status make_once(void *user)
{
    made m;
    pl_status status = make(user, true, 1e9, &m);
    pl_arena_free(&m.arena);
    return status;
}

static void test_memory(void)
{
    small s;
    start_mixed(&s);
    TEST_ASSERT_TRUE(fail_each_allocation(make_once, &s) > 0);
    end_small(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_sparse_equals_dense);
    RUN_TEST(test_products_and_velocities);
    RUN_TEST(test_threads_do_not_change_bits);
    RUN_TEST(test_what_does_not_fit);
    RUN_TEST(test_memory);
    return UNITY_END();
}
