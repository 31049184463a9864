// pliant bench lef20: block principal pivoting with each kind of factor on the scenes of [Lef20,
// 2.3], beside its Tables 2.2 to 2.4 and 3.1, and its figures 2.3, 2.7 and 3.1.
//
// A scene is stepped with friction in boxes by `auto`, and of every 10th step the rows are solved
// again by each method, all rows free at the start, 35 sets at most, as the thesis has them. Steps
// in whose solution no row is tight do not count. "full dense" is what the thesis calls full; what
// it lacks is "full skyline", since a skyline helps a new factor as well.

#include "bench_figure.h"
#include "bench_lcp.h"
#include "bench_papers.h"
#include "bench_rows.h"
#include "bench_scene.h"
#include "cpu_time.h"
#include "../../lcp/condition.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAMES = 600,
    QUICK_FRAMES = 40,
    EVERY = 10,
    METHODS = 5,
    SCENES = 9,
    SETS = 35,
    FIGURES = 3,
    LANCZOS = 200
};

static const double COMPLIANCE = 1e-8; // [1/kg], of the thesis's 1e-6 to 1e-10
static const double TOLERANCE = 1e-6;  // natural map [m/s]
static const double MOST_SECONDS = 2;  // of a solve

#define SYMMETRIC .needs = PL_LCP_NEEDS_SYMMETRIC
static const struct {
    const char *label;
    pl_lcp_solver solver;
} methods[METHODS] = {
    {"full dense", {.name = "bpp-refactor-dense", SYMMETRIC, .solve = pl_lcp_bpp_refactor_dense}},
    {"full skyline",
     {.name = "bpp-refactor-skyline", SYMMETRIC, .solve = pl_lcp_bpp_refactor_skyline}},
    {"removal", {.name = "bpp-down", SYMMETRIC, .solve = pl_lcp_bpp_down}},
    {"removal, skyline", {.name = "bpp-skyline", SYMMETRIC, .solve = pl_lcp_bpp_skyline}},
    {"cache, dense", {.name = "cache-dense", SYMMETRIC, .solve = pl_lcp_bpp_cache_dense}},
};
enum { FULL, SKYLINE, REMOVAL, REMOVAL_SKYLINE, CACHE };

// [Lef20, Table 2.4]: the difference of factors by removal from new ones, over the frames.
typedef struct spread {
    double least, most, mean, median;
} spread;

// [Lef20, Tables 2.2 to 2.4]: the most rows; milliseconds of full, removal, and removal with
// skyline, in the mean; differences without and with skyline. Table 3.1: mean rows and factors in
// the cache, of the scenes of its chapter 3, of which only the forklift is one of chapter 2 (`full`
// above 0) too. Its stack of boxes is not described: ours has ten.
static const struct {
    const char *name;
    double rows, condition, mass_ratio;
    double full, removal, skyline;
    spread apart[2];
    double cache_rows, cached;
} scenes[SCENES] = {
    {"crane",
     430,
     1e9,
     6300,
     12.4,
     4.7,
     3.4,
     {{6.74e-12, 3.00e-10, 4.77e-11, 3.80e-11}, {6.76e-12, 2.50e-10, 4.84e-11, 3.88e-11}},
     0,
     0},
    {"winch",
     370,
     1e8,
     400,
     2.0,
     2.4,
     1.6,
     {{0, 7.29e-11, 6.60e-13, 1.31e-13}, {0, 7.34e-11, 6.07e-13, 1.28e-13}},
     0,
     0},
    {"parkour",
     260,
     1e19,
     20000,
     3.0,
     2.2,
     2.1,
     {{3.17e-13, 1.81e-09, 4.93e-12, 7.18e-13}, {2.71e-13, 7.99e-10, 1.85e-12, 7.36e-13}},
     0,
     0},
    {"offshore",
     350,
     1e9,
     4.4e6,
     6.7,
     4.0,
     2.9,
     {{0, 2.00e-08, 1.50e-09, 6.55e-11}, {0, 1.00e-08, 1.30e-09, 5.55e-11}},
     0,
     0},
    {"forklift",
     300,
     1e8,
     2700,
     1.2,
     1.0,
     0.8,
     {{0, 5.74e-11, 1.50e-12, 1.46e-12}, {0, 1.17e-11, 1.35e-12, 1.36e-12}},
     162.0,
     115.6},
    {"forwarder",
     250,
     1e11,
     6500,
     3.1,
     2.5,
     2.0,
     {{1.11e-10, 7.00e-08, 4.04e-09, 3.22e-09}, {1.11e-10, 7.00e-08, 4.04e-09, 3.22e-09}},
     0,
     0},
    {.name = "chain", .cache_rows = 528.9, .cached = 272.5},
    {.name = "tower", .cache_rows = 829.9, .cached = 3100.5},
    {.name = "stack-ten", .cache_rows = 333.9, .cached = 1351.9}};

