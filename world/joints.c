// The joints of a world: adding, changing and removing them; their part of a checkpoint.

#include "joints.h"
#include "constraint_step.h"
#include "integrator.h"
#include "sleep.h"

#include <math.h>
#include <string.h>

// --- Adding ---

// q := the frame with x along `axis` and y across it, towards `side` if that is given.
static pl_status make_frame(const double axis[3], const double side[3], double q[4])
{
    double x[3], y[3], z[3], length = sqrt(pl_dot(axis, axis));
    if (!(length > 0)) return pl_fail(PL_ERROR_ARGUMENT, "axis: it has no length");
    for (int k = 0; k < 3; k++) x[k] = axis[k] / length;
    if (isnan(side[0]) || isnan(side[1]) || isnan(side[2])) { // the axis that x is least along
        int least = fabs(x[0]) <= fabs(x[1]) ? 0 : 1;
        least = fabs(x[2]) < fabs(x[least]) ? 2 : least;
        for (int k = 0; k < 3; k++) y[k] = k == least;
    } else {
        memcpy(y, side, sizeof y);
    }
    pl_cross(x, y, z);
    length = sqrt(pl_dot(z, z));
    if (!(length > 1e-9 * sqrt(pl_dot(y, y))))
        return pl_fail(PL_ERROR_ARGUMENT, "side: it is along the axis, or has no length");
    for (int k = 0; k < 3; k++) z[k] /= length;
    pl_cross(z, x, y);
    const double R[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
    pl_rotation_from_matrix(R, q);
    return PL_OK;
}

static pl_status find_body(const pl_world *world, int32_t body, const char *name, int32_t *place)
{
    *place = -1;
    if (body == PL_WORLD) return PL_OK;
    pl_status status = pl_world_find(world, body, place);
    if (status != PL_OK) pl_fail_prefix(name);
    return status;
}

static bool can_move(const pl_world *world, int32_t place)
{
    return place >= 0 && world->bodies.body[place].kind != PL_BODY_KINEMATIC;
}

static pl_status check_bodies(const pl_world *world, int32_t a, int32_t b)
{
    if (a >= 0 && a == b)
        return pl_fail(PL_ERROR_ARGUMENT, "body_b: a joint of a body with itself");
    if (!can_move(world, a) && !can_move(world, b)) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "body_b: neither body can move: one must be rigid or deformable");
    }
    return PL_OK;
}

// A distance of which nothing was said stays as it is.
static pl_status set_distance(pl_joint *joint, double distance)
{
    pl_joint_axis *axis = &joint->axes[0];
    if (isnan(axis->lo)) axis->lo = distance;
    if (isnan(axis->hi)) axis->hi = distance;
    if (distance > 0) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "point_b: the two points of a distance are the same");
}

static pl_status copy_curve(pl_joint_axis *axis)
{
    size_t size = 2 * (size_t)axis->n_curve * sizeof *axis->curve;
    if (axis->n_curve == 0) {
        axis->curve = NULL;
        return PL_OK;
    }
    double *copy = pl_alloc(2 * (int64_t)axis->n_curve, sizeof *copy);
    if (copy != NULL) memcpy(copy, axis->curve, size);
    axis->curve = copy;
    return copy != NULL ? PL_OK : PL_ERROR_MEMORY;
}

static void free_joint(pl_joint *joint)
{
    pl_side_free(&joint->a);
    pl_side_free(&joint->b);
    for (int k = 0; k < PL_JOINT_AXES; k++) pl_free((double *)joint->axes[k].curve);
    *joint = (pl_joint){0};
}

static pl_status make_axes(const pl_joint_options *o, pl_joint *joint)
{
    pl_status status = PL_OK;
    for (int k = 0; k < PL_JOINT_AXES; k++) {
        joint->axes[k] = o->axes[k];
        joint->axes[k].curve = NULL;
    }
    if (o->kind == PL_JOINT_DISTANCE) status = set_distance(joint, joint->at[0]);
    for (int k = 0; k < PL_JOINT_AXES && status == PL_OK; k++) {
        pl_joint_axis axis = joint->axes[k];
        axis.curve = o->axes[k].curve;
        status = pl_joint_check_axis_of(k, &axis);
        if (status == PL_OK) status = copy_curve(&axis);
        if (status == PL_OK) joint->axes[k] = axis;
    }
    return status;
}

