// An axis of a plot: its ends, its ticks and what is written at them.

#ifndef PL_AXIS_H
#define PL_AXIS_H

#include "../../base/base.h"

enum { PL_TICKS_MAX = 64, PL_LABEL_TEXT = 32 };

typedef struct pl_axis {
    bool log;
    double lo, hi;             // its ends; of a logarithmic axis their exponents of 10, whole
    double tick[PL_TICKS_MAX]; // (n_tick) rising, in the same terms
    int32_t n_tick;
    int32_t decimals; // of the labels
    int32_t power;    // linear: labels are multiples of 10^power, 0 for plain numbers
} pl_axis;

// An axis from lo to hi (finite) with 1, 2 or 5 times a power of 10 between ticks, `most` times at
// most. Unless it is `tight`, it is made longer so that it ends at ticks. One that is too short for
// its numbers is made longer in any case.
pl_axis pl_axis_linear(double lo, double hi, int32_t most, bool tight);

// One that holds lo and hi (> 0), from a power of 10 to another.
pl_axis pl_axis_log(double lo, double hi, int32_t most);

// Where a value stands: 0 at the low end, 1 at the high end. What is not above 0 has no place on a
// logarithmic axis: NaN.
double pl_axis_place(const pl_axis *axis, double value);

// The label of a tick: "0.25", or "2.5" and an exponent "6", or "" and "-5" for 10^-5; no exponent
// is "".
void pl_axis_label(const pl_axis *axis, int32_t tick, char number[PL_LABEL_TEXT],
                   char exponent[PL_LABEL_TEXT]);

#endif
