#include "scene_motion.h"
#include "scene_keys.h"
#include "scene_names.h"

#include <math.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define RADIANS (3.14159265358979323846 / 180)

// --- Keys ---

static pl_status read_keys(const pl_json *at, pl_motion *motion)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(at, "keys", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    pl_motion_key *key = pl_alloc_zero(n, sizeof *key);
    if (key == NULL) return PL_ERROR_MEMORY;
    motion->key = key;
    motion->n_key = n;
    for (int i = 0; pl_json_next(&v, &item); i++) {
        pl_json time;
        PL_TRY(pl_scene_check_keys(&item, PL_KEYS_MOTION_KEY));
        PL_TRY(pl_json_require(&item, "time", &time));
        PL_TRY(pl_json_number(&item, "time", &key[i].time));
        PL_TRY(pl_json_vector(&item, "offset", key[i].offset));
        PL_TRY(pl_json_number(&item, "angle", &key[i].angle));
        key[i].angle *= RADIANS;
        if (i > 0 && !(key[i].time > key[i - 1].time)) {
            return pl_json_fail(&time, "not later than that of the key before");
        }
    }
    return PL_OK;
}

// --- Conditions ---

// "position": where the middle of a body is, along an axis. Which body, the watches say.
static pl_status read_position(const pl_json *at, pl_motion_until *until)
{
    static const char *const axes[] = {"x", "y", "z"};
    pl_json v, side;
    int axis = 2;
    if (!pl_json_get(at, "position", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_POSITION));
    PL_TRY(pl_json_choice(&v, "axis", axes, COUNT(axes), &axis));
    bool above = pl_json_get(&v, "above", &side), below = pl_json_get(&v, "below", &side);
    if (above == below) return pl_json_fail(&v, "above and below: one of them expected");
    PL_TRY(pl_json_number(&v, above ? "above" : "below", &until->level));
    until->direction[axis] = above ? 1 : -1;
    if (below) until->level = -until->level;
    return PL_OK;
}

static pl_status read_condition(const pl_json *at, pl_motion_until *until)
{
    static const char *const ways[] = {
        [PL_MOTION_STOP] = "stop", [PL_MOTION_REVERSE] = "reverse", [PL_MOTION_GO] = "go"};
    pl_json v;
    int then = PL_MOTION_STOP;
    *until = pl_motion_until_default();
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_UNTIL));
    bool any = pl_json_get(at, "time", &v) || pl_json_get(at, "force", &v) ||
               pl_json_get(at, "position", &v);
    if (!any) return pl_json_fail(at, "time, force or position: one of them at least expected");
    PL_TRY(pl_json_not_negative(at, "time", &until->time));
    PL_TRY(pl_json_positive(at, "force", &until->force));
    PL_TRY(read_position(at, until));
    PL_TRY(pl_json_choice(at, "then", ways, COUNT(ways), &then));
    until->then = (pl_motion_then)then;
    return PL_OK;
}

// "until": a condition, or several that hold one after the other.
static pl_status read_conditions(const pl_json *at, pl_motion *motion)
{
    pl_json v, item = {0};
    int n = 1;
    PL_TRY(pl_json_bool(at, "repeat", &motion->repeat));
    if (!pl_json_get(at, "until", &v)) {
        return pl_json_get(at, "repeat", &v) ? pl_json_fail(&v, "there is no \"until\"") : PL_OK;
    }
    bool one = cJSON_IsObject(v.node);
    if (!one) PL_TRY(pl_json_array(&v, &n));
    if (n == 0) return pl_json_fail(&v, "one condition at least expected");
    pl_motion_until *until = pl_alloc_zero(n, sizeof *until);
    if (until == NULL) return PL_ERROR_MEMORY;
    motion->until = until;
    motion->n_until = n;
    if (one) return read_condition(&v, until);
    for (int i = 0; pl_json_next(&v, &item); i++) PL_TRY(read_condition(&item, &until[i]));
    return PL_OK;
}

pl_status pl_scene_read_motion(const pl_json *at, pl_motion *motion)
{
    pl_json v;
    *motion = pl_motion_default();
    if (!pl_json_get(at, "motion", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_MOTION));
    PL_TRY(pl_json_number(&v, "start", &motion->start));
    PL_TRY(pl_json_number(&v, "end", &motion->end));
    PL_TRY(pl_json_vector(&v, "velocity", motion->velocity));
    PL_TRY(pl_json_vector(&v, "centre", motion->centre));
    PL_TRY(pl_json_vector(&v, "axis", motion->axis));
    PL_TRY(pl_json_number(&v, "rate", &motion->rate));
    motion->rate *= RADIANS;
    PL_TRY(read_keys(&v, motion));
    return read_conditions(&v, motion);
}

void pl_scene_motion_free(pl_motion *motion)
{
    pl_free((void *)motion->key);
    pl_free((void *)motion->until);
    motion->key = NULL;
    motion->until = NULL;
}

// --- Watches ---

// Notes the body that a condition names.
static pl_status add_watch(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                           const pl_motion_until *until)
{
    pl_json position, v;
    const char *name = NULL;
    if (!pl_json_get(at, "position", &position) || !pl_json_get(&position, "body", &v))
        return PL_OK;
    PL_TRY(pl_json_string(&position, "body", &name));
    PL_TRY(pl_reserve((void **)&reader->watch, &reader->watch_capacity, reader->n_watch + 1,
                      sizeof *reader->watch));
    reader->watch[reader->n_watch++] =
        (pl_watch){.at = v, .scope = *scope, .until = (pl_motion_until *)until};
    return PL_OK;
}

static pl_status watch_motion(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                              const pl_motion *motion)
{
    pl_json v, until, item = {0};
    if (motion->n_until == 0 || !pl_json_get(at, "motion", &v)) return PL_OK;
    pl_json_get(&v, "until", &until);
    if (cJSON_IsObject(until.node)) return add_watch(reader, &until, scope, motion->until);
    for (int i = 0; pl_json_next(&until, &item); i++) {
        PL_TRY(add_watch(reader, &item, scope, &motion->until[i]));
    }
    return PL_OK;
}

pl_status pl_scene_watch_motions(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                                 const pl_scene_body *body)
{
    pl_json v, item = {0};
    PL_TRY(watch_motion(reader, at, scope, &body->kinematic.motion));
    if (!pl_json_get(at, "driven", &v)) return PL_OK;
    for (int32_t i = 0; pl_json_next(&v, &item) && i < body->n_driven; i++) {
        PL_TRY(watch_motion(reader, &item, scope, &body->driven[i].motion));
    }
    return PL_OK;
}

// Bodies have the ids of the world in their order, those left out that are only drawn.
pl_status pl_scene_resolve_watches(pl_reader *reader)
{
    for (int32_t i = 0; i < reader->n_watch; i++) {
        pl_watch *w = &reader->watch[i];
        int32_t body, id = 0;
        PL_TRY(pl_scene_find_body(reader->scene, &w->scope, &w->at, &body));
        if (body < 0) return pl_json_fail(&w->at, "the world stays where it is: name a body");
        for (int32_t k = 0; k < body; k++) id += reader->scene->bodies[k].simulated;
        w->until->body = id;
    }
    return PL_OK;
}
