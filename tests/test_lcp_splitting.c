// Splitting methods for complementarity: projected Gauss-Seidel and what is built on it,
// alternating directions; and that no solver claims what is not so.

#include "../lcp/generate.h"
#include "../lcp/pgs.h"
#include "lcps.h"

#include <stdio.h>
#include <unity.h>

static pl_arena arena;
static pl_lcp_data data;

void setUp(void)
{
}

void tearDown(void)
{
    pl_arena_free(&arena);
    pl_lcp_data_free(&data);
}

static void generate(pl_lcp_kind kind, int32_t n, uint64_t seed, const pl_lcp_params *params)
{
    pl_lcp_data_free(&data);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_lcp_generate(kind, n, seed, params, &data),
                                  pl_error_text());
}

static pl_lcp_stats solve(const char *name, const pl_lcp *lcp, const pl_lcp_options *options,
                          double *x)
{
    const pl_lcp_solver *solver;
    pl_lcp_stats stats;
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, pl_lcp_solver_find(name, &solver), pl_error_text());
    pl_arena_reset(&arena);
    pl_lcp_solve(solver, lcp, options, &arena, x, &stats);
    return stats;
}

// Iterations from x = 0 on the problem in `data`, with a limit that is not reached.
static int32_t iterations(const char *name, double relaxation, pl_lcp_inner inner)
{
    pl_lcp_options options = pl_lcp_options_default();
    double *x = calloc((size_t)data.lcp.n, sizeof *x);
    options.max_iterations = 100000;
    options.tolerance = 1e-8;
    options.relaxation = relaxation;
    options.inner = inner;
    pl_lcp_stats stats = solve(name, &data.lcp, &options, x);
    free(x);
    TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_SOLVED, stats.end, name);
    return stats.iterations;
}

// x^T M x / 2 + q^T x.
static double energy(const pl_lcp *lcp, const double *x)
{
    double w[200], sum = 0;
    pl_lcp_multiply(lcp, x, w);
    for (int32_t i = 0; i < lcp->n; i++) sum += 0.5 * x[i] * (w[i] + lcp->q[i]);
    return sum;
}

static void diagonal(const pl_lcp *lcp, double *diag)
{
    memset(diag, 0, (size_t)lcp->n * sizeof *diag);
    for (int32_t j = 0; j < lcp->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            if (lcp->row[k] == j) diag[j] = lcp->val[k];
        }
    }
}

// --- Sweeps ---

// How often a sweep with `relaxation` raises the energy, of 20 problems with 30 sweeps each.
static int32_t count_rises(double relaxation)
{
    enum { N = 24 };
    int32_t rises = 0;
    random_state = 2;
    for (uint64_t seed = 0; seed < 20; seed++) {
        double x[N], w[N], diag[N];
        pl_lcp_params params = pl_lcp_params_default();
        params.mixed_bounds = seed % 2 == 1;
        generate(seed % 4 < 2 ? PL_LCP_KIND_SPD : PL_LCP_KIND_PSD, N, seed, &params);
        for (int32_t i = 0; i < N; i++) {
            x[i] = pl_lcp_clamp(3 * random_number(), data.lo[i], data.hi[i]);
        }
        diagonal(&data.lcp, diag);
        pl_lcp_multiply(&data.lcp, x, w);
        double before = energy(&data.lcp, x);
        for (int sweep = 0; sweep < 30; sweep++) {
            TEST_ASSERT_EQUAL_INT(PL_LCP_N_END, pl_lcp_sweep(&data.lcp, diag, relaxation, x, w));
            double after = energy(&data.lcp, x);
            rises += after > before + 1e-12 * (1 + fabs(before)); // rounding of 24 terms
            before = after;
        }
    }
    return rises;
}

static void test_sweeps_never_raise_the_energy(void)
{
    static const double below_two[] = {0.1, 0.7, 1, 1.4, 1.9, 1.99};
    for (size_t k = 0; k < sizeof below_two / sizeof *below_two; k++) {
        TEST_ASSERT_EQUAL_INT32(0, count_rises(below_two[k]));
    }
    TEST_ASSERT_GREATER_THAN_INT32(0, count_rises(2.1));
}

