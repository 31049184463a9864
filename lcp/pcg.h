// Preconditioned conjugate gradients on a reduced system. Internal.

#ifndef PL_LCP_PCG_H
#define PL_LCP_PCG_H

#include "linear.h"
#include "precond.h"

typedef struct pl_pcg {
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    const pl_lcp_work *work;
    pl_lcp_stats *stats;
    pl_lcp_reduced A;     // M_FF
    pl_precond P;         // of it
    double *r, *z, *q;    // (n) the residual, P^-1 r, the direction
    double *Aq;           // (n)
    double sum_imaginary; // of shares, over factors
} pl_pcg;

pl_status pl_pcg_make(const pl_lcp *lcp, const pl_lcp_options *options, const pl_lcp_work *work,
                      pl_lcp_stats *stats, pl_pcg *p);

// A and P of the sets; false: P does not exist.
bool pl_pcg_factor(pl_pcg *p, const pl_lcp_sets *sets, const double *shift);

// Aq := A q; returns q^T A q.
double pl_pcg_curvature(pl_pcg *p);

// q := z for the first of r, with z = P^-1 r; returns r^T z.
double pl_pcg_begin(pl_pcg *p);

// r -= alpha A q and what follows from it: z, q := z + beta q. `rz` is r^T z before; returns it
// after.
double pl_pcg_advance(pl_pcg *p, double alpha, double rz);

double pl_pcg_dot(int32_t n, const double *a, const double *b);

#endif
