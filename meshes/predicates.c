#include "predicates.h"
#include "big.h"

#include <float.h>

// Both predicates evaluate the determinant in doubles first. With e = 2^-53 the computed value is a
// sum of products, each carrying at most k factors (1 + d), |d| <= e: one per difference, product
// and sum on its way (4 for orient2d, 8 for orient3d). Its error is below k e (1 + 20 e) times the
// permanent, the same sum over absolute values; two more e cover the rounding of the bound itself.
// Products that underflow add at most 2^-1074 each, times the factor they are multiplied with
// later; DBL_MIN in its place leaves room for all of them. Overflow gives infinities or NaNs, which
// fail every comparison below.
#define ORIENT2D_ERROR (6 * (DBL_EPSILON / 2))
#define ORIENT3D_ERROR (10 * (DBL_EPSILON / 2))

// --- Predicates ---

static int orient2d_exact(const double *a, const double *b, const double *c, int i, int j)
{
    const double *point[3] = {a, b, c};
    int base = INT_MAX;
    for (int k = 0; k < 3; k++) {
        base = pl_big_exponent(base, point[k][i]);
        base = pl_big_exponent(base, point[k][j]);
    }
    pl_big ux, uy, vx, vy, det;
    pl_big_difference(&ux, b[i], a[i], base);
    pl_big_difference(&uy, b[j], a[j], base);
    pl_big_difference(&vx, c[i], a[i], base);
    pl_big_difference(&vy, c[j], a[j], base);
    pl_big_minor(&det, &ux, &uy, &vx, &vy);
    return det.sign;
}

int pl_orient2d(const double *a, const double *b, const double *c, int i, int j)
{
    double left = (b[i] - a[i]) * (c[j] - a[j]);
    double right = (b[j] - a[j]) * (c[i] - a[i]);
    double det = left - right;
    double bound = ORIENT2D_ERROR * (fabs(left) + fabs(right)) + DBL_MIN;
    if (det > bound || -det > bound) return pl_sign_of(det);
    if ((a[i] == b[i] && a[i] == c[i]) || (a[j] == b[j] && a[j] == c[j])) return 0;
    return orient2d_exact(a, b, c, i, j);
}

static int orient3d_exact(const double *a, const double *b, const double *c, const double *d)
{
    const double *point[4] = {a, b, c, d};
    int base = INT_MAX;
    for (int k = 0; k < 12; k++) base = pl_big_exponent(base, point[k / 3][k % 3]);
    pl_big u[3], v[3], w[3], minor, term, det = {.sign = 0};
    for (int k = 0; k < 3; k++) {
        pl_big_difference(&u[k], b[k], a[k], base);
        pl_big_difference(&v[k], c[k], a[k], base);
        pl_big_difference(&w[k], d[k], a[k], base);
    }
    for (int k = 0; k < 3; k++) {
        int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        pl_big_minor(&minor, &v[k1], &v[k2], &w[k1], &w[k2]);
        pl_big_multiply(&term, &u[k], &minor);
        pl_big_add(&det, &det, &term, 1);
    }
    return det.sign;
}

int pl_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
    double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
    double wx = d[0] - a[0], wy = d[1] - a[1], wz = d[2] - a[2];
    double vywz = vy * wz, vzwy = vz * wy;
    double vzwx = vz * wx, vxwz = vx * wz;
    double vxwy = vx * wy, vywx = vy * wx;
    double det = ux * (vywz - vzwy) + uy * (vzwx - vxwz) + uz * (vxwy - vywx);
    double permanent = fabs(ux) * (fabs(vywz) + fabs(vzwy)) + fabs(uy) * (fabs(vzwx) + fabs(vxwz)) +
                       fabs(uz) * (fabs(vxwy) + fabs(vywx));
    double bound = ORIENT3D_ERROR * permanent + DBL_MIN * (1 + fabs(ux) + fabs(uy) + fabs(uz));
    if (det > bound || -det > bound) return pl_sign_of(det);
    // A plane of constant coordinate, as in boxes and plates, needs no big numbers.
    if (ux == 0 && vx == 0 && wx == 0) return 0;
    if (uy == 0 && vy == 0 && wy == 0) return 0;
    if (uz == 0 && vz == 0 && wz == 0) return 0;
    return orient3d_exact(a, b, c, d);
}
