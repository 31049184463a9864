// Preconditioners of reduced systems: what they factor, that they are symmetric and positive, and
// how shifts and imaginary columns come about.

#include "chains.h"

#include "../lcp/dense.h"
#include "../lcp/precond.h"

#include <unity.h>

static pl_arena arena;

void setUp(void)
{
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

// A sparse symmetric matrix with unit-sized couplings of `degree` random pairs a row and `diag` on
// the diagonal.
static own_lcp sparse_matrix(int32_t n, int32_t degree, double diag)
{
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *q = random_vector(n);
    for (int32_t e = 0; e < n * degree / 2; e++) {
        int32_t i = (int32_t)(random_bits() % (uint32_t)n);
        int32_t j = (int32_t)(random_bits() % (uint32_t)n);
        M[i + j * n] = M[j + i * n] = random_number();
    }
    for (int32_t i = 0; i < n; i++) M[i + i * n] = diag * (1 + 0.5 * random_number());
    own_lcp own = own_lcp_make(n, M, q);
    free(M), free(q);
    return own;
}

typedef struct made {
    own_lcp own;
    pl_lcp_sets sets;
    pl_lcp_reduced A;
    pl_precond P;
    bool ok;
} made;

static made make(own_lcp own, pl_lcp_precond kind, bool prescale, double drop, int32_t fill)
{
    made m = {.own = own};
    pl_lcp_options options = pl_lcp_options_default();
    options.precond = kind;
    options.prescale = prescale;
    options.drop = drop;
    options.fill = fill;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_sets_make(&arena, own.lcp.n, &m.sets));
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_reduced_make(&arena, &own.lcp, &m.A));
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_precond_make(&own.lcp, &options, &arena, &m.P));
    pl_lcp_reduce(&own.lcp, &m.sets, NULL, false, &m.A);
    m.ok = pl_precond_factor(&m.P, &m.A);
    return m;
}

// P^-1, column by column.
static double *inverse(const made *m)
{
    int32_t n = m->A.n;
    double *Z = calloc((size_t)n * (size_t)n, sizeof *Z), *r = calloc((size_t)n, sizeof *r);
    for (int32_t j = 0; j < n; j++) {
        r[j] = 1;
        pl_precond_apply(&m->P, r, Z + j * n);
        r[j] = 0;
    }
    free(r);
    return Z;
}

// P^-1 is symmetric to rounding, and has a Cholesky factor.
static void hold_symmetric_and_positive(const made *m)
{
    int32_t n = m->A.n;
    double *Z = inverse(m), *least = calloc((size_t)n, sizeof *least), most = 0;
    for (int32_t e = 0; e < n * n; e++) most = fmax(most, fabs(Z[e]));
    for (int32_t e = 0; e < n * n; e++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12 * most, Z[e % n * n + e / n], Z[e]);
    }
    TEST_ASSERT_EQUAL_INT32(n, pl_dense_cholesky(n, Z, n, least));
    free(Z), free(least);
}

// Entry (i, j) of L diag(s) L^T.
static double product(const made *m, bool with_signs, int32_t i, int32_t j)
{
    double sum = 0;
    for (int32_t k = 0; k < m->A.n; k++) {
        double li = 0, lj = 0;
        for (int64_t e = m->P.col[k]; e < m->P.col[k + 1]; e++) {
            if (m->P.row[e] == i) li = m->P.val[e];
            if (m->P.row[e] == j) lj = m->P.val[e];
        }
        sum += (with_signs ? m->P.sign[k] : 1) * li * lj;
    }
    return sum;
}

