// pliant bench growth: how the time of a step grows with the number of bodies in a pile, and with
// the number of tets in a body. One thread; totals are times of the processor, parts wall clock.

#include "bench_scene.h"
#include "../../base/team.h"
#include "../../base/file.h"
#include "../../base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { REPEATS = 3, TEXT = 1024 };

// Goals: the time per body within this factor from the smallest pile to the largest, and the time
// of one body at most like n^GROWTH.
static const double PER_BODY = 1.3, GROWTH = 1.15;

typedef struct size {
    double n; // bodies or tets
    pl_bench_steps steps;
} size;

static pl_status measure(const pl_bench_scene *scene, const pl_bench_options *options,
                         int32_t steps, double *tets, pl_bench_steps *out)
{
    pl_bench_best best = {.n = 0};
    int repeats = options->quick ? 1 : REPEATS;
    for (int i = 0; i < repeats; i++) PL_TRY(pl_bench_repeat(scene, options, steps, &best));
    *tets = best.tets;
    *out = pl_bench_sum(&best);
    return PL_OK;
}

static void print_head(const char *what)
{
    printf("%-8s %8s %9s %8s %10s %9s %8s %8s %8s %10s %9s %9s  %s\n", what, "tets", "contacts",
           "rounds", "iterations", "fem", "coll.", "solve", "cpu ms", "us/unit", "residual",
           "friction", "hash");
}

static void print_row(pl_output *csv, const char *what, double n, double tets,
                      const pl_bench_steps *s)
{
    double k = s->n, ms = 1e3 / k;
    printf("%-8.0f %8.0f %9.0f %8.2f %10.1f %9.2f %8.2f %8.2f %8.2f %10.2f %9.1e %9.1e  %016" PRIx64
           "\n",
           n, tets, s->contacts / k, s->rounds / k, s->iterations / k, ms * s->fem,
           ms * s->collision, ms * s->solve, ms * s->cpu, 1e6 * s->cpu / k / n, s->residual,
           s->friction, s->hash);
    pl_output_printf(
        csv, "%s,%.0f,%.0f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.3g,%.3g,%016" PRIx64 "\n", what, n,
        tets, s->contacts / k, s->rounds / k, s->iterations / k, ms * s->fem, ms * s->collision,
        ms * s->solve, ms * s->cpu, s->residual, s->friction, s->hash);
    fflush(stdout);
}

// The slope of log time over log n, by least squares.
static double exponent(int n, const size *sizes)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        double u = log(sizes[i].n), w = log(sizes[i].steps.cpu / sizes[i].steps.n);
        x += u;
        y += w;
        xx += u * u;
        xy += u * w;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

// --- Piles of rings ---

// As many steps as make several searches for candidates, of which one serves seven steps or so.
enum { LAYERS = 5, RING_STEPS = 32, RING_STEPS_QUICK = 3 };

// Columns of rings along x and y: 15 to 960 rings.
static const int columns[][2] = {{3, 1}, {3, 2}, {4, 3}, {6, 4}, {8, 6}, {12, 8}, {16, 12}};
enum { PILES = sizeof columns / sizeof columns[0], PILES_QUICK = 2 };

// The rings of rings.json: turned at random, a pitch apart, in a frame that leaves as much room
// around them whatever their number [m].
static const double PITCH = 1.11, ROOM = 0.3, WALL = 0.15;

static void describe_pile(const int count[2], char name[64], char text[TEXT])
{
    snprintf(name, 64, "rings-%d", LAYERS * count[0] * count[1]);
    pl_text t = pl_text_start(text, TEXT);
    pl_text_add(&t,
                "{\"world\": {\"dt\": 0.001}, \"bodies\": [{\"mesh\": \"ring\", \"position\": [0, "
                "0, 0.7], \"copies\": {\"count\": [%d, %d, %d], \"spacing\": [%g, %g, %g], "
                "\"turn\": true, \"jitter\": 0.06, \"seed\": 1}}, ",
                count[0], count[1], LAYERS, PITCH, PITCH, PITCH);
    pl_text_add(&t,
                "{\"mesh\": \"frame:size=%g,%g,3:wall=%g\", \"position\": [0, 0, 1.5], \"type\": "
                "\"static\"}]}",
                PITCH * count[0] + ROOM + 2 * WALL, PITCH * count[1] + ROOM + 2 * WALL, WALL);
    PL_ASSERT(t.length < TEXT);
}

