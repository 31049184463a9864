// "friction_pairs" of a scene: what friction is between two bodies, or all of two groups.

#ifndef PL_SCENE_FRICTION_H
#define PL_SCENE_FRICTION_H

#include "json.h"
#include "scene_parts.h"

// Of the root, after all bodies.
pl_status pl_scene_read_friction_pairs(pl_reader *reader, const pl_json *root);

// Tells the world, whose bodies and ground are all there. Fails with the key's path.
pl_status pl_scene_set_friction_pairs(const pl_scene *scene, pl_world *world);

#endif