// Whole vectors projected at once, as the slide has it, do not end at the solution [Erl13].
static void test_newest_values_count(void)
{
    enum { N = 20 };
    double x[N] = {0}, w[N], diag[N], slide[N] = {0};
    generate(PL_LCP_KIND_SPD, N, 1, NULL);
    diagonal(&data.lcp, diag);
    for (int sweep = 0; sweep < 1000; sweep++) {
        pl_lcp_multiply(&data.lcp, x, w);
        TEST_ASSERT_EQUAL_INT(PL_LCP_N_END, pl_lcp_sweep(&data.lcp, diag, 1, x, w));
        // a sweep without projection, then all of it projected
        pl_lcp free = data.lcp;
        double lo[N], hi[N];
        for (int32_t i = 0; i < N; i++) lo[i] = -INFINITY, hi[i] = INFINITY;
        free.lo = lo, free.hi = hi;
        pl_lcp_multiply(&free, slide, w);
        TEST_ASSERT_EQUAL_INT(PL_LCP_N_END, pl_lcp_sweep(&free, diag, 1, slide, w));
        for (int32_t i = 0; i < N; i++) slide[i] = fmax(0, slide[i]);
    }
    TEST_ASSERT_TRUE(pl_lcp_measure(&data.lcp, x, w).natural < 1e-12);
    TEST_ASSERT_TRUE(pl_lcp_measure(&data.lcp, slide, w).natural > 1e-3);
}

// Rows without a diagonal: they go to the bound that w points at, or to no end.
static void test_rows_without_a_diagonal(void)
{
    const struct {
        double a, q, lo, hi, x; // x: the start
        pl_lcp_end end;
        double to;
    } rows[] = {{0, 1, 0, INFINITY, 0, PL_LCP_SOLVED, 0},
                {0, 1, 0, INFINITY, 3, PL_LCP_SOLVED, 0},
                {0, 0, 0, INFINITY, 3, PL_LCP_SOLVED, 3},
                {0, -1, 0, 5, 0, PL_LCP_SOLVED, 5},
                {0, -1, 0, INFINITY, 0, PL_LCP_UNBOUNDED, 0},
                {0, 1, -INFINITY, 0, 0, PL_LCP_UNBOUNDED, 0},
                {-1, 1, 0, INFINITY, 0, PL_LCP_SOLVED, 0},
                {-1, -1, 0, INFINITY, 0, PL_LCP_BREAKDOWN, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static const char *const names[] = {"pgs", "psor", "pgs-sm", "nncg"};
        for (int s = 0; s < 4; s++) {
            own_lcp own = own_lcp_make(1, &rows[k].a, &rows[k].q);
            double x = rows[k].x;
            own.lo[0] = rows[k].lo, own.hi[0] = rows[k].hi;
            TEST_ASSERT_EQUAL_INT_MESSAGE(rows[k].end, solve(names[s], &own.lcp, NULL, &x).end,
                                          names[s]);
            TEST_ASSERT_EQUAL_DOUBLE(rows[k].to, x);
            own_lcp_free(&own);
        }
    }
}

// --- Convergence ---

typedef struct errors {
    double at[4000];
    int32_t n;
} errors;

static void note(int32_t iteration, double error, void *user)
{
    errors *e = user;
    if (iteration < 4000) e->at[iteration] = error;
    e->n = PL_MIN(iteration + 1, 4000);
}

// The error falls by the same factor in each iteration, nearer to 1 for worse conditions.
static void test_linear_convergence(void)
{
    static errors e;
    double before = 0;
    for (double shift = 1; shift > 0.005; shift *= 0.1) {
        enum { N = 60 };
        double x[N] = {0};
        pl_lcp_params params = pl_lcp_params_default();
        pl_lcp_options options = pl_lcp_options_default();
        params.shift = shift;
        options.tolerance = 1e-12;
        options.max_iterations = 4000;
        options.trace = note;
        options.trace_user = &e;
        generate(PL_LCP_KIND_SPD, N, 12, &params);
        TEST_ASSERT_EQUAL_INT(PL_LCP_SOLVED, solve("pgs", &data.lcp, &options, x).end);
        double third = log(e.at[2 * e.n / 3] / e.at[e.n / 3]) / (2 * e.n / 3 - e.n / 3);
        double last = log(e.at[e.n - 1] / e.at[2 * e.n / 3]) / (e.n - 1 - 2 * e.n / 3);
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * fabs(last), last, third); // a straight line
        TEST_ASSERT_TRUE(exp(last) > before + (1 - before) * 0.2 && exp(last) < 1);
        before = exp(last);
    }
}

