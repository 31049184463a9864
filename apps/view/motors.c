#include "motors.h"
#include "../scene/scene_motors.h"

#include <math.h>
#include <stdio.h>

#define TAU 6.283185307179586476925286766559

static const double PART = 1.0 / 16;
static const double FORCE = 10; // where a motor has no limit [N, N m]

void pl_motors_free(pl_motors *motors)
{
    pl_free(motors->motor);
    *motors = (pl_motors){0};
}

static pl_status add(pl_motors *motors, int32_t joint, int32_t axis, const pl_motor *motor)
{
    for (int32_t i = 0; i < motors->n; i++) {
        if (motors->motor[i].joint == joint && motors->motor[i].axis == axis) return PL_OK;
    }
    PL_TRY(
        pl_reserve((void **)&motors->motor, &motors->room, motors->n + 1, sizeof *motors->motor));
    motors->motor[motors->n++] = (pl_driven_motor){.joint = joint, .axis = axis, .motor = *motor};
    return PL_OK;
}

pl_status pl_motors_list(const pl_scene *scene, pl_motors *out)
{
    out->n = out->chosen = 0;
    for (int32_t i = 0; i < scene->n_motors; i++) {
        const pl_scene_motor *m = &scene->motors[i];
        PL_TRY(add(out, m->joint, m->axis, &m->motor));
    }
    for (int32_t i = 0; i < scene->n_joints; i++) {
        for (int32_t k = 0; k < PL_JOINT_AXES; k++) {
            const pl_motor *m = &scene->joints[i].options.axes[k].motor;
            if (m->mode != PL_MOTOR_OFF) PL_TRY(add(out, i, k, m));
        }
    }
    return PL_OK;
}

void pl_motors_next(pl_motors *motors)
{
    if (motors->n > 0) motors->chosen = (motors->chosen + 1) % motors->n;
}

// Does the coordinate turn?
static bool turns(const pl_driven_motor *m)
{
    return m->axis >= 3;
}

// What it does now, by the scene.
static double target_now(const pl_driven_motor *m, const pl_play *play)
{
    double time = pl_world_time(play->world), target = m->motor.target;
    for (int32_t i = 0; i < play->n_motors; i++) {
        const pl_scene_motor *by = &play->motors[i];
        bool on = time >= by->start && time < by->end;
        if (by->joint == m->joint && by->axis == m->axis && on)
            target = pl_scene_motor_target(by, time);
    }
    return target;
}

pl_status pl_motors_drive(pl_motors *motors, pl_play *play, bool up)
{
    if (motors->n == 0) return pl_fail(PL_ERROR_ARGUMENT, "the scene has no motors to drive");
    pl_driven_motor *m = &motors->motor[motors->chosen];
    if (!m->taken) m->motor.target = target_now(m, play);
    m->taken = true;
    for (int32_t i = 0; i < play->n_motors; i++) { // the scene's own are silent from now on
        pl_scene_motor *by = &play->motors[i];
        if (by->joint == m->joint && by->axis == m->axis) by->last = false;
    }
    double unit = turns(m) ? TAU : 1;
    if (m->motor.mode == PL_MOTOR_FORCE)
        unit = isfinite(m->motor.max_force) ? m->motor.max_force : FORCE / PART;
    m->motor.target += (up ? PART : -PART) * unit;
    return pl_motors_set(motors, play->world);
}

pl_status pl_motors_set(const pl_motors *motors, pl_world *world)
{
    for (int32_t i = 0; i < motors->n; i++) {
        const pl_driven_motor *m = &motors->motor[i];
        if (m->taken && pl_world_joint_holds(world, m->joint))
            PL_TRY(pl_world_set_motor(world, m->joint, m->axis, &m->motor));
    }
    return PL_OK;
}

void pl_motors_describe(const pl_motors *motors, const pl_scene *scene, char *text, size_t size)
{
    text[0] = '\0';
    if (motors->n == 0) return;
    const pl_driven_motor *m = &motors->motor[motors->chosen];
    const char *name = scene->joints[m->joint].name;
    bool force = m->motor.mode == PL_MOTOR_FORCE, speed = m->motor.mode == PL_MOTOR_VELOCITY;
    const char *unit = force ? (turns(m) ? "N m" : "N")
                             : (turns(m) ? (speed ? "turns/s" : "turns") : (speed ? "m/s" : "m"));
    double value = !force && turns(m) ? m->motor.target / TAU : m->motor.target;
    char unnamed[32];
    snprintf(unnamed, sizeof unnamed, "joint %d", (int)m->joint);
    if (m->taken) {
        snprintf(text, size, "motor %s: %.3g %s", name != NULL ? name : unnamed, value, unit);
    } else {
        snprintf(text, size, "motor %s: by the scene", name != NULL ? name : unnamed);
    }
}
