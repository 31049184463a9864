// How far a run or a film is, for the person who waits: on a terminal one line with a bar,
// rewritten in place; elsewhere a line per second at most.

#ifndef PL_PROGRESS_H
#define PL_PROGRESS_H

#include "../../base/base.h"

typedef struct pl_progress {
    bool quiet, terminal;
    int64_t first, last; // the steps, or frames, before and at the end of the work
    double start, shown; // wall clock [s]
} pl_progress;

pl_progress pl_progress_start(int64_t first, int64_t last, bool quiet);
// After a step.
void pl_progress_show(pl_progress *progress, const pl_step_stats *stats);
// After frame number `frame`, which shows the time `time` [s].
void pl_progress_show_frame(pl_progress *progress, int64_t frame, double time);
// Clears the line on a terminal, so that what is printed next stands alone.
void pl_progress_end(const pl_progress *progress);

// The bar of `width` characters, brackets included, at the part 0 to 1: "[====>     ]".
void pl_progress_bar(double part, int width, char *text);

#endif
