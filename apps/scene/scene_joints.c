// "joints" of a scene.

#include "scene_joints.h"
#include "scene_keys.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define RADIANS (3.14159265358979323846 / 180)

static const char *const KINDS[] = {
    [PL_JOINT_SIX_DOF] = "six-dof",  [PL_JOINT_BALL] = "ball",
    [PL_JOINT_HINGE] = "hinge",      [PL_JOINT_SLIDER] = "slider",
    [PL_JOINT_FIXED] = "fixed",      [PL_JOINT_CYLINDRICAL] = "cylindrical",
    [PL_JOINT_PLANAR] = "planar",    [PL_JOINT_UNIVERSAL] = "universal",
    [PL_JOINT_DISTANCE] = "distance"};

static const char *const AXES[PL_JOINT_AXES] = {"x", "y", "z", "twist", "swing_y", "swing_z"};

// --- Coordinates by name ---

const char *pl_joint_kind_name(pl_joint_kind kind)
{
    return KINDS[kind];
}

const char *pl_joint_axis_name(pl_joint_kind kind, int32_t axis)
{
    return kind == PL_JOINT_DISTANCE ? "distance" : AXES[axis];
}

double pl_joint_axis_unit(pl_joint_kind kind, int32_t axis)
{
    return kind != PL_JOINT_DISTANCE && axis >= 3 ? RADIANS : 1;
}

int32_t pl_joint_free_axis(pl_joint_kind kind)
{
    if (kind == PL_JOINT_HINGE) return 3;
    return kind == PL_JOINT_SLIDER || kind == PL_JOINT_DISTANCE ? 0 : -1;
}

static int count_axes(pl_joint_kind kind)
{
    return kind == PL_JOINT_DISTANCE ? 1 : PL_JOINT_AXES;
}

pl_status pl_joint_read_axis(const pl_json *at, pl_joint_kind kind, int32_t *axis)
{
    const char *names[PL_JOINT_AXES];
    int chosen = pl_joint_free_axis(kind);
    for (int k = 0; k < count_axes(kind); k++) names[k] = pl_joint_axis_name(kind, k);
    PL_TRY(pl_json_choice(at, "coordinate", names, count_axes(kind), &chosen));
    *axis = chosen;
    if (chosen >= 0) return PL_OK;
    return pl_json_fail(at, "the key \"coordinate\" is missing: a %s joint has several",
                        KINDS[kind]);
}

// --- A coordinate ---

static pl_status read_end(const pl_json *v, double unit, double none, double *out)
{
    *out = none;
    if (cJSON_IsNull(v->node)) return PL_OK;
    if (!cJSON_IsNumber(v->node) || !isfinite(v->node->valuedouble)) {
        return pl_json_fail(v, "a number or null expected");
    }
    *out = unit * v->node->valuedouble;
    return PL_OK;
}

pl_status pl_joint_read_range(const pl_json *at, double unit, double *lo, double *hi)
{
    pl_json v;
    if (!pl_json_get(at, "range", &v)) return PL_OK;
    if (cJSON_IsNumber(v.node)) {
        PL_TRY(read_end(&v, unit, 0, lo));
        *hi = *lo;
        return PL_OK;
    }
    if (!cJSON_IsArray(v.node) || cJSON_GetArraySize(v.node) != 2) {
        return pl_json_fail(&v, "a number or [lowest, highest] expected");
    }
    pl_json first = pl_json_item(&v, 0), second = pl_json_item(&v, 1);
    PL_TRY(read_end(&first, unit, -INFINITY, lo));
    PL_TRY(read_end(&second, unit, INFINITY, hi));
    if (*lo <= *hi) return PL_OK;
    return pl_json_fail(&v, "from %g down to %g: the lowest comes first", *lo / unit, *hi / unit);
}

