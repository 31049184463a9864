// Selections of vertices in a scene. Used by what reads bodies.

#ifndef PL_SCENE_SELECT_H
#define PL_SCENE_SELECT_H

#include "json.h"
#include "scene.h"

// The vertices that `v` selects, in *vertex (*n), ascending, owned by the caller.
pl_status pl_scene_read_selection(const pl_json *v, const pl_mesh *mesh, int32_t **vertex,
                                  int32_t *n);

#endif
