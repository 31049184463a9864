// What a picture of a world can show besides the bodies: a quantity as their colours, the forces of
// contacts as arrows, joints, and the legend of the first two.

#ifndef PL_PAINT_H
#define PL_PAINT_H

#include "arrows.h"
#include "../export/export_bodies.h"
#include "quantity.h"
#include "renderer.h"

// Start from {0} with quantity, contacts and joints set; free with pl_paint_free.
typedef struct pl_paint {
    pl_quantity quantity; // none: bodies keep their colours
    bool contacts;        // arrows
    bool joints;          // their axes
    bool fixed;           // `end` is given and stays; else it is what the values need. In a film it
                          // only grows, so that colours keep their meaning
    double end;           // of the colours' range, which starts at 0

    double typical;         // force that arrows are scaled by, a round number; only grows [N]
    double size;            // of the bodies, at the first picture [m]
    pl_arrows arrows;       // of the last picture
    double *value, *vertex; // of all surfaces, and of one body's mesh
    uint8_t *rgb;           // of one body's surface
    int64_t value_room, vertex_room, rgb_room;
} pl_paint;

// Colours the renderer's bodies, which are those of `bodies` in order, by the state of the world,
// and sets its marks. Bodies that the quantity does not apply to, or that are not drawn as they are
// (cut open), keep their colour.
pl_status pl_paint_bodies(pl_paint *paint, pl_renderer *renderer, const pl_export_bodies *bodies,
                          pl_world *world);

// Draws the legend onto the finished picture, or an overlay.
void pl_paint_legend(const pl_paint *paint, pl_image *image);
void pl_paint_free(pl_paint *paint);

#endif