static pl_status read_curve(const pl_json *at, double unit, pl_joint_axis *axis)
{
    pl_json v, item = {0};
    int n = 0, pair = 0;
    if (!pl_json_get(at, "curve", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    if (n < 2) return pl_json_fail(&v, "two points or more expected: [[x, force], ...]");
    double *curve = pl_alloc_zero(2 * (int64_t)n, sizeof *curve);
    if (curve == NULL) return PL_ERROR_MEMORY;
    axis->curve = curve;
    axis->n_curve = n;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        PL_TRY(pl_json_array(&item, &pair));
        if (pair != 2) return pl_json_fail(&item, "two numbers [x, force] expected");
        for (int k = 0; k < 2; k++) {
            pl_json number = pl_json_item(&item, k);
            if (!cJSON_IsNumber(number.node)) return pl_json_fail(&number, "a number expected");
            curve[2 * i + k] = (k == 0 ? unit : 1) * number.node->valuedouble;
        }
        if (i > 0 && !(curve[2 * i] > curve[2 * i - 2])) {
            return pl_json_fail(&item, "x is not above that of the point before");
        }
    }
    return PL_OK;
}

// The keys of the coordinate `k` of the latest joint, which stand in `at`.
static pl_status read_coordinate(pl_scene *scene, const pl_json *at, int32_t k)
{
    pl_joint_options *o = &scene->joints[scene->n_joints - 1].options;
    pl_joint_axis *axis = &o->axes[k];
    double unit = pl_joint_axis_unit(o->kind, k), rest = axis->rest;
    pl_json motor;
    PL_TRY(pl_joint_read_range(at, unit, &axis->lo, &axis->hi));
    PL_TRY(pl_json_not_negative(at, "stiffness", &axis->stiffness));
    PL_TRY(pl_json_not_negative(at, "damping", &axis->damping));
    PL_TRY(pl_json_not_negative(at, "spring", &axis->spring));
    PL_TRY(pl_json_not_negative(at, "spring_damping", &axis->spring_damping));
    PL_TRY(pl_json_number(at, "rest", &rest));
    axis->rest = unit * rest;
    PL_TRY(read_curve(at, unit, axis));
    if (!pl_json_get(at, "motor", &motor)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&motor, PL_KEYS_MOTOR));
    return pl_scene_read_motor(scene, &motor, scene->n_joints - 1, k, true);
}

// --- A joint ---

// The keys of the one free coordinate may stand in the joint itself.
static pl_status read_short(pl_scene *scene, const pl_json *at, pl_joint_kind kind)
{
    static const char *const keys[] = {"range",          "stiffness", "damping", "spring",
                                       "spring_damping", "rest",      "curve",   "motor"};
    int32_t axis = pl_joint_free_axis(kind);
    pl_json v;
    if (axis >= 0) return read_coordinate(scene, at, axis);
    for (int i = 0; i < COUNT(keys); i++) {
        if (!pl_json_get(at, keys[i], &v)) continue;
        return pl_json_fail(&v, "a %s joint has it by its \"coordinates\"", KINDS[kind]);
    }
    return PL_OK;
}

static pl_status read_coordinates(pl_scene *scene, const pl_json *at, pl_joint_kind kind)
{
    pl_json all, one;
    PL_TRY(read_short(scene, at, kind));
    if (!pl_json_get(at, "coordinates", &all)) return PL_OK;
    const char *names[PL_JOINT_AXES];
    for (int k = 0; k < count_axes(kind); k++) names[k] = pl_joint_axis_name(kind, k);
    PL_TRY(pl_json_object(&all, names, count_axes(kind)));
    for (int k = 0; k < count_axes(kind); k++) {
        if (!pl_json_get(&all, names[k], &one)) continue;
        PL_TRY(pl_scene_check_keys(&one, PL_KEYS_COORDINATE));
        PL_TRY(read_coordinate(scene, &one, k));
    }
    return PL_OK;
}

