// From a scene to its world, and back from the world's state to what is drawn.

#include "scene.h"
#include "../meshes/mesh.h"

#include <string.h>

// A mesh that cannot be simulated, or a value of the material: the library names its field.
static pl_status add_deformable(pl_world *world, const pl_scene *scene, int32_t i, int32_t *number)
{
    const pl_scene_body *body = &scene->bodies[i];
    pl_status status = pl_world_add_deformable(world, body->mesh, &body->deformable, number);
    if (status == PL_OK || status == PL_ERROR_MEMORY) return status;
    const char *place = status == PL_ERROR_GEOMETRY ? "mesh: " : "material.";
    return pl_fail(status, "%s: bodies[%d].%s%s", scene->file, (int)i, place, pl_error_text());
}

static pl_status drive(pl_world *world, const pl_scene *scene, int32_t i, int32_t number)
{
    const pl_scene_body *body = &scene->bodies[i];
    PL_TRY(pl_world_drive(world, number, body->n_fixed, body->fixed, NULL));
    for (int32_t k = 0; k < body->n_driven; k++) {
        const pl_scene_drive *d = &body->driven[k];
        pl_status status = pl_world_drive(world, number, d->n, d->vertex, &d->motion);
        if (status == PL_ERROR_MEMORY) return status;
        if (status != PL_OK) {
            return pl_fail(status, "%s: bodies[%d].driven[%d].motion.%s", scene->file, (int)i,
                           (int)k, pl_error_text());
        }
    }
    return PL_OK;
}

static pl_status add_bodies(pl_world *world, const pl_scene *scene)
{
    for (int32_t i = 0; i < scene->n_bodies; i++) {
        const pl_scene_body *body = &scene->bodies[i];
        int32_t number;
        if (!body->simulated) continue;
        PL_TRY(add_deformable(world, scene, i, &number));
        PL_TRY(drive(world, scene, i, number));
        if (body->force != NULL) PL_TRY(pl_world_set_forces(world, number, body->force));
    }
    if (pl_world_body_count(world) > 0) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "%s: bodies: none of them is simulated", scene->file);
}

pl_status pl_scene_world(const pl_scene *scene, pl_world **out)
{
    pl_status status = pl_world_create(&scene->world, out);
    if (status == PL_ERROR_ARGUMENT) {
        return pl_fail(status, "%s: world.%s", scene->file, pl_error_text());
    }
    if (status == PL_OK) status = add_bodies(*out, scene);
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
        memcpy(mesh->x, pl_world_positions(world, number++),
               3 * (size_t)mesh->n_vert * sizeof *mesh->x);
    }
}
