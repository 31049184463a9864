// Rotations: unit quaternions q = (w, x, y, z), matrices R (9, row by row) and rotation vectors
// u = angle * unit axis, which keep whole turns. Internal.

#ifndef PL_ROTATION_H
#define PL_ROTATION_H

#include "../base/base.h"
#include "../meshes/geometry.h"

// q = exp(u / 2), which turns by |u| about u. To rounding for |u| from the least double to the
// largest.
void pl_rotation_exp(const double u[3], double q[4]);

// Of the vectors u with exp(u / 2) = +-q, the one nearest to `near`: whole turns are those of
// `near`.
void pl_rotation_log(const double q[4], const double near[3], double u[3]);

// out = a b, the rotation b followed by a, of length 1 to rounding whatever a and b have lost of
// theirs; a product with no rotation, (1, 0, 0, 0), has the same bits. out may be a or b.
void pl_rotation_compose(const double a[4], const double b[4], double out[4]);

void pl_rotation_matrix(const double q[4], double R[9]);

// The quaternion of a rotation matrix, w >= 0.
void pl_rotation_from_matrix(const double R[9], double q[4]);

// out = R x, and R^T x; out must not be x.
static inline void pl_matrix_apply(const double R[9], const double x[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = R[3 * k] * x[0] + R[3 * k + 1] * x[1] + R[3 * k + 2] * x[2];
}

static inline void pl_matrix_apply_back(const double R[9], const double x[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = R[k] * x[0] + R[3 + k] * x[1] + R[6 + k] * x[2];
}

// d = q r q* - r: by how much the rotation moves the point r. With q = (c, s n) of the half angle
// Rodrigues' formula is 2 c (s n x r) + 2 s n x (s n x r): no difference of near numbers, so that
// the displacement of a slow turn has all its digits.
static inline void pl_rotation_displace(const double q[4], const double r[3], double d[3])
{
    double a[3], b[3];
    pl_cross(q + 1, r, a);
    pl_cross(q + 1, a, b);
    for (int k = 0; k < 3; k++) d[k] = 2 * (q[0] * a[k] + b[k]);
}

#endif
