// "bodies" of a scene: their meshes, and how they look.

#include "load.h"
#include "scene_copies.h"
#include "scene_keys.h"
#include "scene_motion.h"
#include "scene_names.h"
#include "scene_parts.h"
#include "scene_physics.h"
#include "scene_shapes.h"

#include <string.h>
#include <unistd.h>

// The position comes with the copies.
void pl_scene_matrix(const double scale[3], const double degrees[3], double m[12])
{
    double r[9];
    pl_scene_place_rotation(degrees, r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m[4 * i + j] = scale[j] * r[3 * i + j];
        m[4 * i + 3] = 0;
    }
}

// A mesh that is not there may be a shape, misspelt, or one that is made from a scan.
static pl_status explain_missing(const char *path, const char *word, pl_status status)
{
    char *recipe = NULL;
    bool by_name = strchr(word, '/') == NULL;
    if (status != PL_ERROR_FILE || !by_name || access(path, F_OK) == 0) return status;
    if (!pl_load_knows(word)) return pl_load_mesh_as_is(word, &(pl_mesh *){NULL});
    PL_TRY(pl_scene_mesh_recipe(&recipe));
    pl_fail(status, "%s, nor in a folder of meshes; `%s` makes those of Pliant's scenes",
            pl_error_text(), recipe);
    pl_free(recipe);
    return status;
}

static pl_status load_named(const char *scene_path, const char *word, pl_mesh **out)
{
    if (pl_shape_known(word)) return pl_load_mesh(word, 0, out);
    char *path;
    PL_TRY(pl_scene_find_mesh(scene_path, word, &path));
    pl_status status = pl_load_mesh(path, 0, out);
    if (status != PL_OK) status = explain_missing(path, word, status);
    pl_free(path);
    return status;
}

static pl_status read_cut(const pl_json *at, pl_scene_cut *cut)
{
    pl_json v;
    if (!pl_json_get(at, "cut", &v)) return PL_OK;
    PL_TRY(pl_scene_check_keys(&v, PL_KEYS_CUT));
    cut->on = true;
    cut->normal[0] = 1;
    PL_TRY(pl_json_vector(&v, "normal", cut->normal));
    PL_TRY(pl_json_number(&v, "offset", &cut->offset));
    PL_TRY(pl_json_number(&v, "shrink", &cut->shrink));
    const double *n = cut->normal;
    if (n[0] == 0 && n[1] == 0 && n[2] == 0) return pl_json_fail(&v, "normal: has no direction");
    if (!(cut->shrink >= 0 && cut->shrink <= 0.9)) {
        return pl_json_fail(&v, "shrink: a number from 0 to 0.9 expected");
    }
    return PL_OK;
}

static pl_status read_look(const pl_json *at, pl_scene_body *body)
{
    PL_TRY(pl_json_color(at, "color", &body->has_color, body->color));
    body->opacity = 1;
    PL_TRY(pl_json_positive(at, "opacity", &body->opacity));
    if (body->opacity > 1) return pl_json_fail(at, "opacity: at most 1");
    PL_TRY(pl_json_bool(at, "edges", &body->edges));
    return read_cut(at, &body->cut);
}

// The mesh under `key` in its size and turn, but not in its place.
static pl_status read_shape(const pl_json *at, const char *key, pl_mesh **out)
{
    pl_json mesh;
    const char *word = NULL;
    double rotation[3] = {0}, scale[3] = {1, 1, 1}, m[12];
    PL_TRY(pl_json_require(at, key, &mesh));
    PL_TRY(pl_json_string(at, key, &word));
    PL_TRY(pl_json_vector(at, "rotation", rotation));
    PL_TRY(pl_json_scale(at, "scale", scale));
    if (load_named(at->file, word, out) != PL_OK) {
        return pl_json_fail(&mesh, "%s", pl_error_text());
    }
    pl_scene_matrix(scale, rotation, m);
    if (pl_mesh_transform(*out, m) != PL_OK) return pl_json_fail(at, "%s", pl_error_text());
    return PL_OK;
}

// The shapes under "shape" or "shapes", in their size and turn; and what is drawn of them, unless
// the body has a mesh for that. *mesh stays NULL if there are none.
static pl_status read_shapes(const pl_json *at, pl_scene_shapes *shapes, pl_mesh **mesh)
{
    double rotation[3] = {0}, scale[3] = {1, 1, 1};
    pl_json v;
    PL_TRY(pl_json_vector(at, "rotation", rotation));
    PL_TRY(pl_json_scale(at, "scale", scale));
    PL_TRY(pl_scene_shapes_read(at, scale, rotation, load_named, shapes));
    bool drawn = pl_json_get(at, "mesh", &v) && shapes->n > 0 && shapes->mesh[0] == NULL;
    if (shapes->n == 0 || drawn) return PL_OK;
    if (pl_shapes_mesh(shapes->n, shapes->shape, mesh) == PL_OK) return PL_OK;
    const char *key = pl_json_get(at, "shapes", &v)  ? "shapes"
                      : pl_json_get(at, "shape", &v) ? "shape"
                                                     : "halfspace";
    return pl_json_fail(at, "%s: %s", key, pl_error_text());
}

