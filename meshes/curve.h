// Points in the order of a space-filling curve: neighbours in space become neighbours in memory.
// Internal.

#ifndef PL_CURVE_H
#define PL_CURVE_H

#include "../base/base.h"

// order (n) := the indices of the points x (3*n) along Morton's curve through their box; equal
// places by index. Only PL_ERROR_MEMORY can happen.
pl_status pl_curve_order(int32_t n, const double *x, int32_t *order);

#endif
