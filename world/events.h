// Which bodies began and ceased to touch in a step. Internal.

#ifndef PL_EVENTS_H
#define PL_EVENTS_H

#include "world.h"

void pl_events_free(pl_events *events); // leaves it empty

// After a step: what has changed since the one before.
pl_status pl_events_update(pl_world *world);

#endif
