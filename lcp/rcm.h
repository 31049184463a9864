// Reverse Cuthill-McKee: an order of elimination with a narrow skyline [Cuthill & McKee 1969].
// Internal.

#ifndef PL_RCM_H
#define PL_RCM_H

#include "../base/arena.h"

// order[k] is the row that comes k-th, for a symmetric pattern in compressed columns: parts that
// are not connected one after the other, each from an end of it (a vertex as far from another one
// as a few searches find [George & Liu 1979]), neighbours by their degree, all of it backwards.
// Takes scratch from the arena and gives it back.
pl_status pl_rcm(int32_t n, const int64_t *col, const int32_t *row, pl_arena *arena,
                 int32_t *order);

#endif
