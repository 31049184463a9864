// pliant bench ho22: pivoting with direct and with iterative inner solvers on the scenes of [Ho22,
// 6], beside the thesis's tables 6.2 to 6.5.
//
// A scene is stepped with friction in boxes, whose bounds come from a solve without friction
// [Ho22, 2.33 (a)], by `auto`. Of every 25th step the rows are solved again by each solver, with
// all rows free at the start, as the thesis starts them, and as one problem: the thesis solves
// unconnected sets of bodies one by one and adds their iterations up. Steps in which no row ends
// tight do not count (6.2). A compliance of 1e-8 1/kg is added to each row, of the thesis's 1e-7 to
// 1e-10.

#include "bench_figure.h"
#include "bench_papers.h"
#include "bench_rows.h"
#include "bench_scene.h"
#include "../../lcp/condition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    LANCZOS = 200,
    FRAMES = 300,
    QUICK_FRAMES = 25,
    EVERY = 25,
    METHODS = 5,
    PRECONDS = 5,
    SCENES = 7,
    FIGURES = 4
};

static const double COMPLIANCE = 1e-8; // [1/kg]
// Natural map [m/s]; no less than what inner solves leave.
static const double TOLERANCE = 1e-5;
static const double INNER = 1e-6; // |r| of inner solves [m/s], of the thesis
// Of a solve, in all and of --quick.
static const double MOST_SECONDS = 5, MOST_SECONDS_QUICK = 0.2;

// Solvers as the thesis has them; d of adaptive regularization is 0 where there is none.
static const struct {
    const char *label, *solver;
    int32_t regularize_after;
} methods[METHODS] = {{"BPP", "bpp", 0},
                      {"BPP+PCG", "bpp-pcg", 0},
                      {"PGCG", "pgcg", 0},
                      {"BPP+PCG d 10", "bpp-pcg", 10},
                      {"BPP+PCG d 5", "bpp-pcg", 5}};

// Outer iterations, largest error [J] and time [ms] in the thesis; 0: not given.
typedef struct published {
    double outer, energy, ms;
} published;

static const struct {
    const char *name;
    double rows, condition, mass_ratio; // at most; of masses, 0 where all are alike
    published by[METHODS];
} scenes[SCENES] = {
    {"boxes", 12000, 1e8, 0, {{1.6, 2.3e-11, 68}, {1.6, 2.3e-11, 22}, {1.5, 9.7e-23, 27}}},
    {"tower", 1300, 1e8, 50, {{40.9, 2.8e-17, 35}, {40.9, 1.9e-11, 67}, {31.7, 7.6e-12, 160}}},
    {"spinner", 2920, 1e6, 25000, {{9.6, 2.7e-22, 5.3}, {9.6, 6.3e-14, 1.3}, {9.5, 6.0e-14, 1.0}}},
    {"chain",
     1480,
     1e8,
     2000,
     {{68.0, 3.5e-20, 510},
      {68.0, 1.2e-13, 1100},
      {17.2, 1.1e-13, 1400},
      {17.5, 0, 0},
      {14.8, 0, 0}}},
    {"trucks",
     5650,
     1e10,
     8000,
     {{47.6, 1.4e-13, 980},
      {47.6, 8.6e-11, 9300},
      {7.8, 9.3e-11, 5100},
      {28.2, 0, 0},
      {19.6, 0, 0}}},
    {"rocks",
     1800,
     1e9,
     250,
     {{17.5, 6.4e-19, 630},
      {17.5, 9.4e-17, 20000},
      {64.4, 2.4e-16, 50000},
      {16.5, 0, 0},
      {17.1, 0, 0}}},
    {"wall", 1006, 1e9, 4, {{1900, 1.8e10, 4700}, {1300, 1.8e10, 54000}, {32.9, 1.1e-11, 600}}}};

// Preconditioners of figure 6.1.
static const struct {
    const char *label;
    pl_lcp_precond precond;
    bool reordered;
} preconds[PRECONDS] = {{"Jacobi", PL_LCP_PRECOND_JACOBI, false},
                        {"IC(0), imaginary", PL_LCP_PRECOND_IMAGINARY, false},
                        {"ICT(1e-5), shifted", PL_LCP_PRECOND_ICT, false},
                        {"IC(0), reordered", PL_LCP_PRECOND_IMAGINARY, true},
                        {"ICT(1e-5), reordered", PL_LCP_PRECOND_ICT, true}};

