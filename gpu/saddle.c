#include "saddle.h"

#include <string.h>

// --- M as a band ---

static pl_status find_places(pl_gpu_saddle *s, const pl_saddle *K)
{
    int32_t n = K->lcp->n;
    PL_TRY(pl_reserve((void **)&s->place, &s->place_capacity, n, sizeof *s->place));
    PL_TRY(pl_reserve((void **)&s->list, &s->list_capacity, n, sizeof *s->list));
    for (int32_t k = 0; k < n; k++) s->place[K->order != NULL ? K->order[k] : k] = k;
    s->n = n;
    s->rho = 0;
    for (int32_t j = 0; j < n; j++) {
        for (int64_t k = K->lcp->col[j]; k < K->lcp->col[j + 1]; k++) {
            s->rho = PL_MAX(s->rho, s->place[K->lcp->row[k]] - s->place[j]);
        }
    }
    return PL_OK;
}

static pl_status send_matrix(pl_gpu_saddle *s, const pl_lcp *lcp)
{
    int64_t entries = pl_band_entries(s->n, s->rho);
    if (entries > PL_SADDLE_MOST / 8) {
        return pl_fail(PL_ERROR_MEMORY, "a band of %d rows, %d beside the diagonal, is too large",
                       (int)s->n, (int)s->rho);
    }
    PL_TRY(pl_gpu_reserve(s->gpu, &s->H, entries, sizeof(double)));
    PL_TRY(pl_gpu_reserve(s->gpu, &s->row, s->n, sizeof(int32_t)));
    double *val = pl_alloc_zero(entries, sizeof *val);
    if (val == NULL) return PL_ERROR_MEMORY;
    for (int32_t j = 0; j < s->n; j++) {
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int64_t below = s->place[lcp->row[k]] - s->place[j];
            if (below >= 0) val[below + s->place[j] * ((int64_t)s->rho + 1)] = lcp->val[k];
        }
    }
    pl_gpu_write(s->gpu, &s->H, 0, 8 * entries, val);
    pl_free(val);
    return PL_OK;
}

static pl_status open_saddle(void *user, const pl_saddle *K, void **work)
{
    pl_gpu_saddles *all = user;
    PL_ASSERT(all->n_open < PL_GPU_SADDLES);
    pl_gpu_saddle *s = &all->saddle[all->n_open];
    s->gpu = all->gpu;
    PL_TRY(find_places(s, K));
    PL_TRY(send_matrix(s, K->lcp));
    all->n_open++;
    *work = s;
    return PL_OK;
}

// --- Factors and solves ---

static pl_status factor(void *work, const pl_saddle *K, int32_t rho, int32_t *good)
{
    pl_gpu_saddle *s = work;
    s->n_free = K->n_free;
    for (int32_t k = 0; k < K->n_free; k++) s->list[k] = s->place[K->row[k]];
    PL_TRY(pl_gpu_band_start(s->gpu, s->n_free, rho, &s->band));
    pl_gpu_write(s->gpu, &s->row, 0, 4 * (int64_t)s->n_free, s->list);
    int64_t entries = pl_band_entries(s->n_free, rho);
    pl_gpu_launch(s->gpu, "band_free", entries,
                  PL_ARGS(PL_ARG(s->n), PL_ARG(s->rho), PL_ARG(&s->H), PL_ARG(s->n_free),
                          PL_ARG(rho), PL_ARG(&s->row), PL_ARG(&s->band.val)));
    pl_gpu_note(s->gpu, 16 * (double)entries, 0);
    return pl_gpu_band_factor(s->gpu, &s->band, true, good);
}

static pl_status solve(void *work, int32_t k, double *rhs)
{
    pl_gpu_saddle *s = work;
    int64_t size = 8 * (int64_t)s->n_free * k;
    PL_TRY(pl_gpu_reserve(s->gpu, &s->rhs, (int64_t)s->n_free * k, sizeof(double)));
    pl_gpu_write(s->gpu, &s->rhs, 0, size, rhs);
    PL_TRY(pl_gpu_band_solve(s->gpu, &s->band, k, &s->rhs));
    return pl_gpu_read(s->gpu, &s->rhs, 0, size, rhs);
}

void pl_gpu_saddles_create(pl_gpu *gpu, pl_gpu_saddles *out)
{
    *out = (pl_gpu_saddles){.gpu = gpu};
    out->engine = (pl_saddle_engine){out, open_saddle, factor, solve};
}

void pl_gpu_saddles_reset(pl_gpu_saddles *s)
{
    s->n_open = 0;
}

void pl_gpu_saddles_free(pl_gpu_saddles *s)
{
    for (int32_t i = 0; i < PL_GPU_SADDLES; i++) {
        pl_gpu_saddle *one = &s->saddle[i];
        pl_gpu_drop(s->gpu, &one->H);
        pl_gpu_drop(s->gpu, &one->row);
        pl_gpu_drop(s->gpu, &one->rhs);
        pl_gpu_band_free(s->gpu, &one->band);
        pl_free(one->place);
        pl_free(one->list);
    }
    *s = (pl_gpu_saddles){0};
}
