// The signed singular value decomposition of a 3x3 matrix: F = U diag(s) V^T with rotations U and V
// (determinant +1), s[0] >= s[1] >= |s[2]|. The sign of F's determinant is the sign of s[2], so
// that an inverted element shows as one negative stretch [Irving et al. 2004]. Matrices are
// row-major.
//
// First V as the eigenvectors of S = F^T F. Then one-sided Jacobi on F V, whose columns are nearly
// orthogonal by now: it works on F itself, so that small stretches keep the digits that S has lost.
// Most elements need none of its sweeps. A kernel: see lanes.h. Internal.

#ifndef PL_SVD3_H
#define PL_SVD3_H

#include "eigen3.h"

enum { PL_SVD3_SWEEPS = 12 }; // a bound only

// Two columns count as orthogonal when their cosine is below this: a few units of the last place.
#define PL_SVD3_COSINE 1e-15

// --- One-sided Jacobi ---

// Turns columns p and q of a and v so that those of a become orthogonal, if they are not.
PL_KERNEL void pl_svd3_rotate(real a[9], real v[9], int p, int q)
{
    real alpha = a[p] * a[p] + a[p + 3] * a[p + 3] + a[p + 6] * a[p + 6];
    real beta = a[q] * a[q] + a[q + 3] * a[q + 3] + a[q + 6] * a[q + 6];
    real gamma = a[p] * a[q] + a[p + 3] * a[q + 3] + a[p + 6] * a[q + 6];
    real_mask turn = gamma * gamma > PL_SVD3_COSINE * PL_SVD3_COSINE * (alpha * beta);
    // The tangent is the smaller root of t^2 + 2 zeta t - 1 = 0, zeta = (beta - alpha) / 2 gamma.
    real d = beta - alpha, h = 2 * gamma, r = real_sqrt(d * d + h * h);
    real t = real_select(turn, h / (real_abs(d) + r), real_of(0));
    t = real_select(d < 0, -t, t);
    real c = 1 / real_sqrt(1 + t * t), s = c * t;
    for (int k = 0; k < 9; k += 3) {
        real ap = a[p + k], vp = v[p + k];
        a[p + k] = c * ap - s * a[q + k];
        a[q + k] = s * ap + c * a[q + k];
        v[p + k] = c * vp - s * v[q + k];
        v[q + k] = s * vp + c * v[q + k];
    }
}

// Exchanges columns p and q where the second is longer; one of them is negated, which keeps the
// determinants.
PL_KERNEL void pl_svd3_order(real a[9], real v[9], real length[3], int p, int q)
{
    real_mask swap = length[p] < length[q];
    real lp = length[p];
    length[p] = real_select(swap, length[q], lp);
    length[q] = real_select(swap, lp, length[q]);
    for (int k = 0; k < 9; k += 3) {
        real ap = a[p + k], vp = v[p + k];
        a[p + k] = real_select(swap, a[q + k], ap);
        a[q + k] = real_select(swap, -ap, a[q + k]);
        v[p + k] = real_select(swap, v[q + k], vp);
        v[q + k] = real_select(swap, -vp, v[q + k]);
    }
}

// A unit vector perpendicular to the unit vector u: the axis along which u is shortest, less its
// part along u.
PL_KERNEL void pl_svd3_perpendicular(const real u[3], real w[3])
{
    real x = real_abs(u[0]), y = real_abs(u[1]), z = real_abs(u[2]);
    real e[3] = {real_flag(x <= real_min(y, z)), real_flag(y <= z)};
    e[1] *= 1 - e[0];
    e[2] = 1 - e[0] - e[1];
    real along = e[0] * u[0] + e[1] * u[1] + e[2] * u[2];
    for (int k = 0; k < 3; k++) w[k] = e[k] - along * u[k];
    real scale = 1 / real_sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int k = 0; k < 3; k++) w[k] *= scale;
}

