// pliant bench schurpa: one factor that is bordered against a new one in every iteration, as
// [Lit13, 7.1] measures them: random banded programs, from their solution with the first rows
// inverted.

#include "bench.h"
#include "bench_figure.h"
#include "bench_papers.h"
#include "bench_scene.h"
#include "cpu_time.h"
#include "../../base/file.h"
#include "../../base/hash.h"
#include "../../lcp/generate.h"
#include "../../lcp/pdasm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    ROWS = 8000,
    HALF_BANDWIDTH = 1000,
    QUICK_ROWS = 600,
    QUICK_HALF_BANDWIDTH = 60,
    SEED = 1,
    DELTAS = 6,
    STEP = 10, // rows inverted: 0, 10, ... 50
    REPEATS = 5,
    QUICK_REPEATS = 1,
};

// [unit of w] for entries of size 1: far above rounding.
static const double TOLERANCE = 1e-9;

// What two methods may differ by, relative [Lit13, 7].
static const double SAME = 1e-10;

// [Lit13, Table 7.1], on a GeForce GTX 580: milliseconds, and how many.
typedef struct thesis_row {
    double schurpa_factor, schurpa_solve, schurpa_total, direct_factor, direct_solve, direct_total;
    int32_t schurpa_solves, iterations;
} thesis_row;

static const thesis_row thesis[DELTAS] = {
    {279.574, 44.567, 350.9, 193.128, 45.947, 263.9, 1, 1},
    {282.660, 169.643, 484.1, 767.985, 183.745, 1004.6, 15, 4},
    {278.669, 227.727, 540.2, 938.094, 229.483, 1229.1, 31, 5},
    {281.972, 257.621, 574.1, 967.221, 229.828, 1260.2, 42, 5},
    {284.377, 274.522, 593.3, 959.715, 230.715, 1253.3, 54, 5},
    {283.504, 359.458, 678.1, 972.877, 229.687, 1265.3, 72, 5},
};

// What a method did, with the least times of all repeats.
typedef struct outcome {
    pl_pdasm_stats stats; // times in seconds
    double total;         // [s] without the memory, which is taken before
    double error;         // pl_lcp_errors.natural
    int32_t visits;
    uint64_t visited; // a hash of all working sets, in order
    uint64_t hash;    // of x
} outcome;

typedef struct bench {
    pl_lcp_data data;
    pl_arena arena;
    pl_lcp_sets sets;
    double *x[2], *w; // (n) of DIRECT and SCHURPA
    outcome of[DELTAS][2];
} bench;

enum { DIRECT, SCHURPA };

static void note(int32_t iteration, const uint8_t *state, const double *x, double error, void *user)
{
    const bench *b = ((void **)user)[0];
    outcome *out = ((void **)user)[1];
    (void)iteration, (void)x, (void)error;
    out->visits++;
    out->visited = pl_hash(out->visited, state, (size_t)b->data.lcp.n);
}

// From the solution, with the first `delta` rows inverted.
static void start(bench *b, int32_t delta)
{
    for (int32_t i = 0; i < b->data.lcp.n; i++) {
        bool is_free = (b->data.x[i] > 0) != (i < delta);
        b->sets.state[i] = is_free ? PL_LCP_FREE : PL_LCP_AT_LO;
    }
    pl_lcp_sets_index(&b->sets);
}

static pl_status run(bench *b, int32_t delta, int kind, outcome *out)
{
    pl_pdasm p;
    pl_lcp_end end;
    pl_lcp_options usual = pl_lcp_options_default();
    usual.tolerance = TOLERANCE;
    pl_pdasm_options options = pl_pdasm_options_of(&usual, kind == SCHURPA);
    *out = (outcome){.visited = PL_HASH_START};
    void *user[2] = {b, out};
    options.trace = note;
    options.trace_user = user;
    pl_arena_reset(&b->arena);
    const pl_lcp *lcp = &b->data.lcp;
    PL_TRY(pl_lcp_sets_make(&b->arena, lcp->n, &b->sets));
    PL_TRY(pl_pdasm_create(lcp, &options, &b->arena, &p));
    start(b, delta);
    p.systems.K.clock = pl_cpu_seconds; // the machine may be busy with other things
    double started = pl_cpu_seconds();
    PL_TRY(pl_pdasm_solve(&p, &b->sets, b->x[kind], b->w, &end, NULL));
    out->total = pl_cpu_seconds() - started;
    out->stats = p.stats;
    out->error = pl_lcp_measure(lcp, b->x[kind], b->w).natural;
    out->hash = pl_hash(PL_HASH_START, b->x[kind], (size_t)lcp->n * sizeof(double));
    if (end == PL_LCP_SOLVED) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "%d rows inverted: %s", delta, pl_lcp_end_name(end));
}

