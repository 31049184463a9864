// A run as one USD file in text, for Blender, Houdini, usdview and their like: a mesh per body with
// its points at the time of each frame, a material per body, the ground and the camera, which may
// move. Metres, z up.
//
//     /World/camera
//     /World/materials/body_007    UsdPreviewSurface
//     /World/bodies/body_007       Mesh
//     /World/bodies/ground         Mesh, if the scene has one
//
// USD keeps all times of one attribute together, so that a frame cannot be added at the end of a
// file; nor can each frame be a layer of its own, because the strongest layer that has times hides
// those of all others. (Value clips can, but few programs beside Pixar's library know them.) So the
// frames are collected in a PC2 cache of all bodies, and the USD file is made from it as a whole:
// at the end of a run, however it ends, and each time that the number of frames has doubled. That
// makes twice the work at most, and a run that is killed leaves a file with at least half of its
// frames.

#ifndef PL_USDA_H
#define PL_USDA_H

#include "export_bodies.h"
#include "series.h"

typedef struct pl_usda {
    const pl_scene *scene;
    const pl_export_bodies *bodies;
    const char *cache;             // PC2 of all their vertices, a sample per frame
    const pl_series_frame *frames; // (n_frames)
    int64_t n_frames;              // 1 or more
    double fps;                    // time codes per second
} pl_usda;

// Fails with PL_ERROR_FILE or PL_ERROR_MEMORY; the file appears complete or not at all.
pl_status pl_usda_write(const pl_usda *usda, const char *path);

#endif
