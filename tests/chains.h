// A planar chain wound round a rod, with a heavy box at its end, as a complementarity problem: what
// joints bear, and contacts of all links with the rod, normal and friction. Badly conditioned.

#ifndef PL_TEST_CHAINS_H
#define PL_TEST_CHAINS_H

#include "lcps.h"

// Links of 0.1 m and 0.25 kg, a box of `heavy` [kg], `turns` round the rod, compliance of every row
// [1/kg]. Rows: first two per joint, free, then two per link, its normal and its friction, a box.
// normal (4 * links) becomes lcp.normal.
static inline own_lcp chain_lcp(int32_t links, double turns, double heavy, double compliance,
                                int32_t *normal)
{
    const double length = 0.1, mass = 0.25, dt = 1.0 / 60, g = 9.81, pi = 3.14159265358979;
    int32_t n = 4 * links, dofs = 3 * (links + 1); // the last body is the box
    double *J = calloc((size_t)n * (size_t)dofs, sizeof *J), *v = calloc((size_t)dofs, sizeof *v);
    double *inverse = calloc((size_t)dofs, sizeof *inverse);
    for (int32_t k = 0; k <= links; k++) {
        double m = k < links ? mass : heavy;
        inverse[3 * k] = inverse[3 * k + 1] = 1 / m;
        inverse[3 * k + 2] = k < links ? 12 / (m * length * length) : 6 / (m * 0.25);
        v[3 * k + 1] = -g * dt;
    }
    for (int32_t k = 0; k < links; k++) {
        double angle = 2 * pi * turns * k / links, tx = cos(angle), ty = sin(angle);
        double *joint = J + 2 * k * dofs, *contact = J + 2 * (links + k) * dofs;
        // The joint at the end of link k, with link k + 1 or the box, and both lever arms.
        double next = 2 * pi * turns * (k + 1) / links, half = length / 2;
        double rx = half * tx, ry = half * ty, sx = -half * cos(next), sy = -half * sin(next);
        if (k == links - 1) sx = 0, sy = 0.25;
        joint[3 * k] = joint[dofs + 3 * k + 1] = 1;
        joint[3 * k + 2] = -ry, joint[dofs + 3 * k + 2] = rx;
        joint[3 * k + 3] = joint[dofs + 3 * k + 4] = -1;
        joint[3 * k + 5] = sy, joint[dofs + 3 * k + 5] = -sx;
        // The contact of link k, 1 cm below its middle towards the rod.
        contact[3 * k] = -ty, contact[3 * k + 1] = tx;
        contact[dofs + 3 * k] = tx, contact[dofs + 3 * k + 1] = ty;
        contact[dofs + 3 * k + 2] = 0.01;
    }
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *q = calloc((size_t)n, sizeof *q);
    for (int32_t j = 0; j < n; j++) {
        for (int32_t d = 0; d < dofs; d++) q[j] += J[j * dofs + d] * v[d];
        for (int32_t i = 0; i <= j; i++) {
            double sum = i == j ? compliance : 0;
            for (int32_t d = 0; d < dofs; d++)
                sum += J[i * dofs + d] * inverse[d] * J[j * dofs + d];
            M[i + j * n] = M[j + i * n] = sum;
        }
    }
    own_lcp own = own_lcp_make(n, M, q);
    for (int32_t i = 0; i < n; i++) {
        bool joint = i < 2 * links, friction = !joint && i % 2 == 1;
        normal[i] = friction ? i - 1 : -1;
        double most = 0.3 * heavy * g * dt * 2 * pi * turns / links;
        own.lo[i] = joint ? -INFINITY : friction ? -most : 0;
        own.hi[i] = friction ? most : INFINITY;
    }
    own.lcp.normal = normal;
    free(J), free(v), free(inverse), free(M), free(q);
    return own;
}

#endif
