// Finding pairs of features whose boxes overlap. Internal.

#ifndef PL_SEARCH_H
#define PL_SEARCH_H

#include "surfaces.h"

// True if features of the two bodies (or of one, a = b) may be paired.
bool pl_surfaces_paired(const pl_surfaces *s, int32_t a, int32_t b);

// Fills the blocks with all pairs of the bodies of s->stale, of their trees as they are, and with
// the patches that were left out; each pair once. Of what the blocks held before, the patches of
// other bodies stay. Fails with PL_ERROR_MEMORY, also if there are absurdly many.
pl_status pl_search_bodies(pl_surfaces *s);

// Sets s->task: which trees may meet, those of s->stale with all.
pl_status pl_search_tasks(pl_surfaces *s);

// Leaves nothing but patches in the blocks.
void pl_search_forget(pl_surfaces *s);

// Adds the pairs of items with a point p for which grown[p] (n_point: its box or its fan), and
// those within patches that are no longer smooth. Pairs that were found before may be added again.
// *added: some were. Marks the bodies of such points and patches in `stale` (n_body) unless it is
// NULL.
pl_status pl_search_grown(pl_surfaces *s, const uint8_t *grown, uint8_t *stale, bool *added);

#endif
