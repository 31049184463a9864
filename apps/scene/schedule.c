#include "schedule.h"

#include <math.h>

// A time that is a whole number of steps must not gain one by rounding [steps].
static const double STEP_SLACK = 1e-6;
// Nor must as many frames as steps count as more, for the same reason [frames per step].
static const double FRAME_SLACK = 1e-9;
static const double MOST_STEPS = 1e15; // beyond, a double cannot count them

// Frames that --fps wants in a step: above 0, at most 1.
static double frames_per_step(const pl_schedule *s)
{
    return s->fps * s->dt;
}

pl_status pl_schedule_check(const pl_schedule *schedule)
{
    if (schedule->every > 0 || frames_per_step(schedule) <= 1 + FRAME_SLACK) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "--fps: %g frames, but only %g steps in a second",
                   schedule->fps, 1 / schedule->dt);
}

// The step that is nearest to frame k of --fps.
static int64_t nearest_step(const pl_schedule *s, double k)
{
    return llround(k / frames_per_step(s));
}

bool pl_schedule_is_due(const pl_schedule *schedule, int64_t step)
{
    if (schedule->every > 0) return step % schedule->every == 0;
    return nearest_step(schedule, round((double)step * frames_per_step(schedule))) == step;
}

int64_t pl_schedule_count(const pl_schedule *schedule, int64_t step)
{
    if (schedule->every > 0) return step / schedule->every + 1;
    double k =
        floor(((double)step + 0.5) * frames_per_step(schedule)); // the last, but for rounding
    while (nearest_step(schedule, k + 1) <= step) k++;
    while (nearest_step(schedule, k) > step) k--;
    return (int64_t)k + 1;
}

double pl_schedule_rate(const pl_schedule *schedule)
{
    return schedule->every > 0 ? 1 / (schedule->every * schedule->dt) : schedule->fps;
}

pl_status pl_schedule_last(int64_t steps, double now, double dt, double time, int64_t *last)
{
    double more = ceil((time - now) / dt - STEP_SLACK);
    if (more > MOST_STEPS) {
        return pl_fail(PL_ERROR_ARGUMENT, "%g s are %g steps: too many", time, more);
    }
    *last = steps + (more > 0 ? (int64_t)more : 0);
    return PL_OK;
}
