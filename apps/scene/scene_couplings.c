// "couplings" of a scene: gears, racks, screws, differentials, pulleys, and sums of coordinates.

#include "scene_joints.h"
#include "scene_keys.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define RADIANS (3.14159265358979323846 / 180)

static const char *const KINDS[] = {"gear", "rack", "screw", "differential", "pulley", "sum"};

typedef struct coupling_reader {
    const pl_scene *scene;
    const pl_scope *scope;
    pl_coupling_options *out;
} coupling_reader;

enum { X = 0, TWIST = 3 }; // coordinates

// Adds the coordinate of the joint that the key names, times ratio. It must not be held.
static pl_status add_term(const coupling_reader *r, const pl_json *at, const char *key,
                          int32_t axis, double ratio)
{
    pl_json v;
    int32_t joint;
    PL_TRY(pl_json_require(at, key, &v));
    PL_TRY(pl_scene_find_joint(r->scene, r->scope, &v, &joint));
    const pl_joint_options *o = &r->scene->joints[joint].options;
    const char *name = v.node->valuestring, *kind = pl_joint_kind_name(o->kind);
    if (o->kind == PL_JOINT_DISTANCE && axis != X) {
        return pl_json_fail(&v, "\"%s\" is a distance joint, which has no twist", name);
    }
    const pl_joint_axis *a = &o->axes[axis];
    if (a->lo == a->hi || isnan(a->lo)) {
        return pl_json_fail(&v, "\"%s\" is a %s joint, whose %s is held", name, kind,
                            pl_joint_axis_name(o->kind, axis));
    }
    r->out->joint[r->out->n] = joint;
    r->out->axis[r->out->n] = axis;
    r->out->ratio[r->out->n++] = ratio;
    return PL_OK;
}

// --- Kinds ---

static pl_status read_teeth(const pl_json *at, double *ratio)
{
    pl_json teeth, v;
    double n[2] = {0};
    bool given = pl_json_get(at, "ratio", &v);
    if (!pl_json_get(at, "teeth", &teeth)) {
        if (!given) return pl_json_fail(at, "give one of the keys \"teeth\" and \"ratio\"");
        return pl_json_positive(at, "ratio", ratio);
    }
    if (given) return pl_json_fail(&v, "\"teeth\" are given, too: give one of them");
    if (!cJSON_IsArray(teeth.node) || cJSON_GetArraySize(teeth.node) != 2) {
        return pl_json_fail(&teeth, "two numbers [of a, of b] expected");
    }
    for (int k = 0; k < 2; k++) {
        v = pl_json_item(&teeth, k);
        if (!cJSON_IsNumber(v.node) || !(v.node->valuedouble > 0)) {
            return pl_json_fail(&v, "a number above 0 expected");
        }
        n[k] = v.node->valuedouble;
    }
    *ratio = n[1] / n[0];
    return PL_OK;
}

static pl_status read_gear(const coupling_reader *r, const pl_json *at)
{
    double ratio = 1;
    bool inner = false;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_GEAR));
    PL_TRY(read_teeth(at, &ratio));
    PL_TRY(pl_json_bool(at, "inner", &inner));
    PL_TRY(add_term(r, at, "a", TWIST, 1));
    return add_term(r, at, "b", TWIST, inner ? -ratio : ratio);
}

static pl_status read_rack(const coupling_reader *r, const pl_json *at)
{
    double radius = 0;
    pl_json v;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_RACK));
    PL_TRY(pl_json_require(at, "radius", &v));
    PL_TRY(pl_json_positive(at, "radius", &radius));
    PL_TRY(add_term(r, at, "pinion", TWIST, radius));
    return add_term(r, at, "rack", X, -1);
}

static pl_status read_screw(const coupling_reader *r, const pl_json *at)
{
    double pitch = 0;
    pl_json v;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_SCREW));
    PL_TRY(pl_json_require(at, "pitch", &v));
    PL_TRY(pl_json_number(at, "pitch", &pitch));
    if (pitch == 0) return pl_json_fail(&v, "a number other than 0 expected");
    PL_TRY(add_term(r, at, "joint", TWIST, pitch / (360 * RADIANS)));
    return add_term(r, at, "joint", X, -1);
}