// On the fluids sweeps grow as the square of the cells along a side; Newton's steps on the minimum
// map about as the cells, conjugate gradients inside.
static void test_growth_on_fluids(void)
{
    int32_t sweeps[3], steps[3];
    for (int k = 0; k < 3; k++) {
        generate(PL_LCP_KIND_FLUID_2D, 6 << k, 0, NULL);
        sweeps[k] = iterations("pgs", 1, PL_LCP_INNER_EXACT);
        steps[k] = iterations("minmap", 1, PL_LCP_INNER_KRYLOV);
    }
    double growth = log2((double)sweeps[2] / sweeps[1]), less = log2((double)steps[2] / steps[1]);
    TEST_ASSERT_DOUBLE_WITHIN(0.3, 2, growth);
    TEST_ASSERT_TRUE(less < 1.1);
    TEST_ASSERT_TRUE(steps[2] * 100 < sweeps[2]);
}

static void test_the_best_relaxation_is_above_1(void)
{
    int32_t least = INT32_MAX, plain = 0;
    double best = 0;
    generate(PL_LCP_KIND_FLUID_2D, 12, 0, NULL);
    for (double relaxation = 0.8; relaxation < 1.95; relaxation += 0.1) {
        int32_t n = iterations("psor", relaxation, PL_LCP_INNER_EXACT);
        if (fabs(relaxation - 1) < 0.01) plain = n;
        if (n < least) least = n, best = relaxation;
    }
    TEST_ASSERT_TRUE(best > 1.3 && best < 1.95);
    TEST_ASSERT_TRUE(3 * least < plain);
}

// --- Sped-up sweeps ---

static void test_sped_up_sweeps_are_fewer(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        generate(PL_LCP_KIND_FLUID_2D, 14, seed, NULL);
        int32_t pgs = iterations("pgs", 1, PL_LCP_INNER_EXACT);
        TEST_ASSERT_TRUE(3 * iterations("nncg", 1, PL_LCP_INNER_EXACT) < pgs);
        TEST_ASSERT_TRUE(50 * iterations("pgs-sm", 1, PL_LCP_INNER_EXACT) < pgs);
    }
}

// No iteration of pgs-sm raises the energy: seen by stopping after 0, 1, 2, ... of them.
static void test_subspaces_never_raise_the_energy(void)
{
    int32_t reached = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        double before = INFINITY;
        pl_lcp_params params = pl_lcp_params_default();
        params.mixed_bounds = true;
        params.planted = false;
        params.shift = 0.003; // strongly coupled rows, for which a projected minimum is none
        generate(PL_LCP_KIND_SPD, 50, seed, &params);
        for (int32_t limit = 0; limit < 8; limit++) {
            pl_lcp_options options = pl_lcp_options_default();
            double x[50] = {0};
            options.max_iterations = limit;
            pl_lcp_stats stats = solve("pgs-sm", &data.lcp, &options, x);
            double after = energy(&data.lcp, x);
            // the best x by its error is not always the last
            if (stats.end == PL_LCP_LIMIT && limit > 0 && stats.iterations < limit) continue;
            TEST_ASSERT_TRUE(after <= before + 1e-10 * (1 + fabs(before)));
            before = after;
            reached += limit > 1 && stats.iterations == limit;
        }
    }
    TEST_ASSERT_GREATER_THAN_INT32(0, reached);
}

