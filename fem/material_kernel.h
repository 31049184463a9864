// Energy density, its gradient and its second derivatives, over the principal stretches s of
// F = U diag(s) V^T (svd3.h). A kernel: see lanes.h. Internal.
//
// An isotropic energy is a symmetric function psi(s). With g = d psi / ds and h = d^2 psi / ds^2,
//
//   P(F) = U diag(g) V^T                                                          [VJ19, Eq. 1]
//
// and dP/dF in the frame of U and V falls apart into the 3x3 matrix h on the diagonal entries, and
// for each pair i < j into a 2x2 matrix on the entries ij and ji, with eigenvectors (1, 1) and (1,
// -1):
//
//   flip_ij  = (g_i - g_j) / (s_i - s_j)      twist_ij = (g_i + g_j) / (s_i + s_j)
//
// [Stomakhin et al. 2012; Smith et al. 2019]. So the eigenvalues of dP/dF are those of h, the flips
// and the twists, and projecting it to positive semi-definite is clamping them. Each material
// writes flip without the quotient, which loses all digits for equal stretches. A twist has a true
// pole where s_i + s_j = 0, which takes an inverted element: there the rotation is not defined.

#ifndef PL_MATERIAL_KERNEL_H
#define PL_MATERIAL_KERNEL_H

#include "material.h"
#include "polar3.h"

// Pairs and the third index: (0,1|2), (0,2|1), (1,2|0).
typedef struct pl_stress {
    real energy;            // psi [J/m^3]
    real g[3];              // [Pa]
    real h[6];              // 00, 11, 22, 01, 02, 12 [Pa]
    real flip[3], twist[3]; // of the pairs 01, 02, 12 [Pa]
} pl_stress;

static const int pl_pair[3][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};

// psi = mu |F - R|^2 + lambda/2 tr^2(S - I) with F = R S: linear elasticity seen from the rotated
// element [Mueller & Gross 2004]. Its gradient is exactly their force.
PL_KERNEL void pl_stress_corotational(const pl_material *m, const real s[3], pl_stress *out)
{
    real trace = s[0] + s[1] + s[2] - 3, square = real_of(0);
    for (int i = 0; i < 3; i++) {
        real e = s[i] - 1;
        square += e * e;
        out->g[i] = 2 * m->mu * e + m->lambda * trace;
        out->h[i] = real_of(2 * m->mu + m->lambda);
        out->h[3 + i] = real_of(m->lambda);
        out->flip[i] = real_of(2 * m->mu);
    }
    out->energy = m->mu * square + 0.5 * m->lambda * trace * trace;
}

// psi = mu |F - R|^2 + lambda/2 (J - 1)^2 [Stomakhin et al. 2012]
PL_KERNEL void pl_stress_fixed_corotated(const pl_material *m, const real s[3], pl_stress *out)
{
    real j1 = s[0] * s[1] * s[2] - 1, square = real_of(0);
    for (int i = 0; i < 3; i++) {
        real e = s[i] - 1, cofactor = s[(i + 1) % 3] * s[(i + 2) % 3];
        square += e * e;
        out->g[i] = 2 * m->mu * e + m->lambda * j1 * cofactor;
        out->h[i] = 2 * m->mu + m->lambda * cofactor * cofactor;
    }
    for (int p = 0; p < 3; p++) {
        int i = pl_pair[p][0], j = pl_pair[p][1], k = pl_pair[p][2];
        out->h[3 + p] = m->lambda * (s[j] * s[k] * s[i] * s[k] + j1 * s[k]);
        out->flip[p] = 2 * m->mu - m->lambda * j1 * s[k];
    }
    out->energy = m->mu * square + 0.5 * m->lambda * j1 * j1;
}

// psi = mu/4 sum (s^2 - 1)^2 + lambda/8 (sum (s^2 - 1))^2: St. Venant-Kirchhoff
PL_KERNEL void pl_stress_stvk(const pl_material *m, const real s[3], pl_stress *out)
{
    real trace = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - 3, square = real_of(0);
    for (int i = 0; i < 3; i++) {
        real s2 = s[i] * s[i], e = s2 - 1;
        square += e * e;
        out->g[i] = s[i] * (m->mu * e + 0.5 * m->lambda * trace);
        out->h[i] = m->mu * (3 * s2 - 1) + m->lambda * (0.5 * trace + s2);
    }
    for (int p = 0; p < 3; p++) {
        real si = s[pl_pair[p][0]], sj = s[pl_pair[p][1]];
        out->h[3 + p] = m->lambda * si * sj;
        out->flip[p] = m->mu * (si * si + si * sj + sj * sj - 1) + 0.5 * m->lambda * trace;
    }
    out->energy = 0.25 * m->mu * square + 0.125 * m->lambda * trace * trace;
}

