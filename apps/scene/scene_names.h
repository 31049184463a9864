// Names in a scene: of bodies, and of joints. What stands in an assembly knows its own by the names
// that it has there; the scene knows them with the instance's name before it, as "truck1.wheel".

#ifndef PL_SCENE_NAMES_H
#define PL_SCENE_NAMES_H

#include "scene_parts.h"

// "FILE: PATH" of `at`, for complaints; *out is the caller's.
pl_status pl_scene_place_text(const pl_json *at, char **out);
// The full name of what `at` describes, the caller's; NULL if it has none.
pl_status pl_scene_read_name(const pl_json *at, const pl_scope *scope, char **out);

// An entry: what makes the bodies that are added until there is another one. `at` is where it
// stands.
pl_status pl_scene_add_entry(const pl_json *at, const pl_scope *scope, pl_scene *scene);
// One more body, of the latest entry.
pl_status pl_scene_add_body(const pl_json *at, pl_scene *scene, pl_scene_body **out);

// The body that `v` names, "wheel" or of several copies "ball[3]"; -1: "world". Fails if there is
// no such body, or more than one.
pl_status pl_scene_find_body(const pl_scene *scene, const pl_scope *scope, const pl_json *v,
                             int32_t *body);
// The entry of a full name, for all of its bodies.
pl_status pl_scene_find_entry(const pl_scene *scene, const pl_json *v, int32_t *entry);
pl_status pl_scene_find_joint(const pl_scene *scene, const pl_scope *scope, const pl_json *v,
                              int32_t *joint);

#endif
