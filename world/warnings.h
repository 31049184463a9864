// Warnings of a world to the log, each at most once in its life. Internal.

#ifndef PL_WARNINGS_H
#define PL_WARNINGS_H

#include "world.h"

typedef enum pl_warning {
    PL_WARNING_SOFT = 1,        // a material too soft to carry the weight of its body
    PL_WARNING_STIFF = 2,       // a material too stiff for the tets and dt
    PL_WARNING_INVERTED = 4,    // flat or inverted tets
    PL_WARNING_FALL = 8,        // a body falls below all others, and nothing can stop it
    PL_WARNING_JOINTS = 32,     // joints contradict each other
    PL_WARNING_CHECKPOINT = 16, // a checkpoint from a run with another dt or other materials
    PL_WARNING_SOLVER = 64      // the solver of choice does not know joints
} pl_warning;

// True the first time.
bool pl_warn_first(pl_world *world, pl_warning warning);

// Before the first step: checks the materials of all bodies, and stores the lowest point that
// falling bodies are later compared with.
void pl_warn_start(pl_world *world);

// A solve that `fallback` takes over, since the solver of choice does not know the rows of joints.
void pl_warn_solver(pl_world *world, const char *solver, const char *fallback);

// After a step: inverted tets and falling bodies.
void pl_warn_step(pl_world *world, const pl_step_stats *stats);

#endif