// Two rows of friction whose bounds follow their normal, coupled with it.
static void test_bounds_that_follow(void)
{
    static const char *const names[] = {"pgs", "psor", "pgs-sm", "nncg"};
    double M[9] = {2, 0.3, -0.2, 0.3, 1, 0.1, -0.2, 0.1, 1}, q[3] = {-2, -0.5, 3};
    double mu[3] = {0, 0.8, 0.5};
    int32_t normal[3] = {-1, 0, 0};
    for (int s = 0; s < 4; s++) {
        own_lcp own = own_lcp_make(3, M, q);
        double x[3] = {0}, w[3];
        own.lcp.normal = normal;
        own.lcp.mu = mu;
        own.lo[1] = own.lo[2] = -INFINITY;
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_SOLVED, solve(names[s], &own.lcp, NULL, x).end,
                                      names[s]);
        pl_lcp_multiply(&own.lcp, x, w);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, w[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, w[1]);           // sticks
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.5 * x[0], x[2]); // slides
        TEST_ASSERT_TRUE(w[2] > 0 && fabs(x[1]) < 0.8 * x[0]);
        own_lcp_free(&own);
    }
}

// --- Alternating directions ---

// One factor serves many iterations, the solution does not depend on over-relaxation, and M need
// not be symmetric.
static void test_alternating_directions(void)
{
    enum { N = 40 };
    for (uint64_t seed = 0; seed < 6; seed++) {
        pl_lcp_params params = pl_lcp_params_default();
        params.mixed_bounds = seed % 2 == 1;
        params.rank = 1;
        generate(PL_LCP_KIND_MONOTONE, N, seed, &params);
        for (double relax = 0.8; relax < 1.9; relax += 0.5) {
            pl_lcp_options options = pl_lcp_options_default();
            double x[N] = {0};
            options.over_relaxation = relax;
            options.max_iterations = 5000;
            pl_lcp_stats stats = solve("admm", &data.lcp, &options, x);
            TEST_ASSERT_EQUAL_INT(PL_LCP_SOLVED, stats.end);
            TEST_ASSERT_TRUE(stats.factorizations * 4 < stats.iterations);
            for (int32_t i = 0; i < N; i++) TEST_ASSERT_DOUBLE_WITHIN(1e-6, data.x[i], x[i]);
        }
    }
}

// The penalty adapts to the fluids, whose pressures are large for their M_ii: some 60 iterations,
// up to 250 without. Capped pressures, of which few are inside their bounds, take 21.
static void test_the_penalty_adapts(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        generate(PL_LCP_KIND_FLUID_2D, 14, seed, NULL);
        TEST_ASSERT_TRUE(iterations("admm", 1, PL_LCP_INNER_EXACT) < 90);
    }
    generate(PL_LCP_KIND_FLUID_2D, 10, 0, NULL);
    for (int32_t i = 0; i < data.lcp.n; i++) data.hi[i] = 3; // [Pa]
    TEST_ASSERT_TRUE(iterations("admm", 1, PL_LCP_INNER_EXACT) < 40);
}

// Units of rows do not matter: with units 10^6 apart they take about as many iterations.
static void test_units(void)
{
    enum { N = 20 };
    static const char *const names[] = {"pgs",     "pgs-sm", "nncg", "admm",
                                        "fischer", "minmap", "ipm"};
    for (int s = 0; s < 7; s++) {
        int32_t count[2];
        for (int scaled = 0; scaled < 2; scaled++) {
            double x[N] = {0};
            generate(PL_LCP_KIND_SPD, N, 4, NULL);
            for (int32_t j = 0; j < N && scaled == 1;
                 j++) { // x in units 1024 times smaller or larger
                double unit = j % 2 == 0 ? 1024 : 1.0 / 1024;
                for (int64_t k = data.col[j]; k < data.col[j + 1]; k++) {
                    data.val[k] *= unit * (data.row[k] % 2 == 0 ? 1024 : 1.0 / 1024);
                }
                data.q[j] *= unit;
            }
            pl_lcp_options options = pl_lcp_options_default();
            options.tolerance = scaled == 1 ? 1e-7 : 1e-10; // of rows whose w is 1024 times larger
            pl_lcp_stats stats = solve(names[s], &data.lcp, &options, x);
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_LCP_SOLVED, stats.end, names[s]);
            count[scaled] = stats.iterations;
        }
        char text[64];
        snprintf(text, sizeof text, "%s: %d, %d iterations", names[s], count[0], count[1]);
        TEST_ASSERT_TRUE_MESSAGE(count[1] <= 2 * count[0] + 5, text);
    }
}

