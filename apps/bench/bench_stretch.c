// pliant bench table1 --stretch N: Table 1 of VJ19 as the paper takes it. Each method goes N steps
// on its own trajectory, from the same state in contact; means and medians over the steps, beside
// the paper's. `cr` runs as printed, with its loop; `ica free` starts each step from the velocities
// without contacts, and looks for contacts on their way, as the paper's ICA does [VJ19, 6.2.2].

#include "bench_scene.h"
#include "cpu_time.h"
#include "../../base/file.h"
#include "../../base/team.h"
#include "../../solvers/cr.h"
#include "../../solvers/problem_api.h"
#include "../../world/constraint_step.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENES = 6, METHODS = 7, APPLICATIONS = 20 };

// Wall clock after which a method ends where it is [s].
static const double MOST_SECONDS = 300, MOST_SECONDS_QUICK = 5;

// To what VJ19 solves [6.2]; and the loop that it prints has no limit of rounds.
static const double RESIDUAL_TOLERANCE = 5e-5, CONTACT_TOLERANCE = 5e-6;
enum { MOST_ROUNDS = 100 };

static const char *const scenes[SCENES] = {"rings",   "pyramid",   "rings-stiff",
                                           "bunnies", "armadillo", "bearing"};

static const struct {
    const char *name, *solver, *precond;
    bool vj19, starts_free;
} methods[METHODS] = {
    {"auto", "auto", NULL, false, false},   {"cr full", "cr", "full", true, false},
    {"cr diag", "cr", "diag", true, false}, {"ica", "ica", NULL, false, false},
    {"ica free", "ica", NULL, false, true}, {"sp-as", "sp-as", NULL, false, false},
    {"sp-cr", "sp-cr", NULL, false, false}};
enum { CR_FULL = 1 };

// [VJ19, Table 1]: seconds of resolution, mean and median, and of collision; iterations, mean and
// median; constraints, which are rows.
typedef struct published {
    const char *scene, *method;
    double solve, solve_median, collision, iterations, iterations_median, constraints;
} published;

static const published in_paper[] = {
    {"rings", "sp-as", 5.6, 3.2, 0.68, 1546, 780, 2385},
    {"rings", "sp-cr", 5.0, NAN, 0.68, 814, 728, 2340},
    {"rings", "cr diag", 2.8, NAN, 1.1, 451, 340, 2435},
    {"rings", "ica free", 0.8, NAN, 0.85, 180, 134, 2846},
    {"rings", "cr full", 0.52, 0.44, 0.94, 97, 76, 2280},
    {"pyramid", "sp-as", 20.8, NAN, 2.9, 1088, 604, 8647},
    {"pyramid", "sp-cr", 15.6, NAN, 3.7, 463, 332, 8901},
    {"pyramid", "cr diag", 7.6, NAN, 4.4, 229, 179, 8871},
    {"pyramid", "ica free", 14.2, 3.8, 3.77, 558, 75, 8734},
    {"pyramid", "cr full", 2.3, 1.9, 3.77, 69, 59, 8565},
    {"rings-stiff", "sp-as", 20.2, NAN, 0.9, 3373, 2423, 2290},
    {"rings-stiff", "ica free", 2.1, NAN, 0.78, 655, 550, 2439},
    {"rings-stiff", "cr full", 0.8, NAN, 0.84, 154, 103, 1898},
    {"bunnies", "ica free", 174, 160, 4.95, 7206, 6261, 876},
    {"bunnies", "cr full", 31.3, 17.8, 4.89, 900, 534, 700},
    {"armadillo", "sp-as", 395, NAN, 6.8, 6839, 5393, 4335},
    {"armadillo", "ica free", 255, 95, 4.15, 344, 286, 4170},
    {"armadillo", "cr full", 6.55, 5.44, 4.14, 81, 71, 4350},
    {"bearing", "cr full", 19.38, 18.88, 3.54, 480, 463, 4044},
};

static const published *find_published(const char *scene, const char *method)
{
    for (size_t i = 0; i < sizeof in_paper / sizeof *in_paper; i++) {
        const published *p = &in_paper[i];
        if (strcmp(p->scene, scene) == 0 && strcmp(p->method, method) == 0) return p;
    }
    return NULL;
}

// --- A stretch ---

// What the steps of a method took; arrays (n).
typedef struct stretch {
    int32_t n;
    double *iterations, *solve_ms;
    double collision, total, constraints, rounds, relinearizations; // sums; times in seconds
    int32_t most_relinearizations, rescued, halvings;
    double seconds; // of the processor
    uint64_t hash;
    bool broke_off;
} stretch;

