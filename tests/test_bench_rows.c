// Rows for benchmarks of pivoting solvers: the same problem in another order.

#include "lcps.h"
#include "../apps/bench/bench_rows.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

static pl_arena arena;

static double solve(const pl_lcp *lcp, double *x)
{
    const pl_lcp_solver *solver;
    pl_lcp_options options = pl_lcp_options_default();
    pl_lcp_stats stats;
    for (int32_t i = 0; i < lcp->n; i++) x[i] = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_lcp_solver_find("keller", &solver));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_lcp_solve(solver, lcp, &options, &arena, x, &stats),
                              pl_error_text());
    double sum = 0;
    for (int32_t i = 0; i < lcp->n; i++) sum += x[i] * (1 + lcp->q[i] * lcp->q[i]);
    return sum;
}

// A band whose rows come in an order without meaning has its bandwidth back, and the solution is
// the same, row for row: a sum with weights that belong to rows tells.
static void test_another_order_is_the_same_problem(void)
{
    enum { N = 60 };
    double x[N];
    own_lcp own = random_spd_lcp(N, N, 0.5);
    for (int32_t j = 0; j < N; j++) { // neighbours are 7 apart, modulo N
        for (int64_t k = own.lcp.col[j]; k < own.lcp.col[j + 1]; k++) {
            int32_t apart = (own.lcp.row[k] - j + N) % N;
            bool near = apart == 0 || apart == 7 || apart == N - 7;
            if (!near) own.val[k] = 0;
            if (apart == 0) own.val[k] += 2;
        }
    }
    random_bounds(&own);
    int32_t row[3 * N];
    int64_t col[N + 1] = {0};
    double val[3 * N];
    for (int32_t j = 0, n = 0; j < N; j++) {
        for (int64_t k = own.lcp.col[j]; k < own.lcp.col[j + 1]; k++) {
            if (own.val[k] == 0) continue;
            row[n] = own.lcp.row[k], val[n++] = own.val[k];
        }
        col[j + 1] = n;
    }
    pl_lcp lcp = own.lcp, other;
    lcp.col = col, lcp.row = row, lcp.val = val;
    TEST_ASSERT_EQUAL(PL_OK, pl_bench_reorder(&lcp, &arena, &other));
    int32_t width = 0, width_other = 0;
    for (int32_t j = 0; j < N; j++) {
        for (int64_t k = col[j]; k < col[j + 1]; k++) width = PL_MAX(width, abs(row[k] - j));
        for (int64_t k = other.col[j]; k < other.col[j + 1]; k++) {
            width_other = PL_MAX(width_other, abs(other.row[k] - j));
            TEST_ASSERT_TRUE(k == other.col[j] || other.row[k] > other.row[k - 1]);
        }
    }
    TEST_ASSERT_TRUE(width >= 7 && width_other <= 3); // of a ring: 2
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, solve(&lcp, x), solve(&other, x));
    own_lcp_free(&own);
    pl_arena_free(&arena);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_another_order_is_the_same_problem);
    return UNITY_END();
}
