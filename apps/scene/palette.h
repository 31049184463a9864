// The colours of bodies to which a scene gives none.

#ifndef PL_PALETTE_H
#define PL_PALETTE_H

#include <stdint.h>

// Colour `index`, taken modulo their number: (3) sRGB, 0 to 1.
const float *pl_palette(int32_t index);

#endif
