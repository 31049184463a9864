// Solvers of the reduced system by factors that change: they all lead through the same sets to the
// same solution, and the one that chooses chooses well.

#include "failing_alloc.h"
#include "lcps.h"
#include "../lcp/factor_sets.h"
#include "../lcp/generate.h"
#include "../lcp/linear.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;

void setUp(void)
{
    pl_arena_reset(&arena);
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

static const struct {
    const char *name;
    const pl_bpp_linear *linear;
} variants[] = {
    {"down", &pl_bpp_down},
    {"skyline", &pl_bpp_skyline},
    {"refactor-skyline", &pl_bpp_refactor_skyline},
    {"refactor-dense", &pl_bpp_refactor_dense},
    {"cache", &pl_bpp_cache},
    {"cache-dense", &pl_bpp_cache_dense},
    {"auto", &pl_bpp_auto},
#ifdef PL_CXSPARSE
    {"sparse", &pl_bpp_sparse},
    {"sparse-down", &pl_bpp_sparse_down},
#endif
};

enum { VARIANTS = sizeof variants / sizeof *variants, MOST_SETS = 4096 };

// Passes everything on, and writes down the sets.
static const pl_bpp_linear *recorded;
static uint64_t met[MOST_SETS];
static int32_t n_met;

static pl_status record_start(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                              pl_lcp_stats *stats, void **self, pl_lcp_end *end)
{
    n_met = 0;
    return recorded->start(lcp, options, work, stats, self, end);
}

static pl_status record_factor(void *self, const pl_lcp_sets *sets, const double *shift,
                               pl_lcp_end *end)
{
    TEST_ASSERT_LESS_THAN_INT32(MOST_SETS, n_met);
    met[n_met++] = pl_lcp_sets_hash(sets);
    return recorded->factor(self, sets, shift, end);
}

static pl_status record_solve(void *self, double *b, pl_lcp_end *end)
{
    return recorded->solve(self, b, end);
}

static void record_stop(void *self)
{
    if (recorded->stop != NULL) recorded->stop(self);
}

static const pl_bpp_linear recorder = {record_start, record_factor, record_solve, record_stop};

static pl_status record(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                        double *x, pl_lcp_stats *stats)
{
    return pl_bpp_run(&recorder, PL_BPP_BLOCK, lcp, options, work, x, stats);
}

static pl_status run(const pl_bpp_linear *linear, const pl_lcp *lcp, const pl_lcp_options *options,
                     double *x, pl_lcp_stats *stats)
{
    const pl_lcp_solver solver = {.name = "recorded", .solve = record};
    recorded = linear;
    pl_arena_reset(&arena);
    return pl_lcp_solve(&solver, lcp, options, &arena, x, stats);
}

// From a start whose rows are free but for those that it has at bounds.
static void hold_to_dense(const pl_lcp *lcp, const pl_lcp_options *options, const double *start)
{
    int32_t n = lcp->n, count;
    size_t bytes = (size_t)n * sizeof(double);
    double *x = malloc(bytes), *y = malloc(bytes), largest = 0;
    static uint64_t sets[MOST_SETS];
    pl_lcp_stats stats;
    memcpy(x, start, bytes);
    TEST_ASSERT_EQUAL_INT(PL_OK, run(&pl_bpp_dense, lcp, options, x, &stats));
    memcpy(sets, met, sizeof sets);
    count = n_met;
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (size_t v = 0; v < VARIANTS; v++) {
        memcpy(y, start, bytes);
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run(variants[v].linear, lcp, options, y, &stats),
                                      variants[v].name);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(count, n_met, variants[v].name);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(sets, met, (size_t)count * sizeof *met, variants[v].name);
        for (int32_t i = 0; i < n; i++) {
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-10 * largest, x[i], y[i], variants[v].name);
        }
    }
    free(x), free(y);
}

static void test_the_same_sets_and_solutions(void)
{
    static const pl_lcp_kind kinds[] = {PL_LCP_KIND_SPD, PL_LCP_KIND_FLUID_2D, PL_LCP_KIND_BAND};
    pl_lcp_options options = pl_lcp_options_default();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            int32_t n = kinds[k] == PL_LCP_KIND_FLUID_2D ? 9 : 70;
            pl_lcp_data data;
            pl_lcp_params params = pl_lcp_params_default();
            params.mixed_bounds = seed % 2 == 1;
            params.tight = seed < 2 ? 0.5 : 0.1;
            params.half_bandwidth = 6;
            params.inverted = 10;
            if (pl_lcp_generate(kinds[k], n, seed, &params, &data) != PL_OK) continue;
            double *start = random_vector(data.lcp.n);
            for (int32_t i = 0; i < data.lcp.n; i++) {
                start[i] = seed % 2 == 0 ? fabs(start[i]) : 0; // free, or tight where it can be
                if (data.start != NULL) start[i] = data.start[i];
            }
            hold_to_dense(&data.lcp, &options, start);
            free(start);
            pl_lcp_data_free(&data);
        }
    }
}

