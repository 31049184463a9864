// Solvers of the reduced system of block principal pivoting. Internal.

#ifndef PL_LCP_LINEAR_H
#define PL_LCP_LINEAR_H

#include "bpp.h"

extern const pl_bpp_linear pl_bpp_dense; // linear_dense.c
extern const pl_bpp_linear pl_bpp_pcg;   // linear_pcg.c

#endif
