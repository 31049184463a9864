// Linear complementarity problems: every solver of the table against enumeration and planted
// solutions, the yardstick, and what is refused.

#include "../lcp/generate.h"
#include "lcps.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;

void setUp(void)
{
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

static pl_status run(const pl_lcp_solver *solver, const own_lcp *own, double *x,
                     pl_lcp_stats *stats)
{
    pl_lcp_options options = pl_lcp_options_default();
    options.max_iterations = 100000;
    pl_arena_reset(&arena);
    return pl_lcp_solve(solver, &own->lcp, &options, &arena, x, stats);
}

static void hold_to_enumeration(const pl_lcp_solver *solver, const own_lcp *own)
{
    double x[16] = {0}, oracle[16];
    pl_lcp_stats stats;
    char text[128];
    TEST_ASSERT_EQUAL_INT32(1, enumerate(own, oracle));
    pl_status status = run(solver, own, x, &stats);
    snprintf(text, sizeof text, "%s, n %d: %s", solver->name, own->lcp.n,
             pl_lcp_end_name(stats.end));
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, status, text);
    for (int32_t i = 0; i < own->lcp.n; i++) {
        // the least eigenvalue of M is 0.1 or more
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, oracle[i], x[i], text);
    }
}

static void test_all_agree_with_enumeration(void)
{
    for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
        random_state = 11;
        for (int32_t trial = 0; trial < 30; trial++) {
            int32_t n = 1 + trial % 7;
            own_lcp own = random_spd_lcp(n, n, 0.1);
            if (trial % 2 == 1) random_bounds(&own);
            hold_to_enumeration(pl_lcp_solver_at(s), &own);
            own_lcp_free(&own);
        }
    }
}

// Those that converge for definite or monotone M, and for other P-matrices only by luck.
static bool is_for_monotone(const pl_lcp_solver *solver)
{
    static const char *const names[] = {"pgs", "psor", "admm", "ipm"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (strcmp(solver->name, names[k]) == 0) return true;
    }
    return (solver->needs & PL_LCP_NEEDS_SYMMETRIC) != 0;
}

// 1,000 matrices without symmetry whose principal minors are all positive, so that there is exactly
// one solution [Erl13]: whoever ends with one has that one.
static void test_p_matrices(void)
{
    int32_t missed = 0, tried = 0;
    for (int32_t trial = 0; trial < 1000; trial++) {
        pl_lcp_params params = pl_lcp_params_default();
        pl_lcp_data data;
        double M[64], oracle[16];
        int32_t n = 1 + trial % 8;
        params.planted = trial % 2 == 0;
        TEST_ASSERT_EQUAL_INT(
            PL_OK, pl_lcp_generate(PL_LCP_KIND_P_MATRIX, n, (uint64_t)trial, &params, &data));
        for (int32_t k = 0; k < n * n; k++) M[k] = data.val[k];
        own_lcp own = own_lcp_make(n, M, data.q);
        TEST_ASSERT_EQUAL_INT32(1, enumerate(&own, oracle));
        for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
            const pl_lcp_solver *solver = pl_lcp_solver_at(s);
            double x[8] = {0};
            pl_lcp_stats stats;
            if ((solver->needs & PL_LCP_NEEDS_SYMMETRIC) != 0 && !own.lcp.symmetric) continue;
            pl_status status = run(solver, &own, x, &stats);
            tried++;
            if (status != PL_OK) {
                TEST_ASSERT_TRUE_MESSAGE(is_for_monotone(solver), pl_error_text());
                missed++;
            }
            for (int32_t i = 0; i < n && status == PL_OK; i++) {
                TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-6, oracle[i], x[i], solver->name);
            }
        }
        own_lcp_free(&own);
        pl_lcp_data_free(&data);
    }
    TEST_ASSERT_TRUE(tried > 5000 && missed < tried / 2);
}

// A solution is drawn, and q made for it: half of the rows are free.
static void test_planted_solutions(void)
{
    enum { N = 60 };
    for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
        random_state = 5;
        own_lcp own = random_spd_lcp(N, N, 0.3);
        double planted[N], w[N], x[N] = {0};
        for (int32_t i = 0; i < N; i++) {
            planted[i] = i % 2 == 0 ? fabs(random_number()) + 0.1 : 0;
            own.q[i] = 0;
        }
        pl_lcp_multiply(&own.lcp, planted, w);
        for (int32_t i = 0; i < N; i++) own.q[i] = (i % 2 == 0 ? 0 : 0.2) - w[i];
        pl_lcp_stats stats;
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run(pl_lcp_solver_at(s), &own, x, &stats),
                                      pl_error_text());
        for (int32_t i = 0; i < N; i++) {
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, planted[i], x[i], pl_lcp_solver_at(s)->name);
        }
        own_lcp_free(&own);
    }
}

