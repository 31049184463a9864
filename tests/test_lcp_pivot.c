// Pivoting solvers of linear complementarity problems: files of problems with known solutions,
// Murty's example of 2^n pivots, cycles, starts, regularization, random problems against
// enumeration, and what has no solution.

#include "failing_alloc.h"
#include "lcps.h"

#include "../lcp/generate.h"
#include "../lcp/sets.h"

#include <stdio.h>
#include <unity.h>

static const char *const pivoting[] = {"murty",   "bpp",    "bpp-pcg", "pgcg",
                                       "dantzig", "keller", "lemke"};
enum { N_PIVOTING = sizeof pivoting / sizeof *pivoting };

static pl_arena arena;

void setUp(void)
{
}

void tearDown(void)
{
    pl_arena_free(&arena);
}

static pl_lcp_options generous(void)
{
    pl_lcp_options options = pl_lcp_options_default();
    options.max_iterations = 100000;
    return options;
}

static pl_status run_lcp(const char *name, const pl_lcp *lcp, const pl_lcp_options *options,
                         double *x, pl_lcp_stats *stats)
{
    const pl_lcp_solver *solver;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find(name, &solver));
    pl_arena_reset(&arena);
    return pl_lcp_solve(solver, lcp, options, &arena, x, stats);
}

static pl_status run(const char *name, const own_lcp *own, double *x, pl_lcp_stats *stats)
{
    pl_lcp_options options = generous();
    return run_lcp(name, &own->lcp, &options, x, stats);
}

// By how much a solution fails, from the dense matrix: bounds, and w where it must be 0 or signed.
static double misfit(const own_lcp *own, const double *x)
{
    int32_t n = own->lcp.n;
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        double w = own->q[i];
        for (int32_t j = 0; j < n; j++) w += own->dense[i + j * n] * x[j];
        most = fmax(most, fmax(own->lo[i] - x[i], x[i] - own->hi[i]));
        most = fmax(most, fmin(fmax(w, 0), x[i] - own->lo[i]));
        most = fmax(most, fmin(fmax(-w, 0), own->hi[i] - x[i]));
        TEST_ASSERT_FALSE(isnan(most) || isnan(w));
    }
    return most;
}

// --- Files: how many free and other rows, M by rows, q, and a solution ---

static bool read_numbers(FILE *file, int32_t n, double *out)
{
    for (int32_t i = 0; i < n; i++) {
        if (fscanf(file, "%lf", &out[i]) != 1) return false;
    }
    return true;
}

static own_lcp read_problem(FILE *file)
{
    int n_free = 0, n_other = 0;
    double rows[256], M[256], q[16];
    TEST_ASSERT_EQUAL_INT(2, fscanf(file, "%d %d", &n_free, &n_other));
    int32_t n = n_free + n_other;
    TEST_ASSERT(n <= 16 && read_numbers(file, n * n, rows) && read_numbers(file, n, q));
    for (int32_t i = 0; i < n * n; i++) M[i / n + i % n * n] = rows[i];
    own_lcp own = own_lcp_make(n, M, q);
    for (int32_t i = 0; i < n_free; i++) own.lo[i] = -INFINITY;
    return own;
}

// Lemke's method solves all of them, also those whose free part is singular; the others what they
// can, and say so of the rest.
static void test_files(void)
{
    static const char *const names[] = {"PDSym_mlcp", "RLCD_mlcp",   "diodeBridge_mlcp",
                                        "m3n2_mlcp",  "lcp_trivial", "lcp_exp_murty",
                                        "lcp_ortiz"};
    const char *folder = getenv("LCP_DATA") != NULL ? getenv("LCP_DATA") : "../shared/data/lcp";
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.txt", folder, names[f]);
        FILE *file = fopen(path, "r");
        if (file == NULL) TEST_IGNORE_MESSAGE("no files of problems");
        own_lcp own = read_problem(file);
        fclose(file);
        double largest = 0;
        for (int32_t i = 0; i < own.lcp.n; i++) largest = fmax(largest, fabs(own.q[i]));
        for (int32_t s = 0; s < N_PIVOTING; s++) {
            double x[16] = {0};
            pl_lcp_stats stats;
            pl_status status = run(pivoting[s], &own, x, &stats);
            if (strcmp(pivoting[s], "lemke") == 0) {
                TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, status, names[f]);
            }
            if (status != PL_OK) continue;
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8 * (1 + largest), 0, misfit(&own, x),
                                              pivoting[s]);
        }
        own_lcp_free(&own);
    }
}

