// The coordinates of a joint: how one frame stands to another. Internal.
//
// Frame b as seen from frame a: the place of its point along a's axes, and a rotation Q = R_a^T R_b
// in three angles. Which three depends on the joint:
//
// swing and twist: Q = S T, first the twist T about x, then the swing S about an axis across x. The
//     angles are that of T and the two numbers of the rotation vector of S. Smooth as long as S
//     turns by less than pi.
// Cardan's, of a universal joint: Q = R_y(beta) R_x(alpha) R_z(gamma). The cross turns about a's y,
//     b about the cross' z, and alpha is what the cross does not allow. In the order alpha, beta,
//     gamma; smooth for |alpha| < pi/2.
//
// The angular velocity of b to a, in the frame of a, is M times the rates of the angles, so that
// rate k is row k of M^-1 times it.

#ifndef PL_COORDINATES_H
#define PL_COORDINATES_H

#include "rotation.h"

typedef struct pl_pose {
    double x[3]; // [m]
    double q[4]; // unit quaternion
} pl_pose;

typedef enum pl_angles { PL_ANGLES_SWING_TWIST, PL_ANGLES_CARDAN } pl_angles;

// out := the pose b given in the frame a, in the frame that a is given in.
void pl_pose_compose(const pl_pose *a, const pl_pose *b, pl_pose *out);

// out := b in the frame of a; both are given in the same frame.
void pl_pose_relative(const pl_pose *a, const pl_pose *b, pl_pose *out);

// x (3) := the place of b's point along the axes of a [m].
void pl_coordinates_place(const pl_pose *a, const pl_pose *b, double x[3]);

// angle (3) := the angles of b to a [rad]. Those that count whole turns are the nearest to `near`
// (3), which may be the same array.
void pl_coordinates_angles(pl_angles kind, const pl_pose *a, const pl_pose *b, const double near[3],
                           double angle[3]);

// axis (9) := three vectors of the world, one after the other: their dot products with the angular
// velocity of b less that of a are the rates of the angles. Where the angles are not smooth, the
// axes of a.
void pl_coordinates_turning(pl_angles kind, const pl_pose *a, const double angle[3],
                            double axis[9]);

#endif