static pl_status grow_piles(const pl_bench_options *options, pl_output *csv)
{
    size sizes[PILES] = {0};
    int n = options->quick ? PILES_QUICK : PILES;
    int32_t steps = options->quick ? RING_STEPS_QUICK : RING_STEPS;
    printf("Piles of rings in %d layers; us/unit: per ring\n", LAYERS);
    print_head("rings");
    for (int i = 0; i < n; i++) {
        char name[64], text[TEXT];
        double tets;
        describe_pile(columns[i], name, text);
        // Until it lies, in large steps.
        const pl_bench_scene pile = {name, NULL, text, options->quick ? 0.3 : 1.2, 0.004};
        PL_TRY(measure(&pile, options, steps, &tets, &sizes[i].steps));
        sizes[i].n = LAYERS * columns[i][0] * columns[i][1];
        print_row(csv, "rings", sizes[i].n, tets, &sizes[i].steps);
    }
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        double each = sizes[i].steps.cpu / sizes[i].n;
        least = fmin(least, each);
        most = fmax(most, each);
    }
    double first = sizes[0].steps.cpu / sizes[0].n;
    double last = sizes[n - 1].steps.cpu / sizes[n - 1].n;
    printf("time per ring, last over first: %.2f (goal %g)%s; largest over least: %.2f\n\n",
           last / first, PER_BODY, last / first <= PER_BODY || options->quick ? "" : "  slow",
           most / least);
    return PL_OK;
}

// --- One block ---

enum { BLOCK_STEPS = 5, BLOCK_STEPS_QUICK = 2 };

// Cells along an edge, six tets each: 10,368 to 998,250 tets.
static const int cells[] = {12, 18, 26, 38, 55}, cells_quick[] = {4, 6};
enum { BLOCKS = sizeof cells / sizeof cells[0], BLOCKS_QUICK = 2 };

// A cube of 1 m that is set down on the ground, and pressed by a plate.
static void describe_block(int n, char name[64], char text[TEXT])
{
    snprintf(name, 64, "block-%d", 6 * n * n * n);
    pl_text t = pl_text_start(text, TEXT);
    pl_text_add(&t,
                "{\"world\": {\"dt\": 0.001}, \"bodies\": [{\"mesh\": \"cube:cells=%d\", "
                "\"position\": [0, 0, 0.5005]}, {\"mesh\": \"box:size=1.4,1.4,0.1:cells=1\", "
                "\"position\": [0, 0, 1.052], \"type\": \"kinematic\", \"motion\": {\"velocity\": "
                "[0, 0, -0.5]}}]}",
                n);
    PL_ASSERT(t.length < TEXT);
}

static pl_status grow_block(const pl_bench_options *options, pl_output *csv)
{
    size sizes[BLOCKS] = {0};
    int n = options->quick ? BLOCKS_QUICK : BLOCKS;
    int32_t steps = options->quick ? BLOCK_STEPS_QUICK : BLOCK_STEPS;
    printf("One block that is pressed on the ground; us/unit: per tet\n");
    print_head("block");
    for (int i = 0; i < n; i++) {
        char name[64], text[TEXT];
        describe_block(options->quick ? cells_quick[i] : cells[i], name, text);
        const pl_bench_scene block = {name, NULL, text, 0.01, 0};
        PL_TRY(measure(&block, options, steps, &sizes[i].n, &sizes[i].steps));
        print_row(csv, "block", sizes[i].n, sizes[i].n, &sizes[i].steps);
    }
    double power = exponent(n, sizes);
    printf("time grows like n^%.3f (goal %g)%s\n", power, GROWTH,
           power <= GROWTH || options->quick ? "" : "  slow");
    return PL_OK;
}

pl_status pl_bench_growth(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "growth.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "series,n,tets,contacts,rounds,iterations,fem_ms,collision_ms,solve_ms,"
                           "cpu_ms,residual,friction,hash\n");
    pl_threads_set(1);
    status = grow_piles(options, &csv);
    if (status == PL_OK) status = grow_block(options, &csv);
    pl_threads_set(0);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
