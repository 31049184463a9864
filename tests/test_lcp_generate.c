// Generated linear complementarity problems: what their kinds promise.

#include "failing_alloc.h"
#include "lcps.h"
#include "../lcp/condition.h"
#include "../lcp/generate.h"

#include <stdio.h>
#include <unity.h>

static pl_lcp_data data;

void setUp(void)
{
}

void tearDown(void)
{
    pl_lcp_data_free(&data);
}

static void generate(pl_lcp_kind kind, int32_t n, uint64_t seed, const pl_lcp_params *params)
{
    pl_lcp_data_free(&data);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_lcp_generate(kind, n, seed, params, &data),
                                  pl_error_text());
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_lcp_check(&data.lcp), pl_error_text());
}

static void below(double limit, double value, const char *what)
{
    char text[96];
    snprintf(text, sizeof text, "%s: %.17g, not below %g", what, value, limit);
    TEST_ASSERT_TRUE_MESSAGE(value < limit, text);
}

static double natural(const double *x)
{
    double *w = malloc((size_t)(data.lcp.n + 1) * sizeof *w);
    pl_lcp_errors errors = pl_lcp_measure(&data.lcp, x, w);
    free(w);
    return errors.natural;
}

static double entry(int32_t i, int32_t j)
{
    for (int64_t k = data.col[j]; k < data.col[j + 1]; k++) {
        if (data.row[k] == i) return data.val[k];
    }
    return 0;
}

// Of the rows and columns in `set`, by elimination with pivoting.
static double minor(int32_t set)
{
    double K[64], det = 1;
    int32_t index[8], n = 0;
    for (int32_t i = 0; i < data.lcp.n; i++) {
        if ((set >> i & 1) != 0) index[n++] = i;
    }
    for (int32_t k = 0; k < n * n; k++) K[k] = entry(index[k % n], index[k / n]);
    for (int32_t k = 0; k < n; k++) {
        int32_t p = k;
        for (int32_t i = k; i < n; i++) p = fabs(K[i + k * n]) > fabs(K[p + k * n]) ? i : p;
        if (p != k) det = -det;
        for (int32_t j = 0; j < n; j++) {
            double swap = K[k + j * n];
            K[k + j * n] = K[p + j * n], K[p + j * n] = swap;
        }
        det *= K[k + k * n];
        if (K[k + k * n] == 0) return 0;
        for (int32_t i = k + 1; i < n; i++) {
            double factor = K[i + k * n] / K[k + k * n];
            for (int32_t j = k; j < n; j++) K[i + j * n] -= factor * K[k + j * n];
        }
    }
    return det;
}

static void test_planted_solutions_solve(void)
{
    for (int kind = 0; kind <= PL_LCP_KIND_UNIFORM; kind++) {
        for (int32_t n = 0; n < 40; n += 3) {
            pl_lcp_params params = pl_lcp_params_default();
            params.mixed_bounds = n % 2 == 1;
            generate((pl_lcp_kind)kind, n, 7, &params);
            TEST_ASSERT_NOT_NULL(data.x);
            below(1e-12, natural(data.x), pl_lcp_kind_name((pl_lcp_kind)kind));
        }
    }
}

// Shares of rows that are tight, and of those that are degenerate, within three deviations.
static void test_planted_shares(void)
{
    enum { N = 400 };
    pl_lcp_params params = pl_lcp_params_default();
    params.tight = 0.7;
    params.degenerate = 0.3;
    double w[N];
    int32_t tight = 0, degenerate = 0;
    generate(PL_LCP_KIND_UNIFORM, N, 3, &params);
    pl_lcp_multiply(&data.lcp, data.x, w);
    for (int32_t i = 0; i < N; i++) {
        tight += data.x[i] == 0;
        degenerate += data.x[i] == 0 && fabs(w[i]) < 1e-9;
    }
    TEST_ASSERT_INT32_WITHIN(28, 280, tight);
    TEST_ASSERT_INT32_WITHIN(24, 84, degenerate);
}

