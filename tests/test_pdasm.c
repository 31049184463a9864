// The primal-dual active set method: saddle point systems of working sets and their borders against
// dense Gauss, the sets that DIRECT and SCHURPA visit, resets, sets that come back.

#include "../lcp/pdasm.h"
#include "failing_alloc.h"
#include "lcps.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;

void setUp(void)
{
    random_state = 7;
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

// A symmetric matrix with a band of half-bandwidth rho (permuted at random if `shuffle`), dominated
// by its diagonal; bounds of all kinds if `boxes`.
static own_lcp band_lcp(int32_t n, int32_t rho, bool shuffle, bool boxes)
{
    double *M = calloc((size_t)n * (size_t)n + 1, sizeof *M), *q = random_vector(n);
    int32_t *to = malloc((size_t)n * sizeof *to + 4);
    for (int32_t i = 0; i < n; i++) to[i] = i;
    for (int32_t i = n - 1; i > 0 && shuffle; i--) {
        int32_t k = (int32_t)(random_bits() % (uint32_t)(i + 1)), swap = to[i];
        to[i] = to[k], to[k] = swap;
    }
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = j; i < n && i <= j + rho; i++) {
            double entry = i == j ? 1.3 * sqrt(2.0 * rho + 1) + 0.2 : random_number();
            M[to[i] + to[j] * n] = M[to[j] + to[i] * n] = entry;
        }
    }
    own_lcp own = own_lcp_make(n, M, q);
    if (boxes) random_bounds(&own);
    free(M), free(q), free(to);
    return own;
}

// A state that the bounds of each row allow.
static void random_states(const own_lcp *own, uint8_t *state)
{
    for (int32_t i = 0; i < own->lcp.n; i++) {
        uint32_t draw = random_bits() % 4;
        state[i] = draw == 0 && isfinite(own->lo[i])   ? PL_LCP_AT_LO
                   : draw == 1 && isfinite(own->hi[i]) ? PL_LCP_AT_HI
                                                       : PL_LCP_FREE;
    }
}

// x and lambda (n; 0 in free rows) by Gauss from the whole matrix of [Lit13, 2.6].
static void solve_saddle_densely(const own_lcp *own, const uint8_t *state, const double *c,
                                 const double *b, double *x, double *lambda)
{
    int32_t n = own->lcp.n, m = n;
    for (int32_t i = 0; i < n; i++) m += state[i] != PL_LCP_FREE;
    double *K = calloc((size_t)m * (size_t)m + 1, sizeof *K);
    double *y = malloc((size_t)m * sizeof *y + 8);
    for (int32_t j = 0; j < n; j++) {
        memcpy(K + j * m, own->dense + j * n, (size_t)n * sizeof *K);
        y[j] = c[j];
    }
    for (int32_t i = 0, at = n; i < n; i++) {
        if (state[i] == PL_LCP_FREE) continue;
        K[i + at * m] = K[at + i * m] = 1;
        y[at++] = b[i];
    }
    TEST_ASSERT_TRUE(solve_dense(m, K, y));
    memcpy(x, y, (size_t)n * sizeof *x);
    for (int32_t i = 0, at = n; i < n; i++) lambda[i] = state[i] == PL_LCP_FREE ? 0 : y[at++];
    free(K), free(y);
}

static void expect_near(int32_t n, const double *expected, const double *got, double part,
                        const char *text)
{
    double size = 0;
    for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(expected[i]));
    for (int32_t i = 0; i < n; i++) {
        TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(part * size, expected[i], got[i], text);
    }
}

enum { SIZE = 40 };