// --- Counts of pivots ---

// M with 1 on the diagonal and 2 above, q = -1 [Murty 1988]: single pivots visit all 2^n sets but
// one, block pivots n.
static void test_murtys_example(void)
{
    for (int32_t n = 2; n <= 10; n++) {
        double M[100], q[10], x[10] = {0};
        for (int32_t i = 0; i < n; i++) {
            q[i] = -1;
            for (int32_t j = 0; j < n; j++) M[i + j * n] = i == j ? 1 : i < j ? 2 : 0;
        }
        own_lcp own = own_lcp_make(n, M, q);
        pl_lcp_stats stats;
        TEST_ASSERT_EQUAL_INT(PL_OK, run("murty", &own, x, &stats));
        TEST_ASSERT_EQUAL_INT32((1 << n) - 1, stats.iterations);
        TEST_ASSERT_EQUAL_INT64(stats.iterations, stats.pivots);
        for (int32_t i = 0; i < n; i++) TEST_ASSERT_EQUAL_DOUBLE(i == n - 1, x[i]), x[i] = 0;
        TEST_ASSERT_EQUAL_INT(PL_OK, run("bpp", &own, x, &stats));
        TEST_ASSERT_LESS_OR_EQUAL_INT32(n, stats.iterations);
        own_lcp_free(&own);
    }
}

// The same sets one after the other, whatever solves their systems [Ho22, conclusion 1].
static void test_systems_by_gradients_pivot_alike(void)
{
    random_state = 21;
    for (int32_t trial = 0; trial < 40; trial++) {
        enum { N = 40 };
        double x[2][N] = {{0}};
        pl_lcp_stats stats[2];
        own_lcp own = random_spd_lcp(N, N, 0.05);
        if (trial % 2 == 1) random_bounds(&own);
        TEST_ASSERT_EQUAL_INT(PL_OK, run("bpp", &own, x[0], &stats[0]));
        TEST_ASSERT_EQUAL_INT(PL_OK, run("bpp-pcg", &own, x[1], &stats[1]));
        TEST_ASSERT_EQUAL_INT32(stats[0].iterations, stats[1].iterations);
        TEST_ASSERT_EQUAL_INT64(stats[0].pivots, stats[1].pivots);
        TEST_ASSERT_GREATER_THAN_INT64(0, stats[1].inner);
        for (int32_t i = 0; i < N; i++) {
            TEST_ASSERT_EQUAL(x[0][i] == own.lo[i], x[1][i] == own.lo[i]);
            TEST_ASSERT_EQUAL(x[0][i] == own.hi[i], x[1][i] == own.hi[i]);
        }
        own_lcp_free(&own);
    }
}

// Started at the solution, nothing pivots.
static void test_warm_start(void)
{
    random_state = 8;
    for (int32_t trial = 0; trial < 20; trial++) {
        enum { N = 30 };
        own_lcp own = random_spd_lcp(N, N, 0.2);
        if (trial % 2 == 1) random_bounds(&own);
        for (int32_t s = 0; s < N_PIVOTING; s++) {
            double x[N] = {0};
            pl_lcp_stats stats;
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run(pivoting[s], &own, x, &stats), pivoting[s]);
            TEST_ASSERT_GREATER_THAN_INT64_MESSAGE(0, stats.pivots, pivoting[s]);
            // rows that are a rounding away from a bound would begin free
            for (int32_t i = 0; i < N; i++) {
                if (fabs(x[i] - own.lo[i]) < 1e-12) x[i] = own.lo[i];
                if (fabs(x[i] - own.hi[i]) < 1e-12) x[i] = own.hi[i];
            }
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run(pivoting[s], &own, x, &stats), pivoting[s]);
            TEST_ASSERT_EQUAL_INT64_MESSAGE(0, stats.pivots, pivoting[s]);
        }
        own_lcp_free(&own);
    }
}

