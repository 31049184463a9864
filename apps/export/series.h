// A run as ParaView reads it: DIR/series.pvd lists the frames, DIR/frame-000120.vtu is the state
// after 120 steps. A frame holds all simulated bodies as one grid: the tets of those that have
// tets, then the triangles of the others. Fields per cell: `body` (its place in the scene's list of
// simulated bodies), `von_mises` and `principal_stress` (the largest first) [Pa], 0 where a body is
// not deformable; per vertex: `velocity` [m/s], `contact_force` (of the last step, on the body)
// [N].
//
// Where bodies touch, DIR/contacts.pvd lists DIR/contacts-000120.vtu: the contacts with a force of
// that step as points with the fields `normal` (from b to a), `gap` [m], `force` [N], `friction`
// (on a) [N], `slips` (0 or 1), `body_a` and `body_b`. A run that goes on from a checkpoint knows
// none before its first step.
//
// Where there are joints, DIR/joints.pvd lists DIR/joints-000120.vtu: the joints, in their order,
// as points (those of b) with the fields `force` [N] and `torque` [N m] (on b, there), of these
// `motor_force` and `motor_torque` along the coordinates, `place` [m] and `angle` [rad] (the
// coordinates), `gap` [m] and `off` [rad] (by which what is held is off), `broken` (0 or 1),
// `body_a` and `body_b` (-1: the world).
//
// Files appear complete or not at all, a list after the frames that it names, so that a run can be
// watched, or killed, at any time.

#ifndef PL_SERIES_H
#define PL_SERIES_H

#include "../../base/base.h"

typedef struct pl_series_frame {
    int64_t step;
    double time; // [s]
} pl_series_frame;

// One file for ParaView and the frames that it names.
typedef struct pl_series_list {
    const char *list, *frame; // the names: "series", "frame"
    pl_series_frame *frames;  // (n_frames) written so far
    int64_t n_frames, capacity;
} pl_series_list;

typedef struct pl_series {
    char *folder;
    bool contacts;                        // written too
    pl_mesh *mesh;                        // all bodies in one
    double *x, *velocity, *push;          // (3*n_vert) each
    int64_t *first;                       // (n_bodies) of each body's vertices
    double *body, *von_mises, *principal; // (n_cell), (n_cell), (3*n_cell)
    pl_series_list states, touches, joints;
} pl_series;

// Makes the folder if it is missing. With `resumed`, the frames that the folder's lists name up to
// the world's present step stay in them; else the lists start anew. Writes nothing yet.
pl_status pl_series_open(const char *folder, const pl_world *world, bool contacts, bool resumed,
                         pl_series *out);

// Writes the world's present state and the lists, unless these have this step already.
pl_status pl_series_write(pl_series *series, pl_world *world);

void pl_series_free(pl_series *series);

#endif