typedef struct measurement {
    pl_arena arena;
    const char *scene;
    bool is_cached; // of chapter 3 alone: no more than what the cache is compared with
    int32_t frame, n_step, most_rows, solved[METHODS];
    double rows, tight, most_tight, seconds[METHODS], apart; // apart: of x, relative, the most
    double condition, mass_ratio;                            // the condition is the largest
    double cached;                                           // sum of factors in the cache
    int32_t n_distance[2];
    double distance[2][FRAMES / EVERY]; // of factors by removal, without and with skyline
    pl_figure *figure;                  // (FIGURES) 2.3, 2.7, 3.1
} measurement;

static bool is_wanted(const measurement *m, int method)
{
    return !m->is_cached || method == FULL || method == REMOVAL || method == CACHE;
}

static pl_status solve(measurement *m, const pl_lcp *lcp, int method, double *x, double *seconds,
                       bool *solved)
{
    *seconds = NAN;
    *solved = false;
    if (!is_wanted(m, method)) return PL_OK;
    pl_lcp_options options = pl_lcp_options_default();
    pl_lcp_stats stats;
    options.tolerance = TOLERANCE;
    options.pivot_tolerance = 0.1 * TOLERANCE;
    options.max_iterations = SETS;
    options.max_seconds = MOST_SECONDS;
    pl_bench_all_free(lcp, x);
    pl_arena_mark mark = pl_arena_here(&m->arena);
    double started = pl_cpu_seconds();
    pl_status status = pl_lcp_solve(&methods[method].solver, lcp, &options, &m->arena, x, &stats);
    *seconds = pl_cpu_seconds() - started;
    *solved = stats.end == PL_LCP_SOLVED;
    if (method == CACHE) m->cached += 1 + (double)stats.updates; // each removal leaves one
    pl_arena_back(&m->arena, mark);
    return status == PL_ERROR_NUMERICS ? PL_OK : status;
}

static double difference(int32_t n, const double *x, const double *y)
{
    double most = 0, size = 0;
    for (int32_t i = 0; i < n; i++) {
        most = PL_MAX(most, fabs(x[i] - y[i]));
        size = PL_MAX(size, fabs(x[i]));
    }
    return size > 0 ? most / size : 0;
}

static pl_status draw_step(measurement *m, double tight, const double *seconds)
{
    if (!m->is_cached) {
        PL_TRY(pl_figure_add(&m->figure[0], 0, m->scene, m->frame, 100 * tight));
    }
    for (int i = 0; i < METHODS && m->figure[1].title != NULL; i++) {
        if (i != CACHE && !m->is_cached) {
            PL_TRY(pl_figure_add(&m->figure[1], 0, methods[i].label, m->frame, 1e3 * seconds[i]));
        }
        if (i == CACHE || i == REMOVAL) {
            PL_TRY(pl_figure_add(&m->figure[2], 0, methods[i].label, m->frame, 1e3 * seconds[i]));
        }
    }
    return PL_OK;
}

// The factors of the solution's set [Lef20, Table 2.4], and the condition of all rows.
static pl_status look_at_factors(measurement *m, const pl_lcp *lcp, const double *x)
{
    double condition;
    PL_TRY(pl_lcp_condition(lcp, LANCZOS, &condition, NULL));
    m->condition = fmax(m->condition, condition);
    for (int narrow = 0; narrow < 2; narrow++) {
        double is, of_x;
        pl_arena_mark mark = pl_arena_here(&m->arena);
        PL_TRY(pl_bench_factor_distance(lcp, x, narrow != 0, &m->arena, &is, &of_x));
        pl_arena_back(&m->arena, mark);
        if (!isnan(is)) m->distance[narrow][m->n_distance[narrow]++] = is;
    }
    return PL_OK;
}

static pl_status solve_rows(void *user, const pl_lcp *lcp)
{
    measurement *m = user;
    double *x[2], seconds[METHODS];
    bool solved[METHODS];
    for (int i = 0; i < 2; i++) {
        x[i] = pl_arena_take(&m->arena, lcp->n, sizeof *x[i]);
        if (x[i] == NULL) return PL_ERROR_MEMORY;
    }
    PL_TRY(solve(m, lcp, FULL, x[0], &seconds[FULL], &solved[FULL]));
    double tight = pl_bench_tight(lcp, x[0]);
    if (tight == 0) return PL_OK;
    if (!m->is_cached && solved[FULL]) PL_TRY(look_at_factors(m, lcp, x[0]));
    for (int i = 1; i < METHODS; i++) {
        PL_TRY(solve(m, lcp, i, x[1], &seconds[i], &solved[i]));
        if (solved[FULL] && solved[i]) m->apart = PL_MAX(m->apart, difference(lcp->n, x[0], x[1]));
    }
    for (int i = 0; i < METHODS; i++) m->seconds[i] += seconds[i], m->solved[i] += solved[i];
    m->n_step++;
    m->rows += lcp->n;
    m->most_rows = PL_MAX(m->most_rows, lcp->n);
    m->tight += tight;
    m->most_tight = PL_MAX(m->most_tight, tight);
    return draw_step(m, tight, seconds);
}

