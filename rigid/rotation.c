#include "rotation.h"

#include <float.h>
#include <math.h>

#define TAU 6.283185307179586476925286766559

// The most that the square of a unit quaternion's length differs from 1.
static const double LENGTH_ROUNDING = 4 * DBL_EPSILON;

// Also of a vector whose squares overflow or vanish.
static double length_of(const double a[3])
{
    return hypot(hypot(a[0], a[1]), a[2]);
}

void pl_rotation_exp(const double u[3], double q[4])
{
    double angle = length_of(u), s = sin(0.5 * angle);
    q[0] = cos(0.5 * angle);
    for (int k = 0; k < 3; k++) q[1 + k] = angle > 0 ? s * (u[k] / angle) : 0;
}

void pl_rotation_log(const double q[4], const double near[3], double u[3])
{
    double s = length_of(q + 1), axis[3] = {0};
    // No turn at all has no axis of its own: it is a number of whole turns about that of `near`.
    const double *from = s > 0 ? q + 1 : near;
    double length = s > 0 ? s : length_of(near);
    for (int k = 0; k < 3 && length > 0; k++) axis[k] = from[k] / length;
    double angle = 2 * atan2(s, q[0]);
    angle += TAU * nearbyint((pl_dot(near, axis) - angle) / TAU);
    for (int k = 0; k < 3; k++) u[k] = angle * axis[k];
}

void pl_rotation_compose(const double a[4], const double b[4], double out[4])
{
    double v[3], q[4];
    pl_cross(a + 1, b + 1, v);
    q[0] = a[0] * b[0] - pl_dot(a + 1, b + 1);
    for (int k = 0; k < 3; k++) q[1 + k] = a[0] * b[1 + k] + b[0] * a[1 + k] + v[k];
    // A length within rounding is left alone, so that no turn at all changes no bit.
    double square = q[0] * q[0] + pl_dot(q + 1, q + 1);
    double length = fabs(square - 1) > LENGTH_ROUNDING ? sqrt(square) : 1;
    for (int k = 0; k < 4; k++) out[k] = q[k] / length;
}

void pl_rotation_matrix(const double q[4], double R[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

// The diagonal gives the squares of the components, 4 w^2 = 1 + R00 + R11 + R22 and 4 x^2 = 1 + R00
// - R11 - R22, ..; the largest is at least 1/4, and sums and differences across the diagonal are 4
// times its products with the others.
void pl_rotation_from_matrix(const double R[9], double q[4])
{
    const double square[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8],
                              1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    const double product[4][4] = {
        {square[0], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
        {R[7] - R[5], square[1], R[1] + R[3], R[2] + R[6]},
        {R[2] - R[6], R[1] + R[3], square[2], R[5] + R[7]},
        {R[3] - R[1], R[2] + R[6], R[5] + R[7], square[3]},
    };
    int best = 0;
    for (int k = 1; k < 4; k++) best = square[k] > square[best] ? k : best;
    const double *p = product[best];
    double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (p[0] < 0) length = -length;
    for (int k = 0; k < 4; k++) q[k] = p[k] / length;
}
