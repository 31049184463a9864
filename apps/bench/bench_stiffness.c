// pliant bench stiffness: what Young's modulus and mass ratios cost. Small scenes over E from 1e3
// to 1e13 Pa, stacks of two and four cubes whose masses grow upwards: iterations, halvings and time
// per step. One thread; time is that of the processor.

#include "bench_scene.h"
#include "../../base/team.h"
#include "cpu_time.h"
#include "../../base/file.h"
#include "../../base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { STEPS = 60, STEPS_QUICK = 3, TEXT = 2048 };

// Goals, of every step, up to MOST_YOUNG.
enum { GOAL_ITERATIONS = 300, GOAL_HALVINGS = 5 };
static const double MOST_YOUNG = 1e12;

static const double youngs[] = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13};
static const double youngs_quick[] = {1e5, 1e8};
static const double ratios[] = {1, 1e2, 1e4, 1e6}, ratios_quick[] = {1, 1e4};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// The house of cards once more, with steps that are ten times as long.
static const char COARSE_CARDS[] = "cards 10 ms";
static const double COARSE_DT = 0.01;

static const pl_bench_scene scenes[] = {
    {"cards", "cards.json", NULL, 0, 0},
    {COARSE_CARDS, "cards.json", NULL, 0, 0},
    {"mats", "mats.json", NULL, 0, 0},
    {"beam", NULL,
     "{\"world\": {\"dt\": 0.002}, \"bodies\": ["
     "{\"mesh\": \"box:size=2,0.1,0.1:cells=40,2,2\", \"position\": [0, 0, 0.06]},"
     "{\"mesh\": \"box:size=0.3,0.3,0.3:cells=3\", \"position\": [0.5, 0, 0.262]}]}",
     0, 0},
    {"boxes", NULL,
     "{\"world\": {\"dt\": 0.002}, \"bodies\": ["
     "{\"mesh\": \"cube:cells=3\", \"position\": [0, 0, 0.503],"
     " \"copies\": {\"count\": [2, 1, 3], \"spacing\": [1.01, 1.01, 1.004]}}]}",
     0, 0},
};

// Steps of a world: sums, and the worst of them.
typedef struct tally {
    int32_t n;
    double iterations, cpu; // sums; [s]
    int32_t most_iterations, most_halvings, halvings;
    uint64_t hash;
    bool failed;
} tally;

static pl_status add_step(pl_play *play, void *user)
{
    tally *t = user;
    const pl_step_stats *s = &play->stats;
    t->n++;
    t->iterations += s->iterations;
    t->most_iterations = PL_MAX(t->most_iterations, s->iterations);
    t->most_halvings = PL_MAX(t->most_halvings, s->halvings);
    t->halvings += s->halvings;
    t->hash = s->hash;
    return PL_OK;
}

static void run(pl_play *play, int32_t n, tally *out)
{
    *out = (tally){0};
    play->last = n;
    double started = pl_cpu_seconds();
    out->failed = pl_play_run(play, add_step, out) != PL_OK;
    out->cpu = pl_cpu_seconds() - started;
}

static void print_row(pl_output *csv, const char *name, double value, double tets, const tally *t,
                      bool counts)
{
    double n = PL_MAX(t->n, 1);
    bool met =
        !t->failed && t->most_iterations <= GOAL_ITERATIONS && t->most_halvings <= GOAL_HALVINGS;
    printf("%-18s %8.0e %7.0f %6d %10.1f %6d %9d %6d %9.2f  %016" PRIx64 "%s\n", name, value, tets,
           t->n, t->iterations / n, t->most_iterations, t->halvings, t->most_halvings,
           1e3 * t->cpu / n, t->hash,
           t->failed        ? "  FAILED"
           : !met && counts ? "  missed"
                            : "");
    if (t->failed) printf("  %s\n", pl_error_text());
    pl_output_printf(csv, "%s,%g,%.0f,%d,%.6g,%d,%d,%d,%.6g,%016" PRIx64 "\n", name, value, tets,
                     t->n, t->iterations / n, t->most_iterations, t->halvings, t->most_halvings,
                     1e3 * t->cpu / n, t->hash);
    fflush(stdout);
}

