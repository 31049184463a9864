// A scene before the renderer: its bodies as they look, moved from frame to frame.

#ifndef PL_STUDIO_H
#define PL_STUDIO_H

#include "../export/export_bodies.h"
#include "renderer.h"

typedef struct pl_studio {
    const pl_scene *scene;
    const pl_export_bodies *bodies;
    pl_gl_context *context;
    pl_renderer *renderer;
    bool cuts;  // some bodies are drawn cut open
    bool built; // the renderer has the bodies
} pl_studio;

// `inside`: the meshes of the scene move along with `bodies`, so that bodies can be cut open; else
// those that the scene wants cut are drawn whole. Scene and bodies must outlive the studio. Fails
// like pl_gl_context_create and pl_renderer_create.
pl_status pl_studio_open(const pl_scene *scene, const pl_export_bodies *bodies, bool inside,
                         const pl_renderer_options *options, pl_studio *out);

// Brings what is drawn to where the bodies are now. Fails like pl_renderer_add_body, naming the
// body.
pl_status pl_studio_update(pl_studio *studio);

void pl_studio_close(pl_studio *studio);

#endif
