// "motors" of a scene, and the "motor" of a joint.

#include "scene_joints.h"
#include "scene_keys.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static pl_status read_keys(const pl_json *at, double unit, pl_scene_motor *motor)
{
    pl_json v, item = {0}, time, value;
    int n = 0;
    if (!pl_json_get(at, "keys", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    if (n == 0) return pl_json_fail(&v, "one key or more expected");
    motor->key = pl_alloc_zero(n, sizeof *motor->key);
    if (motor->key == NULL) return PL_ERROR_MEMORY;
    motor->n_key = n;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        pl_scene_motor_key *key = &motor->key[i];
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_MOTOR_KEY));
        PL_TRY(pl_json_require(&item, "time", &time));
        PL_TRY(pl_json_number(&item, "time", &key->time));
        PL_TRY(pl_json_require(&item, "value", &value));
        PL_TRY(pl_json_number(&item, "value", &key->value));
        key->value *= unit;
        if (i > 0 && !(key->time > key[-1].time)) {
            return pl_json_fail(&time, "not later than that of the key before");
        }
    }
    return PL_OK;
}

static pl_status read_time(const pl_json *at, pl_scene_motor *motor)
{
    static const char *const ways[] = {"linear", "constant"};
    int way = 0;
    pl_json v;
    PL_TRY(pl_json_number(at, "start", &motor->start));
    PL_TRY(pl_json_number(at, "end", &motor->end));
    PL_TRY(pl_json_positive(at, "period", &motor->period));
    PL_TRY(pl_json_choice(at, "interpolation", ways, COUNT(ways), &way));
    motor->constant = way == 1;
    if (pl_json_get(at, "end", &v) && !(motor->end > motor->start)) {
        return pl_json_fail(&v, "not after its start, %g s", motor->start);
    }
    if (motor->n_key > 0) return PL_OK;
    const char *lost = pl_json_get(at, "period", &v) ? "period" : "interpolation";
    return pl_json_get(at, lost, &v) ? pl_json_fail(&v, "there are no \"keys\"") : PL_OK;
}

// What it does, and how strongly. `unit` is that of the coordinate.
static pl_status read_power(const pl_json *at, double unit, pl_scene_motor *motor)
{
    static const char *const modes[] = {"off", "velocity", "position", "force"};
    pl_motor *m = &motor->motor;
    pl_json v;
    int mode = 0;
    double speed = m->max_speed / unit;
    PL_TRY(pl_json_require(at, "mode", &v));
    PL_TRY(pl_json_choice(at, "mode", modes, COUNT(modes), &mode));
    m->mode = (pl_motor_mode)mode;
    double of = m->mode == PL_MOTOR_FORCE ? 1 : unit;
    PL_TRY(read_keys(at, of, motor));
    if (motor->n_key > 0 && pl_json_get(at, "target", &v)) {
        return pl_json_fail(&v, "\"keys\" are given, too: give one of them");
    }
    PL_TRY(pl_json_number(at, "target", &m->target));
    m->target *= of;
    PL_TRY(pl_json_not_negative(at, "max_force", &m->max_force));
    PL_TRY(pl_json_positive(at, "max_speed", &speed));
    m->max_speed = speed * unit;
    PL_TRY(pl_json_not_negative(at, "stiffness", &m->stiffness));
    return pl_json_not_negative(at, "damping", &m->damping);
}

// Which other motors there are for its coordinate, so far.
static void link_motor(pl_scene *scene, pl_scene_motor *motor)
{
    motor->before = -1;
    motor->last = true;
    for (int32_t i = scene->n_motors - 2; i >= 0 && motor->before < 0; i--) {
        pl_scene_motor *other = &scene->motors[i];
        if (other->joint != motor->joint || other->axis != motor->axis) continue;
        motor->before = i;
        other->last = false;
    }
}

pl_status pl_scene_read_motor(pl_scene *scene, const pl_json *at, int32_t joint, int32_t axis,
                              bool own)
{
    PL_TRY(pl_reserve((void **)&scene->motors, &scene->motor_capacity, scene->n_motors + 1,
                      sizeof *scene->motors));
    pl_joint_options *o = &scene->joints[joint].options;
    pl_scene_motor *motor = &scene->motors[scene->n_motors++];
    *motor = (pl_scene_motor){.joint = joint,
                              .axis = axis,
                              .motor = pl_motor_default(),
                              .idle = o->axes[axis].motor,
                              .end = INFINITY,
                              .period = INFINITY};
    PL_TRY(pl_scene_place_text(at, &motor->place));
    PL_TRY(read_power(at, pl_joint_axis_unit(o->kind, axis), motor));
    PL_TRY(read_time(at, motor));
    bool always = motor->n_key == 0 && motor->start <= 0 && isinf(motor->end);
    if (own && always) {
        o->axes[axis].motor = motor->motor;
        pl_free(motor->place);
        scene->n_motors--;
    } else {
        link_motor(scene, motor);
    }
    return PL_OK;
}

pl_status pl_scene_read_motors(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    pl_scene *scene = reader->scene;
    pl_json v, item = {0}, name;
    int n = 0;
    if (!pl_json_get(at, "motors", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) {
        int32_t joint, axis;
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_MOTORS));
        PL_TRY(pl_json_require(&item, "joint", &name));
        PL_TRY(pl_scene_find_joint(scene, scope, &name, &joint));
        PL_TRY(pl_joint_read_axis(&item, scene->joints[joint].options.kind, &axis));
        PL_TRY(pl_scene_read_motor(scene, &item, joint, axis, false));
    }
    return PL_OK;
}
