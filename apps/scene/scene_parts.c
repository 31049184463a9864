#include "scene_parts.h"
#include "scene_friction.h"
#include "scene_instances.h"
#include "scene_motion.h"

pl_status pl_scene_read_part(pl_reader *reader, const pl_json *at, const pl_scope *scope)
{
    PL_TRY(pl_scene_read_bodies(reader, at, scope));
    PL_TRY(pl_scene_read_instances(reader, at, scope));
    PL_TRY(pl_scene_read_cables(reader, at, scope));
    PL_TRY(pl_scene_read_joints(reader, at, scope));
    PL_TRY(pl_scene_read_couplings(reader, at, scope));
    return pl_scene_read_motors(reader, at, scope);
}

// Bodies may all come from elsewhere.
static pl_status require_bodies(const pl_json *root)
{
    pl_json v;
    bool any = pl_json_get(root, "instances", &v) || pl_json_get(root, "cables", &v);
    return any ? PL_OK : pl_json_require(root, "bodies", &v);
}

static pl_status read_all(pl_reader *reader, const pl_json *root)
{
    pl_scope scope = {.root = *root, .place = pl_scene_place_origin()};
    PL_TRY(require_bodies(root));
    PL_TRY(pl_assemblies_check(root));
    PL_TRY(pl_scene_read_part(reader, root, &scope));
    PL_TRY(pl_groups_check(&reader->groups));
    reader->scene->ground_surface.category = pl_groups_ground(&reader->groups);
    PL_TRY(pl_scene_resolve_watches(reader));
    return pl_scene_read_friction_pairs(reader, root);
}

pl_status pl_scene_read_parts(const pl_json *root, pl_scene *scene)
{
    pl_reader reader = {.scene = scene, .groups = pl_groups_none()};
    pl_status status = read_all(&reader, root);
    pl_assembly_files_free(&reader);
    pl_free(reader.watch);
    return status;
}
