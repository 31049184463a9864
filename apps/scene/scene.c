#include "scene.h"
#include "json.h"
#include "scene_forces.h"
#include "scene_grid.h"
#include "scene_keys.h"
#include "scene_motion.h"
#include "scene_motors.h"
#include "scene_parts.h"
#include "scene_physics.h"
#include "scene_shots.h"

#include <string.h>

static pl_status read_scene(const pl_json *root, pl_scene *scene)
{
    PL_TRY(pl_scene_check_keys(root, PL_KEYS_SCENE));
    PL_TRY(pl_scene_read_ground(root, scene));
    PL_TRY(pl_scene_read_world(root, scene));
    PL_TRY(pl_scene_read_parts(root, scene));
    PL_TRY(pl_scene_read_grid(root, scene));
    return pl_scene_read_shots(root, scene);
}

static pl_status read_tree(cJSON *tree, const char *name, pl_scene *out)
{
    pl_scene_rename_keys(cJSON_GetObjectItemCaseSensitive(tree, "world"), name, PL_KEYS_WORLD);
    pl_json root = pl_json_root(tree, name);
    pl_status status = read_scene(&root, out);
    cJSON_Delete(tree);
    if (status != PL_OK) pl_scene_free(out);
    return status;
}

static pl_status load_tree(const char *path, pl_scene *out)
{
    cJSON *tree;
    PL_TRY(pl_json_load(path, &tree));
    return read_tree(tree, path, out);
}

pl_status pl_scene_load(const char *path, pl_scene *out)
{
    *out = (pl_scene){.file = path};
    return load_tree(path, out);
}

pl_status pl_scene_load_unseen(const char *path, pl_scene *out)
{
    *out = (pl_scene){.file = path, .unseen = true};
    return load_tree(path, out);
}

pl_status pl_scene_parse(const char *text, const char *name, pl_scene *out)
{
    *out = (pl_scene){.file = name};
    cJSON *tree;
    PL_TRY(pl_json_parse(text, strlen(text), name, &tree));
    return read_tree(tree, name, out);
}

static void free_body(pl_scene_body *body)
{
    pl_mesh_destroy(body->mesh);
    for (int32_t i = 0; i < body->n_driven; i++) {
        pl_free(body->driven[i].vertex);
        pl_scene_motion_free(&body->driven[i].motion);
    }
    pl_free(body->driven);
    pl_scene_motion_free(&body->kinematic.motion);
    pl_free(body->fixed);
    pl_free(body->force);
    pl_scene_loads_free(body->load, body->n_load);
    pl_free(body->shapes);
}

static void free_entry(pl_scene_entry *entry)
{
    pl_free(entry->place);
    pl_free(entry->label);
    pl_free(entry->name);
}

static void free_joint(pl_scene_joint *joint)
{
    pl_free(joint->place);
    pl_free(joint->name);
    for (int k = 0; k < PL_JOINT_AXES; k++) pl_free((void *)joint->options.axes[k].curve);
}

void pl_scene_free(pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) free_body(&scene->bodies[i]);
    pl_free(scene->bodies);
    for (int32_t i = 0; i < scene->n_meshes; i++) pl_mesh_destroy(scene->meshes[i]);
    pl_free(scene->meshes);
    for (int32_t i = 0; i < scene->n_entries; i++) free_entry(&scene->entries[i]);
    pl_free(scene->entries);
    for (int32_t i = 0; i < scene->n_joints; i++) free_joint(&scene->joints[i]);
    pl_free(scene->joints);
    for (int32_t i = 0; i < scene->n_couplings; i++) pl_free(scene->couplings[i].place);
    pl_free(scene->couplings);
    for (int32_t i = 0; i < scene->n_friction_pairs; i++) pl_free(scene->friction_pairs[i].place);
    pl_free(scene->friction_pairs);
    pl_scene_motors_free(scene->motors, scene->n_motors);
    for (int32_t i = 0; i < scene->n_embeddings; i++) pl_embedding_destroy(scene->embeddings[i]);
    pl_free(scene->embeddings);
    for (int32_t i = 0; i < scene->n_shots; i++) pl_free(scene->shots[i].shot.key);
    pl_free(scene->shots);
    *scene = (pl_scene){0};
}