// [Lit13, Alg. 5.1] with random right-hand sides, and the columns of borders.
static void test_saddle_against_gauss(void)
{
    for (int32_t trial = 0; trial < 24; trial++) {
        int32_t n = 1 + trial % 3 * 15 + trial / 3;
        own_lcp own = band_lcp(n, PL_MIN(n - 1, 1 + trial % 6), trial % 2 == 0, false);
        uint8_t state[SIZE];
        random_states(&own, state);
        if (trial < 2) memset(state, trial == 0 ? PL_LCP_FREE : PL_LCP_AT_LO, SIZE);
        double *c = random_vector(n), *b = random_vector(n), zero[SIZE] = {0};
        double x[SIZE], lambda[SIZE], dense_x[SIZE], dense_lambda[SIZE];
        for (int blocks = 0; blocks < 2; blocks++) {
            pl_saddle K;
            pl_lcp_end end;
            pl_arena_reset(&arena);
            TEST_ASSERT_EQUAL(PL_OK, pl_saddle_create(&own.lcp, blocks == 1, &arena, &K));
            TEST_ASSERT_EQUAL(PL_OK, pl_saddle_factor(&K, state, &end));
            TEST_ASSERT_EQUAL(PL_LCP_N_END, end);
            solve_saddle_densely(&own, state, c, b, dense_x, dense_lambda);
            pl_saddle_solve(&K, c, b, x, lambda);
            expect_near(n, dense_x, x, 1e-12, "x");
            for (int32_t i = 0; i < n; i++) {
                TEST_ASSERT_DOUBLE_WITHIN(1e-11, dense_lambda[i], lambda[i]);
            }
            for (int32_t i = 0; i < n && blocks == 1; i++) {
                double e[SIZE] = {0}, *column = x;
                e[i] = 1;
                pl_saddle_columns(&K, 1, &i, &column);
                bool tight = state[i] != PL_LCP_FREE;
                solve_saddle_densely(&own, state, tight ? zero : e, tight ? e : zero, dense_x,
                                     dense_lambda);
                expect_near(n, dense_x, x, 1e-12, "column");
            }
        }
        free(c), free(b);
        own_lcp_free(&own);
    }
}

// What is shuffled is put in order: the band is not wider than it was before by much.
static void test_the_order_narrows_the_band(void)
{
    own_lcp own = band_lcp(200, 3, true, false);
    uint8_t state[200] = {0};
    pl_saddle K;
    pl_lcp_end end;
    TEST_ASSERT_EQUAL(PL_OK, pl_saddle_create(&own.lcp, false, &arena, &K));
    TEST_ASSERT_EQUAL(PL_OK, pl_saddle_factor(&K, state, &end));
    TEST_ASSERT_TRUE(K.order != NULL && K.band.rho <= 6);
    own_lcp_free(&own);
    own = band_lcp(200, 3, false, false);
    TEST_ASSERT_EQUAL(PL_OK, pl_saddle_create(&own.lcp, false, &arena, &K));
    TEST_ASSERT_EQUAL(PL_OK, pl_saddle_factor(&K, state, &end));
    TEST_ASSERT_TRUE(K.order == NULL && K.band.rho == 3);
    own_lcp_free(&own);
}

