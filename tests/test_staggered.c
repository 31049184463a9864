// Friction in diamonds: its saddle point systems against dense Gauss, staggered projections against
// Gauss-Seidel over contacts, factors counted, turns that cycle.

#include "../lcp/diamond.h"
#include "diamonds.h"
#include "failing_alloc.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;

void setUp(void)
{
    random_state = 13;
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

// Row k of a contact's E^T.
static const double E[4][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

// --- The diamond ---

// beta and nu by Gauss from [Lit13, 5.15], with the rows of `active` (4*n).
static void solve_f2_densely(int32_t n, const double *H, const bool *active, const double *d,
                             const double *b, double *beta, double *nu)
{
    int32_t m = 2 * n, all = m;
    for (int32_t r = 0; r < 4 * n; r++) all += active[r];
    double *K = calloc((size_t)all * (size_t)all, sizeof *K);
    double *y = malloc((size_t)all * sizeof *y);
    for (int32_t j = 0; j < m; j++) {
        memcpy(K + j * all, H + j * m, (size_t)m * sizeof *K);
        y[j] = d[j];
    }
    for (int32_t r = 0, at = m; r < 4 * n; r++) {
        if (!active[r]) continue;
        for (int32_t k = 0; k < 2; k++) {
            int32_t i = 2 * (r / 4) + k;
            K[i + at * all] = K[at + i * all] = E[r % 4][k];
        }
        y[at++] = b[r];
    }
    TEST_ASSERT_TRUE(solve_dense(all, K, y));
    memcpy(beta, y, (size_t)m * sizeof *beta);
    for (int32_t r = 0, at = m; r < 4 * n; r++) nu[r] = active[r] ? y[at++] : 0;
    free(K), free(y);
}

// [Lit13, Alg. 5.2] for contacts with 0, 1 and 2 active rows.
static void test_null_space_against_gauss(void)
{
    enum { N = 9 };
    int32_t seen[3] = {0};
    for (int32_t trial = 0; trial < 20; trial++) {
        own_lcp own = random_spd_lcp(2 * N, 2 * N, 0.2);
        pl_diamond diamond;
        pl_saddle K;
        pl_lcp_end end;
        uint8_t state[2 * N];
        bool active[4 * N];
        double d[2 * N], b[4 * N], beta[2 * N], nu[4 * N], dense_beta[2 * N], dense_nu[4 * N];
        double scratch[6 * N];
        for (int32_t i = 0; i < 2 * N; i++) {
            state[i] = (uint8_t)(random_bits() % 3);
            active[2 * i] = state[i] == PL_LCP_AT_HI;
            active[2 * i + 1] = state[i] == PL_LCP_AT_LO;
            d[i] = random_number();
            if (i % 2 == 1) seen[(state[i] != PL_LCP_FREE) + (state[i - 1] != PL_LCP_FREE)]++;
        }
        for (int32_t r = 0; r < 4 * N; r++) b[r] = random_number();
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_OK, pl_diamond_create(N, own.col, own.row, own.val, &arena, &diamond));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_lcp_check(&diamond.lcp), pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_saddle_create(&diamond.lcp, trial % 2 == 0, &arena, &K));
        TEST_ASSERT_EQUAL(PL_OK, pl_saddle_factor(&K, state, &end));
        TEST_ASSERT_EQUAL(PL_LCP_N_END, end);
        pl_diamond_solve(&K, state, d, b, beta, nu, scratch);
        solve_f2_densely(N, own.dense, active, d, b, dense_beta, dense_nu);
        for (int32_t i = 0; i < 2 * N; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, dense_beta[i], beta[i]);
        }
        for (int32_t r = 0; r < 4 * N; r++) TEST_ASSERT_DOUBLE_WITHIN(1e-11, dense_nu[r], nu[r]);
        own_lcp_free(&own);
    }
    TEST_ASSERT_TRUE(seen[0] > 5 && seen[1] > 5 && seen[2] > 5);
}

// The largest violation of the conditions of (F2) by b, for one contact's rows of v = H b - d.
static double violation(double gamma, const double b[2], const double v[2])
{
    // b must be the point of the diamond nearest to b - v
    double least = INFINITY, z[2] = {b[0] - v[0], b[1] - v[1]}, nearest[2] = {0};
    if (fabs(z[0]) + fabs(z[1]) <= gamma) {
        least = 0, nearest[0] = z[0], nearest[1] = z[1];
    }
    for (int32_t edge = 0; edge < 4 && least > 0; edge++) {
        double sx = edge % 2 == 0 ? 1 : -1, sy = edge / 2 == 0 ? 1 : -1;
        double t = pl_lcp_clamp((sx * z[0] - sy * z[1] + gamma) / 2, 0, gamma);
        double x = sx * t, y = sy * (gamma - t), away = hypot(z[0] - x, z[1] - y);
        if (away < least) least = away, nearest[0] = x, nearest[1] = y;
    }
    return hypot(b[0] - nearest[0], b[1] - nearest[1]);
}

