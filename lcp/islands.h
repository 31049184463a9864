// Problems that fall apart: rows that no entry of M connects, solved one island after the other.
// Internal.

#ifndef PL_LCP_ISLANDS_H
#define PL_LCP_ISLANDS_H

#include "lcp.h"

// The same as solver->solve, for each island by itself; in one piece if there is one island only.
// Counts are sums over islands, of which each may take max_iterations; the end is the first that is
// not PL_LCP_SOLVED. What a trace sees is the error of the island at hand.
pl_status pl_lcp_solve_islands(const pl_lcp_solver *solver, const pl_lcp *lcp,
                               const pl_lcp_options *options, pl_lcp_work *work, double *x,
                               pl_lcp_stats *stats);

#endif
