// Eigenvectors and the positive part of a symmetric 3x3 matrix S, given as 00, 11, 22, 01, 12, 20.
//
// Jacobi's method, with half-angles that are right to first order and rotations that are right up
// to a factor, so that it needs neither a root nor a quotient [McAdams et al. 2011]; it finds the
// eigenvectors as a quaternion. A kernel: see lanes.h. Internal.

#ifndef PL_EIGEN3_H
#define PL_EIGEN3_H

#include "lanes.h"

enum { PL_EIGEN3_SWEEPS = 8 }; // a bound: four or five are usual

// Off the diagonal, S counts as 0 below this part of what is on it.
#define PL_EIGEN3_SMALL 1e-15

// Half-angles above pi/8, whose tangent this is, are cut to it: a turn by pi/4.
#define PL_EIGEN3_TAN 0.41421356237309503
#define PL_EIGEN3_COS 0.92387953251128674
#define PL_EIGEN3_SIN 0.38268343236508977

// Turns the plane of the axes p, q of S by G^T S G towards S_pq = 0, and the quaternion `turn` (x,
// y, z, w) by G; (p, q, r) is cyclic. Both grow by a factor. Lanes that are not `active` stay as
// they are, so that a result does not depend on its neighbours.
PL_KERNEL void pl_eigen3_rotate(real S[6], real turn[4], real_mask active, int p, int q, int r)
{
    int pq = 3 + p, qr = 3 + q, rp = 3 + r;
    // tan 2 theta = 2 S_pq / (S_pp - S_qq): for small angles tan theta/2 = S_pq / 2 (S_pp - S_qq).
    real ch = 2 * (S[p] - S[q]), sh = S[pq];
    real_mask small = real_abs(sh) < PL_EIGEN3_TAN * real_abs(ch);
    real scale = real_inverse_power(ch);
    ch = real_select(small, ch * scale, real_of(PL_EIGEN3_COS));
    sh = real_select(small, sh * scale, real_of(PL_EIGEN3_SIN));
    ch = real_select(active, ch, real_of(1));
    sh = real_select(active, sh, real_of(0));
    real ch2 = ch * ch, sh2 = sh * sh, c = ch2 - sh2, s = 2 * ch * sh, k = ch2 + sh2;
    real cc = c * c, ss = s * s, cs = c * s;
    real pp = S[p], qq = S[q], o = S[pq], rest = S[rp];
    S[p] = cc * pp + 2 * cs * o + ss * qq;
    S[q] = ss * pp - 2 * cs * o + cc * qq;
    S[pq] = (cc - ss) * o + cs * (qq - pp);
    S[rp] = k * (c * rest + s * S[qr]);
    S[qr] = k * (c * S[qr] - s * rest);
    S[r] = k * k * S[r];
    real tp = turn[p], tr = turn[r];
    turn[p] = tp * ch + turn[q] * sh;
    turn[q] = turn[q] * ch - tp * sh;
    turn[r] = tr * ch + turn[3] * sh;
    turn[3] = turn[3] * ch - tr * sh;
}

// v := a rotation whose columns are eigenvectors of S, in no order. Destroys S.
PL_KERNEL void pl_eigen3(real S[6], real v[9])
{
    real turn[4] = {real_of(0), real_of(0), real_of(0), real_of(1)};
    for (int sweep = 0; sweep < PL_EIGEN3_SWEEPS; sweep++) {
        real off = real_max(real_abs(S[3]), real_max(real_abs(S[4]), real_abs(S[5])));
        real on = real_abs(S[0]) + real_abs(S[1]) + real_abs(S[2]);
        real_mask active = off > PL_EIGEN3_SMALL * on;
        if (!real_any(active)) break;
        pl_eigen3_rotate(S, turn, active, 0, 1, 2);
        pl_eigen3_rotate(S, turn, active, 1, 2, 0);
        pl_eigen3_rotate(S, turn, active, 2, 0, 1);
    }
    real x = turn[0], y = turn[1], z = turn[2], w = turn[3];
    real two = 2 / (x * x + y * y + z * z + w * w);
    v[0] = 1 - two * (y * y + z * z);
    v[1] = two * (x * y - w * z);
    v[2] = two * (x * z + w * y);
    v[3] = two * (x * y + w * z);
    v[4] = 1 - two * (x * x + z * z);
    v[5] = two * (y * z - w * x);
    v[6] = two * (x * z - w * y);
    v[7] = two * (y * z + w * x);
    v[8] = 1 - two * (x * x + y * y);
}

