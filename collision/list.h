// Candidate lists from the pairs of a search. Internal.

#ifndef PL_LIST_H
#define PL_LIST_H

#include "surfaces.h"

// Sorts the pairs of all blocks into s->list, each once: an order that depends on the pairs alone,
// not on the trees, the threads or their turns. Only PL_ERROR_MEMORY can happen.
pl_status pl_lists_make(pl_surfaces *s);

#endif
