// Block principal pivoting with each kind of factor, on the same problems from the same start
// [Lef20, Table 2.3, with the columns that it lacks; Table 3.1], and how far factors from which
// rows were removed are from new ones [Lef20, Table 2.4].

#include "bench_lcp.h"
#include "bench_rows.h"
#include "cpu_time.h"
#include "../../base/hash.h"
#include "../../lcp/factor_sets.h"
#include "../../lcp/generate.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

// As scalar_solve.c has it; [Lef20, Table 2.1] has 35 sets.
static const double PIVOT_PART = 0.1;
enum { MAX_SETS = 100, MAX_SECONDS = 5 };

// Sums over the problems of a group, and the worst of them.
typedef struct sums {
    double seconds, sets, anew, removed, error, difference;
    int32_t unsolved;
    uint64_t hash;
} sums;

// A factor by removal against a new one: the least, largest and mean of the problems.
typedef struct distance {
    double least, most, mean, x; // x: the most
} distance;

typedef struct table {
    bool quick;
    pl_arena arena;
    double *x;         // (n) of the problem
    double *reference; // (n) of the first column
    // Of the group.
    int32_t problems, compared;
    double rows, entries, tight; // sums
    sums column[COLUMNS];
    distance distance[2]; // dense, skyline
    // Of all groups.
    double log_gain[COLUMNS]; // sums
    int32_t groups;
} table;

// --- One problem ---

