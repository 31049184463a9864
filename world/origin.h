// The parameters of the run that wrote a checkpoint that are not part of the state: to warn if the
// run that resumes it has others. Internal.

#ifndef PL_ORIGIN_H
#define PL_ORIGIN_H

#include "world.h"

typedef struct pl_origin {
    double dt;          // [s]
    uint64_t materials; // hash of materials, masses, damping and friction
} pl_origin;

pl_origin pl_origin_of(const pl_world *world);

// Warns, once, if the world, which was `here` before it took the state of the file, is another than
// the run that wrote it.
void pl_origin_compare(const pl_origin *origin, const pl_origin *here, pl_world *world,
                       const char *path);

#endif
