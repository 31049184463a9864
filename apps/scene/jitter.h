// Starts that differ a little from the scene's, to see what a run owes to chance.

#ifndef PL_JITTER_H
#define PL_JITTER_H

#include "scene.h"

// Moves and turns each body that is free (deformable without fixed or driven vertices, or rigid) at
// random, the same for the same seed: no point of it by more than 1 % of the body's size, nor by
// more than 0.3 of the smallest distance between two bodies that may touch. So what was apart stays
// apart. Where bodies overlap, none is moved.
pl_status pl_scene_jitter(pl_scene *scene, int32_t seed);

#endif