// Columns of a are orthogonal and ordered: U from them, whatever their rank.
PL_KERNEL void pl_svd3_left(const real a[9], const real length[3], real u[9], real s[3])
{
    real u0[3], u1[3], other[3];
    real_mask null = length[0] == 0;
    real scale = 1 / real_select(null, real_of(1), length[0]);
    for (int k = 0; k < 3; k++) u0[k] = a[3 * k] * scale;
    u0[0] = real_select(null, real_of(1), u0[0]);
    pl_svd3_perpendicular(u0, other);
    // The second column, cleared of what rounding left of the first; where nothing remains, any
    // perpendicular will do.
    real along = real_of(0), square = real_of(0);
    null = length[1] <= 1e-150 * length[0];
    scale = 1 / real_select(null, real_of(1), length[1]);
    for (int k = 0; k < 3; k++) {
        u1[k] = a[3 * k + 1] * scale;
        along += u1[k] * u0[k];
    }
    for (int k = 0; k < 3; k++) {
        u1[k] -= along * u0[k];
        square += u1[k] * u1[k];
    }
    scale = 1 / real_sqrt(real_select(null, real_of(1), square));
    for (int k = 0; k < 3; k++) u1[k] = real_select(null, other[k], u1[k] * scale);
    s[0] = length[0];
    s[1] = length[1];
    s[2] = real_of(0);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        real u2 = u0[i] * u1[j] - u0[j] * u1[i];
        u[3 * k] = u0[k];
        u[3 * k + 1] = u1[k];
        u[3 * k + 2] = u2;
        s[2] += u2 * a[3 * k + 2];
    }
}

// --- The whole ---

// A flag: are two columns of a not orthogonal?
PL_KERNEL real pl_svd3_oblique(const real a[9], int p, int q)
{
    real alpha = a[p] * a[p] + a[p + 3] * a[p + 3] + a[p + 6] * a[p + 6];
    real beta = a[q] * a[q] + a[q + 3] * a[q + 3] + a[q + 6] * a[q + 6];
    real gamma = a[p] * a[q] + a[p + 3] * a[q + 3] + a[p + 6] * a[q + 6];
    return real_flag(gamma * gamma > PL_SVD3_COSINE * PL_SVD3_COSINE * (alpha * beta));
}

PL_KERNEL void pl_svd3(const real f[9], real u[9], real s[3], real v[9])
{
    real scaled[9], a[9], length[3], size = real_of(DBL_MIN); // whose inverse is finite
    for (int k = 0; k < 9; k++) size = real_max(size, real_abs(f[k]));
    // Squares of the entries must neither overflow nor vanish.
    real shrink = 1 / size;
    for (int k = 0; k < 9; k++) scaled[k] = f[k] * shrink;
    real square[6];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        const real *p = scaled + i, *q = scaled + j;
        square[i] = p[0] * p[0] + p[3] * p[3] + p[6] * p[6];
        square[3 + i] = p[0] * q[0] + p[3] * q[3] + p[6] * q[6];
    }
    pl_eigen3(square, v);
    for (int i = 0; i < 9; i += 3) {
        for (int j = 0; j < 3; j++) {
            a[i + j] = scaled[i] * v[j] + scaled[i + 1] * v[3 + j] + scaled[i + 2] * v[6 + j];
        }
    }
    for (int sweep = 0; sweep < PL_SVD3_SWEEPS; sweep++) {
        real oblique = pl_svd3_oblique(a, 0, 1) + pl_svd3_oblique(a, 0, 2);
        if (!real_any(oblique + pl_svd3_oblique(a, 1, 2) > 0)) break;
        pl_svd3_rotate(a, v, 0, 1);
        pl_svd3_rotate(a, v, 0, 2);
        pl_svd3_rotate(a, v, 1, 2);
    }
    for (int k = 0; k < 3; k++) {
        length[k] = real_sqrt(a[k] * a[k] + a[k + 3] * a[k + 3] + a[k + 6] * a[k + 6]);
    }
    pl_svd3_order(a, v, length, 0, 1);
    pl_svd3_order(a, v, length, 0, 2);
    pl_svd3_order(a, v, length, 1, 2);
    pl_svd3_left(a, length, u, s);
    for (int k = 0; k < 3; k++) s[k] *= size;
}

#endif