// --- Cycles ---

// M = -I, q = -1 has no solution: all rows violate, whether free or tight, and single pivots come
// back. (The entry above the diagonal makes M nonsymmetric, so that LU takes it.)
static void test_cycles_are_told(void)
{
    double M[4] = {-1, 0, 0.5, -1}, q[2] = {-1, -1};
    own_lcp own = own_lcp_make(2, M, q);
    static const char *const names[] = {"murty", "bpp"};
    for (int32_t s = 0; s < 2; s++) {
        double x[2] = {0};
        pl_lcp_stats stats;
        TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS, run(names[s], &own, x, &stats));
        TEST_ASSERT_EQUAL_INT(PL_LCP_CYCLING, stats.end);
        TEST_ASSERT(x[0] >= 0 && x[1] >= 0);
    }
    own_lcp_free(&own);
}

// Single pivots go round: none free, row 0, both, row 1, none. Two rows violate, one, two, one; the
// x of the first set with one is kept, where row 0 is free.
static void test_the_best_set_is_kept(void)
{
    double M[4] = {1, 0.25, -2, -1}, q[2] = {-1, -1}, x[2] = {0};
    own_lcp own = own_lcp_make(2, M, q);
    pl_lcp_stats stats;
    TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS, run("murty", &own, x, &stats));
    TEST_ASSERT_EQUAL_INT(PL_LCP_CYCLING, stats.end);
    TEST_ASSERT_EQUAL_INT64(4, stats.pivots);
    TEST_ASSERT_EQUAL_DOUBLE(1, x[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0, x[1]);
    own_lcp_free(&own);
}

// --- Regularization ---

// A row of friction that pivots is shifted; that of a normal is not, nor is anything without the
// option. The yardstick knows of no shift.
static void test_regularization(void)
{
    double M[4] = {1, 0, 0, 1}, q[2] = {-0.5, -0.25};
    int32_t normal[2] = {-1, 0};
    own_lcp own = own_lcp_make(2, M, q);
    own.lo[0] = own.lo[1] = -1, own.hi[0] = own.hi[1] = 1;
    own.lcp.normal = normal;
    static const char *const names[] = {"murty", "bpp", "bpp-pcg", "pgcg"};
    for (int32_t s = 0; s < 4; s++) {
        pl_lcp_options options = generous();
        pl_lcp_stats stats;
        double x[2] = {-1, -1};
        TEST_ASSERT_EQUAL_INT(PL_OK, run_lcp(names[s], &own.lcp, &options, x, &stats));
        TEST_ASSERT_EQUAL_INT64(0, stats.shifts);
        options.regularize = 1e-3;
        x[0] = x[1] = -1;
        TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS, run_lcp(names[s], &own.lcp, &options, x, &stats));
        TEST_ASSERT_EQUAL_INT(PL_LCP_STALLED, stats.end);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(1, stats.shifts, names[s]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, x[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.25 / 1.001, x[1]);
        options.regularize_after = 1; // it pivots once only
        options.tolerance = 1e-2;
        x[0] = x[1] = -1;
        TEST_ASSERT_EQUAL_INT(PL_OK, run_lcp(names[s], &own.lcp, &options, x, &stats));
        TEST_ASSERT_EQUAL_INT64(0, stats.shifts);
    }
    own_lcp_free(&own);
}

// --- At random, against enumeration ---