static pl_status read_differential(const coupling_reader *r, const pl_json *at)
{
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_DIFFERENTIAL));
    PL_TRY(add_term(r, at, "a", TWIST, 1));
    PL_TRY(add_term(r, at, "b", TWIST, 1));
    return add_term(r, at, "cage", TWIST, -2);
}

static pl_status read_pulley(const coupling_reader *r, const pl_json *at)
{
    double falls = 1;
    bool slack = true;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_PULLEY));
    PL_TRY(pl_json_positive(at, "falls", &falls));
    PL_TRY(pl_json_bool(at, "slack", &slack));
    if (slack) r->out->lo = -INFINITY;
    PL_TRY(add_term(r, at, "a", X, 1));
    return add_term(r, at, "b", X, falls);
}

static pl_status read_sum(const coupling_reader *r, const pl_json *at)
{
    pl_json v, item = {0}, name;
    int n = 0;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_SUM));
    PL_TRY(pl_joint_read_range(at, 1, &r->out->lo, &r->out->hi));
    PL_TRY(pl_json_require(at, "terms", &v));
    PL_TRY(pl_json_array(&v, &n));
    if (n < 1 || n > COUNT(r->out->joint)) {
        return pl_json_fail(&v, "1 to %d terms expected", COUNT(r->out->joint));
    }
    while (pl_json_next(&v, &item)) {
        int32_t joint, axis;
        double ratio = 1;
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_TERM));
        PL_TRY(pl_json_require(&item, "joint", &name));
        PL_TRY(pl_scene_find_joint(r->scene, r->scope, &name, &joint));
        PL_TRY(pl_joint_read_axis(&item, r->scene->joints[joint].options.kind, &axis));
        PL_TRY(pl_json_number(&item, "ratio", &ratio));
        PL_TRY(add_term(r, &item, "joint", axis, ratio));
    }
    return PL_OK;
}

// --- All of them ---

static pl_status read_backlash(const pl_json *at, double unit, pl_coupling_options *o)
{
    double backlash = 0;
    PL_TRY(pl_json_not_negative(at, "backlash", &backlash));
    if (backlash == 0) return PL_OK;
    o->lo = fmin(o->lo, -0.5 * unit * backlash);
    o->hi = 0.5 * unit * backlash;
    return PL_OK;
}

static pl_status read_coupling(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    static pl_status (*const read[])(const coupling_reader *, const pl_json *) = {
        read_gear, read_rack, read_screw, read_differential, read_pulley, read_sum};
    pl_scene *scene = reader->scene;
    pl_json v;
    int kind = -1;
    if (!cJSON_IsObject(at->node)) return pl_json_fail(at, "an object {...} expected");
    PL_TRY(pl_json_require(at, "kind", &v));
    PL_TRY(pl_json_choice(at, "kind", KINDS, COUNT(KINDS), &kind));
    PL_TRY(pl_reserve((void **)&scene->couplings, &scene->coupling_capacity, scene->n_couplings + 1,
                      sizeof *scene->couplings));
    pl_scene_coupling *coupling = &scene->couplings[scene->n_couplings++];
    *coupling = (pl_scene_coupling){.options = pl_coupling_options_default()};
    PL_TRY(pl_scene_place_text(at, &coupling->place));
    const coupling_reader r = {scene, scope, &coupling->options};
    PL_TRY(read[kind](&r, at));
    bool angle = strcmp(KINDS[kind], "gear") == 0 || strcmp(KINDS[kind], "differential") == 0;
    PL_TRY(read_backlash(at, angle ? RADIANS : 1, &coupling->options));
    PL_TRY(pl_json_not_negative(at, "stiffness", &coupling->options.stiffness));
    return pl_json_not_negative(at, "damping", &coupling->options.damping);
}

pl_status pl_scene_read_couplings(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "couplings", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) PL_TRY(read_coupling(reader, &item, scope));
    return PL_OK;
}
