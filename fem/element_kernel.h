// One linear tetrahedron: from positions to forces and stiffness. A kernel: see lanes.h. Internal.
//
// Shape: x(X) is affine, so F = D_x D_X^-1 with D_x = [x1-x0, x2-x0, x3-x0]. The rows b_a of D_X^-1
// (a = 1, 2, 3; b_0 = -b_1 - b_2 - b_3) are the gradients of the nodal functions, F = sum x_a
// b_a^T, and with the rest volume w
//
//   f_a = -w P b_a                                                                [VJ19, Eq. 2]
//   K_ab = -d f_a / d x_b,  (K_ab)_ik = w sum_jl (dP_ij / dF_kl) (b_a)_j (b_b)_l
//
// In the frame of U and V (c_a = V^T b_a, K_ab = U K^_ab U^T) only the entries of material_kernel.h
// are left:
//
//   K^_ab,ii = w (h_ii c_ai c_bi + sum_{j != i} p_ij c_aj c_bj),    p = (flip + twist) / 2
//   K^_ab,ij = w (h_ij c_ai c_bj + q_ij c_aj c_bi),                 q = (flip - twist) / 2

#ifndef PL_ELEMENT_KERNEL_H
#define PL_ELEMENT_KERNEL_H

#include "corotational.h"
#include "material_kernel.h"

// What the elements of a batch are at rest: D_X^-1 and w.
typedef struct pl_rest {
    real shape[9]; // row a is b_(a+1) [1/m]
    real volume;   // [m^3]
} pl_rest;

typedef struct pl_deformed {
    real u[9], s[3], v[9]; // F = U diag(s) V^T
    pl_stress stress;
} pl_deformed;

// F = sum x_a b_a^T
PL_KERNEL void pl_element_gradient(const pl_rest *rest, const real x[4][3], real f[9])
{
    for (int i = 0; i < 3; i++) {
        real d0 = x[1][i] - x[0][i], d1 = x[2][i] - x[0][i], d2 = x[3][i] - x[0][i];
        for (int j = 0; j < 3; j++) {
            f[3 * i + j] = d0 * rest->shape[j] + d1 * rest->shape[3 + j] + d2 * rest->shape[6 + j];
        }
    }
}

// c_a = V^T b_a of the four corners.
PL_KERNEL void pl_element_normals(const pl_rest *rest, const real v[9], real c[4][3])
{
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++) {
            const real *b = rest->shape + 3 * a;
            c[a + 1][i] = v[i] * b[0] + v[3 + i] * b[1] + v[6 + i] * b[2];
        }
        c[0][i] = -(c[1][i] + c[2][i] + c[3][i]);
    }
}

// x: positions of the four corners.
PL_KERNEL void pl_element_deform(const pl_material *material, const pl_rest *rest,
                                 const real x[4][3], pl_deformed *out)
{
    real f[9];
    pl_element_gradient(rest, x, f);
    pl_svd3(f, out->u, out->s, out->v);
    pl_stress_evaluate(material, out->s, &out->stress);
}

// p := U diag(g) V^T
PL_KERNEL void pl_element_stress(const pl_deformed *d, real p[9])
{
    for (int i = 0; i < 3; i++) {
        const real *u = d->u + 3 * i, *g = d->stress.g;
        real u0 = u[0] * g[0], u1 = u[1] * g[1], u2 = u[2] * g[2];
        for (int j = 0; j < 3; j++) {
            const real *v = d->v + 3 * j;
            p[3 * i + j] = u0 * v[0] + u1 * v[1] + u2 * v[2];
        }
    }
}

// f (4 corners): -w P b_a.
PL_KERNEL void pl_element_force(const pl_rest *rest, const real p[9], real f[4][3])
{
    for (int i = 0; i < 3; i++) {
        const real *row = p + 3 * i;
        for (int a = 1; a < 4; a++) {
            const real *b = rest->shape + 3 * (a - 1);
            f[a][i] = -(rest->volume * (row[0] * b[0] + row[1] * b[1] + row[2] * b[2]));
        }
        f[0][i] = -(f[1][i] + f[2][i] + f[3][i]);
    }
}

// U k U^T for a 3x3 matrix k, in place.
PL_KERNEL void pl_rotate_block(const real u[9], real k[9])
{
    real t[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            t[3 * i + j] = u[3 * i] * k[j] + u[3 * i + 1] * k[3 + j] + u[3 * i + 2] * k[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            k[3 * i + j] =
                t[3 * i] * u[3 * j] + t[3 * i + 1] * u[3 * j + 1] + t[3 * i + 2] * u[3 * j + 2];
        }
    }
}

