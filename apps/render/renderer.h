// Draws bodies into a picture: lit by a studio of area lights and sky, on a floor that catches
// their shadows. A picture is the mean of many passes, each with its own offset inside the pixel
// and its own few light directions: that one mechanism gives anti-aliasing, soft shadows, ambient
// occlusion and transparency. The same calls give the same bytes on the same driver.

#ifndef PL_RENDERER_H
#define PL_RENDERER_H

#include "../scene/camera.h"
#include "draw_body.h"
#include "gl_context.h"
#include "image.h"

typedef struct pl_renderer_options {
    int32_t width, height; // [pixels]
    int32_t passes;        // samples per pixel, per light and of the sky; the time is proportional
    int32_t shadow_size;   // pixels along a side of a shadow map
    float background[3];   // sRGB, 0 to 1
    float vignette;        // how much darker the corners are, 0 to 1
    bool floor;            // a floor that shadows fall on
    double floor_z;        // its height [m]; NAN: the lowest point of the bodies
} pl_renderer_options;

// 1280 x 720, 32 passes, shadow maps of 1024, a pale background, a floor under the bodies.
pl_renderer_options pl_renderer_options_default(void);

typedef struct pl_renderer pl_renderer;

// Needs `context` current on this thread, here and in all calls below, and outliving the renderer.
// Fails with PL_ERROR_ARGUMENT (size or another option out of range), PL_ERROR_UNSUPPORTED (a
// picture larger than the driver can draw, a program that the driver refuses) or PL_ERROR_MEMORY.
pl_status pl_renderer_create(pl_gl_context *context, const pl_renderer_options *options,
                             pl_renderer **out);
void pl_renderer_destroy(pl_renderer *renderer);

// Another size of picture; on failure the old one stays.
pl_status pl_renderer_resize(pl_renderer *renderer, int32_t width, int32_t height);

// Adds a body; *index, if not NULL, receives its number (0, 1, ...). Fails like
// pl_gpu_body_create.
pl_status pl_renderer_add_body(pl_renderer *renderer, const pl_draw_body *body, int32_t *index);

// New positions x (3*n_vert) [m] for the body's vertices.
pl_status pl_renderer_update_body(pl_renderer *renderer, int32_t index, const double *x);

// How many vertices it has; 0 if there is no such body.
int32_t pl_renderer_vertex_count(const pl_renderer *renderer, int32_t index);

// New colours vertex_color (3*n_vert) sRGB for its vertices; NULL: the one colour that it came
// with.
pl_status pl_renderer_color_body(pl_renderer *renderer, int32_t index, const uint8_t *vertex_color);

// How the body is drawn from now on, as in pl_draw_body; PL_ERROR_ARGUMENT if out of range.
typedef struct pl_draw_style {
    float opacity, edge_width;
    bool wireframe;
} pl_draw_style;

pl_status pl_renderer_style_body(pl_renderer *renderer, int32_t index, const pl_draw_style *style);

// Arrows and other marks (arrows.h), in place of earlier ones: drawn in front of all bodies, lit
// from the eye, without shadows and outside of pl_renderer_bounds. NULL: none. Only positions,
// faces, colours and crease angle count.
pl_status pl_renderer_set_marks(pl_renderer *renderer, const pl_draw_body *marks);

// Forgets all bodies and marks.
void pl_renderer_clear(pl_renderer *renderer);

// The smallest box around all bodies [m], for pl_camera_frame. False if there are none.
bool pl_renderer_bounds(const pl_renderer *renderer, double lo[3], double hi[3]);

// Turns the key light: `direction` points towards it, any length. The rest of the studio turns with
// it. At the start it is where pl_camera_key_light puts it for pl_camera_default.
pl_status pl_renderer_set_key_light(pl_renderer *renderer, const double direction[3]);

// Draws all bodies as `camera` sees them into *out, which gets the renderer's size.
pl_status pl_renderer_draw(pl_renderer *renderer, const pl_camera *camera, pl_image *out);

// --- For a window ---
// `framebuffer` is OpenGL's name of what is drawn to, 0 for the window's; it has the renderer's
// size and stays bound.

// Draws what pl_renderer_draw would, quickly and roughly after a change (of a body, the camera,
// the size, ...). Called again without a change, it goes on towards the full picture by a pass each
// time; *done, if not NULL, tells that it is there and further calls would show the same.
pl_status pl_renderer_preview(pl_renderer *renderer, const pl_camera *camera, unsigned framebuffer,
                              bool *done);

// Blends a picture with transparency (overlay.h) over it, the upper left corners together.
pl_status pl_renderer_show(pl_renderer *renderer, const pl_image *overlay, unsigned framebuffer);

#endif
