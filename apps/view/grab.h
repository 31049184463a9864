// A hand on a body: which vertices it holds, and how it draws them.

#ifndef PL_GRAB_H
#define PL_GRAB_H

#include "../../base/base.h"

typedef struct pl_grab {
    int32_t body;     // in the world; -1: nothing is held
    double offset[3]; // from the mean of the vertices, by share, to the point that was grabbed [m]
    double stiffness, damping; // of all springs together [N/m, N s/m]
    int32_t n;
    int32_t *vertex; // (n)
    double *share;   // (n) of the springs; their sum is 1
    pl_pull *pull;   // (n)
    int64_t vertex_capacity, share_capacity, pull_capacity;
} pl_grab;

// Takes hold of a body at the point `at` of it. Of a deformable body it takes the surface around,
// most where it is nearest: one vertex alone would be torn out like a thorn. A rigid one is held by
// the corners of the face, `corner` with their weights. `density` is that of a deformable body.
pl_status pl_grab_take(pl_grab *grab, const pl_world *world, int32_t body, double density,
                       const double at[3], const int32_t corner[3], const double weight[3]);

// Sets the body's pulls such that the point that is held goes to `target`. Every vertex is drawn by
// the way that this point still has to go, so that the body may turn in the hand.
pl_status pl_grab_pull(pl_grab *grab, pl_world *world, const double target[3]);

// Where the point is that is held [m].
void pl_grab_point(const pl_grab *grab, const pl_world *world, double out[3]);

pl_status pl_grab_release(pl_grab *grab, pl_world *world);
void pl_grab_free(pl_grab *grab); // whatever world it was in

#endif
