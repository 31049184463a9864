// Block principal pivoting with each kind of factor, on the same problems from the same start
// [Lef20, Table 2.3, with the columns that it lacks; Table 3.1], and how far factors from which
// rows were removed are from new ones [Lef20, Table 2.4].

#include "bench_lcp.h"
#include "cpu_time.h"
#include "../../base/hash.h"
#include "../../lcp/factor_sets.h"
#include "../../lcp/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct column {
    const char *label;
    pl_lcp_solver solver;
} column;

#define SYMMETRIC .needs = PL_LCP_NEEDS_SYMMETRIC

static const column columns[] = {
    {"full dense", {.name = "bpp-refactor-dense", SYMMETRIC, .solve = pl_lcp_bpp_refactor_dense}},
    {"bpp", {.name = "bpp", SYMMETRIC, .solve = pl_lcp_bpp}},
    {"full skyline",
     {.name = "bpp-refactor-skyline", SYMMETRIC, .solve = pl_lcp_bpp_refactor_skyline}},
#ifdef PL_CXSPARSE
    {"full sparse", {.name = "bpp-sparse", SYMMETRIC, .solve = pl_lcp_bpp_sparse}},
#endif
    {"removal", {.name = "bpp-down", SYMMETRIC, .solve = pl_lcp_bpp_down}},
    {"removal, skyline", {.name = "bpp-skyline", SYMMETRIC, .solve = pl_lcp_bpp_skyline}},
#ifdef PL_CXSPARSE
    {"removal, sparse", {.name = "bpp-sparse-down", SYMMETRIC, .solve = pl_lcp_bpp_sparse_down}},
#endif
    {"cache, dense", {.name = "cache-dense", SYMMETRIC, .solve = pl_lcp_bpp_cache_dense}},
    {"cache, skyline", {.name = "bpp-cache", SYMMETRIC, .solve = pl_lcp_bpp_cache}},
    {"auto", {.name = "bpp-auto", SYMMETRIC, .solve = pl_lcp_bpp_auto}},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct table {
    bool quick;
    pl_arena arena;
    double *x;                 // (n) of the problem
    double *reference;         // (n) of the first column
    double log_ratio[COLUMNS]; // sums over the problems
    int32_t problems;
} table;

// --- One problem ---

static pl_status measure_column(table *t, const pl_bench_rows *rows, const column *c,
                                double *seconds, pl_lcp_stats *stats)
{
    int repeats = t->quick ? 1 : 7;
    *seconds = 1e30;
    for (int r = 0; r < repeats; r++) {
        pl_arena_reset(&t->arena);
        memcpy(t->x, rows->start, (size_t)rows->lcp.n * sizeof *t->x);
        double start = pl_cpu_seconds();
        pl_status status = pl_lcp_solve(&c->solver, &rows->lcp, NULL, &t->arena, t->x, stats);
        if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
        *seconds = PL_MIN(*seconds, pl_cpu_seconds() - start);
    }
    return PL_OK;
}

static double difference(int32_t n, const double *x, const double *y)
{
    double most = 0, largest = 0;
    for (int32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    return largest > 0 ? most / largest : most;
}

// The factor and x of the solution's set, by removal and anew.
static pl_status print_distance(table *t, const pl_bench_rows *rows, bool narrow)
{
    const pl_lcp *lcp = &rows->lcp;
    pl_factor_sets anew, removal;
    pl_lcp_sets sets;
    pl_lcp_end end = PL_LCP_N_END;
    pl_arena_reset(&t->arena);
    PL_TRY(pl_lcp_sets_make(&t->arena, lcp->n, &sets));
    pl_lcp_sets_start(lcp, t->reference, &sets);
    PL_TRY(pl_factor_sets_make(&anew, lcp, PL_FACTOR_ANEW, narrow, 0, &t->arena, &end));
    PL_TRY(pl_factor_sets_make(&removal, lcp, PL_FACTOR_REMOVE, narrow, 0, &t->arena, &end));
    double *b = pl_arena_take(&t->arena, lcp->n, sizeof *b);
    double *c = pl_arena_take(&t->arena, lcp->n, sizeof *c);
    if (b == NULL || c == NULL) return PL_ERROR_MEMORY;
    if (!pl_factor_sets_factor(&anew, &sets, NULL) ||
        !pl_factor_sets_factor(&removal, &sets, NULL)) {
        printf("  no factor to compare\n");
        return PL_OK;
    }
    pl_lcp_reduce_rhs(lcp, &sets, t->reference, b);
    memcpy(c, b, (size_t)sets.n_free * sizeof *c);
    pl_factor_sets_solve(&anew, b);
    pl_factor_sets_solve(&removal, c);
    printf("  removal%-9s %4.0f %% tight: factor differs by %.1e, x by %.1e\n",
           narrow ? ", skyline" : "", 100.0 * (lcp->n - sets.n_free) / lcp->n,
           pl_factor_distance(&removal.work, &anew.work), difference(sets.n_free, b, c));
    return PL_OK;
}

static pl_status measure_problem(table *t, const pl_bench_rows *rows)
{
    int32_t n = rows->lcp.n;
    double first = 0;
    t->x = pl_alloc(n, sizeof *t->x);
    t->reference = pl_alloc(n, sizeof *t->reference);
    pl_status status = t->x != NULL && t->reference != NULL ? PL_OK : PL_ERROR_MEMORY;
    printf("%s: %d rows, %" PRId64 " entries\n", rows->name, n, rows->lcp.col[n]);
    printf("  %-17s %9s %6s %5s %5s %7s %8s %8s  %s\n", "", "ms", "gain", "sets", "anew", "removed",
           "error", "x", "hash");
    for (int i = 0; i < COLUMNS && status == PL_OK; i++) {
        double seconds;
        pl_lcp_stats s;
        status = measure_column(t, rows, &columns[i], &seconds, &s);
        if (status != PL_OK) break;
        if (i == 0) first = seconds, memcpy(t->reference, t->x, (size_t)n * sizeof *t->x);
        t->log_ratio[i] += log(first / seconds);
        printf("  %-17s %9.3f %6.2f %5d %5" PRId64 " %7" PRId64 " %8.1e %8.1e  %016" PRIx64 "%s\n",
               columns[i].label, 1e3 * seconds, first / seconds, s.iterations + 1, s.factorizations,
               s.updates, s.errors.natural, difference(n, t->reference, t->x),
               pl_hash(PL_HASH_START, t->x, (size_t)n * sizeof *t->x),
               s.end == PL_LCP_SOLVED ? "" : pl_lcp_end_name(s.end));
    }
    t->problems++;
    if (status == PL_OK) status = print_distance(t, rows, false);
    if (status == PL_OK) status = print_distance(t, rows, true);
    pl_free(t->x);
    pl_free(t->reference);
    return status;
}

// --- The problems ---

static pl_status measure_bands(table *t)
{
    static const double shares[] = {0.02, 0.10, 0.30};
    static const int32_t widths[] = {4, 20, 80};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
            pl_bench_rows rows;
            PL_TRY(pl_bench_rows_band(t->quick ? 60 : 400, widths[w], shares[s], 1e-8, 3, &rows));
            pl_status status = measure_problem(t, &rows);
            pl_bench_rows_free(&rows);
            PL_TRY(status);
        }
    }
    return PL_OK;
}

