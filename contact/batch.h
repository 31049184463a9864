// Near pairs that are measured and tested in one go, by a device (../collision/device.h). What they
// are is chosen here, by bounds. Internal.

#ifndef PL_BATCH_H
#define PL_BATCH_H

#include "detect.h"

void pl_batch_free(pl_batch *batch); // leaves it empty

// The closest points at x0 of those that come near by what the list says: batch->closest, at
// batch->place.
pl_status pl_batch_measure(pl_batch *batch, const pl_candidate_set *c, const pl_boundary *boundary);

// Which of the near pairs from `first` on get hit: batch->near. What becomes known of their
// distances goes to `bound` (n_near).
pl_status pl_batch_test(pl_batch *batch, pl_candidate_set *c, pl_distance_bound *bound,
                        const pl_boundary *boundary, int64_t first);

#endif
