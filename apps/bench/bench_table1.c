// pliant bench table1: every solver on the same contact problems, those of the scenes of [VJ19,
// Table 1] in contact, of two blocks and of a pile of rigid and soft bodies. A problem is solved by
// all of them in turn, in one process and on one thread, from where the step started, to the same
// tolerances, and is measured by the same yardstick. Times are those of the processor.

#include "bench_scene.h"
#include "bench_replay.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_MAX = 24, NAME_TEXT = 24, PROBLEMS_MAX = 4 };

// How many problems of a scene, how many steps apart and how many more at most, how often each is
// solved; and after which time a solve is given up [s].
enum { PROBLEMS = 3, PROBLEMS_QUICK = 2, STEPS_BETWEEN = 5, STEPS_MORE = 30, REPEATS = 3 };
static const double LIMIT = 60, LIMIT_QUICK = 1;
// A solve that takes longer is not repeated [s].
static const double LONG = 0.5;

// --- What is measured ---

typedef struct row {
    const char *scene; // as pl_bench_scene_find knows it
    const char *name;  // in the table
    double dt_factor;
    double goal; // `cr` as printed takes at least so many times the time of ours
} row;

static const row rows[] = {
    {"rings", "rings", 1, 10},
    {"rings-stiff", "rings*", 1, 10},
    {"pyramid", "pyramid", 1, 10},
    {"bunnies", "bunnies", 1, 5},
    {"armadillo", "armadillo", 1, 1.5},
    {"armadillo", "armadillo 10 dt", 10, 3},
    {"bearing", "bearing", 1, 0},
    {"blocks", "blocks", 1, 10},
    {"pile", "pile", 1, 0},
    {"mixed", "mixed", 1, 0},
    {"cubes", "cubes", 1, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// Times of contact resolution, and iterations, over those of CR (Full) in [VJ19, Table 1], and how
// that is called here.
typedef struct printed {
    const char *scene, *method;
    double ratio, iterations;
} printed;

// Mean constraints of CR (Full) there: rows, of which a contact has three.
static const struct {
    const char *scene;
    int32_t constraints;
} constraints_in_paper[] = {{"rings", 2280},  {"pyramid", 8565},   {"rings*", 1898},
                            {"bunnies", 700}, {"armadillo", 4350}, {"bearing", 4044}};

static const printed in_paper[] = {
    {"rings", "sp-as", 5.6 / 0.52, 1546. / 97},   {"rings", "sp-cr", 5.0 / 0.52, 814. / 97},
    {"rings", "cr diag", 2.8 / 0.52, 451. / 97},  {"rings", "ica", 0.8 / 0.52, 180. / 97},
    {"pyramid", "sp-as", 20.8 / 2.3, 1088. / 69}, {"pyramid", "sp-cr", 15.6 / 2.3, 463. / 69},
    {"pyramid", "cr diag", 7.6 / 2.3, 229. / 69}, {"pyramid", "ica", 14.2 / 2.3, 558. / 69},
    {"rings*", "sp-as", 20.2 / 0.8, 3373. / 154}, {"rings*", "ica", 2.1 / 0.8, 655. / 154},
    {"bunnies", "ica", 174 / 31.3, 7206. / 900},  {"armadillo", "sp-as", 395 / 6.55, 6839. / 81},
    {"armadillo", "ica", 255 / 6.55, 344. / 81},
};

static void ratios_in_paper(const char *scene, const char *method, double *time, double *iterations)
{
    *time = *iterations = strcmp(method, "cr vj19") == 0 ? 1 : NAN;
    for (size_t i = 0; i < sizeof in_paper / sizeof in_paper[0]; i++) {
        if (strcmp(in_paper[i].scene, scene) != 0) continue;
        if (strcmp(in_paper[i].method, method) != 0) continue;
        *time = in_paper[i].ratio, *iterations = in_paper[i].iterations;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(int32_t n, const double *x)
{
    double sorted[PROBLEMS_MAX] = {0};
    for (int32_t i = 0; i < n; i++) sorted[i] = x[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_size);
    return n > 0 ? 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]) : NAN;
}

typedef struct method {
    char name[NAME_TEXT];
    const pl_solver *solver;
    pl_solver_options options;
    // Over the problems of a scene:
    int32_t n, converged, late;
    int32_t held;               // converged, and the yardstick agrees
    double iterations, seconds; // sums
    double each_iterations[PROBLEMS_MAX], each_ms[PROBLEMS_MAX]; // of the problems
    double best;                                                 // of the problem at hand [s]
    double residual, normal, friction;                           // largest
    uint64_t hash;                                               // of the solutions
} method;

typedef struct table {
    const pl_bench_options *options;
    pl_output csv;
    method method[METHODS_MAX];
    int32_t n_method, ours, printed; // the default, and `cr` as VJ19 prints it
    pl_bench_replay replay;
} table;

static method *add_method(table *t, const pl_solver *solver, const char *variant)
{
    PL_ASSERT(t->n_method < METHODS_MAX);
    method *m = &t->method[t->n_method++];
    *m = (method){.solver = solver, .options = pl_solver_options_default()};
    m->options.max_iterations = INT32_MAX; // time is what ends it
    m->options.max_seconds = t->options->quick ? LIMIT_QUICK : LIMIT;
    snprintf(m->name, sizeof m->name, "%s%s%s", solver->name, variant[0] != '\0' ? " " : "",
             variant);
    return m;
}

static void list_methods(table *t)
{
    const char *usual = pl_world_options_default().solver;
    for (int32_t i = 0; i < pl_solver_count(); i++) {
        if ((pl_solver_at(i)->can & PL_CAN_CONE) == 0) continue;
        if (strcmp(pl_solver_at(i)->name, usual) == 0) t->ours = t->n_method;
        add_method(t, pl_solver_at(i), "");
        bool is_minres = strcmp(pl_solver_at(i)->name, "minres") == 0; // [VJ19, 7]
        if (is_minres) add_method(t, pl_solver_at(i), "diag")->options.precond = PL_PRECOND_DIAG;
        if (is_minres) add_method(t, pl_solver_at(i), "none")->options.precond = PL_PRECOND_NONE;
        if (strcmp(pl_solver_at(i)->name, "cr") != 0) continue;
        add_method(t, pl_solver_at(i), "diag")->options.precond = PL_PRECOND_DIAG;
        add_method(t, pl_solver_at(i), "schur")->options.precond = PL_PRECOND_SCHUR;
        t->printed = t->n_method;
        add_method(t, pl_solver_at(i), "vj19")->options.vj19 = true;
    }
}

// --- Solving ---

static pl_status solve(table *t, const pl_recorded *recorded, method *m, bool first)
{
    pl_bench_solved one;
    PL_TRY(pl_bench_replay_solve(&t->replay, recorded, m->solver, &m->options, &one));
    m->best = first ? one.cpu : fmin(m->best, one.cpu);
    if (!first) return PL_OK;
    const pl_contact_errors *e = &one.stats.errors;
    m->each_iterations[m->n] = one.stats.iterations;
    m->n++;
    bool converged = one.stats.end == PL_SOLVE_CONVERGED;
    m->converged += converged;
    m->held += converged && pl_contact_errors_worst(e) <= m->options.contact_tolerance;
    m->late += one.stats.end == PL_SOLVE_TIME;
    m->iterations += one.stats.iterations;
    m->residual = fmax(m->residual, e->residual);
    m->normal = fmax(m->normal, e->normal);
    m->friction = fmax(m->friction, e->friction);
    m->hash = m->n == 1 ? one.hash : m->hash ^ (one.hash + (uint64_t)m->n);
    return PL_OK;
}

static pl_status solve_problem(table *t, const char *path)
{
    pl_recorded recorded;
    PL_TRY(pl_recorded_read(path, &recorded));
    int repeats = t->options->quick ? 1 : REPEATS;
    pl_status status = PL_OK;
    for (int i = 0; i < repeats; i++) {
        for (int32_t k = 0; k < t->n_method && status == PL_OK; k++) {
            method *m = &t->method[k];
            if (i > 0 && m->best > LONG) continue;
            status = solve(t, &recorded, m, i == 0);
        }
    }
    for (int32_t k = 0; k < t->n_method && status == PL_OK; k++) {
        method *m = &t->method[k];
        m->seconds += m->best;
        m->each_ms[m->n - 1] = 1e3 * m->best;
    }
    pl_recorded_free(&recorded);
    return status;
}

// Steps on, until a step has one round: the problem of a later one begins where the round before
// ended, and is nearly solved.
static pl_status step_on(pl_play *play, pl_bench_steps *steps)
{
    PL_TRY(pl_bench_run(play, STEPS_BETWEEN - 1, steps));
    for (int i = 0; i < STEPS_MORE; i++) {
        double before = steps->rounds;
        PL_TRY(pl_bench_run(play, 1, steps));
        if (steps->rounds - before == 1) break;
    }
    return PL_OK;
}

// Steps on with the default solver, and leaves problems in files.
static pl_status record(table *t, const row *r, pl_play *play, int32_t n, char **path,
                        pl_bench_steps *steps)
{
    for (int32_t i = 0; i < n; i++) {
        char name[64];
        PL_TRY(step_on(play, steps));
        snprintf(name, sizeof name, "%s%s-%06" PRId64 ".plp", r->scene,
                 t->options->quick ? "-quick" : "", pl_world_steps(play->world));
        PL_TRY(pl_bench_path(t->options, "problems", name, &path[i]));
        PL_TRY(pl_world_save_problem(play->world, path[i]));
    }
    return PL_OK;
}

// --- The table ---

static void print_method(table *t, const row *r, const method *m, const pl_bench_steps *s)
{
    const method *ours = &t->method[t->ours];
    double n = m->n, ms = 1e3 * m->seconds / n, ratio = m->seconds / ours->seconds;
    // Of a step with this solver, which solves as often as the run had rounds. Stages are measured
    // by the wall clock: `busy` of it is ours.
    double busy = s->cpu / s->total, rounds = s->rounds / s->n;
    double other = busy * (s->total - s->solve) / s->n;
    double collision = busy * s->collision / s->n / (other + rounds * m->seconds / n);
    double paper, paper_iterations;
    ratios_in_paper(r->name, m->name, &paper, &paper_iterations);
    // Of iterations, over those of `cr` as printed.
    double of_cr = m->iterations / PL_MAX(t->method[t->printed].iterations, 1);
    bool all = m->converged == m->n;
    char reference[16] = "-", iterations[16] = "-";
    if (!isnan(paper)) snprintf(reference, sizeof reference, "%.2f", paper);
    if (!isnan(paper)) snprintf(iterations, sizeof iterations, "%.2f", paper_iterations);
    double middle = median(m->n, m->each_iterations), middle_ms = median(m->n, m->each_ms);
    printf("  %-12s %3d/%-3d %4d %10.1f %8.1f %6.2f %6s %s%9.2f %9.2f %s%7.2f %7s %6.0f%% %8.1e "
           "%8.1e %8.1e  %016" PRIx64 "\n",
           m->name, m->converged, m->n, m->held, m->iterations / n, middle, of_cr, iterations,
           all ? " " : ">", ms, middle_ms, all ? " " : ">", ratio, reference, 100 * collision,
           m->residual, m->normal, m->friction, m->hash);
    pl_output_printf(&t->csv,
                     "%s,%s,%d,%d,%d,%d,%.6g,%.6g,%.6g,%.6g,%.4g,%.3g,%.3g,%.3g,%016" PRIx64
                     ",%.6g,%.6g,%.6g,%.6g\n",
                     r->name, m->name, m->n, m->converged, m->held, m->late, m->iterations / n, ms,
                     ratio, paper, collision, m->residual, m->normal, m->friction, m->hash, middle,
                     middle_ms, of_cr, paper_iterations);
}

static void print_scene(table *t, const row *r, const pl_world *world, const pl_bench_steps *s)
{
    const method *ours = &t->method[t->ours], *printed = &t->method[t->printed];
    double n = s->n;
    printf("%s: %d bodies, %lld tets, %.0f contacts, %.0f with a force, dt %g s; a step with %s: "
           "%.1f ms in %.1f rounds, collision %.0f %%\n",
           r->name, pl_bench_bodies(world), (long long)pl_bench_tets(world), s->contacts / n,
           s->pressed / n, s->dt, ours->name, 1e3 * s->cpu / n, s->rounds / n,
           100 * s->collision / s->total);
    printf("  %.0f constraints", 3 * s->contacts / n);
    for (size_t i = 0; i < sizeof constraints_in_paper / sizeof *constraints_in_paper; i++) {
        bool same = strcmp(constraints_in_paper[i].scene, r->name) == 0;
        if (same) printf(" (VJ19: %d)", constraints_in_paper[i].constraints);
    }
    printf("; %.2f re-linearizations a step, %d at most (VJ19: about 5, peaks near 10)\n",
           s->relinearizations / n, s->most_relinearizations);
    printf("  %-12s %7s %4s %10s %8s %6s %6s %10s %9s %8s %7s %7s %8s %8s %8s  %s\n", "solver",
           "ended", "held", "iterations", "median", "of cr", "VJ19", "ms", "median", "ratio",
           "VJ19", "coll.", "residual", "normal", "friction", "hash");
    for (int32_t k = 0; k < t->n_method; k++) print_method(t, r, &t->method[k], s);
    double gain = printed->seconds / ours->seconds;
    bool open = printed->converged < printed->n;
    printf("  %s as printed over %s: %s%.2f", printed->solver->name, ours->name, open ? "> " : "",
           gain);
    bool slow = gain < r->goal && !t->options->quick;
    if (r->goal > 0) printf(" (goal %g)%s", r->goal, slow ? "  slow" : "");
    if (printed->held < printed->n) {
        printf("; its answer holds in %d of %d: friction %.1e m of %g", printed->held, printed->n,
               printed->friction, printed->options.contact_tolerance);
    }
    printf("\n\n");
    fflush(stdout);
}

static void forget_sums(table *t)
{
    for (int32_t k = 0; k < t->n_method; k++) {
        method *m = &t->method[k];
        m->n = m->converged = m->held = m->late = 0;
        m->iterations = m->seconds = m->residual = m->normal = m->friction = 0;
    }
}

// The scene's own dt is known after a step.
static pl_status open_play(const table *t, const row *r, pl_play *play)
{
    const pl_bench_scene *scene = pl_bench_scene_find(r->scene, t->options->quick);
    pl_bench_steps first = {0};
    PL_TRY(pl_bench_open(scene, t->options, NULL, play));
    if (r->dt_factor == 1) return PL_OK;
    pl_status status = pl_bench_run(play, 1, &first);
    pl_play_close(play);
    const pl_bench_change change = {.dt = r->dt_factor * first.dt};
    return status == PL_OK ? pl_bench_open(scene, t->options, &change, play) : status;
}

static pl_status measure_scene(table *t, const row *r)
{
    pl_play play;
    char *path[PROBLEMS_MAX] = {NULL};
    pl_bench_steps steps = {0};
    int32_t n = t->options->quick ? PROBLEMS_QUICK : PROBLEMS;
    PL_TRY(open_play(t, r, &play));
    forget_sums(t);
    pl_status status = record(t, r, &play, n, path, &steps);
    for (int32_t i = 0; i < n && status == PL_OK; i++) status = solve_problem(t, path[i]);
    if (status == PL_OK) print_scene(t, r, play.world, &steps);
    for (int32_t i = 0; i < n; i++) pl_free(path[i]);
    pl_play_close(&play);
    return status;
}

static pl_status measure_all(table *t)
{
    for (int i = 0; i < ROWS; i++) {
        pl_status status = measure_scene(t, &rows[i]);
        if (status == PL_OK) continue;
        if (!pl_bench_skips(pl_bench_scene_find(rows[i].scene, t->options->quick), status)) {
            return status;
        }
    }
    return PL_OK;
}

static pl_status open_csv(table *t)
{
    char *path;
    PL_TRY(pl_bench_path(t->options, "", "table1.csv", &path));
    pl_status status = pl_output_open(path, &t->csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&t->csv,
                     "scene,solver,problems,converged,held,late,iterations,ms,ratio,ratio_vj19,"
                     "collision_share,residual,normal,friction,hash,median_iterations,"
                     "median_ms,iterations_of_cr,iterations_of_cr_vj19\n");
    return PL_OK;
}

pl_status pl_bench_table1(const pl_bench_options *options)
{
    if (options->stretch > 0) return pl_bench_stretch(options);
    table t = {.options = options};
    PL_TRY(open_csv(&t));
    list_methods(&t);
    pl_threads_set(1);
    printf(
        "Means over problems of the same steps; one thread, time of the processor. ratio: to %s; "
        "VJ19: to its\nCR (Full). >: some did not converge within %g s of wall clock, and "
        "count as\nthey ended; none is rescued by another. held: errors within tolerance, as the "
        "yardstick of all has it. "
        "of cr: iterations over those of cr vj19, and the same in VJ19, of its CR (Full). "
        "coll.: share of "
        "collision in the step.\n\n",
        t.method[t.ours].name, options->quick ? LIMIT_QUICK : LIMIT);
    pl_status status = measure_all(&t);
    pl_threads_set(0);
    pl_bench_replay_free(&t.replay);
    if (status == PL_OK) return pl_output_close(&t.csv);
    pl_output_abandon(&t.csv);
    return status;
}
