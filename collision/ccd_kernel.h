// Do two moving features come closer than a separation s?
//
// The figure of differences (see distance.h) has corners z_k that move linearly; the question is
// whether it comes closer to the origin than s. Time is walked through from the left: at t the
// closest point is found, then two certificates say how far t may go without asking again.
//
// 1. A fixed direction n. All corners stay higher than s above the plane through the origin across
//    n for as long as n.z_k(t) > s |n|: these are linear functions of t, so the time is the least
//    of their roots. n is the direction of the closest point at t, which separates at t if any
//    does. Translation, however fast, is over with in one or two steps; that is what additive
//    conservative advancement (Li et al. 2021) is slow at, because it divides the gap by a bound of
//    the speed, whatever its direction. The step taken here is never shorter than that one.
// 2. The figure's own plane, which turns with it. With e, f its edges and n(t) = e x f, the plane's
//    distance from the origin is |n.z| / |n|, so the figure is clear while |n.z| - s |n| > 0. n.z
//    is the cubic whose roots [VJ19, 5.2] looks for, here in Bernstein form: it is not smaller than
//    the hull of its coefficients. This one is for faces and edges that turn or pass closely (gap
//    g): fixed directions would take 1 / sqrt(g) steps, this takes log(1 / g).
//
// What neither clears is a hit, or so near to one that rounding hides the difference. "No" is a
// proof: t has been led from 0 to 1 over intervals that each hold, rounding errors included. The
// bounds below are in units of u = eps / 2 and M (moving.size), the largest |z_k|; a difference of
// coordinates, computed, is off by u |z|. s < M where they are used, or the pair touches at t = 0.
//
//   direction    n.z: rounding of z, 3 products, 2 sums: 4 u |n| M. s |n|: 4 u |n| M.
//   plane        Let e, f, z be bounds of the three lengths. e and f are off by 4 u M, so n.z is by
//                u M (e f + 4 z (e + f)), plus 10 u e f z for its own products and sums. s |n|
//                (with s <= z) adds z (4 u M (e + f) + 3 u e f), the coefficients on a part of [0,
//                1] add three interpolations of n.z and s |n|, 20 u e f z. In all below 34 u M (e f
//                + z (e + f)), for z <= M.
//   underflow    loses less than DBL_MIN at a place.
//
// A root is rounded towards the safe side by PL_CCD_ROOT_ERROR, more than its few operations lose.
//
// Why not something known? Measured on the benchmark of Wang et al. 2021 and on the pairs of
// tests/test_ccd.c: the cubic's root by Brent-Dekker and a test whether it is inside, as
// [VJ19, 5.2] describes it, misses what starts and ends on the same side, double roots, and motion
// in one plane: about half of the hits among random pairs, 4 of 232 on the benchmark. Additive
// advancement takes up to 10^5 steps and more where features graze or small ones fly fast, and with
// its usual stop at a tenth of the first distance it gives three times the false alarms. Internal.

#ifndef PL_CCD_KERNEL_H
#define PL_CCD_KERNEL_H

#include "distance.h"

// Factors of eps, from the bounds above with some room.
#define PL_CCD_DIRECTION_ERROR (6 * DBL_EPSILON)
#define PL_CCD_PLANE_ERROR (24 * DBL_EPSILON)
#define PL_CCD_ROOT_ERROR (8 * DBL_EPSILON)

// A pair that comes closer than s + PL_CCD_SLACK (s - radii) + PL_CCD_TOUCH_ERROR M is said to hit.
// There the steps get short; an answer a little early costs the caller nothing.
#define PL_CCD_SLACK (1.0 / 64)
#define PL_CCD_TOUCH_ERROR (256 * DBL_EPSILON)

// After so many steps the answer is yes. Hits and misses take 1 to 5 as a rule; those that graze at
// an edge, where no plane turns along, get here (some microseconds).
enum { PL_CCD_STEPS_MAX = 64, PL_CCD_CLIPS_MAX = 40 };

// The corners at the start and at the end. Kinds with fewer than four repeat some.
typedef struct pl_ccd_moving {
    double z[2][3][4]; // [time][axis][corner]
    double size;       // M
} pl_ccd_moving;

