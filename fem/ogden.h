// Ogden's material with one exponent, as a function of the stretches: tissue that stiffens as it is
// strained. A kernel: see lanes.h. Internal.
//
//   psi = 2 mu / alpha^2 sum (s_i^alpha - 1) - 2 mu / alpha log J + lambda/2 (log J)^2
//
// [Ogden 1972] with a compressible part of the neo-Hookean kind; alpha = 2 is neo-Hookean, and the
// limit alpha = 0 Hencky's material. In the logarithmic strains e_i = log s_i it is
//
//   psi = 2 mu sum Y(e_i) + lambda/2 (sum e)^2,   Y(e) = (exp(alpha e) - 1 - alpha e) / alpha^2,
//
// so that rest is the only stationary point for every alpha and lambda >= 0: with e' = ds/de > 0
//
//   g_i = e'_i q_i,   q_i = 2 mu Y'(e_i) + lambda sum e,   Y' = (exp(alpha e) - 1) / alpha
//
// vanishes only where all Y'(e_i), which have the signs of e_i, are the same and opposite to their
// sum. That stays so with two continuations, each of which leaves psi defined for every F:
//
// - e is continued by its tangent below the stretch s0, as in material_kernel.h;
// - Y is continued by its parabola of second order where alpha e is above PL_OGDEN_MOST, so that
//   numbers remain numbers (of single precision, in the solvers) in elements that are torn or, with
//   alpha < 0, inverted. With b = min(e, PL_OGDEN_MOST / alpha) on that side and X = exp(alpha b):
//   Y'' = X, Y' = (X - 1) / alpha + X (e - b), and Y likewise.
//
// Quotients of differences are written as means of what holds on either side of a bound, weighted
// by its share of the way, and of E(x) = (exp(x) - 1) / x, which has no cancellation.

#ifndef PL_OGDEN_H
#define PL_OGDEN_H

#include "constants.h"
#include "principal.h"

// At alpha e of this a fibre is 1e13 times as stiff as at rest.
#define PL_OGDEN_MOST 30.0

// A principal stretch.
typedef struct pl_ogden_strain {
    real s, bounded, log, inverse; // max(s, s0), its logarithm and its inverse, which is e'
    real e, b, X;
    real first, second; // Y', Y
} pl_ogden_strain;

PL_KERNEL void pl_ogden_strain_of(const pl_material *m, real s, pl_ogden_strain *out)
{
    out->s = s;
    out->bounded = real_max(s, real_of(m->s0));
    out->log = real_log(out->bounded);
    out->inverse = 1 / out->bounded;
    out->e = out->log + (s - out->bounded) * out->inverse;
    real_mask inside = m->alpha * out->e <= PL_OGDEN_MOST;
    out->b = real_select(inside, out->e, real_of(m->b));
    real quotient, second, x = m->alpha * out->b, beyond = out->e - out->b;
    out->X = real_exp(x);
    real_exp_quotients(x, &quotient, &second);
    real at_b = out->b * quotient;
    out->first = at_b + out->X * beyond;
    out->second = out->b * out->b * second + at_b * beyond + 0.5 * (out->X * beyond * beyond);
}

// (a - b) / (c - d), or 1 where c = d.
PL_KERNEL real pl_ogden_share(real top, real bottom)
{
    real_mask none = bottom == 0;
    return real_select(none, real_of(1), top / real_select(none, real_of(1), bottom));
}

// (g_i - g_j) / (s_i - s_j), s_i >= s_j.
PL_KERNEL real pl_ogden_flip(const pl_material *m, const pl_ogden_strain *i,
                             const pl_ogden_strain *j, real q_i)
{
    real quotient, second;
    // Of max(s, s0), of e, and of Y', each over the difference of what is in it.
    real slope = real_select(j->s > m->s0, real_of(1), (i->s - m->s0) / (i->s - j->s));
    slope = real_select(i->s > m->s0, slope, real_of(0));
    real_exp_quotients(i->log - j->log, &quotient, &second);
    real rise = slope / (j->bounded * quotient) + (1 - slope) * (1 / m->s0);
    real share = pl_ogden_share(i->b - j->b, i->e - j->e);
    real d = m->alpha * (i->b - j->b);
    real_exp_quotients(d, &quotient, &second);
    real_mask near = d * d < 1; // else nothing cancels, and exp d may be no number
    real mean = (i->X - j->X) / real_select(near, real_of(1), d);
    mean = real_select(near, j->X * quotient, mean);
    real bend = share * mean + (1 - share) * real_max(i->X, j->X);
    return 2 * m->mu * (bend * rise * j->inverse) - q_i * slope * (i->inverse * j->inverse);
}

PL_KERNEL void pl_stress_ogden(const pl_material *m, const real s[3], pl_stress *out)
{
    pl_ogden_strain a[3];
    real sum = real_of(0), energy = real_of(0), q[3];
    for (int i = 0; i < 3; i++) {
        pl_ogden_strain_of(m, s[i], &a[i]);
        sum += a[i].e;
        energy += a[i].second;
    }
    for (int i = 0; i < 3; i++) {
        real square = a[i].inverse * a[i].inverse;
        real bend = real_select(s[i] > m->s0, -square, real_of(0)); // e''
        q[i] = 2 * m->mu * a[i].first + m->lambda * sum;
        out->g[i] = q[i] * a[i].inverse;
        out->h[i] = (2 * m->mu * a[i].X + m->lambda) * square + q[i] * bend;
    }
    for (int p = 0; p < 3; p++) {
        int i = pl_pair[p][0], j = pl_pair[p][1];
        out->h[3 + p] = m->lambda * (a[i].inverse * a[j].inverse);
        out->flip[p] = pl_ogden_flip(m, &a[i], &a[j], q[i]);
    }
    out->energy = 2 * m->mu * energy + 0.5 * m->lambda * sum * sum;
    if (m->barrier) out->energy = real_select(s[2] > m->s0, out->energy, real_of(INFINITY));
}

#endif
