// The cameras of a scene file: the keys "camera" and "cameras".

#ifndef PL_SCENE_SHOTS_H
#define PL_SCENE_SHOTS_H

#include "json.h"
#include "scene.h"

// Reads them into scene->shots; the bodies have been read already.
pl_status pl_scene_read_shots(const pl_json *root, pl_scene *scene);

// The camera of that name, or NULL.
const pl_shot *pl_scene_find_shot(const pl_scene *scene, const char *name);

// Where the bodies that the shot follows are at the start.
void pl_scene_subject(const pl_scene *scene, const pl_shot *shot, double subject[3]);

#endif