static void print(const measurement *m, int scene, FILE *csv)
{
    double n = PL_MAX(m->n_step, 1), full = m->seconds[FULL];
    printf(
        "\n%s: %d steps with tight rows, %.0f rows, %.1f %% tight in the mean, %.1f %% at most; x "
        "differs by %.1e of its largest\n",
        scenes[scene].name, m->n_step, m->rows / n, 100 * m->tight / n, 100 * m->most_tight,
        m->apart);
    const double thesis[METHODS] = {scenes[scene].full, 0, scenes[scene].removal,
                                    scenes[scene].skyline, 0};
    printf("  %-17s %8s %9s %6s   %s\n", "", "solved", "ms", "gain", "[Lef20] ms, gain");
    for (int i = 0; i < METHODS && m->n_step > 0; i++) {
        if (!is_wanted(m, i)) continue;
        printf("  %-17s %4d/%-3d %9.3f %6.2f", methods[i].label, m->solved[i], m->n_step,
               1e3 * m->seconds[i] / n, full / m->seconds[i]);
        if (thesis[i] > 0) printf("   %8.1f %6.2f", thesis[i], thesis[0] / thesis[i]);
        if (i == CACHE) printf("   %.1f factors in the cache", m->cached / n);
        printf("\n");
        fprintf(csv, "%s,\"%s\",%d,%d,%.1f,%.4f,%.6f,%.4f,%g\n", scenes[scene].name,
                methods[i].label, m->n_step, m->solved[i], m->rows / n, m->tight / n,
                1e3 * m->seconds[i] / n, full / m->seconds[i], thesis[i]);
    }
    fflush(stdout);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static spread spread_of(int32_t n, double *x)
{
    spread s = {NAN, NAN, 0, NAN};
    if (n == 0) return (spread){NAN, NAN, NAN, NAN};
    qsort(x, (size_t)n, sizeof *x, by_size);
    for (int32_t i = 0; i < n; i++) s.mean += x[i] / n;
    s.least = x[0], s.most = x[n - 1];
    s.median = 0.5 * (x[(n - 1) / 2] + x[n / 2]);
    return s;
}

static pl_status report_factors(measurement *m, int scene, pl_papers *papers)
{
    static const char *const labels[2][4] = {
        {"least", "most", "mean", "median"},
        {"skyline: least", "skyline: most", "skyline: mean", "skyline: median"}};
    for (int k = 0; k < 2; k++) {
        spread s = spread_of(m->n_distance[k], m->distance[k]);
        const double ours[] = {s.least, s.most, s.mean, s.median};
        const spread *t = &scenes[scene].apart[k];
        const double theirs[] = {t->least, t->most, t->mean, t->median};
        for (int i = 0; i < 4; i++) {
            PL_TRY(pl_papers_add(papers, PL_LEF20_2_4, m->scene, labels[k][i], ours[i], theirs[i]));
        }
    }
    return PL_OK;
}

// Into the tables 2.2 to 2.4 and 3.1.
static pl_status report(measurement *m, int scene, pl_papers *papers)
{
    const char *name = scenes[scene].name;
    double n = m->n_step;
    const double theirs[METHODS] = {scenes[scene].full, NAN, scenes[scene].removal,
                                    scenes[scene].skyline, NAN};
    if (m->n_step == 0) return PL_OK;
    if (scenes[scene].cached > 0) {
        PL_TRY(pl_papers_add(papers, PL_LEF20_3_1, name, "rows", m->rows / n,
                             scenes[scene].cache_rows));
        PL_TRY(pl_papers_add(papers, PL_LEF20_3_1, name, "factors", m->cached / n,
                             scenes[scene].cached));
        PL_TRY(pl_papers_add(papers, PL_LEF20_3_1, name, "time / uncached",
                             m->seconds[CACHE] / m->seconds[REMOVAL], NAN));
    }
    if (m->is_cached) return PL_OK;
    PL_TRY(pl_papers_add(papers, PL_LEF20_2_2, name, "rows at most", m->most_rows,
                         scenes[scene].rows));
    PL_TRY(pl_papers_add(papers, PL_LEF20_2_2, name, "condition", m->condition,
                         scenes[scene].condition));
    PL_TRY(pl_papers_add(papers, PL_LEF20_2_2, name, "mass ratio", m->mass_ratio,
                         scenes[scene].mass_ratio));
    for (int i = 0; i < CACHE; i++) {
        const char *label = methods[i].label;
        PL_TRY(
            pl_papers_add(papers, PL_LEF20_2_3, name, label, 1e3 * m->seconds[i] / n, theirs[i]));
        PL_TRY(pl_papers_add(papers, PL_LEF20_2_3_GAINS, name, label,
                             m->seconds[FULL] / m->seconds[i], theirs[FULL] / theirs[i]));
    }
    return report_factors(m, scene, papers);
}

static pl_status run_scene(const pl_bench_options *options, int scene, pl_figure *share, FILE *csv)
{
    char file[64], title[3][96];
    const char *name = scenes[scene].name;
    snprintf(file, sizeof file, "%s.json", name);
    snprintf(title[1], sizeof title[1], "%s: time per step [Lef20, Fig. 2.7]", name);
    snprintf(title[2], sizeof title[2], "%s: with and without the cache [Lef20, Fig. 3.1]", name);
    pl_figure figure[FIGURES] = {
        *share, {.title = title[1], .x_label = "step"}, {.title = title[2], .x_label = "step"}};
    for (int i = 1; i < FIGURES; i++) {
        figure[i].panel[0].title = "Processor time [ms]";
        figure[i].panel[0].log = true;
    }
    measurement m = {.scene = name, .figure = figure, .is_cached = scenes[scene].full == 0};
    pl_play play;
    const pl_bench_scene from = {.name = name, .file = file};
    const pl_bench_change change = {.friction_model = "box"};
    pl_status status = pl_bench_start(&from, &change, &play);
    if (pl_bench_skips(&from, status)) return PL_OK;
    PL_TRY(status);
    m.mass_ratio = pl_bench_mass_ratio(play.world);
    for (int32_t i = 0; i < (options->quick ? QUICK_FRAMES : FRAMES) && status == PL_OK; i++) {
        status = pl_play_step(&play);
        m.frame = i + 1;
        if (status != PL_OK || i % EVERY != EVERY - 1) continue;
        status = pl_bench_world_rows(play.world, COMPLIANCE, &m.arena, solve_rows, &m);
    }
    pl_play_close(&play);
    *share = figure[0];
    print(&m, scene, csv);
    pl_arena_free(&m.arena);
    if (pl_bench_skips(&from, status)) status = PL_OK; // what there is counts
    if (status == PL_OK) status = report(&m, scene, options->papers);
    snprintf(title[0], sizeof title[0], "lef20-2.7-%s", name);
    if (status == PL_OK) status = pl_figure_write(&figure[1], options, title[0]);
    snprintf(title[0], sizeof title[0], "lef20-3.1-%s", name);
    if (status == PL_OK) status = pl_figure_write(&figure[2], options, title[0]);
    pl_figure_free(&figure[1]);
    pl_figure_free(&figure[2]);
    return status;
}

pl_status pl_bench_lef20(const pl_bench_options *options)
{
    char *path;
    pl_status status = PL_OK;
    PL_TRY(pl_bench_path(options, "", "lef20.csv", &path));
    FILE *csv = fopen(path, "w");
    if (csv == NULL) status = pl_fail(PL_ERROR_FILE, "%s cannot be written", path);
    pl_free(path);
    PL_TRY(status);
    printf("Block principal pivoting on every %dth step of the scenes of [Lef20], all rows free at "
           "the\nstart, at most %d sets; means over the steps in whose solution a row is tight. "
           "One thread, time\nof the processor; gains over full dense.\n",
           EVERY, SETS);
    fprintf(csv, "scene,method,steps,solved,rows,tight,ms,gain,ms_lef20\n");
    pl_figure share = {.title = "Share of tight rows [Lef20, Fig. 2.3: mostly below 15 %]",
                       .x_label = "step"};
    share.panel[0].title = "Tight rows [%]";
    for (int i = 0; i < SCENES && status == PL_OK; i++) {
        if (options->quick && strcmp(scenes[i].name, "forklift") != 0) continue;
        if (options->only != NULL && strcmp(scenes[i].name, options->only) != 0) continue;
        status = run_scene(options, i, &share, csv);
    }
    fclose(csv);
    printf("\n");
    if (status == PL_OK) status = pl_figure_write(&share, options, "lef20-2.3");
    pl_figure_free(&share);
    return status;
}
