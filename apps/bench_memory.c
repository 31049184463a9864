// pliant bench memory: the most memory that scenes in contact take, each in a process of its own,
// against [VJ19, 6.2.6].

#include "bench_scene.h"
#include "subprocess.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { STEPS = 5 };

typedef struct row {
    const char *scene;
    double paper; // [MB]; 0: it does not say
} row;

static const row rows[] = {
    {"rings", 380}, {"pyramid", 1800}, {"bunnies", 2200}, {"armadillo", 0}, {"bearing", 0}};
enum { ROWS = sizeof rows / sizeof rows[0] };

// At most this part of what the paper takes.
static const double GOAL = 0.1;

static const pl_subprocess_limits limits = {7200, (int64_t)1 << 36};

typedef struct job {
    const pl_bench_scene *scene;
    const pl_bench_options *options;
} job;

// What the child has to say.
typedef struct answer {
    pl_status status;
    char text[512]; // of the failure
    double peak;    // [bytes]
    double before;  // what a process has that does nothing [bytes]
    int64_t tets;
    pl_bench_steps steps;
} answer;

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static int work(int fd, const void *argument)
{
    const job *j = argument;
    answer a = {.before = peak_bytes()};
    pl_world *world;
    omp_set_num_threads(1); // the parent's threads did not come along
    a.status = pl_bench_open(j->scene, j->options, NULL, &world);
    if (a.status == PL_OK) a.status = pl_bench_run(world, STEPS, &a.steps);
    if (a.status == PL_OK) a.tets = pl_bench_tets(world);
    snprintf(a.text, sizeof a.text, "%s", pl_error_text());
    a.peak = peak_bytes();
    return pl_subprocess_send(fd, &a, sizeof a) ? 0 : 1;
}

static pl_status measure(const pl_bench_scene *scene, const pl_bench_options *options, answer *out)
{
    const job j = {scene, options};
    pl_bytes bytes;
    PL_TRY(pl_subprocess_run(scene->name, work, &j, &limits, &bytes));
    bool whole = bytes.size == sizeof *out;
    if (whole) memcpy(out, bytes.data, sizeof *out);
    pl_bytes_free(&bytes);
    if (!whole) return pl_fail(PL_ERROR_MEMORY, "%s: no answer", scene->name);
    return out->status == PL_OK ? PL_OK : pl_fail(out->status, "%s", out->text);
}

static void print_row(pl_output *csv, const row *r, const answer *a, bool quick)
{
    const pl_bench_steps *s = &a->steps;
    double mb = a->peak / 1e6, part = r->paper > 0 ? mb / r->paper : 0, n = s->n;
    printf("%-10s %8" PRId64 " %8.0f %8.1f %8.1f %7.0f", r->scene, a->tets, s->contacts / n, mb,
           a->before / 1e6, a->peak / (double)a->tets);
    if (part > 0) {
        printf(" %8.0f %7.3f", r->paper, part);
    } else {
        printf(" %8s %7s", "-", "-");
    }
    printf(" %8.1f %9.1e  %016" PRIx64 "%s\n", 1e3 * s->total / n, s->residual, s->hash,
           part > GOAL && !quick ? "  large" : "");
    pl_output_printf(csv, "%s,%" PRId64 ",%.6g,%.6g,%.6g,%.6g,%.6g,%.3g,%016" PRIx64 "\n", r->scene,
                     a->tets, s->contacts / n, mb, a->before / 1e6, r->paper, 1e3 * s->total / n,
                     s->residual, s->hash);
    fflush(stdout);
}

static pl_status measure_all(const pl_bench_options *options, pl_output *csv)
{
    for (int i = 0; i < ROWS; i++) {
        const pl_bench_scene *scene = pl_bench_scene_find(rows[i].scene, options->quick);
        answer a;
        pl_status status = measure(scene, options, &a);
        if (status != PL_OK && pl_bench_skips(scene, status)) continue;
        PL_TRY(status);
        print_row(csv, &rows[i], &a, options->quick);
    }
    return PL_OK;
}

pl_status pl_bench_memory(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    PL_TRY(pl_bench_path(options, "", "memory.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv,
                     "scene,tets,contacts,peak_mb,process_mb,vj19_mb,step_ms,residual,hash\n");
    printf("Peak of a process that loads a scene and makes %d steps of it in contact, one thread; "
           "\"process\" is what it has before. Goal: %g of VJ19.\n",
           STEPS, GOAL);
    printf("%-10s %8s %8s %8s %8s %7s %8s %7s %8s %9s  %s\n", "scene", "tets", "contacts", "MB",
           "process", "B/tet", "VJ19 MB", "part", "step ms", "residual", "hash");
    fflush(stdout);
    status = measure_all(options, &csv);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