// The program itself, with contacts of gamma = 0 among them, which bear nothing and are not free.
static void test_the_program_of_friction(void)
{
    enum { N = 12 };
    for (int32_t trial = 0; trial < 20; trial++) {
        own_lcp own = random_spd_lcp(2 * N, 2 * N, 0.2);
        pl_diamond diamond;
        pl_pdasm p;
        pl_lcp_sets sets;
        pl_lcp_end end;
        pl_lcp_options options = pl_lcp_options_default();
        pl_pdasm_options o = pl_pdasm_options_of(&options, trial % 2 == 0);
        double d[2 * N], gamma[N], u[2 * N] = {0}, w[2 * N], b[2 * N], v[2 * N];
        for (int32_t i = 0; i < 2 * N; i++) d[i] = random_number();
        for (int32_t c = 0; c < N; c++) gamma[c] = c % 3 == 0 ? 0 : 0.8 * fabs(random_number());
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_OK, pl_diamond_create(N, own.col, own.row, own.val, &arena, &diamond));
        pl_diamond_set(&diamond, d, gamma);
        TEST_ASSERT_EQUAL(PL_OK, pl_pdasm_create(&diamond.lcp, &o, &arena, &p));
        TEST_ASSERT_EQUAL(PL_OK, pl_lcp_sets_make(&arena, 2 * N, &sets));
        pl_lcp_multiply(&diamond.lcp, u, w);
        pl_pdasm_start(&diamond.lcp, p.diag, u, w, &sets);
        TEST_ASSERT_EQUAL(PL_OK, pl_pdasm_solve(&p, &sets, u, w, &end, NULL));
        TEST_ASSERT_EQUAL(PL_LCP_SOLVED, end);
        pl_diamond_turn(N, u, b);
        for (int32_t i = 0; i < 2 * N; i++) {
            v[i] = -d[i];
            for (int32_t j = 0; j < 2 * N; j++) v[i] += own.dense[i + 2 * N * j] * b[j];
        }
        for (int32_t c = 0; c < N; c++) {
            TEST_ASSERT_TRUE(violation(gamma[c], b + 2 * c, v + 2 * c) < 1e-9);
            if (gamma[c] > 0) continue;
            TEST_ASSERT_TRUE(b[2 * c] == 0 && b[2 * c + 1] == 0);
            TEST_ASSERT_TRUE(sets.place[2 * c] < 0 && sets.place[2 * c + 1] < 0);
        }
        own_lcp_free(&own);
    }
}

// --- Staggered projections ---

// The diamond's point of least b^T H b / 2 - d^T b, by trying the inside and all edges.
static void solve_contact(const double H[4], const double d[2], double gamma, double b[2])
{
    double det = H[0] * H[3] - H[1] * H[2], best = INFINITY;
    double x = (H[3] * d[0] - H[1] * d[1]) / det, y = (H[0] * d[1] - H[2] * d[0]) / det;
    if (fabs(x) + fabs(y) <= gamma) {
        b[0] = x, b[1] = y;
        return;
    }
    for (int32_t edge = 0; edge < 4; edge++) {
        double sx = edge % 2 == 0 ? 1 : -1, sy = edge / 2 == 0 ? 1 : -1;
        // b = (0, sy gamma) + t (sx, -sy)
        double curve = H[0] - 2 * sx * sy * H[1] + H[3];
        double slope = sx * (d[0] - H[1] * sy * gamma) - sy * (d[1] - H[3] * sy * gamma);
        double t = pl_lcp_clamp(slope / curve, 0, gamma), e[2] = {sx * t, sy * (gamma - t)};
        double value = 0.5 * (H[0] * e[0] * e[0] + 2 * H[1] * e[0] * e[1] + H[3] * e[1] * e[1]) -
                       d[0] * e[0] - d[1] * e[1];
        if (value < best) best = value, b[0] = e[0], b[1] = e[1];
    }
}

static double velocity(const scene *s, int32_t row, const double *f)
{
    int32_t n = 3 * s->problem.n_contact;
    double w = s->W.q[row];
    for (int32_t j = 0; j < n; j++) w += s->W.dense[row + n * j] * f[j];
    return w;
}