// Replaces the negative eigenvalues of S by 0.
PL_KERNEL void pl_eigen3_clamp(real S[6])
{
    real turned[6], v[9], e[3];
    for (int k = 0; k < 6; k++) turned[k] = S[k];
    pl_eigen3(turned, v);
    for (int k = 0; k < 3; k++) {
        real x = v[k], y = v[3 + k], z = v[6 + k];
        real value = S[0] * x * x + S[1] * y * y + S[2] * z * z +
                     2 * (S[3] * x * y + S[4] * y * z + S[5] * z * x);
        e[k] = real_max(value, real_of(0));
    }
    for (int k = 0; k < 6; k++) {
        const real *p = v + k % 3 * 3, *q = k < 3 ? p : v + (k + 1) % 3 * 3;
        S[k] = e[0] * p[0] * q[0] + e[1] * p[1] * q[1] + e[2] * p[2] * q[2];
    }
}

// --- The positive part, quickly ---

// c := the cofactors of S.
PL_KERNEL void pl_eigen3_cofactors(const real S[6], real c[6])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; // the entry (i, j) of S is S[3 + i]
        c[k] = S[i] * S[j] - S[3 + i] * S[3 + i];
        c[3 + k] = S[3 + i] * S[3 + j] - S[3 + k] * S[j];
    }
}

PL_KERNEL void pl_eigen3_multiply(const real S[6], const real x[3], real y[3])
{
    y[0] = S[0] * x[0] + S[3] * x[1] + S[5] * x[2];
    y[1] = S[3] * x[0] + S[1] * x[1] + S[4] * x[2];
    y[2] = S[5] * x[0] + S[4] * x[1] + S[2] * x[2];
}

// Relative to |S|: a determinant below has no certain sign, and an eigenpair that leaves a larger
// residual is none.
#define PL_EIGEN3_CERTAIN 1e-13

// cos(2/3 acos t) for t from 0 to 1, to 4e-9: a polynomial through Chebyshev's points.
PL_KERNEL real pl_eigen3_third(real t)
{
    const double c[9] = {0.50000000373318398,   0.57734966139840416,   -0.11109449276708655,
                         0.053279350846038888,  -0.031925412127108643, 0.019600320895762025,
                         -0.010237508272868782, 0.0036541195299832907, -0.0006260453129572043};
    real sum = real_of(c[8]);
    for (int k = 7; k >= 0; k--) sum = sum * t + c[k];
    return sum;
}

// About the eigenvalue of S at the end of its spectrum that has the sign of `end`. With m = tr S /
// 3, p^2 = |S - m I|^2 / 6 and cos theta = det(S - m I) / 2 p^3 the largest is m + 2 p cos(theta/3)
// and the least that of -S; t = cos(theta/2) gives theta/3 = 2/3 acos t.
PL_KERNEL real pl_eigen3_end(const real S[6], real end)
{
    real c[6], shifted[6], m = (S[0] + S[1] + S[2]) * (1.0 / 3), square = real_of(0);
    for (int k = 0; k < 6; k++) {
        shifted[k] = k < 3 ? S[k] - m : S[k];
        square += (k < 3 ? 1.0 / 6 : 1.0 / 3) * shifted[k] * shifted[k];
    }
    pl_eigen3_cofactors(shifted, c);
    real det = shifted[0] * c[0] + shifted[3] * c[3] + shifted[5] * c[5];
    real p = real_sqrt(square), cosine = 0.5 * det / (square * p);
    cosine = real_select(end < 0, -cosine, cosine);
    real t = real_sqrt(real_max(real_min(0.5 + 0.5 * cosine, real_of(1)), real_of(0)));
    real reach = 2 * p * pl_eigen3_third(t);
    return m + real_select(end < 0, -reach, reach);
}

