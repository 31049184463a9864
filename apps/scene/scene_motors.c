#include "scene_motors.h"
#include "../common/paths.h"

#include <math.h>
#include <string.h>

void pl_scene_motors_free(pl_scene_motor *motor, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        pl_free(motor[i].place);
        pl_free(motor[i].key);
    }
    pl_free(motor);
}

static pl_status copy_motor(const pl_scene_motor *from, pl_scene_motor *to)
{
    *to = *from;
    to->place = NULL;
    to->key = pl_alloc(from->n_key, sizeof *to->key);
    if (to->key == NULL) return PL_ERROR_MEMORY;
    if (from->n_key > 0) memcpy(to->key, from->key, (size_t)from->n_key * sizeof *to->key);
    return pl_path_in(&to->place, NULL, "%s", from->place);
}

pl_status pl_scene_motors_copy(const pl_scene_motor *motor, int32_t n, pl_scene_motor **out)
{
    pl_scene_motor *copy = pl_alloc_zero(n, sizeof *copy);
    pl_status status = copy != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t i = 0; status == PL_OK && i < n; i++) status = copy_motor(&motor[i], &copy[i]);
    if (status != PL_OK) {
        if (copy != NULL) pl_scene_motors_free(copy, n);
        copy = NULL;
    }
    *out = copy;
    return status;
}

double pl_scene_motor_target(const pl_scene_motor *motor, double time)
{
    const pl_scene_motor_key *key = motor->key;
    int32_t n = motor->n_key, i = 0;
    double t = time - motor->start;
    if (n == 0) return motor->motor.target;
    if (isfinite(motor->period)) t = fmod(t, motor->period);
    while (i < n && key[i].time <= t) i++;
    if (i == 0) return key[0].value;
    if (i == n || motor->constant) return key[i - 1].value;
    double part = (t - key[i - 1].time) / (key[i].time - key[i - 1].time);
    return key[i - 1].value + part * (key[i].value - key[i - 1].value);
}

pl_status pl_scene_motors_set(const pl_scene_motor *motor, int32_t n, pl_world *world)
{
    if (n == 0) return PL_OK;
    double dt = pl_world_get_options(world)->dt, middle = pl_world_time(world) + 0.5 * dt;
    for (int32_t i = 0; i < n; i++) {
        if (!motor[i].last) continue;
        int32_t on = i;
        while (on >= 0 && !(middle >= motor[on].start && middle < motor[on].end)) {
            on = motor[on].before;
        }
        pl_motor now = on >= 0 ? motor[on].motor : motor[i].idle;
        if (on >= 0) {
            bool place = now.mode == PL_MOTOR_POSITION;
            now.target = pl_scene_motor_target(&motor[on], middle + (place ? 0.5 * dt : 0));
        }
        if (pl_world_set_motor(world, motor[i].joint, motor[i].axis, &now) != PL_OK) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s: %s", motor[i].place, pl_error_text());
        }
    }
    return PL_OK;
}
