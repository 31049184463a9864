#include "reel.h"
#include "../export/export.h"
#include "../scene/interrupt.h"
#include "../scene/scene_grid.h"
#include "../common/paths.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const double FPS = 30; // if nobody says otherwise

// --- Following ---

// The middle of the box around the bodies that the shot follows.
static void find_subject(const pl_reel *reel, double subject[3])
{
    const pl_export_bodies *bodies = &reel->bodies;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    const pl_export_body *body = &bodies->body[reel->shot->body];
    for (int32_t i = 0; i < reel->shot->n_bodies; i++, body++) {
        const double *x = bodies->x + 3 * (int64_t)body->vert;
        for (int64_t k = 0; k < 3 * (int64_t)body->n_vert; k++) {
            lo[k % 3] = fmin(lo[k % 3], x[k]);
            hi[k % 3] = fmax(hi[k % 3], x[k]);
        }
    }
    for (int k = 0; k < 3; k++) subject[k] = 0.5 * (lo[k] + hi[k]);
}

static bool follows(const pl_reel *reel)
{
    return reel->shot != NULL && reel->shot->kind == PL_SHOT_FOLLOW;
}

static void follow(pl_reel *reel)
{
    double subject[3];
    if (!follows(reel)) return;
    find_subject(reel, subject);
    pl_follower_move(&reel->follower, reel->shot->smoothing, reel->time, subject);
}

// --- A world ---

static pl_status plan(pl_reel *reel, const pl_reel_options *o)
{
    pl_play *play = &reel->play;
    double dt = reel->scene->world.dt;
    double time = o->time > 0 || reel->picture ? o->time : reel->scene->duration;
    play->schedule = (pl_schedule){dt, o->every, o->fps > 0 ? o->fps : fmin(FPS, 1 / dt)};
    PL_TRY(pl_play_until(play, time));
    reel->n_frames = 1;
    if (reel->picture) return PL_OK;
    PL_TRY(pl_schedule_check(&play->schedule));
    reel->fps = pl_schedule_rate(&play->schedule);
    reel->n_frames = pl_schedule_count(&play->schedule, play->last) -
                     (play->first > 0 ? pl_schedule_count(&play->schedule, play->first - 1) : 0);
    if (reel->n_frames > 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "there is no frame from %g s to %g s", reel->time, time);
}

static pl_status audit(const pl_reel *reel)
{
    pl_audit_report report;
    bool steps = pl_world_steps(reel->play.world) < reel->play.last;
    if (!reel->scene->world.contact || !steps) return PL_OK;
    PL_TRY(pl_world_audit(reel->play.world, &report));
    if (report.clean) return PL_OK;
    return pl_fail(PL_ERROR_GEOMETRY,
                   "%s: bodies intersect at the start; 'pliant run' says where, and what to "
                   "move",
                   reel->scene->file);
}

static pl_status open_world(pl_reel *reel, const pl_reel_options *o)
{
    PL_TRY(pl_export_bodies_make(reel->scene, &reel->bodies)); // before the scene is posed
    PL_TRY(pl_play_open(reel->scene, &reel->play));
    if (o->resume != NULL) PL_TRY(pl_play_resume(&reel->play, o->resume));
    reel->time = pl_world_time(reel->play.world);
    PL_TRY(plan(reel, o));
    PL_TRY(audit(reel));
    pl_export_bodies_move(&reel->bodies, reel->play.world);
    return PL_OK;
}

static bool is_due(const pl_reel *reel)
{
    const pl_play *play = &reel->play;
    int64_t step = pl_world_steps(play->world);
    return reel->picture ? step >= play->last : step <= play->last && pl_play_is_frame(play);
}

// After a step.
static pl_status move_along(pl_play *play, void *user)
{
    pl_reel *reel = user;
    reel->time = pl_world_time(play->world);
    pl_export_bodies_move(&reel->bodies, play->world);
    follow(reel);
    play->stop = is_due(reel);
    return PL_OK;
}

static pl_status next_of_world(pl_reel *reel, bool *more)
{
    pl_play *play = &reel->play;
    if (!reel->started) follow(reel);
    *more = !reel->started && is_due(reel);
    reel->started = true;
    if (!*more) {
        PL_TRY(pl_play_explain(play, pl_play_run(play, move_along, reel)));
        *more = play->stop;
    }
    if (*more) pl_scene_pose(reel->scene, play->world);
    return PL_OK;
}

// --- A cache ---

static pl_status open_file(pl_reel *reel, const char *folder, const char *name, int32_t n_points,
                           int32_t slot, pl_pc2 *out)
{
    char **path = &reel->path[slot];
    PL_TRY(pl_path_in(path, folder, "%s", name));
    PL_TRY(pl_pc2_check(*path, n_points, (int32_t)reel->n_samples));
    return pl_pc2_open(*path, n_points, out);
}