// Sets that wander at random, and come back: every system by its border as by a new factor.
static void test_borders_of_sets_that_wander(void)
{
    enum { N = SIZE, STEPS = 60 };
    static const int32_t limits[] = {1, 2, 7, 500};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        own_lcp own = band_lcp(N, 4, l % 2 == 1, true);
        pl_schurpa S, direct;
        pl_lcp_end end;
        double x[N], expected[N];
        uint8_t state[N];
        int64_t bytes = l == 3 ? 1 << 20 : 5 * N * (int64_t)sizeof(double);
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_OK, pl_schurpa_create(&own.lcp, limits[l], bytes, &arena, &S));
        TEST_ASSERT_EQUAL(PL_OK, pl_schurpa_create(&own.lcp, 0, 0, &arena, &direct));
        random_states(&own, state);
        for (int32_t step = 0; step < STEPS; step++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_schurpa_solve(&S, state, x, &end));
            TEST_ASSERT_EQUAL(PL_LCP_N_END, end);
            TEST_ASSERT_EQUAL(PL_OK, pl_schurpa_solve(&direct, state, expected, &end));
            expect_near(N, expected, x, 1e-11, "x");
            int32_t columns = 0;
            for (int32_t i = 0; i < N; i++) {
                columns += (S.base[i] == PL_LCP_FREE) != (state[i] == PL_LCP_FREE);
            }
            TEST_ASSERT_EQUAL_INT32(columns, S.n_column);
            TEST_ASSERT_TRUE(columns <= S.most_columns);
            if (step == STEPS / 2) { // another right-hand side, with the same factor
                for (int32_t i = 0; i < N; i++) own.q[i] = random_number();
                pl_schurpa_set_rhs(&S);
                pl_schurpa_set_rhs(&direct);
            }
            int32_t i = (int32_t)(random_bits() % 6); // of few rows, so that they come back
            bool lo = isfinite(own.lo[i]), hi = isfinite(own.hi[i]);
            state[i] = state[i] == PL_LCP_AT_LO && hi           ? PL_LCP_AT_HI
                       : state[i] != PL_LCP_FREE || !(lo || hi) ? PL_LCP_FREE
                       : lo                                     ? PL_LCP_AT_LO
                                                                : PL_LCP_AT_HI;
        }
        TEST_ASSERT_EQUAL_INT64(STEPS, direct.K.factorizations);
        if (limits[l] == 500) {
            TEST_ASSERT_EQUAL_INT64(1, S.K.factorizations);
            TEST_ASSERT_EQUAL_INT64(0, S.resets);
            TEST_ASSERT_TRUE(S.columns > 6); // some came again
        } else {
            TEST_ASSERT_EQUAL_INT64(S.resets + 1, S.K.factorizations);
            TEST_ASSERT_TRUE(S.resets > 0);
        }
        own_lcp_free(&own);
    }
}

// --- The method ---

typedef struct visits {
    uint64_t key[400];
    int32_t n, rows;
} visits;

static void note(int32_t iteration, const uint8_t *state, const double *x, double error, void *user)
{
    visits *v = user;
    pl_lcp_sets sets = {.n = v->rows, .state = (uint8_t *)state};
    (void)x, (void)error;
    TEST_ASSERT_EQUAL_INT32(iteration, v->n);
    TEST_ASSERT_TRUE(v->n < 400);
    v->key[v->n++] = pl_lcp_sets_hash(&sets);
}

static pl_pdasm_stats run(const own_lcp *own, pl_pdasm_options o, const uint8_t *start, double *x,
                          visits *seen, pl_lcp_end *end)
{
    pl_pdasm p;
    pl_lcp_sets sets;
    double *w = malloc((size_t)own->lcp.n * sizeof *w);
    *seen = (visits){.rows = own->lcp.n};
    o.trace = note;
    o.trace_user = seen;
    pl_arena_reset(&arena);
    TEST_ASSERT_EQUAL(PL_OK, pl_pdasm_create(&own->lcp, &o, &arena, &p));
    TEST_ASSERT_EQUAL(PL_OK, pl_lcp_sets_make(&arena, own->lcp.n, &sets));
    memcpy(sets.state, start, (size_t)own->lcp.n);
    pl_lcp_sets_index(&sets);
    int32_t iterations;
    TEST_ASSERT_EQUAL(PL_OK, pl_pdasm_solve(&p, &sets, x, w, end, &iterations));
    TEST_ASSERT_EQUAL_INT32(iterations, seen->n);
    if (*end == PL_LCP_SOLVED) {
        double *check = malloc((size_t)own->lcp.n * sizeof *check);
        TEST_ASSERT_TRUE(pl_lcp_measure(&own->lcp, x, check).natural <= o.tolerance);
        expect_near(own->lcp.n, check, w, 1e-12, "w");
        free(check);
    }
    free(w);
    return p.stats;
}

