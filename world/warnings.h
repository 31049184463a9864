// What a world says to the log when something is off that is no error, each once in its life.
// Internal.

#ifndef PL_WARNINGS_H
#define PL_WARNINGS_H

#include "world.h"

typedef enum pl_warning {
    PL_WARNING_SOFT = 1,       // a material for the size of its body
    PL_WARNING_STIFF = 2,      // likewise
    PL_WARNING_INVERTED = 4,   // tets
    PL_WARNING_FALL = 8,       // a body has left all others, and nothing stops it
    PL_WARNING_CHECKPOINT = 16 // of a run with another dt or other materials
} pl_warning;

// True the first time.
bool pl_warn_first(pl_world *world, pl_warning warning);

// The materials of all bodies, before the first step; and what the falls of later steps are held
// against.
void pl_warn_start(pl_world *world);

// After a step.
void pl_warn_step(pl_world *world, const pl_step_stats *stats);

#endif
