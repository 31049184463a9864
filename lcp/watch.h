// When an iterative solver ends, and which x it leaves. Internal.

#ifndef PL_LCP_WATCH_H
#define PL_LCP_WATCH_H

#include "lcp.h"

typedef struct pl_lcp_watch {
    int32_t patience; // iterations without a lower error before the solver has stalled
    int32_t since;    // the lowest one
    double first;     // error, of the start
    double least;     // error so far,
    double *best;     // (n) and its x
} pl_lcp_watch;

pl_status pl_lcp_watch_make(const pl_lcp *lcp, int32_t patience, pl_lcp_work *work,
                            pl_lcp_watch *out);

// Before iteration stats->iterations, with w = M x + q: traces, and looks at the error, which goes
// to *error. False, with stats->end set, if the solver must return; x is then the best one seen.
bool pl_lcp_watch_look(pl_lcp_watch *watch, const pl_lcp *lcp, const pl_lcp_options *options,
                       const pl_lcp_work *work, double *x, const double *w, pl_lcp_stats *stats,
                       double *error);

// Leaves for a reason of the solver's own, with the best x.
void pl_lcp_watch_leave(const pl_lcp_watch *watch, const pl_lcp *lcp, pl_lcp_end end, double *x,
                        pl_lcp_stats *stats);

#endif
