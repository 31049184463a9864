#include "scene_grid.h"
#include "scene_keys.h"

#include <string.h>

enum { REFINE = 2 }; // if the scene does not say

// --- Keys ---

// What a scene with a grid cannot have, by the keys of its root.
static pl_status refuse_parts(const pl_json *root)
{
    static const char *const without[] = {"joints", "couplings", "motors", "cables"};
    pl_json v;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        if (!pl_json_get(root, without[i], &v)) continue;
        return pl_json_fail(&v, "bodies on a grid have none");
    }
    bool ground = pl_json_get(root, "ground", &v) && !cJSON_IsFalse(v.node);
    if (!ground) return PL_OK;
    return pl_json_fail(&v, "bodies on a grid rest on static bodies; leave the ground out");
}

static pl_status refuse_body(const pl_scene *scene, const pl_scene_body *body)
{
    const char *place = scene->entries[body->entry].place;
    const char *key = body->kind == PL_BODY_RIGID ? "type"
                      : body->n_fixed > 0         ? "fixed"
                      : body->n_driven > 0        ? "driven"
                      : body->force != NULL       ? "forces"
                      : body->embedding != NULL   ? "render_mesh"
                      : body->cut.on              ? "cut"
                                                  : NULL;
    if (!body->simulated || key == NULL) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s.%s: bodies on a grid are %s", place, key,
                   body->kind == PL_BODY_RIGID ? "deformable, static or kinematic"
                                               : "moved as a whole, and have surfaces only: no "
                                                 "such thing");
}

pl_status pl_scene_read_grid(const pl_json *root, pl_scene *scene)
{
    pl_json v;
    scene->grid.options = pl_euler_options_default();
    scene->grid.refine = REFINE;
    if (!pl_json_get(root, "grid", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_GRID));
    scene->grid.on = true;
    scene->ground = false;
    PL_TRY(pl_json_positive(&v, "spacing", &scene->grid.options.spacing));
    PL_TRY(pl_json_positive(&v, "cfl", &scene->grid.options.cfl));
    PL_TRY(pl_json_count(&v, "parts", &scene->grid.options.max_parts));
    PL_TRY(pl_json_count(&v, "refine", &scene->grid.refine));
    if (scene->grid.refine < 1 || scene->grid.refine > 8) {
        return pl_json_fail(&v, "refine: a number from 1 to 8 expected");
    }
    PL_TRY(refuse_parts(root));
    for (int32_t i = 0; i < scene->n_bodies; i++) PL_TRY(refuse_body(scene, &scene->bodies[i]));
    return PL_OK;
}

// --- Bodies ---

static pl_euler_options options_of(const pl_scene *scene)
{
    pl_euler_options o = scene->grid.options;
    const pl_world_options *w = &scene->world;
    o.dt = w->dt;
    memcpy(o.gravity, w->gravity, sizeof o.gravity);
    o.contact_tolerance = w->contact_tolerance;
    o.max_iterations = w->contact_iterations;
    o.threads = w->threads;
    o.device = w->device;
    // "auto" is what a world takes if nobody says otherwise; so is this here
    if (strcmp(w->solver, "auto") != 0) o.solver = w->solver;
    return o;
}

static pl_status add_body(pl_euler *euler, const pl_scene *scene, const pl_scene_body *body)
{
    bool driven = body->kind == PL_BODY_KINEMATIC;
    pl_status status = driven ? pl_euler_add_kinematic(euler, body->mesh, &body->kinematic, NULL)
                              : pl_euler_add_deformable(euler, body->mesh, &body->deformable, NULL);
    if (status == PL_OK || status == PL_ERROR_MEMORY) return status;
    return pl_fail(status, "%s.%s%s", scene->entries[body->entry].place,
                   status == PL_ERROR_GEOMETRY ? "mesh: " : "", pl_error_text());
}

static pl_status add_bodies(pl_euler *euler, const pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        if (scene->bodies[i].simulated) PL_TRY(add_body(euler, scene, &scene->bodies[i]));
    }
    if (pl_euler_body_count(euler) > 0) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: bodies: none of them is simulated", scene->file);
}

// Options under the names that scenes have for them.
static pl_status complain(pl_status status, const pl_scene *scene)
{
    static const struct {
        const char *option, *key;
    } names[] = {{"spacing:", "grid.spacing:"},
                 {"cfl:", "grid.cfl:"},
                 {"max_iterations:", "world.contact_iterations:"}};
    char text[512];
    const char *rest = pl_error_text(), *key = "world.";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i].option);
        if (strncmp(rest, names[i].option, length) != 0) continue;
        key = names[i].key;
        rest += length;
    }
    strncpy(text, rest, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    return pl_fail(status, "%s: %s%s", scene->file, key, text);
}

pl_status pl_scene_euler(const pl_scene *scene, pl_euler **out)
{
    const pl_euler_options options = options_of(scene);
    pl_status status = pl_euler_create(&options, out);
    if (status == PL_ERROR_ARGUMENT) return complain(status, scene);
    if (status == PL_OK) status = add_bodies(*out, scene);
    if (status == PL_OK) return PL_OK;
    pl_euler_destroy(*out);
    *out = NULL;
    return status;
}

pl_status pl_scene_euler_step(pl_euler *euler, pl_step_stats *stats)
{
    pl_status status = pl_euler_step(euler, stats);
    if (status == PL_OK) return PL_OK;
    return pl_fail(status, "step %lld, from %g s: %s", (long long)pl_euler_steps(euler) + 1,
                   pl_euler_time(euler), pl_error_text());
}