// D (B B^T / n + 0.1 I + S) D' with S skew and D, D' positive: all principal minors are positive.
static own_lcp random_p_matrix(int32_t n)
{
    own_lcp spd = random_spd_lcp(n, n, 0.1);
    double M[100];
    for (int32_t j = 0; j < n; j++) {
        for (int32_t i = 0; i <= j; i++) {
            double skew = i == j ? 0 : random_number();
            M[i + j * n] = spd.dense[i + j * n] + skew;
            M[j + i * n] = spd.dense[j + i * n] - skew;
        }
    }
    for (int32_t k = 0; k < 2 * n; k++) {
        double d = exp(random_number());
        for (int32_t i = 0; i < n; i++) M[k < n ? k + i * n : i + (k - n) * n] *= d;
    }
    own_lcp own = own_lcp_make(n, M, spd.q);
    own_lcp_free(&spd);
    return own;
}

static void test_a_thousand_p_matrices(void)
{
    random_state = 3;
    int64_t fallbacks = 0;
    for (int32_t trial = 0; trial < 1000; trial++) {
        bool boxes = trial % 3 == 0;
        int32_t n = 1 + (int32_t)(random_bits() % (boxes ? 6 : trial % 5 == 1 ? 10 : 8));
        own_lcp own = trial % 2 == 0 ? random_p_matrix(n) : random_spd_lcp(n, n, 0.1);
        if (boxes) random_bounds(&own);
        double oracle[16];
        TEST_ASSERT_EQUAL_INT32(1, enumerate(&own, oracle));
        for (int32_t s = 0; s < N_PIVOTING; s++) {
            double x[16] = {0};
            pl_lcp_stats stats;
            char text[96];
            pl_status status = run(pivoting[s], &own, x, &stats);
            if (status == PL_ERROR_ARGUMENT && !own.lcp.symmetric) continue;
            snprintf(text, sizeof text, "%s, trial %d: %s", pivoting[s], trial,
                     pl_lcp_end_name(stats.end));
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, status, text);
            fallbacks += strcmp(pivoting[s], "bpp") == 0 ? stats.fallbacks : 0;
            for (int32_t i = 0; i < n; i++) {
                double size = 1e-7 * (1 + fabs(oracle[i]));
                TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(size, oracle[i], x[i], text);
            }
        }
        own_lcp_free(&own);
    }
    TEST_ASSERT_GREATER_THAN_INT64(0, fallbacks); // some of them make block pivots cycle
}

// Small integers, so that ties, zero pivots and singular parts abound: whatever is claimed solved
// is.
static void test_nothing_is_claimed(void)
{
    random_state = 77;
    int32_t solved[N_PIVOTING] = {0};
    for (int32_t trial = 0; trial < 10000; trial++) {
        int32_t n = 1 + (int32_t)(random_bits() % 4);
        double M[16], q[4];
        for (int32_t i = 0; i < n * n; i++) M[i] = (double)(random_bits() % 5) - 2;
        for (int32_t i = 0; i < n; i++) {
            q[i] = (double)(random_bits() % 5) - 2;
            for (int32_t j = 0; j < i && trial % 2 == 0; j++) M[i + j * n] = M[j + i * n];
        }
        own_lcp own = own_lcp_make(n, M, q);
        for (int32_t i = 0; i < n && trial % 3 == 0; i++) {
            own.lo[i] = random_bits() % 2 == 0 ? -INFINITY : -1;
            own.hi[i] = random_bits() % 2 == 0 ? INFINITY : (double)(random_bits() % 2);
        }
        for (int32_t s = 0; s < N_PIVOTING; s++) {
            double x[4] = {0};
            pl_lcp_stats stats;
            if (run(pivoting[s], &own, x, &stats) != PL_OK) continue;
            TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-8, 0, misfit(&own, x), pivoting[s]);
            solved[s]++;
        }
        own_lcp_free(&own);
    }
    for (int32_t s = 0; s < N_PIVOTING; s++) TEST_ASSERT_GREATER_THAN_INT32(500, solved[s]);
}