typedef struct mean {
    double mean, median;
} mean;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// x (n) is sorted.
static mean mean_of(int32_t n, double *x)
{
    mean m = {0, NAN};
    qsort(x, (size_t)n, sizeof *x, by_size);
    for (int32_t i = 0; i < n; i++) m.mean += x[i] / n;
    if (n > 0) m.median = 0.5 * (x[(n - 1) / 2] + x[n / 2]);
    return m;
}

static pl_status note_step(pl_play *play, void *user)
{
    stretch *s = user;
    const pl_step_stats *stats = &play->stats;
    s->iterations[s->n] = stats->iterations;
    s->solve_ms[s->n++] = 1e3 * stats->t_solve;
    s->collision += stats->t_collision;
    s->total += stats->t_total;
    s->constraints += 3.0 * stats->contacts;
    s->rounds += stats->rounds;
    s->relinearizations += stats->relinearizations;
    s->most_relinearizations = PL_MAX(s->most_relinearizations, stats->relinearizations);
    s->rescued += stats->rescues > 0;
    s->halvings += stats->halvings;
    s->hash = stats->hash;
    return PL_OK;
}

// The share of a solve that the preconditioner of `cr` takes, to be made and to be applied, in the
// problem of the last step.
static pl_status find_shares(const pl_world *world, double *build, double *apply)
{
    pl_problem *problem;
    pl_cr cr;
    pl_workspace ws = {0};
    pl_solve_stats stats = {0}, solved;
    pl_solver_options options = world->constraints->options;
    *build = *apply = NAN;
    if (pl_world_problem(world, &problem) != PL_OK) return PL_OK;
    const pl_recorded *recorded = &pl_problem_owner(problem)->recorded;
    pl_status status = pl_workspace_prepare(problem, &ws, recorded->v);
    if (status == PL_OK)
        status = pl_cr_create(problem, &options, &ws, &stats, PL_CR_RESIDUALS, &cr);
    if (status == PL_OK) {
        pl_cr_load(&cr, recorded->v, recorded->f);
        pl_cr_states_start(&cr);
        pl_cr_residual(&cr);
        double started = pl_cpu_seconds();
        status = pl_cr_precond_create(&cr);
        *build = pl_cpu_seconds() - started;
        started = pl_cpu_seconds();
        for (int i = 0; i < APPLICATIONS; i++) pl_cr_precond_apply(&cr, &cr.r, &cr.z);
        *apply = (pl_cpu_seconds() - started) / APPLICATIONS;
    }
    if (status == PL_OK) {
        const pl_solver *solver;
        PL_TRY(pl_solver_find("cr", &solver));
        double started = pl_cpu_seconds();
        status = pl_solve(solver, problem, &options, &ws, recorded->v, recorded->f, &solved);
        double seconds = pl_cpu_seconds() - started;
        *build /= seconds;
        *apply *= solved.iterations / seconds;
        if (status == PL_ERROR_NUMERICS) status = PL_OK;
    }
    pl_workspace_free(&ws);
    pl_problem_destroy(problem);
    return status;
}

static pl_status run(const pl_bench_options *options, const pl_bench_scene *scene, int method,
                     stretch *s, double shares[2])
{
    const pl_bench_change change = {.solver = methods[method].solver,
                                    .precond = methods[method].precond,
                                    .residual_tolerance = RESIDUAL_TOLERANCE,
                                    .contact_tolerance = CONTACT_TOLERANCE,
                                    .vj19 = methods[method].vj19};
    pl_play play;
    PL_TRY(pl_bench_open(scene, options, &change, &play));
    if (methods[method].vj19) play.world->options.rounds = MOST_ROUNDS;
    play.world->constraints->starts_free = methods[method].starts_free;
    play.last = pl_world_steps(play.world) + options->stretch;
    play.step_seconds = 0;
    play.deadline = pl_seconds() + (options->quick ? MOST_SECONDS_QUICK : MOST_SECONDS);
    double started = pl_cpu_seconds();
    pl_status status = pl_play_run(&play, note_step, s);
    s->seconds = pl_cpu_seconds() - started;
    s->broke_off = play.gave_up || (play.failed && status == PL_ERROR_NUMERICS);
    if (s->broke_off) status = PL_OK;
    if (status == PL_OK && method == CR_FULL && s->n > 0) {
        status = find_shares(play.world, &shares[0], &shares[1]);
    }
    pl_play_close(&play);
    return status;
}

// --- The table ---

