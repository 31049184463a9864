// pliant run for scenes whose bodies live on a grid.

#ifndef PL_RUN_GRID_H
#define PL_RUN_GRID_H

#include "../scene/scene.h"

typedef struct pl_run_grid_options {
    double started;                   // wall clock [s]
    const char *out, *stats, *record; // NULL: not wanted
    int formats;                      // of `out`: obj, ply
    int32_t steps, every;             // 0: not given
    double time, fps, max_seconds;    // 0: not given
    bool quiet;
} pl_run_grid_options;

// Returns the exit code of the command.
int pl_run_grid(const pl_scene *scene, const pl_run_grid_options *options);

#endif