static pl_status read_bodies(const pl_scene *scene, const pl_json *at, const pl_scope *scope,
                             pl_scene_joint *joint)
{
    pl_json v;
    joint->a = -1;
    if (pl_json_get(at, "a", &v)) PL_TRY(pl_scene_find_body(scene, scope, &v, &joint->a));
    PL_TRY(pl_json_require(at, "b", &v));
    PL_TRY(pl_scene_find_body(scene, scope, &v, &joint->b));
    if (joint->a != joint->b) return PL_OK;
    if (joint->b < 0) return pl_json_fail(&v, "the world is a, too: one of them must be a body");
    return pl_json_fail(&v, "\"%s\" is a, too: a joint ties two bodies", v.node->valuestring);
}

static pl_status read_frame(const pl_json *at, pl_joint_options *o)
{
    pl_json v;
    PL_TRY(pl_json_require(at, "point", &v));
    PL_TRY(pl_json_vector(at, "point", o->point_a));
    if (o->kind == PL_JOINT_DISTANCE) PL_TRY(pl_json_require(at, "point_b", &v));
    PL_TRY(pl_json_vector(at, "point_b", o->point_b));
    PL_TRY(pl_json_vector(at, "axis", o->axis));
    PL_TRY(pl_json_vector(at, "side", o->side));
    PL_TRY(pl_json_not_negative(at, "patch_a", &o->patch_a));
    PL_TRY(pl_json_not_negative(at, "patch_b", &o->patch_b));
    if (o->axis[0] != 0 || o->axis[1] != 0 || o->axis[2] != 0) return PL_OK;
    return pl_json_fail(at, "axis: has no direction");
}

static pl_status read_limits(const pl_json *at, pl_joint_options *o)
{
    double swing = o->swing / RADIANS;
    PL_TRY(pl_json_positive(at, "swing", &swing));
    o->swing = swing * RADIANS;
    PL_TRY(pl_json_positive(at, "break_force", &o->break_force));
    PL_TRY(pl_json_positive(at, "break_torque", &o->break_torque));
    return pl_json_bool(at, "collide", &o->collide);
}

pl_status pl_scene_add_joint(pl_scene *scene, const pl_json *at, const pl_scope *scope,
                             pl_joint_kind kind, pl_scene_joint **out)
{
    PL_TRY(pl_reserve((void **)&scene->joints, &scene->joint_capacity, scene->n_joints + 1,
                      sizeof *scene->joints));
    pl_scene_joint *joint = *out = &scene->joints[scene->n_joints++];
    *joint = (pl_scene_joint){.a = -1, .b = -1, .options = pl_joint_options_default(kind)};
    PL_TRY(pl_scene_place_text(at, &joint->place));
    return pl_scene_read_name(at, scope, &joint->name);
}

void pl_scene_place_joint(const pl_scope *scope, pl_scene_joint *joint)
{
    pl_joint_options *o = &joint->options;
    pl_scene_place_point(&scope->place, o->point_a);
    pl_scene_place_point(&scope->place, o->point_b);
    pl_scene_place_vector(&scope->place, o->axis);
    pl_scene_place_vector(&scope->place, o->side);
}

static pl_status read_joint(pl_scene *scene, const pl_json *at, const pl_scope *scope)
{
    pl_scene_joint *joint;
    pl_json v;
    int kind = -1;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_JOINT));
    PL_TRY(pl_json_require(at, "kind", &v));
    PL_TRY(pl_json_choice(at, "kind", KINDS, COUNT(KINDS), &kind));
    PL_TRY(pl_scene_add_joint(scene, at, scope, (pl_joint_kind)kind, &joint));
    PL_TRY(read_bodies(scene, at, scope, joint));
    PL_TRY(read_frame(at, &joint->options));
    PL_TRY(read_limits(at, &joint->options));
    pl_scene_place_joint(scope, joint);
    return read_coordinates(scene, at, (pl_joint_kind)kind);
}

pl_status pl_scene_read_joints(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "joints", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) PL_TRY(read_joint(reader->scene, &item, scope));
    return PL_OK;
}