// M = B B^T with B^T y = 0 for some y >= 0 and q^T y = -1: y^T (M x + q) = -1 for every x, so that
// w
// >= 0 has no solution.
static void test_no_solution(void)
{
    random_state = 31;
    for (int32_t trial = 0; trial < 300; trial++) {
        enum { MOST = 8 };
        int32_t n = 2 + (int32_t)(random_bits() % (MOST - 1)), rank = n - 1;
        double y[MOST], q[MOST], B[MOST * MOST], M[MOST * MOST], yy = 0, qy = 0;
        for (int32_t i = 0; i < n; i++) y[i] = fabs(random_number()) + 0.1, yy += y[i] * y[i];
        for (int32_t i = 0; i < n; i++) q[i] = random_number(), qy += q[i] * y[i];
        for (int32_t i = 0; i < n; i++) q[i] -= (qy + 1) * y[i] / yy;
        for (int32_t c = 0; c < rank; c++) {
            double by = 0;
            for (int32_t i = 0; i < n; i++)
                B[i + c * n] = random_number(), by += B[i + c * n] * y[i];
            for (int32_t i = 0; i < n; i++) B[i + c * n] -= by * y[i] / yy;
        }
        for (int32_t e = 0; e < n * n; e++) {
            M[e] = 0;
            for (int32_t c = 0; c < rank; c++) M[e] += B[e % n + c * n] * B[e / n + c * n];
        }
        own_lcp own = own_lcp_make(n, M, q);
        for (int32_t s = 0; s < N_PIVOTING; s++) {
            double x[MOST] = {0};
            pl_lcp_stats stats;
            pl_status status = run(pivoting[s], &own, x, &stats);
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_ERROR_NUMERICS, status, pivoting[s]);
            if (strcmp(pivoting[s], "lemke") == 0) {
                TEST_ASSERT_EQUAL_INT(PL_LCP_RAY, stats.end);
            }
        }
        own_lcp_free(&own);
    }
}

// --- What Lemke's method is for ---

static void test_lemke_on_monotone_problems(void)
{
    static const pl_lcp_kind kinds[] = {PL_LCP_KIND_PSD, PL_LCP_KIND_MONOTONE,
                                        PL_LCP_KIND_P_MATRIX};
    for (int32_t trial = 0; trial < 60; trial++) {
        pl_lcp_params params = pl_lcp_params_default();
        pl_lcp_data data;
        pl_lcp_stats stats;
        pl_lcp_options options = generous();
        double x[64] = {0};
        params.mixed_bounds = trial % 2 == 1;
        params.degenerate = trial % 4 < 2 ? 0 : 0.5;
        TEST_ASSERT_EQUAL_INT(
            PL_OK, pl_lcp_generate(kinds[trial % 3], 5 + trial, (uint64_t)trial, &params, &data));
        pl_status status = run_lcp("lemke", &data.lcp, &options, x, &stats);
        pl_lcp_data_free(&data);
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, status, pl_error_text());
    }
}

// min x^T H x / 2 + c^T x with A x = b, x >= 0: the multipliers of the equations are free rows,
// with nothing but zeros between them.
static void test_lemke_with_equations(void)
{
    random_state = 14;
    for (int32_t trial = 0; trial < 100; trial++) {
        enum { N = 9, EQUATIONS = 3, ALL = N + EQUATIONS };
        own_lcp H = random_spd_lcp(N, trial % 2 == 0 ? N : 4, 0);
        double M[ALL * ALL] = {0}, q[ALL] = {0}, x[ALL] = {0};
        for (int32_t i = 0; i < N; i++) {
            q[i] = trial % 2 == 0 ? random_number() : 0.1 + fabs(random_number());
            double inside = fabs(random_number());
            for (int32_t j = 0; j < N; j++) M[i + j * ALL] = H.dense[i + j * N];
            for (int32_t e = N; e < ALL; e++) {
                double a = random_number();
                M[e + i * ALL] = a, M[i + e * ALL] = -a;
                q[e] -= a * inside; // so that there is an x
            }
        }
        own_lcp own = own_lcp_make(ALL, M, q);
        for (int32_t e = N; e < ALL; e++) own.lo[e] = -INFINITY;
        pl_lcp_stats stats;
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run("lemke", &own, x, &stats), pl_error_text());
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, misfit(&own, x));
        own_lcp_free(&own);
        own_lcp_free(&H);
    }
}

