// Saddle point systems of working sets on a device, for pdasm, schurpa and staggered projections of
// ../lcp/, which drive it: M stays there as a band, M_FF is taken from it, factored, and solved
// with in blocks [Lit13, 6]. Internal.
//
// Unlike on the CPU, systems with a single right-hand side are solved in blocks, too: substitution
// row by row is no work for a device.

#ifndef PL_GPU_SADDLE_H
#define PL_GPU_SADDLE_H

#include "../lcp/saddle.h"
#include "band.h"

typedef struct pl_gpu_saddle {
    pl_gpu *gpu;
    int32_t n, rho, n_free;
    pl_gpu_buffer H;   // n * (rho + 1): M in the order of elimination
    pl_gpu_buffer row; // (n) free rows in that order
    pl_gpu_buffer rhs;
    pl_gpu_band band; // of M_FF
    int32_t *place;   // (n) where a row is in that order
    int32_t *list;    // (n) what goes to `row`
    int64_t place_capacity, list_capacity;
} pl_gpu_saddle;

enum { PL_GPU_SADDLES = 2 }; // those of contact and of friction

// Memory of systems that are used one solve after the other.
typedef struct pl_gpu_saddles {
    pl_saddle_engine engine;
    pl_gpu *gpu;
    int32_t n_open;
    pl_gpu_saddle saddle[PL_GPU_SADDLES];
} pl_gpu_saddles;

// `out` must stay where it is while its engine is in use. One solve at a time; before the next,
// pl_gpu_saddles_reset.
void pl_gpu_saddles_create(pl_gpu *gpu, pl_gpu_saddles *out);
void pl_gpu_saddles_reset(pl_gpu_saddles *s);
void pl_gpu_saddles_free(pl_gpu_saddles *s);

#endif