// Pressures of a fluid in a box: a grid in space, as the rows of a pile are.
static pl_status measure_grid(table *t)
{
    pl_lcp_data data;
    int32_t side = t->quick ? 4 : 9;
    PL_TRY(pl_lcp_generate(PL_LCP_KIND_FLUID_3D, side, 1, NULL, &data));
    double *start = pl_alloc(data.lcp.n, sizeof *start);
    pl_status status = start != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        for (int32_t i = 0; i < data.lcp.n; i++) start[i] = 1;
        pl_bench_rows rows = {.lcp = data.lcp, .start = start};
        snprintf(rows.name, sizeof rows.name, "grid of %d^3", side);
        status = measure_problem(t, &rows);
    }
    pl_free(start);
    pl_lcp_data_free(&data);
    return status;
}

pl_status pl_bench_lcp_table(const pl_bench_options *options)
{
    table t = {.quick = options->quick};
    printf("Block principal pivoting with each kind of factor, all rows free at the start: the\n"
           "least time of a solve, 'gain' over full dense, how many sets it went through,\n"
           "factors made anew, rows removed, error (the yardstick, in the unit of w), and how far\n"
           "x is from that of full dense, over its largest entry\n\n");
    pl_status status = measure_bands(&t);
    if (status == PL_OK) status = measure_grid(&t);
    pl_arena_free(&t.arena);
    PL_TRY(status);
    printf("Geometric mean of the gains:");
    for (int i = 0; i < COLUMNS; i++) {
        printf("%s %s %.2f", i > 0 ? "," : "", columns[i].label, exp(t.log_ratio[i] / t.problems));
    }
    printf("\n\n");
    return PL_OK;
}
