// pliant bench figures: figures 6 and 9 to 13 of VJ19 from our runs. The tables of a figure are in
// OUT/figure-N, and the picture is what `pliant plot --figure N` makes of them.

#include "bench_scene.h"
#include "../plot/draw_runs.h"
#include "bench_replay.h"
#include "bench_trace.h"
#include "../cli/stats_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVES_MAX = 10, NAME_TEXT = 64 };

// Wall clock after which a run ends where it is [s].
static const double RUN_SECONDS = 100, RUN_SECONDS_QUICK = 2;

// What VJ19 solves to in 6.2: all but the error of a contact in Figure 11.
static const double VJ19_RESIDUAL_TOLERANCE = 5e-5, VJ19_CONTACT_TOLERANCE = 5e-6,
                    FIGURE_11_EPS2 = 1e-6;

// A figure under way: its tables, one per curve.
typedef struct figure {
    const pl_bench_options *options;
    int32_t number;
    char folder[NAME_TEXT]; // of its tables
    char *path[CURVES_MAX]; // (n)
    char names[512];        // of the curves, with commas between
    int32_t n;
} figure;

static figure begin(const pl_bench_options *options, int32_t number, const char *scene)
{
    figure f = {.options = options, .number = number};
    snprintf(f.folder, sizeof f.folder, "figure-%d%s%s", (int)number, scene[0] != '\0' ? "-" : "",
             scene);
    return f;
}

// The table of another curve.
static pl_status add_table(figure *f, const char *name, const char **path)
{
    char file[NAME_TEXT];
    PL_ASSERT(f->n < CURVES_MAX);
    snprintf(file, sizeof file, "%s.csv", name);
    for (char *p = file; *p != '\0'; p++) *p = *p == ' ' ? '-' : *p;
    PL_TRY(pl_bench_path(f->options, f->folder, file, &f->path[f->n]));
    size_t used = strlen(f->names);
    snprintf(f->names + used, sizeof f->names - used, "%s%s", f->n > 0 ? "," : "", name);
    *path = f->path[f->n++];
    return PL_OK;
}

// The curve just added has nothing to show.
static void drop_table(figure *f)
{
    pl_free(f->path[--f->n]);
    char *comma = strrchr(f->names, ',');
    *(comma != NULL ? comma : f->names) = '\0';
}

static pl_status draw(const figure *f)
{
    char file[NAME_TEXT + 8], *path;
    if (f->n == 0) return PL_OK;
    snprintf(file, sizeof file, "%s.svg", f->folder);
    PL_TRY(pl_bench_path(f->options, "", file, &path));
    pl_drawing d = pl_drawing_default();
    d.out = path;
    d.figure = f->number;
    d.names = f->names;
    d.residual_tolerance = VJ19_RESIDUAL_TOLERANCE;
    d.contact_tolerance = VJ19_CONTACT_TOLERANCE;
    pl_status status = pl_draw_runs(&d, f->n, f->path);
    if (status == PL_OK) printf("  %s\n", path);
    fflush(stdout);
    pl_free(path);
    return status;
}

static pl_status end(figure *f, pl_status status)
{
    if (status == PL_OK) status = draw(f);
    for (int32_t i = 0; i < f->n; i++) pl_free(f->path[i]);
    return status;
}

// --- Runs ---

// How long: steps, or simulated time if it is above 0 [s].
typedef struct stretch {
    int32_t steps;
    double time;
} stretch;

typedef struct curve_of_run {
    const stretch *stretch;
    pl_row_file *file;
    pl_bench_steps *sum;
} curve_of_run;

static pl_status write_step(pl_play *play, void *user)
{
    const curve_of_run *c = user;
    const pl_step_stats *stats = &play->stats;
    pl_bench_steps *sum = c->sum;
    PL_TRY(pl_stats_write(c->file, stats));
    sum->n++;
    sum->total += stats->t_total;
    sum->iterations += stats->iterations;
    sum->rescued += stats->rescues > 0;
    sum->residual = fmax(sum->residual, stats->residual);
    sum->friction = fmax(sum->friction, stats->friction_error);
    sum->hash = stats->hash;
    play->stop = c->stretch->time > 0 && stats->time >= c->stretch->time;
    return PL_OK;
}