// Contacts of one body of 6 degrees of freedom with friction in four directions [Erl13, "Coulomb
// friction"]: B = J J^T, and per contact a row that couples mu lambda_n with what slides.
static own_lcp random_contacts(int32_t n_contact, double mu)
{
    enum { PER = 6, MOST = 6 * PER };
    double J[MOST][6], M[MOST * MOST] = {0}, q[MOST] = {0}, v[6];
    int32_t n = PER * n_contact;
    for (int32_t d = 0; d < 6; d++) v[d] = random_number();
    for (int32_t c = 0; c < n_contact; c++) {
        double *rows[3] = {J[PER * c], J[PER * c + 1], J[PER * c + 2]};
        for (int32_t r = 0; r < 3; r++) {
            for (int32_t d = 0; d < 6; d++) rows[r][d] = random_number();
        }
        for (int32_t d = 0; d < 6; d++) { // the opposite directions
            J[PER * c + 3][d] = -J[PER * c + 1][d];
            J[PER * c + 4][d] = -J[PER * c + 2][d];
            J[PER * c + 5][d] = 0;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t d = 0; d < 6; d++) q[i] += J[i][d] * v[d];
        for (int32_t j = 0; j < n; j++) {
            for (int32_t d = 0; d < 6; d++) M[i + j * n] += J[i][d] * J[j][d];
        }
    }
    for (int32_t c = 0; c < n_contact; c++) {
        int32_t beta = PER * c + 5;
        M[beta + PER * c * n] = mu;
        for (int32_t t = 1; t <= 4; t++) {
            M[PER * c + t + beta * n] = 1;
            M[beta + (PER * c + t) * n] = -1;
        }
    }
    return own_lcp_make(n, M, q);
}

static void test_lemke_with_friction(void)
{
    random_state = 40;
    for (int32_t trial = 0; trial < 100; trial++) {
        own_lcp own = random_contacts(1 + trial % 5, 0.1 * (trial % 11));
        double x[36] = {0};
        pl_lcp_stats stats;
        TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run("lemke", &own, x, &stats), pl_error_text());
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, misfit(&own, x));
        own_lcp_free(&own);
    }
}

// --- Islands ---

