// The time that this process has kept processors busy.

#ifndef PL_CPU_TIME_H
#define PL_CPU_TIME_H

#include <time.h>

// All threads together [s]. On one thread a span of it is the time that work takes on a machine
// with nothing else to do, whatever else it does.
static inline double pl_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
