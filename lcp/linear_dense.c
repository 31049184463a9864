// The reduced system by a dense factor from scratch for every set: Cholesky if M is symmetric, else
// LU with partial pivoting.

#include "dense.h"
#include "linear.h"

#include <string.h>

typedef struct dense_linear {
    const pl_lcp *lcp;
    pl_lcp_stats *stats;
    double *A;      // (ld * ld)
    int64_t ld;     // n of the problem
    double *least;  // (n) scratch
    int32_t *pivot; // (n) of LU
    int32_t n;      // of the factor
} dense_linear;

static pl_status start(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       pl_lcp_stats *stats, void **self, pl_lcp_end *end)
{
    (void)options;
    dense_linear *d = pl_arena_take(work->arena, 1, sizeof *d);
    if (d == NULL) return PL_ERROR_MEMORY;
    *d = (dense_linear){.lcp = lcp, .stats = stats, .ld = lcp->n};
    if (d->ld * d->ld * (int64_t)sizeof *d->A > PL_DENSE_MOST) {
        *end = PL_LCP_SIZE;
        return PL_OK;
    }
    d->A = pl_arena_take(work->arena, d->ld * d->ld, sizeof *d->A);
    d->least = pl_arena_take(work->arena, d->ld, sizeof *d->least);
    d->pivot = pl_arena_take(work->arena, d->ld, sizeof *d->pivot);
    if (d->A == NULL || d->least == NULL || d->pivot == NULL) return PL_ERROR_MEMORY;
    *self = d;
    return PL_OK;
}

static pl_status factor(void *self, const pl_lcp_sets *sets, const double *shift, pl_lcp_end *end)
{
    dense_linear *d = self;
    const pl_lcp *lcp = d->lcp;
    d->n = sets->n_free;
    d->ld = PL_MAX(1, d->n);
    for (int32_t c = 0; c < d->n; c++) {
        int32_t j = sets->list[c];
        double *column = d->A + c * d->ld;
        memset(column, 0, (size_t)d->n * sizeof *column);
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t r = sets->place[lcp->row[k]];
            if (r >= 0) column[r] = lcp->val[k];
        }
        if (shift != NULL) column[c] += shift[j];
    }
    int32_t done = lcp->symmetric ? pl_dense_cholesky(d->n, d->A, d->ld, d->least)
                                  : pl_dense_lu(d->n, d->A, d->ld, d->pivot, d->least);
    d->stats->factorizations++;
    if (done < d->n) *end = PL_LCP_BREAKDOWN;
    return PL_OK;
}

static pl_status solve(void *self, double *b, pl_lcp_end *end)
{
    const dense_linear *d = self;
    if (d->lcp->symmetric) {
        pl_dense_cholesky_solve(d->n, d->A, d->ld, b);
    } else {
        pl_dense_lu_solve(d->n, d->A, d->ld, d->pivot, b);
    }
    d->stats->solves++;
    (void)end;
    return PL_OK;
}

const pl_bpp_linear pl_bpp_dense = {.start = start, .factor = factor, .solve = solve};
