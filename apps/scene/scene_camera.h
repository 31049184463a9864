// Where a scene is looked at from.

#ifndef PL_SCENE_CAMERA_H
#define PL_SCENE_CAMERA_H

#include "camera.h"
#include "scene.h"

// The side from which bodies are seen if nobody says otherwise: from them towards the eye.
extern const double PL_DEFAULT_SIGHT[3];

// The scene's camera as it is at the start; if the scene names none, one that sees the box lo..hi
// from `direction` in a picture of width / height = aspect; and the default one if the box is empty
// (lo > hi).
pl_status pl_scene_camera(const pl_scene *scene, const double lo[3], const double hi[3],
                          const double direction[3], double aspect, pl_camera *out);

#endif
