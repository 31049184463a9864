// A quick proof that a pair of moving features stays apart, and whether it comes too near by that
// and the continuous test; for devices, too (../base/portable.h). Internal.

#ifndef PL_APART_KERNEL_H
#define PL_APART_KERNEL_H

#include "ccd_kernel.h"

// Heights along a unit vector are rounded by less than this part of the largest coordinate.
#define PL_APART_ROUNDING 1e-14

// How many points the features have.
PL_INLINE int32_t pl_apart_first(pl_pair_kind kind)
{
    return kind == PL_EDGE_EDGE ? 2 : 1;
}

PL_INLINE int32_t pl_apart_all(pl_pair_kind kind)
{
    return kind == PL_VERTEX_VERTEX ? 2 : kind == PL_VERTEX_EDGE ? 3 : 4;
}

// How many edges they have, and the points at the ends of one.
PL_INLINE int32_t pl_apart_edges(pl_pair_kind kind)
{
    return kind == PL_VERTEX_FACE ? 3 : kind == PL_EDGE_EDGE ? 2 : kind == PL_VERTEX_EDGE ? 1 : 0;
}

PL_INLINE int32_t pl_apart_end(pl_pair_kind kind, int32_t edge, int32_t end)
{
    if (kind == PL_EDGE_EDGE) return 2 * edge + end;
    return 1 + (edge + end) % 3;
}

// The least height of the first feature above the second, along n.
PL_PAIR_KERNEL double pl_apart_height(pl_pair_kind kind, const double *x, const double n[3])
{
    double low = INFINITY, high = -INFINITY;
    int32_t first = pl_apart_first(kind), all = pl_apart_all(kind);
    for (int32_t i = 0; i < first; i++) {
        double h = pl_dot(n, x + 3 * i);
        low = low < h ? low : h;
    }
    for (int32_t j = first; j < all; j++) {
        double h = pl_dot(n, x + 3 * j);
        high = high > h ? high : h;
    }
    return low - high;
}

PL_INLINE bool pl_apart_normalize(double n[3])
{
    double size = sqrt(pl_dot(n, n));
    if (!(size > 0)) return false;
    for (int k = 0; k < 3; k++) n[k] /= size;
    return true;
}

// n := upright on u, where it was nearly so.
PL_INLINE bool pl_apart_set_upright(const double u[3], double n[3])
{
    double square = pl_dot(u, u);
    if (!(square > 0)) return false;
    double part = pl_dot(u, n) / square;
    for (int k = 0; k < 3; k++) n[k] -= part * u[k];
    return pl_apart_normalize(n);
}

// n := along `up`, on its own side.
PL_INLINE bool pl_apart_set_along(const double up[3], double n[3])
{
    double side = pl_dot(up, n) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) n[k] = side * up[k];
    return pl_apart_normalize(n);
}

// best := the trial, if it separates the features better.
PL_PAIR_KERNEL void pl_apart_keep_better(pl_pair_kind kind, const double *x, const double trial[3],
                                         double *most, double best[3])
{
    double h = pl_apart_height(kind, x, trial);
    if (!(h > *most)) return;
    *most = h;
    for (int k = 0; k < 3; k++) best[k] = trial[k];
}

// A direction that separates the features. That of the closest points does; but of features that
// are nearer than 1e-6 of their size it is known to few digits, and with the edges or the face, on
// which it is upright, to all.
PL_PAIR_KERNEL void pl_apart_direction(pl_pair_kind kind, const double *x, double best[3])
{
    pl_closest closest;
    pl_closest_of(kind, x, &closest);
    for (int k = 0; k < 3; k++) best[k] = closest.normal[k];
    double most = pl_apart_height(kind, x, best), u[2][3], up[3], trial[3];
    int32_t n_edge = pl_apart_edges(kind);
    for (int32_t e = 0; e < n_edge; e++) {
        double along[3];
        pl_subtract(x + 3 * pl_apart_end(kind, e, 1), x + 3 * pl_apart_end(kind, e, 0), along);
        for (int k = 0; k < 3; k++) {
            if (e < 2) u[e][k] = along[k];
            trial[k] = closest.normal[k];
        }
        if (pl_apart_set_upright(along, trial)) {
            pl_apart_keep_better(kind, x, trial, &most, best);
        }
    }
    if (n_edge < 2) return;
    pl_cross(u[0], u[1], up); // upright on the face, or on both edges
    for (int k = 0; k < 3; k++) trial[k] = closest.normal[k];
    if (pl_apart_set_along(up, trial)) pl_apart_keep_better(kind, x, trial, &most, best);
}

PL_PAIR_KERNEL double pl_apart_largest(pl_pair_kind kind, const double *x0, const double *x1)
{
    double largest = 0;
    for (int32_t i = 0; i < 3 * pl_apart_all(kind); i++) {
        double a = fabs(x0[i]), b = fabs(x1[i]), c = a > b ? a : b;
        largest = largest > c ? largest : c;
    }
    return largest;
}