static void keep_least_times(outcome *best, const outcome *again)
{
    best->total = PL_MIN(best->total, again->total);
    best->stats.form_seconds = PL_MIN(best->stats.form_seconds, again->stats.form_seconds);
    best->stats.factor_seconds = PL_MIN(best->stats.factor_seconds, again->stats.factor_seconds);
    best->stats.solve_seconds = PL_MIN(best->stats.solve_seconds, again->stats.solve_seconds);
}

// The two methods in turns, so that both meet the same machine.
static pl_status measure(bench *b, int32_t row, int32_t repeats)
{
    for (int32_t repeat = 0; repeat < repeats; repeat++) {
        for (int kind = DIRECT; kind <= SCHURPA; kind++) {
            outcome again;
            PL_TRY(run(b, STEP * row, kind, &again));
            if (repeat == 0) b->of[row][kind] = again;
            keep_least_times(&b->of[row][kind], &again);
        }
    }
    const outcome *d = &b->of[row][DIRECT], *s = &b->of[row][SCHURPA];
    double size = 0, away = 0;
    for (int32_t i = 0; i < b->data.lcp.n; i++) {
        size = PL_MAX(size, fabs(b->x[DIRECT][i]));
        away = PL_MAX(away, fabs(b->x[DIRECT][i] - b->x[SCHURPA][i]));
    }
    if (d->visited == s->visited && d->visits == s->visits && away <= SAME * size) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS,
                   "%d rows inverted: %d and %d iterations, results %.3g apart of %.3g", STEP * row,
                   d->visits, s->visits, away, size);
}

// --- What is printed ---

static void print_row(int32_t row, const outcome *d, const outcome *s, pl_output *csv)
{
    const thesis_row *t = &thesis[row];
    const pl_pdasm_stats *a = &s->stats, *b = &d->stats;
    double ratio = d->total / s->total, printed = t->direct_total / t->schurpa_total;
    printf("%5d  ours   %7.1f (%" PRId64 ") %7.1f (%2" PRId64 ") %7.1f  %7.1f (%" PRId64
           ") %7.1f (%" PRId64 ") %7.1f  %4d %6.2f  %.1e %.1e  %016" PRIx64 " %016" PRIx64 "\n",
           STEP * row, 1e3 * a->factor_seconds, a->factorizations, 1e3 * a->solve_seconds,
           a->solves, 1e3 * s->total, 1e3 * b->factor_seconds, b->factorizations,
           1e3 * b->solve_seconds, b->solves, 1e3 * d->total, d->visits, ratio, s->error, d->error,
           s->hash, d->hash);
    printf("       Lit13  %7.1f (1) %7.1f (%2d) %7.1f  %7.1f (%d) %7.1f (%d) %7.1f  %4d %6.2f\n",
           t->schurpa_factor, t->schurpa_solve, t->schurpa_solves, t->schurpa_total,
           t->direct_factor, t->iterations, t->direct_solve, t->iterations, t->direct_total,
           t->iterations, printed);
    pl_output_printf(csv, "%d,%d,%.6g,%.4g", STEP * row, d->visits, ratio, printed);
    for (int kind = 0; kind < 2; kind++) {
        const outcome *o = kind == 0 ? s : d;
        pl_output_printf(csv, ",%.6g,%" PRId64 ",%.6g,%" PRId64 ",%.6g,%.6g,%.3g,%016" PRIx64,
                         1e3 * o->stats.factor_seconds, o->stats.factorizations,
                         1e3 * o->stats.solve_seconds, o->stats.solves, 1e3 * o->stats.form_seconds,
                         1e3 * o->total, o->error, o->hash);
    }
    pl_output_printf(csv, "\n");
    fflush(stdout);
}

