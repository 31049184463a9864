// Which of the candidates are near: those that a step has to look at. Internal.

#ifndef PL_NEAR_H
#define PL_NEAR_H

#include "candidates.h"

// Notes how bodies have moved from where they were searched for to x0, and how from there to x1.
void pl_near_drift(pl_candidate_set *c, const pl_boundary *boundary);

// What bounds by directions may exceed the distances at x0 and x1 by [m].
double pl_near_blur(const pl_boundary *boundary);

// Lists those that are near, or may come so as long as bodies drift as they do now and a little
// more.
pl_status pl_near_list(pl_candidate_set *c, const pl_boundary *boundary);

// The same for c->more, which was merged with the candidates since.
pl_status pl_near_add(pl_candidate_set *c, const pl_boundary *boundary);

#endif
