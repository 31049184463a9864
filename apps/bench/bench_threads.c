// pliant bench threads: the same steps of a scene in contact with one thread and with more, by
// turns: the time of each stage, and the hash of the state, which must not differ.

#include "bench_scene.h"
#include "../../base/team.h"
#include "../../base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 10, STEPS_QUICK = 3, REPEATS = 3, COUNTS = 3 };
static const int thread_counts[COUNTS] = {1, 2, 4};

// Scenes of more tets than LARGE are to gain this with two threads.
static const double SPEED_UP = 1.6;
static const double LARGE = 10000;

static const char *const names[] = {"rings",   "rings-stiff", "pyramid", "bunnies", "armadillo",
                                    "bearing", "blocks",      "cubes",   "mixed"};
enum { SCENES = sizeof names / sizeof names[0] };

typedef struct stages {
    double fem, collision, solve, other, total; // per step [s]
} stages;

static stages stages_of(const pl_bench_steps *s)
{
    double n = s->n, other = s->total - s->fem - s->collision - s->solve;
    return (stages){s->fem / n, s->collision / n, s->solve / n, other / n, s->total / n};
}

// The steps with each number of threads, by turns.
static pl_status measure(const pl_bench_scene *scene, const pl_bench_options *options, int counts,
                         pl_bench_steps *out, double *tets)
{
    pl_bench_best best[COUNTS] = {0};
    int32_t steps = options->quick ? STEPS_QUICK : STEPS;
    int repeats = options->quick ? 1 : REPEATS;
    for (int i = 0; i < repeats * counts; i++) {
        pl_threads_set(thread_counts[i % counts]);
        PL_TRY(pl_bench_repeat(scene, options, steps, &best[i % counts]));
    }
    for (int k = 0; k < counts; k++) out[k] = pl_bench_sum(&best[k]);
    *tets = best[0].tets;
    return PL_OK;
}

static void print_row(pl_output *csv, const char *name, int threads, const pl_bench_steps *s,
                      const pl_bench_steps *one, double tets, bool quick)
{
    stages t = stages_of(s), f = stages_of(one);
    double gain = f.total / t.total;
    bool slow = !quick && threads == 2 && tets > LARGE && gain < SPEED_UP;
    printf(
        "%-11s %8.0f %7d %8.2f %8.2f %8.2f %8.2f %8.2f %6.2f %6.2f %6.2f %8.2f %9.1e  %016" PRIx64
        "%s%s\n",
        name, tets, threads, 1e3 * t.fem, 1e3 * t.collision, 1e3 * t.solve, 1e3 * t.other,
        1e3 * t.total, f.fem / t.fem, f.collision / t.collision, f.solve / t.solve, gain,
        s->residual, s->hash, s->hash == one->hash ? "" : "  OTHER BITS", slow ? "  slow" : "");
    pl_output_printf(csv, "%s,%.0f,%d,%.6g,%.6g,%.6g,%.6g,%.4g,%.3g,%016" PRIx64 "\n", name, tets,
                     threads, 1e3 * t.fem, 1e3 * t.collision, 1e3 * t.solve, 1e3 * t.total, gain,
                     s->residual, s->hash);
    fflush(stdout);
}

static pl_status measure_all(const pl_bench_options *options, pl_output *csv)
{
    int cores = pl_threads(), counts = options->quick || cores < 4 ? 2 : 3;
    bool same = true;
    for (int i = 0; i < SCENES; i++) {
        const pl_bench_scene *scene = pl_bench_scene_find(names[i], options->quick);
        pl_bench_steps best[COUNTS];
        double tets;
        pl_status status = measure(scene, options, counts, best, &tets);
        if (status != PL_OK && pl_bench_skips(scene, status)) continue;
        PL_TRY(status);
        for (int k = 0; k < counts; k++) {
            print_row(csv, names[i], thread_counts[k], &best[k], &best[0], tets, options->quick);
            same = same && best[k].hash == best[0].hash;
        }
    }
    if (same) return PL_OK;
    return pl_fail(PL_ERROR_NUMERICS, "the number of threads changes the results");
}

pl_status pl_bench_threads(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "threads.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "scene,tets,threads,fem_ms,collision_ms,solve_ms,total_ms,speed_up,"
                           "residual,hash\n");
    double load = 0;
    if (getloadavg(&load, 1) == 1 && load > 0.5) {
        printf("The machine is busy (load %.1f): the speed-ups below are not what they could be.\n",
               load);
    }
    printf("%d cores; ms per step: FEM, collision, solver, other, total; then the speed-up of the "
           "first three and the total\n",
           pl_threads());
    printf("%-11s %8s %7s %8s %8s %8s %8s %8s %6s %6s %6s %8s %9s  %s\n", "scene", "tets",
           "threads", "fem", "coll.", "solve", "other", "total", "fem", "coll.", "solve",
           "speed-up", "residual", "hash");
    status = measure_all(options, &csv);
    pl_threads_set(0);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
