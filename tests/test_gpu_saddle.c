// Primal-dual active sets and staggered projections on devices: the same sets and as many
// iterations as on the CPU, and the same solutions [Lit13, 7].

#include "../gpu/saddle.h"
#include "../lcp/generate.h"
#include "../lcp/pdasm.h"
#include "devices.h"
#include "diamonds.h"
#include "failing_alloc.h"

#include <math.h>

static pl_arena arena;

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
    pl_arena_free(&arena);
}

// --- Programs with bounds ---

typedef struct visits {
    uint64_t key[400];
    int32_t n, rows;
} visits;

static void note(int32_t iteration, const uint8_t *state, const double *x, double error, void *user)
{
    visits *v = user;
    pl_lcp_sets sets = {.n = v->rows, .state = (uint8_t *)state};
    (void)x, (void)error;
    TEST_ASSERT_TRUE(iteration == v->n && v->n < 400);
    v->key[v->n++] = pl_lcp_sets_hash(&sets);
}

static pl_pdasm_stats run(const pl_lcp_data *data, int32_t max_solves,
                          const pl_saddle_engine *engine, double *x, visits *seen)
{
    const pl_lcp *lcp = &data->lcp;
    pl_lcp_options options = pl_lcp_options_default();
    pl_pdasm_options o = pl_pdasm_options_of(&options, max_solves > 0);
    pl_pdasm p;
    pl_lcp_sets sets;
    pl_lcp_end end;
    double *w = malloc((size_t)lcp->n * sizeof *w + 8);
    *seen = (visits){.rows = lcp->n};
    o.max_solves = max_solves;
    o.trace = note;
    o.trace_user = seen;
    o.engine = engine;
    if (data->start != NULL) memcpy(x, data->start, (size_t)lcp->n * sizeof *x);
    pl_arena_reset(&arena);
    TEST_ASSERT_EQUAL(PL_OK, pl_pdasm_create(lcp, &o, &arena, &p));
    TEST_ASSERT_TRUE(p.systems.K.engine == engine);
    TEST_ASSERT_EQUAL(PL_OK, pl_lcp_sets_make(&arena, lcp->n, &sets));
    pl_lcp_sets_start(lcp, x, &sets);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_pdasm_solve(&p, &sets, x, w, &end, NULL), pl_error_text());
    TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
    free(w);
    return p.stats;
}

// DIRECT, SCHURPA and SCHURPA with resets, from starts that are more and more wrong.
static void test_the_same_sets(void)
{
    static const int32_t limits[] = {0, 500, 20};
    enum { N = 300 };
    for (int32_t trial = 0; trial < 3; trial++) {
        pl_lcp_params params = pl_lcp_params_default();
        params.half_bandwidth = (int32_t[]){45, 64, 7}[trial];
        params.inverted = 20 * trial;
        pl_lcp_data data;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_lcp_generate(PL_LCP_KIND_BAND, N, 7, &params, &data),
                                  pl_error_text());
        for (int l = 0; l < 3; l++) {
            double expected[N], x[N];
            visits host, device;
            pl_pdasm_stats want = run(&data, limits[l], NULL, expected, &host);
            for (int d = 0; d < n_devices; d++) {
                pl_gpu_saddles saddles;
                pl_gpu_saddles_create(use_device(d, device_groups[l + 1]), &saddles);
                pl_pdasm_stats got = run(&data, limits[l], &saddles.engine, x, &device);
                pl_gpu_saddles_free(&saddles);
                TEST_ASSERT_EQUAL_INT32(host.n, device.n);
                TEST_ASSERT_EQUAL_MEMORY(host.key, device.key, (size_t)host.n * 8);
                TEST_ASSERT_EQUAL_INT64(want.factorizations, got.factorizations);
                TEST_ASSERT_EQUAL_INT64(want.solves, got.solves);
                double size = 0;
                for (int i = 0; i < N; i++) size = fmax(size, fabs(expected[i]));
                for (int i = 0; i < N; i++) {
                    TEST_ASSERT_DOUBLE_WITHIN(1e-10 * size, expected[i], x[i]);
                }
            }
            if (l == 1 && trial > 0) TEST_ASSERT_EQUAL_INT64(1, want.factorizations);
        }
        pl_lcp_data_free(&data);
    }
}

// --- Staggered projections ---

