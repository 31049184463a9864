// pliant run: a scene in time, with statistics, frames for ParaView and checkpoints.

#include "args.h"
#include "commands.h"
#include "progress.h"
#include "scene.h"
#include "series.h"
#include "stats_file.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_INTERRUPTED = 130, PATH_ROOM = 48 };

// A time that is a whole number of steps must not gain one by rounding [steps].
static const double STEP_SLACK = 1e-6;

// What the command line asks for.
typedef struct job {
    const char *out, *stats, *resume;
    int32_t steps, threads, every, checkpoint_every; // 0: not given
    double time, dt;                                 // 0: not given
    bool quiet;
} job;

typedef struct run {
    const job *job;
    pl_world *world;
    int64_t last; // the step to end with
    pl_series series;
    pl_stats_file stats;
    pl_progress progress;
    int64_t saved; // the step of the latest checkpoint, -1 if there is none
} run;

// --- Ctrl-C ---

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    if (interrupted) _exit(EXIT_INTERRUPTED);
    interrupted = 1;
}

// A signal that the shell told us to ignore stays ignored.
static void catch_signal(int number)
{
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    sigaction(number, &action, NULL);
}

// --- Outputs ---

static pl_status save(run *r)
{
    int64_t step = pl_world_steps(r->world);
    if (r->saved == step) return PL_OK;
    size_t room = strlen(r->job->out) + PATH_ROOM;
    char *path = pl_alloc((int64_t)room, 1);
    if (path == NULL) return PL_ERROR_MEMORY;
    snprintf(path, room, "%s/checkpoint-%06" PRId64 ".plc", r->job->out, step);
    pl_status status = pl_world_save(r->world, path);
    pl_free(path);
    if (status == PL_OK) r->saved = step;
    return status;
}

// Opens everything that the run will write; only then is the first byte changed. The folder comes
// first, because the statistics may belong into it.
static pl_status open_outputs(run *r)
{
    const job *j = r->job;
    bool resumed = j->resume != NULL;
    int64_t step = pl_world_steps(r->world);
    if (j->out != NULL) PL_TRY(pl_series_open(j->out, r->world, resumed, &r->series));
    if (j->stats != NULL) PL_TRY(pl_stats_open(j->stats, resumed, step, &r->stats));
    if (j->stats != NULL) PL_TRY(pl_stats_begin(&r->stats));
    bool due = step % j->every == 0 || r->series.n_frames == 0;
    return j->out != NULL && due ? pl_series_write(&r->series, r->world) : PL_OK;
}

// In this order: what a checkpoint stands for has been written when the checkpoint is.
static pl_status record(run *r, const pl_step_stats *stats)
{
    const job *j = r->job;
    if (j->stats != NULL) PL_TRY(pl_stats_write(&r->stats, stats));
    if (j->out != NULL && stats->step % j->every == 0) {
        PL_TRY(pl_series_write(&r->series, r->world));
    }
    if (j->checkpoint_every > 0 && stats->step % j->checkpoint_every == 0) PL_TRY(save(r));
    return PL_OK;
}

// --- The run ---

static pl_status step(run *r)
{
    pl_step_stats stats;
    pl_status status = pl_world_step(r->world, &stats);
    if (status != PL_OK) {
        return pl_fail(status, "step %lld, from %g s: %s", (long long)pl_world_steps(r->world) + 1,
                       pl_world_time(r->world), pl_error_text());
    }
    PL_TRY(record(r, &stats));
    pl_progress_show(&r->progress, stats.step, stats.time);
    return PL_OK;
}

static void print_end(const run *r, int64_t first)
{
    const pl_world *world = r->world;
    int64_t steps = pl_world_steps(world);
    double seconds = pl_seconds() - r->progress.start;
    if (interrupted) printf("interrupted\n");
    printf("%lld steps in %.2f s (%.2f ms per step), %.6g s simulated, hash %016" PRIx64 "\n",
           (long long)(steps - first), seconds,
           steps > first ? 1e3 * seconds / (double)(steps - first) : 0.0, pl_world_time(world),
           pl_world_hash(world));
    if (r->saved >= 0) {
        printf("last checkpoint: %s/checkpoint-%06" PRId64 ".plc\n", r->job->out, r->saved);
    }
}

