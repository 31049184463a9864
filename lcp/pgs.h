// Sweeps of projected Gauss-Seidel, which other solvers are built on. Internal.

#ifndef PL_LCP_PGS_H
#define PL_LCP_PGS_H

#include "lcp.h"

// One pass over all rows with the newest x; w = M x + q is kept up to date, column by column.
// PL_LCP_N_END, or why it stopped in a row that it can do nothing for: PL_LCP_UNBOUNDED if its
// diagonal is 0 and it pulls towards a bound that is infinite, PL_LCP_BREAKDOWN if the diagonal is
// below 0.
pl_lcp_end pl_lcp_sweep(const pl_lcp *lcp, const double *diag, double relaxation, double *x,
                        double *w);

#endif
