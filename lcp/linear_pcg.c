// The reduced system by preconditioned conjugate gradients [Ho22, Alg. 8], from 0 until |r|_2 is at
// the tolerance or the limit is reached. |r| is absolute, in the unit of w, as printed.

#include "pcg.h"

#include <string.h>

enum { LOOK_AT_CLOCK = 64 };

pl_status pl_pcg_make(const pl_lcp *lcp, const pl_lcp_options *options, const pl_lcp_work *work,
                      pl_lcp_stats *stats, pl_pcg *p)
{
    *p = (pl_pcg){.lcp = lcp, .options = options, .work = work, .stats = stats};
    PL_TRY(pl_lcp_reduced_make(work->arena, lcp, &p->A));
    PL_TRY(pl_precond_make(lcp, options, work->arena, &p->P));
    p->r = pl_arena_take(work->arena, lcp->n, sizeof *p->r);
    p->z = pl_arena_take(work->arena, lcp->n, sizeof *p->z);
    p->q = pl_arena_take(work->arena, lcp->n, sizeof *p->q);
    p->Aq = pl_arena_take(work->arena, lcp->n, sizeof *p->Aq);
    bool ok = p->r != NULL && p->z != NULL && p->q != NULL && p->Aq != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

bool pl_pcg_factor(pl_pcg *p, const pl_lcp_sets *sets, const double *shift)
{
    int64_t shifts = p->P.shifts;
    pl_lcp_reduce(p->lcp, sets, shift, false, &p->A);
    bool ok = pl_precond_factor(&p->P, &p->A);
    p->stats->factorizations++;
    p->stats->shifts += p->P.shifts - shifts;
    if (p->A.n > 0) p->sum_imaginary += (double)p->P.n_imaginary / p->A.n;
    p->stats->imaginary = p->sum_imaginary / (double)p->stats->factorizations;
    return ok;
}

double pl_pcg_dot(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// A is symmetric: its columns are its rows.
double pl_pcg_curvature(pl_pcg *p)
{
    double sum = 0;
    for (int32_t i = 0; i < p->A.n; i++) {
        double row = 0;
        for (int64_t k = p->A.col[i]; k < p->A.col[i + 1]; k++) {
            row += p->A.val[k] * p->q[p->A.row[k]];
        }
        p->Aq[i] = row;
        sum += p->q[i] * row;
    }
    return sum;
}

double pl_pcg_begin(pl_pcg *p)
{
    pl_precond_apply(&p->P, p->r, p->z);
    memcpy(p->q, p->z, (size_t)p->A.n * sizeof *p->q);
    p->stats->solves++;
    return pl_pcg_dot(p->A.n, p->r, p->z);
}

double pl_pcg_advance(pl_pcg *p, double alpha, double rz)
{
    for (int32_t i = 0; i < p->A.n; i++) p->r[i] -= alpha * p->Aq[i];
    pl_precond_apply(&p->P, p->r, p->z);
    p->stats->solves++;
    double now = pl_pcg_dot(p->A.n, p->r, p->z), beta = now / rz;
    for (int32_t i = 0; i < p->A.n; i++) p->q[i] = p->z[i] + beta * p->q[i];
    return now;
}

// --- As a solver of the reduced system ---

static pl_status start(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                       pl_lcp_stats *stats, void **self, pl_lcp_end *end)
{
    pl_pcg *p = pl_arena_take(work->arena, 1, sizeof *p);
    if (p == NULL) return PL_ERROR_MEMORY;
    PL_TRY(pl_pcg_make(lcp, options, work, stats, p));
    *self = p;
    (void)end;
    return PL_OK;
}

static pl_status factor(void *self, const pl_lcp_sets *sets, const double *shift, pl_lcp_end *end)
{
    if (!pl_pcg_factor(self, sets, shift)) *end = PL_LCP_BREAKDOWN;
    return PL_OK;
}

static pl_status solve(void *self, double *b, pl_lcp_end *end)
{
    pl_pcg *p = self;
    int32_t n = p->A.n;
    memcpy(p->r, b, (size_t)n * sizeof *b);
    memset(b, 0, (size_t)n * sizeof *b);
    double rz = pl_pcg_begin(p);
    for (int32_t k = 0; k < p->options->max_inner; k++) {
        if (!(sqrt(pl_pcg_dot(n, p->r, p->r)) > p->options->inner_tolerance)) break;
        double curvature = pl_pcg_curvature(p);
        if (!(curvature > 0 && rz > 0 && isfinite(rz / curvature))) {
            *end = PL_LCP_BREAKDOWN;
            return PL_OK;
        }
        double alpha = rz / curvature;
        for (int32_t i = 0; i < n; i++) b[i] += alpha * p->q[i];
        rz = pl_pcg_advance(p, alpha, rz);
        p->stats->inner++;
        if (k % LOOK_AT_CLOCK == LOOK_AT_CLOCK - 1 && pl_lcp_is_late(p->work, p->options)) {
            *end = PL_LCP_TIME;
            return PL_OK;
        }
    }
    return PL_OK;
}

const pl_bpp_linear pl_bpp_pcg = {.start = start, .factor = factor, .solve = solve};

pl_status pl_lcp_bpp_pcg(const pl_lcp *lcp, const pl_lcp_options *options, pl_lcp_work *work,
                         double *x, pl_lcp_stats *stats)
{
    return pl_bpp_run(&pl_bpp_pcg, PL_BPP_BLOCK, lcp, options, work, x, stats);
}