static void test_staggered_projections(void)
{
    for (int32_t trial = 0; trial < 6; trial++) {
        int32_t n = (int32_t[]){0, 1, 5, 20, 33, 40}[trial];
        scene s = make_scene(n, 0.5, 0.5);
        double *f = malloc(24 * (size_t)n + 8), *g = malloc(24 * (size_t)n + 8);
        pl_staggered_options o = pl_staggered_options_default();
        for (int schurpa = 0; schurpa < 2; schurpa++) {
            pl_staggered_stats want, got;
            o.schurpa = schurpa == 1;
            o.engine = NULL;
            for (int32_t i = 0; i < 3 * n; i++) f[i] = 0;
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_staggered_solve(&s.problem, &o, &arena, f, &want),
                                      pl_error_text());
            for (int d = 0; d < n_devices; d++) {
                pl_gpu_saddles saddles;
                pl_gpu_saddles_create(use_device(d, 64), &saddles);
                o.engine = &saddles.engine;
                // Twice with the same memory: each time one factor for each program.
                for (int k = 0; k < 2; k++) {
                    for (int32_t i = 0; i < 3 * n; i++) g[i] = 0;
                    pl_gpu_saddles_reset(&saddles);
                    TEST_ASSERT_EQUAL_MESSAGE(PL_OK,
                                              pl_staggered_solve(&s.problem, &o, &arena, g, &got),
                                              pl_error_text());
                    TEST_ASSERT_EQUAL_INT32(want.iterations, got.iterations);
                    TEST_ASSERT_EQUAL_INT64(want.contact.sum.iterations,
                                            got.contact.sum.iterations);
                    TEST_ASSERT_EQUAL_INT64(want.friction.sum.iterations,
                                            got.friction.sum.iterations);
                    TEST_ASSERT_EQUAL_INT64(want.friction.sum.factorizations,
                                            got.friction.sum.factorizations);
                    for (int32_t i = 0; i < 3 * n; i++) {
                        TEST_ASSERT_DOUBLE_WITHIN(1e-10, f[i], g[i]);
                    }
                }
                pl_gpu_saddles_free(&saddles);
            }
        }
        free(f), free(g);
        free_scene(&s);
    }
}

// --- What goes wrong ---

// A matrix that is not definite breaks down, as on the CPU.
static void test_breakdown(void)
{
    const double M[4] = {1, 2, 2, 1}, q[2] = {-1, -1};
    own_lcp own = own_lcp_make(2, M, q);
    const uint8_t state[2] = {PL_LCP_FREE, PL_LCP_FREE};
    for (int d = 0; d < n_devices; d++) {
        pl_gpu_saddles saddles;
        pl_saddle K;
        pl_lcp_end end;
        pl_gpu_saddles_create(use_device(d, 64), &saddles);
        TEST_ASSERT_EQUAL(PL_OK, pl_saddle_create(&own.lcp, true, &arena, &K));
        TEST_ASSERT_EQUAL(PL_OK, pl_saddle_use(&K, &saddles.engine));
        TEST_ASSERT_EQUAL(PL_OK, pl_saddle_factor(&K, state, &end));
        TEST_ASSERT_EQUAL(PL_LCP_BREAKDOWN, end);
        pl_gpu_saddles_free(&saddles);
    }
    own_lcp_free(&own);
}

// A device without memory leaves the CPU's way, with a warning.
static void test_no_memory_is_the_cpu(void)
{
    pl_lcp_data data;
    visits seen;
    double x[100], expected[100];
    pl_lcp_params params = pl_lcp_params_default();
    TEST_ASSERT_EQUAL(PL_OK, pl_lcp_generate(PL_LCP_KIND_BAND, 100, 3, &params, &data));
    run(&data, 500, NULL, expected, &seen);
    pl_gpu_saddles saddles;
    pl_saddle K;
    pl_gpu_saddles_create(use_device(0, 64), &saddles);
    TEST_ASSERT_EQUAL(PL_OK, pl_saddle_create(&data.lcp, true, &arena, &K));
    fail_nth(1);
    pl_status status = pl_saddle_use(&K, &saddles.engine);
    fail_never();
    TEST_ASSERT_EQUAL(PL_OK, status);
    TEST_ASSERT_NULL(K.engine);
    TEST_ASSERT_EQUAL(PL_OK, pl_saddle_use(&K, &saddles.engine));
    TEST_ASSERT_NOT_NULL(K.engine);
    pl_gpu_saddles_free(&saddles);
    run(&data, 500, NULL, x, &seen);
    TEST_ASSERT_EQUAL_MEMORY(expected, x, sizeof x);
    pl_lcp_data_free(&data);
}

int main(void)
{
    UNITY_BEGIN();
    open_devices();
    RUN_TEST(test_the_same_sets);
    RUN_TEST(test_staggered_projections);
    RUN_TEST(test_breakdown);
    RUN_TEST(test_no_memory_is_the_cpu);
    close_devices();
    return UNITY_END();
}
