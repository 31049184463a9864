// What the colours and arrows of a picture mean, told in its corners on the right.

#ifndef PL_LEGEND_H
#define PL_LEGEND_H

#include "image.h"

// Draws the colours of pl_colormap from lo to hi (hi > lo) with `title` and `unit`, which gets a
// prefix where the numbers would be long: "von Mises stress [kPa]". In a small picture it is small.
void pl_legend_draw(pl_image *image, const char *title, const char *unit, double lo, double hi);

// What the arrows of contacts mean, and that one `metres` long stands for `newtons`, in the lower
// right corner.
void pl_legend_arrows(pl_image *image, double metres, double newtons);

// The prefix of a unit for numbers up to `most`: "k" and *scale = 1e3, ...
const char *pl_legend_prefix(double most, double *scale);

#endif
