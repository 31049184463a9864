// A run as ParaView reads it: DIR/series.pvd lists the frames, DIR/frame-000120.vtu is the state
// after 120 steps. A frame holds all simulated bodies as one grid: cell field `body` (its place in
// the scene's list of simulated bodies), `von_mises` and `principal_stress` (the largest first)
// [Pa] per tet, `velocity` [m/s] per vertex. Files appear complete or not at all, the list after
// the frames that it names, so that a run can be watched, or killed, at any time.

#ifndef PL_SERIES_H
#define PL_SERIES_H

#include "../base/base.h"

typedef struct pl_series_frame {
    int64_t step;
    double time; // [s]
} pl_series_frame;

typedef struct pl_series {
    char *folder;
    pl_mesh *mesh;                        // all bodies in one
    double *velocity;                     // (3*n_vert)
    double *body, *von_mises, *principal; // (n_tet), (n_tet), (3*n_tet)
    pl_series_frame *frames;              // (n_frames) written so far
    int64_t n_frames, capacity;
} pl_series;

// Makes the folder if it is missing. With `resumed`, the frames that the folder's list names up to
// the world's present step stay in it; else the list starts anew. Writes nothing yet.
pl_status pl_series_open(const char *folder, const pl_world *world, bool resumed, pl_series *out);

// Writes the world's present state and the list, unless the list has this step already.
pl_status pl_series_write(pl_series *series, pl_world *world);

void pl_series_free(pl_series *series);

#endif