// --- The figure ---

PL_PAIR_KERNEL void pl_ccd_set_corner(const double *a, const double *b, pl_ccd_moving *m, int time,
                                      int corner)
{
    for (int k = 0; k < 3; k++) m->z[time][k][corner] = a[k] - b[k];
}

// p: the points of the pair. Corners 1 - 0 and 2 - 0 are e and f.
PL_PAIR_KERNEL void pl_ccd_set_corners(pl_pair_kind kind, const double *const p[4],
                                       pl_ccd_moving *m, int time)
{
    if (kind == PL_EDGE_EDGE) {
        for (int i = 0; i < 4; i++) pl_ccd_set_corner(p[i % 2], p[2 + i / 2], m, time, i);
        return;
    }
    pl_ccd_set_corner(p[0], p[1], m, time, 0);
    pl_ccd_set_corner(p[0], kind == PL_VERTEX_VERTEX ? p[1] : p[2], m, time, 1);
    pl_ccd_set_corner(p[0], kind == PL_VERTEX_FACE ? p[3] : p[1], m, time, 2);
    pl_ccd_set_corner(p[0], p[1], m, time, 3);
}

PL_PAIR_KERNEL void pl_ccd_figure_at(const pl_ccd_moving *m, double t, double z[3], double e[3],
                                     double f[3])
{
    double r = 1 - t;
    for (int k = 0; k < 3; k++) {
        const double *a = m->z[0][k], *b = m->z[1][k];
        z[k] = r * a[0] + t * b[0];
        e[k] = (r * a[1] + t * b[1]) - z[k];
        f[k] = (r * a[2] + t * b[2]) - z[k];
    }
}

// --- Fixed directions ---

// Does an axis separate from start to end? Sets m->size. No error bound is needed: a difference
// rounds to more than s only if it is more than s.
PL_PAIR_KERNEL bool pl_ccd_axis_separates(pl_ccd_moving *m, double separation)
{
    double square = 0;
    bool apart = false;
    for (int k = 0; k < 3; k++) {
        double lo = m->z[0][k][0], hi = lo;
        for (int i = 0; i < 8; i++) {
            double z = m->z[i / 4][k][i % 4];
            lo = z < lo ? z : lo;
            hi = z > hi ? z : hi;
        }
        apart |= (lo > separation) | (hi < -separation);
        double most = -lo > hi ? -lo : hi;
        square += most * most;
    }
    m->size = sqrt(square);
    return apart;
}

PL_PAIR_KERNEL void pl_ccd_heights(double z[3][4], const double n[3], double h[4])
{
    for (int i = 0; i < 4; i++) h[i] = z[0][i] * n[0] + z[1][i] * n[1] + z[2][i] * n[2];
}

// The time up to which n, `length` long, separates without a break from t on; t if it does not.
PL_PAIR_KERNEL double pl_ccd_separated_until(pl_ccd_moving *m, const double n[3], double length,
                                             double separation, double t)
{
    double least = (separation + PL_CCD_DIRECTION_ERROR * m->size) * length + DBL_MIN;
    double h0[4], h1[4], until = 1;
    pl_ccd_heights(m->z[0], n, h0);
    pl_ccd_heights(m->z[1], n, h1);
    for (int i = 0; i < 4; i++) {
        if (h1[i] < least) { // sinks, or has always been too low
            if (!(h0[i] > least)) return t;
            double root = (h0[i] - least) / (h0[i] - h1[i]) * (1 - PL_CCD_ROOT_ERROR);
            until = root < until ? root : until;
        } else if (h0[i] < least) { // rises
            double root = (least - h0[i]) / (h1[i] - h0[i]) * (1 + PL_CCD_ROOT_ERROR);
            if (!(root <= t)) return t;
        }
    }
    return until > t ? until : t;
}