// w := about an eigenvector of S to the simple eigenvalue x. In the cofactors C of S - x I its
// share is that of the others by the distances of their eigenvalues from x; in C C it is the square
// of that, and C C's largest column is near that of C.
PL_KERNEL void pl_eigen3_vector(const real S[6], real x, real w[3])
{
    real shifted[6], c[6], column[3];
    for (int k = 0; k < 6; k++) shifted[k] = k < 3 ? S[k] - x : S[k];
    pl_eigen3_cofactors(shifted, c);
    real d0 = real_abs(c[0]), d1 = real_abs(c[1]), d2 = real_abs(c[2]);
    real_mask first = d0 >= real_max(d1, d2), second = d1 >= d2;
    const int place[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    for (int k = 0; k < 3; k++) {
        column[k] = real_select(second, c[place[3 + k]], c[place[6 + k]]);
        column[k] = real_select(first, c[place[k]], column[k]);
    }
    pl_eigen3_multiply(c, column, w);
}

// out := S without its negative eigenvalues, where it has both signs; returns a flag of where that
// is good enough. det: of S, with a certain sign; square: |S|^2.
//
// If S has one negative eigenvalue x, out = S - x v v^T, and if it has one positive one, out = x v
// v^T. Either x is the only one of its sign, that of det S, and no nearer to the others than to 0:
// however close they come, what rounding does to v is harmless.
PL_KERNEL real pl_eigen3_split(const real S[6], real det, real square, real out[6])
{
    real w[3], Sw[3], residual = real_of(0);
    pl_eigen3_vector(S, pl_eigen3_end(S, det), w);
    pl_eigen3_multiply(S, w, Sw);
    real inverse = 1 / (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    real x = inverse * (w[0] * Sw[0] + w[1] * Sw[1] + w[2] * Sw[2]);
    for (int k = 0; k < 3; k++) {
        real r = Sw[k] - x * w[k];
        residual += r * r;
    }
    real_mask negative = det < 0;
    for (int k = 0; k < 6; k++) {
        real pair = x * inverse * w[k % 3] * w[k < 3 ? k : (k + 1) % 3];
        out[k] = real_select(negative, S[k] - pair, pair);
    }
    const double tiny = PL_EIGEN3_CERTAIN * PL_EIGEN3_CERTAIN;
    return real_flag(x * det > 0) * real_flag(residual * inverse <= tiny * square);
}

// Multiplies the negative eigenvalues of S by 1 - share.
PL_KERNEL void pl_eigen3_project(real S[6], double share)
{
    real c[6], clamped[6], square = real_of(0);
    pl_eigen3_cofactors(S, c);
    real det = S[0] * c[0] + S[3] * c[3] + S[5] * c[5];
    for (int k = 0; k < 6; k++) square += (k < 3 ? 1 : 2) * S[k] * S[k];
    const double tiny = PL_EIGEN3_CERTAIN * PL_EIGEN3_CERTAIN;
    real certain = real_flag(det * det > tiny * (square * square * square));
    // Sylvester: all positive, all negative.
    real minor = certain * real_flag(c[2] > 0);
    real keep = minor * real_flag(S[0] > 0) * real_flag(det > 0);
    real none = minor * real_flag(S[0] < 0) * real_flag(det < 0);
    if (!real_any(keep < 1)) return;
    real done = certain * pl_eigen3_split(S, det, square, clamped) + keep + none;
    for (int k = 0; k < 6; k++) clamped[k] = real_select(none > 0, real_of(0), clamped[k]);
    if (real_any(done < 1)) {
        real slow[6];
        for (int k = 0; k < 6; k++) slow[k] = S[k];
        pl_eigen3_clamp(slow);
        for (int k = 0; k < 6; k++) clamped[k] = real_select(done < 1, slow[k], clamped[k]);
    }
    for (int k = 0; k < 6; k++) {
        S[k] = real_select(keep > 0, S[k], share * clamped[k] + (1 - share) * S[k]);
    }
}

#endif