static void print_head(const char *what)
{
    printf("%-18s %8s %7s %6s %10s %6s %9s %6s %9s  %s\n", "scene", what, "tets", "steps",
           "iterations", "most", "halvings", "most", "cpu ms", "hash");
}

static pl_status measure(const pl_bench_scene *scene, double young, int32_t steps, double value,
                         bool counts, pl_output *csv)
{
    const pl_bench_change change = {.young = young,
                                    .dt = scene->name == COARSE_CARDS ? COARSE_DT : 0};
    pl_play play;
    tally t;
    PL_TRY(pl_bench_start(scene, &change, &play));
    run(&play, steps, &t);
    print_row(csv, scene->name, value, (double)pl_bench_tets(play.world), &t, counts);
    pl_play_close(&play);
    return PL_OK;
}

// n cubes one upon the other; the density grows by the same factor from each to the next, up to
// `ratio` times that of the lowest.
static void describe_stack(int n, bool rigid, double ratio, char name[64], char text[TEXT])
{
    snprintf(name, 64, "%d %s cubes", n, rigid ? "rigid" : "soft");
    pl_text t = pl_text_start(text, TEXT);
    pl_text_add(&t, "{\"world\": {\"dt\": 0.001}, \"bodies\": [");
    for (int i = 0; i < n; i++) {
        double density = 1000 * pow(ratio, (double)i / (n - 1));
        pl_text_add(&t, "%s{\"mesh\": \"cube:cells=2\", \"position\": [%g, %g, %g], ",
                    i > 0 ? ", " : "", 0.02 * i, 0.01 * i, 0.502 + 1.003 * i);
        if (rigid) {
            pl_text_add(&t, "\"type\": \"rigid\", \"density\": %.17g}", density);
        } else {
            pl_text_add(&t, "\"material\": {\"young\": 1e9, \"density\": %.17g}}", density);
        }
    }
    pl_text_add(&t, "]}");
    PL_ASSERT(t.length < TEXT);
}

static pl_status measure_all(const pl_bench_options *options, pl_output *csv)
{
    bool quick = options->quick;
    int32_t steps = quick ? STEPS_QUICK : STEPS;
    const double *young = quick ? youngs_quick : youngs, *ratio = quick ? ratios_quick : ratios;
    int n_young = quick ? COUNT(youngs_quick) : COUNT(youngs);
    int n_ratio = quick ? COUNT(ratios_quick) : COUNT(ratios);
    printf("Goal, of every step to E = %g Pa: %d iterations, %d halvings\n", MOST_YOUNG,
           GOAL_ITERATIONS, GOAL_HALVINGS);
    print_head("E [Pa]");
    for (int i = 0; i < COUNT(scenes); i++) {
        for (int k = 0; k < n_young; k++) {
            PL_TRY(measure(&scenes[i], young[k], steps, young[k], young[k] <= MOST_YOUNG, csv));
        }
    }
    print_head("ratio");
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < n_ratio; k++) {
            char name[64], text[TEXT];
            describe_stack(i % 2 == 0 ? 2 : 4, i < 2, ratio[k], name, text);
            const pl_bench_scene stack = {name, NULL, text, 0, 0};
            PL_TRY(measure(&stack, 0, steps, ratio[k], true, csv));
        }
    }
    return PL_OK;
}

pl_status pl_bench_stiffness(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "stiffness.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "scene,value,tets,steps,iterations,most_iterations,halvings,"
                           "most_halvings,cpu_ms,hash\n");
    pl_threads_set(1);
    status = measure_all(options, &csv);
    pl_threads_set(0);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
