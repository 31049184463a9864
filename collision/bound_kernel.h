// Rounding outward to single precision, as boxes are; for devices, too (../base/portable.h).
// Internal.

#ifndef PL_BOUND_KERNEL_H
#define PL_BOUND_KERNEL_H

#include "../base/portable.h"

// Coordinates beyond this are refused: sums of two must not overflow.
PL_CONSTANT double PL_BOUND_MAX = 1e30; // [m]

// Below `value`: rounding to nearest errs by half a unit in the last place, and two of them are
// taken off, which leaves room for the rounding of `value` itself; the constant serves numbers
// around 0.
PL_INLINE float pl_round_below(double value)
{
    float f = (float)value;
    return f - ((f < 0 ? -f : f) * 0x1p-22f + 0x1p-126f);
}

#endif