// What a method took, over the steps that count.
typedef struct tally {
    int32_t n, solved;
    double outer, inner, imaginary, seconds, energy;
    uint64_t hash;
} tally;

typedef struct measurement {
    pl_arena arena;
    double most_seconds; // of a solve
    tally by[METHODS];
    int32_t n_step, most_rows, frame;
    double rows, most_condition, mass_ratio;
    pl_lcp_stats stats[METHODS]; // of this step
    pl_figure *figure;           // (3) of all scenes
    double inner[PRECONDS];      // of the chain: sums of PGCG's inner iterations
    pl_figure *chain;            // of the chain; NULL: it is another scene
} measurement;

// --- One problem ---

static void set_options(const measurement *m, int32_t method, pl_lcp_options *o)
{
    *o = pl_lcp_options_default();
    o->tolerance = TOLERANCE;
    o->inner_tolerance = INNER;
    o->max_iterations = 20000;
    o->max_seconds = m->most_seconds;
    if (methods[method].regularize_after == 0) return;
    o->regularize = 1e-3;
    o->regularize_after = methods[method].regularize_after;
}

static pl_status solve(measurement *m, const pl_lcp *lcp, int32_t method, double *x)
{
    pl_lcp_options options;
    const pl_lcp_solver *solver;
    pl_lcp_stats stats;
    PL_TRY(pl_lcp_solver_find(methods[method].solver, &solver));
    set_options(m, method, &options);
    pl_bench_all_free(lcp, x);
    pl_arena_mark mark = pl_arena_here(&m->arena);
    pl_status status = pl_lcp_solve(solver, lcp, &options, &m->arena, x, &stats);
    pl_arena_back(&m->arena, mark);
    if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
    tally *t = m->by + method;
    m->stats[method] = stats;
    t->n++;
    t->solved += stats.end == PL_LCP_SOLVED;
    t->outer += stats.iterations, t->inner += (double)stats.inner;
    t->imaginary += stats.imaginary, t->seconds += stats.seconds;
    t->energy = PL_MAX(t->energy, stats.errors.energy);
    return PL_OK;
}

// The figures: over the condition, the rows and the share of imaginary columns [Ho22, Fig. 6.2 to
// 6.4].
static pl_status note(measurement *m, const pl_lcp *lcp, double condition, int32_t method)
{
    static const char *const labels[] = {"BPP", "BPP+PCG", "PGCG"};
    const pl_lcp_stats *s = &m->stats[method];
    if (method > 2) return PL_OK;
    const char *label = labels[method];
    double ms = log10(1e3 * PL_MAX(s->seconds, 1e-9));
    PL_TRY(pl_figure_add(&m->figure[0], 0, label, log10(condition), ms));
    PL_TRY(pl_figure_add(&m->figure[1], 0, label, log10(lcp->n), ms));
    if (method == 0) return PL_OK;
    return pl_figure_add(&m->figure[2], 0, label, 100 * s->imaginary, (double)s->inner);
}

// Inner iterations of PGCG with each preconditioner [Ho22, Fig. 6.1]. What an incomplete factor is
// worth depends on the order of rows, which the thesis does not tell.
static pl_status compare_preconditioners(measurement *m, const pl_lcp *lcp, double *x)
{
    pl_lcp other;
    PL_TRY(pl_bench_reorder(lcp, &m->arena, &other));
    for (int i = 0; i < PRECONDS; i++) {
        const pl_lcp *rows = preconds[i].reordered ? &other : lcp;
        pl_lcp_options options;
        pl_lcp_stats stats;
        const pl_lcp_solver *solver;
        PL_TRY(pl_lcp_solver_find("pgcg", &solver));
        set_options(m, 2, &options);
        options.precond = preconds[i].precond;
        pl_bench_all_free(rows, x);
        pl_arena_mark mark = pl_arena_here(&m->arena);
        pl_status status = pl_lcp_solve(solver, rows, &options, &m->arena, x, &stats);
        pl_arena_back(&m->arena, mark);
        if (status != PL_OK && status != PL_ERROR_NUMERICS) return status;
        m->inner[i] += (double)stats.inner;
        PL_TRY(pl_figure_add(m->chain, 0, preconds[i].label, m->frame, (double)stats.inner));
    }
    return PL_OK;
}

