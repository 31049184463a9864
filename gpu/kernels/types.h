// What kernels and those who launch them share: shapes, and what stands in buffers.

#ifndef PL_GPU_TYPES_H
#define PL_GPU_TYPES_H

#include "../../base/portable.h"
#include "../../solvers/ahead_kernel.h"

// Elements of a part of a sum.
#define PL_PART 4096

// Rows of a slice of a matrix.
#define PL_SLICE 32

// Of sweeps.
typedef struct pl_sweep_control {
    double s;     // D is taken so many times
    int32_t done; // not 0: nothing is changed any more
    int32_t unused;
} pl_sweep_control;

// How iterations of apg are.
#define PL_APG_RUNS 0
#define PL_APG_SEEMS_SOLVED 1
#define PL_APG_BREAKS_DOWN 2
#define PL_APG_STALLS 3

typedef struct pl_apg_state {
    pl_sweep_control control;  // s: at least the largest eigenvalue of D^-1 A, as far as known;
                               // done: PL_APG_, one of the above
    double residual_tolerance; // what is asked for,
    double contact_tolerance;  // [m]
    double b_norm, dt, slack;  // |b'|, the step, and what the bound of s may fail by
    double residual;           // of the last iteration, in units of what is allowed,
    double worst, least;       // and the errors of contacts; the least of good ones [m]
    pl_ahead ahead;
    int32_t again;      // s was too small for the last step, which is made again
    int32_t iterations; // since the start
    int32_t restarts;
    int32_t n_stuck; // since the least has fallen
} pl_apg_state;

#endif
