// One side of a joint: a frame that moves with a body, whatever that is. Internal.
//
// A rigid or kinematic body carries the frame as it is. Of a deformable body either a point does,
// inside of a tet, which moves the frame and does not turn it; or a patch of vertices: their mean
// moves it, and the rotation that takes their rest shape nearest to where they are, in the sense of
// least squares, turns it. With A = sum r_i r0_i^T of the places r about their mean, now and at
// rest, that is the R of A = R S. While the vertices move, R turns with
//
//     w = K^-1 sum (R r0_i) x v_i,    K = tr(T) 1 - T,  T = R S R^T
//
// from the condition that A R^T stays symmetric. Vertices in a plane will do: K is regular then.

#ifndef PL_JOINT_SIDE_H
#define PL_JOINT_SIDE_H

#include "../rigid/coordinates.h"
#include "world.h"

enum { PL_PATCH_MOST = 64 }; // vertices of a patch: those nearest to its point

typedef enum pl_side_kind {
    PL_SIDE_WORLD,
    PL_SIDE_RIGID,
    PL_SIDE_KINEMATIC,
    PL_SIDE_POINT,
    PL_SIDE_PATCH,
} pl_side_kind;

typedef struct pl_side {
    pl_side_kind kind;
    int32_t body;    // its place; -1: the world
    pl_pose frame;   // in the frame of what carries it: see pl_side_carrier
    int32_t n;       // vertices of a point or patch
    int32_t *vertex; // (n) as indices among the body's vertices in the state
    double *weight;  // (n) of a point; they add up to 1
    double *rest;    // (3*n) of a patch: r0 [m]

    // At the start of the step.
    pl_pose carrier;   // what carries it
    double inverse[9]; // of a patch: K^-1 [1/m^2]
} pl_side;

// Where things are: at the start of a step, if v is NULL; or at its end, the time t, with the
// velocities v (3*n_block), for which world->system.rigid_end has been set.
typedef struct pl_instant {
    const double *v;
    double t; // [s]
} pl_instant;

// The side of a joint at the frame `at`, which is given in the world, for the bodies where they are
// now. `patch` [m] as in pl_joint_options. `turns`: the joint needs a frame that turns. Fails with
// PL_ERROR_ARGUMENT, naming the body.
pl_status pl_side_create(const pl_world *world, int32_t place, const pl_pose *at, double patch,
                         bool turns, pl_side *out);
void pl_side_free(pl_side *side);

// The pose of what carries the frame: of a rigid body its centre and principal axes, of a kinematic
// one how it has moved since it was added, of a point or patch their mean.
void pl_side_carrier(const pl_world *world, const pl_side *side, const pl_instant *when,
                     pl_pose *out);

// The frame itself.
void pl_side_pose(const pl_world *world, const pl_side *side, const pl_instant *when, pl_pose *out);

// At the start of a step: side->carrier and what a patch needs besides.
void pl_side_begin(const pl_world *world, pl_side *side);

// --- Rows ---

// How a scalar depends on velocities: the sum of d . v over blocks. A block may stand there twice.
enum { PL_GRADIENT_MOST = 8 * (2 * PL_PATCH_MOST) };

typedef struct pl_gradient {
    int32_t n;
    int32_t block[PL_GRADIENT_MOST];
    double d[PL_GRADIENT_MOST][3];
} pl_gradient;

// Adds `scale` times d . (the velocity of the side's body at the point p), and e . (its angular
// velocity). A point has none. After pl_side_begin.
void pl_gradient_add_point(const pl_world *world, const pl_side *side, const double p[3],
                           const double d[3], double scale, pl_gradient *gradient);
void pl_gradient_add_turning(const pl_world *world, const pl_side *side, const double e[3],
                             double scale, pl_gradient *gradient);

#endif
