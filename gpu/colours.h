// Colours of constraints, for sweeps that solve many at once. Internal.

#ifndef PL_GPU_COLOURS_H
#define PL_GPU_COLOURS_H

#include "system.h"

// Constraints that answer to nothing (scale (2*n_constraint) 0) have none. Within a colour they
// come in the order of the problem. Lives as long as what is taken from the arena does.
pl_status pl_gpu_colour(const pl_problem *problem, const double *scale, pl_arena *arena,
                        pl_gpu_colours *out);

#endif