// Diagonals that change on the way are other matrices: all factors of before are worth nothing.
static void test_diagonals_that_change(void)
{
    enum { N = 30 };
    random_state = 12;
    own_lcp own = random_spd_lcp(N, N, 0.05);
    int32_t normal[N];
    double start[N] = {0};
    for (int32_t i = 0; i < N; i++) {
        normal[i] = i % 3 == 0 ? -1 : i - i % 3;
        if (i % 3 != 0) own.lo[i] = -0.05, own.hi[i] = 0.05;
    }
    own.lcp.normal = normal;
    pl_lcp_options options = pl_lcp_options_default();
    options.regularize = 1e-3;
    options.tolerance = 1; // of the matrix as it was given
    hold_to_dense(&own.lcp, &options, start);
    double x[N] = {0};
    pl_lcp_stats stats;
    run(&pl_bpp_auto, &own.lcp, &options, x, &stats);
    TEST_ASSERT_TRUE(stats.shifts > 0);
    own_lcp_free(&own);
}

// M is singular, M_FF is not: without a factor of M each set has its own.
static void test_singular_matrices(void)
{
    double M[4] = {1, 1, 1, 1}, q[2] = {-1, -0.5}, x[2], start[2] = {1, 1};
    own_lcp own = own_lcp_make(2, M, q);
    pl_lcp_options options = pl_lcp_options_default();
    for (size_t v = 0; v < VARIANTS; v++) {
        pl_lcp_stats stats;
        memcpy(x, start, sizeof x); // both free: there is no factor
        TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS,
                              run(variants[v].linear, &own.lcp, &options, x, &stats));
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_BREAKDOWN, stats.end, variants[v].name);
        x[0] = x[1] = 0;
        x[0] = 1;
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run(variants[v].linear, &own.lcp, &options, x, &stats),
                                      variants[v].name);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 1, x[0]);
    }
    own_lcp_free(&own);
}

// A matrix of 60,000 rows, all joined to the first: dense factors would take 14 GB.
static void test_what_is_too_large(void)
{
    enum { N = 60000 };
    int64_t *col = malloc((N + 1) * sizeof *col);
    int32_t *row = malloc(3 * N * sizeof *row);
    double *val = malloc(3 * N * sizeof *val), *q = calloc(N, sizeof *q), *x = calloc(N, sizeof *x);
    double *hi = malloc(N * sizeof *hi);
    col[0] = 0;
    for (int32_t j = 0; j < N; j++) {
        int64_t at = col[j];
        for (int32_t i = 0; i < N; i++) {
            if (j != 0 && i != 0 && i != j) {
                i = i < j ? j - 1 : N;
                continue;
            }
            row[at] = i;
            val[at++] = i == j ? (j == 0 ? N : 2) : 0.5;
        }
        col[j + 1] = at;
        hi[j] = INFINITY;
    }
    pl_lcp lcp = {
        .n = N, .col = col, .row = row, .val = val, .symmetric = true, .q = q, .lo = x, .hi = hi};
    double *y = calloc(N, sizeof *y);
    pl_lcp_stats stats;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS, run(&pl_bpp_down, &lcp, NULL, y, &stats));
    TEST_ASSERT_EQUAL_INT(PL_LCP_SIZE, stats.end);
    TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS, run(&pl_bpp_cache_dense, &lcp, NULL, y, &stats));
    TEST_ASSERT_EQUAL_INT(PL_LCP_SIZE, stats.end);
    free(col), free(row), free(val), free(q), free(x), free(hi), free(y);
}

// --- The choice ---

typedef struct walk {
    pl_factor_sets f[3]; // anew, removal, choice
    pl_lcp_sets sets;
} walk;

static double cost_of(const walk *w, int which)
{
    return pl_factor_sets_cost(&w->f[which]);
}