// Steps until the end of the stretch, or until the time is up, or a step fails; the rows so far are
// the curve.
static pl_status step_into(pl_play *play, const pl_bench_options *options, const stretch *s,
                           pl_row_file *file, pl_bench_steps *sum)
{
    curve_of_run c = {s, file, sum};
    play->last = s->time > 0 ? INT64_MAX : play->first + s->steps;
    play->step_seconds = 0;
    play->deadline = pl_seconds() + (options->quick ? RUN_SECONDS_QUICK : RUN_SECONDS);
    pl_status status = pl_play_run(play, write_step, &c);
    bool broke_off = play->failed && status == PL_ERROR_NUMERICS;
    if (!play->gave_up && !broke_off) return status;
    printf("  step %lld: %s\n", (long long)pl_world_steps(play->world) + 1,
           play->gave_up ? "out of time" : pl_error_text());
    return PL_OK;
}

static pl_status run_into(pl_play *play, figure *f, const char *name, const stretch *s)
{
    const char *path;
    pl_row_file file;
    pl_bench_steps sum = {0};
    PL_TRY(add_table(f, name, &path));
    PL_TRY(pl_stats_open(path, false, 0, &file));
    pl_status status = pl_row_file_begin(&file);
    if (status == PL_OK) status = step_into(play, f->options, s, &file, &sum);
    pl_status closed = pl_row_file_close(&file);
    PL_TRY(status != PL_OK ? status : closed);
    double n = PL_MAX(sum.n, 1);
    char rescued[NAME_TEXT] = "";
    if (sum.rescued > 0) snprintf(rescued, sizeof rescued, ", %d rescued by auto", sum.rescued);
    printf("  %-12s %5d steps%s to %g s: %8.1f iterations, %8.1f ms, residual %.1e, friction %.1e, "
           "hash %016" PRIx64 "\n",
           name, sum.n, rescued, pl_world_time(play->world), sum.iterations / n,
           1e3 * sum.total / n, sum.residual, sum.friction, sum.hash);
    fflush(stdout);
    if (sum.n == 0) drop_table(f);
    return PL_OK;
}

// The solvers of figures 10 and 11, those of them that there are: the default, and those of VJ19.
typedef struct entry {
    const char *name, *solver, *precond;
} entry;

static pl_status compare(const pl_bench_scene *scene, figure *f, double contact_tolerance,
                         const stretch *s)
{
    const entry entries[] = {
        {pl_world_options_default().solver, pl_world_options_default().solver, NULL},
        {"cr full", "cr", "full"},
        {"cr diag", "cr", "diag"},
        {"ica", "ica", NULL},
        {"sp-as", "sp-as", NULL},
        {"sp-cr", "sp-cr", NULL},
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        const pl_solver *known;
        if (pl_solver_find(entries[i].solver, &known) != PL_OK) continue;
        const pl_bench_change change = {.solver = entries[i].solver,
                                        .precond = entries[i].precond,
                                        .residual_tolerance = VJ19_RESIDUAL_TOLERANCE,
                                        .contact_tolerance = contact_tolerance};
        pl_play play;
        PL_TRY(pl_bench_open(scene, f->options, &change, &play));
        pl_status status = run_into(&play, f, entries[i].name, s);
        pl_play_close(&play);
        PL_TRY(status);
    }
    return PL_OK;
}

// The problem of the first step after the state in contact.
static pl_status record(const pl_bench_scene *scene, const pl_bench_options *options,
                        pl_recorded *out)
{
    char name[NAME_TEXT], *path;
    pl_play play;
    *out = (pl_recorded){0};
    snprintf(name, sizeof name, "%s%s.plp", scene->name, options->quick ? "-quick" : "");
    PL_TRY(pl_bench_open(scene, options, NULL, &play));
    pl_status status = pl_bench_path(options, "problems", name, &path);
    if (status == PL_OK) {
        status = pl_play_step(&play);
        if (status == PL_OK) status = pl_world_save_problem(play.world, path);
        if (status == PL_OK) status = pl_recorded_read(path, out);
        pl_free(path);
    }
    pl_play_close(&play);
    return status;
}