// L diag(sign) L^T is A on its pattern, with several imaginary columns; P = L L^T is positive,
// which L diag(sign) L^T is not, and differs from it by twice the imaginary columns.
static void test_imaginary(void)
{
    random_state = 6;
    for (int32_t trial = 0; trial < 10; trial++) {
        made m = make(sparse_matrix(40, 6, 0.8), PL_LCP_PRECOND_IMAGINARY, trial % 2 == 1, 0, 0);
        TEST_ASSERT_TRUE(m.ok);
        TEST_ASSERT_GREATER_THAN_INT32(3, m.P.n_imaginary);
        hold_symmetric_and_positive(&m);
        for (int32_t j = 0; j < m.A.n; j++) {
            for (int64_t e = m.A.col[j]; e < m.A.col[j + 1]; e++) {
                int32_t i = m.A.row[e];
                double size = 0, twice = 0;
                for (int32_t k = 0; k < m.A.n; k++) {
                    double li = 0, lj = 0;
                    for (int64_t f = m.P.col[k]; f < m.P.col[k + 1]; f++) {
                        if (m.P.row[f] == i) li = m.P.val[f];
                        if (m.P.row[f] == j) lj = m.P.val[f];
                    }
                    size += fabs(li * lj);
                    twice += m.P.sign[k] < 0 ? 2 * li * lj : 0;
                }
                double a = m.P.scale[i] * m.A.val[e] * m.P.scale[j];
                TEST_ASSERT_DOUBLE_WITHIN(1e-13 * (size + 1), a, product(&m, true, i, j));
                TEST_ASSERT_DOUBLE_WITHIN(1e-13 * (size + 1), a + twice, product(&m, false, i, j));
            }
        }
        own_lcp_free(&m.own);
        pl_arena_reset(&arena);
    }
}

// Without imaginary columns all of them are the plain incomplete factor, to the bit.
static void test_alike_where_nothing_breaks_down(void)
{
    static const pl_lcp_precond kinds[] = {PL_LCP_PRECOND_IC_SHIFT, PL_LCP_PRECOND_IC_PARTIAL,
                                           PL_LCP_PRECOND_IMAGINARY};
    random_state = 9;
    own_lcp own = sparse_matrix(60, 5, 6);
    made plain = make(own, PL_LCP_PRECOND_IC, false, 0, 0);
    TEST_ASSERT_TRUE(plain.ok);
    hold_symmetric_and_positive(&plain);
    for (int32_t k = 0; k < 3; k++) {
        made m = make(own, kinds[k], false, 0, 0);
        TEST_ASSERT_TRUE(m.ok);
        TEST_ASSERT_EQUAL_INT64(0, m.P.shifts);
        TEST_ASSERT_EQUAL_INT32(0, m.P.n_imaginary);
        TEST_ASSERT_TRUE(same_bits(plain.P.val, m.P.val, plain.P.col[60]));
    }
    own_lcp_free(&own);
}

