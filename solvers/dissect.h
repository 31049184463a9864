// An order of elimination for a sparse matrix that leaves few new blocks in its factor. Internal.
//
// Nested dissection [George 1973]: a set of blocks that parts the graph of the matrix comes last,
// the halves that it leaves come before, each in the same way. The set is a level of a
// breadth-first search from one end of the graph to the other.

#ifndef PL_DISSECT_H
#define PL_DISSECT_H

#include "../base/arena.h"
#include "bsr.h"

// Parts are sets of blocks that are not connected with each other, as the bodies of a world.
typedef struct pl_order {
    int32_t n;      // blocks that are not left out
    int32_t *block; // (n) in their order, part by part
    int32_t n_part;
    int32_t *part; // (n_part + 1) where each part starts in `block`
} pl_order;

// Leaves out the blocks where `skip` (A.n, may be NULL) is not 0. Lives as long as what is taken
// from the arena does.
pl_status pl_order_create(const pl_bsr *A, const uint8_t *skip, pl_arena *arena, pl_order *out);

#endif
