// What a term brings to the rows of a constraint, and takes back; for C, CUDA and OpenCL. Internal.

#ifndef PL_ROWS_KERNEL_H
#define PL_ROWS_KERNEL_H

#include "../base/portable.h"

// Which rows of a contact to look at: bits for n, t1, t2.
enum { PL_ROW_NORMAL = 1, PL_ROWS_TANGENT = 6, PL_ROWS_ALL = 7 };

// y += S x; S xx, xy, xz, yy, yz, zz.
PL_INLINE void pl_add_stretch(const double *S, const double *x, double *y)
{
    y[0] += (S[0] * x[0] + S[1] * x[1]) + S[2] * x[2];
    y[1] += (S[1] * x[0] + S[3] * x[1]) + S[4] * x[2];
    y[2] += (S[2] * x[0] + S[4] * x[1]) + S[5] * x[2];
}

// sum += w v + v x r + S v, a term of a point's velocity; r and S may be NULL.
PL_INLINE void pl_term_add(double w, const double *r, const double *S, const double *v, double *sum)
{
    double p[3] = {w * v[0], w * v[1], w * v[2]};
    if (r != 0) {
        p[0] += v[1] * r[2] - v[2] * r[1];
        p[1] += v[2] * r[0] - v[0] * r[2];
        p[2] += v[0] * r[1] - v[1] * r[0];
        if (S != 0) pl_add_stretch(S, v, p);
    }
    sum[0] += p[0], sum[1] += p[1], sum[2] += p[2];
}

// sum += w g + r x g + S g, the transpose: an impulse g of the world in the term's block.
PL_INLINE void pl_term_push(double w, const double *r, const double *S, const double *g,
                            double *sum)
{
    double p[3] = {w * g[0], w * g[1], w * g[2]};
    if (r != 0) {
        p[0] += r[1] * g[2] - r[2] * g[1];
        p[1] += r[2] * g[0] - r[0] * g[2];
        p[2] += r[0] * g[1] - r[1] * g[0];
        if (S != 0) pl_add_stretch(S, g, p);
    }
    sum[0] += p[0], sum[1] += p[1], sum[2] += p[2];
}

// u := R x, the components along the axes of a frame (9, one after the other).
PL_INLINE void pl_frame_from_world(const double *R, const double *x, double *u)
{
    for (int a = 0; a < 3; a++) u[a] = R[3 * a] * x[0] + R[3 * a + 1] * x[1] + R[3 * a + 2] * x[2];
}

// g := R^T f.
PL_INLINE void pl_frame_to_world(const double *R, const double *f, double *g)
{
    for (int i = 0; i < 3; i++) g[i] = R[i] * f[0] + R[3 + i] * f[1] + R[6 + i] * f[2];
}

// G (9, row-major) := the rows of the frame R in the block of a term. With e one of its axes,
// e . (w v + v x r + S v) = (w e + r x e + S e) . v. S may be NULL.
PL_INLINE void pl_term_rows(const double *R, double w, const double *r, const double *S, double *G)
{
    for (int a = 0; a < 3; a++) {
        const double *e = R + 3 * a;
        G[3 * a] = w * e[0] + (r[1] * e[2] - r[2] * e[1]);
        G[3 * a + 1] = w * e[1] + (r[2] * e[0] - r[0] * e[2]);
        G[3 * a + 2] = w * e[2] + (r[0] * e[1] - r[1] * e[0]);
        if (S != 0) pl_add_stretch(S, e, G + 3 * a);
    }
}

// S (9, row-major) += G inv K^T, with inv (6) xx, xy, xz, yy, yz, zz: what the velocities of one
// contact's rows G in a block answer to the impulses of another's K. Terms without arms have rows w
// R, so that their blocks may be summed up first, times the weights, and turned together.
PL_INLINE void pl_add_response(const double *G, const double *inv, const double *K, double *S)
{
    for (int a = 0; a < 3; a++) {
        const double *g = G + 3 * a;
        double h0 = (g[0] * inv[0] + g[1] * inv[1]) + g[2] * inv[2];
        double h1 = (g[0] * inv[1] + g[1] * inv[3]) + g[2] * inv[4];
        double h2 = (g[0] * inv[2] + g[1] * inv[4]) + g[2] * inv[5];
        for (int b = 0; b < 3; b++) {
            const double *k = K + 3 * b;
            S[3 * a + b] += (h0 * k[0] + h1 * k[1]) + h2 * k[2];
        }
    }
}

// y := M x, M xx, xy, xz, yy, yz, zz.
PL_INLINE void pl_symmetric_apply(const double *M, const double *x, double *y)
{
    y[0] = (M[0] * x[0] + M[1] * x[1]) + M[2] * x[2];
    y[1] = (M[1] * x[0] + M[3] * x[1]) + M[4] * x[2];
    y[2] = (M[2] * x[0] + M[4] * x[1]) + M[5] * x[2];
}

#endif