// The independent answer: Gauss-Seidel over contacts, normal and then the exact diamond.
static bool solve_by_gauss_seidel(const scene *s, double *f)
{
    int32_t n = 3 * s->problem.n_contact;
    memset(f, 0, (size_t)n * sizeof *f);
    for (int32_t sweep = 0; sweep < 20000; sweep++) {
        double moved = 0;
        for (int32_t i = 0; i < n; i += 3) {
            double *at = f + i, normal = at[0], b[2] = {0};
            at[0] = fmax(0, normal - velocity(s, i, f) / s->W.dense[i + n * i]);
            const double *B = s->W.dense + i + 1 + n * (i + 1);
            double H[4] = {B[0], B[1], B[n], B[n + 1]};
            double d[2] = {H[0] * at[1] + H[2] * at[2] - velocity(s, i + 1, f),
                           H[1] * at[1] + H[3] * at[2] - velocity(s, i + 2, f)};
            solve_contact(H, d, s->mu[i / 3] * at[0], b);
            moved = fmax(moved, fabs(at[0] - normal));
            moved = fmax(moved, fmax(fabs(b[0] - at[1]), fabs(b[1] - at[2])));
            at[1] = b[0], at[2] = b[1];
        }
        if (moved < 1e-15) return true;
    }
    return false;
}

static pl_staggered_stats run(const scene *s, bool schurpa, double *f)
{
    pl_staggered_stats stats;
    pl_staggered_options options = pl_staggered_options_default();
    options.schurpa = schurpa;
    options.tolerance = 1e-24;
    pl_arena_reset(&arena);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_staggered_solve(&s->problem, &options, &arena, f, &stats),
                              pl_error_text());
    return stats;
}

static void test_against_gauss_seidel(void)
{
    int32_t sliding = 0, sticking = 0, open = 0;
    for (int32_t trial = 0; trial < 12; trial++) {
        int32_t n = 1 + trial % 4 * 5;
        scene s = make_scene(n, 0.35, 0.4);
        double f[48] = {0}, direct[48] = {0}, expected[48];
        TEST_ASSERT_TRUE(solve_by_gauss_seidel(&s, expected));
        pl_staggered_stats d = run(&s, false, direct), stats = run(&s, true, f);
        for (int32_t i = 0; i < 3 * n; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-8, expected[i], f[i]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-10, direct[i], f[i]);
        }
        for (int32_t c = 0; c < n; c++) {
            double most = s.mu[c] * f[3 * c], at = fabs(f[3 * c + 1]) + fabs(f[3 * c + 2]);
            TEST_ASSERT_TRUE(f[3 * c] >= 0 && at <= most + 1e-14);
            open += f[3 * c] == 0;
            sliding += most > 0 && at > most - 1e-12;
            sticking += at < most - 1e-12;
        }
        TEST_ASSERT_EQUAL_INT32(d.iterations, stats.iterations);
        TEST_ASSERT_EQUAL_INT64(d.contact.sum.iterations, stats.contact.sum.iterations);
        TEST_ASSERT_EQUAL_INT64(d.friction.sum.iterations, stats.friction.sum.iterations);
        TEST_ASSERT_TRUE(d.contact.sum.factorizations >= stats.contact.sum.factorizations);
        free_scene(&s);
    }
    char text[64];
    snprintf(text, sizeof text, "%d open, %d sliding, %d sticking", open, sliding, sticking);
    TEST_ASSERT_TRUE_MESSAGE(open > 5 && sliding > 5 && sticking > 5, text);
}

