// What the renderer's files share: its state, and a pass of a picture. Not for others.

#ifndef PL_RENDERER_STATE_H
#define PL_RENDERER_STATE_H

#include "renderer.h"
#include "../common/vec.h"

#include <epoxy/gl.h>

typedef enum pl_program_id {
    PL_PROGRAM_BODY,
    PL_PROGRAM_BODY_STOCHASTIC,
    PL_PROGRAM_DEPTH,
    PL_PROGRAM_FLOOR,
    PL_PROGRAM_MARKS,
    PL_PROGRAM_ADD,
    PL_PROGRAM_FINISH,
    PL_PROGRAM_QUICK_BODY,
    PL_PROGRAM_QUICK_FLOOR,
    PL_PROGRAM_QUICK_MARKS,
    PL_PROGRAM_QUICK_BACKGROUND,
    PL_PROGRAM_SHOW,
    PL_N_PROGRAMS
} pl_program_id;

typedef struct pl_target {
    GLuint framebuffer, texture;
} pl_target;

// What pl_renderer_preview keeps from call to call.
typedef struct pl_preview {
    bool stale;               // what is drawn has changed since
    pl_camera camera;         // of the last call
    int32_t passes;           // in `sum` so far
    GLuint framebuffer;       // several samples per pixel
    GLuint color, depth;      // its renderbuffers, 0 until they are needed
    pl_target shadow;         // depth, two layers
    pl_target quick, overlay; // quick: resolved, sRGB
    int32_t overlay_width, overlay_height;
} pl_preview;

struct pl_renderer {
    pl_renderer_options options;
    pl_gpu_body *body; // (n_bodies)
    int64_t n_bodies, capacity;
    pl_gpu_body marks; // without faces if there are none
    double origin[3]; // subtracted in double before positions become floats; the first body's first
                      // vertex
    vec3 key;         // unit, towards the key light
    GLuint program[PL_N_PROGRAMS];
    GLuint empty_vao, depth_buffer;
    pl_target shadow;   // depth, PL_LIGHTS_PER_PASS layers
    pl_target pass;     // one pass, linear
    pl_target sum;      // all passes so far
    pl_target finished; // sRGB, 8 bits
    pl_preview preview; // for windows
};

// All that a pass needs to know of the scene.
typedef struct pl_view {
    vec3 lo, hi; // bounds, relative to the origin
    vec3 eye;    // relative to the origin
    mat4 view;
    double near, far, tan_x, tan_y;
    double floor_light[3];
    double floor_z; // relative to the origin
} pl_view;

pl_view pl_view_of(const pl_renderer *renderer, const pl_camera *camera);

// How a shadow map sees the bodies: along the light, as close as fits.
typedef struct pl_shadow_view {
    mat4 clip;                  // positions to clip space
    double width, depth, texel; // of the box that it holds, and of a texel [m]
} pl_shadow_view;

pl_shadow_view pl_frame_shadow(const pl_view *s, vec3 direction, int32_t size);

// Clip space to the coordinates of a texture, [0, 1]^3.
mat4 pl_shadow_matrix(const pl_shadow_view *shadow);

// Draws the shadow maps of n lights into the layers of `to`. Of transparent bodies, `pass` chooses
// what casts a shadow; with PL_WHOLE_SHADOWS, all of those that hide at least half.
enum { PL_WHOLE_SHADOWS = -1 };
void pl_draw_shadow_maps(pl_renderer *renderer, const pl_target *to, int32_t size, int pass, int n,
                         const pl_shadow_view *shadow);

// The camera's projection, shifted by (x, y) pixels, and its way back.
mat4 pl_camera_clip(const pl_renderer *renderer, const pl_view *s, double x, double y,
                    mat4 *from_clip);

// Width of the lines along the body's edges [pixels].
double pl_edge_pixels(const pl_renderer *renderer, const pl_gpu_body *body);

// Draws the marks in front of what is there.
void pl_draw_marks(pl_renderer *renderer, pl_program_id program, const pl_view *s,
                   const mat4 *clip);

// Empties the sum of all passes, and adds pass `pass` to it.
void pl_clear_sum(pl_renderer *renderer);
void pl_add_pass(pl_renderer *renderer, const pl_view *s, int pass);

// Runs `program` over every pixel of the target bound, reading `texture`; `scale` is the uniform of
// this name.
void pl_draw_screen(pl_renderer *renderer, pl_program_id program, GLuint texture, double scale);

double pl_srgb_to_linear(double x);

// Targets: `format` is that of the texture.
void pl_make_target(pl_target *t, GLenum format, int32_t width, int32_t height);
pl_status pl_make_shadow_target(pl_target *t, int32_t size, int32_t layers);
void pl_delete_target(pl_target *t);
// Nothing went wrong and the framebuffer bound last can be drawn to.
bool pl_target_works(void);

// Gives back what is made for a size of picture.
void pl_preview_free(pl_preview *preview);

#endif