static void test_all_minors_of_a_p_matrix(void)
{
    pl_lcp_params params = pl_lcp_params_default();
    params.imbalance = 16;
    bool definite = true;
    for (uint64_t seed = 0; seed < 40; seed++) {
        generate(PL_LCP_KIND_P_MATRIX, 7, seed, &params);
        TEST_ASSERT_FALSE(data.lcp.symmetric);
        for (int32_t set = 1; set < 128; set++) below(0, -minor(set), "a minor");
        for (int32_t i = 0; i < 7; i++) {
            for (int32_t j = 0; j < i; j++) {
                double beside = 0.5 * (entry(i, j) + entry(j, i));
                definite = definite && entry(i, i) * entry(j, j) > beside * beside;
            }
        }
    }
    TEST_ASSERT_FALSE_MESSAGE(definite, "P, but definite throughout");
}

// x^T M x >= 0, and 0 on a space of n - r dimensions: the rank of the symmetric part.
static void test_monotone_and_singular(void)
{
    enum { N = 12 };
    for (int kind = PL_LCP_KIND_PSD; kind <= PL_LCP_KIND_MONOTONE; kind += 2) {
        generate((pl_lcp_kind)kind, N, 5, NULL);
        TEST_ASSERT_EQUAL(kind == PL_LCP_KIND_PSD, data.lcp.symmetric);
        TEST_ASSERT_EQUAL(kind == PL_LCP_KIND_PSD, isinf(data.condition));
        for (int32_t k = 0; k < 1000; k++) {
            double *x = random_vector(N), sum = 0;
            for (int32_t j = 0; j < N; j++) {
                for (int32_t i = 0; i < N; i++) sum += x[i] * entry(i, j) * x[j];
            }
            below(1e-14, -sum, "x^T M x");
            free(x);
        }
    }
}

// -(dt / density) lap: rows sum to 0 but under the air, the field is the same on every grid, and
// the condition is the one that Lanczos's iteration sees.
static void test_fluids(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        int32_t side = dimension == 2 ? 9 : 5;
        generate(dimension == 2 ? PL_LCP_KIND_FLUID_2D : PL_LCP_KIND_FLUID_3D, side, 2, NULL);
        int32_t n = data.lcp.n, layer = n / side;
        double h = 1.0 / side, weight = 0.01 / (1000 * h * h), seen;
        TEST_ASSERT_EQUAL_INT32(dimension == 2 ? 81 : 125, n);
        for (int32_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t k = data.col[j]; k < data.col[j + 1]; k++) sum += data.val[k];
            TEST_ASSERT_DOUBLE_WITHIN(1e-12 * weight, j >= n - layer ? weight : 0, sum);
        }
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_condition(&data.lcp, n, &seen, NULL));
        TEST_ASSERT_DOUBLE_WITHIN(1e-8 * data.condition, data.condition, seen);
    }
    generate(PL_LCP_KIND_FLUID_2D, 1, 2, NULL);
    double middle = data.q[0];
    generate(PL_LCP_KIND_FLUID_2D, 3, 2, NULL);
    TEST_ASSERT_EQUAL_DOUBLE(middle, data.q[4]);
}

// The condition of the band is about 20, as [Lit13, 7.1] needs; the start differs in `inverted`
// rows from the solution.
static void test_bands(void)
{
    pl_lcp_params params = pl_lcp_params_default();
    params.half_bandwidth = 40;
    params.inverted = 17;
    generate(PL_LCP_KIND_BAND, 300, 1, &params);
    below(-8, -data.condition, "-condition");
    below(60, data.condition, "condition");
    below(1e-10, natural(data.x), "band");
    TEST_ASSERT_EQUAL_DOUBLE(0, entry(0, 41));
    TEST_ASSERT_EQUAL_DOUBLE(2.2 * sqrt(80), entry(100, 100));
    for (int32_t i = 0; i < 300; i++) {
        bool same = (data.x[i] > 0) == (data.start[i] > 0);
        TEST_ASSERT_EQUAL(i >= 17, same);
    }
}