// A mesh with loose edges and points is what touches, and what is drawn in its place has a
// thickness.
static pl_status show_loose(const pl_json *at, pl_scene_shapes *shapes, pl_mesh **mesh)
{
    pl_json v;
    double radius = 0;
    const char *type = "deformable";
    if (!pl_load_is_loose(*mesh) || shapes->n > 0) return PL_OK;
    PL_TRY(pl_json_string(at, "type", &type));
    bool drawn = pl_json_get(at, "material", &v) && cJSON_IsNull(v.node);
    if (strcmp(type, "deformable") == 0 && !drawn) {
        if (pl_mesh_tet_count(*mesh) > 0) return PL_OK; // whose faces are what touches
        return pl_json_fail(at, "edges and points are of a body that is not deformable: give it "
                                "another \"type\"");
    }
    PL_TRY(pl_json_not_negative(at, "radius", &radius));
    if (!drawn) PL_TRY(pl_scene_shapes_of_mesh(*mesh, radius, shapes));
    if (pl_load_thicken(mesh, radius) == PL_OK) return PL_OK;
    return pl_json_fail(at, "mesh: %s", pl_error_text());
}

static pl_status add_body(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                          const pl_mesh *shape, const pl_scene_shapes *shapes, const double m[12])
{
    pl_scene_body *body;
    PL_TRY(pl_scene_add_body(at, reader->scene, &body));
    PL_TRY(read_look(at, body));
    PL_TRY(pl_mesh_copy(shape, &body->mesh));
    if (pl_mesh_transform(body->mesh, m) != PL_OK) return pl_json_fail(at, "%s", pl_error_text());
    PL_TRY(pl_scene_read_physics(at, &reader->groups, body));
    PL_TRY(pl_scene_watch_motions(reader, at, scope, body));
    if (pl_scene_place_body(&scope->place, body) == PL_OK)
        return pl_scene_shapes_give(shapes, m, &scope->place, body);
    return pl_json_fail(at, "%s", pl_error_text());
}

static pl_status add_bodies(pl_reader *reader, const pl_json *at, const pl_scope *scope,
                            const pl_mesh *shape, const pl_scene_shapes *shapes)
{
    double position[3] = {0}, m[12];
    pl_copies copies;
    PL_TRY(pl_json_vector(at, "position", position));
    PL_TRY(pl_copies_read(at, shape, &copies));
    if (copies.total > PL_SCENE_BODIES - reader->scene->n_bodies) {
        return pl_json_fail(at, "more than %d bodies in all", (int)PL_SCENE_BODIES);
    }
    for (int32_t i = 0; i < copies.total; i++) {
        pl_copies_place(&copies, i, m);
        for (int k = 0; k < 3; k++) m[4 * k + 3] += position[k];
        PL_TRY(add_body(reader, at, scope, shape, shapes, m));
    }
    return PL_OK;
}

// The surface that the bodies from `first` on carry, all copies of one shape. What is only drawn
// never moves, and what has no tets is refused if it is to be simulated as soft: both count as
// rigid here.
static pl_status read_render_mesh(const pl_json *at, const pl_mesh *shape, int32_t first,
                                  pl_scene *scene)
{
    pl_json v;
    pl_mesh *fine = NULL;
    const pl_scene_body *body = &scene->bodies[first];
    bool soft = body->simulated && body->kind == PL_BODY_DEFORMABLE && pl_mesh_tet_count(shape) > 0;
    if (!pl_json_get(at, "render_mesh", &v) || scene->unseen) return PL_OK;
    PL_TRY(pl_reserve((void **)&scene->embeddings, &scene->embedding_capacity,
                      scene->n_embeddings + 1, sizeof *scene->embeddings));
    pl_embedding **embedding = &scene->embeddings[scene->n_embeddings];
    pl_status status = read_shape(at, "render_mesh", &fine);
    if (status == PL_OK && pl_embedding_create(shape, !soft, fine, embedding) != PL_OK) {
        status = pl_json_fail(&v, "%s", pl_error_text());
    }
    pl_mesh_destroy(fine);
    PL_TRY(status);
    scene->n_embeddings++;
    for (int32_t i = first; i < scene->n_bodies; i++) scene->bodies[i].embedding = *embedding;
    return PL_OK;
}

// The meshes of hulls stay as long as the scene: its bodies borrow them.
static pl_status keep_meshes(pl_scene *scene, pl_scene_shapes *shapes, pl_status status)
{
    int32_t n = shapes->n;
    if (status == PL_OK) {
        status = pl_reserve((void **)&scene->meshes, &scene->mesh_capacity, scene->n_meshes + n,
                            sizeof *scene->meshes);
    }
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        scene->meshes[scene->n_meshes++] = shapes->mesh[i];
        shapes->mesh[i] = NULL;
    }
    pl_scene_shapes_free(shapes);
    return status;
}

static pl_status read_body(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    PL_TRY(pl_scene_check_keys(at, PL_KEYS_BODY));
    PL_TRY(pl_scene_add_entry(at, scope, reader->scene));
    pl_mesh *shape = NULL;
    int32_t first = reader->scene->n_bodies;
    pl_scene_shapes shapes = {0};
    pl_status status = read_shapes(at, &shapes, &shape);
    if (status == PL_OK && shape == NULL) status = read_shape(at, "mesh", &shape);
    if (status == PL_OK) status = show_loose(at, &shapes, &shape);
    if (status == PL_OK) status = add_bodies(reader, at, scope, shape, &shapes);
    if (status == PL_OK) status = read_render_mesh(at, shape, first, reader->scene);
    pl_mesh_destroy(shape);
    return keep_meshes(reader->scene, &shapes, status);
}

pl_status pl_scene_read_bodies(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    pl_json bodies, item = {0};
    int n = 0;
    if (!pl_json_get(at, "bodies", &bodies)) return PL_OK;
    PL_TRY(pl_json_array(&bodies, &n));
    while (pl_json_next(&bodies, &item)) PL_TRY(read_body(reader, &item, scope));
    return PL_OK;
}
