#include "run_grid.h"
#include "../common/paths.h"
#include "../export/export.h"
#include "../export/frame_files.h"
#include "../scene/interrupt.h"
#include "../scene/scene_grid.h"
#include "../scene/schedule.h"
#include "commands.h"
#include "progress.h"
#include "stats_file.h"

#include <inttypes.h>
#include <stdio.h>

enum { EXIT_LATE = 3 };

static const char FRAMES_HEADER[] = "step,time\n";

typedef struct run {
    const pl_run_grid_options *options;
    const pl_scene *scene;
    pl_euler *euler;
    pl_schedule schedule;
    int64_t last;
    pl_export_bodies bodies;
    pl_row_file stats, frames;
    char *frames_path;
    pl_progress progress;
    int64_t recorded, rescues;
    int32_t parts; // at most in one step
    bool late;
} run;

// --- Outputs ---

static pl_status open_outputs(run *r)
{
    const pl_run_grid_options *o = r->options;
    if (o->out != NULL) {
        PL_TRY(pl_schedule_check(&r->schedule));
        PL_TRY(pl_make_folder(o->out));
        PL_TRY(pl_path_in(&r->frames_path, o->out, "frames.csv"));
        PL_TRY(pl_export_bodies_make(r->scene, &r->bodies));
        PL_TRY(pl_row_file_open(r->frames_path, FRAMES_HEADER, false, 0, &r->frames));
        PL_TRY(pl_row_file_begin(&r->frames));
    }
    if (o->record != NULL) PL_TRY(pl_make_folder(o->record));
    if (o->stats == NULL) return PL_OK;
    PL_TRY(pl_stats_open(o->stats, false, 0, &r->stats));
    return pl_row_file_begin(&r->stats);
}

static pl_status write_as(const run *r, int format, const char *end,
                          pl_status (*write)(const pl_export_bodies *, const char *))
{
    char *path;
    if (!(r->options->formats & format)) return PL_OK;
    PL_TRY(pl_path_in(&path, r->options->out, "frame-%06" PRId64 ".%s", pl_euler_steps(r->euler),
                      end));
    pl_status status = write(&r->bodies, path);
    pl_free(path);
    return status;
}

// The list has a frame when its files are whole.
static pl_status write_frame(run *r)
{
    char buffer[64];
    int64_t step = pl_euler_steps(r->euler);
    if (r->options->out == NULL || !pl_schedule_is_due(&r->schedule, step)) return PL_OK;
    PL_TRY(pl_export_bodies_take(&r->bodies, r->scene, r->euler));
    PL_TRY(write_as(r, PL_EXPORT_OBJ, "obj", pl_write_frame_obj));
    PL_TRY(write_as(r, PL_EXPORT_PLY, "ply", pl_write_frame_ply));
    pl_text row = pl_text_start(buffer, sizeof buffer);
    pl_text_add(&row, "%" PRId64, step);
    pl_row_add(&row, pl_euler_time(r->euler));
    pl_text_add(&row, "\n");
    return pl_row_file_write(&r->frames, buffer, row.length);
}

static pl_status write_problem(run *r)
{
    char *path;
    pl_problem *problem;
    PL_TRY(pl_path_in(&path, r->options->record, "problem-%06" PRId64 ".plp",
                      pl_euler_steps(r->euler)));
    pl_status status = pl_euler_problem(r->euler, &problem);
    if (status == PL_OK) status = pl_problem_write(problem, path);
    if (status == PL_OK) pl_problem_destroy(problem);
    pl_free(path);
    r->recorded += status == PL_OK;
    return status;
}

// --- The run ---

static pl_status open_run(run *r)
{
    const pl_run_grid_options *o = r->options;
    double dt = r->scene->world.dt;
    PL_TRY(pl_scene_euler(r->scene, &r->euler));
    r->schedule = (pl_schedule){dt, o->every, o->fps};
    r->last = o->steps;
    if (o->steps > 0) return PL_OK;
    return pl_schedule_last(0, 0, dt, o->time > 0 ? o->time : r->scene->duration, &r->last);
}

static pl_status make_steps(run *r)
{
    const pl_run_grid_options *o = r->options;
    PL_TRY(write_frame(r));
    while (pl_euler_steps(r->euler) < r->last && !pl_interrupted()) {
        pl_step_stats stats;
        r->late = o->max_seconds > 0 && pl_seconds() - o->started > o->max_seconds;
        if (r->late) return PL_OK;
        PL_TRY(pl_scene_euler_step(r->euler, &stats));
        if (o->stats != NULL) PL_TRY(pl_stats_write(&r->stats, &stats));
        if (o->record != NULL && stats.constraints > 0) PL_TRY(write_problem(r));
        PL_TRY(write_frame(r));
        r->rescues += stats.rescues;
        r->parts = PL_MAX(r->parts, stats.halvings + 1);
        pl_progress_show(&r->progress, &stats);
    }
    return PL_OK;
}

static void print_end(const run *r)
{
    const pl_run_grid_options *o = r->options;
    int64_t steps = pl_euler_steps(r->euler);
    double seconds = pl_seconds() - r->progress.start;
    if (pl_interrupted()) printf("interrupted\n");
    if (r->late) {
        printf("--max-seconds %g: ended after step %" PRId64 " of %" PRId64 "\n", o->max_seconds,
               steps, r->last);
    }
    printf("%" PRId64 " steps in %.2f s (%.2f ms per step), %.6g s simulated, hash %016" PRIx64
           "\n",
           steps, seconds, steps > 0 ? 1e3 * seconds / (double)steps : 0.0, pl_euler_time(r->euler),
           pl_euler_hash(r->euler));
    printf("steps had up to %d parts; %" PRId64 " solves were rescued by \"auto\"\n", (int)r->parts,
           r->rescues);
    if (o->record != NULL) {
        printf("contact problems: %" PRId64 " in %s\n", r->recorded, o->record);
    }
}

static pl_status simulate(run *r)
{
    PL_TRY(open_run(r));
    pl_leave_never();
    PL_TRY(open_outputs(r));
    pl_interrupt_catch();
    r->progress = pl_progress_start(0, r->last, r->options->quiet);
    pl_status status = make_steps(r);
    pl_progress_end(&r->progress);
    if (status == PL_OK && !r->options->quiet) print_end(r);
    return status;
}

int pl_run_grid(const pl_scene *scene, const pl_run_grid_options *options)
{
    run r = {.options = options, .scene = scene, .stats = {.fd = -1}, .frames = {.fd = -1}};
    pl_status status = simulate(&r);
    int code = status == PL_OK ? 0 : pl_command_failed();
    pl_status closed = pl_row_file_close(&r.stats), also = pl_row_file_close(&r.frames);
    if (code == 0 && (closed != PL_OK || also != PL_OK)) code = pl_command_failed();
    pl_export_bodies_free(&r.bodies);
    pl_euler_destroy(r.euler);
    pl_free(r.frames_path);
    if (code == 0 && r.late) code = EXIT_LATE;
    return code == 0 && pl_interrupted() ? PL_EXIT_INTERRUPTED : code;
}