static pl_status make_joint(const pl_world *world, const pl_joint_options *o, int32_t a, int32_t b,
                            pl_joint *joint)
{
    pl_pose at_a = {0}, at_b;
    bool turns = o->kind != PL_JOINT_BALL && o->kind != PL_JOINT_DISTANCE;
    turns = turns || isfinite(o->swing);
    PL_TRY(make_frame(o->axis, o->side, at_a.q));
    at_b = at_a;
    memcpy(at_a.x, o->point_a, sizeof at_a.x);
    memcpy(at_b.x, isnan(o->point_b[0]) ? o->point_a : o->point_b, sizeof at_b.x);
    *joint = (pl_joint){.there = true,
                        .kind = o->kind,
                        .angles = o->kind == PL_JOINT_UNIVERSAL ? PL_ANGLES_CARDAN
                                                                : PL_ANGLES_SWING_TWIST,
                        .swing = o->swing,
                        .break_force = o->break_force,
                        .break_torque = o->break_torque};
    pl_joint_coordinates(joint, &at_a, &at_b, joint->angle, joint->at);
    memcpy(joint->end, joint->at, sizeof joint->end);
    pl_status status = make_axes(o, joint);
    if (status == PL_OK) status = pl_side_create(world, a, &at_a, o->patch_a, turns, &joint->a);
    if (status == PL_OK) status = pl_side_create(world, b, &at_b, o->patch_b, turns, &joint->b);
    if (status != PL_OK) free_joint(joint);
    return status;
}

static pl_status reserve(pl_world *world)
{
    if (world->joints == NULL) world->joints = pl_alloc_zero(1, sizeof *world->joints);
    pl_joints *j = world->joints;
    if (j == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_reserve((void **)&j->joint, &j->capacity, j->n + 1, sizeof *j->joint));
    PL_TRY(pl_reserve((void **)&j->event, &j->event_capacity, j->n + 1, sizeof *j->event));
    return pl_reserve((void **)&j->coupling, &j->coupling_capacity, j->n_coupling + 1,
                      sizeof *j->coupling);
}

// Bodies that are joined pass through each other from now on.
static pl_status ignore(pl_world *world, int32_t a, int32_t b)
{
    pl_bodies *bodies = &world->bodies;
    PL_TRY(pl_reserve((void **)&bodies->ignored, &bodies->ignored_capacity,
                      2 * (bodies->n_ignored + 1), sizeof *bodies->ignored));
    bodies->ignored[2 * bodies->n_ignored] = a;
    bodies->ignored[2 * bodies->n_ignored++ + 1] = b;
    pl_world_unprepare(world);
    pl_world_forget_surfaces(world);
    return PL_OK;
}

pl_status pl_world_add_joint(pl_world *world, const pl_joint_options *options, int32_t *joint)
{
    PL_REQUIRE(world);
    PL_REQUIRE(options);
    pl_joint made;
    int32_t a, b;
    if (joint != NULL) *joint = -1;
    PL_TRY(pl_joint_check_numbers(options));
    PL_TRY(find_body(world, options->body_a, "body_a", &a));
    PL_TRY(find_body(world, options->body_b, "body_b", &b));
    PL_TRY(check_bodies(world, a, b));
    PL_TRY(reserve(world));
    if (world->joints->n == INT32_MAX) return pl_fail(PL_ERROR_ARGUMENT, "too many joints");
    PL_TRY(make_joint(world, options, a, b, &made));
    pl_status status = PL_OK;
    if (!options->collide && a >= 0 && b >= 0) status = ignore(world, a, b);
    if (status == PL_OK && a >= 0) status = pl_sleep_disturb(world, a);
    if (status == PL_OK && b >= 0) status = pl_sleep_disturb(world, b);
    if (status != PL_OK) {
        free_joint(&made);
        return status;
    }
    world->joints->joint[world->joints->n++] = made;
    if (joint != NULL) *joint = (int32_t)world->joints->n - 1;
    return PL_OK;
}

