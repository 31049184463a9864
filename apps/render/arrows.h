// Arrows as a mesh, for pl_renderer_set_marks: the forces of contacts, and whatever else points
// from here to there.

#ifndef PL_ARROWS_H
#define PL_ARROWS_H

#include "draw_body.h"

// Starts zeroed; free with pl_arrows_free.
typedef struct pl_arrows {
    int32_t n_vert, n_face;
    double *x;      // (3*n_vert) [m]
    int32_t *face;  // (3*n_face)
    uint8_t *color; // (3*n_vert) sRGB
    int64_t x_room, face_room, color_room;
} pl_arrows;

// Forgets all arrows, keeping the memory.
void pl_arrows_clear(pl_arrows *arrows);
void pl_arrows_free(pl_arrows *arrows);

// Adds an arrow with its point at `to`, with a shaft of `radius` [m]. One that is too short for its
// point is smaller altogether; one without length is left out.
pl_status pl_arrows_add(pl_arrows *arrows, const double from[3], const double to[3], double radius,
                        const uint8_t rgb[3]);

typedef struct pl_arrow_scale {
    double metres_per_newton;
    double radius; // of a shaft [m]
} pl_arrow_scale;

// A force that the last step's contacts have many of: the mean of their normal forces, each counted
// by its force, rounded up to a round number; 0 if there are none [N].
double pl_arrows_typical(const pl_world *world);

// A force `typical` (> 0) gets 8 % of the bodies' size, the diagonal of their bounds [m].
pl_arrow_scale pl_arrow_scale_of(double typical, double size);

// Adds the forces of the last step's contacts on body a: the normal force in green, friction in
// orange where the contact sticks and in red where it slips; those on body b are opposite and
// equal.
pl_status pl_arrows_add_contacts(pl_arrows *arrows, const pl_world *world, pl_arrow_scale scale);

extern const uint8_t PL_ARROW_NORMAL[3], PL_ARROW_STICK[3], PL_ARROW_SLIP[3]; // sRGB

// All of them as a body to draw; the arrays stay the arrows'. False if there are none.
bool pl_arrows_body(const pl_arrows *arrows, pl_draw_body *out);

#endif