// --- Figure 6: the residuals of CR over all rounds of a step of the bearing ---

static pl_status trace(const pl_bench_scene *scene, figure *f, pl_precond precond)
{
    const char *path;
    pl_bench_traced t;
    PL_TRY(add_table(f, pl_precond_names[precond], &path));
    PL_TRY(pl_bench_trace_step(scene, f->options, precond, path, &t));
    printf("  %-12s step %" PRId64 ", %d iterations in %d rounds, residual %.1e, friction %.1e, "
           "%.1f ms, hash %016" PRIx64 "\n",
           pl_precond_names[precond], t.step, t.iterations, t.rounds, t.stats.residual,
           t.stats.friction_error, 1e3 * t.stats.t_total, t.stats.hash);
    return PL_OK;
}

static pl_status figure_6(const pl_bench_options *options)
{
    const pl_bench_scene *scene = pl_bench_scene_find("bearing", options->quick);
    figure f = begin(options, 6, "");
    pl_status status = trace(scene, &f, PL_PRECOND_DIAG);
    if (status == PL_OK) status = trace(scene, &f, PL_PRECOND_FULL);
    return end(&f, status);
}

// --- Figure 9: iterations for different steps, the stiff pyramid; for different stiffness ---

// What is run by whom: the default solver, and CR (Full), which the paper's figures are of.
typedef struct by {
    const char *solver, *suffix; // NULL: the default
} by;

static const by solvers[] = {{NULL, ""}, {"cr", "cr-full"}};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

// Above this step the error that a contact may have grows with it [VJ19, 7].
static const double LONGEST_DT = 0.004;

static pl_status run_pyramid(figure *f, const by *b, const char *name, double dt, double young)
{
    const pl_bench_scene *scene = pl_bench_scene_find("pyramid", f->options->quick);
    const stretch whole = {.time = f->options->quick ? 0.02 : 1};
    const pl_bench_change change = {.solver = b->solver,
                                    .dt = dt,
                                    .young = young,
                                    .residual_tolerance = VJ19_RESIDUAL_TOLERANCE,
                                    .contact_tolerance =
                                        VJ19_CONTACT_TOLERANCE * fmax(1, dt / LONGEST_DT)};
    pl_play play;
    PL_TRY(pl_bench_start(scene, &change, &play));
    pl_status status = run_into(&play, f, name, &whole);
    pl_play_close(&play);
    return status;
}

static pl_status figure_9(const pl_bench_options *options)
{
    static const double dt[] = {0.0005, 0.001, 0.002, 0.004, 0.01, 0.02};
    for (int k = 0; k < SOLVERS; k++) {
        printf("  %s\n", solvers[k].solver != NULL ? "cr full" : "the default solver");
        figure f = begin(options, 9, solvers[k].suffix);
        pl_status status = PL_OK;
        for (size_t i = 0; i < sizeof dt / sizeof dt[0] && status == PL_OK; i++) {
            char name[NAME_TEXT];
            snprintf(name, sizeof name, "dt %g", dt[i]);
            status = run_pyramid(&f, &solvers[k], name, dt[i], 5e6);
        }
        PL_TRY(end(&f, status));
    }
    return PL_OK;
}

// [VJ19, 6.1]: E = 5e6 / 2^k at a step of 1 ms; iterations hardly depend on it, 1.5 times as many
// at the softest.
static pl_status figure_9_stiffness(const pl_bench_options *options)
{
    enum { HALVINGS = 4 };
    for (int k = 0; k < SOLVERS; k++) {
        char folder[NAME_TEXT];
        printf("  %s\n", solvers[k].solver != NULL ? "cr full" : "the default solver");
        snprintf(folder, sizeof folder, "stiffness%s%s", k > 0 ? "-" : "", solvers[k].suffix);
        figure f = begin(options, 9, folder);
        pl_status status = PL_OK;
        for (int i = 0; i <= HALVINGS && status == PL_OK; i++) {
            char name[NAME_TEXT];
            double young = ldexp(5e6, -i);
            snprintf(name, sizeof name, "E %g", young);
            status = run_pyramid(&f, &solvers[k], name, 1e-3, young);
        }
        PL_TRY(end(&f, status));
    }
    return PL_OK;
}