// Each of `steps` sets is the one before with some rows changed, about `share` of them tight.
static void walk_sets(const pl_lcp *lcp, double share, int32_t steps, bool whole_first, walk *w)
{
    static const pl_factor_way ways[3] = {PL_FACTOR_ANEW, PL_FACTOR_REMOVE, PL_FACTOR_CHOOSE};
    pl_lcp_end end = PL_LCP_N_END;
    double *b = malloc((size_t)lcp->n * sizeof *b), *c = malloc((size_t)lcp->n * sizeof *c);
    pl_arena_reset(&arena);
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_sets_make(&arena, lcp->n, &w->sets));
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_EQUAL_INT(PL_OK,
                              pl_factor_sets_make(&w->f[k], lcp, ways[k], true, 0, &arena, &end));
    }
    for (int32_t s = 0; s < steps; s++) {
        for (int32_t i = 0; i < lcp->n && (s > 0 || !whole_first); i++) {
            if (s > 0 && random_bits() % 10 != 0) continue;
            bool tight = random_bits() % 10000 < share * 10000;
            w->sets.state[i] = tight ? PL_LCP_AT_LO : PL_LCP_FREE;
        }
        pl_lcp_sets_index(&w->sets);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_TRUE(pl_factor_sets_factor(&w->f[k], &w->sets, NULL));
            for (int32_t i = 0; i < w->sets.n_free; i++) c[i] = i % 5 - 1;
            pl_factor_sets_solve(&w->f[k], c);
            if (k == 0) memcpy(b, c, (size_t)w->sets.n_free * sizeof *b);
            for (int32_t i = 0; i < w->sets.n_free; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-9, b[i], c[i]);
            }
        }
    }
    free(b), free(c);
}

// With all rows free at first, as in [Lef20], the choice costs as much as the better way or less,
// but for what the removals that it counts on in advance find already gone.
static void test_the_choice_is_the_cheapest(void)
{
    static const double shares[] = {0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.9};
    for (int32_t width = 4; width <= 64; width *= 4) {
        pl_lcp_data data;
        pl_lcp_params params = pl_lcp_params_default();
        params.half_bandwidth = width;
        random_state = 20;
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_generate(PL_LCP_KIND_BAND, 120, 7, &params, &data));
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
            for (int whole = 0; whole < 2; whole++) {
                walk w;
                walk_sets(&data.lcp, shares[s], 12, whole != 0, &w);
                double better = fmin(cost_of(&w, 0), cost_of(&w, 1)), chosen = cost_of(&w, 2);
                double most = whole != 0 ? 1.05 : 2.05; // see choose() in factor_sets.c
                char text[128];
                snprintf(text, sizeof text, "band %d, share %g: anew %g, removal %g, choice %g",
                         width, shares[s], cost_of(&w, 0), cost_of(&w, 1), chosen);
                TEST_ASSERT_TRUE_MESSAGE(chosen <= most * better, text);
            }
        }
        pl_lcp_data_free(&data);
    }
}

// Where one way is much cheaper than the other, that one is taken.
static void test_both_ways_are_taken(void)
{
    walk w;
    random_state = 21;
    own_lcp own = random_spd_lcp(90, 90, 0.5);
    walk_sets(&own.lcp, 0.02, 10, true, &w);
    TEST_ASSERT_EQUAL_INT64(1, w.f[2].made);
    TEST_ASSERT_TRUE(w.f[2].kept > 0);
    TEST_ASSERT_TRUE(cost_of(&w, 2) < 0.5 * cost_of(&w, 0));
    own_lcp_free(&own);
    pl_lcp_data data;
    pl_lcp_params params = pl_lcp_params_default();
    params.half_bandwidth = 4;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_generate(PL_LCP_KIND_BAND, 800, 7, &params, &data));
    walk_sets(&data.lcp, 0.15, 10, false, &w); // rows that are removed go down a long band
    TEST_ASSERT_TRUE(w.f[2].made > 5);
    TEST_ASSERT_TRUE(cost_of(&w, 2) < 0.6 * cost_of(&w, 1)); // 0.52, as a new factor each time
    pl_lcp_data_free(&data);
}

// --- Memory ---

static const pl_lcp *problem;

static pl_status solve_one(void *user)
{
    double x[64] = {0};
    pl_lcp_stats stats;
    pl_arena fresh = {0};
    const pl_lcp_solver solver = {.name = "recorded", .solve = record};
    recorded = user;
    pl_status status = pl_lcp_solve(&solver, problem, NULL, &fresh, x, &stats);
    pl_arena_free(&fresh);
    return status;
}

static void test_no_memory(void)
{
    random_state = 30;
    own_lcp own = random_spd_lcp(40, 40, 0.5);
    problem = &own.lcp;
    for (size_t v = 0; v < VARIANTS; v++) {
        fail_each_allocation(solve_one, (void *)(uintptr_t)variants[v].linear);
    }
    own_lcp_free(&own);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_same_sets_and_solutions);
    RUN_TEST(test_diagonals_that_change);
    RUN_TEST(test_singular_matrices);
    RUN_TEST(test_what_is_too_large);
    RUN_TEST(test_the_choice_is_the_cheapest);
    RUN_TEST(test_both_ways_are_taken);
    RUN_TEST(test_no_memory);
    return UNITY_END();
}