// Every third row is of the same island: the solution is that of the parts, and the counts are
// sums.
static void test_islands(void)
{
    enum { PARTS = 3, EACH = 6, N = PARTS * EACH };
    random_state = 50;
    for (int32_t trial = 0; trial < 10; trial++) {
        double M[N * N] = {0}, q[N];
        int32_t normal[N];
        own_lcp part[PARTS];
        for (int32_t p = 0; p < PARTS; p++) {
            part[p] = random_spd_lcp(EACH, EACH, 0.1);
            random_bounds(&part[p]);
            for (int32_t i = 0; i < EACH; i++) {
                q[i * PARTS + p] = part[p].q[i];
                normal[i * PARTS + p] = i % 2 == 0 ? -1 : (i - 1) * PARTS + p;
                for (int32_t j = 0; j < EACH; j++) {
                    M[i * PARTS + p + (j * PARTS + p) * N] = part[p].dense[i + j * EACH];
                }
            }
        }
        own_lcp own = own_lcp_make(N, M, q);
        own.lcp.normal = normal;
        for (int32_t i = 0; i < N; i++) {
            own.lo[i] = part[i % PARTS].lo[i / PARTS];
            own.hi[i] = part[i % PARTS].hi[i / PARTS];
        }
        for (int32_t s = 0; s < N_PIVOTING; s++) {
            double x[N] = {0}, y[EACH];
            pl_lcp_stats stats, part_stats;
            int64_t iterations = 0, pivots = 0;
            TEST_ASSERT_EQUAL_INT_MESSAGE(PL_OK, run(pivoting[s], &own, x, &stats), pivoting[s]);
            for (int32_t p = 0; p < PARTS; p++) {
                memset(y, 0, sizeof y);
                TEST_ASSERT_EQUAL_INT(PL_OK, run(pivoting[s], &part[p], y, &part_stats));
                for (int32_t i = 0; i < EACH; i++) TEST_ASSERT_EQUAL_DOUBLE(y[i], x[i * PARTS + p]);
                iterations += part_stats.iterations;
                pivots += part_stats.pivots;
            }
            TEST_ASSERT_EQUAL_INT64(iterations, stats.iterations);
            TEST_ASSERT_EQUAL_INT64(pivots, stats.pivots);
        }
        for (int32_t p = 0; p < PARTS; p++) own_lcp_free(&part[p]);
        own_lcp_free(&own);
    }
}

// An island without a solution ends the whole as it ended, with the others solved.
static void test_an_island_without_a_solution(void)
{
    double M[9] = {2, 0, 0, 0, 0, 0, 0, 0, 4}, q[3] = {-1, -1, -1};
    own_lcp own = own_lcp_make(3, M, q);
    static const pl_lcp_end ends[] = {PL_LCP_UNBOUNDED, PL_LCP_UNBOUNDED, PL_LCP_RAY};
    for (int32_t s = 0; s < 3; s++) {
        double x[3] = {0};
        pl_lcp_stats stats;
        TEST_ASSERT_EQUAL_INT(PL_ERROR_NUMERICS, run(pivoting[4 + s], &own, x, &stats));
        TEST_ASSERT_EQUAL_INT(ends[s], stats.end);
        TEST_ASSERT_EQUAL_INT32(1, stats.errors.worst);
        TEST_ASSERT_EQUAL_DOUBLE(0.5, x[0]);
        TEST_ASSERT_EQUAL_DOUBLE(0.25, x[2]);
    }
    own_lcp_free(&own);
}

// --- Sets ---

static void test_the_rule(void)
{
    double M[9] = {4, 0, 0, 0, 4, 0, 0, 0, 4}, q[3] = {0}, diag[3] = {4, 4, 4}, w[3] = {0};
    own_lcp own = own_lcp_make(3, M, q);
    own.hi[2] = 1;
    double x[3] = {-1e-3, 0.5, 1};
    pl_lcp_sets sets;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_sets_make(&arena, 3, &sets));
    TEST_ASSERT_EQUAL_INT32(3, sets.n_free);
    // M_ii (lo - x) is 4e-3
    TEST_ASSERT_EQUAL_INT(PL_LCP_FREE, pl_lcp_sets_next(&own.lcp, diag, &sets, x, w, 4e-3, 0));
    TEST_ASSERT_EQUAL_INT(PL_LCP_AT_LO, pl_lcp_sets_next(&own.lcp, diag, &sets, x, w, 3.9e-3, 0));
    TEST_ASSERT_EQUAL_INT(PL_LCP_FREE, pl_lcp_sets_next(&own.lcp, diag, &sets, x, w, 0, 2));
    pl_lcp_sets_start(&own.lcp, x, &sets);
    TEST_ASSERT_EQUAL_INT(PL_LCP_AT_HI, sets.state[2]);
    TEST_ASSERT_EQUAL_INT32(1, sets.n_free);
    TEST_ASSERT_EQUAL_INT32(0, sets.place[1]);
    w[2] = 1e-3;
    TEST_ASSERT_EQUAL_INT(PL_LCP_AT_HI, pl_lcp_sets_next(&own.lcp, diag, &sets, x, w, 1e-3, 2));
    TEST_ASSERT_EQUAL_INT(PL_LCP_FREE, pl_lcp_sets_next(&own.lcp, diag, &sets, x, w, 9e-4, 2));
    own.lo[2] = 1; // a row that is fixed
    TEST_ASSERT_EQUAL_INT(PL_LCP_AT_HI, pl_lcp_sets_next(&own.lcp, diag, &sets, x, w, 0, 2));
    own_lcp_free(&own);
}

