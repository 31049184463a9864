// The coordinates of a joint.

#include "coordinates.h"

#include <math.h>
#include <string.h>

#define TAU 6.283185307179586476925286766559

// The least volume that the three vectors of M may span: below it the angles are not smooth.
static const double LEAST_VOLUME = 1e-3;

// --- Poses ---

static void conjugate(const double q[4], double out[4])
{
    out[0] = q[0];
    for (int k = 1; k < 4; k++) out[k] = -q[k];
}

void pl_pose_compose(const pl_pose *a, const pl_pose *b, pl_pose *out)
{
    double moved[3];
    pl_rotation_displace(a->q, b->x, moved);
    for (int k = 0; k < 3; k++) out->x[k] = a->x[k] + b->x[k] + moved[k];
    pl_rotation_compose(a->q, b->q, out->q);
}

void pl_pose_relative(const pl_pose *a, const pl_pose *b, pl_pose *out)
{
    double back[4];
    conjugate(a->q, back);
    pl_coordinates_place(a, b, out->x);
    pl_rotation_compose(back, b->q, out->q);
}

void pl_coordinates_place(const pl_pose *a, const pl_pose *b, double x[3])
{
    double R[9], d[3];
    pl_rotation_matrix(a->q, R);
    pl_subtract(b->x, a->x, d);
    pl_matrix_apply_back(R, d, x);
}

// --- Angles ---

// Of the angles that differ by whole turns, the one nearest to `near`.
static double unwrap(double angle, double near)
{
    return angle + TAU * nearbyint((near - angle) / TAU);
}

// p = (w, x, y, z): its twist is the angle of (w, x), and S = p T* has n = |(w, x)| as real part.
static void swing_twist(const double p[4], const double near[3], double angle[3])
{
    double n = hypot(p[0], p[1]);
    double c = n > 0 ? p[0] / n : 1, s = n > 0 ? p[1] / n : 0;
    double y = c * p[2] - s * p[3], z = s * p[2] + c * p[3], m = hypot(y, z);
    double scale = m > 0 ? 2 * atan2(m, n) / m : 2;
    angle[0] = n > 0 ? unwrap(2 * atan2(p[1], p[0]), near[0]) : near[0];
    angle[1] = scale * y;
    angle[2] = scale * z;
}

static void cardan(const double p[4], const double near[3], double angle[3])
{
    double Q[9];
    pl_rotation_matrix(p, Q);
    angle[0] = atan2(-Q[5], hypot(Q[3], Q[4]));
    angle[1] = unwrap(atan2(Q[2], Q[8]), near[1]);
    angle[2] = unwrap(atan2(Q[3], Q[4]), near[2]);
}

void pl_coordinates_angles(pl_angles kind, const pl_pose *a, const pl_pose *b, const double near[3],
                           double angle[3])
{
    double back[4], p[4], to[3];
    memcpy(to, near, sizeof to);
    conjugate(a->q, back);
    pl_rotation_compose(back, b->q, p);
    if (kind == PL_ANGLES_CARDAN) {
        cardan(p, to, angle);
    } else {
        swing_twist(p, to, angle);
    }
}

// --- Their rates ---

// The columns of M, as rows: S x, then J y and J z with J = 1 + (1 - cos t) / t^2 [s]x + (t - sin
// t) / t^3 [s]x^2, the derivative of the exponential of s = (0, s_y, s_z), t = |s|.
static void swing_columns(const double angle[3], double M[9])
{
    double s[3] = {0, angle[1], angle[2]}, t = hypot(s[1], s[2]), q[4], half = sin(0.5 * t);
    double a = t > 1e-4 ? 2 * half * half / (t * t) : 0.5;
    double b = t > 1e-4 ? (t - sin(t)) / (t * t * t) : 1.0 / 6;
    pl_rotation_exp(s, q);
    for (int c = 0; c < 3; c++) {
        double e[3] = {c == 0, c == 1, c == 2}, se[3], sse[3], moved[3];
        pl_cross(s, e, se);
        pl_cross(s, se, sse);
        pl_rotation_displace(q, e, moved);
        for (int k = 0; k < 3; k++) {
            M[3 * c + k] = e[k] + (c == 0 ? moved[k] : a * se[k] + b * sse[k]);
        }
    }
}

// R_y x, then y, then R_y R_x z.
static void cardan_columns(const double angle[3], double M[9])
{
    double sa = sin(angle[0]), ca = cos(angle[0]), sb = sin(angle[1]), cb = cos(angle[1]);
    const double columns[9] = {cb, 0, -sb, 0, 1, 0, sb * ca, -sa, cb * ca};
    memcpy(M, columns, sizeof columns);
}

void pl_coordinates_turning(pl_angles kind, const pl_pose *a, const double angle[3], double axis[9])
{
    double M[9], R[9], local[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (kind == PL_ANGLES_CARDAN) {
        cardan_columns(angle, M);
    } else {
        swing_columns(angle, M);
    }
    double across[9];
    pl_cross(M + 3, M + 6, across);
    pl_cross(M + 6, M, across + 3);
    pl_cross(M, M + 3, across + 6);
    double volume = pl_dot(M, across);
    for (int k = 0; k < 9 && volume > LEAST_VOLUME; k++) local[k] = across[k] / volume;
    pl_rotation_matrix(a->q, R);
    for (int k = 0; k < 3; k++) pl_matrix_apply(R, local + 3 * k, axis + 3 * k);
}
