// The polar decomposition of a 3x3 matrix, F = V R with a rotation R and V symmetric, and
//
//   M = (tr V I - V)^-1, by which R turns: dR = [w]x R with w = M a, where [a]x = dF R^T - R dF^T.
//
// (dF R^T = [w]x V + a symmetric matrix; its skew part is [w]x V + V [w]x = [(tr V I - V) w]x.) M
// has the eigenvectors of V and, for its stretches s, the eigenvalues 1 / (s_i + s_j).
//
// Newton's iteration X := (X + X^-T) / 2 from X = F is four or five steps of a few dozen
// operations; an element that is inverted or far from a rotation gets both from the stretches. A
// kernel: see lanes.h. Internal.

#ifndef PL_POLAR3_H
#define PL_POLAR3_H

#include "svd3.h"

enum { PL_POLAR3_STEPS = 12 }; // more than the worst F that it is used for needs

// Newton's iteration is used where det F is above this part of (|F|^2 / 3)^(3/2), of which it is at
// most the whole: stretches of about 1 : 10 pass.
#define PL_POLAR3_LEAST 0.1

// An X that has moved by less is right to the last digit: the error is the square.
#define PL_POLAR3_MOVE 1e-8

// Sums of two stretches count at least as this: at 0 the rotation is not defined.
#define PL_POLAR3_POLE 1e-6

// c := the cofactors of a. Returns det a.
PL_KERNEL real pl_cofactors3(const real a[9], real c[9])
{
    for (int i = 0; i < 3; i++) {
        const real *p = a + (i + 1) % 3 * 3, *q = a + (i + 2) % 3 * 3;
        for (int j = 0; j < 3; j++) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[3 * i + j] = p[j1] * q[j2] - p[j2] * q[j1];
        }
    }
    return a[0] * c[0] + a[1] * c[1] + a[2] * c[2];
}

// r := the rotation of f, by Newton's iteration. Returns a flag of where it works.
PL_KERNEL real pl_polar3_iterate(const real f[9], real r[9])
{
    real c[9], det = pl_cofactors3(f, c), square = real_of(0);
    for (int k = 0; k < 9; k++) {
        r[k] = f[k];
        square += f[k] * f[k];
    }
    square = square * (1.0 / 3);
    const double least = PL_POLAR3_LEAST * PL_POLAR3_LEAST;
    real fit = real_flag(det > 0) * real_flag(det * det > least * (square * square * square));
    real active = fit;
    for (int step = 0; step < PL_POLAR3_STEPS && real_any(active > 0); step++) {
        real scale = 0.5 / det, move = real_of(0);
        for (int k = 0; k < 9; k++) {
            real next = 0.5 * r[k] + scale * c[k], d = next - r[k];
            r[k] = real_select(active > 0, next, r[k]);
            move += d * d;
        }
        active *= real_flag(move > PL_POLAR3_MOVE * PL_POLAR3_MOVE);
        det = pl_cofactors3(r, c);
    }
    return fit - active;
}

// r and m (00, 11, 22, 01, 12, 20) from the stretches, whatever they are.
PL_KERNEL void pl_polar3_decompose(const real f[9], real r[9], real m[6])
{
    real u[9], s[3], v[9], inverse[3];
    pl_svd3(f, u, s, v);
    for (int k = 0; k < 3; k++) {
        real sum = s[(k + 1) % 3] + s[(k + 2) % 3];
        inverse[k] = 1 / real_max(sum, real_of(PL_POLAR3_POLE));
    }
    for (int i = 0; i < 9; i++) {
        const real *p = u + i / 3 * 3, *q = v + i % 3 * 3;
        r[i] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    for (int k = 0; k < 6; k++) {
        const real *p = u + k % 3 * 3, *q = k < 3 ? p : u + (k + 1) % 3 * 3;
        m[k] = inverse[0] * p[0] * q[0] + inverse[1] * p[1] * q[1] + inverse[2] * p[2] * q[2];
    }
}

// m := (tr V I - V)^-1 with V = f r^T, for regular f.
PL_KERNEL void pl_polar3_turning(const real f[9], const real r[9], real m[6])
{
    real v[6], g[6];
    for (int k = 0; k < 6; k++) {
        const real *p = f + k % 3 * 3, *q = r + (k < 3 ? k : (k + 1) % 3) * 3;
        v[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    for (int k = 0; k < 3; k++) {
        g[k] = v[(k + 1) % 3] + v[(k + 2) % 3];
        g[3 + k] = -v[3 + k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; // the entry (i, j) of g is g[3 + i]
        m[k] = g[i] * g[j] - g[3 + i] * g[3 + i];
        m[3 + k] = g[3 + i] * g[3 + j] - g[3 + k] * g[j];
    }
    real inverse = 1 / (g[0] * m[0] + g[3] * m[3] + g[5] * m[5]);
    for (int k = 0; k < 6; k++) m[k] *= inverse;
}

// f = V r and m, as above.
PL_KERNEL void pl_polar3(const real f[9], real r[9], real m[6])
{
    real done = pl_polar3_iterate(f, r);
    pl_polar3_turning(f, r, m);
    if (!real_any(done < 1)) return;
    real slow_r[9], slow_m[6];
    pl_polar3_decompose(f, slow_r, slow_m);
    for (int k = 0; k < 9; k++) r[k] = real_select(done > 0, r[k], slow_r[k]);
    for (int k = 0; k < 6; k++) m[k] = real_select(done > 0, m[k], slow_m[k]);
}

#endif
