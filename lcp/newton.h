// The linear systems of Newton methods for complementarity. Internal.

#ifndef PL_LCP_NEWTON_H
#define PL_LCP_NEWTON_H

#include "equations.h"
#include "krylov.h"
#include "shifted.h"

typedef struct pl_lcp_newton {
    const pl_lcp *lcp;
    const pl_lcp_options *options;
    pl_lcp_work *work;
    pl_lcp_inner inner;
    pl_equations equations;
    double *scale;               // (n) M_ii, or 1 where it is not above 0
    double *F, *p, *q;           // (n) at the x of the last pl_lcp_newton_linearize
    double theta;                // |F|^2 / 2
    double first;                // |F| at the start
    double resume;               // the error up to which the minimum map is used
    double *grad;                // (n) J^T F
    double *dx;                  // (n) the direction
    double *x;                   // (n) where the method is
    double *to, *to_w;           // (n) a trial
    double *b, *shift, *inverse; // (n) scratch
    uint8_t *free;               // (n) rows that are not eliminated
    pl_shifted shifted;
    pl_krylov krylov;
} pl_lcp_newton;

// Takes memory; lcp, options, work, inner, equations and x are set.
pl_status pl_lcp_newton_take(pl_lcp_newton *s);

pl_equation pl_lcp_newton_row(const pl_lcp_newton *s, int32_t i, double x, double w);

// F, J, theta and its gradient at x (n), with w = M x + q.
void pl_lcp_newton_linearize(pl_lcp_newton *s, const double *x, const double *w);

// J dx = -F, exactly, nearly, or perturbed; false if no factor exists.
bool pl_lcp_newton_direction(pl_lcp_newton *s, pl_lcp_stats *stats);

// dx := - the gradient, in the unit of x.
void pl_lcp_newton_steepest(pl_lcp_newton *s);

#endif
