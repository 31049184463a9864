#include "scene_shots.h"
#include "scene_keys.h"
#include "scene_names.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define RADIANS (3.14159265358979323846 / 180)

static const double ANGLE = 30;      // vertical view angle [degrees]
static const double AZIMUTH = -60;   // where an orbit begins [degrees]
static const double SMOOTHING = 0.2; // of a camera that follows [s]

// --- Parts ---

// Complains about the value under a key of `at`.
static pl_status refuse(const pl_json *at, const char *key, const char *sentence)
{
    pl_json v;
    pl_json_get(at, key, &v);
    return pl_json_fail(&v, "%s", sentence);
}

static pl_status read_angle(const pl_json *at, double otherwise, double *fov_y)
{
    double degrees = otherwise / RADIANS;
    PL_TRY(pl_json_positive(at, "angle", &degrees));
    if (degrees >= 180) return refuse(at, "angle", "less than 180 degrees expected");
    *fov_y = degrees * RADIANS;
    return PL_OK;
}

static pl_status read_sight(const pl_json *at, double eye[3], double target[3])
{
    pl_json v;
    PL_TRY(pl_json_require(at, "eye", &v));
    PL_TRY(pl_json_vector(at, "eye", eye));
    PL_TRY(pl_json_vector(at, "target", target));
    if (memcmp(eye, target, 3 * sizeof *eye) != 0) return PL_OK;
    return pl_json_fail(at, "eye and target must differ");
}

// Exactly one of two keys.
static pl_status choose_key(const pl_json *at, const char *a, const char *b, bool *second)
{
    pl_json v;
    bool first = pl_json_get(at, a, &v);
    *second = pl_json_get(at, b, &v);
    if (first != *second) return PL_OK;
    return pl_json_fail(at, "give one of the keys \"%s\" and \"%s\"", a, b);
}

// --- Kinds ---

static pl_status read_fixed(const pl_json *at, pl_shot *shot)
{
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_FIXED));
    return read_sight(at, shot->eye, shot->target);
}

static pl_status read_orbit(const pl_json *at, pl_shot *shot)
{
    pl_json v;
    bool period;
    double degrees = AZIMUTH, rate = 0;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_ORBIT));
    PL_TRY(pl_json_vector(at, "centre", shot->target));
    PL_TRY(pl_json_require(at, "radius", &v));
    PL_TRY(pl_json_positive(at, "radius", &shot->radius));
    PL_TRY(pl_json_number(at, "height", &shot->height));
    PL_TRY(pl_json_number(at, "azimuth", &degrees));
    PL_TRY(choose_key(at, "rate", "period", &period));
    PL_TRY(pl_json_number(at, period ? "period" : "rate", &rate));
    if (period && rate == 0) return refuse(at, "period", "a number other than 0 expected");
    shot->azimuth = degrees * RADIANS;
    shot->rate = (period ? 360 / rate : rate) * RADIANS;
    return isfinite(shot->rate) ? PL_OK : refuse(at, "period", "too short");
}

// A number is a body's place in the scene, with copies counted; a name is that of all copies.
static pl_status read_body(const pl_json *at, const pl_scene *scene, pl_shot *shot)
{
    pl_json v;
    PL_TRY(pl_json_require(at, "body", &v));
    if (!cJSON_IsString(v.node)) {
        shot->n_bodies = 1;
        PL_TRY(pl_json_whole(&v, &shot->body));
        if (shot->body < scene->n_bodies) return PL_OK;
        return pl_json_fail(&v, "body %d of %d: the first is 0", (int)shot->body,
                            (int)scene->n_bodies);
    }
    int32_t entry;
    PL_TRY(pl_scene_find_entry(scene, &v, &entry));
    shot->body = scene->entries[entry].first;
    shot->n_bodies = scene->entries[entry].n;
    return PL_OK;
}

static pl_status read_follow(const pl_json *at, const pl_scene *scene, pl_shot *shot)
{
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_FOLLOW));
    PL_TRY(read_body(at, scene, shot));
    PL_TRY(choose_key(at, "offset", "eye", &shot->stands));
    PL_TRY(pl_json_vector(at, shot->stands ? "eye" : "offset", shot->eye));
    const double *offset = shot->eye;
    if (!shot->stands && offset[0] == 0 && offset[1] == 0 && offset[2] == 0) {
        return refuse(at, "offset", "has no direction");
    }
    shot->smoothing = SMOOTHING;
    return pl_json_not_negative(at, "smoothing", &shot->smoothing);
}

