#include "joint_marks.h"

// Of the size of all bodies: half an axis, and the radius of its shaft.
static const double HALF_AXIS = 0.025, RADIUS = 0.0025;

static const uint8_t AXIS[3] = {48, 96, 200}, BALL[3] = {120, 72, 190}, BROKEN[3] = {150, 150, 150};

// A bar is an arrow from each end to the middle, without room for a point.
static pl_status add_bar(pl_arrows *arrows, const double a[3], const double b[3], double radius,
                         const uint8_t rgb[3])
{
    double middle[3];
    for (int k = 0; k < 3; k++) middle[k] = 0.5 * (a[k] + b[k]);
    PL_TRY(pl_arrows_add(arrows, middle, a, radius, rgb));
    return pl_arrows_add(arrows, middle, b, radius, rgb);
}

pl_status pl_joint_marks_add(pl_arrows *arrows, const pl_joint_state *j, double size)
{
    double half = HALF_AXIS * size, radius = RADIUS * size;
    const uint8_t *rgb = j->broken ? BROKEN : AXIS;
    if (j->kind == PL_JOINT_DISTANCE) return add_bar(arrows, j->point_a, j->point_b, radius, rgb);
    bool ball = j->kind == PL_JOINT_BALL || j->kind == PL_JOINT_SIX_DOF;
    if (ball && !j->broken) rgb = BALL;
    // A ball has no axis of its own: a cross of all three. A universal joint has two.
    bool cross = j->kind == PL_JOINT_UNIVERSAL;
    for (int axis = cross ? 1 : 0; axis < (ball || cross ? 3 : 1); axis++) {
        double from[3], to[3], length = ball ? 0.5 * half : half;
        for (int k = 0; k < 3; k++) {
            from[k] = j->point_b[k] - length * j->axes[3 * axis + k];
            to[k] = j->point_b[k] + length * j->axes[3 * axis + k];
        }
        PL_TRY(ball ? add_bar(arrows, from, to, radius, rgb)
                    : pl_arrows_add(arrows, from, to, radius, rgb));
    }
    return PL_OK;
}

pl_status pl_joint_marks_add_world(pl_arrows *arrows, const pl_world *world, double size)
{
    for (int32_t i = 0; i < pl_world_joint_count(world); i++) {
        pl_joint_state state;
        if (pl_world_joint_state(world, i, &state) != PL_OK) continue; // it was removed
        PL_TRY(pl_joint_marks_add(arrows, &state, size));
    }
    return PL_OK;
}
