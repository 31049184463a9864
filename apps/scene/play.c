#include "play.h"
#include "interrupt.h"
#include "scene_motors.h"

#include <math.h>

// --- Life ---

pl_play pl_play_of(pl_world *world)
{
    int64_t steps = pl_world_steps(world);
    return (pl_play){.world = world, .first = steps, .last = steps, .deadline = INFINITY};
}

pl_status pl_play_open(const pl_scene *scene, pl_play *out)
{
    pl_world *world;
    *out = (pl_play){0};
    PL_TRY(pl_scene_world(scene, &world));
    *out = pl_play_of(world);
    out->schedule.dt = scene->world.dt;
    out->step_seconds = scene->world.max_seconds;
    pl_status status = pl_scene_motors_copy(scene->motors, scene->n_motors, &out->motors);
    out->n_motors = status == PL_OK ? scene->n_motors : 0;
    if (status == PL_OK) status = pl_scene_forces_create(scene, &out->forces);
    if (status != PL_OK) pl_play_close(out);
    return status;
}

void pl_play_close(pl_play *play)
{
    pl_world_destroy(play->world);
    pl_scene_motors_free(play->motors, play->n_motors);
    pl_scene_forces_free(&play->forces);
    *play = (pl_play){0};
}

pl_status pl_play_resume(pl_play *play, const char *path)
{
    PL_TRY(pl_world_load(play->world, path));
    play->first = play->last = pl_world_steps(play->world);
    return PL_OK;
}

pl_status pl_play_until(pl_play *play, double time)
{
    return pl_schedule_last(pl_world_steps(play->world), pl_world_time(play->world),
                            play->schedule.dt, time, &play->last);
}

// --- Steps ---

static double seconds_left(const pl_play *play)
{
    return play->deadline - pl_seconds();
}

// A step may take what the scene allows, and no more than what is left.
static pl_status limit_step(const pl_play *play)
{
    const double least = 1e-9; // 0 means no limit
    if (play->deadline == INFINITY) return PL_OK;
    double limit = play->step_seconds, left = seconds_left(play);
    if (limit == 0 || left < limit) limit = PL_MAX(left, least);
    return pl_world_set_max_seconds(play->world, limit);
}

pl_status pl_play_step(pl_play *play)
{
    PL_TRY(limit_step(play));
    PL_TRY(pl_scene_motors_set(play->motors, play->n_motors, play->world));
    PL_TRY(pl_scene_forces_set(&play->forces, play->world));
    pl_step_stats stats;
    pl_status status = pl_world_step(play->world, &stats);
    play->gave_up = status == PL_ERROR_TIME && seconds_left(play) <= 0;
    play->late = play->late || play->gave_up;
    if (play->gave_up) return PL_OK;
    play->failed = status != PL_OK;
    if (status == PL_OK) play->stats = stats;
    return status;
}

static bool goes_on(const pl_play *play)
{
    return !play->stop && !play->late && !pl_interrupted() &&
           pl_world_steps(play->world) < play->last;
}

pl_status pl_play_run(pl_play *play, pl_play_each *each, void *user)
{
    play->stop = false;
    while (goes_on(play)) {
        PL_TRY(pl_play_step(play));
        if (play->gave_up) return PL_OK;
        if (each != NULL) PL_TRY(each(play, user));
        play->late = pl_world_steps(play->world) < play->last && seconds_left(play) <= 0;
    }
    return PL_OK;
}

pl_status pl_play_explain(const pl_play *play, pl_status status)
{
    if (status == PL_OK || !play->failed) return status;
    return pl_fail(status, "step %lld, from %g s: %s", (long long)pl_world_steps(play->world) + 1,
                   pl_world_time(play->world), pl_error_text());
}

bool pl_play_is_frame(const pl_play *play)
{
    return pl_schedule_is_due(&play->schedule, pl_world_steps(play->world));
}
