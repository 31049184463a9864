// Islands of contacts: sets that share no block with each other, and the order within them.
// Internal.

#ifndef PL_ISLANDS_H
#define PL_ISLANDS_H

#include "rows.h"

enum {
    // An island with at least as many contacts is worth the threads that it takes to share it.
    PL_LARGE_ISLAND = 512,
    // The last colour holds what the others do not, such as the many contacts of one rigid body:
    // its contacts run one after the other.
    PL_COLORS = 64,
    // The most contacts of a cluster.
    PL_CLUSTER_CONTACTS = 12,
};

// Contacts that answer to nothing (scale 0) are in no island. Islands come by size, the largest
// first. They consist of clusters: contacts at nearly the same place, which one must solve together
// since each answers the others' impulses as its own. Where these would be too many, as between two
// flat faces, each contact is a cluster. The contacts of a cluster and the clusters of an island
// come in the order of the problem; in a large island by colour: clusters of one colour share no
// block.
typedef struct pl_islands {
    int32_t n, n_large, n_cluster;
    int32_t *start;   // (n + 1) of the islands: clusters
    int32_t *cluster; // (n_cluster + 1) where each cluster starts in `contact`
    int32_t *contact; // (cluster[n_cluster])
    int32_t *color;   // ((PL_COLORS + 1)*n_large) of a large island: the cluster that each of its
                      // colours starts with, and its end
} pl_islands;

// Lives as long as what is taken from the arena does. D^-1 is 0 in the known blocks.
pl_status pl_islands_create(const pl_problem *problem, const pl_block_jacobi *D,
                            const pl_uses *uses, const double *scale, pl_arena *arena,
                            pl_islands *out);

#endif
