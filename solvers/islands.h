// Islands of contacts: sets that share no block with each other, and the order within them.
// Internal.

#ifndef PL_ISLANDS_H
#define PL_ISLANDS_H

#include "rows.h"

enum {
    // An island with at least as many contacts is worth the threads that it takes to share it.
    PL_LARGE_ISLAND = 512,
    // The most strips of a large island, half of which may be swept at once.
    PL_STRIPS = 32,
    // The most contacts of a cluster.
    PL_CLUSTER_CONTACTS = 12,
};

// Contacts that answer to nothing (scale 0) are in no island. Islands come by size, the largest
// first. They consist of clusters: contacts at nearly the same place, which one must solve together
// since each answers the others' impulses as its own; only plain cones are ever put together. Where
// these would be too many, as between two flat faces, each contact is a cluster. The contacts of a
// cluster and the clusters of an island come in the order of the problem, in a large island within
// each of its strips.
//
// A large island is cut into strips, as one cuts a strip of land across its length: a strip shares
// blocks with the one before and the one after it, so that every second one may be swept at once,
// and then the others. Where all contacts share a block, as those of one rigid body do, there is
// but one strip, or two.
typedef struct pl_islands {
    int32_t n, n_large, n_cluster;
    int32_t *start;      // (n + 1) of the islands: clusters
    int32_t *cluster;    // (n_cluster + 1) where each cluster starts in `contact`
    int32_t *constraint; // (cluster[n_cluster])
    int32_t *strip; // ((PL_STRIPS + 1)*n_large) of a large island: the cluster that each of its
                    // strips starts with, every second one first, and its end. The first half of
                    // them are free of each other, and so is the second; some may be empty.
} pl_islands;

// Lives as long as what is taken from the arena does. D^-1 is 0 in the prescribed blocks.
pl_status pl_islands_create(const pl_problem *problem, const pl_block_jacobi *D,
                            const pl_uses *uses, const double *scale, pl_arena *arena,
                            pl_islands *out);

#endif
