// Motors of a scene that change in time, and what they are told before each step.

#ifndef PL_SCENE_MOTORS_H
#define PL_SCENE_MOTORS_H

#include "json.h"

typedef struct pl_scene_motor_key {
    double time;  // since the start [s], rising
    double value; // of the target [m, rad, m/s, rad/s, N, N m]
} pl_scene_motor_key;

typedef struct pl_scene_motor {
    char *place;             // for complaints: "robot.json: motors[3]"
    int32_t joint, axis;     // of the scene's, and of the world's
    pl_motor motor;          // while it is on; keys have the target
    pl_motor idle;           // what the joint has while none is on
    double start, end;       // from when to when it is on [s]
    double period;           // the keys begin anew after so long [s]; INFINITY: never
    bool constant;           // a value stays until the next key; else it is linear between keys
    pl_scene_motor_key *key; // (n_key)
    int32_t n_key;
    int32_t before; // the one before it for the same coordinate, -1 if there is none
    bool last;      // there is none after it
} pl_scene_motor;

void pl_scene_motors_free(pl_scene_motor *motor, int32_t n);
// *out is the caller's.
pl_status pl_scene_motors_copy(const pl_scene_motor *motor, int32_t n, pl_scene_motor **out);

// The target at a time [s] that it is on.
double pl_scene_motor_target(const pl_scene_motor *motor, double time);

// Tells the world's joints what to do in its next step: a position where to be at its end, all
// others what to do on the mean. Of several motors for one coordinate that are on, the last counts.
pl_status pl_scene_motors_set(const pl_scene_motor *motor, int32_t n, pl_world *world);

#endif
