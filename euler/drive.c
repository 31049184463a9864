// Bodies that a motion drives: shifts, no turns.

#include "euler.h"

#include <math.h>

// Where the keys are at s, and how fast; they rest before the first and after the last.
static void keys_at(const pl_motion *motion, double s, double offset[3], double velocity[3])
{
    const pl_motion_key *key = motion->key;
    int32_t n = motion->n_key;
    for (int k = 0; k < 3; k++) offset[k] = velocity[k] = 0;
    if (n == 0) return;
    int32_t after = 0;
    while (after < n && key[after].time <= s) after++;
    const pl_motion_key *a = &key[PL_MAX(after - 1, 0)], *b = &key[PL_MIN(after, n - 1)];
    double span = b->time - a->time, t = span > 0 ? (s - a->time) / span : 0;
    for (int k = 0; k < 3; k++) {
        velocity[k] = span > 0 ? (b->offset[k] - a->offset[k]) / span : 0;
        offset[k] = a->offset[k] + t * (b->offset[k] - a->offset[k]);
    }
}

void pl_euler_motion_at(const pl_motion *motion, double time, double offset[3], double velocity[3])
{
    double s = fmin(fmax(time - motion->start, 0), motion->end - motion->start);
    bool moves = time >= motion->start && time < motion->end;
    keys_at(motion, s, offset, velocity);
    for (int k = 0; k < 3; k++) {
        offset[k] += motion->velocity[k] * s;
        velocity[k] = moves ? velocity[k] + motion->velocity[k] : 0;
    }
}

pl_status pl_euler_check_motion(const pl_motion *motion)
{
    bool turns = motion->rate != 0;
    bool finite = isfinite(motion->start) && !(motion->end < motion->start);
    for (int k = 0; k < 3; k++) finite = finite && isfinite(motion->velocity[k]);
    for (int32_t i = 0; i < motion->n_key; i++) {
        const pl_motion_key *key = &motion->key[i];
        turns = turns || key->angle != 0;
        finite = finite && isfinite(key->time) && (i == 0 || key->time > key[-1].time);
        for (int k = 0; k < 3; k++) finite = finite && isfinite(key->offset[k]);
    }
    if (!finite) {
        return pl_fail(PL_ERROR_ARGUMENT, "motion: numbers that are not finite, or times that do "
                                          "not rise");
    }
    if (turns) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "motion: driven bodies on a grid do not turn; leave out rate and angles");
    }
    return PL_OK;
}
