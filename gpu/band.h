// Banded symmetric positive definite systems on a device: factors, and solves with many right-hand
// sides in products of blocks [Lit13, Alg. 5.3], as lcp/band.h has them on the CPU. Internal.
//
// The factor is made in tiles of 32: of the tile on the diagonal (potrf), of the rows below it
// (trsm), and what is right of these less their products (syrk); n / 32 times. Then L is seen in
// blocks of s rows, the least multiple of 32 that is not less than rho; the inverses of those on
// the diagonal are made once, by halves from tiles on. A solve is 4 p - 2 products with p = ceil(n
// / s).

#ifndef PL_GPU_BAND_HOST_H
#define PL_GPU_BAND_HOST_H

#include "gpu.h"

typedef struct pl_gpu_band {
    int32_t n, rho;       // of the matrix at hand
    int32_t s, p;         // its blocks
    pl_gpu_buffer val;    // n * (rho + 1); kernels/band.h
    pl_gpu_buffer blocks; // s * s for each of p: the inverses
    pl_gpu_buffer scratch, turn, plan, fail;
    int64_t *host; // what the plan is made in
    int64_t host_capacity;
    int32_t n_level, n_plan; // rows of the plan of inverses, and of all
} pl_gpu_band;

void pl_gpu_band_free(pl_gpu *gpu, pl_gpu_band *band);

// Memory for a matrix of n rows, whose band is undefined.
pl_status pl_gpu_band_start(pl_gpu *gpu, int32_t n, int32_t rho, pl_gpu_band *band);

// val := L, and with `blocks` the inverses for solves. *good := n, or a column whose pivot is not
// positive; the factor is undefined then. Waits.
pl_status pl_gpu_band_factor(pl_gpu *gpu, pl_gpu_band *band, bool blocks, int32_t *good);

// B (n * k, column by column, a buffer of at least that) := H^-1 B. Returns at once.
pl_status pl_gpu_band_solve(pl_gpu *gpu, pl_gpu_band *band, int32_t k, const pl_gpu_buffer *B);

// Products of a banded B with dense A (n * m): one item per entry, or in tiles [Lit13, 6.4, 6.5].
void pl_gpu_band_multiply(pl_gpu *gpu, int32_t n, int32_t rho, const pl_gpu_buffer *B, int32_t m,
                          const pl_gpu_buffer *A, bool tiled, const pl_gpu_buffer *C);

#endif
