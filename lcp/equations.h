// Complementarity written as equations F(x) = 0 that are Lipschitz but not smooth, and an element
// of their generalized Jacobian. Internal.
//
// Each F_i is a function of x_i and w_i = (M x + q)_i alone and 0 exactly where row i obeys, so
// that J = diag(p) + diag(q) M with the two partial derivatives p and q of each row. F is in the
// unit of w: ways from a bound are multiplied by `scale`, which is M_ii.
//
// - Fischer: phi(a, b) = sqrt(a^2 + b^2) - a - b [Fischer 1992] of a = scale (x - lo), b = w. Below
//   an upper bound alone, -phi(scale (hi - x), -w); between two, phi(scale (x - lo),
//   phi(scale (hi - x), -w)) [Billups 1995]; with neither, -w. |F|^2 / 2 is differentiable.
// - penalised: where both arguments of the outer phi are positive, with a product that grows faster
//   than phi: penalty phi(a, b) - (1 - penalty) max(a, 0) max(b, 0) / unit [Chen, Chen & Kanzow
//   2000]. The text has no units, and `unit` 1.
// - minimum map: scale x - clamp(scale x - w, scale lo, scale hi), which is min(scale x, w) for
//   lo = 0 without an upper bound [Erl13, "Minimum map"].

#ifndef PL_LCP_EQUATIONS_H
#define PL_LCP_EQUATIONS_H

#include "lcp.h"

typedef enum pl_lcp_form {
    PL_LCP_FORM_FISCHER,
    PL_LCP_FORM_PENALISED,
    PL_LCP_FORM_MINMAP
} pl_lcp_form;

typedef struct pl_equation {
    double value;  // F_i [unit of w]
    double dx, dw; // p_i [unit of M] and q_i [-]
} pl_equation;

typedef struct pl_equations {
    pl_lcp_form form;
    double penalty; // of the penalised form, above 0 and up to 1, where it is Fischer's
    double unit;    // of the same [unit of w]
} pl_equations;

// phi(a, b), without the cancellation of the formula where a + b > 0, with its partial derivatives.
// At 0, 0, where it has none, they are those at a = eps > 0: 0 and -1 [Erl13].
pl_equation pl_fischer(double a, double b);

pl_equation pl_equations_row(const pl_equations *equations, double scale, double lo, double hi,
                             double x, double w);

#endif