// [Lit13, 7]: the same sets, and the same x, with any limit on solves.
static void test_direct_and_schurpa_visit_the_same_sets(void)
{
    static const int32_t limits[] = {1, 2, 5, 20, 60, 500};
    enum { N = 120 };
    pl_lcp_options options = pl_lcp_options_default();
    for (int32_t trial = 0; trial < 8; trial++) {
        own_lcp own = band_lcp(N, trial % 4 < 2 ? 12 : 40, trial % 2 == 1, trial >= 4);
        uint8_t start[N];
        double x[N], expected[N];
        visits seen, direct;
        pl_lcp_end end;
        random_states(&own, start);
        pl_pdasm_stats d =
            run(&own, pl_pdasm_options_of(&options, false), start, expected, &direct, &end);
        TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
        TEST_ASSERT_TRUE(d.iterations >= 3 && d.factorizations == d.iterations);
        TEST_ASSERT_EQUAL_INT64(d.iterations, d.solves);
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            options.max_solves = limits[l];
            pl_pdasm_stats s =
                run(&own, pl_pdasm_options_of(&options, true), start, x, &seen, &end);
            TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
            TEST_ASSERT_EQUAL_INT32(direct.n, seen.n);
            TEST_ASSERT_EQUAL_MEMORY(direct.key, seen.key, (size_t)seen.n * sizeof *seen.key);
            expect_near(N, expected, x, 1e-10, "x");
            // a row that goes from one bound to the other needs v again
            int64_t again = s.solves - s.factorizations - s.columns;
            TEST_ASSERT_TRUE(again >= 0 && again <= (trial >= 4 ? s.iterations : 0));
            TEST_ASSERT_EQUAL_INT64(s.resets + 1, s.factorizations);
            if (limits[l] == 1) TEST_ASSERT_EQUAL_INT64(s.iterations, s.factorizations);
            if (limits[l] == 500) TEST_ASSERT_EQUAL_INT64(1, s.factorizations);
        }
        own_lcp_free(&own);
    }
}

// From the solution with some rows inverted [Lit13, 7.1].
static void test_counts_of_solves(void)
{
    enum { N = 200, INVERTED = 20 };
    own_lcp own = band_lcp(N, 25, false, false);
    uint8_t start[N] = {0};
    double x[N];
    visits seen;
    pl_lcp_end end;
    pl_lcp_options options = pl_lcp_options_default();
    pl_pdasm_options o = pl_pdasm_options_of(&options, true);
    run(&own, o, start, x, &seen, &end);
    for (int32_t i = 0; i < N; i++) start[i] = x[i] > 0 ? PL_LCP_FREE : PL_LCP_AT_LO;
    pl_pdasm_stats s = run(&own, o, start, x, &seen, &end);
    TEST_ASSERT_TRUE(s.iterations == 1 && s.factorizations == 1 && s.solves == 1);
    for (int32_t i = 0; i < INVERTED; i++) {
        start[i] = start[i] == PL_LCP_FREE ? PL_LCP_AT_LO : PL_LCP_FREE;
    }
    s = run(&own, o, start, x, &seen, &end);
    TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
    TEST_ASSERT_TRUE(s.factorizations == 1 && s.solves > INVERTED && s.solves <= 2 * INVERTED);
    own_lcp_free(&own);
}

