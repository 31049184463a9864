// The keys of a scene that say how it moves. Used by scene.c.

#ifndef PL_SCENE_PHYSICS_H
#define PL_SCENE_PHYSICS_H

#include "json.h"
#include "scene.h"
#include "scene_surface.h"

// "world" of the root. What is out of range shows when the world is made.
pl_status pl_scene_read_world(const pl_json *root, pl_scene *scene);

// "type", "material", "velocity", "fixed", ... of a body whose mesh is placed already.
pl_status pl_scene_read_physics(const pl_json *at, pl_groups *groups, pl_scene_body *body);

#endif
