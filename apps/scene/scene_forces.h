// "forces" of a body: those that are always there, and those that change in time, which the world
// is told before each step.

#ifndef PL_SCENE_FORCES_H
#define PL_SCENE_FORCES_H

#include "json.h"
#include "scene.h"
#include "scene_motors.h"

// A force that is not always there, or not always the same: a factor of it, as a motor has targets.
struct pl_scene_load {
    double *force;        // (3*n_vert) of a deformable body, (6) force and torque of a rigid one
    pl_scene_motor times; // start, end, keys, period
};

// "forces" of a deformable or rigid body, whose mesh is placed already.
pl_status pl_scene_read_forces(const pl_json *at, pl_scene_body *body);
void pl_scene_loads_free(struct pl_scene_load *load, int32_t n);

// The forces of all bodies that change in time.
typedef struct pl_scene_forces {
    struct pl_timed_body *body; // (n)
    int32_t n;
} pl_scene_forces;

// Copies what it needs of the scene. The caller's, to be freed.
pl_status pl_scene_forces_create(const pl_scene *scene, pl_scene_forces *out);
void pl_scene_forces_free(pl_scene_forces *forces);

// Tells the world what acts on the mean in its next step.
pl_status pl_scene_forces_set(const pl_scene_forces *forces, pl_world *world);

#endif
