// What the options of joints and couplings are, and which of them make sense.

#include "joints.h"

#include <math.h>
#include <stdio.h>

pl_motor pl_motor_default(void)
{
    return (pl_motor){.max_force = INFINITY, .max_speed = INFINITY};
}

// Which coordinates each kind holds, bit by bit.
static const uint8_t HELD[] = {
    [PL_JOINT_SIX_DOF] = 0,      [PL_JOINT_BALL] = 0x07,        [PL_JOINT_HINGE] = 0x37,
    [PL_JOINT_SLIDER] = 0x3e,    [PL_JOINT_CYLINDRICAL] = 0x36, [PL_JOINT_PLANAR] = 0x31,
    [PL_JOINT_UNIVERSAL] = 0x0f, [PL_JOINT_FIXED] = 0x3f,       [PL_JOINT_DISTANCE] = 0,
};

pl_joint_options pl_joint_options_default(pl_joint_kind kind)
{
    pl_joint_options o = {.kind = kind,
                          .body_a = PL_WORLD,
                          .body_b = PL_WORLD,
                          .point_b = {NAN, NAN, NAN},
                          .axis = {0, 0, 1},
                          .side = {NAN, NAN, NAN},
                          .swing = INFINITY,
                          .break_force = INFINITY,
                          .break_torque = INFINITY};
    bool known = (int)kind >= 0 && kind <= PL_JOINT_DISTANCE;
    for (int k = 0; k < PL_JOINT_AXES; k++) {
        bool held = known && (HELD[kind] >> k & 1) != 0;
        o.axes[k] = (pl_joint_axis){
            .lo = held ? 0 : -INFINITY, .hi = held ? 0 : INFINITY, .motor = pl_motor_default()};
    }
    if (kind == PL_JOINT_DISTANCE) o.axes[0].lo = o.axes[0].hi = NAN;
    return o;
}

pl_coupling_options pl_coupling_options_default(void)
{
    return (pl_coupling_options){0};
}

pl_status pl_joint_check_positive(const char *name, double value)
{
    if (value >= 0 && isfinite(value)) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "%s: %g is not 0 or above", name, value);
}

pl_status pl_joint_check_motor(const pl_motor *m)
{
    if ((int)m->mode < 0 || m->mode > PL_MOTOR_FORCE)
        return pl_fail(PL_ERROR_ARGUMENT, "motor: mode %d is not one", (int)m->mode);
    if (m->mode == PL_MOTOR_OFF) return PL_OK;
    if (!isfinite(m->target)) return pl_fail(PL_ERROR_ARGUMENT, "motor: target: not finite");
    if (!(m->max_force >= 0))
        return pl_fail(PL_ERROR_ARGUMENT, "motor: max_force: %g is not 0 or above", m->max_force);
    if (!(m->max_speed > 0))
        return pl_fail(PL_ERROR_ARGUMENT, "motor: max_speed: %g is not above 0", m->max_speed);
    PL_TRY(pl_joint_check_positive("motor: stiffness", m->stiffness));
    return pl_joint_check_positive("motor: damping", m->damping);
}

pl_status pl_joint_check_range(double lo, double hi)
{
    bool good = lo <= hi && lo < INFINITY && hi > -INFINITY;
    if (good) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "lo, hi: %g .. %g is no range", lo, hi);
}

static pl_status check_curve(const pl_joint_axis *axis)
{
    if (axis->n_curve == 0) return PL_OK;
    if (axis->n_curve < 2 || axis->curve == NULL)
        return pl_fail(PL_ERROR_ARGUMENT, "curve: it needs two points or more");
    for (int32_t i = 0; i < 2 * axis->n_curve; i++) {
        if (!isfinite(axis->curve[i])) return pl_fail(PL_ERROR_ARGUMENT, "curve: not finite");
        if (i >= 2 && i % 2 == 0 && !(axis->curve[i] > axis->curve[i - 2]))
            return pl_fail(PL_ERROR_ARGUMENT, "curve: its coordinates do not rise at point %d",
                           (int)(i / 2));
    }
    return PL_OK;
}

static pl_status check_axis(const pl_joint_axis *axis)
{
    PL_TRY(pl_joint_check_range(axis->lo, axis->hi));
    PL_TRY(pl_joint_check_positive("stiffness", axis->stiffness));
    PL_TRY(pl_joint_check_positive("damping", axis->damping));
    PL_TRY(pl_joint_check_positive("spring", axis->spring));
    PL_TRY(pl_joint_check_positive("spring_damping", axis->spring_damping));
    if (!isfinite(axis->rest)) return pl_fail(PL_ERROR_ARGUMENT, "rest: not finite");
    PL_TRY(check_curve(axis));
    return pl_joint_check_motor(&axis->motor);
}

// The text begins with the number of the coordinate.
pl_status pl_joint_check_axis_of(int32_t number, const pl_joint_axis *axis)
{
    char place[16];
    pl_status status = check_axis(axis);
    snprintf(place, sizeof place, "axes[%d]", (int)number);
    if (status != PL_OK) pl_fail_prefix(place);
    return status;
}

pl_status pl_joint_check_numbers(const pl_joint_options *o)
{
    if ((int)o->kind < 0 || o->kind > PL_JOINT_DISTANCE)
        return pl_fail(PL_ERROR_ARGUMENT, "kind: %d is not one", (int)o->kind);
    for (int k = 0; k < 3; k++) {
        if (!isfinite(o->point_a[k])) return pl_fail(PL_ERROR_ARGUMENT, "point_a: not finite");
        if (isinf(o->point_b[k])) return pl_fail(PL_ERROR_ARGUMENT, "point_b: not finite");
        if (isnan(o->point_b[k]) != isnan(o->point_b[0]))
            return pl_fail(PL_ERROR_ARGUMENT, "point_b: not finite");
        if (!isfinite(o->axis[k])) return pl_fail(PL_ERROR_ARGUMENT, "axis: not finite");
        if (isinf(o->side[k])) return pl_fail(PL_ERROR_ARGUMENT, "side: not finite");
    }
    PL_TRY(pl_joint_check_positive("patch_a", o->patch_a));
    PL_TRY(pl_joint_check_positive("patch_b", o->patch_b));
    if (!(o->swing > 0)) return pl_fail(PL_ERROR_ARGUMENT, "swing: %g is not above 0", o->swing);
    if (!(o->break_force > 0))
        return pl_fail(PL_ERROR_ARGUMENT, "break_force: %g is not above 0", o->break_force);
    if (!(o->break_torque > 0))
        return pl_fail(PL_ERROR_ARGUMENT, "break_torque: %g is not above 0", o->break_torque);
    return PL_OK;
}
