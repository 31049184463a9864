#include "palette.h"

enum { PALETTE_SIZE = 8 };

static const float PALETTE[PALETTE_SIZE][3] = {
    {0.36F, 0.56F, 0.80F}, // blue
    {0.91F, 0.57F, 0.33F}, // apricot
    {0.45F, 0.70F, 0.52F}, // green
    {0.84F, 0.42F, 0.43F}, // coral
    {0.62F, 0.52F, 0.78F}, // violet
    {0.90F, 0.76F, 0.38F}, // honey
    {0.35F, 0.68F, 0.70F}, // teal
    {0.78F, 0.72F, 0.66F}, // clay
};

const float *pl_palette(int32_t index)
{
    return PALETTE[(index % PALETTE_SIZE + PALETTE_SIZE) % PALETTE_SIZE];
}
