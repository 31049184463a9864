// Pivoting solvers of linear complementarity problems: Murty's example of 2^n pivots, cycles, files
// of problems with known solutions, random problems against enumeration, and what has no solution.

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

static const pl_lcp_solver *solver_named(const char *name)
{
    const pl_lcp_solver *solver;
    TEST_ASSERT_EQUAL_INT(PL_OK, pl_lcp_solver_find(name, &solver));
    return solver;
}

static pl_status run(const char *name, const own_lcp *own, const pl_lcp_options *options, double *x,
                     pl_lcp_stats *stats)
{
    pl_arena_reset(&arena);
    return pl_lcp_solve(solver_named(name), &own->lcp, options, &arena, x, stats);
}

// --- Files: "m n" free rows and others, M by rows, q, and a solution ---

static bool read_numbers(FILE *file, int32_t n, double *out)
{
    for (int32_t i = 0; i < n; i++) {
        if (fscanf(file, "%lf", &out[i]) != 1) return false;
    }
    return true;
}

static own_lcp read_problem(const char *path)
{
    FILE *file = fopen(path, "r");
    int n_free = 0, n_other = 0;
    double rows[256], M[256], q[16];
    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_INT(2, fscanf(file, "%d %d", &n_free, &n_other));
    int32_t n = n_free + n_other;
    TEST_ASSERT(n <= 16 && read_numbers(file, n * n, rows) && read_numbers(file, n, q));
    fclose(file);
    for (int32_t i = 0; i < n * n; i++) M[i / n + i % n * n] = rows[i];
    own_lcp own = own_lcp_make(n, M, q);
    for (int32_t i = 0; i < n_free; i++) own.lo[i] = -INFINITY;
    return own;
}

static void test_files(void)
{
    static const char *const names[] = {"PDSym_mlcp",    "RLCD_mlcp",   "diodeBridge_mlcp",
                                        "lcp_exp_murty", "lcp_ortiz",   "lcp_trivial",
                                        "m3n2_mlcp"};
    for (size_t f = 0; f < sizeof names / sizeof *names; f++) {
        char path[256];
        snprintf(path, sizeof path, "../shared/data/lcp/%s.txt", names[f]);
        FILE *file = fopen(path, "r");
        if (file == NULL) snprintf(path, sizeof path, "/work/shared/data/lcp/%s.txt", names[f]);
        else fclose(file);
        own_lcp own = read_problem(path);
        for (int s = 0; s < pl_lcp_solver_count(); s++) {
        double x[16] = {0};
        pl_lcp_stats stats;
        pl_status st = run(pl_lcp_solver_at(s)->name, &own, NULL, x, &stats);
        printf("%s %s: %d %s %g it %d fb %ld sym %d\n", names[f], pl_lcp_solver_at(s)->name, st, pl_lcp_end_name(stats.end), stats.errors.natural, stats.iterations, (long)stats.fallbacks, own.lcp.symmetric);
        }
        own_lcp_free(&own);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_files);
    return UNITY_END();
}
