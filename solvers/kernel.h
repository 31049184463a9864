// What the kernels of this room share: how they are compiled, and how rows become parts. Internal.

#ifndef PL_SOLVERS_KERNEL_H
#define PL_SOLVERS_KERNEL_H

#include "../base/team.h"

// Four doubles, aligned like one.
typedef double pl_quad __attribute__((vector_size(32), aligned(8), may_alias));

#define PL_QUAD(p) (*(const pl_quad *)(p))

// Work on n elements is done in parts that depend on n alone. A part has one partial sum, and these
// are added in order, so that a sum has the same bits whichever threads worked on it.
enum { PL_MAX_PARTS = 256 };

// Elements per part: at least `least`, and a multiple of 16.
static inline int64_t pl_part_size(int64_t n, int64_t least)
{
    int64_t size = (n + PL_MAX_PARTS - 1) / PL_MAX_PARTS;
    return ((size > least ? size : least) + 15) / 16 * 16;
}

#endif
