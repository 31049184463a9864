// Where the frames of a film come from: a world that is simulated on the way, the point caches of
// an earlier run, or a scene in which nothing moves but the camera.

#ifndef PL_REEL_H
#define PL_REEL_H

#include "../export/export_bodies.h"
#include "../export/pc2.h"
#include "../scene/play.h"
#include "../export/series.h"

typedef struct pl_reel {
    pl_scene *scene;
    pl_export_bodies bodies; // as they are in the present frame
    double time;             // of the present frame [s]
    int64_t frame, n_frames; // how many there were, with the present one, and will be
    double fps;              // at which the film has its true speed
    bool picture;            // the last state is the only frame
    bool started;

    // A world.
    pl_play play; // with a world that is NULL if there is none

    // A grid.
    pl_euler *euler; // or NULL
    int64_t last;    // step
    pl_schedule schedule;

    // A cache.
    pl_pc2 all;              // of all bodies; closed if each has one of its own:
    pl_pc2 *each;            // (bodies.n) or NULL
    char **path;             // (bodies.n + 1) of the caches
    pl_series_frame *sample; // (n_samples)
    int64_t n_samples;
    int64_t every;   // the film takes every so many of them; 0: the nearest in time
    int64_t present; // the sample that `bodies` show
    float *x;        // (3*n_vert)

    const pl_shot *shot; // whose follower is moved along, or NULL
    pl_follower follower;
} pl_reel;

typedef struct pl_reel_options {
    double time;   // the end [s]; 0: the scene's duration, or that of the cache; for a picture of a
                   // scene, its start. A still scene lasts so long.
    double fps;    // 0: not given
    int32_t every; // a frame every so many steps, or samples; 0: not given
    bool picture;  // the end only
    const char *resume; // the checkpoint to start from, or NULL
} pl_reel_options;

// All borrow the scene; a world moves its meshes, too. Before the first frame, `bodies` are where
// they are at the start, and the number of frames is known.

// Fails with PL_ERROR_GEOMETRY if bodies intersect at the start.
pl_status pl_reel_open_world(pl_scene *scene, const pl_reel_options *options, pl_reel *out);
// Fails if there are no frames in the folder.
pl_status pl_reel_check_cache(const char *folder);
// `folder` as pliant run leaves it with the formats pc2 or usda.
pl_status pl_reel_open_cache(const char *folder, pl_scene *scene, const pl_reel_options *options,
                             pl_reel *out);
// Bodies on a grid, simulated on the way.
pl_status pl_reel_open_grid(pl_scene *scene, const pl_reel_options *options, pl_reel *out);
pl_status pl_reel_open_still(pl_scene *scene, const pl_reel_options *options, pl_reel *out);

// Goes on to the next frame; *more is false if there is none, or the work was interrupted.
// The follower moves with every step, or sample, whether it is a frame or not.
pl_status pl_reel_next(pl_reel *reel, bool *more);

void pl_reel_close(pl_reel *reel);

#endif