static pl_status measure_column(table *t, const pl_bench_rows *rows, const column *c,
                                double *seconds, pl_lcp_stats *stats)
{
    int repeats = t->quick ? 1 : 5;
    pl_lcp_options options = pl_lcp_options_default();
    options.tolerance = rows->tolerance;
    options.pivot_tolerance = PIVOT_PART * rows->tolerance;
    options.max_iterations = MAX_SETS;
    options.max_seconds = MAX_SECONDS;
    *seconds = 1e30;
    for (int r = 0; r < repeats; r++) {
        pl_arena_reset(&t->arena);
        memcpy(t->x, rows->start, (size_t)rows->lcp.n * sizeof *t->x);
        double start = pl_cpu_seconds();
        pl_status status = pl_lcp_solve(&c->solver, &rows->lcp, &options, &t->arena, t->x, stats);
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

pl_status pl_bench_factor_distance(const pl_lcp *lcp, const double *x, bool narrow, pl_arena *arena,
                                   double *of_factor, double *of_x)
{
    pl_factor_sets anew, removal;
    pl_lcp_sets sets;
    pl_lcp_end end = PL_LCP_N_END;
    *of_factor = *of_x = NAN;
    PL_TRY(pl_lcp_sets_make(arena, lcp->n, &sets));
    pl_lcp_sets_start(lcp, x, &sets);
    PL_TRY(pl_factor_sets_make(&anew, lcp, PL_FACTOR_ANEW, narrow, 0, arena, &end));
    PL_TRY(pl_factor_sets_make(&removal, lcp, PL_FACTOR_REMOVE, narrow, 0, arena, &end));
    double *b = pl_arena_take(arena, lcp->n, sizeof *b);
    double *c = pl_arena_take(arena, lcp->n, sizeof *c);
    if (b == NULL || c == NULL) return PL_ERROR_MEMORY;
    if (end != PL_LCP_N_END || !pl_factor_sets_factor(&anew, &sets, NULL) ||
        !pl_factor_sets_factor(&removal, &sets, NULL)) {
        return PL_OK;
    }
    pl_lcp_reduce_rhs(lcp, &sets, x, b);
    memcpy(c, b, (size_t)sets.n_free * sizeof *c);
    pl_factor_sets_solve(&anew, b);
    pl_factor_sets_solve(&removal, c);
    // Where M is not definite the second is new, too, and there is nothing to compare.
    *of_factor = removal.has_base ? pl_factor_distance(&removal.work, &anew.work) : 0;
    *of_x = difference(sets.n_free, b, c);
    return PL_OK;
}

static pl_status compare_factors(table *t, const pl_bench_rows *rows, bool narrow)
{
    distance *d = &t->distance[narrow];
    double is, of_x;
    pl_arena_reset(&t->arena);
    PL_TRY(pl_bench_factor_distance(&rows->lcp, t->reference, narrow, &t->arena, &is, &of_x));
    if (isnan(is)) return PL_OK;
    d->least = t->compared == 0 ? is : fmin(d->least, is);
    d->most = fmax(d->most, is);
    d->mean += is;
    d->x = fmax(d->x, of_x);
    t->tight += narrow ? pl_bench_tight(&rows->lcp, t->reference) : 0;
    t->compared += narrow;
    return PL_OK;
}

static pl_status measure_columns(table *t, const pl_bench_rows *rows)
{
    int32_t n = rows->lcp.n;
    for (int i = 0; i < COLUMNS; i++) {
        double seconds;
        pl_lcp_stats s;
        sums *sum = &t->column[i];
        PL_TRY(measure_column(t, rows, &columns[i], &seconds, &s));
        if (i == 0) memcpy(t->reference, t->x, (size_t)n * sizeof *t->x);
        sum->seconds += seconds;
        sum->sets += s.iterations + 1;
        sum->anew += (double)s.factorizations;
        sum->removed += (double)s.updates;
        sum->error = fmax(sum->error, s.errors.natural);
        sum->difference = fmax(sum->difference, difference(n, t->reference, t->x));
        sum->unsolved += s.end != PL_LCP_SOLVED;
        sum->hash = pl_hash(sum->hash, t->x, (size_t)n * sizeof *t->x);
    }
    t->problems++;
    t->rows += n;
    t->entries += (double)rows->lcp.col[n];
    PL_TRY(compare_factors(t, rows, false));
    return compare_factors(t, rows, true);
}

static pl_status measure_problem(table *t, const pl_bench_rows *rows)
{
    t->x = pl_alloc(rows->lcp.n, sizeof *t->x);
    t->reference = pl_alloc(rows->lcp.n, sizeof *t->reference);
    pl_status status = t->x != NULL && t->reference != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = measure_columns(t, rows);
    pl_free(t->x);
    pl_free(t->reference);
    return status;
}

// Prints the group, and begins another one.
static void end_group(table *t, const char *name)
{
    double n = PL_MAX(t->problems, 1), compared = PL_MAX(t->compared, 1);
    printf("%s: %d problems of %.0f rows with %.0f entries, %.0f %% tight in the solution\n", name,
           t->problems, t->rows / n, t->entries / n, 100 * t->tight / compared);
    printf("  %-17s %9s %6s %6s %6s %8s %8s %8s  %s\n", "", "ms", "gain", "sets", "anew", "removed",
           "error", "x", "hash");
    for (int i = 0; i < COLUMNS && t->problems > 0; i++) {
        const sums *s = &t->column[i];
        double gain = t->column[0].seconds / s->seconds;
        t->log_gain[i] += log(gain);
        printf("  %-17s %9.3f %6.2f %6.1f %6.1f %8.1f %8.1e %8.1e  %016" PRIx64, columns[i].label,
               1e3 * s->seconds / n, gain, s->sets / n, s->anew / n, s->removed / n, s->error,
               s->difference, s->hash);
        if (s->unsolved > 0) printf("  %d not solved", s->unsolved);
        printf("\n");
    }
    for (int k = 0; k < 2; k++) {
        const distance *d = &t->distance[k];
        printf("  removal%-9s factors differ by %.1e .. %.1e, mean %.1e; x by up to %.1e\n",
               k == 1 ? ", skyline" : "", d->least, d->most, d->mean / compared, d->x);
    }
    fflush(stdout); // it takes minutes
    t->groups += t->problems > 0;
    t->problems = t->compared = 0;
    t->rows = t->entries = t->tight = 0;
    memset(t->column, 0, sizeof t->column);
    memset(t->distance, 0, sizeof t->distance);
    for (int i = 0; i < COLUMNS; i++) t->column[i].hash = PL_HASH_START;
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
            if (status == PL_OK) end_group(t, rows.name);
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
        pl_bench_rows rows = {.lcp = data.lcp, .start = start, .tolerance = 1e-10};
        snprintf(rows.name, sizeof rows.name, "grid of %d^3", side);
        status = measure_problem(t, &rows);
        end_group(t, rows.name);
    }
    pl_free(start);
    pl_lcp_data_free(&data);
    return status;
}

// Recorded problems, in the order of their names; what has no rows is left out.
static pl_status measure_folder(table *t, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    if (n < 0) return pl_fail(PL_ERROR_FILE, "%s: it is no folder", folder);
    pl_status status = PL_OK;
    for (int i = 0; i < n; i++) {
        char path[4096];
        const char *dot = strrchr(entry[i]->d_name, '.');
        bool is_one = dot != NULL && strcmp(dot, ".plp") == 0;
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        free(entry[i]);
        if (!is_one || status != PL_OK) continue;
        pl_bench_rows rows;
        pl_status opened = pl_bench_rows_open(path, &rows);
        if (opened == PL_ERROR_MEMORY) status = opened;
        if (opened != PL_OK) printf("%s: left out: %s\n", path, pl_error_text());
        if (opened == PL_OK && rows.lcp.n > 0) status = measure_problem(t, &rows);
        if (opened == PL_OK) pl_bench_rows_free(&rows);
    }
    free(entry);
    if (status == PL_OK) end_group(t, folder);
    return status;
}

pl_status pl_bench_lcp_table(const pl_bench_options *options)
{
    table t = {.quick = options->quick};
    for (int i = 0; i < COLUMNS; i++) t.column[i].hash = PL_HASH_START;
    printf(
        "Block principal pivoting with each kind of factor, all rows of bands and grids free at\n"
        "the start, those of recorded problems as in the solution with cones: means\n"
        "of the least time of a solve, 'gain' over full dense, how many sets it went through,\n"
        "factors made anew, rows removed; the worst error (the yardstick, in the unit of w),\n"
        "and the farthest that x is from that of full dense, over its largest entry\n\n");
    pl_status status = PL_OK;
    if (options->problems != NULL) {
        status = measure_folder(&t, options->problems);
    } else {
        status = measure_bands(&t);
        if (status == PL_OK) status = measure_grid(&t);
    }
    pl_arena_free(&t.arena);
    PL_TRY(status);
    printf("Geometric mean of the gains:");
    for (int i = 0; i < COLUMNS; i++) {
        printf("%s %s %.2f", i > 0 ? "," : "", columns[i].label,
               exp(t.log_gain[i] / PL_MAX(t.groups, 1)));
    }
    printf("\n\n");
    return PL_OK;
}
