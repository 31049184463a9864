#include "colormap.h"

#include <math.h>

enum { STEPS = 16 };

// Viridis, by S. van der Walt and N. Smith (2015, in the public domain), at every 1/16.
static const uint8_t TABLE[STEPS + 1][3] = {
    {68, 1, 84},    {72, 24, 106},  {71, 45, 123},  {66, 64, 134},  {59, 82, 139},  {51, 99, 141},
    {44, 114, 142}, {38, 130, 142}, {33, 145, 140}, {31, 160, 136}, {40, 174, 128}, {63, 188, 115},
    {94, 201, 98},  {132, 212, 75}, {173, 220, 48}, {216, 226, 25}, {253, 231, 37},
};

void pl_colormap(double t, uint8_t rgb[3])
{
    double at = STEPS * (t > 0 ? fmin(t, 1) : 0); // NaN is not above 0
    int i = PL_MIN((int)at, STEPS - 1);
    double part = at - i;
    for (int c = 0; c < 3; c++) {
        rgb[c] = (uint8_t)lrint((1 - part) * TABLE[i][c] + part * TABLE[i + 1][c]);
    }
}

void pl_colormap_values(int32_t n, const double *value, double lo, double hi, uint8_t *rgb)
{
    PL_ASSERT(hi > lo);
    for (int32_t i = 0; i < n; i++) {
        pl_colormap((value[i] - lo) / (hi - lo), rgb + 3 * (int64_t)i);
    }
}
