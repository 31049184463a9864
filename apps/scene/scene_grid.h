// Scenes whose bodies live on a grid (pl_euler) in place of a world: the key "grid". The other keys
// are those of any scene, as far as there is such a thing on a grid.

#ifndef PL_SCENE_GRID_H
#define PL_SCENE_GRID_H

#include "json.h"
#include "scene.h"

// "grid" of the root, after everything else. Fails with the path of a key that bodies on a grid do
// not know.
pl_status pl_scene_read_grid(const pl_json *root, pl_scene *scene);

// The bodies of a scene with a grid, those left out that are only drawn. Fails with the key's path.
pl_status pl_scene_euler(const pl_scene *scene, pl_euler **out);

// One step; a failure tells which.
pl_status pl_scene_euler_step(pl_euler *euler, pl_step_stats *stats);

#endif