static void say(bool so, const char *text)
{
    printf("  %-3s  %s\n", so ? "yes" : "NO", text);
}

// Into Table 7.1.
static pl_status report(int32_t row, const outcome *d, const outcome *s, pl_papers *papers)
{
    char name[16];
    const thesis_row *t = &thesis[row];
    const struct {
        pl_paper_table table;
        const char *column;
        double ours, theirs;
    } cells[] = {
        {PL_LIT13_7_1, "SCHURPA factor", 1e3 * s->stats.factor_seconds, t->schurpa_factor},
        {PL_LIT13_7_1, "SCHURPA solves", 1e3 * s->stats.solve_seconds, t->schurpa_solve},
        {PL_LIT13_7_1, "SCHURPA total", 1e3 * s->total, t->schurpa_total},
        {PL_LIT13_7_1, "DIRECT factors", 1e3 * d->stats.factor_seconds, t->direct_factor},
        {PL_LIT13_7_1, "DIRECT solves", 1e3 * d->stats.solve_seconds, t->direct_solve},
        {PL_LIT13_7_1, "DIRECT total", 1e3 * d->total, t->direct_total},
        {PL_LIT13_7_1, "DIRECT / SCHURPA", d->total / s->total, t->direct_total / t->schurpa_total},
        {PL_LIT13_7_1_COUNTS, "SCHURPA factors", (double)s->stats.factorizations, 1},
        {PL_LIT13_7_1_COUNTS, "SCHURPA solves", (double)s->stats.solves, t->schurpa_solves},
        {PL_LIT13_7_1_COUNTS, "DIRECT factors", (double)d->stats.factorizations, t->iterations},
        {PL_LIT13_7_1_COUNTS, "iterations", d->visits, t->iterations},
    };
    snprintf(name, sizeof name, "delta %d", STEP * row);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        PL_TRY(pl_papers_add(papers, cells[i].table, name, cells[i].column, cells[i].ours,
                             cells[i].theirs));
    }
    return PL_OK;
}

// [Lit13, 7] in the words of the thesis's conclusions.
static void judge(const bench *b)
{
    bool factors = true, solves = true, faster = true, grows = true;
    double least = INFINITY, most = 0;
    for (int32_t row = 0; row < DELTAS; row++) {
        const outcome *d = &b->of[row][DIRECT], *s = &b->of[row][SCHURPA];
        int64_t delta = STEP * row, count = s->stats.solves;
        factors = factors && s->stats.factorizations == 1 && d->stats.factorizations == d->visits;
        solves = solves && (row == 0 ? count == 1 : count > delta && count <= 2 * delta);
        if (row > 0) faster = faster && d->total > 1.8 * s->total;
        if (row > 0) grows = grows && count > b->of[row - 1][SCHURPA].stats.solves;
        least = PL_MIN(least, s->stats.factor_seconds);
        most = PL_MAX(most, s->stats.factor_seconds);
    }
    const outcome *first = b->of[0], *last = b->of[DELTAS - 1];
    printf("What [Lit13, 7.1] concludes:\n");
    say(factors, "schurpa factors once, pdasm (DIRECT) in every iteration");
    say(solves, "schurpa needs between delta + 1 and 2 delta solves");
    say(first[DIRECT].total < first[SCHURPA].total, "with delta = 0 it is not faster");
    say(faster, "with delta = 10 ... 50 it is, by more than 1.8");
    say(grows && last[SCHURPA].stats.solve_seconds > 2 * first[SCHURPA].stats.solve_seconds,
        "its solves, and their time, grow with delta");
    say(most < 1.5 * least, "its time for the factor does not");
    printf("One factor costs it %.2f times as much, for the inverses of blocks (Lit13: 1.45).\n",
           first[SCHURPA].stats.factor_seconds / first[DIRECT].stats.factor_seconds);
}

