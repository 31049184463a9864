// The reduced system by factors from which rows are removed, and its rivals, as solvers: the
// columns of [Lef20, Table 2.3], of which "full skyline" is ours, to be fair, and the choice.

#include "factor_sets.h"
#include "linear.h"

typedef struct factor_linear {
    pl_factor_sets sets;
    pl_lcp_stats *stats;
} factor_linear;

static pl_status start(pl_factor_way way, bool narrow, const pl_lcp *lcp,
                       const pl_lcp_options *options, pl_lcp_work *work, pl_lcp_stats *stats,
                       void **self, pl_lcp_end *end)
{
    factor_linear *f = pl_arena_take(work->arena, 1, sizeof *f);
    if (f == NULL) return PL_ERROR_MEMORY;
    f->stats = stats;
    *self = f;
    return pl_factor_sets_make(&f->sets, lcp, way, narrow, options->cache_bytes, work->arena, end);
}

static pl_status factor(void *self, const pl_lcp_sets *sets, const double *shift, pl_lcp_end *end)
{
    factor_linear *f = self;
    int64_t made = f->sets.made, taken = f->sets.taken;
    if (!pl_factor_sets_factor(&f->sets, sets, shift)) *end = PL_LCP_BREAKDOWN;
    f->stats->factorizations += f->sets.made - made;
    f->stats->updates += f->sets.taken - taken;
    return PL_OK;
}

static pl_status solve(void *self, double *b, pl_lcp_end *end)
{
    factor_linear *f = self;
    pl_factor_sets_solve(&f->sets, b);
    f->stats->solves++;
    (void)end;
    return PL_OK;
}

#define SOLVER(name, way, narrow)                                                                  \
    static pl_status start_##name(const pl_lcp *lcp, const pl_lcp_options *options,                \
                                  pl_lcp_work *work, pl_lcp_stats *stats, void **self,             \
                                  pl_lcp_end *end)                                                 \
    {                                                                                              \
        return start(way, narrow, lcp, options, work, stats, self, end);                           \
    }                                                                                              \
    const pl_bpp_linear pl_bpp_##name = {.start = start_##name, .factor = factor, .solve = solve}; \
    pl_status pl_lcp_bpp_##name(const pl_lcp *lcp, const pl_lcp_options *options,                  \
                                pl_lcp_work *work, double *x, pl_lcp_stats *stats)                 \
    {                                                                                              \
        return pl_bpp_run(&pl_bpp_##name, PL_BPP_BLOCK, lcp, options, work, x, stats);             \
    }

SOLVER(down, PL_FACTOR_REMOVE, false)
SOLVER(skyline, PL_FACTOR_REMOVE, true)
SOLVER(refactor_skyline, PL_FACTOR_ANEW, true)
SOLVER(refactor_dense, PL_FACTOR_ANEW, false)
SOLVER(cache, PL_FACTOR_CACHE, true)
SOLVER(cache_dense, PL_FACTOR_CACHE, false)
SOLVER(auto, PL_FACTOR_CHOOSE, true)