static pl_status open_files(pl_reel *reel, const char *folder)
{
    const pl_export_bodies *bodies = &reel->bodies;
    reel->path = pl_alloc_zero(bodies->n + 1, sizeof *reel->path);
    reel->x = pl_alloc(3 * (int64_t)bodies->n_vert, sizeof *reel->x);
    if (reel->path == NULL || reel->x == NULL) return PL_ERROR_MEMORY;
    char *all;
    PL_TRY(pl_path_in(&all, folder, "%s", PL_EXPORT_CACHE));
    bool one = access(all, F_OK) == 0;
    pl_free(all);
    if (one) {
        return open_file(reel, folder, PL_EXPORT_CACHE, bodies->n_vert, bodies->n, &reel->all);
    }
    reel->each = pl_alloc(bodies->n, sizeof *reel->each);
    if (reel->each == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < bodies->n; i++) reel->each[i].fd = -1;
    for (int32_t i = 0; i < bodies->n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.pc2", bodies->body[i].name);
        PL_TRY(open_file(reel, folder, name, bodies->body[i].n_vert, i, &reel->each[i]));
    }
    return PL_OK;
}

static pl_status read_sample(pl_reel *reel, int64_t sample)
{
    const pl_export_bodies *bodies = &reel->bodies;
    if (reel->each == NULL) {
        PL_TRY(pl_pc2_read(&reel->all, sample, 0, bodies->n_vert, reel->x));
    }
    for (int32_t i = 0; i < bodies->n && reel->each != NULL; i++) {
        const pl_export_body *body = &bodies->body[i];
        PL_TRY(pl_pc2_read(&reel->each[i], sample, 0, body->n_vert,
                           reel->x + 3 * (int64_t)body->vert));
    }
    for (int64_t i = 0; i < 3 * (int64_t)bodies->n_vert; i++) bodies->x[i] = reel->x[i];
    reel->time = reel->sample[sample].time;
    return PL_OK;
}

// The samples up to the end that is asked for.
static void cut_samples(pl_reel *reel, double end)
{
    const double slack = 1e-9; // relative, of times that were written and read back
    while (reel->n_samples > 1 && reel->sample[reel->n_samples - 1].time > end * (1 + slack)) {
        reel->n_samples--;
    }
}

static void plan_cache(pl_reel *reel, const pl_reel_options *o)
{
    const pl_series_frame *sample = reel->sample;
    if (o->time > 0) cut_samples(reel, o->time);
    int64_t n = reel->n_samples;
    double duration = sample[n - 1].time - sample[0].time;
    double rate = duration > 0 ? (double)(n - 1) / duration : FPS;
    bool by_time = o->every == 0 && o->fps > 0;
    reel->every = by_time ? 0 : PL_MAX(o->every, 1);
    reel->fps = by_time ? o->fps : rate / (double)reel->every;
    reel->n_frames = by_time ? llround(duration * o->fps) + 1 : (n - 1) / reel->every + 1;
    if (reel->picture) reel->n_frames = 1;
}

static pl_status no_frames(const char *folder)
{
    return pl_fail(PL_ERROR_FILE,
                   "%s: no frames of a run; 'pliant run --format pc2' or usda writes them", folder);
}

pl_status pl_reel_check_cache(const char *folder)
{
    pl_series_frame *frames;
    int64_t n;
    PL_TRY(pl_export_read_frames(folder, &frames, &n));
    pl_free(frames);
    return n > 0 ? PL_OK : no_frames(folder);
}

static pl_status open_cache(pl_reel *reel, const char *folder, const pl_reel_options *o)
{
    PL_TRY(pl_export_bodies_make(reel->scene, &reel->bodies));
    PL_TRY(pl_export_read_frames(folder, &reel->sample, &reel->n_samples));
    if (reel->n_samples == 0) return no_frames(folder);
    PL_TRY(open_files(reel, folder));
    plan_cache(reel, o);
    return read_sample(reel, 0);
}

// The sample that the next frame shows.
static int64_t next_sample(const pl_reel *reel)
{
    if (reel->picture) return reel->n_samples - 1;
    if (reel->every > 0) return reel->frame * reel->every;
    const pl_series_frame *sample = reel->sample;
    double time = sample[0].time + (double)reel->frame / reel->fps;
    int64_t i = reel->present;
    while (i + 1 < reel->n_samples &&
           fabs(sample[i + 1].time - time) < fabs(sample[i].time - time)) {
        i++;
    }
    return i;
}

// A camera that follows sees also the samples that are no frames.
static pl_status next_of_cache(pl_reel *reel)
{
    int64_t i = next_sample(reel);
    int64_t first = follows(reel) ? PL_MIN(reel->present + reel->started, i) : i;
    for (reel->present = first; reel->present <= i; reel->present++) {
        PL_TRY(read_sample(reel, reel->present));
        follow(reel);
    }
    reel->present = i;
    reel->started = true;
    return PL_OK;
}

