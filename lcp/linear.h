// Solvers of the reduced system of block principal pivoting. Internal.

#ifndef PL_LCP_LINEAR_H
#define PL_LCP_LINEAR_H

#include "bpp.h"

extern const pl_bpp_linear pl_bpp_dense; // linear_dense.c
extern const pl_bpp_linear pl_bpp_pcg;   // linear_pcg.c

// linear_factor.c
extern const pl_bpp_linear pl_bpp_down;
extern const pl_bpp_linear pl_bpp_skyline;
extern const pl_bpp_linear pl_bpp_refactor_skyline;
extern const pl_bpp_linear pl_bpp_cache;
extern const pl_bpp_linear pl_bpp_auto;
// Not in the table of solvers: to measure.
extern const pl_bpp_linear pl_bpp_cache_dense;
extern const pl_bpp_linear pl_bpp_refactor_dense;

#ifdef PL_CXSPARSE // linear_sparse.c
extern const pl_bpp_linear pl_bpp_sparse;
extern const pl_bpp_linear pl_bpp_sparse_down;
#endif

#endif