// Its figures 7.1, of all times over delta, and 7.2, of parts, with the thesis's own.
static pl_status draw(const pl_bench_options *options, const bench *b)
{
    pl_figure f = {.title = "Random banded programs [Lit13, Fig. 7.1, 7.2]",
                   .x_label = "rows inverted at the start (delta)"};
    f.panel[0].title = "Total [ms]";
    f.panel[1].title = "schurpa: parts [ms]";
    f.panel[2].title = "Solves with a factor";
    pl_status status = PL_OK;
    for (int32_t row = 0; row < DELTAS && status == PL_OK; row++) {
        const outcome *d = &b->of[row][DIRECT], *s = &b->of[row][SCHURPA];
        const thesis_row *t = &thesis[row];
        const struct {
            int32_t panel;
            const char *label;
            double y;
        } points[] = {{0, "schurpa", 1e3 * s->total},
                      {0, "pdasm (DIRECT)", 1e3 * d->total},
                      {0, "Lit13: SCHURPA, GPU", t->schurpa_total},
                      {0, "Lit13: DIRECT, GPU", t->direct_total},
                      {1, "factor", 1e3 * s->stats.factor_seconds},
                      {1, "solves", 1e3 * s->stats.solve_seconds},
                      {1, "Lit13: factor", t->schurpa_factor},
                      {1, "Lit13: solves", t->schurpa_solve},
                      {2, "schurpa", (double)s->stats.solves},
                      {2, "Lit13: SCHURPA", t->schurpa_solves}};
        for (size_t i = 0; i < sizeof points / sizeof *points && status == PL_OK; i++) {
            status = pl_figure_add(&f, points[i].panel, points[i].label, STEP * row, points[i].y);
        }
    }
    if (status == PL_OK) return pl_figure_write(&f, options, "lit13-7.1");
    pl_figure_free(&f);
    return status;
}

static pl_status measure_all(const pl_bench_options *options, bench *b, pl_output *csv)
{
    int32_t n = options->quick ? QUICK_ROWS : ROWS;
    pl_lcp_params params = pl_lcp_params_default();
    params.half_bandwidth = options->quick ? QUICK_HALF_BANDWIDTH : HALF_BANDWIDTH;
    PL_TRY(pl_lcp_generate(PL_LCP_KIND_BAND, n, SEED, &params, &b->data));
    for (int kind = 0; kind < 2; kind++) b->x[kind] = pl_alloc_zero(n, sizeof(double));
    b->w = pl_alloc_zero(n, sizeof(double));
    if (b->x[0] == NULL || b->x[1] == NULL || b->w == NULL) return PL_ERROR_MEMORY;
    printf("%d rows, half-bandwidth %d, a symmetric Gaussian band, seed %d; ms of processor time "
           "(how many), least of %d runs\n",
           n, params.half_bandwidth, SEED, options->quick ? QUICK_REPEATS : REPEATS);
    printf("%5s         schurpa: factor     solve     total  pdasm: factor     solve     total "
           "iter. ratio  errors of both    hashes of both\n",
           "delta");
    for (int32_t row = 0; row < DELTAS; row++) {
        PL_TRY(measure(b, row, options->quick ? QUICK_REPEATS : REPEATS));
        print_row(row, &b->of[row][DIRECT], &b->of[row][SCHURPA], csv);
        PL_TRY(report(row, &b->of[row][DIRECT], &b->of[row][SCHURPA], options->papers));
    }
    judge(b);
    return draw(options, b);
}

pl_status pl_bench_schurpa(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    bench b = {0};
    PL_TRY(pl_bench_path(options, "", "schurpa.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "delta,iterations,ratio,ratio_lit13");
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind == 0 ? "schurpa" : "pdasm";
        pl_output_printf(&csv,
                         ",%s_factor_ms,%s_factors,%s_solve_ms,%s_solves,%s_form_ms,%s_total_ms,"
                         "%s_error,%s_hash",
                         name, name, name, name, name, name, name, name);
    }
    pl_output_printf(&csv, "\n");
    status = measure_all(options, &b, &csv);
    pl_lcp_data_free(&b.data);
    pl_arena_free(&b.arena);
    pl_free(b.x[0]), pl_free(b.x[1]), pl_free(b.w);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