// [Lit13, 7]: one factorization each, however many turns; the next step begins with the right sets.
static void test_factors_and_warm_starts(void)
{
    enum { N = 60 };
    scene s = make_scene(N, 0.35, 0.4);
    double f[3 * N] = {0};
    pl_staggered_stats cold = run(&s, true, f);
    TEST_ASSERT_TRUE(cold.iterations > 3 && cold.error <= 1e-9);
    TEST_ASSERT_EQUAL_INT64(1, cold.contact.sum.factorizations);
    TEST_ASSERT_EQUAL_INT64(1, cold.friction.sum.factorizations);
    TEST_ASSERT_EQUAL_INT64(0, cold.contact.sum.resets + cold.friction.sum.resets);
    TEST_ASSERT_TRUE(cold.contact.sum.solves >= cold.iterations);
    TEST_ASSERT_TRUE(cold.contact.first_share < 1 && cold.contact.first_share > 0.5);
    TEST_ASSERT_TRUE(cold.contact.mean_share > cold.contact.first_share);
    pl_staggered_stats warm = run(&s, true, f);
    TEST_ASSERT_TRUE(warm.iterations <= 2);
    TEST_ASSERT_EQUAL_DOUBLE(1, warm.contact.first_share);
    TEST_ASSERT_EQUAL_DOUBLE(1, warm.friction.first_share);
    TEST_ASSERT_EQUAL_INT32(1, warm.contact.most_iterations);
    // a step further
    for (int32_t i = 0; i < 3 * N; i++) s.W.q[i] += 0.02 * random_number();
    double again[3 * N] = {0};
    pl_staggered_stats next = run(&s, true, f), from_0 = run(&s, true, again);
    TEST_ASSERT_TRUE(next.contact.first_share >= from_0.contact.first_share);
    TEST_ASSERT_TRUE(next.friction.first_share > from_0.friction.first_share);
    TEST_ASSERT_TRUE(next.iterations <= from_0.iterations);
    for (int32_t i = 0; i < 3 * N; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-9, again[i], f[i]);
    free_scene(&s);
}

// One contact whose friction pushes its normal apart: alpha 1, friction 2, alpha 0, friction 0, ...
static void test_cycles_are_told(void)
{
    double W[9] = {1, 0.9, 0, 0.9, 1, 0, 0, 0, 1}, q[3] = {-1, -10, 0}, mu = 2, f[3] = {0};
    own_lcp own = own_lcp_make(3, W, q);
    pl_staggered problem = {1, own.col, own.row, own.val, own.q, &mu};
    for (int kind = 0; kind < 2; kind++) {
        pl_staggered_options options = pl_staggered_options_default();
        pl_staggered_stats stats;
        options.schurpa = kind == 1;
        f[0] = f[1] = f[2] = 0;
        pl_arena_reset(&arena);
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_staggered_solve(&problem, &options, &arena, f, &stats));
        TEST_ASSERT_EQUAL(PL_LCP_CYCLING, stats.end);
        TEST_ASSERT_EQUAL_INT32(2, stats.period);
        TEST_ASSERT_TRUE(stats.iterations < 10 && stats.error > 0.1);
        TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "cycling"));
        options.max_iterations = 1;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS,
                          pl_staggered_solve(&problem, &options, &arena, f, &stats));
        TEST_ASSERT_EQUAL(PL_LCP_LIMIT, stats.end);
    }
    mu = -1;
    pl_staggered_stats stats;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_staggered_solve(&problem, NULL, &arena, f, &stats));
    TEST_ASSERT_EQUAL_STRING("contact 0: friction of -1", pl_error_text());
    own_lcp_free(&own);
}

static void test_nothing_touches(void)
{
    int64_t col[1] = {0};
    pl_staggered problem = {.n_contact = 0, .col = col};
    pl_staggered_stats stats;
    double f[1];
    TEST_ASSERT_EQUAL(PL_OK, pl_staggered_solve(&problem, NULL, &arena, f, &stats));
    scene s = make_scene(4, 0.3, 0.5);
    double g[12];
    for (int32_t i = 0; i < 12; i++) s.W.q[i] = 1, g[i] = i % 3 == 0 ? 1 : 0.1;
    TEST_ASSERT_EQUAL(PL_OK, pl_staggered_solve(&s.problem, NULL, &arena, g, &stats));
    for (int32_t i = 0; i < 12; i++) TEST_ASSERT_EQUAL_DOUBLE(0, g[i]);
    free_scene(&s);
}

static pl_status solve_failing(void *user)
{
    const scene *s = user;
    pl_staggered_stats stats;
    pl_arena fresh = {0};
    double f[600] = {0};
    pl_status status = pl_staggered_solve(&s->problem, NULL, &fresh, f, &stats);
    pl_arena_free(&fresh);
    return status;
}

static void test_failing_allocations(void)
{
    scene s = make_scene(200, 0.2, 0.2);
    TEST_ASSERT_TRUE(fail_each_allocation(solve_failing, &s) > 3);
    free_scene(&s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_null_space_against_gauss);
    RUN_TEST(test_the_program_of_friction);
    RUN_TEST(test_against_gauss_seidel);
    RUN_TEST(test_factors_and_warm_starts);
    RUN_TEST(test_cycles_are_told);
    RUN_TEST(test_nothing_touches);
    RUN_TEST(test_failing_allocations);
    return UNITY_END();
}