// --- Figures 10, 11 and 13 ---

static pl_status figure_10(const pl_bench_options *options)
{
    const stretch steps = {.steps = options->quick ? 3 : 30};
    figure f = begin(options, 10, "");
    const pl_bench_scene *scene = pl_bench_scene_find("armadillo", options->quick);
    return end(&f, compare(scene, &f, VJ19_CONTACT_TOLERANCE, &steps));
}

static pl_status figure_11(const pl_bench_options *options)
{
    static const char *const scenes[] = {"rings", "rings-stiff", "pyramid"};
    const stretch steps = {.steps = options->quick ? 5 : 100};
    for (int i = 0; i < 3; i++) {
        printf("  %s\n", scenes[i]);
        figure f = begin(options, 11, scenes[i]);
        const pl_bench_scene *scene = pl_bench_scene_find(scenes[i], options->quick);
        PL_TRY(end(&f, compare(scene, &f, FIGURE_11_EPS2, &steps)));
    }
    return PL_OK;
}

static pl_status figure_13(const pl_bench_options *options)
{
    const stretch steps = {.steps = options->quick ? 10 : 500};
    for (int k = 0; k < SOLVERS; k++) {
        const pl_bench_change change = {.solver = solvers[k].solver,
                                        .residual_tolerance = VJ19_RESIDUAL_TOLERANCE,
                                        .contact_tolerance = VJ19_CONTACT_TOLERANCE};
        figure f = begin(options, 13, solvers[k].suffix);
        pl_play play;
        const pl_bench_scene *scene = pl_bench_scene_find("rings", options->quick);
        PL_TRY(pl_bench_open(scene, options, &change, &play));
        pl_status status = run_into(&play, &f, k > 0 ? "rings cr full" : "rings", &steps);
        pl_play_close(&play);
        PL_TRY(end(&f, status));
    }
    return PL_OK;
}

// --- Figure 12: a solve, and the Delassus operator alone ---

enum { PARTS = 8, SOLVES = 3 };
static const double LONG_SOLVE = 1; // [s]; not repeated

enum { TERMS = 8 }; // of a contact of the world at most

// The problem with a part of its contacts, evenly taken: `part` of PARTS.
static pl_status thin_out(const pl_recorded *from, int part, pl_recorded *out)
{
    *out = *from;
    out->problem = (pl_problem){.A = &from->A, .b = from->b, .prescribed = from->prescribed};
    out->problem.dt = from->problem.dt;
    out->f = pl_alloc(3 * (int64_t)from->problem.n_constraint, sizeof *out->f);
    if (out->f == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < from->problem.n_constraint; i++) {
        if (i % PARTS >= part) continue;
        const pl_constraint *c = &from->problem.constraint[i];
        memcpy(out->f + 3 * (int64_t)out->problem.n_constraint, from->f + 3 * (int64_t)i,
               3 * sizeof *out->f);
        pl_term term[TERMS];
        PL_ASSERT(c->count <= TERMS);
        for (int32_t t = 0; t < c->count; t++) {
            term[t] = pl_problem_term(&from->problem, c->first + t);
        }
        PL_TRY(pl_problem_add(&out->problem, c, c->count, term));
    }
    return PL_OK;
}

// The least time of a few solves, or of one that is long; of `solver` stopped before it iterates if
// `builds`. Not a number if there is no such solver.
static pl_status time_solve(pl_bench_replay *replay, const pl_recorded *recorded, const char *name,
                            bool builds, double *seconds, pl_bench_solved *solved)
{
    const pl_solver *solver;
    pl_solver_options options = pl_solver_options_default();
    if (builds) options.max_iterations = 0;
    *seconds = NAN;
    if (pl_solver_find(name, &solver) != PL_OK) return PL_OK;
    for (int i = 0; i < SOLVES && !(*seconds > LONG_SOLVE); i++) {
        PL_TRY(pl_bench_replay_solve(replay, recorded, solver, &options, solved));
        *seconds = fmin(*seconds, solved->cpu);
    }
    return PL_OK;
}

