// Numbers as colours.

#ifndef PL_COLORMAP_H
#define PL_COLORMAP_H

#include "../../base/base.h"

// From dark violet over green to yellow, equal steps in number being equal steps to the eye; also
// in grey, and to eyes that do not tell red from green. t is brought into [0, 1]; NaN is 0. sRGB.
void pl_colormap(double t, uint8_t rgb[3]);

// The colours of n values, lo being 0 and hi 1; hi > lo.
void pl_colormap_values(int32_t n, const double *value, double lo, double hi, uint8_t *rgb);

#endif
