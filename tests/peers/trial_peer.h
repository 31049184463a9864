// What a simulator of rigid bodies must be able to do to take part in `pliant bench rigid`, as a
// program of its own: trial_X.c (or .cc) with the functions below, linked with trial_serve.c, which
// obeys apps/bench/trial_child.c. Nothing of Pliant is linked into it. C and C++ read this file.

#ifndef TRIAL_PEER_H
#define TRIAL_PEER_H

#include "../../apps/bench/trial.h"

#ifdef __cplusplus
extern "C" {
#endif

// The tetrahedra of a soft body.
typedef struct trial_mesh {
    int32_t n_vert, n_tet;
    double *x;    // (3*n_vert) at the start [m]
    int32_t *tet; // (4*n_tet)
} trial_mesh;

// Makes its world. False: it said why on standard error. `setting` is what the table of
// apps/bench/bench_rigid.c says.
bool trial_open(const pl_trial *trial, const trial_mesh *mesh, const char *setting); // (n_body)
bool trial_advance(void);
void trial_get(pl_trial_pose *pose); // (n_body)

// The moments of inertia of a rigid body about its axes [kg m^2].
void trial_inertia(const pl_trial_body *body, double out[3]);

#ifdef __cplusplus
}
#endif

#endif