// Positive definite, with pivots below 0 on its own pattern: the example of [Kershaw 1978], many
// times, with neighbours coupled.
static own_lcp kershaw(void)
{
    static const double block[4][4] = {
        {3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
    enum { N = 40 };
    double M[N * N] = {0}, q[N] = {0};
    for (int32_t i = 0; i < N; i++) {
        for (int32_t c = 0; c < 4; c++) M[i + (i / 4 * 4 + c) * N] = block[i % 4][c];
        if (i >= 4) M[i + (i - 4) * N] = M[i - 4 + i * N] = 0.05;
    }
    return own_lcp_make(N, M, q);
}

// Where the plain factor breaks down shifts help; the partial ones leave columns as they are.
static void test_shifts(void)
{
    own_lcp own = kershaw();
    double least[40], *L = malloc(40 * 40 * sizeof *L);
    memcpy(L, own.dense, 40 * 40 * sizeof *L);
    int32_t untouched = 0;
    TEST_ASSERT_EQUAL_INT32(40, pl_dense_cholesky(40, L, 40, least));
    made plain = make(own, PL_LCP_PRECOND_IC, false, 0, 0);
    made all = make(own, PL_LCP_PRECOND_IC_SHIFT, false, 0, 0);
    made partial = make(own, PL_LCP_PRECOND_IC_PARTIAL, false, 0, 0);
    TEST_ASSERT_FALSE(plain.ok);
    TEST_ASSERT_TRUE(all.ok && partial.ok);
    TEST_ASSERT_GREATER_THAN_INT64(0, all.P.shifts);
    TEST_ASSERT_GREATER_THAN_INT64(0, partial.P.shifts);
    hold_symmetric_and_positive(&all);
    hold_symmetric_and_positive(&partial);
    double gamma = all.P.diag[0] / own.dense[0];
    for (int32_t k = 0; k < 40; k++) {
        // a multiple of the diagonal, the same for all
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, gamma, all.P.diag[k] / own.dense[41 * k]);
        untouched += partial.P.diag[k] == own.dense[41 * k];
    }
    TEST_ASSERT(gamma > 1 && untouched >= 10);
    own_lcp_free(&own);
    free(L);
}

// What a solver reports of it: the share of imaginary columns, or that the plain factor broke down.
static void test_the_share_of_imaginary_columns(void)
{
    static const pl_lcp_precond kinds[] = {PL_LCP_PRECOND_IMAGINARY, PL_LCP_PRECOND_JACOBI,
                                           PL_LCP_PRECOND_IC};
    own_lcp own = kershaw();
    made m = make(own, PL_LCP_PRECOND_IMAGINARY, false, 0, 0);
    TEST_ASSERT_GREATER_THAN_INT32(0, m.P.n_imaginary);
    for (int32_t i = 0; i < 40; i++) own.lo[i] = -INFINITY, own.q[i] = i % 7 - 3;
    for (int32_t k = 0; k < 3; k++) {
        const pl_lcp_solver *solver;
        pl_lcp_options options = pl_lcp_options_default();
        pl_lcp_stats stats;
        double x[40] = {0};
        options.precond = kinds[k];
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find("bpp-pcg", &solver));
        pl_status status = pl_lcp_solve(solver, &own.lcp, &options, &arena, x, &stats);
        TEST_ASSERT_EQUAL_INT(k < 2 ? PL_LCP_SOLVED : PL_LCP_BREAKDOWN, stats.end);
        TEST_ASSERT_EQUAL_INT(k < 2 ? PL_OK : PL_ERROR_NUMERICS, status);
        if (k < 2) TEST_ASSERT_EQUAL_DOUBLE(k == 0 ? m.P.n_imaginary / 40.0 : 0, stats.imaginary);
    }
    own_lcp_free(&own);
}

// With nothing dropped it is Cholesky's factor; with a limit no column has more than that, and what
// it keeps is its largest entries.
static void test_threshold(void)
{
    random_state = 12;
    own_lcp own = sparse_matrix(50, 5, 6);
    made full = make(own, PL_LCP_PRECOND_ICT, false, 0, 50);
    TEST_ASSERT_TRUE(full.ok);
    for (int32_t j = 0; j < 50; j++) {
        for (int32_t i = j; i < 50; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, own.dense[i + j * 50], product(&full, false, i, j));
        }
    }
    made some = make(own, PL_LCP_PRECOND_ICT, true, 1e-2, 4);
    TEST_ASSERT_TRUE(some.ok);
    hold_symmetric_and_positive(&some);
    bool limited = false;
    for (int32_t k = 0; k < 50; k++) {
        int64_t count = some.P.col[k + 1] - some.P.col[k];
        TEST_ASSERT(count >= 1 && count <= 5 && some.P.row[some.P.col[k]] == k);
        limited = limited || count == 5;
    }
    TEST_ASSERT_TRUE(limited);
    made hard = make(sparse_matrix(40, 6, 0.8), PL_LCP_PRECOND_ICT, false, 1e-3, 10);
    TEST_ASSERT_TRUE(hard.ok);
    TEST_ASSERT_GREATER_THAN_INT64(0, hard.P.shifts);
    hold_symmetric_and_positive(&hard);
    own_lcp_free(&own);
    own_lcp_free(&hard.own);
}

// A pivot of 0 becomes a small one, and is counted.
static void test_a_pivot_of_zero(void)
{
    double M[4] = {1, 1, 1, 1}, q[2] = {0}, r[2] = {1, -1}, z[2];
    made m = make(own_lcp_make(2, M, q), PL_LCP_PRECOND_IMAGINARY, false, 0, 0);
    TEST_ASSERT_TRUE(m.ok);
    TEST_ASSERT_EQUAL_INT64(1, m.P.shifts);
    pl_precond_apply(&m.P, r, z);
    TEST_ASSERT_TRUE(isfinite(z[0]) && isfinite(z[1]));
    made plain = make(m.own, PL_LCP_PRECOND_IC, false, 0, 0);
    TEST_ASSERT_FALSE(plain.ok);
    own_lcp_free(&m.own);
}

