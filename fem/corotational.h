// The co-rotational element [Mueller & Gross 2004] without its stretches: see element_kernel.h for
// what is the same for all materials. A kernel: see lanes.h. Internal.
//
// With F = V R and psi = mu |F - R|^2 + lambda/2 t^2, t = tr V - 3 = R : (F - R),
//
//   P = 2 mu (F - R) + lambda t R
//   dP = 2 mu dF + lambda (R : dF) R + kappa dR,   kappa = lambda t - 2 mu
//
// For dF = u b_b^T, with the turned gradients c_a = R b_a and dR of polar3.h,
//
//   dP b_a = (2 mu (c_a . c_b) I + lambda c_a c_b^T + kappa [c_a]x^T M [c_b]x) u.
//
// H = mu I + kappa M has as eigenvalues half the twists of material_kernel.h. They alone can be
// negative, so H is what is projected; at rest it is 0 (M = I/2, kappa = -2 mu), and what remains
// is linear elasticity seen from the turned element. Products with [c]x are saved by
//
//   [a]x^T H [b]x = (a . N b) I + (a . b) N - (N b) a^T - b (N a)^T,   N = tr H / 2 I - H,
//
// which follows from (tr N I - N) (b x v) = N b x v + b x N v, where tr N I - N = H. kappa M is H -
// mu I, whose N is N - mu/2 I =: E - 2 mu I, and with n_a = (E - 2 mu I) c_a in all
//
//   K_ab = w ((c_a . c_b) E + (c_a . n_b) I + lambda c_a c_b^T - n_b c_a^T - c_b n_a^T).

#ifndef PL_COROTATIONAL_H
#define PL_COROTATIONAL_H

#include "constants.h"
#include "polar3.h"

typedef struct pl_corotated {
    real r[9], m[6]; // see polar3.h
    real p[9];       // [Pa]
    real trace;      // t
    real energy;     // psi [J/m^3]
} pl_corotated;

PL_KERNEL void pl_corotated_deform(const pl_material *m, const real f[9], pl_corotated *out)
{
    pl_polar3(f, out->r, out->m);
    real square = real_of(0), t = real_of(0);
    for (int k = 0; k < 9; k++) {
        out->p[k] = f[k] - out->r[k];
        square += out->p[k] * out->p[k];
        t += out->r[k] * out->p[k];
    }
    for (int k = 0; k < 9; k++) out->p[k] = 2 * m->mu * out->p[k] + m->lambda * t * out->r[k];
    out->energy = m->mu * square + 0.5 * m->lambda * t * t;
    out->trace = t;
}

// e := w E, and n := w n_a of the turned gradients c (4 corners).
PL_KERNEL void pl_corotated_factors(const pl_material *m, const pl_corotated *d, real w,
                                    double project, const real c[4][3], real e[6], real n[4][3])
{
    real kappa = m->lambda * d->trace - 2 * m->mu, h[6];
    for (int k = 0; k < 6; k++) h[k] = kappa * d->m[k];
    for (int k = 0; k < 3; k++) h[k] = h[k] + m->mu;
    if (project > 0) pl_eigen3_project(h, project);
    real mean = 0.5 * (h[0] + h[1] + h[2]) - 0.5 * m->mu;
    for (int k = 0; k < 3; k++) {
        e[k] = w * (mean - h[k]);
        e[3 + k] = -(w * h[3 + k]);
    }
    for (int a = 0; a < 4; a++) {
        n[a][0] = e[0] * c[a][0] + e[3] * c[a][1] + e[5] * c[a][2];
        n[a][1] = e[3] * c[a][0] + e[1] * c[a][1] + e[4] * c[a][2];
        n[a][2] = e[5] * c[a][0] + e[4] * c[a][1] + e[2] * c[a][2];
    }
    for (int k = 0; k < 3; k++) e[k] += 2 * m->mu * w;
}

// The blocks K_ab of the edges 01, 02, 03, 12, 13, 23, for the rows b_1, b_2, b_3 of `shape`.
PL_KERNEL void pl_corotated_stiffness(const pl_material *m, const pl_corotated *d,
                                      const real shape[9], real w, double project, real k[6][9])
{
    const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    real c[4][3], e[6], n[4][3], lambda = m->lambda * w;
    for (int i = 0; i < 3; i++) {
        const real *r = d->r + 3 * i;
        for (int a = 1; a < 4; a++) {
            const real *b = shape + 3 * (a - 1);
            c[a][i] = r[0] * b[0] + r[1] * b[1] + r[2] * b[2];
        }
        c[0][i] = -(c[1][i] + c[2][i] + c[3][i]);
    }
    pl_corotated_factors(m, d, w, project, c, e, n);
    for (int a = 0, at = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++, at++) {
            real dot = c[a][0] * c[b][0] + c[a][1] * c[b][1] + c[a][2] * c[b][2];
            real bend = c[a][0] * n[b][0] + c[a][1] * n[b][1] + c[a][2] * n[b][2];
            for (int i = 0; i < 3; i++) {
                real pull = lambda * c[a][i];
                for (int j = 0; j < 3; j++) {
                    k[at][3 * i + j] = dot * e[place[3 * i + j]] + pull * c[b][j] -
                                       (n[b][i] * c[a][j] + c[b][i] * n[a][j]);
                }
                k[at][4 * i] += bend;
            }
        }
    }
}

#endif
