// pliant bench memory: the most memory that scenes take from their start until they were full of
// contacts, each in a process of its own, against [VJ19, 6.2.6]. A run from a state in contact
// would take less: what has grown step by step is in other places, and lies in other pieces.

#include "bench_scene.h"
#include "../../base/team.h"
#include "../cli/heap.h"
#include "../common/subprocess.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

typedef struct row {
    const char *scene;
    double until; // simulated time [s]: the contacts have been most by then
    double paper; // [MB]; 0: it does not say
} row;

static const row rows[] = {{"rings", 1.1, 380},
                           {"pyramid", 0.1, 1800},
                           {"bunnies", 0.9, 2200},
                           {"armadillo", 1.0, 0},
                           {"bearing", 0.1, 0}};
enum { ROWS = sizeof rows / sizeof rows[0] };

// At most this part of what the paper takes.
static const double GOAL = 0.1;

static const pl_subprocess_limits limits = {7200, (int64_t)1 << 36};

typedef struct job {
    const pl_bench_scene *scene;
    double until; // [s]
} job;

// What the child has to say.
typedef struct answer {
    pl_status status;
    char text[512]; // of the failure
    double peak;    // [bytes]
    double before;  // what a process has that does nothing [bytes]
    int64_t tets;
    double most; // contacts of a step
    pl_bench_steps steps;
} answer;

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static pl_status run(const job *j, answer *a)
{
    const pl_bench_change change = {.dt = j->scene->lead_dt};
    pl_play play;
    PL_TRY(pl_bench_start(j->scene, &change, &play));
    a->tets = pl_bench_tets(play.world);
    PL_TRY(pl_play_until(&play, j->until));
    for (int64_t n = play.last - play.first; n > 0; n--) {
        double contacts = a->steps.contacts;
        PL_TRY(pl_bench_run(&play, 1, &a->steps));
        a->most = fmax(a->most, a->steps.contacts - contacts);
    }
    return PL_OK; // the world goes with the process
}

static int work(int fd, const void *argument)
{
    answer a = {.before = peak_bytes()};
    pl_threads_set(1);    // the parent's threads did not come along
    pl_heap_stay_small(); // as pliant run
    a.status = run(argument, &a);
    snprintf(a.text, sizeof a.text, "%s", pl_error_text());
    a.peak = peak_bytes();
    return pl_subprocess_send(fd, &a, sizeof a) ? 0 : 1;
}

static pl_status measure(const pl_bench_scene *scene, double until, answer *out)
{
    const job j = {scene, until};
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
    printf("%-10s %8" PRId64 " %8.0f %8.1f %8.1f %7.0f", r->scene, a->tets, a->most, mb,
           a->before / 1e6, a->peak / (double)a->tets);
    if (part > 0) {
        printf(" %8.0f %7.3f", r->paper, part);
    } else {
        printf(" %8s %7s", "-", "-");
    }
    printf(" %8.1f %9.1e  %016" PRIx64 "%s\n", 1e3 * s->total / n, s->residual, s->hash,
           part > GOAL && !quick ? "  large" : "");
    pl_output_printf(csv, "%s,%" PRId64 ",%.6g,%.6g,%.6g,%.6g,%.6g,%.3g,%016" PRIx64 "\n", r->scene,
                     a->tets, a->most, mb, a->before / 1e6, r->paper, 1e3 * s->total / n,
                     s->residual, s->hash);
    fflush(stdout);
}

static pl_status measure_all(const pl_bench_options *options, pl_output *csv)
{
    for (int i = 0; i < ROWS; i++) {
        const pl_bench_scene *scene = pl_bench_scene_find(rows[i].scene, options->quick);
        answer a;
        double until = options->quick ? scene->lead : rows[i].until;
        pl_status status = measure(scene, until, &a);
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
    printf("Peak of a process that runs a scene from its start until it has been full of contacts, "
           "one thread; \"contacts\" are the most of a step, \"process\" is what it has before. "
           "Goal: %g of VJ19.\n",
           GOAL);
    printf("%-10s %8s %8s %8s %8s %7s %8s %7s %8s %9s  %s\n", "scene", "tets", "contacts", "MB",
           "process", "B/tet", "VJ19 MB", "part", "step ms", "residual", "hash");
    fflush(stdout);
    status = measure_all(options, &csv);
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