// --- Looking up and changing ---

static pl_status find(const pl_world *world, int32_t joint, pl_joint **out)
{
    PL_REQUIRE(world);
    bool there = joint >= 0 && joint < pl_world_joint_count(world);
    there = there && world->joints->joint[joint].there;
    *out = there ? &world->joints->joint[joint] : NULL;
    return there ? PL_OK : pl_fail(PL_ERROR_ARGUMENT, "there is no joint %d", (int)joint);
}

static pl_status find_axis(const pl_world *world, int32_t joint, int32_t axis, pl_joint **out)
{
    PL_TRY(find(world, joint, out));
    int32_t n = (*out)->kind == PL_JOINT_DISTANCE ? 1 : PL_JOINT_AXES;
    if (axis >= 0 && axis < n) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "joint %d has no coordinate %d", (int)joint, (int)axis);
}

static pl_status wake(pl_world *world, const pl_joint *joint)
{
    if (joint->a.body >= 0) PL_TRY(pl_sleep_wake(world, joint->a.body));
    return joint->b.body >= 0 ? pl_sleep_wake(world, joint->b.body) : PL_OK;
}

int32_t pl_world_joint_count(const pl_world *world)
{
    return world != NULL && world->joints != NULL ? (int32_t)world->joints->n : 0;
}

bool pl_world_joint_holds(const pl_world *world, int32_t joint)
{
    bool there = joint >= 0 && joint < pl_world_joint_count(world);
    return there && pl_joint_holds(&world->joints->joint[joint]);
}

pl_status pl_world_set_joint_axis(pl_world *world, int32_t joint, int32_t axis,
                                  const pl_joint_axis *options)
{
    pl_joint *j;
    PL_REQUIRE(options);
    PL_TRY(find_axis(world, joint, axis, &j));
    pl_joint_axis copy = *options;
    PL_TRY(pl_joint_check_axis_of(axis, &copy));
    PL_TRY(copy_curve(&copy));
    pl_status status = wake(world, j);
    if (status != PL_OK) {
        pl_free((double *)copy.curve);
        return status;
    }
    pl_free((double *)j->axes[axis].curve);
    j->axes[axis] = copy;
    return PL_OK;
}

static bool same_motor(const pl_motor *a, const pl_motor *b)
{
    return a->mode == b->mode && a->target == b->target && a->max_force == b->max_force &&
           a->max_speed == b->max_speed && a->stiffness == b->stiffness && a->damping == b->damping;
}

pl_status pl_world_set_motor(pl_world *world, int32_t joint, int32_t axis, const pl_motor *motor)
{
    pl_joint *j;
    PL_REQUIRE(motor);
    PL_TRY(find_axis(world, joint, axis, &j));
    PL_TRY(pl_joint_check_motor(motor));
    if (same_motor(&j->axes[axis].motor, motor)) return PL_OK;
    PL_TRY(wake(world, j));
    j->axes[axis].motor = *motor;
    return PL_OK;
}

pl_status pl_world_set_range(pl_world *world, int32_t joint, int32_t axis, double lo, double hi)
{
    pl_joint *j;
    PL_TRY(find_axis(world, joint, axis, &j));
    PL_TRY(pl_joint_check_range(lo, hi));
    if (lo == j->axes[axis].lo && hi == j->axes[axis].hi) return PL_OK;
    PL_TRY(wake(world, j));
    j->axes[axis].lo = lo;
    j->axes[axis].hi = hi;
    return PL_OK;
}

static int32_t id_of(const pl_world *world, const pl_side *side)
{
    return side->body >= 0 ? pl_world_id(world, side->body) : PL_WORLD;
}