// One point: a solver, and the building of the operator by the solver that does.
static pl_status time_part(pl_bench_replay *replay, const pl_recorded *recorded, const char *usual,
                           pl_output *out)
{
    pl_bench_solved solved, built;
    double solve, build;
    PL_TRY(time_solve(replay, recorded, usual, false, &solve, &solved));
    PL_TRY(time_solve(replay, recorded, "delassus", true, &build, &built));
    int32_t constraints = 3 * recorded->problem.n_constraint;
    printf("  %8d constraints: %8.2f ms, operator %8.2f ms, residual %.1e, hash %016" PRIx64 "\n",
           constraints, 1e3 * solve, 1e3 * build, solved.stats.errors.residual, solved.hash);
    pl_output_printf(out, "%d,%.6g,%.6g,%d\n", constraints, 1e3 * solve, 1e3 * build,
                     solved.stats.iterations);
    fflush(stdout);
    return PL_OK;
}

static pl_status time_parts(const pl_recorded *recorded, const char *solver, const char *path)
{
    pl_bench_replay replay = {0};
    pl_output out;
    PL_TRY(pl_output_open(path, &out));
    pl_output_printf(&out, "constraints,t_solve_ms,t_delassus_ms,iterations\n");
    pl_status status = PL_OK;
    for (int part = 1; part <= PARTS && status == PL_OK; part++) {
        pl_recorded thin;
        status = thin_out(recorded, part, &thin);
        if (status == PL_OK) status = time_part(&replay, &thin, solver, &out);
        pl_problem_free(&thin.problem);
        pl_free(thin.f);
    }
    pl_bench_replay_free(&replay);
    if (status == PL_OK) return pl_output_close(&out);
    pl_output_abandon(&out);
    return status;
}

static pl_status figure_12(const pl_bench_options *options)
{
    static const char *const scenes[] = {"rings", "armadillo", "bearing"};
    figure f = begin(options, 12, "");
    pl_status status = PL_OK;
    for (int i = 0; i < 3 && status == PL_OK; i++) {
        const pl_bench_scene *scene = pl_bench_scene_find(scenes[i], options->quick);
        pl_recorded recorded;
        const char *path;
        printf("  %s\n", scenes[i]);
        status = record(scene, options, &recorded);
        if (status != PL_OK) {
            if (!pl_bench_skips(scene, status)) break;
            status = PL_OK;
            continue;
        }
        for (int k = 0; k < SOLVERS && status == PL_OK; k++) {
            char name[NAME_TEXT];
            const char *by = k > 0 ? solvers[k].solver : pl_world_options_default().solver;
            snprintf(name, sizeof name, "%s%s", scenes[i], k > 0 ? " cr full" : "");
            printf("  %s\n", by);
            status = add_table(&f, name, &path);
            if (status == PL_OK) status = time_parts(&recorded, by, path);
        }
        pl_recorded_free(&recorded);
    }
    return end(&f, status);
}

// --- All ---

typedef struct part {
    pl_status (*make)(const pl_bench_options *options);
    const char *scene, *title;
} part;

static const part parts[] = {
    {figure_6, "bearing", "Figure 6: residuals of cr as printed, in a step of the bearing"},
    {figure_9, "pyramid", "Figure 9: iterations for different steps, pyramid of 5e6 Pa"},
    {figure_9_stiffness, "pyramid", "Figure 9: iterations for different stiffness, dt 1 ms"},
    {figure_10, "armadillo", "Figure 10: time and iterations, armadillo"},
    {figure_11, "rings", "Figure 11: iterations, rings, stiff rings and pyramid"},
    {figure_12, "rings", "Figure 12: a solve and the Delassus operator, by constraints"},
    {figure_13, "rings", "Figure 13: Fischer-Burmeister errors, rings"},
};

pl_status pl_bench_figures(const pl_bench_options *options)
{
    pl_status status = PL_OK;
    pl_threads_set(1);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == PL_OK; i++) {
        printf("%s\n", parts[i].title);
        fflush(stdout);
        status = parts[i].make(options);
        const pl_bench_scene *scene = pl_bench_scene_find(parts[i].scene, options->quick);
        if (status != PL_OK && pl_bench_skips(scene, status)) status = PL_OK;
    }
    pl_threads_set(0);
    return status;
}