// The block K_ab from c_a and c_b.
PL_KERNEL void pl_element_block(const real u[9], const real h[6], const real p[3], const real q[3],
                                const real ca[3], const real cb[3], real k[9])
{
    real d0 = ca[0] * cb[0], d1 = ca[1] * cb[1], d2 = ca[2] * cb[2];
    k[0] = h[0] * d0 + p[0] * d1 + p[1] * d2;
    k[4] = h[1] * d1 + p[0] * d0 + p[2] * d2;
    k[8] = h[2] * d2 + p[1] * d0 + p[2] * d1;
    for (int m = 0; m < 3; m++) {
        int i = pl_pair[m][0], j = pl_pair[m][1];
        k[3 * i + j] = h[3 + m] * ca[i] * cb[j] + q[m] * ca[j] * cb[i];
        k[3 * j + i] = h[3 + m] * ca[j] * cb[i] + q[m] * ca[i] * cb[j];
    }
    pl_rotate_block(u, k);
}

// The blocks scale K_ab of the edges 01, 02, 03, 12, 13, 23. The others follow: K_ba = K_ab^T, and
// rows and columns sum to 0.
PL_KERNEL void pl_element_stiffness(const pl_rest *rest, const pl_deformed *d, double scale,
                                    real k[6][9])
{
    real c[4][3], h[6], p[3], q[3], w = scale * rest->volume;
    pl_element_normals(rest, d->v, c);
    for (int m = 0; m < 6; m++) h[m] = w * d->stress.h[m];
    for (int m = 0; m < 3; m++) {
        p[m] = 0.5 * w * (d->stress.flip[m] + d->stress.twist[m]);
        q[m] = 0.5 * w * (d->stress.flip[m] - d->stress.twist[m]);
    }
    for (int a = 0, e = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++) pl_element_block(d->u, h, p, q, c[a], c[b], k[e++]);
    }
}

// The energy [J] of a density. Lanes without an element have no volume, and 0 times infinity is
// none.
PL_KERNEL real pl_element_energy(const pl_rest *rest, real density)
{
    return real_select(rest->volume == 0, real_of(0), rest->volume * density);
}

// --- All of it ---

// The first Piola-Kirchhoff stress p [Pa] at the positions x of the corners. Returns the energy's
// density [J/m^3].
PL_KERNEL real pl_element_pull(const pl_material *m, const pl_rest *rest, const real x[4][3],
                               real p[9])
{
    if (m->kind == PL_MATERIAL_COROTATIONAL) {
        real gradient[9];
        pl_corotated d;
        pl_element_gradient(rest, x, gradient);
        pl_corotated_deform(m, gradient, &d);
        for (int k = 0; k < 9; k++) p[k] = d.p[k];
        return d.energy;
    }
    pl_deformed d;
    pl_element_deform(m, rest, x, &d);
    pl_element_stress(&d, p);
    return d.stress.energy;
}

// Forces f (4 corners) at the positions x of the corners. Returns the energy [J].
PL_KERNEL real pl_element_forces(const pl_material *m, const pl_rest *rest, const real x[4][3],
                                 real f[4][3])
{
    real p[9], energy = pl_element_pull(m, rest, x, p);
    pl_element_force(rest, p, f);
    return pl_element_energy(rest, energy);
}

// The same, and k: the blocks scale K_ab of the edges, of K projected by the share `project`.
PL_KERNEL real pl_element_evaluate(const pl_material *m, const pl_rest *rest, const real x[4][3],
                                   double scale, double project, real f[4][3], real k[6][9])
{
    real p[9], energy;
    if (m->kind == PL_MATERIAL_COROTATIONAL) {
        real gradient[9];
        pl_corotated d;
        pl_element_gradient(rest, x, gradient);
        pl_corotated_deform(m, gradient, &d);
        pl_corotated_stiffness(m, &d, rest->shape, scale * rest->volume, project, k);
        energy = d.energy;
        for (int i = 0; i < 9; i++) p[i] = d.p[i];
    } else {
        pl_deformed d;
        pl_element_deform(m, rest, x, &d);
        pl_element_stress(&d, p);
        if (project > 0) pl_stress_project(&d.stress, project);
        pl_element_stiffness(rest, &d, scale, k);
        energy = d.stress.energy;
    }
    pl_element_force(rest, p, f);
    return pl_element_energy(rest, energy);
}

#endif
