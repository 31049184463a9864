// How far a run is, for the person who waits: one line rewritten in place on a terminal, at most
// one line per second elsewhere.

#ifndef PL_PROGRESS_H
#define PL_PROGRESS_H

#include "../base/base.h"

typedef struct pl_progress {
    bool quiet, terminal;
    int64_t first, last; // the steps before and at the end of the run
    double start, shown; // wall clock [s]
} pl_progress;

pl_progress pl_progress_start(int64_t first, int64_t last, bool quiet);
// After a step.
void pl_progress_show(pl_progress *progress, const pl_step_stats *stats);
// Clears the line on a terminal, so that what is printed next stands alone.
void pl_progress_end(const pl_progress *progress);

#endif
