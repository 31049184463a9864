// Options of solvers by name: "psor.relaxation=1.8,bpp.p=20". Internal.

#ifndef PL_LCP_PARAMS_H
#define PL_LCP_PARAMS_H

#include "lcp.h"

// Sets those of `options` that the text gives for `solver`; those of other solvers are checked, and
// left. NULL is no text. Fails with PL_ERROR_ARGUMENT on an unknown solver or name, one that the
// solver does not have, or a value out of range, and names what there is.
pl_status pl_lcp_params_apply(const char *text, const char *solver, pl_lcp_options *options);

#endif
