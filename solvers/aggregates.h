// Groups of neighbouring nodes of a graph, for coarser levels. Internal.

#ifndef PL_AGGREGATES_H
#define PL_AGGREGATES_H

#include "../base/arena.h"

// A graph in compressed rows: the neighbours of i are col[row[i]] .. col[row[i+1]-1], i itself may
// be among them.
typedef struct pl_graph {
    int32_t n;
    const int64_t *row;
    const int32_t *col;
} pl_graph;

// of (n) := the group of each node; groups are connected, and have about `size` nodes, or fewer
// where a part of the graph has no more. Returns how many there are. queue (2*n) is scratch.
int32_t pl_aggregate(const pl_graph *graph, int32_t size, int32_t *of, int32_t *queue);

#endif
