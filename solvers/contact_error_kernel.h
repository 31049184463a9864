// How well velocities and impulses obey the law of one constraint, for C, CUDA and OpenCL;
// contact_error.h says what the errors are. Internal.

#ifndef PL_CONTACT_ERROR_KERNEL_H
#define PL_CONTACT_ERROR_KERNEL_H

#include "box_kernel.h"

typedef struct pl_contact_errors {
    // |b + L^T f - A v| over max(|b'|, |L^T f|), in the rows that are not prescribed, where b' is b
    // less A times the prescribed velocities. Euclidean norms.
    double residual;
    double penetration; // dt max(0, -u_n) [m]
    double normal;      // of the natural map: dt |min(u_n, s_n f_n)| [m]
    double friction;    // of the natural map: dt s_t |f_t - p(f_t - u_t / s_t)|, where p moves to
                        // the nearest point of mu f_n P [m]
    double cone;        // dt s_t times the distance of f_t from mu f_n P, or dt s_n (-f_n) [m]
    double fischer;     // |x + y - sqrt(x^2 + y^2)| [VJ19, Eq. 24]: the largest of those below [m]
    double fischer_normal; // x = dt s_n f_n, y = dt u_n
    // Of friction, x = dt s_t (mu f_n - |f_t|) and y = dt |u_t|. One of them should be 0, and the
    // smaller one tells which: a contact with x < y slips, and x is what is wrong with it; else it
    // sticks, and y is. [VJ19, 6.3] has the same where it slips; where it sticks, it takes |f_t|
    // for x, which overlooks any slip where nothing pulls.
    double fischer_stick, fischer_slip;
    double joint; // of the natural map of a box's rows: dt s |f - clamp(f - w / s)| [m] or [rad]
    // The mean over constraints of (d_n^2 / s_n + d_t^2 / s_t) / 2 [J], with d the natural maps
    // above as velocities, of a box the sum over its rows: the energy that the error would have.
    // This is how we read the unit-consistent measure of Enzenhoefer et al. that [Ho22, 6.2.2] uses
    // and gives no formula of.
    double energy;
} pl_contact_errors;

PL_INLINE double pl_larger(double a, double b) // NaN wins
{
    return b > a || isnan(b) ? b : a;
}

PL_INLINE double pl_fischer(double x, double y)
{
    return fabs(x + y - sqrt(x * x + y * y));
}

// The errors of one contact; returns its energy. s (2) is not 0.
PL_INLINE double pl_cone_errors(double dt, double mu, const double *s, const double *u,
                                const double *f, pl_contact_errors *e)
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]), ft = sqrt(f[1] * f[1] + f[2] * f[2]);
    double limit = mu * (f[0] > 0 ? f[0] : 0);
    double x = f[1] - u[1] / s[1], y = f[2] - u[2] / s[1], length = sqrt(x * x + y * y);
    double shorten = length > limit ? limit / length : 1;
    double d1 = s[1] * (f[1] - shorten * x), d2 = s[1] * (f[2] - shorten * y);
    double dn = fabs(u[0] < s[0] * f[0] ? u[0] : s[0] * f[0]), dd = d1 * d1 + d2 * d2;
    e->normal = pl_larger(e->normal, dt * dn);
    e->friction = pl_larger(e->friction, dt * sqrt(dd));
    e->cone =
        pl_larger(e->cone, dt * (s[1] * (ft - mu * f[0]) > -s[0] * f[0] ? s[1] * (ft - mu * f[0])
                                                                        : -s[0] * f[0]));
    double slack = dt * s[1] * (limit - ft);
    double tangential = pl_fischer(slack, dt * slip);
    if (slack < dt * slip) {
        e->fischer_slip = pl_larger(e->fischer_slip, tangential);
    } else {
        e->fischer_stick = pl_larger(e->fischer_stick, tangential);
    }
    e->fischer_normal = pl_larger(e->fischer_normal, pl_fischer(dt * s[0] * f[0], dt * u[0]));
    return 0.5 * (dn * dn / s[0] + dd / s[1]);
}

// d (3) := the natural map of a box, with the velocities w = u + E f: see law.h.
PL_INLINE void pl_box_map_at(const double *lo, const double *hi, const double *E, double s,
                             const double *u, const double *f, double *d)
{
    for (int a = 0; a < 3; a++) {
        double w = u[a] + E[a] * f[a];
        bool bilateral = lo[a] == -INFINITY && hi[a] == INFINITY;
        d[a] = bilateral ? fabs(w) // without the rounding of f - (f - w / s)
                         : s * fabs(f[a] - pl_clamp(f[a] - w / s, lo[a], hi[a]));
    }
}

// The errors of a box, whose rows have the same s; returns its energy.
PL_INLINE double pl_box_errors(double dt, const double *lo, const double *hi, const double *E,
                               double s, const double *u, const double *f, pl_contact_errors *e)
{
    double d[3], sum = 0;
    pl_box_map_at(lo, hi, E, s, u, f, d);
    for (int a = 0; a < 3; a++) {
        e->joint = pl_larger(e->joint, dt * d[a]);
        sum += 0.5 * d[a] * d[a] / s;
    }
    return sum;
}

#endif
