// Writing and plain shapes on top of a picture, with smooth edges. The picture may be a finished
// one, or transparent and blended over another later (pl_renderer_show). Places are in pixels from
// the upper left corner of the picture; what lies outside is cut off. The same calls give the same
// bytes.

#ifndef PL_OVERLAY_H
#define PL_OVERLAY_H

#include "image.h"

typedef struct pl_ink {
    uint8_t r, g, b, a; // sRGB, and 255 for solid
} pl_ink;

// Makes all of the picture transparent.
void pl_overlay_clear(pl_image *image);

// A rectangle with round corners; radius 0 for sharp ones.
void pl_overlay_rectangle(pl_image *image, double x, double y, double width, double height,
                          double radius, pl_ink ink);

// A line with round ends.
void pl_overlay_line(pl_image *image, double x0, double y0, double x1, double y1, double width,
                     pl_ink ink);

// A line of text, printable ASCII: (x, y) is the upper left corner of a box `size` high, lines of
// text are `size` apart, and capitals are 0.64 `size` high. `size` is brought into 6 to 160.
// Digits are all of one width. '\n' begins a new line.
void pl_overlay_text(pl_image *image, double x, double y, double size, pl_ink ink,
                     const char *text);

// How wide the text is, its widest line.
double pl_overlay_text_width(double size, const char *text);

#endif