// Mooney-Rivlin, and neo-Hookean as its case c2 = 0. With e_i = log s_i, log J = e_0 + e_1 + e_2
// and
//
//   psi = c1 (I1 - 3) + c2 (I2 - 3) - k sum e + l/2 (sum e)^2.
//
// The logarithm is continued by its tangent below the stretch s0: what Stomakhin et al. [2012] do
// to psi along lines in the space of stretches, done to its one singular part. Then psi is defined
// for every F, and rest is its only stationary point (c2 = 0, l >= 0): g_i = 2 c1 s_i + e'_i (l sum
// e - k) = 0 with e' = 1 / max(s, s0) > 0 asks for stretches of one sign, all on the same side of
// s0, and so for s = 1. A psi continued linearly in J, in contrast, has a minimum where the element
// has shrunk to a point. Without a limit s0 is next to nothing, and psi infinite there and below;
// what continues the derivatives is there to be finite, not to be followed.
PL_KERNEL void pl_stress_mooney_rivlin(const pl_material *m, const real s[3], pl_stress *out)
{
    real e[3], inverse[3], a[3];
    for (int i = 0; i < 3; i++) {
        real bounded = real_max(s[i], real_of(m->s0));
        inverse[i] = 1 / bounded;
        e[i] = real_log(bounded) + (s[i] - bounded) * inverse[i];
        a[i] = (s[i] - 1) * (s[i] + 1);
    }
    real sum = e[0] + e[1] + e[2], pull = m->l * sum - m->k;
    for (int i = 0; i < 3; i++) {
        real sj = s[(i + 1) % 3], sk = s[(i + 2) % 3];
        real others = sj * sj + sk * sk;
        real bend = real_select(s[i] > m->s0, -inverse[i] * inverse[i], real_of(0)); // e''
        out->g[i] = 2 * s[i] * (m->c1 + m->c2 * others) + pull * inverse[i];
        out->h[i] = 2 * (m->c1 + m->c2 * others) + m->l * inverse[i] * inverse[i] + pull * bend;
    }
    for (int p = 0; p < 3; p++) {
        int i = pl_pair[p][0], j = pl_pair[p][1], k = pl_pair[p][2];
        out->h[3 + p] = 4 * m->c2 * s[i] * s[j] + m->l * inverse[i] * inverse[j];
        // (e'_i - e'_j) / (s_i - s_j) = -slope e'_i e'_j, where slope is that of max(s, s0) between
        // the two: 1 above s0, 0 below, and a quotient without cancellation across it. s_i >= s_j.
        real slope = real_select(s[j] > m->s0, real_of(1), (s[i] - m->s0) / (s[i] - s[j]));
        slope = real_select(s[i] > m->s0, slope, real_of(0));
        // 2 c2 (s_i (s_j^2 + s_k^2) - s_j (s_i^2 + s_k^2)) / (s_i - s_j) = 2 c2 (s_k^2 - s_i s_j)
        out->flip[p] = 2 * (m->c1 + m->c2 * (s[k] * s[k] - s[i] * s[j])) -
                       pull * slope * inverse[i] * inverse[j];
    }
    // I1 - 3 and I2 - 3 from s^2 - 1: psi is small near rest, where the stretches' own sums are
    // not.
    real i1 = a[0] + a[1] + a[2], i2 = 2 * i1 + (a[0] * a[1] + a[0] * a[2] + a[1] * a[2]);
    out->energy = m->c1 * i1 + m->c2 * i2 + sum * (0.5 * m->l * sum - m->k);
    if (m->barrier) out->energy = real_select(s[2] > m->s0, out->energy, real_of(INFINITY));
}

PL_KERNEL void pl_stress_evaluate(const pl_material *m, const real s[3], pl_stress *out)
{
    switch (m->kind) {
    case PL_MATERIAL_COROTATIONAL:
        pl_stress_corotational(m, s, out);
        break;
    case PL_MATERIAL_FIXED_COROTATED:
        pl_stress_fixed_corotated(m, s, out);
        break;
    case PL_MATERIAL_STVK:
        pl_stress_stvk(m, s, out);
        break;
    default: // Mooney-Rivlin and its special case
        pl_stress_mooney_rivlin(m, s, out);
        break;
    }
    for (int p = 0; p < 3; p++) {
        int i = pl_pair[p][0], j = pl_pair[p][1];
        real sum = real_max(s[i] + s[j], real_of(PL_POLAR3_POLE)); // s_i >= |s_j|: never negative
        out->twist[p] = (out->g[i] + out->g[j]) / sum;
    }
}

// --- Projection to positive semi-definite ---

// Multiplies the negative eigenvalues of dP/dF by 1 - share: 1 makes it positive semi-definite, 0
// leaves it as it is.
PL_KERNEL void pl_stress_project(pl_stress *stress, double share)
{
    const double keep = 1 - share;
    real *h = stress->h, s[6] = {h[0], h[1], h[2], h[3], h[5], h[4]};
    pl_eigen3_project(s, share);
    for (int k = 0; k < 6; k++) h[k] = s[k < 4 ? k : 9 - k];
    for (int p = 0; p < 3; p++) {
        stress->flip[p] = real_max(stress->flip[p], keep * stress->flip[p]);
        stress->twist[p] = real_max(stress->twist[p], keep * stress->twist[p]);
    }
}

#endif