static pl_status read_key(const pl_json *at, const pl_shot *shot, pl_shot_key *key)
{
    pl_json v;
    bool first = shot->n_keys == 0;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_KEYFRAME));
    PL_TRY(pl_json_require(at, "time", &v));
    PL_TRY(pl_json_number(at, "time", &key->time));
    PL_TRY(read_sight(at, key->eye, key->target));
    PL_TRY(read_angle(at, first ? shot->fov_y : key[-1].fov_y, &key->fov_y));
    if (first || key->time > key[-1].time) return PL_OK;
    return pl_json_fail(&v, "%g s is not after the %g s before it", key->time, key[-1].time);
}

static pl_status read_keyframes(const pl_json *at, pl_shot *shot)
{
    pl_json list, item = {0};
    int n;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_KEYFRAMES));
    PL_TRY(pl_json_require(at, "keys", &list));
    PL_TRY(pl_json_array(&list, &n));
    if (n == 0) return pl_json_fail(&list, "at least one key expected");
    shot->key = pl_alloc_zero(n, sizeof *shot->key);
    if (shot->key == NULL) return PL_ERROR_MEMORY;
    while (pl_json_next(&list, &item)) {
        PL_TRY(read_key(&item, shot, &shot->key[shot->n_keys]));
        shot->n_keys++;
    }
    return PL_OK;
}

// --- All of them ---

static pl_status read_shot(const pl_json *at, const char *name, pl_scene *scene)
{
    static const char *const kinds[] = {[PL_SHOT_FIXED] = "fixed",
                                        [PL_SHOT_ORBIT] = "orbit",
                                        [PL_SHOT_FOLLOW] = "follow",
                                        [PL_SHOT_KEYFRAMES] = "keyframes"};
    int kind = PL_SHOT_FIXED;
    if (!cJSON_IsObject(at->node)) return pl_json_fail(at, "an object {...} expected");
    if (strlen(name) >= PL_SHOT_NAME) return pl_json_fail(at, "the name is too long");
    PL_TRY(pl_json_choice(at, "kind", kinds, COUNT(kinds), &kind));
    PL_TRY(pl_reserve((void **)&scene->shots, &scene->shot_capacity, scene->n_shots + 1,
                      sizeof *scene->shots));
    pl_scene_shot *entry = &scene->shots[scene->n_shots++];
    *entry = (pl_scene_shot){.shot.kind = (pl_shot_kind)kind};
    memcpy(entry->name, name, strlen(name) + 1);
    pl_shot *shot = &entry->shot;
    PL_TRY(read_angle(at, ANGLE * RADIANS, &shot->fov_y));
    switch (shot->kind) {
    case PL_SHOT_FIXED:
        return read_fixed(at, shot);
    case PL_SHOT_ORBIT:
        return read_orbit(at, shot);
    case PL_SHOT_FOLLOW:
        return read_follow(at, scene, shot);
    case PL_SHOT_KEYFRAMES:
        return read_keyframes(at, shot);
    }
    return PL_OK;
}

pl_status pl_scene_read_shots(const pl_json *root, pl_scene *scene)
{
    pl_json one, all;
    if (pl_json_get(root, "camera", &one)) PL_TRY(read_shot(&one, "", scene));
    if (!pl_json_get(root, "cameras", &all)) return PL_OK;
    if (!cJSON_IsObject(all.node)) return pl_json_fail(&all, "an object {...} expected");
    const cJSON *child = NULL;
    cJSON_ArrayForEach(child, all.node)
    {
        pl_json_get(&all, child->string, &one);
        if (child->string[0] == '\0') return pl_json_fail(&all, "a camera has no name");
        if (one.node != child) {
            return pl_json_fail(&all, "the key \"%s\" stands twice", child->string);
        }
        PL_TRY(read_shot(&one, child->string, scene));
    }
    return PL_OK;
}

const pl_shot *pl_scene_find_shot(const pl_scene *scene, const char *name)
{
    for (int32_t i = 0; i < scene->n_shots; i++) {
        if (name[0] != '\0' && strcmp(scene->shots[i].name, name) == 0) {
            return &scene->shots[i].shot;
        }
    }
    return NULL;
}

void pl_scene_subject(const pl_scene *scene, const pl_shot *shot, double subject[3])
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = shot->body; i < shot->body + shot->n_bodies; i++) {
        double from[3], to[3];
        pl_mesh_bounds(scene->bodies[i].mesh, from, to);
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], from[k]);
            hi[k] = fmax(hi[k], to[k]);
        }
    }
    for (int k = 0; k < 3; k++) subject[k] = 0.5 * (lo[k] + hi[k]);
}