// Sets that come back, from most starts of this definite matrix: an end without single changes, the
// solution with them.
static void test_sets_that_come_back(void)
{
    static const double M[9] = {4, 5, -5, 5, 9, -5, -5, -5, 7}, q[3] = {2, 1, -3};
    pl_lcp_options options = pl_lcp_options_default();
    own_lcp own = own_lcp_make(3, M, q);
    int32_t cycles = 0;
    double oracle[3];
    for (int32_t code = 0; code < 32; code++) {
        uint8_t start[3];
        for (int32_t i = 0; i < 3; i++) {
            own.lo[i] = code % 2 == 0 ? -INFINITY : -20;
            own.hi[i] = 0;
            start[i] = code >> (i + 1) & 1 ? PL_LCP_AT_HI : PL_LCP_FREE;
        }
        TEST_ASSERT_EQUAL_INT32(1, enumerate(&own, oracle));
        pl_pdasm_options o = pl_pdasm_options_of(&options, code >= 16);
        double x[3];
        visits seen;
        pl_lcp_end end;
        o.no_singles = true;
        run(&own, o, start, x, &seen, &end);
        if (end == PL_LCP_CYCLING) {
            TEST_ASSERT_EQUAL_UINT64(seen.key[seen.n - 1], seen.key[seen.n - 4]);
            cycles++;
        } else {
            TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
        }
        bool came_back = end == PL_LCP_CYCLING;
        o.no_singles = false;
        pl_pdasm_stats s = run(&own, o, start, x, &seen, &end);
        TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
        TEST_ASSERT_EQUAL(came_back, s.singles > 0);
        expect_near(3, oracle, x, 1e-12, "after single changes");
    }
    TEST_ASSERT_EQUAL_INT32(24, cycles);
    own_lcp_free(&own);
}

// x - w / M_ii decides, whatever x and w are [Lit13, 4.36 with its sign corrected].
static void test_the_start_rule(void)
{
    double M[25] = {0}, q[5] = {0}, x[5] = {0.5, 0, 0, 1, 0}, w[5] = {0.1, 1, -1, -0.1, 3};
    for (int32_t i = 0; i < 5; i++) M[6 * i] = 2;
    own_lcp own = own_lcp_make(5, M, q);
    own.hi[3] = 1, own.hi[4] = 0;
    pl_lcp_sets sets;
    double diag[5] = {2, 2, 2, 2, 2};
    TEST_ASSERT_EQUAL(PL_OK, pl_lcp_sets_make(&arena, 5, &sets));
    pl_pdasm_start(&own.lcp, diag, x, w, &sets);
    static const uint8_t expected[5] = {PL_LCP_FREE, PL_LCP_AT_LO, PL_LCP_FREE, PL_LCP_AT_HI,
                                        PL_LCP_AT_LO};
    TEST_ASSERT_EQUAL_UINT8_ARRAY(expected, sets.state, 5);
    TEST_ASSERT_EQUAL_INT32(2, sets.n_free);
    own_lcp_free(&own);
}

// A matrix of condition 1e10: a step of refinement lowers what rounding leaves.
static void test_refinement(void)
{
    enum { N = 60 };
    pl_lcp_options options = pl_lcp_options_default();
    double worst[2] = {0};
    own_lcp own = band_lcp(N, 3, false, false);
    for (int32_t j = 0; j < N; j++) { // a scale of 1e-3 to 1e3 by rows and columns
        for (int64_t k = own.col[j]; k < own.col[j + 1]; k++) {
            own.val[k] *= pow(10, (own.row[k] + j) % N * 6.0 / N - 3);
        }
    }
    for (int32_t j = 0; j < N; j++) { // definite for certain
        double sum = 0;
        for (int64_t k = own.col[j]; k < own.col[j + 1]; k++) {
            if (own.row[k] != j) sum += fabs(own.val[k]);
        }
        for (int64_t k = own.col[j]; k < own.col[j + 1]; k++) {
            if (own.row[k] == j) own.val[k] = 1.0000001 * sum;
        }
    }
    for (int refine = 0; refine < 2; refine++) {
        pl_schurpa S;
        pl_lcp_end end;
        double x[N], w[N];
        uint8_t state[N];
        for (int32_t i = 0; i < N; i++) state[i] = i % 3 == 0 ? PL_LCP_AT_LO : PL_LCP_FREE;
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_OK, pl_schurpa_create(&own.lcp, 500, options.cache_bytes, &arena, &S));
        for (int32_t step = 0; step < 10; step++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_schurpa_solve(&S, state, x, &end));
            TEST_ASSERT_EQUAL(PL_LCP_N_END, end);
            pl_lcp_multiply(&own.lcp, x, w);
            if (refine == 1) pl_schurpa_refine(&S, state, w, x);
            pl_lcp_multiply(&own.lcp, x, w);
            for (int32_t i = 0; i < N; i++) {
                if (state[i] == PL_LCP_FREE) worst[refine] = fmax(worst[refine], fabs(w[i]));
                if (state[i] != PL_LCP_FREE) TEST_ASSERT_EQUAL_DOUBLE(0, x[i]);
            }
            state[5 * step] = state[5 * step] == PL_LCP_FREE ? PL_LCP_AT_LO : PL_LCP_FREE;
        }
    }
    char text[80];
    snprintf(text, sizeof text, "%.3g without, %.3g with", worst[0], worst[1]);
    TEST_ASSERT_TRUE_MESSAGE(worst[1] < worst[0], text);
    own_lcp_free(&own);
}

