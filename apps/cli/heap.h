// How the process keeps its memory.

#ifndef PL_HEAP_H
#define PL_HEAP_H

// Blocks that are given back go back to the system, large ones at once. For commands that run long
// and give little back while they do.
void pl_heap_stay_small(void);

#endif