// Along (1 - t) n0 + t n1, which is no longer than 1, the height of a point above another is a
// quadratic in t: no less than the least of its coefficients in Bernstein's form. Are all above
// `least`?
PL_PAIR_KERNEL bool pl_apart_separate(pl_pair_kind kind, const double *x0, const double n0[3],
                                      const double *x1, const double n1[3], double least)
{
    int32_t first = pl_apart_first(kind), n = pl_apart_all(kind);
    for (int32_t i = 0; i < first; i++) {
        for (int32_t j = first; j < n; j++) {
            double d0[3], d1[3];
            pl_subtract(x0 + 3 * i, x0 + 3 * j, d0);
            pl_subtract(x1 + 3 * i, x1 + 3 * j, d1);
            double middle = 0.5 * (pl_dot(n0, d1) + pl_dot(n1, d0));
            double start = pl_dot(n0, d0), end = pl_dot(n1, d1), low = start < end ? start : end;
            low = low < middle ? low : middle;
            if (!(low > least)) return false;
        }
    }
    return true;
}

// pl_stays_apart (apart.h).
PL_PAIR_KERNEL bool pl_apart_stays(pl_pair_kind kind, const double *x0, const double *x1,
                                   double separation)
{
    double n0[3], n1[3], largest = pl_apart_largest(kind, x0, x1);
    pl_apart_direction(kind, x0, n0);
    pl_apart_direction(kind, x1, n1);
    return pl_apart_separate(kind, x0, n0, x1, n1, separation + PL_APART_ROUNDING * largest);
}

// --- In pieces ---

// A piece in which the pair turns by the angle a loses a^2 / 8 of its distance. Shorter ones than
// the part are not tried, nor more of them than the number.
#define PL_APART_PIECE_LEAST (1.0 / 4096)
#define PL_APART_PIECES_MAX 200

// pl_pair_at (apart.h).
PL_PAIR_KERNEL void pl_apart_at(pl_pair_kind kind, const double *x0, const double *x1, double t,
                                double *x)
{
    for (int32_t i = 0; i < 3 * pl_apart_all(kind); i++) x[i] = (1 - t) * x0[i] + t * x1[i];
}

// pl_apart_until (apart.h).
PL_PAIR_KERNEL double pl_apart_up_to(pl_pair_kind kind, const double *x0, const double *x1,
                                     double separation)
{
    double from[12], to[12], n0[3], n1[3], t = 0, length = 1;
    double largest = pl_apart_largest(kind, x0, x1);
    double least = separation + PL_APART_ROUNDING * largest;
    pl_apart_at(kind, x0, x1, 0, from);
    pl_apart_direction(kind, from, n0);
    for (int32_t piece = 0; piece < PL_APART_PIECES_MAX; piece++) {
        double end = t + length < 1 ? t + length : 1;
        pl_apart_at(kind, x0, x1, end, to);
        pl_apart_direction(kind, to, n1);
        if (!pl_apart_separate(kind, from, n0, to, n1, least)) {
            length *= 0.5;
            bool near = !(pl_apart_height(kind, from, n0) > least);
            if (length < PL_APART_PIECE_LEAST || near) break;
            continue;
        }
        if (end >= 1) return 1;
        t = end;
        length *= 2;
        for (int32_t i = 0; i < 3 * pl_apart_all(kind); i++) from[i] = to[i];
        for (int k = 0; k < 3; k++) n0[k] = n1[k];
    }
    return t;
}

// --- Pairs that come too near ---

// A pair that stays farther than this many times the separation hits nothing, radii left out; nor
// does the continuous test say so, which calls a hit a little early, unless it gives up on a long
// way.
#define PL_APART_CLEAR (1 + 1.0 / 32)

// For features with radii, which are most of the separation. The continuous test gives up on what
// turns while it is near; so it begins where nothing else proves that they stay apart.
PL_PAIR_KERNEL bool pl_apart_round_impact(pl_pair_kind kind, const double *x0, const double *x1,
                                          double radii, double separation, pl_impact *out)
{
    double x[12];
    const double *p0[4], *p1[4];
    double t = pl_apart_up_to(kind, x0, x1, radii + PL_APART_CLEAR * (separation - radii));
    if (t >= 1) return false;
    for (int32_t i = 0; i < 12; i++) x[i] = x0[i];
    if (t > 0) { // which rounds
        pl_apart_at(kind, x0, x1, t, x);
        for (int32_t i = 0; i < 3 * pl_apart_all(kind); i++) {
            separation += 2 * DBL_EPSILON * fabs(x[i]);
        }
    }
    for (int32_t i = 0; i < 4; i++) {
        p0[i] = x + 3 * i;
        p1[i] = x1 + 3 * i;
    }
    if (!pl_ccd_walk(kind, p0, p1, radii, separation, false, out)) return false;
    if (t > 0) out->time = t + (1 - t) * out->time;
    return true;
}

// pl_pair_impact (apart.h) of features without radii.
PL_PAIR_KERNEL bool pl_apart_flat_impact(pl_pair_kind kind, const double *x0, const double *x1,
                                         double separation, pl_impact *out)
{
    const double *p0[4], *p1[4];
    for (int32_t i = 0; i < 4; i++) {
        p0[i] = x0 + 3 * i;
        p1[i] = x1 + 3 * i;
    }
    return !pl_apart_stays(kind, x0, x1, PL_APART_CLEAR * separation) &&
           pl_ccd_walk(kind, p0, p1, 0, separation, false, out);
}

#endif