// The yardstick on one row a x + b >= 0, x >= 0 with a = 2, b = -1: x = 0.5.
static void test_the_yardstick(void)
{
    double M = 2, q = -1, w;
    own_lcp own = own_lcp_make(1, &M, &q);
    double x = 0.5;
    pl_lcp_errors e = pl_lcp_measure(&own.lcp, &x, &w);
    TEST_ASSERT_EQUAL_DOUBLE(0, e.natural);
    TEST_ASSERT_EQUAL_DOUBLE(0, e.energy);
    x = 0; // w = -1: the row should open by 0.5
    e = pl_lcp_measure(&own.lcp, &x, &w);
    TEST_ASSERT_EQUAL_DOUBLE(1, e.natural);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, e.energy);
    TEST_ASSERT_EQUAL_DOUBLE(1, e.dual);
    x = -0.25;
    e = pl_lcp_measure(&own.lcp, &x, &w);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, e.primal);
    x = 1; // w = 1 although the row is open
    e = pl_lcp_measure(&own.lcp, &x, &w);
    TEST_ASSERT_EQUAL_DOUBLE(1, e.complementarity);
    TEST_ASSERT_EQUAL_DOUBLE(1, e.natural);
    own.val[0] = 0; // w = -1 whatever x is, also where x - w is x
    x = 1e18;
    e = pl_lcp_measure(&own.lcp, &x, &w);
    TEST_ASSERT_EQUAL_DOUBLE(1, e.natural);
    own_lcp_free(&own);
}

// The number of solutions of the scalar problem [Erl13], and that no solver claims one where there
// is none.
static void test_scalar_problems(void)
{
    static const struct {
        double a, b;
        int32_t solutions;
    } cases[] = {{-1, -1, 0}, {-1, 1, 2}, {0, -1, 0}, {0, 1, 1}, {1, -1, 1}, {1, 1, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double x;
        own_lcp own = own_lcp_make(1, &cases[c].a, &cases[c].b);
        TEST_ASSERT_EQUAL_INT32(cases[c].solutions, enumerate(&own, &x));
        for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
            pl_lcp_stats stats;
            x = 0;
            pl_status status = run(pl_lcp_solver_at(s), &own, &x, &stats);
            const char *name = pl_lcp_solver_at(s)->name;
            if (cases[c].solutions == 0) {
                TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, status, name);
            }
            if (status != PL_OK) continue;
            double y = cases[c].a * x + cases[c].b;
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, 0, fmin(x, y), name);
        }
        own_lcp_free(&own);
    }
}

static void refuse(const own_lcp *own, const char *text)
{
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, pl_lcp_check(&own->lcp));
    TEST_ASSERT_EQUAL_STRING(text, pl_error_text());
}

static void test_what_is_refused(void)
{
    own_lcp own = random_spd_lcp(3, 3, 1);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_check(&own.lcp));
    own.q[1] = NAN;
    refuse(&own, "q: row 1 is not finite");
    own.q[1] = 0;
    own.lo[2] = 2, own.hi[2] = 1;
    refuse(&own, "bounds of row 2: 2 .. 1");
    own.lo[2] = 0;
    own.val[1] += 1;
    refuse(&own, "M is not symmetric: row 1, column 0");
    own.val[1] = INFINITY;
    refuse(&own, "M: row 1, column 0 is not finite");
    own.row[1] = 3;
    refuse(&own, "M: column 0 has row 3 of 3");
    own.row[1] = 0;
    refuse(&own, "M: rows of column 0 do not ascend");
    own_lcp_free(&own);
}

static void test_what_solvers_need(void)
{
    const pl_lcp_solver *nncg;
    double x[2] = {0}, M[4] = {1, 0, 1, 1}, q[2] = {1, 1};
    own_lcp own = own_lcp_make(2, M, q);
    pl_lcp_stats stats;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find("nncg", &nncg));
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, run(nncg, &own, x, &stats));
    TEST_ASSERT_EQUAL_STRING("nncg needs a symmetric matrix", pl_error_text());
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, pl_lcp_solver_find("nncq", &nncg));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "nncg"));
    own_lcp_free(&own);
}

// Two rows of friction whose bounds follow their normal: a block that is pushed slides, or sticks.
static void test_bounds_that_follow(void)
{
    double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {-2, -0.5, -3}, mu[3] = {0, 0.5, 0.5};
    int32_t normal[3] = {-1, 0, 0};
    own_lcp own = own_lcp_make(3, M, q);
    const pl_lcp_solver *pgs;
    pl_lcp_stats stats;
    double x[3] = {0};
    own.lcp.normal = normal;
    own.lcp.mu = mu;
    own.lo[1] = own.lo[2] = -INFINITY;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find("pgs", &pgs));
    TEST_ASSERT_EQUAL_INT(PL_OK, run(pgs, &own, x, &stats));
    TEST_ASSERT_EQUAL_DOUBLE(2, x[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, x[1]);
    TEST_ASSERT_EQUAL_DOUBLE(1, x[2]);
    own_lcp_free(&own);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_all_agree_with_enumeration);
    RUN_TEST(test_p_matrices);
    RUN_TEST(test_planted_solutions);
    RUN_TEST(test_the_yardstick);
    RUN_TEST(test_scalar_problems);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_what_solvers_need);
    RUN_TEST(test_bounds_that_follow);
    return UNITY_END();
}
