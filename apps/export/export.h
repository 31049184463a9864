// The frames of a run in the formats that are asked for, in one folder:
//
//     vtu    series.pvd, frame-000120.vtu, ...   ParaView, with fields: see series.h
//     obj    frame-000120.obj                    an object per body: see frame_files.h
//     ply    frame-000120.ply
//     pc2    body_007.pc2 and body_007.obj       a point cache per body, and the mesh that it moves
//     usda   scene.usda                          everything, with materials and camera: see usda.h
//
// Numbers of frames are those of steps. For all but vtu, frames.csv lists the step and the time [s]
// of each frame, in the order of the samples of the caches. It is written last: a frame is in it
// when all its files are whole. scene.txt names the scene, for who reads the caches.

#ifndef PL_EXPORT_H
#define PL_EXPORT_H

#include "export_bodies.h"
#include "series.h"

enum {
    PL_EXPORT_VTU = 1,
    PL_EXPORT_OBJ = 2,
    PL_EXPORT_PLY = 4,
    PL_EXPORT_PC2 = 8,
    PL_EXPORT_USDA = 16
};

// "vtu,usda" as a sum of the above. Fails with PL_ERROR_ARGUMENT on a name that is none.
pl_status pl_export_formats(const char *text, int *formats);
const char *pl_export_format_name(int32_t i); // NULL after the last

typedef struct pl_export_options {
    int formats;
    double fps;    // frames per second of simulated time
    bool contacts; // vtu: those are written too
    bool resumed;  // frames up to the world's present step stay, later ones are dropped
} pl_export_options;

typedef struct pl_export {
    pl_export_options options;
    const pl_scene *scene;
    char *folder;
    pl_series series;
    pl_export_bodies bodies;
    float *x;                // (3*n_vert) of the bodies
    pl_series_frame *frames; // (n_frames) that frames.csv lists
    int64_t n_frames, capacity;
    int64_t in_usda; // how many of them scene.usda has
    bool begun, failed;
} pl_export;

// Makes the folder if it is missing, and looks at what an earlier run has left there if this one
// goes on with it; changes nothing yet. The scene must outlive the export.
pl_status pl_export_open(const char *folder, const pl_export_options *options,
                         const pl_scene *scene, const pl_world *world, pl_export *out);

bool pl_export_is_empty(const pl_export *export); // no frame so far

// Writes the world's present state, unless it has this step already.
pl_status pl_export_write(pl_export *export, pl_world *world);

// Brings up to date what is not written with each frame. To be called at the end, however it comes;
// does nothing if a frame could not be written.
pl_status pl_export_finish(pl_export *export);

void pl_export_free(pl_export *export);

// --- Reading ---

// The frames that the folder's frames.csv lists, the caller's to pl_free; none if it has no such
// file.
pl_status pl_export_read_frames(const char *folder, pl_series_frame **frames, int64_t *n);
// The path of the scene that they are of, the caller's to pl_free; PL_ERROR_FILE if it is not
// known.
pl_status pl_export_read_scene(const char *folder, char **path);

extern const char PL_EXPORT_CACHE[]; // the name of the cache of all bodies, for scene.usda

#endif