static void test_visited_sets(void)
{
    enum { N = 20 };
    pl_lcp_sets sets;
    pl_lcp_visited visited = {0};
    random_state = 2;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_sets_make(&arena, N, &sets));
    uint64_t keys[500];
    for (int32_t k = 0; k < 500; k++) {
        for (int32_t i = 0; i < N; i++) sets.state[i] = (uint8_t)(random_bits() % 3);
        keys[k] = pl_lcp_sets_hash(&sets);
        TEST_ASSERT_FALSE(pl_lcp_visited_has(&visited, keys[k])); // 3^20 of them: none recurs
        TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_visited_add(&arena, &visited, keys[k]));
    }
    for (int32_t k = 0; k < 500; k++) TEST_ASSERT_TRUE(pl_lcp_visited_has(&visited, keys[k]));
    TEST_ASSERT_EQUAL_INT64(500, visited.count);
}

// --- Memory ---

typedef struct memory_case {
    const char *name;
    const own_lcp *own;
} memory_case;

static pl_status solve_in_new_arena(void *user)
{
    const memory_case *m = user;
    enum { N = 300 };
    double x[N] = {0};
    pl_lcp_stats stats;
    pl_lcp_options options = generous();
    const pl_lcp_solver *solver;
    pl_arena own = {0};
    options.regularize = 1e-3;
    pl_status status = pl_lcp_solver_find(m->name, &solver);
    if (status == PL_OK) status = pl_lcp_solve(solver, &m->own->lcp, &options, &own, x, &stats);
    pl_arena_free(&own);
    return status;
}

// Large enough for several chunks of the arena.
static void test_memory_runs_out(void)
{
    enum { N = 300 };
    double *M = calloc(N * N, sizeof *M), q[N];
    for (int32_t i = 0; i < N; i++) {
        q[i] = i % 2 == 0 ? -1 : 1;
        M[i + i * N] = 3;
        if (i % 150 > 0) M[i + (i - 1) * N] = M[i - 1 + i * N] = -1; // two islands
    }
    own_lcp own = own_lcp_make(N, M, q);
    for (int32_t s = 0; s < N_PIVOTING; s++) {
        memory_case m = {pivoting[s], &own};
        TEST_ASSERT_GREATER_THAN_INT64(1, fail_each_allocation(solve_in_new_arena, &m));
    }
    own_lcp_free(&own);
    free(M);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_files);
    RUN_TEST(test_murtys_example);
    RUN_TEST(test_systems_by_gradients_pivot_alike);
    RUN_TEST(test_warm_start);
    RUN_TEST(test_cycles_are_told);
    RUN_TEST(test_the_best_set_is_kept);
    RUN_TEST(test_regularization);
    RUN_TEST(test_a_thousand_p_matrices);
    RUN_TEST(test_nothing_is_claimed);
    RUN_TEST(test_no_solution);
    RUN_TEST(test_lemke_on_monotone_problems);
    RUN_TEST(test_lemke_with_equations);
    RUN_TEST(test_lemke_with_friction);
    RUN_TEST(test_islands);
    RUN_TEST(test_an_island_without_a_solution);
    RUN_TEST(test_the_rule);
    RUN_TEST(test_visited_sets);
    RUN_TEST(test_memory_runs_out);
    return UNITY_END();
}
