#include "direct.h"
#include "cholesky.h"

#include <math.h>

// Multiplications of 3x3 blocks in a factorization, at most.
static const double MOST_WORK = 1e8;

// y (3*order.n) := b - A x, in the order of elimination.
static void take_residual(const pl_bsr *A, const pl_order *order, const double *b, const double *x,
                          double *r, double *y)
{
    pl_bsr_multiply(A, x, r);
    for (int64_t i = 0; i < order->n; i++) {
        int64_t block = order->block[i];
        for (int k = 0; k < 3; k++) y[3 * i + k] = b[3 * block + k] - r[3 * block + k];
    }
}

pl_status pl_direct_improve(pl_arena *arena, const pl_bsr *A, const double *b, const uint8_t *fixed,
                            double *x, bool *done)
{
    pl_cholesky G;
    *done = false;
    if (A->n > PL_DIRECT_BLOCKS) return PL_OK;
    pl_arena_reset(arena);
    PL_TRY(pl_cholesky_analyze(A, fixed, arena, &G));
    if (pl_cholesky_work_count(&G) > MOST_WORK) return PL_OK;
    PL_TRY(pl_cholesky_take(&G, arena));
    double *r = pl_arena_take(arena, 3 * (int64_t)A->n, sizeof *r);
    double *y = pl_arena_take(arena, 3 * (int64_t)A->n, sizeof *y), sum = 0;
    if (r == NULL || y == NULL) return PL_ERROR_MEMORY;
    if (pl_cholesky_factor(&G, A) != PL_OK) return PL_OK;
    take_residual(A, &G.order, b, x, r, y);
    pl_cholesky_solve(&G, 0, G.order.n, 1, y);
    for (int64_t i = 0; i < 3 * (int64_t)G.order.n; i++) sum += y[i];
    if (!isfinite(sum)) return PL_OK;
    for (int64_t i = 0; i < G.order.n; i++) {
        double *to = x + 3 * (int64_t)G.order.block[i];
        for (int k = 0; k < 3; k++) to[k] += y[3 * i + k];
    }
    *done = true;
    return PL_OK;
}
