// From a scene to its world, and back from the world's state to what is drawn.

#include "scene.h"
#include "scene_friction.h"

#include <stdio.h>
#include <string.h>

// Complains about the body in the words of the library, which names the field; `options` is the key
// that its options stand under.
static pl_status complain(pl_status status, const pl_scene *scene, const pl_scene_body *body,
                          const char *options)
{
    if (status == PL_OK || status == PL_ERROR_MEMORY) return status;
    const char *place = status == PL_ERROR_GEOMETRY ? "mesh: " : options;
    return pl_fail(status, "%s.%s%s", scene->entries[body->entry].place, place, pl_error_text());
}

static pl_status drive(pl_world *world, const pl_scene *scene, const pl_scene_body *body,
                       int32_t number)
{
    PL_TRY(pl_world_drive(world, number, body->n_fixed, body->fixed, NULL));
    for (int32_t k = 0; k < body->n_driven; k++) {
        const pl_scene_drive *d = &body->driven[k];
        pl_status status = pl_world_drive(world, number, d->n, d->vertex, &d->motion);
        if (status == PL_ERROR_MEMORY) return status;
        if (status != PL_OK) {
            return pl_fail(status, "%s.driven[%d].motion.%s", scene->entries[body->entry].place,
                           (int)k, pl_error_text());
        }
    }
    return PL_OK;
}

// The latest body by what made it, and which copy it is if there are several.
static pl_status name_body(pl_world *world, const pl_scene_entry *entry, int32_t copy)
{
    char name[64];
    int length = snprintf(name, sizeof name, "%.40s", entry->label);
    if (entry->n > 1) snprintf(name + length, sizeof name - (size_t)length, " copy %d", (int)copy);
    return pl_world_set_name(world, pl_world_body_count(world) - 1, name);
}

static pl_status add_body(pl_world *world, const pl_scene *scene, const pl_scene_body *body)
{
    int32_t number;
    if (body->kind == PL_BODY_RIGID) {
        PL_TRY(complain(pl_world_add_rigid(world, body->mesh, &body->rigid, &number), scene, body,
                        ""));
        const double *f = body->force;
        return f != NULL ? pl_world_set_force(world, number, f, f + 3) : PL_OK;
    }
    if (body->kind == PL_BODY_KINEMATIC) {
        return complain(pl_world_add_kinematic(world, body->mesh, &body->kinematic, NULL), scene,
                        body, "motion.");
    }
    PL_TRY(complain(pl_world_add_deformable(world, body->mesh, &body->deformable, &number), scene,
                    body, "material."));
    PL_TRY(drive(world, scene, body, number));
    if (body->force == NULL || pl_world_set_forces(world, number, body->force) == PL_OK) {
        return PL_OK;
    }
    return pl_fail(PL_ERROR_ARGUMENT, "%s.forces: their sum is not finite",
                   scene->entries[body->entry].place);
}

static pl_status add_bodies(pl_world *world, const pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        const pl_scene_entry *entry = &scene->entries[body->entry];
        if (!body->simulated) continue;
        PL_TRY(add_body(world, scene, body));
        PL_TRY(name_body(world, entry, i - entry->first));
    }
    if (pl_world_body_count(world) > 0) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: bodies: none of them is simulated", scene->file);
}

// --- Joints ---

static pl_status complain_of(pl_status status, const char *place)
{
    if (status == PL_OK || status == PL_ERROR_MEMORY) return status;
    return pl_fail(status, "%s: %s", place, pl_error_text());
}

static pl_status add_joint(pl_world *world, const pl_scene_joint *joint, const int32_t *number)
{
    pl_joint_options options = joint->options;
    options.body_a = joint->a >= 0 ? number[joint->a] : PL_WORLD;
    options.body_b = joint->b >= 0 ? number[joint->b] : PL_WORLD;
    return complain_of(pl_world_add_joint(world, &options, NULL), joint->place);
}

static pl_status add_joints(pl_world *world, const pl_scene *scene)
{
    pl_status status = PL_OK;
    int32_t n = 0, *number = pl_alloc(scene->n_bodies, sizeof *number);
    if (number == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        number[i] = scene->bodies[i].simulated ? n++ : -1;
    }
    for (int32_t i = 0; status == PL_OK && i < scene->n_joints; i++) {
        status = add_joint(world, &scene->joints[i], number);
    }
    pl_free(number);
    for (int32_t i = 0; status == PL_OK && i < scene->n_couplings; i++) {
        const pl_scene_coupling *c = &scene->couplings[i];
        status = complain_of(pl_world_add_coupling(world, &c->options, NULL), c->place);
    }
    return status;
}

// --- The world ---

static pl_status add_ground(pl_world *world, const pl_scene *scene)
{
    pl_shape plane = pl_shape_default(PL_SHAPE_HALFSPACE);
    pl_kinematic_options options = pl_kinematic_options_default();
    plane.span = plane.patch = scene->ground_size;
    plane.position[2] = scene->ground_z;
    options.surface = scene->ground_surface;
    options.shape = &plane;
    options.n_shape = 1;
    int32_t number;
    PL_TRY(pl_world_add_kinematic(world, NULL, &options, &number));
    return pl_world_set_name(world, number, PL_GROUND_NAME);
}

pl_status pl_scene_world(const pl_scene *scene, pl_world **out)
{
    *out = NULL;
    if (scene->grid.on) {
        return pl_fail(
            PL_ERROR_UNSUPPORTED,
            "%s: grid: bodies on a grid are no world of meshes; 'pliant run' and 'pliant "
            "render' know them",
            scene->file);
    }
    pl_status status = pl_world_create(&scene->world, out);
    if (status == PL_ERROR_ARGUMENT) {
        return pl_fail(status, "%s: world.%s", scene->file, pl_error_text());
    }
    if (status == PL_OK) status = add_bodies(*out, scene);
    if (status == PL_OK) status = add_joints(*out, scene);
    bool carries = scene->ground && scene->world.contact;
    if (status == PL_OK && carries) status = add_ground(*out, scene);
    if (status == PL_OK) status = pl_scene_set_friction_pairs(scene, *out);
    if (status != PL_OK) {
        pl_world_destroy(*out);
        *out = NULL;
    }
    return status;
}

void pl_scene_pose(pl_scene *scene, const pl_world *world)
{
    int32_t number = 0;
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        pl_mesh *mesh = scene->bodies[i].mesh;
        if (!scene->bodies[i].simulated) continue;
        (void)pl_mesh_set_positions(mesh, pl_world_positions(world, number++)); // which are finite
    }
}

pl_status pl_scene_body_surface(const pl_scene_body *body, pl_mesh **out)
{
    if (body->embedding == NULL) return pl_mesh_surface(body->mesh, NULL, out);
    const pl_embedding *e = body->embedding;
    *out = NULL;
    double *x = pl_alloc(3 * (int64_t)e->n, sizeof *x);
    if (x == NULL) return PL_ERROR_MEMORY;
    pl_embedding_move(e, pl_mesh_positions(body->mesh), x);
    pl_status status = pl_mesh_create(e->n, x, pl_mesh_face_count(e->surface),
                                      pl_mesh_faces(e->surface), 0, NULL, out);
    pl_free(x);
    return status;
}