static void test_ends(void)
{
    double M[4] = {1, 2, 2, 1}, q[2] = {-1, -1}, x[2] = {1, 1};
    own_lcp own = own_lcp_make(2, M, q);
    const pl_lcp_solver *solver;
    pl_lcp_stats stats;
    pl_lcp_options options = pl_lcp_options_default();
    static const char *const names[] = {"pdasm", "schurpa"};
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_lcp_solver_find(names[i], &solver));
        x[0] = x[1] = 1;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_lcp_solve(solver, &own.lcp, NULL, &arena, x, &stats));
        TEST_ASSERT_EQUAL(PL_LCP_BREAKDOWN, stats.end);
        options.max_iterations = 0;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_lcp_solve(solver, &own.lcp, &options, &arena, x, &stats));
        TEST_ASSERT_EQUAL(PL_LCP_LIMIT, stats.end);
    }
    own_lcp_free(&own);
    own = band_lcp(30, 5, false, false);
    for (int32_t i = 0; i < 30; i++) own.q[i] *= 1e6; // rounding is above 1e-14
    for (int i = 0; i < 2; i++) {
        double y[30] = {0};
        options = pl_lcp_options_default();
        options.tolerance = 1e-14;
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_OK, pl_lcp_solver_find(names[i], &solver));
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_lcp_solve(solver, &own.lcp, &options, &arena, y, &stats));
        TEST_ASSERT_TRUE(stats.end == PL_LCP_STALLED || stats.end == PL_LCP_CYCLING);
        TEST_ASSERT_TRUE(stats.errors.natural < 1e-8);
    }
    own_lcp_free(&own);
}

static pl_status solve_failing(void *user)
{
    const own_lcp *own = user;
    const pl_lcp_solver *solver;
    pl_lcp_stats stats;
    pl_arena fresh = {0};
    double x[800] = {0};
    for (int32_t i = 0; i < own->lcp.n; i += 2) x[i] = 1;
    pl_status status = pl_lcp_solver_find("schurpa", &solver);
    if (status == PL_OK) status = pl_lcp_solve(solver, &own->lcp, NULL, &fresh, x, &stats);
    pl_arena_free(&fresh);
    return status;
}

static void test_failing_allocations(void)
{
    own_lcp own = band_lcp(800, 3, true, false);
    TEST_ASSERT_TRUE(fail_each_allocation(solve_failing, &own) > 3);
    own_lcp_free(&own);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_saddle_against_gauss);
    RUN_TEST(test_the_order_narrows_the_band);
    RUN_TEST(test_borders_of_sets_that_wander);
    RUN_TEST(test_direct_and_schurpa_visit_the_same_sets);
    RUN_TEST(test_counts_of_solves);
    RUN_TEST(test_sets_that_come_back);
    RUN_TEST(test_the_start_rule);
    RUN_TEST(test_refinement);
    RUN_TEST(test_ends);
    RUN_TEST(test_failing_allocations);
    return UNITY_END();
}
