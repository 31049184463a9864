// pliant bench busy: the default number of threads against one, on an idle machine and on one where
// as many processes as there are cores keep all of it busy: threads must not lose to one thread.

#include "bench_scene.h"
#include "../../base/file.h"
#include "../../base/team.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 5, REPEATS_QUICK = 1 };

// What the default may take, in times of one thread: with bodies large enough for threads, and not.
static const double MOST_LARGE = 1.3, MOST_SMALL = 1.1;

typedef struct workload {
    pl_bench_scene scene;
    int32_t steps, quick_steps;
    double most;
} workload;

static const workload workloads[] = {
    {{.name = "stack", .file = "stack.json"}, 60, 5, MOST_LARGE},
    {{.name = "rings", .file = "rings.json"}, 300, 20, MOST_LARGE},
    {{.name = "bunny-pile", .file = "view/bunny-pile.json"}, 150, 5, MOST_LARGE},
    {{.name = "armadillo-light", .file = "armadillo-light.json"}, 100, 5, MOST_LARGE},
    {{.name = "slope-slide", .file = "slope-slide.json"}, 1500, 20, MOST_SMALL},
    {{.name = "impact", .file = "impact.json"}, 1000, 20, MOST_SMALL},
    {{.name = "bunny-fall", .file = "bunny-fall.json"}, 400, 20, MOST_SMALL},
};
enum { WORKLOADS = sizeof workloads / sizeof workloads[0] };

// --- Busy processes ---

typedef struct crowd {
    pid_t process[PL_MAX_THREADS];
    int32_t n;
} crowd;

static void disperse(crowd *c)
{
    for (int32_t i = 0; i < c->n; i++) {
        kill(c->process[i], SIGKILL);
        waitpid(c->process[i], NULL, 0);
    }
    c->n = 0;
}

static pl_status gather(int32_t n, crowd *out)
{
    *out = (crowd){.n = 0};
    fflush(NULL);
    for (int32_t i = 0; i < n; i++) {
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (volatile uint64_t spin = 0;; spin++) {
            }
        }
        if (child < 0) {
            disperse(out);
            return pl_fail(PL_ERROR_MEMORY, "no process can be started");
        }
        out->process[out->n++] = child;
    }
    return PL_OK;
}

// --- Measuring ---

// The steps from the start of the scene: how long they took [s], and the hash of the last.
static pl_status time_steps(const workload *w, int32_t steps, int32_t threads, double *seconds,
                            uint64_t *hash)
{
    pl_play play;
    PL_TRY(pl_bench_start(&w->scene, NULL, &play));
    play.last = steps;
    pl_status status = pl_world_set_threads(play.world, threads);
    if (status == PL_OK) status = pl_play_step(&play); // which prepares
    double start = pl_seconds();
    if (status == PL_OK) status = pl_play_run(&play, NULL, NULL);
    *seconds = pl_seconds() - start;
    *hash = play.stats.hash;
    pl_play_close(&play);
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The medians with one thread and with the default, by turns.
static pl_status compare_threads(const workload *w, bool quick, double median[2], bool *same)
{
    int repeats = quick ? REPEATS_QUICK : REPEATS;
    double seconds[2][REPEATS];
    uint64_t hash[2];
    for (int i = 0; i < 2 * repeats; i++) {
        int many = i % 2;
        PL_TRY(time_steps(w, quick ? w->quick_steps : w->steps, many ? 0 : 1, &seconds[many][i / 2],
                          &hash[many]));
        if (many) *same = *same && hash[0] == hash[1];
    }
    for (int k = 0; k < 2; k++) {
        qsort(seconds[k], (size_t)repeats, sizeof **seconds, compare);
        median[k] = seconds[k][repeats / 2];
    }
    return PL_OK;
}

static pl_status measure(const workload *w, bool quick, pl_output *csv, bool *same)
{
    double idle[2], busy[2];
    crowd others;
    PL_TRY(compare_threads(w, quick, idle, same));
    PL_TRY(gather(pl_threads(), &others));
    pl_status status = compare_threads(w, quick, busy, same);
    disperse(&others);
    PL_TRY(status);
    bool slow = !quick && busy[1] > w->most * busy[0];
    printf("%-16s %9.3f %9.3f %8.2f %9.3f %9.3f %8.2f %6.1f%s%s\n", w->scene.name, idle[0], idle[1],
           idle[1] / idle[0], busy[0], busy[1], busy[1] / busy[0], w->most, slow ? "  slow" : "",
           *same ? "" : "  OTHER BITS");
    pl_output_printf(csv, "%s,%.6g,%.6g,%.6g,%.6g\n", w->scene.name, idle[0], idle[1], busy[0],
                     busy[1]);
    fflush(stdout);
    return PL_OK;
}

pl_status pl_bench_busy(const pl_bench_options *options)
{
    char *path;
    pl_output csv;
    bool same = true;
    PL_TRY(pl_bench_path(options, "", "busy.csv", &path));
    pl_status status = pl_output_open(path, &csv);
    pl_free(path);
    PL_TRY(status);
    pl_output_printf(&csv, "scene,idle_1,idle_default,busy_1,busy_default\n");
    printf("%d cores; seconds with one thread and by default, and their ratio: idle, and beside as "
           "many busy processes\n",
           (int)pl_threads());
    printf("%-16s %9s %9s %8s %9s %9s %8s %6s\n", "scene", "1", "default", "ratio", "busy 1",
           "default", "ratio", "goal");
    for (int i = 0; i < WORKLOADS && status == PL_OK; i++) {
        status = measure(&workloads[i], options->quick, &csv, &same);
        if (status != PL_OK && pl_bench_skips(&workloads[i].scene, status)) status = PL_OK;
    }
    if (status == PL_OK && !same) {
        status = pl_fail(PL_ERROR_NUMERICS, "the number of threads changes the results");
    }
    if (status == PL_OK) return pl_output_close(&csv);
    pl_output_abandon(&csv);
    return status;
}