static void print(const char *scene, int method, stretch *s, mean *full, pl_output *csv)
{
    const char *name = methods[method].name;
    const published *p = find_published(scene, name), *p_full = find_published(scene, "cr full");
    double n = PL_MAX(s->n, 1), constraints = s->constraints / n;
    mean iterations = mean_of(s->n, s->iterations), solve = mean_of(s->n, s->solve_ms);
    if (method == CR_FULL) *full = iterations;
    printf("  %-9s %4d%s %8.1f %8.1f %8.2f %8.2f %7.2f %8.2f %6.0f %5.2f %5.2f %3d %4d  %016" PRIx64
           "\n",
           name, s->n, s->broke_off ? "!" : " ", iterations.mean, iterations.median, solve.mean,
           solve.median, 1e3 * s->collision / n, 1e3 * s->total / n, constraints, s->rounds / n,
           s->relinearizations / n, s->most_relinearizations, s->rescued, s->hash);
    if (p != NULL) {
        printf("       VJ19     %9.0f %8.0f %8.0f %8.0f %7.0f %8.0f %6.0f", p->iterations,
               p->iterations_median, 1e3 * p->solve, 1e3 * p->solve_median, 1e3 * p->collision,
               1e3 * (p->solve + p->collision), p->constraints);
        if (method > CR_FULL) {
            printf("   iterations / cr full: %.3g, VJ19 %.3g", iterations.mean / full->mean,
                   p->iterations / p_full->iterations);
        }
        printf("\n");
    }
    pl_output_printf(csv, "%s,%s,%d,%d,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g,%.4g,%d,%d,%d,",
                     scene, name, s->n, s->broke_off, iterations.mean, iterations.median,
                     solve.mean, solve.median, 1e3 * s->collision / n, 1e3 * s->total / n,
                     constraints, s->rounds / n, s->relinearizations / n, s->most_relinearizations,
                     s->rescued, s->halvings);
    pl_output_printf(csv, "%016" PRIx64 ",%g,%g,%g,%g\n", s->hash, p != NULL ? p->iterations : NAN,
                     p != NULL ? p->iterations_median : NAN, p != NULL ? p->solve : NAN,
                     p != NULL ? p->constraints : NAN);
    fflush(stdout);
}

static pl_status measure_scene(const pl_bench_options *options, const char *name, pl_output *csv)
{
    const pl_bench_scene *scene = pl_bench_scene_find(name, options->quick);
    double shares[2] = {NAN, NAN};
    mean full = {NAN, NAN};
    printf("%s\n  %-9s %5s %8s %8s %8s %8s %7s %8s %6s %5s %5s %3s %4s  %s\n", name, "", "steps",
           "iter.", "median", "solve ms", "median", "coll.", "total", "rows", "round", "relin",
           "max", "resc", "hash");
    for (int m = 0; m < METHODS; m++) {
        stretch s = {.iterations = pl_alloc(options->stretch, sizeof(double)),
                     .solve_ms = pl_alloc(options->stretch, sizeof(double))};
        pl_status status = s.iterations != NULL && s.solve_ms != NULL ? PL_OK : PL_ERROR_MEMORY;
        if (status == PL_OK) status = run(options, scene, m, &s, shares);
        bool skips = pl_bench_skips(scene, status);
        if (status == PL_OK) print(name, m, &s, &full, csv);
        pl_free(s.iterations);
        pl_free(s.solve_ms);
        if (skips) return PL_OK;
        PL_TRY(status);
    }
    printf(
        "  cr full: its preconditioner is %.1f %% of a solve to apply, %.2f %% to build (VJ19: 15 "
        "%%, below 0.1 %%)\n\n",
        100 * shares[1], 100 * shares[0]);
    return PL_OK;
}

pl_status pl_bench_stretch(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "stretch.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "scene,method,steps,broke_off,iterations,iterations_median,solve_ms,"
                           "solve_median_ms,collision_ms,total_ms,rows,rounds,relinearizations,"
                           "most_relinearizations,rescued,halvings,hash,iterations_vj19,"
                           "iterations_median_vj19,solve_s_vj19,rows_vj19\n");
    pl_threads_set(1);
    printf(
        "%d steps of each method on its own trajectory, one thread, wall clock of stages; means, "
        "medians\nbeside them, and VJ19's. rows: constraints; relin: re-linearizations a step "
        "(VJ19: about 5, peaks near\n10); resc: steps that auto took over; !: it ended early.\n\n",
        options->stretch);
    for (int i = 0; i < SCENES && status == PL_OK; i++) {
        if (options->only != NULL && strcmp(options->only, scenes[i]) != 0) continue;
        status = measure_scene(options, scenes[i], &csv);
    }
    pl_threads_set(0);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