pl_status pl_world_joint_state(const pl_world *world, int32_t joint, pl_joint_state *out)
{
    pl_joint *j;
    pl_pose a, b;
    const pl_instant now = {0};
    double position[PL_JOINT_COORDINATES], R[9];
    PL_REQUIRE(out);
    PL_TRY(find(world, joint, &j));
    pl_side_pose(world, &j->a, &now, &a);
    pl_side_pose(world, &j->b, &now, &b);
    pl_joint_coordinates(j, &a, &b, j->angle, position);
    *out = (pl_joint_state){.kind = j->kind,
                            .body_a = id_of(world, &j->a),
                            .body_b = id_of(world, &j->b),
                            .broken = j->broken,
                            .gap = j->gap,
                            .angle = j->angle_off};
    for (int k = 0; k < PL_JOINT_AXES; k++) {
        out->position[k] = position[k];
        out->rate[k] = world->steps > 0 ? (j->end[k] - j->at[k]) / world->dt : 0;
        out->motor[k] = j->motor[k];
    }
    memcpy(out->force, j->force, sizeof out->force);
    memcpy(out->torque, j->torque, sizeof out->torque);
    memcpy(out->point_a, a.x, sizeof out->point_a);
    memcpy(out->point_b, b.x, sizeof out->point_b);
    pl_rotation_matrix(a.q, R);
    for (int k = 0; k < 9; k++) out->axes[k] = R[3 * (k % 3) + k / 3];
    return PL_OK;
}

const pl_joint_event *pl_world_joint_events(const pl_world *world, int32_t *n)
{
    bool any = world != NULL && world->joints != NULL && world->joints->n_event > 0;
    if (n != NULL) *n = any ? (int32_t)world->joints->n_event : 0;
    return any ? world->joints->event : NULL;
}

// --- Couplings ---

pl_status pl_world_add_coupling(pl_world *world, const pl_coupling_options *options,
                                int32_t *coupling)
{
    PL_REQUIRE(world);
    PL_REQUIRE(options);
    pl_coupling made = {.there = true, .options = *options};
    if (coupling != NULL) *coupling = -1;
    if (options->n < 1 || options->n > 4)
        return pl_fail(PL_ERROR_ARGUMENT, "n: %d is not from 1 to 4", (int)options->n);
    PL_TRY(pl_joint_check_range(options->lo, options->hi));
    PL_TRY(pl_joint_check_positive("stiffness", options->stiffness));
    PL_TRY(pl_joint_check_positive("damping", options->damping));
    for (int i = 0; i < options->n; i++) {
        pl_joint *j;
        pl_joint_state state;
        PL_TRY(find_axis(world, options->joint[i], options->axis[i], &j));
        if (options->ratio[i] == 0 || !isfinite(options->ratio[i]))
            return pl_fail(PL_ERROR_ARGUMENT, "ratio: %g is not a number other than 0",
                           options->ratio[i]);
        PL_TRY(pl_world_joint_state(world, options->joint[i], &state));
        made.start += options->ratio[i] * state.position[options->axis[i]];
        PL_TRY(wake(world, j));
    }
    PL_TRY(reserve(world));
    world->joints->coupling[world->joints->n_coupling++] = made;
    if (coupling != NULL) *coupling = (int32_t)world->joints->n_coupling - 1;
    return PL_OK;
}

pl_status pl_world_remove_coupling(pl_world *world, int32_t coupling)
{
    PL_REQUIRE(world);
    bool there = world->joints != NULL && coupling >= 0 && coupling < world->joints->n_coupling;
    if (!there || !world->joints->coupling[coupling].there)
        return pl_fail(PL_ERROR_ARGUMENT, "there is no coupling %d", (int)coupling);
    pl_coupling *c = &world->joints->coupling[coupling];
    for (int i = 0; i < c->options.n; i++)
        PL_TRY(wake(world, &world->joints->joint[c->options.joint[i]]));
    c->there = false;
    return PL_OK;
}

// --- Removing ---

static void remove_joint(pl_joints *joints, int32_t joint)
{
    for (int64_t i = 0; i < joints->n_coupling; i++) {
        pl_coupling *c = &joints->coupling[i];
        for (int k = 0; k < c->options.n; k++) c->there = c->there && c->options.joint[k] != joint;
    }
    free_joint(&joints->joint[joint]);
}

pl_status pl_world_remove_joint(pl_world *world, int32_t joint)
{
    pl_joint *j;
    PL_TRY(find(world, joint, &j));
    PL_TRY(wake(world, j));
    remove_joint(world->joints, joint);
    return PL_OK;
}