// The direction of the closest point is off by a rounding error relative to M, so it may be turned
// by eps M / |d|, which is too much for far corners if |d| < sqrt(eps) M. Better: make it
// orthogonal to the side that the point is on, or to the whole figure if it is inside.
PL_INLINE void pl_ccd_polish(pl_pair_kind kind, const double e[3], const double f[3],
                             const pl_foot *foot, double n[3])
{
    bool along_e = foot->s > 0 && foot->s<1, along_f = foot->t> 0 && foot->t < 1;
    bool third_side = kind == PL_VERTEX_FACE && foot->rest == 0;
    for (int k = 0; k < 3; k++) n[k] = foot->d[k];
    if (along_e && along_f && !third_side) {
        pl_cross(e, f, n);
        double sign = pl_dot(n, foot->d) < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) n[k] *= sign;
    } else if (along_e || along_f) {
        double side[3];
        for (int k = 0; k < 3; k++) side[k] = third_side ? f[k] - e[k] : along_e ? e[k] : f[k];
        double along = pl_dot(n, side) / pl_dot(side, side);
        for (int k = 0; k < 3; k++) n[k] -= along * side[k];
    }
}

// --- The figure's plane ---

// Lower bounds of n.z - s |n| and of -n.z - s |n|, cubics in Bernstein form.
typedef struct pl_ccd_plane {
    double c[2][4];
} pl_ccd_plane;

PL_INLINE double pl_ccd_larger_norm(const double a[3], const double b[3])
{
    double aa = pl_dot(a, a), bb = pl_dot(b, b);
    return sqrt(aa > bb ? aa : bb);
}

// With z = z0, z1 and n = n0, n1, n2 in Bernstein form, n.z is the product of a quadratic and a
// linear function; |n| is at most the quadratic with the coefficients |n0|, |n1|, |n2|, because
// lengths are convex.
PL_INLINE pl_ccd_plane pl_ccd_plane_of(pl_ccd_moving *m, double separation)
{
    double z[2][3], e[2][3], f[2][3], n[3][3], ef[3], fe[3];
    for (int t = 0; t < 2; t++) pl_ccd_figure_at(m, t, z[t], e[t], f[t]);
    pl_cross(e[0], f[0], n[0]);
    pl_cross(e[1], f[1], n[2]);
    pl_cross(e[0], f[1], ef);
    pl_cross(e[1], f[0], fe);
    for (int k = 0; k < 3; k++) n[1][k] = (ef[k] + fe[k]) / 2;
    const double height[4] = {pl_dot(n[0], z[0]), (2 * pl_dot(n[1], z[0]) + pl_dot(n[0], z[1])) / 3,
                              (pl_dot(n[2], z[0]) + 2 * pl_dot(n[1], z[1])) / 3,
                              pl_dot(n[2], z[1])};
    double l[3] = {0, 0, 0};
    for (int i = 0; i < 3 && separation > 0; i++) l[i] = separation * sqrt(pl_dot(n[i], n[i]));
    const double least[4] = {l[0], (l[0] + 2 * l[1]) / 3, (2 * l[1] + l[2]) / 3, l[2]};
    double le = pl_ccd_larger_norm(e[0], e[1]), lf = pl_ccd_larger_norm(f[0], f[1]);
    double lz = pl_ccd_larger_norm(z[0], z[1]);
    double error = PL_CCD_PLANE_ERROR * m->size * (le * lf + lz * (le + lf)) + DBL_MIN;
    pl_ccd_plane p;
    for (int i = 0; i < 4; i++) {
        p.c[0][i] = height[i] - (least[i] + error);
        p.c[1][i] = -height[i] - (least[i] + error);
    }
    return p;
}

PL_INLINE double pl_ccd_mix(double a, double b, double t)
{
    return (1 - t) * a + t * b;
}

// The coefficients r of the cubic c on [a, b]: its blossom at aaa, aab, abb, bbb. Always from those
// on [0, 1], so that errors do not add up.
PL_INLINE void pl_ccd_restrict(const double c[4], double a, double b, double r[4])
{
    double at_a[3], at_b[3], aa[2], ab[2], bb[2];
    for (int i = 0; i < 3; i++) {
        at_a[i] = pl_ccd_mix(c[i], c[i + 1], a);
        at_b[i] = pl_ccd_mix(c[i], c[i + 1], b);
    }
    for (int i = 0; i < 2; i++) {
        aa[i] = pl_ccd_mix(at_a[i], at_a[i + 1], a);
        ab[i] = pl_ccd_mix(at_a[i], at_a[i + 1], b);
        bb[i] = pl_ccd_mix(at_b[i], at_b[i + 1], b);
    }
    r[0] = pl_ccd_mix(aa[0], aa[1], a);
    r[1] = pl_ccd_mix(aa[0], aa[1], b);
    r[2] = pl_ccd_mix(ab[0], ab[1], b);
    r[3] = pl_ccd_mix(bb[0], bb[1], b);
}

