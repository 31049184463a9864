// Checkpoints that an earlier run has left in the folder of this one.

#ifndef PL_STALE_H
#define PL_STALE_H

#include "../../base/base.h"

// Warns of those of steps after `step`, which the run starts from; -1: of all.
void pl_warn_stale(const char *folder, int64_t step);

#endif