static void test_the_same_seed(void)
{
    for (int kind = 0; kind < PL_LCP_N_KIND; kind++) {
        generate((pl_lcp_kind)kind, 6, 9, NULL);
        int32_t n = data.lcp.n;
        double first[216], val = data.val[1];
        memcpy(first, data.q, (size_t)n * sizeof *first);
        generate((pl_lcp_kind)kind, 6, 9, NULL);
        TEST_ASSERT_TRUE(same_bits(first, data.q, n) && val == data.val[1]);
        generate((pl_lcp_kind)kind, 6, 10, NULL);
        TEST_ASSERT_FALSE(same_bits(first, data.q, n));
    }
}

static void test_what_is_refused(void)
{
    pl_lcp_params params = pl_lcp_params_default();
    pl_lcp_kind kind;
    params.rank = 2;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT,
                          pl_lcp_generate(PL_LCP_KIND_PSD, 4, 1, &params, &data));
    TEST_ASSERT_NULL(data.val);
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT,
                          pl_lcp_generate(PL_LCP_KIND_FLUID_3D, 2000, 1, NULL, &data));
    TEST_ASSERT_EQUAL_STRING("a problem of 8000000000 rows: at most 2147483647", pl_error_text());
    TEST_ASSERT_EQUAL_INT(PL_ERROR_ARGUMENT, pl_lcp_kind_find("fluid-4d", &kind));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "fluid-"));
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_kind_find("fluid-3d", &kind));
    TEST_ASSERT_EQUAL_INT(PL_LCP_KIND_FLUID_3D, kind);
}

// A 2 x 2 matrix with singular values that are known, symmetric or not.
static void test_conditions(void)
{
    double symmetric[4] = {2, 1, 1, 2}, rotated[4] = {0, 3, -1, 0}, q[2] = {0}, condition, least;
    own_lcp own = own_lcp_make(2, symmetric, q);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_condition(&own.lcp, 9, &condition, &least));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, condition);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, least);
    own_lcp_free(&own);
    own = own_lcp_make(2, rotated, q);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_condition(&own.lcp, 9, &condition, NULL));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, condition);
    own_lcp_free(&own);
}

static pl_status make_one(void *user)
{
    pl_lcp_data out;
    pl_lcp_params params = pl_lcp_params_default();
    params.inverted = 2;
    pl_status status = pl_lcp_generate(*(const pl_lcp_kind *)user, 5, 3, &params, &out);
    pl_lcp_data_free(&out);
    return status;
}

static pl_status solve_one(void *user)
{
    pl_arena arena = {0};
    pl_lcp_stats stats;
    double x[5] = {0};
    pl_status status = pl_lcp_solve(user, &data.lcp, NULL, &arena, x, &stats);
    pl_arena_free(&arena);
    return status;
}

// Whichever allocation fails, nothing is left behind: of problems of all kinds, and of all solvers.
static void test_memory_that_is_not_there(void)
{
    for (int kind = 0; kind < PL_LCP_N_KIND; kind++) {
        pl_lcp_kind k = (pl_lcp_kind)kind;
        fail_each_allocation(make_one, &k);
    }
    generate(PL_LCP_KIND_SPD, 5, 3, NULL);
    for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
        pl_lcp_solver solver = *pl_lcp_solver_at(s);
        fail_each_allocation(solve_one, &solver);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_planted_solutions_solve);
    RUN_TEST(test_planted_shares);
    RUN_TEST(test_all_minors_of_a_p_matrix);
    RUN_TEST(test_monotone_and_singular);
    RUN_TEST(test_fluids);
    RUN_TEST(test_bands);
    RUN_TEST(test_the_same_seed);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_conditions);
    RUN_TEST(test_memory_that_is_not_there);
    return UNITY_END();
}
