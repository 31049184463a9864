// Places of links and joints: a rotation and a translation.

#ifndef PL_IMPORT_POSE_H
#define PL_IMPORT_POSE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PL_DEGREES (180 / 3.14159265358979323846)

typedef struct pl_robot_pose {
    double R[9]; // row by row
    double t[3]; // [m]
} pl_robot_pose;

static inline pl_robot_pose pl_robot_pose_none(void)
{
    return (pl_robot_pose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
}

static inline void pl_robot_pose_turn(const pl_robot_pose *p, const double v[3], double out[3])
{
    const double u[3] = {v[0], v[1], v[2]};
    for (int i = 0; i < 3; i++) {
        out[i] = p->R[3 * i] * u[0] + p->R[3 * i + 1] * u[1] + p->R[3 * i + 2] * u[2];
    }
}

static inline void pl_robot_pose_apply(const pl_robot_pose *p, const double x[3], double out[3])
{
    pl_robot_pose_turn(p, x, out);
    for (int i = 0; i < 3; i++) out[i] += p->t[i];
}

// b as seen from a, seen from where a is.
static inline pl_robot_pose pl_robot_pose_in(const pl_robot_pose *a, const pl_robot_pose *b)
{
    pl_robot_pose c;
    for (int j = 0; j < 3; j++) {
        double column[3] = {b->R[j], b->R[3 + j], b->R[6 + j]};
        pl_robot_pose_turn(a, column, column);
        for (int i = 0; i < 3; i++) c.R[3 * i + j] = column[i];
    }
    pl_robot_pose_apply(a, b->t, c.t);
    return c;
}

// A turn about one of the axes 0, 1, 2 [rad].
static inline pl_robot_pose pl_robot_pose_about(int axis, double angle)
{
    pl_robot_pose p = pl_robot_pose_none();
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    p.R[4 * j] = p.R[4 * k] = cos(angle);
    p.R[3 * k + j] = sin(angle);
    p.R[3 * j + k] = -sin(angle);
    return p;
}

static inline pl_robot_pose pl_robot_pose_quaternion(const double q[4])
{
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    return (pl_robot_pose){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
                           {0, 0, 0}};
}

// The shortest turn of z to a direction.
static inline pl_robot_pose pl_robot_pose_upright(const double d[3])
{
    double n = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double q[4] = {n + d[2], -d[1], d[0], 0}, half[4] = {0, 1, 0, 0};
    return pl_robot_pose_quaternion(n + d[2] > 1e-12 * n ? q : half);
}

// Degrees about x, then y, then z, as scenes have them.
static inline void pl_robot_pose_degrees(const pl_robot_pose *p, double degrees[3])
{
    double s = fmax(-1, fmin(1, -p->R[6]));
    bool locked = fabs(s) > 1 - 1e-12;
    degrees[0] = (locked ? atan2(-p->R[5], p->R[4]) : atan2(p->R[7], p->R[8])) * PL_DEGREES;
    degrees[1] = asin(s) * PL_DEGREES;
    degrees[2] = (locked ? 0 : atan2(p->R[3], p->R[0])) * PL_DEGREES;
}

#endif