// Systems of a chain whose links weigh a thousandth of what it bears: the better the factor, the
// fewer iterations, with the same result.
static void test_iterations(void)
{
    enum { N = 200 };
    static const pl_lcp_precond kinds[] = {PL_LCP_PRECOND_NONE, PL_LCP_PRECOND_JACOBI,
                                           PL_LCP_PRECOND_IMAGINARY, PL_LCP_PRECOND_ICT};
    static double M[N * N], q[N], x[4][N];
    int64_t inner[4];
    for (int32_t i = 0; i < N; i++) {
        double a = 1, b = i == N - 1 ? 1e-3 : 1; // inverse masses of both ends of joint i
        M[i + i * N] = a + b + 1e-7;
        if (i > 0) M[i + (i - 1) * N] = M[i - 1 + i * N] = -1;
        q[i] = -1 - 0.1 * (i % 3);
    }
    own_lcp own = own_lcp_make(N, M, q);
    for (int32_t i = 0; i < N; i++) own.lo[i] = -INFINITY;
    for (int32_t k = 0; k < 4; k++) {
        const pl_lcp_solver *solver;
        pl_lcp_options options = pl_lcp_options_default();
        pl_lcp_stats stats;
        options.precond = kinds[k];
        options.tolerance = 1e-8;
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find("pgcg", &solver));
        TEST_ASSERT_EQUAL_INT(PL_OK,
                              pl_lcp_solve(solver, &own.lcp, &options, &arena, x[k], &stats));
        inner[k] = stats.inner;
        for (int32_t i = 0; i < N; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-4, x[0][i], x[k][i]);
    }
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(N / 2, inner[1]);
    TEST_ASSERT_LESS_OR_EQUAL_INT64(4, inner[2]); // a chain has no fill: the factor is complete
    TEST_ASSERT_LESS_OR_EQUAL_INT64(4, inner[3]);
    own_lcp_free(&own);
}

// A chain wound round a rod under a box of 2,000 times the mass of a link: conjugate gradients need
// fewer iterations with a factor than with the diagonal, and far fewer with one that has fill.
static void test_a_chain(void)
{
    enum { LINKS = 40 };
    static const pl_lcp_precond kinds[] = {PL_LCP_PRECOND_JACOBI, PL_LCP_PRECOND_IMAGINARY,
                                           PL_LCP_PRECOND_ICT};
    static int32_t normal[4 * LINKS];
    own_lcp own = chain_lcp(LINKS, 1.5, 500, 1e-8, normal);
    int64_t inner[3];
    for (int32_t k = 0; k < 3; k++) {
        const pl_lcp_solver *solver;
        pl_lcp_options options = pl_lcp_options_default();
        pl_lcp_stats stats;
        double x[4 * LINKS] = {0};
        options.precond = kinds[k];
        options.tolerance = options.pivot_tolerance = 1e-6; // [m/s], as [Ho22] has it inside
        options.inner_tolerance = 1e-8;
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find("pgcg", &solver));
        TEST_ASSERT_EQUAL_INT_MESSAGE(
            PL_OK, pl_lcp_solve(solver, &own.lcp, &options, &arena, x, &stats), pl_error_text());
        TEST_ASSERT_LESS_THAN_INT32(20, stats.iterations);
        inner[k] = stats.inner;
    }
    TEST_ASSERT_LESS_THAN_INT64(inner[0], inner[1]);
    TEST_ASSERT_LESS_THAN_INT64(inner[0], 10 * inner[2]);
    own_lcp_free(&own);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_imaginary);
    RUN_TEST(test_alike_where_nothing_breaks_down);
    RUN_TEST(test_shifts);
    RUN_TEST(test_the_share_of_imaginary_columns);
    RUN_TEST(test_threshold);
    RUN_TEST(test_a_pivot_of_zero);
    RUN_TEST(test_iterations);
    RUN_TEST(test_a_chain);
    return UNITY_END();
}