// --- A grid ---

static pl_status open_grid(pl_reel *reel, const pl_reel_options *o)
{
    double dt = reel->scene->world.dt;
    double time = o->time > 0 || reel->picture ? o->time : reel->scene->duration;
    PL_TRY(pl_export_bodies_make(reel->scene, &reel->bodies));
    PL_TRY(pl_scene_euler(reel->scene, &reel->euler));
    reel->schedule = (pl_schedule){dt, o->every, o->fps > 0 ? o->fps : fmin(FPS, 1 / dt)};
    PL_TRY(pl_schedule_last(0, 0, dt, time, &reel->last));
    PL_TRY(pl_schedule_check(&reel->schedule));
    reel->fps = pl_schedule_rate(&reel->schedule);
    reel->n_frames = reel->picture ? 1 : pl_schedule_count(&reel->schedule, reel->last);
    return pl_export_bodies_take(&reel->bodies, reel->scene, reel->euler);
}

static bool is_grid_due(const pl_reel *reel)
{
    int64_t step = pl_euler_steps(reel->euler);
    return reel->picture ? step >= reel->last : pl_schedule_is_due(&reel->schedule, step);
}

static pl_status next_of_grid(pl_reel *reel, bool *more)
{
    if (!reel->started) follow(reel);
    *more = !reel->started && is_grid_due(reel);
    reel->started = true;
    while (!*more && pl_euler_steps(reel->euler) < reel->last && !pl_interrupted()) {
        PL_TRY(pl_scene_euler_step(reel->euler, NULL));
        reel->time = pl_euler_time(reel->euler);
        *more = is_grid_due(reel);
        if (!*more && !follows(reel)) continue;
        PL_TRY(pl_export_bodies_take(&reel->bodies, reel->scene, reel->euler));
        follow(reel);
    }
    return PL_OK;
}

// --- Nothing that moves ---

static pl_status open_still(pl_reel *reel, const pl_reel_options *o)
{
    reel->fps = o->fps > 0 ? o->fps : FPS;
    reel->n_frames = reel->picture ? 1 : PL_MAX(llround(o->time * reel->fps), 1);
    return pl_export_bodies_make(reel->scene, &reel->bodies);
}

static void next_still(pl_reel *reel)
{
    reel->time = (double)reel->frame / reel->fps;
    follow(reel);
}

// --- All of them ---

static pl_reel start(pl_scene *scene, const pl_reel_options *options)
{
    return (pl_reel){.scene = scene, .picture = options->picture, .all = {.fd = -1}};
}

static pl_status close_if(pl_status status, pl_reel *reel)
{
    if (status != PL_OK) pl_reel_close(reel);
    return status;
}

pl_status pl_reel_open_world(pl_scene *scene, const pl_reel_options *options, pl_reel *out)
{
    *out = start(scene, options);
    return close_if(open_world(out, options), out);
}

pl_status pl_reel_open_cache(const char *folder, pl_scene *scene, const pl_reel_options *options,
                             pl_reel *out)
{
    *out = start(scene, options);
    return close_if(open_cache(out, folder, options), out);
}

pl_status pl_reel_open_grid(pl_scene *scene, const pl_reel_options *options, pl_reel *out)
{
    *out = start(scene, options);
    return close_if(open_grid(out, options), out);
}

pl_status pl_reel_open_still(pl_scene *scene, const pl_reel_options *options, pl_reel *out)
{
    *out = start(scene, options);
    return close_if(open_still(out, options), out);
}

pl_status pl_reel_next(pl_reel *reel, bool *more)
{
    *more = reel->frame < reel->n_frames && !pl_interrupted();
    if (!*more) return PL_OK;
    if (reel->play.world != NULL) {
        PL_TRY(next_of_world(reel, more));
    } else if (reel->euler != NULL) {
        PL_TRY(next_of_grid(reel, more));
    } else if (reel->sample != NULL) {
        PL_TRY(next_of_cache(reel));
    } else {
        next_still(reel);
    }
    reel->frame += *more;
    return PL_OK;
}

void pl_reel_close(pl_reel *reel)
{
    pl_pc2_close(&reel->all);
    for (int32_t i = 0; i < reel->bodies.n && reel->each != NULL; i++) {
        pl_pc2_close(&reel->each[i]);
    }
    for (int32_t i = 0; i <= reel->bodies.n && reel->path != NULL; i++) pl_free(reel->path[i]);
    pl_free(reel->each);
    pl_free(reel->path);
    pl_free(reel->sample);
    pl_free(reel->x);
    pl_export_bodies_free(&reel->bodies);
    pl_play_close(&reel->play);
    pl_euler_destroy(reel->euler);
    *reel = (pl_reel){.all = {.fd = -1}};
}
