// What the run that wrote a checkpoint was made with, as far as it decides how the run goes on and
// is no part of the state. Internal.

#ifndef PL_ORIGIN_H
#define PL_ORIGIN_H

#include "world.h"

typedef struct pl_origin {
    double dt;          // [s]
    uint64_t materials; // a hash of them, of masses, damping and friction
} pl_origin;

pl_origin pl_origin_of(const pl_world *world);

// Warns, once, if the world, which was `here` before it took the state of the file, is another than
// the run that wrote it.
void pl_origin_compare(const pl_origin *origin, const pl_origin *here, pl_world *world,
                       const char *path);

#endif
