// A body as the graphics card holds it: corners with normals and colours. Used by the renderer.

#ifndef PL_DRAW_BODY_H
#define PL_DRAW_BODY_H

#include "../../base/base.h"

// A body to draw. The arrays are borrowed for the call that takes it.
typedef struct pl_draw_body {
    int32_t n_vert, n_face;
    const double *x;             // positions (3*n_vert) [m]
    const int32_t *face;         // triangles (3*n_face), counter-clockwise from outside
    const uint8_t *vertex_color; // (3*n_vert) sRGB or NULL; wins over `color`
    const uint8_t *face_color;   // (3*n_face) sRGB or NULL; wins over both
    float color[3];              // sRGB, 0 to 1
    float opacity;               // 1: solid; below, seen through
    float edge_width;            // of the dark lines along the triangles' edges, in pixels of a
                                 // picture 720 pixels high; 0: none
    double crease;               // faces at an angle up to this are shaded as one smooth surface
                                 // [rad]; 0: flat facets
    bool wireframe;              // nothing but the edges, in the body's colour
} pl_draw_body;

// Solid, smooth up to 60 degrees, no edges, in the colour `index` of the palette (taken modulo its
// size).
pl_draw_body pl_draw_body_default(int32_t index);

// What the renderer keeps of a body. Object names are OpenGL's, 0 if not made.
typedef struct pl_gpu_body {
    unsigned corner_vao, corner_buffer, color_buffer; // three corners per face, for the picture
    unsigned vertex_vao, vertex_buffer, index_buffer; // shared vertices, for the shadow maps
    int32_t n_vert, n_face;
    int32_t *face;       // (3*n_face)
    int32_t *fan_start;  // (n_vert + 1) the corners at vertex v are fan[fan_start[v]] ...
    int32_t *fan;        // (3*n_face) ... each 3 * face + k
    double lo[3], hi[3]; // bounds [m]
    double crease;       // [rad]
    bool closed;         // every edge has two faces that run along it in opposite directions
    float edge_width, opacity;
    bool wireframe;
    float color[3]; // sRGB, where no vertex has one
} pl_gpu_body;

// Uploads the body, positions relative to `origin`. Fails with PL_ERROR_GEOMETRY (no triangles),
// PL_ERROR_ARGUMENT (an index out of range, a position not finite or too far from the origin for
// single precision, a colour or opacity out of range) or PL_ERROR_MEMORY; *out is then empty.
pl_status pl_gpu_body_create(const pl_draw_body *body, const double origin[3], pl_gpu_body *out);

// New positions x (3*n_vert) for the same triangles. On failure the body is as before.
pl_status pl_gpu_body_move(pl_gpu_body *body, const double *x, const double origin[3]);

// New colours vertex_color (3*n_vert) sRGB; NULL: the body's one colour.
pl_status pl_gpu_body_paint(pl_gpu_body *body, const uint8_t *vertex_color);
void pl_gpu_body_destroy(pl_gpu_body *body);

#endif
