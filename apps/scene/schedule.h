// When a run ends, and after which of its steps there is a frame.

#ifndef PL_SCHEDULE_H
#define PL_SCHEDULE_H

#include "../../base/base.h"

typedef struct pl_schedule {
    double dt;     // a step [s]
    int32_t every; // a frame every so many steps, or 0:
    double fps;    // a frame after the step that is nearest to each 1/fps s
} pl_schedule;

// PL_ERROR_ARGUMENT, in the words of the option --fps, if there are more frames than steps.
pl_status pl_schedule_check(const pl_schedule *schedule);

// Is there a frame after this step? Step 0 is the start.
bool pl_schedule_is_due(const pl_schedule *schedule, int64_t step);

// How many frames there are after the steps 0 to `step`.
int64_t pl_schedule_count(const pl_schedule *schedule, int64_t step);

// Frames per second of simulated time.
double pl_schedule_rate(const pl_schedule *schedule);

// The step at whose end something that has made `steps` and is at `now` has reached `time`; `steps`
// if it has already.
pl_status pl_schedule_last(int64_t steps, double now, double dt, double time, int64_t *last);

#endif
