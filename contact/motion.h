// Rigid motions in time that vertices follow: a checked copy of a pl_motion. Internal.

#ifndef PL_MOTION_H
#define PL_MOTION_H

#include "../base/base.h"

typedef struct pl_path {
    pl_motion motion;    // its keys are ours
    pl_motion_key *keys; // (motion.n_key)
} pl_path;

// Fails with PL_ERROR_ARGUMENT, naming the field, or PL_ERROR_MEMORY.
pl_status pl_path_create(const pl_motion *motion, pl_path *out);
void pl_path_free(pl_path *path);

// Does the path say where its vertices are at time t, give or take `slack`?
bool pl_path_active(const pl_path *path, double t, double slack);

// Where the path takes the point x0 by time t.
void pl_path_apply(const pl_path *path, double t, const double x0[3], double x[3]);

#endif
