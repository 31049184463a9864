// See watch.h.

#include "watch.h"

#include <string.h>

pl_status pl_lcp_watch_make(const pl_lcp *lcp, int32_t patience, pl_lcp_work *work,
                            pl_lcp_watch *out)
{
    *out = (pl_lcp_watch){.patience = patience, .least = INFINITY};
    out->best = pl_arena_take(work->arena, lcp->n, sizeof *out->best);
    return out->best == NULL ? PL_ERROR_MEMORY : PL_OK;
}

void pl_lcp_watch_leave(const pl_lcp_watch *watch, const pl_lcp *lcp, pl_lcp_end end, double *x,
                        pl_lcp_stats *stats)
{
    stats->end = end;
    if (watch->least < INFINITY) memcpy(x, watch->best, (size_t)lcp->n * sizeof *x);
}

bool pl_lcp_watch_look(pl_lcp_watch *watch, const pl_lcp *lcp, const pl_lcp_options *options,
                       const pl_lcp_work *work, double *x, const double *w, pl_lcp_stats *stats,
                       double *error)
{
    *error = pl_lcp_natural(lcp, work->diag, x, w);
    if (options->trace != NULL) options->trace(stats->iterations, *error, options->trace_user);
    if (stats->iterations == 0) watch->first = *error;
    watch->since++;
    if (*error < watch->least) {
        watch->least = *error;
        watch->since = 0;
        memcpy(watch->best, x, (size_t)lcp->n * sizeof *x);
    }
    pl_lcp_end end = *error <= options->tolerance                   ? PL_LCP_SOLVED
                     : !isfinite(*error)                            ? PL_LCP_BREAKDOWN
                     : watch->since >= watch->patience              ? PL_LCP_STALLED
                     : stats->iterations >= options->max_iterations ? PL_LCP_LIMIT
                     : pl_lcp_is_late(work, options)                ? PL_LCP_TIME
                                                                    : PL_LCP_N_END;
    if (end == PL_LCP_N_END) return true;
    pl_lcp_watch_leave(watch, lcp, end, x, stats);
    return false;
}
