// See polish.h. The change of x is solved for, not x itself, and again for what is left, with a
// diagonal shift that keeps a singular matrix from breaking down: if w = 0 has solutions there, a
// few rounds find the one that is about the nearest to x.

#include "polish.h"

#include "../base/hash.h"

#include <string.h>

enum { ROUNDS = 4 };

static const double SHIFT = 1e-10; // parts of M_ii

pl_status pl_polish_take(int32_t n, pl_arena *arena, pl_polish *out)
{
    *out = (pl_polish){0};
    out->free = pl_arena_take(arena, n, sizeof *out->free);
    out->x = pl_arena_take(arena, n, sizeof *out->x);
    out->w = pl_arena_take(arena, n, sizeof *out->w);
    out->shift = pl_arena_take(arena, n, sizeof *out->shift);
    bool ok = out->free != NULL && out->x != NULL && out->w != NULL && out->shift != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

bool pl_polish_is_due(pl_polish *p, int32_t n, int32_t steady)
{
    uint64_t set = pl_hash(PL_HASH_START, p->free, (size_t)n);
    p->steady = set == p->set ? p->steady + 1 : 0;
    p->set = set;
    if (p->steady < steady || set == p->tried) return false;
    p->tried = set;
    return true;
}

bool pl_polish_solve(pl_polish *p, pl_shifted *s, const pl_lcp_work *work, const double *x,
                     pl_lcp_stats *stats, double *error)
{
    const pl_lcp *lcp = s->lcp;
    int32_t n = lcp->n;
    double least = INFINITY;
    memcpy(p->x, x, (size_t)n * sizeof *p->x);
    for (int32_t i = 0; i < n; i++) p->shift[i] = SHIFT * (work->diag[i] > 0 ? work->diag[i] : 1);
    if (!pl_shifted_factor(s, p->shift, p->free, stats)) return false;
    for (int round = 0; round < ROUNDS; round++) {
        double size = 0;
        pl_lcp_multiply(lcp, p->x, p->w);
        for (int32_t i = 0; i < n; i++) size = fmax(size, p->free[i] != 0 ? fabs(p->w[i]) : 0);
        if (!(size < 0.5 * least)) break; // no more to gain
        least = size;
        pl_shifted_solve(s, p->w, p->w, stats);
        for (int32_t i = 0; i < n; i++) p->x[i] -= p->free[i] != 0 ? p->w[i] : 0;
    }
    for (int32_t i = 0; i < n; i++) p->x[i] = pl_lcp_clamp(p->x[i], lcp->lo[i], lcp->hi[i]);
    pl_lcp_multiply(lcp, p->x, p->w);
    *error = pl_lcp_natural(lcp, work->diag, p->x, p->w);
    return isfinite(*error);
}
