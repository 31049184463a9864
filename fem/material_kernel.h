// The materials as functions of the principal stretches (principal.h), and the projection of their
// second derivatives. A kernel: see lanes.h. Internal.

#ifndef PL_MATERIAL_KERNEL_H
#define PL_MATERIAL_KERNEL_H

#include "ogden.h"
#include "polar3.h"

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

// Stable neo-Hookean [Smith et al. 2018]: with I = sum s^2,
//
//   psi = mu/2 (I - 3) - mu/2 log((I + 1) / 4) + lambda/2 (J - alpha)^2 - lambda/2 (1 - alpha)^2
//
// less the constant that makes it 0 at rest. g_i = a s_i + lambda (J - alpha) s_j s_k with a = mu I
// / (I + 1) vanishes there for alpha = 1 + 3/4 mu / lambda, so that lambda (J - alpha) = lambda (J
// - 1) - 3/4 mu =: q. At rest h_ii = 7/8 mu + lambda and h_ij = lambda - 5/8 mu, which is linear
// elasticity with mu = 4/3 of Lame's and lambda = Lame's + 5/6 of Lame's mu (material.c). psi is
// smooth for every F. Other stationary points than rest: none with J = 0 but F = 0, where psi falls
// towards J > 0; else all s_i^2 are equal, and a = -q J / t^2 with |s_i| = t asks for 3 t / (3 t^2
// + 1) = lambda/mu (1 - t^3) + 3/4, which for lambda/mu >= 5/8, that is nu >= 0, t = 1 alone
// solves.
PL_KERNEL void pl_stress_stable_neo_hookean(const pl_material *m, const real s[3], pl_stress *out)
{
    real e[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    real square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    real pairs = e[0] * e[1] + e[0] * e[2] + e[1] * e[2], product = e[0] * e[1] * e[2];
    real j1 = (e[0] + e[1] + e[2]) + (pairs + product);           // J - 1
    real x = 0.25 * (2 * (e[0] + e[1] + e[2]) + square);          // (I - 3) / 4
    real inverse = 0.25 / (1 + x), a = m->snh_mu * (1 - inverse); // 1 / (I + 1)
    real q = m->snh_lambda * j1 - 0.75 * m->snh_mu;
    for (int i = 0; i < 3; i++) {
        real cofactor = s[(i + 1) % 3] * s[(i + 2) % 3], si = s[i] * inverse;
        out->g[i] = a * s[i] + q * cofactor;
        out->h[i] = a + 2 * m->snh_mu * si * si + m->snh_lambda * cofactor * cofactor;
    }
    for (int p = 0; p < 3; p++) {
        int i = pl_pair[p][0], j = pl_pair[p][1], k = pl_pair[p][2];
        real si = s[i] * inverse, sj = s[j] * inverse;
        out->h[3 + p] = 2 * m->snh_mu * si * sj + (m->snh_lambda * s[j] * s[k] * s[i] + q) * s[k];
        out->flip[p] = a - q * s[k];
    }
    // The terms of first order cancel: 3/8 mu (I - 3) - 3/4 mu (J - 1) leaves those of second.
    out->energy = 0.5 * m->snh_mu * (x - real_log1p(x)) +
                  0.375 * m->snh_mu * (square - 2 * (pairs + product)) +
                  0.5 * m->snh_lambda * j1 * j1;
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
    case PL_MATERIAL_STABLE_NEO_HOOKEAN:
        pl_stress_stable_neo_hookean(m, s, out);
        break;
    case PL_MATERIAL_OGDEN:
        pl_stress_ogden(m, s, out);
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