static pl_status simulate(run *r)
{
    int64_t first = pl_world_steps(r->world);
    PL_TRY(open_outputs(r));
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    r->progress = pl_progress_start(first, r->last, r->job->quiet);
    pl_status status = PL_OK;
    while (status == PL_OK && !interrupted && pl_world_steps(r->world) < r->last) status = step(r);
    pl_progress_end(&r->progress);
    if (r->job->checkpoint_every > 0) {
        // The last good state, whatever ended the run; the first failure is the one to tell.
        char text[1024];
        snprintf(text, sizeof text, "%s", pl_error_text());
        pl_status saved = save(r);
        status = status != PL_OK ? pl_fail(status, "%s", text) : saved;
    }
    if (status == PL_OK && !r->job->quiet) print_end(r, first);
    return status;
}

// --- The command ---

static pl_status check_job(const job *j)
{
    if (j->steps > 0 && j->time > 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "--steps and --time: give one of them");
    }
    if (j->out == NULL && (j->every > 0 || j->checkpoint_every > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: say where to with --out DIR",
                       j->every > 0 ? "--every" : "--checkpoint-every");
    }
    return PL_OK;
}

// The steps until the given time, from the time and step that the world has.
static pl_status count_steps(const run *r, const pl_scene *scene, int64_t *last)
{
    const job *j = r->job;
    if (j->steps > 0) {
        *last = j->steps;
        return PL_OK;
    }
    double time = j->time > 0 ? j->time : scene->duration;
    double steps = ceil((time - pl_world_time(r->world)) / scene->world.dt - STEP_SLACK);
    if (steps > 1e15) return pl_fail(PL_ERROR_ARGUMENT, "%g s are %g steps: too many", time, steps);
    *last = pl_world_steps(r->world) + (steps > 0 ? (int64_t)steps : 0);
    return PL_OK;
}

static pl_status run_scene(pl_scene *scene, const job *j)
{
    run r = {.job = j, .stats = {.fd = -1}, .saved = -1};
    if (j->dt > 0) scene->world.dt = j->dt;
    PL_TRY(pl_scene_world(scene, &r.world));
    pl_status status = j->resume != NULL ? pl_world_load(r.world, j->resume) : PL_OK;
    if (status == PL_OK) status = count_steps(&r, scene, &r.last);
    if (status == PL_OK) status = simulate(&r);
    pl_status closed = pl_stats_close(&r.stats);
    pl_series_free(&r.series);
    pl_world_destroy(r.world);
    return status != PL_OK ? status : closed;
}

int pl_command_run(int argc, char **argv)
{
    job j = {0};
    const pl_option options[] = {
        {"--steps", PL_OPTION_COUNT, &j.steps, "N", "end after step N of the scene"},
        {"--time", PL_OPTION_NUMBER, &j.time, "T", "end at T s; default the scene's duration"},
        {"--dt", PL_OPTION_NUMBER, &j.dt, "H", "step [s]; default the scene's"},
        {"--threads", PL_OPTION_COUNT, &j.threads, "N", "default one per core; same results"},
        {"--out", PL_OPTION_TEXT, &j.out, "DIR", "write frames for ParaView: DIR/series.pvd"},
        {"--every", PL_OPTION_COUNT, &j.every, "K", "a frame every K steps; default 10"},
        {"--stats", PL_OPTION_TEXT, &j.stats, "FILE.csv", "write a row of statistics per step"},
        {"--checkpoint-every", PL_OPTION_COUNT, &j.checkpoint_every, "N",
         "write DIR/checkpoint-*.plc every N steps and at the end"},
        {"--resume", PL_OPTION_TEXT, &j.resume, "FILE.plc", "go on from a checkpoint"},
        {"--quiet", PL_OPTION_FLAG, &j.quiet, NULL, "print nothing but errors"},
    };
    const pl_command command = {
        "run SCENE.json [options]",
        "Simulates a scene.",
        options,
        sizeof options / sizeof options[0],
        "Ctrl-C ends the run after the present step, with everything written (exit code 130).\n"
        "A resumed run keeps the rows and frames up to its checkpoint and drops later ones; its\n"
        "steps are bit for bit those of a run that never stopped.",
        1,
        1};
    int n_words, exit_code;
    if (!pl_args_read(&command, argc, argv, &n_words, &exit_code)) return exit_code;
    if (check_job(&j) != PL_OK) return pl_command_failed();
    if (j.every == 0) j.every = 10;
    if (j.threads > 0) pl_set_threads(j.threads);
    pl_scene scene;
    if (pl_scene_load(argv[0], &scene) != PL_OK) return pl_command_failed();
    pl_status status = run_scene(&scene, &j);
    pl_scene_free(&scene);
    if (status != PL_OK) return pl_command_failed();
    return interrupted ? EXIT_INTERRUPTED : 0;
}