static pl_status solve_rows(void *user, const pl_lcp *lcp)
{
    measurement *m = user;
    int32_t n = lcp->n;
    double *x = pl_arena_take(&m->arena, n, sizeof *x), condition;
    if (x == NULL) return PL_ERROR_MEMORY;
    tally before = m->by[0];
    for (int32_t i = 0; i < METHODS; i++) {
        PL_TRY(solve(m, lcp, i, x));
        if (i > 0 || pl_bench_tight(lcp, x) > 0) continue;
        m->by[0] = before; // it does not count
        return PL_OK;
    }
    PL_TRY(pl_lcp_condition(lcp, LANCZOS, &condition, NULL));
    for (int32_t i = 0; i < METHODS; i++) PL_TRY(note(m, lcp, condition, i));
    if (m->chain != NULL) PL_TRY(compare_preconditioners(m, lcp, x));
    m->n_step++;
    m->rows += n;
    m->most_rows = PL_MAX(m->most_rows, n);
    m->most_condition = PL_MAX(m->most_condition, condition);
    return PL_OK;
}

// --- Scenes ---

static pl_status step_scene(measurement *m, pl_play *play, int32_t frames)
{
    for (int32_t i = 0; i < frames; i++) {
        PL_TRY(pl_play_step(play));
        m->frame = i + 1;
        if (i % EVERY != EVERY - 1) continue;
        PL_TRY(pl_bench_world_rows(play->world, COMPLIANCE, &m->arena, solve_rows, m));
    }
    return PL_OK;
}

static void print(const measurement *m, int32_t scene, FILE *csv)
{
    printf("\n%s: %d steps with tight rows, %.0f rows in the mean, %d at most\n",
           scenes[scene].name, m->n_step, m->n_step > 0 ? m->rows / m->n_step : 0, m->most_rows);
    printf("  %-16s %8s %8s %8s %8s %9s %9s   %8s %9s %8s\n", "", "solved", "outer", "inner", "ms",
           "error J", "imaginary", "[Ho22]", "error J", "ms");
    for (int32_t i = 0; i < METHODS; i++) {
        const tally *t = m->by + i;
        const published *p = scenes[scene].by + i;
        double n = PL_MAX(t->n, 1);
        printf("  %-16s %4d/%-3d %8.1f %8.0f %8.3f %9.2g %8.1f%%   ", methods[i].label, t->solved,
               t->n, t->outer / n, t->inner / n, 1e3 * t->seconds / n, t->energy,
               100 * t->imaginary / n);
        if (p->outer > 0) printf("%8.1f", p->outer);
        if (p->energy > 0) printf(" %9.2g %8.3g", p->energy, p->ms);
        printf("\n");
        fprintf(csv, "%s,%s,%d,%d,%.1f,%.3f,%.1f,%.6f,%.4g,%.4f,%g,%g,%g\n", scenes[scene].name,
                methods[i].label, t->n, t->solved, m->rows / PL_MAX(m->n_step, 1), t->outer / n,
                t->inner / n, 1e3 * t->seconds / n, t->energy, t->imaginary / n, p->outer,
                p->energy, p->ms);
    }
    for (int32_t i = 0; i < PRECONDS && m->chain != NULL && m->n_step > 0; i++) {
        printf("  PGCG with %-20s %8.0f inner iterations, %.3g of Jacobi's\n", preconds[i].label,
               m->inner[i] / m->n_step, m->inner[i] / m->inner[0]);
    }
    fflush(stdout);
}

static double or_none(double x)
{
    return x > 0 ? x : NAN;
}

// Into the tables 6.1 to 6.5.
static pl_status report(const measurement *m, int32_t scene, pl_papers *papers)
{
    const char *name = scenes[scene].name;
    const published *p = scenes[scene].by;
    bool regularized = p[3].outer > 0;
    if (m->n_step == 0) return PL_OK; // no row is ever tight
    PL_TRY(
        pl_papers_add(papers, PL_HO22_6_1, name, "rows at most", m->most_rows, scenes[scene].rows));
    PL_TRY(pl_papers_add(papers, PL_HO22_6_1, name, "condition", m->most_condition,
                         scenes[scene].condition));
    PL_TRY(pl_papers_add(papers, PL_HO22_6_1, name, "mass ratio", m->mass_ratio,
                         or_none(scenes[scene].mass_ratio)));
    for (int32_t i = 0; i < METHODS; i++) {
        const tally *t = m->by + i;
        const char *label = methods[i].label;
        double n = PL_MAX(t->n, 1), outer = t->outer / n;
        PL_TRY(pl_papers_add(papers, PL_HO22_SOLVED, name, label, t->solved / n, NAN));
        if (regularized && i != 0 && i != 2) {
            PL_TRY(pl_papers_add(papers, PL_HO22_6_5, name, label, outer, p[i].outer));
        }
        if (i > 2) continue;
        PL_TRY(pl_papers_add(papers, PL_HO22_6_2, name, label, outer, p[i].outer));
        PL_TRY(pl_papers_add(papers, PL_HO22_6_3, name, label, t->energy, p[i].energy));
        PL_TRY(pl_papers_add(papers, PL_HO22_6_4, name, label, 1e3 * t->seconds / n, p[i].ms));
    }
    return PL_OK;
}

