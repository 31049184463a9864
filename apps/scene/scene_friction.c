#include "scene_friction.h"
#include "scene_keys.h"
#include "scene_names.h"

#include <stdio.h>
#include <string.h>

static const int64_t MOST_PAIRS = 4000000; // of bodies, that one entry may stand for

// The group with this name that has bodies, as a category; 0 if there is none.
static uint32_t category_of(const pl_groups *groups, const char *name)
{
    for (int i = 1; i < groups->n; i++) { // the first is that of those that name none
        if (groups->has_bodies[i] && strcmp(groups->name[i], name) == 0) return UINT32_C(1) << i;
    }
    return 0;
}

// A name of a body, of its copies, of one of them, or of a group.
static pl_status read_side(pl_reader *reader, const pl_json *at, const char *key,
                           pl_scene_side *side)
{
    const pl_scope scope = {.place = pl_scene_place_origin()};
    pl_json v;
    const char *name = NULL;
    PL_TRY(pl_json_require(at, key, &v));
    PL_TRY(pl_json_string(at, key, &name));
    side->category = category_of(&reader->groups, name);
    side->entry = side->body = -1;
    for (int32_t i = 0; i < reader->scene->n_entries; i++) {
        const char *own = reader->scene->entries[i].name;
        if (own != NULL && strcmp(own, name) == 0) side->entry = i;
    }
    if (side->category != 0 || side->entry >= 0) return PL_OK;
    if (pl_scene_find_body(reader->scene, &scope, &v, &side->body) == PL_OK && side->body >= 0) {
        return PL_OK;
    }
    if (side->body < 0 && strcmp(name, "world") == 0) {
        return pl_json_fail(&v, "the name of a body or of a group expected");
    }
    char text[512]; // behind "FILE: PATH: "
    snprintf(text, sizeof text, "%s", pl_error_text());
    size_t before = strlen(v.file) + strlen(v.path) + 4;
    return pl_json_fail(&v, "%s; nor has a group", text + PL_MIN(before, strlen(text)));
}

static pl_status read_pair(pl_reader *reader, const pl_json *at)
{
    pl_scene *scene = reader->scene;
    pl_json v;
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_FRICTION_PAIR));
    PL_TRY(pl_reserve((void **)&scene->friction_pairs, &scene->friction_pair_capacity,
                      scene->n_friction_pairs + 1, sizeof *scene->friction_pairs));
    pl_scene_friction *pair = &scene->friction_pairs[scene->n_friction_pairs++];
    *pair = (pl_scene_friction){0};
    PL_TRY(pl_scene_place_text(at, &pair->place));
    PL_TRY(read_side(reader, at, "a", &pair->a));
    PL_TRY(read_side(reader, at, "b", &pair->b));
    PL_TRY(pl_json_require(at, "friction", &v));
    return pl_json_not_negative(at, "friction", &pair->friction);
}

pl_status pl_scene_read_friction_pairs(pl_reader *reader, const pl_json *root)
{
    pl_json v, item = {0};
    int n = 0;
    if (!pl_json_get(root, "friction_pairs", &v)) return PL_OK;
    PL_TRY(pl_json_array(&v, &n));
    while (pl_json_next(&v, &item)) PL_TRY(read_pair(reader, &item));
    return PL_OK;
}

// --- In the world ---

// The bodies of the world that a side means, `ground` among them (-1: there is none). number
// (n_bodies + 1) receives them; returns how many.
static int64_t list_side(const pl_scene *scene, const pl_scene_side *side, int32_t ground,
                         int32_t *number)
{
    int64_t n = 0;
    int32_t world_body = 0;
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        if (!body->simulated) continue;
        bool means = i == side->body || (side->entry >= 0 && body->entry == side->entry) ||
                     (body->kinematic.surface.category & side->category) != 0;
        if (means) number[n++] = world_body;
        world_body++;
    }
    if (ground >= 0 && (scene->ground_surface.category & side->category) != 0) number[n++] = ground;
    return n;
}

static pl_status set_pair(const pl_scene *scene, const pl_scene_friction *pair, int32_t ground,
                          int32_t *a, int32_t *b, pl_world *world)
{
    int64_t n_a = list_side(scene, &pair->a, ground, a);
    int64_t n_b = list_side(scene, &pair->b, ground, b);
    if (n_a > 0 && n_b > MOST_PAIRS / n_a) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "%s: more than %lld pairs of bodies; give them their "
                       "own \"friction\"",
                       pair->place, (long long)MOST_PAIRS);
    }
    for (int64_t i = 0; i < n_a; i++) {
        for (int64_t k = 0; k < n_b; k++) {
            if (pl_world_set_friction_pair(world, a[i], b[k], pair->friction) == PL_OK) continue;
            return pl_fail(PL_ERROR_ARGUMENT, "%s: %s", pair->place, pl_error_text());
        }
    }
    return PL_OK;
}

pl_status pl_scene_set_friction_pairs(const pl_scene *scene, pl_world *world)
{
    if (scene->n_friction_pairs == 0) return PL_OK;
    bool carries = scene->ground && scene->world.contact;
    int32_t ground = carries ? pl_world_body_count(world) - 1 : -1; // it was added last
    int32_t *a = pl_alloc(scene->n_bodies + 1, sizeof *a);
    int32_t *b = pl_alloc(scene->n_bodies + 1, sizeof *b);
    pl_status status = a != NULL && b != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < scene->n_friction_pairs && status == PL_OK; i++) {
        status = set_pair(scene, &scene->friction_pairs[i], ground, a, b, world);
    }
    pl_free(a);
    pl_free(b);
    return status;
}
