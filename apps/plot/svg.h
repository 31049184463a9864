// Pictures of lines and text as SVG files, which appear complete or not at all.

#ifndef PL_SVG_H
#define PL_SVG_H

#include "../../base/file.h"

typedef struct pl_svg {
    pl_output out;
    bool moved; // the path has a point
} pl_svg;

// A white picture of this size [px]; `title` is for readers that do not see. Fails like
// pl_output_open. What goes wrong later is told by pl_svg_close.
pl_status pl_svg_open(const char *path, double width, double height, const char *title,
                      pl_svg *out);
pl_status pl_svg_close(pl_svg *svg);

// What is drawn until the end of the group has these attributes, as SVG writes them.
void pl_svg_group(pl_svg *svg, const char *attributes, ...) PL_PRINTF(2, 3);
void pl_svg_group_end(pl_svg *svg);

void pl_svg_line(pl_svg *svg, double x0, double y0, double x1, double y1);
void pl_svg_circle(pl_svg *svg, double x, double y, double radius);

// A line through many points, with gaps wherever pl_svg_path_gap is called.
void pl_svg_path(pl_svg *svg);
void pl_svg_path_point(pl_svg *svg, double x, double y);
void pl_svg_path_gap(pl_svg *svg);
void pl_svg_path_end(pl_svg *svg);

// Any text; bytes that are no UTF-8 and characters that XML does not have become '?'. `exponent`,
// if not "", is set smaller and higher, behind 10.
void pl_svg_text(pl_svg *svg, double x, double y, const char *text);
void pl_svg_power(pl_svg *svg, double x, double y, const char *number, const char *exponent);

// About how wide a text is at most, in one of the usual fonts without serifs, of this size [px].
double pl_svg_text_width(const char *text, double size);

#endif