// --- Claims ---

// Does x solve the problem, by a formula of this test's own? Rows are held in units of w.
static bool obeys(const own_lcp *own, const double *x, double tolerance)
{
    int32_t n = own->lcp.n;
    for (int32_t i = 0; i < n; i++) {
        double w = own->q[i], a = own->dense[i + i * n], size = fabs(w);
        a = a > 0 ? a : 1;
        for (int32_t j = 0; j < n; j++) {
            w += own->dense[i + j * n] * x[j];
            size = fmax(size, fabs(own->dense[i + j * n] * x[j]));
        }
        double tol = tolerance + 1e-14 * size;
        if (!(a * (own->lo[i] - x[i]) <= tol && a * (x[i] - own->hi[i]) <= tol)) return false;
        if (w > tol && !(a * (x[i] - own->lo[i]) <= tol)) return false;
        if (w < -tol && !(a * (own->hi[i] - x[i]) <= tol)) return false;
    }
    return true;
}

// Small integers make degenerate, singular and infeasible problems likely.
static own_lcp draw_problem(int32_t trial)
{
    int32_t n = 1 + trial % 5;
    double M[25], q[5];
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i < n; i++) {
            M[i + j * n] = trial % 3 == 0 ? (double)(random_bits() % 3) - 1 : random_number();
            if (trial % 2 == 0 && i > j) M[i + j * n] = 0;
        }
        q[j] = trial % 3 == 2 ? random_number() : (double)(random_bits() % 3) - 1;
    }
    for (int32_t j = 0; j < n && trial % 2 == 0; j++) {
        for (int32_t i = 0; i < j; i++) M[j + i * n] = M[i + j * n];
    }
    own_lcp own = own_lcp_make(n, M, q);
    if (trial % 7 < 3) random_bounds(&own);
    return own;
}

// 10,000 problems of which many have no solution: whoever says "solved" has solved.
static void test_no_claim_is_false(void)
{
    enum { N_TRIAL = 10000 };
    int32_t claims = 0, others = 0;
    random_state = 1;
    for (int32_t trial = 0; trial < N_TRIAL; trial++) {
        own_lcp own = draw_problem(trial);
        for (int32_t s = 0; s < pl_lcp_solver_count(); s++) {
            const pl_lcp_solver *solver = pl_lcp_solver_at(s);
            pl_lcp_options options = pl_lcp_options_default();
            double x[5] = {0};
            pl_lcp_stats stats;
            options.max_iterations = 30;
            pl_arena_reset(&arena);
            pl_status status = pl_lcp_solve(solver, &own.lcp, &options, &arena, x, &stats);
            if (status == PL_ERROR_ARGUMENT) continue;
            *(status == PL_OK ? &claims : &others) += 1;
            if (status == PL_OK && !obeys(&own, x, options.tolerance)) {
                char text[64];
                snprintf(text, sizeof text, "%s, trial %d", solver->name, trial);
                TEST_FAIL_MESSAGE(text);
            }
        }
        own_lcp_free(&own);
    }
    TEST_ASSERT_TRUE(claims > N_TRIAL && others > N_TRIAL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_sweeps_never_raise_the_energy);
    RUN_TEST(test_newest_values_count);
    RUN_TEST(test_rows_without_a_diagonal);
    RUN_TEST(test_linear_convergence);
    RUN_TEST(test_growth_on_fluids);
    RUN_TEST(test_the_best_relaxation_is_above_1);
    RUN_TEST(test_sped_up_sweeps_are_fewer);
    RUN_TEST(test_subspaces_never_raise_the_energy);
    RUN_TEST(test_bounds_that_follow);
    RUN_TEST(test_alternating_directions);
    RUN_TEST(test_the_penalty_adapts);
    RUN_TEST(test_units);
    RUN_TEST(test_no_claim_is_false);
    return UNITY_END();
}
