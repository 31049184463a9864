// The condition number of a sparse matrix, estimated. Internal.

#ifndef PL_LCP_CONDITION_H
#define PL_LCP_CONDITION_H

#include "lcp.h"

// The ratio of the extreme singular values of M, as seen by `steps` steps of Lanczos's iteration on
// M (if it is symmetric) or M^T M, from a fixed start. Never above the true one but for rounding,
// and exact once steps reach n. INFINITY where the least is lost in rounding. For a symmetric M,
// *least is the smallest eigenvalue seen, which is below 0 if M is seen to be indefinite (NULL: not
// asked for).
pl_status pl_lcp_condition(const pl_lcp *lcp, int32_t steps, double *condition, double *least);

#endif