// Where the hull of the points (i/3, c_i) first comes down to 0: on a line from a coefficient above
// to a later one below. 1 if it does not; c_0 > 0.
PL_INLINE double pl_ccd_first_crossing(const double c[4])
{
    double first = 1;
    for (int j = 1; j < 4; j++) {
        if (c[j] >= 0) continue;
        for (int i = 0; i < j; i++) {
            if (c[i] < 0) continue;
            double at = (i + (j - i) * (c[i] / (c[i] - c[j]))) / 3;
            first = at < first ? at : first;
        }
    }
    return first;
}

// The time up to which the cubic c is positive without a break from t on; t if it is not. The hull
// moves the left end a to the right; the right end b comes near the root too, if it is not beyond
// it, so that the hull gets flat and the steps converge quadratically.
PL_INLINE double pl_ccd_positive_until(const double c[4], double t)
{
    double a = t, b = 1;
    for (int clip = 0; clip < PL_CCD_CLIPS_MAX; clip++) {
        double r[4];
        pl_ccd_restrict(c, a, b, r);
        if (!(r[0] > 0)) break;
        double h = pl_ccd_first_crossing(r);
        if (h >= 1) {
            a = b;
            if (b >= 1) break;
            double next_b = b + 2 * (b - t);
            b = next_b < 1 ? next_b : 1;
            continue;
        }
        double next = (a + h * (b - a)) * (1 - PL_CCD_ROOT_ERROR);
        if (h < 0.5) b = a + 2 * h * (b - a);
        if (!(next > a)) break;
        a = next;
    }
    return a;
}

PL_INLINE double pl_ccd_plane_clear_until(const pl_ccd_plane *p, double t)
{
    double until = pl_ccd_positive_until(p->c[0], t);
    return until > t ? until : pl_ccd_positive_until(p->c[1], t);
}

// --- The walk ---

PL_PAIR_KERNEL bool pl_ccd_walk(pl_pair_kind kind, const double *const p0[4],
                                const double *const p1[4], double radii, double separation,
                                bool halve, pl_impact *out)
{
    pl_ccd_moving m;
    pl_ccd_set_corners(kind, p0, &m, 0);
    pl_ccd_set_corners(kind, p1, &m, 1);
    if (pl_ccd_axis_separates(&m, separation)) return false;
    double t = 0, touching = 0, z[3], e[3], f[3];
    pl_ccd_plane own;
    pl_foot foot;
    for (int step = 0;; step++) {
        pl_ccd_figure_at(&m, t, z, e, f);
        foot = pl_foot_of(kind, z, e, f);
        double distance = sqrt(foot.square);
        if (step == 0) {
            if (halve && separation > distance / 2) separation = distance / 2;
            touching =
                separation + PL_CCD_SLACK * (separation - radii) + PL_CCD_TOUCH_ERROR * m.size;
        }
        if (!(distance > touching) || step == PL_CCD_STEPS_MAX) break;
        double until = pl_ccd_separated_until(&m, foot.d, distance, separation, t);
        if (!(until > t)) {
            double n[3];
            pl_ccd_polish(kind, e, f, &foot, n);
            until = pl_ccd_separated_until(&m, n, sqrt(pl_dot(n, n)), separation, t);
        }
        if (until >= 1) return false;
        if (kind == PL_VERTEX_FACE || kind == PL_EDGE_EDGE) {
            if (step == 0) own = pl_ccd_plane_of(&m, separation);
            double other = pl_ccd_plane_clear_until(&own, t);
            if (other >= 1) return false;
            until = until > other ? until : other;
        }
        if (!(until > t)) break;
        t = until;
    }
    if (out != NULL) {
        out->time = t;
        pl_closest_from_foot(kind, z, e, f, &foot, &out->closest);
    }
    return true;
}

#endif
