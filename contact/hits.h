// Rows for the pairs that came too near on the way of a step. Internal.

#ifndef PL_HITS_H
#define PL_HITS_H

#include "detect.h"

// Lists the pairs that came too near by their times, those of one time in the order of the
// candidates. After pl_detect_way, or where candidates are flagged as hits.
pl_status pl_hits_list(pl_detection *d, const pl_boundary *boundary);

// Marks the hits of pairs that were within reach, of bodies without rows, since nothing moved them
// by the first guess: they are behind a body that was hit. There may be more behind them, and each
// round would find no more than the next. *any says whether there are any.
pl_status pl_hits_mark_missed(pl_detection *d, const pl_boundary *boundary,
                              const pl_contacts *contacts, bool *any);

// Adds rows for the hits that are listed, at the places of their impacts. One that contradicts an
// earlier one gets none: what runs into a surface comes out of it from the inside. Nor do those of
// bodies with a hit that is marked: the rows of all that is within reach do for them.
pl_status pl_hits_add(pl_detection *d, const pl_boundary *boundary, pl_contacts *contacts);

#endif
