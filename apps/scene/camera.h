// Where a picture is taken from: a pinhole camera in a world whose z points up.

#ifndef PL_CAMERA_H
#define PL_CAMERA_H

#include "../../base/base.h"

typedef struct pl_camera {
    double eye[3];    // [m]
    double target[3]; // what lies in the middle of the picture [m]
    double up[3];     // need not be perpendicular to the line of sight, nor of unit length
    double fov_y;     // full angle between the picture's upper and lower rim [rad]
} pl_camera;

// From (3, -4, 2.5) to the origin, z up, 30 degrees.
pl_camera pl_camera_default(void);

// PL_ERROR_ARGUMENT if a number is not finite, eye and target coincide, `up` is parallel to the
// line of sight, or the angle is not between 0 and 180 degrees.
pl_status pl_camera_check(const pl_camera *camera);

// Sets `up` for a camera that looks along `direction`, either way: to z, or to y if the direction
// is vertical.
void pl_camera_stand_up(pl_camera *camera, const double direction[3]);

// Moving a camera, with its direction of sight kept, so that points just fit into the picture:
// start, add all points, finish.
typedef struct pl_framing {
    pl_camera camera;
    double right[3], up[3], backward[3];
    double tan_x, tan_y;      // of half the angles that the points may fill
    double reach[4];          // how far right, left, up and down the points reach, see camera.c
    double nearest, farthest; // along `backward`
} pl_framing;

// Sees the points from the side to which `direction` points (from them towards the eye), in a
// picture of width / height = aspect; `margin` is the part left empty on each side, 0 to 0.45. The
// camera's up and fov_y stay. Fails with PL_ERROR_ARGUMENT on a number out of range.
pl_status pl_framing_start(pl_framing *framing, const pl_camera *camera, const double direction[3],
                           double aspect, double margin);
void pl_framing_add(pl_framing *framing, int32_t n, const double *x); // x (3*n) [m]
pl_status pl_framing_finish(const pl_framing *framing, pl_camera *out);

// All three for the corners of the box lo..hi.
pl_status pl_camera_frame(pl_camera *camera, const double lo[3], const double hi[3],
                          const double direction[3], double aspect, double margin);

// Turns the eye around the target: `yaw` about the z axis, then `pitch` up; stops short of the
// poles. The distance stays.
void pl_camera_orbit(pl_camera *camera, double yaw, double pitch);

// Brings an eye that is below the height z up to it: turned around the target where the distance
// allows it, or else together with the target.
void pl_camera_stay_above(pl_camera *camera, double z);

// The axes of the picture: right, up, and backward (from the target to the eye), orthonormal.
void pl_camera_axes(const pl_camera *camera, double right[3], double up[3], double backward[3]);

// Where the point p is seen in a picture of width x height: pixel[0] from the left, pixel[1] from
// the top, the centre of the first pixel being (0.5, 0.5). False if p is not in front of the eye.
bool pl_camera_project(const pl_camera *camera, int32_t width, int32_t height, const double p[3],
                       double pixel[2]);

// The direction towards a key light that flatters what this camera sees: from above, over the
// viewer's left shoulder.
void pl_camera_key_light(const pl_camera *camera, double direction[3]);

#endif
