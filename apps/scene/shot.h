// How a camera moves while time passes: it stands, circles a point, follows a body or goes from key
// to key.

#ifndef PL_SHOT_H
#define PL_SHOT_H

#include "camera.h"

typedef enum pl_shot_kind {
    PL_SHOT_FIXED,
    PL_SHOT_ORBIT,
    PL_SHOT_FOLLOW,
    PL_SHOT_KEYFRAMES,
} pl_shot_kind;

typedef struct pl_shot_key {
    double time; // [s]
    double eye[3], target[3];
    double fov_y; // [rad]
} pl_shot_key;

// Of a kind's own fields, the others do not count.
typedef struct pl_shot {
    pl_shot_kind kind;
    double fov_y;     // [rad]; all but keyframes
    double eye[3];    // fixed: the eye; follow: the eye, or where it is seen from the body [m]
    double target[3]; // fixed: what is looked at; orbit: the centre [m]

    // Orbit: the eye is `height` above the centre, `radius` from the axis through it, at the angle
    // `azimuth` + `rate` * time from the x axis.
    double radius, height, azimuth, rate; // [m], [m], [rad], [rad/s]

    // Follow: the middle of the box around the bodies `body` to `body` + `n_bodies` - 1 of the
    // scene, behind which the camera stays by about the time `smoothing`.
    int32_t body, n_bodies;
    double smoothing; // [s]; 0: none
    bool stands;      // the eye does not move, only the sight

    pl_shot_key *key; // (n_keys) keyframes, in the order of time
    int32_t n_keys;   // 1 or more
} pl_shot;

// A point that follows another one smoothly. Start from a zeroed struct.
typedef struct pl_follower {
    bool started;
    double time;
    double leader[3], x[3]; // where the other one was at `time`, and this one is [m]
} pl_follower;

// Time goes on to `time`, when the leader is at `leader`; the follower's delay is `smoothing` [s].
// The first call puts it where the leader is.
void pl_follower_move(pl_follower *follower, double smoothing, double time, const double leader[3]);

// The camera at a time; `subject` is where the follower of a shot that follows is (else NULL).
void pl_shot_camera(const pl_shot *shot, double time, const double subject[3], pl_camera *out);

// A shot that starts as `camera` stands, and turns about the vertical axis through its target. With
// the kind PL_SHOT_FIXED in place of its own it stays there.
pl_shot pl_shot_around(const pl_camera *camera, double rate);

#endif
