// Motors of a scene that keys drive, in place of what the scene tells them.

#ifndef PL_MOTORS_H
#define PL_MOTORS_H

#include "../scene/play.h"

// Of a joint's coordinate. The first drive takes it away from the scene.
typedef struct pl_driven_motor {
    int32_t joint, axis;
    pl_motor motor; // its target is what keys change
    bool taken;
} pl_driven_motor;

typedef struct pl_motors {
    pl_driven_motor *motor; // (n) those of the scene
    int32_t n, chosen;
    int64_t room;
} pl_motors;

// All motors of the scene; none is taken.
pl_status pl_motors_list(const pl_scene *scene, pl_motors *out);
void pl_motors_free(pl_motors *motors);

void pl_motors_next(pl_motors *motors);

// The chosen one a little up or down: a sixteenth of a turn or of a metre where it has a place, of
// a turn or a metre in a second where it has a speed, of its strength, or 10 N, where it has a
// force.
pl_status pl_motors_drive(pl_motors *motors, pl_play *play, bool up);

// Tells the world the targets of those that are taken, before a step.
pl_status pl_motors_set(const pl_motors *motors, pl_world *world);

// The chosen one for a person: "motor crank: 1.2 turns/s".
void pl_motors_describe(const pl_motors *motors, const pl_scene *scene, char *text, size_t size);

#endif