void pl_joints_remove_body(pl_world *world, int32_t place)
{
    pl_joints *joints = world->joints;
    for (int32_t i = 0; joints != NULL && i < joints->n; i++) {
        const pl_joint *j = &joints->joint[i];
        if (j->there && (j->a.body == place || j->b.body == place)) remove_joint(joints, i);
    }
}

void pl_joints_free(pl_joints *joints)
{
    if (joints == NULL) return;
    for (int64_t i = 0; i < joints->n; i++) free_joint(&joints->joint[i]);
    pl_free(joints->joint);
    pl_free(joints->coupling);
    pl_free(joints->event);
    pl_free(joints->row);
    pl_free(joints->v);
    pl_free(joints->load);
    pl_free(joints->stiffness);
    pl_free(joints);
}

static bool side_rests(const pl_world *world, const pl_side *side)
{
    bool kinematic = side->kind == PL_SIDE_WORLD || side->kind == PL_SIDE_KINEMATIC;
    return kinematic || world->bodies.body[side->body].asleep;
}

bool pl_joint_rests(const pl_world *world, const pl_joint *joint)
{
    return side_rests(world, &joint->a) && side_rests(world, &joint->b);
}

// --- Coordinates ---

void pl_joint_coordinates(const pl_joint *joint, const pl_pose *a, const pl_pose *b,
                          const double near[3], double *position)
{
    memset(position, 0, PL_JOINT_COORDINATES * sizeof *position);
    if (joint->kind == PL_JOINT_DISTANCE) {
        double d[3];
        pl_subtract(b->x, a->x, d);
        position[0] = sqrt(pl_dot(d, d));
        return;
    }
    pl_coordinates_place(a, b, position);
    pl_coordinates_angles(joint->angles, a, b, near, position + 3);
    position[PL_JOINT_SWING] = hypot(position[4], position[5]);
}

// --- Checkpoints ---

static const char JOINTS[] = "joints";

void pl_joint_remember(const pl_joint *joint, pl_joint_memory *m)
{
    memcpy(m->angle, joint->angle, sizeof m->angle);
    memcpy(m->force, joint->force, sizeof m->force);
    memcpy(m->torque, joint->torque, sizeof m->torque);
    m->broken = joint->broken;
}

void pl_joint_recall(pl_joint *joint, const pl_joint_memory *m)
{
    memcpy(joint->angle, m->angle, sizeof m->angle);
    memcpy(joint->force, m->force, sizeof m->force);
    memcpy(joint->torque, m->torque, sizeof m->torque);
    joint->broken = m->broken != 0;
}

pl_status pl_joints_list(const pl_world *world, pl_joint_memory **out)
{
    int32_t n = pl_world_joint_count(world);
    *out = n > 0 ? pl_alloc_zero(n, sizeof **out) : NULL;
    if (n > 0 && *out == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) pl_joint_remember(&world->joints->joint[i], &(*out)[i]);
    return PL_OK;
}

void pl_joints_add_parts(const pl_world *world, const pl_joint_memory *list, pl_parts *parts)
{
    size_t size = (size_t)pl_world_joint_count(world) * sizeof *list;
    if (list != NULL) pl_parts_add(parts, JOINTS, 1, list, size);
}

bool pl_joints_check_parts(const pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    int64_t numbers = (int64_t)(sizeof(pl_joint_memory) / sizeof(double));
    int32_t n = pl_world_joint_count(world);
    const double *list = pl_parts_doubles(parts, JOINTS, n * numbers, &fits);
    return fits && (n == 0 || list != NULL || pl_parts_find(parts, JOINTS) < 0);
}

void pl_joints_take_parts(pl_world *world, const pl_parts *parts)
{
    bool fits = true;
    int32_t n = pl_world_joint_count(world);
    int64_t numbers = (int64_t)(sizeof(pl_joint_memory) / sizeof(double));
    const pl_joint_memory *list = (void *)pl_parts_doubles(parts, JOINTS, n * numbers, &fits);
    for (int32_t i = 0; i < n && list != NULL; i++)
        pl_joint_recall(&world->joints->joint[i], &list[i]);
}
