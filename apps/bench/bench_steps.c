// pliant bench steps: what simulated time costs in steps of different length. A mat whose ends are
// turned against each other, twelve tori that fall into a heap, a bunny that falls, each to the
// same time in steps of 2.5 to 100 ms. One thread; time is that of the processor.

#include "bench_scene.h"
#include "../../base/file.h"
#include "../../base/team.h"
#include "cpu_time.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 1024, PATH = 256 };

// Goal: a second in the long steps takes at most so much of what it takes in the short ones.
static const double SHORT = 0.005, LONG = 0.04, GOAL = 0.5;

static const double lengths[] = {0.0025, 0.005, 0.01, 0.02, 0.04, 0.1};
static const double lengths_quick[] = {0.005, 0.04};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// `text` has one %s, the mesh: the first of these files that is there, or the last of all.
typedef struct workload {
    const char *name;
    const char *mesh[2];
    const char *quick; // the mesh, if all is to be quick
    double end;        // [s]
    const char *text;
} workload;

#define MATERIAL(young)                                                                            \
    "\"material\": {\"kind\": \"neo-hookean\", \"young\": " young ", \"poisson\": 0.4}"
#define END(side, bound, rate)                                                                     \
    "{\"select\": {\"" side "\": " bound ", \"axis\": \"x\"},"                                     \
    " \"motion\": {\"axis\": [1, 0, 0], \"rate\": " rate "}}"

static const workload workloads[] = {
    {"mat",
     {"../shared/data/meshes/mat40x40.msh", "box:size=1,0.008,1:cells=39,1,39"},
     "box:size=1,0.02,1:cells=10,1,10",
     2,
     "{\"world\": {\"gravity\": [0, 0, 0]}, \"ground\": false, \"bodies\": [{\"mesh\": \"%s\","
     " " MATERIAL("2e4") ", \"driven\": [" END("below", "-0.495", "180") ", " END("above", "0.495",
                                                                                  "-180") "]}]}"},
    {"tori",
     {"torus", "torus"},
     "torus:around=12:sides=6",
     1,
     "{\"bodies\": [{\"mesh\": \"%s\", \"position\": [0, 0, 0.7], " MATERIAL(
         "5e5") ","
                " \"copies\": {\"count\": [2, 2, 3], \"spacing\": [1.3, 1.3, 1.3], \"turn\": true,"
                " \"seed\": 3}}]}"},
    {"bunny",
     {"../shared/data/meshes/bunny.msh", "build/meshes/bunny.msh"},
     "icosphere:level=2",
     1,
     "{\"bodies\": [{\"mesh\": \"%s\", \"rotation\": [90, 0, 0], \"position\": [0, 0, 0.6],"
     " " MATERIAL("5e5") "}]}"},
};

static void describe(const workload *w, bool quick, char text[TEXT])
{
    char mesh[PATH], folder[PATH / 2];
    const char *name = quick ? w->quick : w->mesh[access(w->mesh[0], R_OK) != 0];
    // A scene that is no file looks for meshes nowhere.
    bool file = strchr(name, '/') != NULL && getcwd(folder, sizeof folder) != NULL;
    snprintf(mesh, sizeof mesh, "%s%s%s", file ? folder : "", file ? "/" : "", name);
    snprintf(text, TEXT, w->text, mesh);
}

// Of a run.
typedef struct tally {
    double n, iterations, rounds, cpu, time; // cpu [s]; time: simulated [s]
    int32_t halvings, most_inverted;
    uint64_t hash;
    bool failed;
} tally;

static pl_status add_step(pl_play *play, void *user)
{
    tally *t = user;
    const pl_step_stats *s = &play->stats;
    t->n++;
    t->iterations += s->iterations;
    t->rounds += s->rounds;
    t->halvings += s->halvings;
    t->most_inverted = PL_MAX(t->most_inverted, s->inverted);
    t->hash = s->hash;
    return PL_OK;
}

static pl_status run(const workload *w, bool quick, double dt, tally *out)
{
    char text[TEXT];
    pl_play play;
    describe(w, quick, text);
    const pl_bench_scene scene = {w->name, NULL, text, 0, 0};
    const pl_bench_change change = {.dt = dt};
    *out = (tally){0};
    PL_TRY(pl_bench_start(&scene, &change, &play));
    pl_status status = pl_play_until(&play, quick ? 0.25 * w->end : w->end);
    double started = pl_cpu_seconds();
    if (status == PL_OK) out->failed = pl_play_run(&play, add_step, out) != PL_OK;
    out->cpu = pl_cpu_seconds() - started;
    out->time = pl_world_time(play.world);
    pl_play_close(&play);
    return status;
}

static void print_row(pl_output *csv, const workload *w, double dt, const tally *t)
{
    double n = fmax(t->n, 1), rate = t->cpu / fmax(t->time, dt);
    printf("%-8s %8g %6.0f %10.2f %10.1f %12.0f %7.2f %9d %9d  %016" PRIx64 "%s\n", w->name, dt,
           t->n, rate, 1e3 * t->cpu / n, t->iterations / fmax(t->time, dt), t->rounds / n,
           t->halvings, t->most_inverted, t->hash, t->failed ? "  FAILED" : "");
    if (t->failed) printf("  %s\n", pl_error_text());
    pl_output_printf(csv, "%s,%g,%.0f,%.6g,%.6g,%.6g,%d,%d,%016" PRIx64 "\n", w->name, dt, t->n,
                     rate, t->iterations / n, t->rounds / n, t->halvings, t->most_inverted,
                     t->hash);
    fflush(stdout);
}

static pl_status measure(const workload *w, bool quick, pl_output *csv)
{
    const double *length = quick ? lengths_quick : lengths;
    int n = quick ? COUNT(lengths_quick) : COUNT(lengths);
    double of_short = 0, of_long = 0;
    for (int i = 0; i < n; i++) {
        tally t;
        PL_TRY(run(w, quick, length[i], &t));
        print_row(csv, w, length[i], &t);
        double rate = t.failed ? INFINITY : t.cpu / t.time;
        if (length[i] == SHORT) of_short = rate;
        if (length[i] == LONG) of_long = rate;
    }
    printf("%-8s a second in steps of %g s takes %.2f of one in steps of %g s (goal: %g)%s\n",
           w->name, LONG, of_long / of_short, SHORT, GOAL,
           of_long <= GOAL * of_short ? "" : "  missed");
    return PL_OK;
}

pl_status pl_bench_steps_of_time(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "steps.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "scene,dt,steps,cpu_per_second,iterations,rounds,halvings,"
                           "most_inverted,hash\n");
    printf("%-8s %8s %6s %10s %10s %12s %7s %9s %9s  %s\n", "scene", "dt [s]", "steps", "cpu s / s",
           "cpu ms", "iterations/s", "rounds", "halvings", "inverted", "hash");
    pl_threads_set(1);
    for (int i = 0; i < COUNT(workloads) && status == PL_OK; i++) {
        bool wanted = options->only == NULL || strcmp(options->only, workloads[i].name) == 0;
        if (wanted) status = measure(&workloads[i], options->quick, &csv);
    }
    pl_threads_set(0);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