static pl_status run_scene(const pl_bench_options *options, int32_t scene, pl_figure *figure,
                           FILE *csv)
{
    char file[64];
    measurement m = {.most_seconds = options->quick ? MOST_SECONDS_QUICK : MOST_SECONDS,
                     .figure = figure};
    if (strcmp(scenes[scene].name, "chain") == 0) m.chain = figure + 3;
    pl_play play;
    snprintf(file, sizeof file, "%s.json", scenes[scene].name);
    const pl_bench_scene from = {.name = scenes[scene].name, .file = file};
    const pl_bench_change change = {.friction_model = "box"};
    pl_status status = pl_bench_start(&from, &change, &play);
    if (pl_bench_skips(&from, status)) return PL_OK;
    PL_TRY(status);
    m.mass_ratio = pl_bench_mass_ratio(play.world);
    status = step_scene(&m, &play, options->quick ? QUICK_FRAMES : FRAMES);
    pl_play_close(&play);
    if (!pl_bench_skips(&from, status) && status == PL_OK) {
        print(&m, scene, csv);
        status = report(&m, scene, options->papers);
    }
    pl_arena_free(&m.arena);
    return status == PL_ERROR_MEMORY ? status : PL_OK;
}

// 6.2, 6.3, 6.4, and 6.1 last. The thesis gives no numbers of them: what it says is in the titles.
static void start_figures(pl_figure *figure)
{
    static const struct {
        const char *title, *x_label, *panel;
        bool log, points;
    } texts[FIGURES] = {
        {"Ho22, Fig. 6.2 (there the time of PCG solvers grows)",
         "log10 of the condition, estimated", "log10 of the time [ms]", false, true},
        {"Ho22, Fig. 6.3 (there PCG stays slower than BPP)", "log10 of the rows",
         "log10 of the time [ms]", false, true},
        {"Ho22, Fig. 6.4 (there iterations grow with the share)",
         "imaginary columns, mean over factors [%]", "Inner iterations", true, true},
        {"Ho22, Fig. 6.1, chain, PGCG (there IC(0) a hundredth of Jacobi)", "step",
         "Inner iterations", true, false}};
    for (int i = 0; i < FIGURES; i++) {
        figure[i] = (pl_figure){.title = texts[i].title, .x_label = texts[i].x_label};
        figure[i].panel[0].title = texts[i].panel;
        figure[i].panel[0].log = texts[i].log;
        figure[i].panel[0].points = texts[i].points;
    }
}

pl_status pl_bench_ho22(const pl_bench_options *options)
{
    char *path;
    pl_status status = PL_OK;
    PL_TRY(pl_bench_path(options, "", "ho22.csv", &path));
    FILE *csv = fopen(path, "w");
    if (csv == NULL) status = pl_fail(PL_ERROR_FILE, "%s cannot be written", path);
    pl_free(path);
    PL_TRY(status);
    printf(
        "Pivoting on every 25th step of the scenes of [Ho22], from all rows free; means over the "
        "steps\nin which a row ends tight, errors are the largest. One thread.\n");
    fprintf(csv, "scene,method,steps,solved,rows,outer,inner,ms,energy,imaginary,outer_ho22,"
                 "energy_ho22,ms_ho22\n");
    pl_figure figure[FIGURES];
    start_figures(figure);
    for (int32_t i = 0; i < SCENES && status == PL_OK; i++) {
        if (options->quick && strcmp(scenes[i].name, "wall") != 0) continue;
        if (options->only != NULL && strcmp(scenes[i].name, options->only) != 0) continue;
        status = run_scene(options, i, figure, csv);
    }
    fclose(csv);
    printf("\n");
    static const char *const names[FIGURES] = {"ho22-6.2", "ho22-6.3", "ho22-6.4", "ho22-6.1"};
    for (int i = 0; i < FIGURES; i++) {
        if (status == PL_OK) status = pl_figure_write(&figure[i], options, names[i]);
        pl_figure_free(&figure[i]);
    }
    return status;
}
