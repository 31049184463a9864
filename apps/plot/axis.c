#include "axis.h"

#include <math.h>
#include <stdio.h>

// Rounding must not cost the tick at an end [distances of ticks].
static const double SLACK = 1e-9;

// Shorter axes have labels of too many digits [of the larger end].
static const double SHORTEST = 1e-6;

// Plain numbers have at most this many digits before the point, or after it.
enum { DIGITS_BEFORE = 5, DIGITS_AFTER = 4 };

static void stretch(double *lo, double *hi)
{
    double size = fmax(fabs(*lo), fabs(*hi)), least = SHORTEST * size;
    if (size < 1e-300) { // nothing but zeros
        *lo = 0;
        *hi = 1;
    } else if (*hi - *lo < least) {
        double middle = *lo + (*hi - *lo) / 2;
        *lo = middle - least / 2;
        *hi = middle + least / 2;
    }
}

// m 10^p: by a division where 10^p is no whole number, so that the result is the double nearest to
// what its label says.
static double decimal(double m, int p)
{
    return p < 0 ? m / pow(10, -p) : m * pow(10, p);
}

// The number of digits before the point.
static int digits_of(double size)
{
    return (int)floor(log10(size) + SLACK) + 1;
}

pl_axis pl_axis_linear(double lo, double hi, int32_t most, bool tight)
{
    PL_ASSERT(most > 0 && most < PL_TICKS_MAX / 2);
    stretch(&lo, &hi);
    double raw = hi / most - lo / most;
    int p = (int)floor(log10(raw));
    double m = raw / decimal(1, p), times = m <= 1 + SLACK   ? 1
                                            : m <= 2 + SLACK ? 2
                                            : m <= 5 + SLACK ? 5
                                                             : 10;
    if (times == 10) {
        times = 1;
        p++;
    }
    double step = decimal(times, p);
    double first = tight ? ceil(lo / step - SLACK) : floor(lo / step + SLACK);
    double last = tight ? floor(hi / step + SLACK) : ceil(hi / step - SLACK);
    pl_axis axis = {.lo = tight ? lo : step * first, .hi = tight ? hi : step * last};
    for (double k = first; k <= last && axis.n_tick < PL_TICKS_MAX; k++) {
        axis.tick[axis.n_tick++] = decimal(k * times, p);
    }
    int digits = digits_of(fmax(fabs(axis.lo), fabs(axis.hi)));
    bool plain = digits <= DIGITS_BEFORE && p >= -DIGITS_AFTER;
    axis.power = plain ? 0 : digits - 1;
    axis.decimals = PL_MAX(axis.power - p, 0);
    return axis;
}

pl_axis pl_axis_log(double lo, double hi, int32_t most)
{
    pl_axis axis = {.log = true, .lo = floor(log10(lo) + SLACK), .hi = ceil(log10(hi) - SLACK)};
    if (!(axis.hi > axis.lo)) axis.hi = axis.lo + 1;
    double step = ceil((axis.hi - axis.lo) / most);
    for (double e = step * ceil(axis.lo / step); e <= axis.hi && axis.n_tick < PL_TICKS_MAX;
         e += step) {
        axis.tick[axis.n_tick++] = e;
    }
    return axis;
}

double pl_axis_place(const pl_axis *axis, double value)
{
    if (axis->log && !(value > 0)) return NAN;
    double at = axis->log ? log10(value) : value;
    return (at - axis->lo) / (axis->hi - axis->lo);
}

void pl_axis_label(const pl_axis *axis, int32_t tick, char number[PL_LABEL_TEXT],
                   char exponent[PL_LABEL_TEXT])
{
    double value = axis->tick[tick];
    number[0] = exponent[0] = '\0';
    if (axis->log) {
        snprintf(exponent, PL_LABEL_TEXT, "%d", (int)value); // -0, too
    } else if (value == 0) {
        snprintf(number, PL_LABEL_TEXT, "0");
    } else {
        snprintf(number, PL_LABEL_TEXT, "%.*f", (int)axis->decimals, decimal(value, -axis->power));
        if (axis->power != 0) snprintf(exponent, PL_LABEL_TEXT, "%d", (int)axis->power);
    }
}
