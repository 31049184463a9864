// Rigid motions in time that vertices follow: a checked copy of a pl_motion. Internal.

#ifndef PL_MOTION_H
#define PL_MOTION_H

#include "../base/base.h"

// The motion of pl_world_move_to: from the pose x = R x0 + t at the time `start` to the pose that
// the key `end` adds to it.
typedef struct pl_way {
    double base[12];           // pose at the start: rows of [R | t]
    double start;              // [s]
    double centre[3], axis[3]; // of the rotation [m], [-]
    pl_motion_key end;         // time, offset and angle at which it arrives
} pl_way;

// How the clock of a motion runs: from the time `since` of the world on it is clock + speed times
// what has passed.
typedef struct pl_path_clock {
    double since, clock; // [s]
    double speed;        // 1, 0 or -1
} pl_path_clock;

typedef struct pl_path {
    pl_motion motion;          // a copy; its arrays are the next two
    pl_motion_key *keys;       // (motion.n_key)
    pl_motion_until *until;    // (motion.n_until)
    int32_t body;              // id of the body that moves, or has the vertices
    int32_t stage;             // how many conditions have held; with `repeat` beginning anew
    double heading;            // 1 or -1: where it goes, or went before it stopped
    pl_path_clock now, before; // the clock from the last condition that held, and until then
    bool sent;                 // pl_path_send was called: `way` is used in place of `motion`
    pl_way way;
} pl_path;

// Fails with PL_ERROR_ARGUMENT, naming the field, or PL_ERROR_MEMORY.
pl_status pl_path_create(const pl_motion *motion, pl_path *out);
void pl_path_free(pl_path *path);

// From the time t on: what the condition that holds now says.
void pl_path_turn(pl_path *path, double t);

// Does the path prescribe positions at time t, within the tolerance `slack`?
bool pl_path_active(const pl_path *path, double t, double slack);

// Where the path takes the point x0 by time t.
void pl_path_apply(const pl_path *path, double t, const double x0[3], double x[3]);

// Is everything at the same place at both times, bit for bit?
bool pl_path_rests(const pl_path *path, double t0, double t1);

// From now on: from where it is at the time t to where x0 goes to position + R(orientation) x0, in
// the time dt, and rests there.
void pl_path_send(pl_path *path, double t, double dt, const double position[3],
                  const double orientation[4]);

// The motion from t0 to t1 as one of a rigid body, of which `at` is a point at t0: u (6) is the
// velocity of that point [m/s] and the angular velocity [rad/s], both constant. A point at + r
// moves to at + dt (u[0..2]) + exp(dt u[3..5]) r, whole turns included; only a key between t0 and
// t1 makes the way there another one.
void pl_path_step(const pl_path *path, double t0, double t1, double at[3], double u[6]);

#endif
