// Vectors of three numbers; for devices, too (../base/portable.h). Internal.

#ifndef PL_GEOMETRY_H
#define PL_GEOMETRY_H

#include "../base/portable.h"

PL_INLINE double pl_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// r = a x b; r must be neither.
PL_INLINE void pl_cross(const double a[3], const double b[3], double r[3])
{
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

// r = a - b
PL_INLINE void pl_subtract(const double a[3], const double b[3], double r[3])
{
    for (int k = 0; k < 3; k++) r[k] = a[k] - b[k];
}

// (b-a) x (c-a), twice the area long.
PL_INLINE void pl_face_normal(const double a[3], const double b[3], const double c[3], double n[3])
{
    double u[3], v[3];
    pl_subtract(b, a, u);
    pl_subtract(c, a, v);
    pl_cross(u, v, n);
}

// Six times the signed volume of a tet: (b-a) x (c-a) . (d-a).
PL_INLINE double pl_tet_det(const double a[3], const double b[3], const double c[3],
                            const double d[3])
{
    double n[3], w[3];
    pl_face_normal(a, b, c, n);
    pl_subtract(d, a, w);
    return pl_dot(n, w);
}

// The signed volume of the tet with the corners t, indices into x.
PL_INLINE double pl_tet_volume(const double *x, const int32_t t[4])
{
    const double *p[4];
    for (int k = 0; k < 4; k++) p[k] = x + 3 * (int64_t)t[k];
    return pl_tet_det(p[0], p[1], p[2], p[3]) / 6;
}

#endif
