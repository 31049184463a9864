// See shifted.h.

#include "shifted.h"
#include "dense.h"

#include <string.h>

pl_status pl_shifted_take(const pl_lcp *lcp, pl_arena *arena, pl_shifted *out)
{
    int64_t n = lcp->n;
    *out = (pl_shifted){.lcp = lcp, .fits = n * n * (int64_t)sizeof(double) <= PL_DENSE_MOST};
    if (!out->fits) return PL_OK;
    out->row = pl_arena_take(arena, n, sizeof *out->row);
    out->place = pl_arena_take(arena, n, sizeof *out->place);
    out->A = pl_arena_take(arena, n * n, sizeof *out->A);
    out->b = pl_arena_take(arena, n, sizeof *out->b);
    out->pivot = pl_arena_take(arena, n, sizeof *out->pivot);
    bool ok = out->row != NULL && out->place != NULL && out->A != NULL && out->b != NULL &&
              out->pivot != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

static void fill(pl_shifted *s, const double *shift)
{
    const pl_lcp *lcp = s->lcp;
    int64_t n = s->n;
    memset(s->A, 0, (size_t)(n * n) * sizeof *s->A);
    for (int32_t c = 0; c < s->n; c++) {
        int32_t j = s->row[c];
        double *column = s->A + c * n;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t r = s->place[lcp->row[k]];
            if (r >= 0) column[r] = lcp->val[k];
        }
        column[c] += shift[j];
    }
}

bool pl_shifted_factor(pl_shifted *s, const double *shift, const uint8_t *free, pl_lcp_stats *stats)
{
    s->n = 0;
    for (int32_t i = 0; i < s->lcp->n; i++) {
        s->place[i] = free == NULL || free[i] != 0 ? s->n : -1;
        if (s->place[i] >= 0) s->row[s->n++] = i;
    }
    stats->factorizations++;
    if (s->lcp->symmetric) {
        fill(s, shift);
        s->cholesky = pl_dense_cholesky(s->n, s->A, s->n, s->b) == s->n;
        if (s->cholesky) return true;
        stats->factorizations++;
    }
    s->cholesky = false;
    fill(s, shift);
    return pl_dense_lu(s->n, s->A, s->n, s->pivot, s->b) == s->n;
}

void pl_shifted_solve(pl_shifted *s, const double *b, double *x, pl_lcp_stats *stats)
{
    for (int32_t r = 0; r < s->n; r++) s->b[r] = b[s->row[r]];
    if (s->cholesky) {
        pl_dense_cholesky_solve(s->n, s->A, s->n, s->b);
    } else {
        pl_dense_lu_solve(s->n, s->A, s->n, s->pivot, s->b);
    }
    for (int32_t r = 0; r < s->n; r++) x[s->row[r]] = s->b[r];
    stats->solves++;
}
