// The distance of two features as the distance of one flat figure from the origin. Internal.
//
// The differences a - b of the points a of one feature and b of another fill a figure that is flat:
// a point (vertex-vertex), a segment (vertex-edge), a triangle (vertex-face) or a parallelogram
// (edge-edge). Its points are
//
//     z + s e + t f,   s = t = 0            point
//                      0 <= s <= 1, t = 0   segment
//                      s, t >= 0, s+t <= 1  triangle
//                      0 <= s, t <= 1       parallelogram
//
// and the features are as far apart as the figure is from the origin. All that the pair's place in
// the world costs is the rounding of the differences, which is relative to the size of the pair.
//
// Errors. Let L = sqrt(|z|^2 + |e|^2 + |f|^2) be the size of the pair and eps = 2^-52. The vector d
// found below is z + s e + t f for s and t inside the figure, rounded a few times at the size of L,
// so it is not shorter than the true distance by more than a few eps L. It is not longer either:
// the interior is a least squares problem in two unknowns, solved by modified Gram-Schmidt with the
// right-hand side as a third column. That is backward stable (Bjorck 1967), whatever the angle
// between e and f: the (s, t) found is the exact minimizer for columns changed by a few eps of
// their lengths, and with s and t at most 1 such a change moves no point of the figure by more than
// a few eps L. If that (s, t) lies outside, the nearest point of the changed figure is on its
// boundary, whose sides are all tried. What "a few" is at most, the tests measure against rational
// arithmetic on the worst shapes we know: PL_DISTANCE_ERROR holds with room.

#ifndef PL_DISTANCE_H
#define PL_DISTANCE_H

#include "../meshes/geometry.h"

#ifndef __OPENCL_VERSION__
#include <float.h>
#include <pliant.h> // pl_closest; ../gpu/embed.sh gives it to OpenCL
#endif

// Inlined everywhere: what lives in registers must not pass through memory, and a constant kind
// leaves one of four figures.
#if defined(__CUDACC__)
#define PL_PAIR_KERNEL PL_INLINE
#else
#define PL_PAIR_KERNEL PL_INLINE __attribute__((always_inline))
#endif

// A distance is within this times L of the truth, see above. Below it, it says nothing about the
// direction any more.
#define PL_DISTANCE_ERROR (8 * DBL_EPSILON)

// The figure of a pair. What a kind does not have is 0.
PL_PAIR_KERNEL void pl_pair_figure(pl_pair_kind kind, const double *x, double z[3], double e[3],
                                   double f[3])
{
    for (int k = 0; k < 3; k++) e[k] = f[k] = 0;
    if (kind == PL_EDGE_EDGE) {
        pl_subtract(x, x + 6, z);
        pl_subtract(x + 3, x, e);
        pl_subtract(x + 6, x + 9, f);
        return;
    }
    pl_subtract(x, x + 3, z);
    if (kind != PL_VERTEX_VERTEX) pl_subtract(x + 3, x + 6, e);
    if (kind == PL_VERTEX_FACE) pl_subtract(x + 3, x + 9, f);
}

// The point of a figure that is nearest to the origin.
typedef struct pl_foot {
    double s, t;
    double rest;   // 1 - s - t, without the rounding errors that a difference would show
    double d[3];   // the point
    double square; // |d|^2
} pl_foot;

// numerator / denominator (>= 0) moved into [0, 1]; 0/0 is 0.
PL_PAIR_KERNEL double pl_clamped_ratio(double numerator, double denominator)
{
    double ratio = numerator / (denominator > 0 ? denominator : 1);
    ratio = ratio > 0 ? ratio : 0;
    return ratio < 1 ? ratio : 1;
}

// Takes (s, t) if it is nearer than the best so far.
PL_PAIR_KERNEL void pl_foot_try(const double z[3], const double e[3], const double f[3], double s,
                                double t, double rest, pl_foot *best)
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = z[k] + (s * e[k] + t * f[k]);
    double square = pl_dot(d, d);
    if (!(square < best->square)) return;
    best->s = s;
    best->t = t;
    best->rest = rest;
    for (int k = 0; k < 3; k++) best->d[k] = d[k];
    best->square = square;
}

// The dot products that every side of the figure needs.
typedef struct pl_foot_products {
    double ee, ff, ef, ze, zf;
} pl_foot_products;

PL_PAIR_KERNEL pl_foot_products pl_foot_multiply(const double z[3], const double e[3],
                                                 const double f[3])
{
    pl_foot_products p;
    p.ee = pl_dot(e, e);
    p.ff = pl_dot(f, f);
    p.ef = pl_dot(e, f);
    p.ze = pl_dot(z, e);
    p.zf = pl_dot(z, f);
    return p;
}

// The nearest point of the whole plane, by modified Gram-Schmidt: e first, then what f and z have
// beyond e. True if s and t are not negative; false also where e and f are parallel or 0, which
// makes them infinite or no numbers.
PL_PAIR_KERNEL bool pl_foot_plane(const double z[3], const double e[3], const double f[3],
                                  const pl_foot_products *p, pl_foot *foot)
{
    double inverse = 1 / p->ee, along = p->ze * inverse, slope = p->ef * inverse;
    double g[3], r[3];
    for (int k = 0; k < 3; k++) {
        g[k] = f[k] - slope * e[k];
        r[k] = z[k] - along * e[k];
    }
    foot->t = -pl_dot(r, g) / pl_dot(g, g);
    foot->s = -along - slope * foot->t;
    for (int k = 0; k < 3; k++) foot->d[k] = z[k] + (foot->s * e[k] + foot->t * f[k]);
    foot->square = pl_dot(foot->d, foot->d);
    return foot->s >= 0 && foot->t >= 0;
}

PL_PAIR_KERNEL pl_foot pl_foot_segment(const double z[3], const double e[3])
{
    pl_foot foot;
    foot.t = 0;
    foot.s = pl_clamped_ratio(-pl_dot(z, e), pl_dot(e, e));
    foot.rest = 1 - foot.s;
    for (int k = 0; k < 3; k++) foot.d[k] = z[k] + foot.s * e[k];
    foot.square = pl_dot(foot.d, foot.d);
    return foot;
}

PL_PAIR_KERNEL pl_foot pl_foot_triangle(const double z[3], const double e[3], const double f[3])
{
    pl_foot_products p = pl_foot_multiply(z, e, f);
    pl_foot foot;
    if (pl_foot_plane(z, e, f, &p, &foot) && foot.s + foot.t <= 1) {
        foot.rest = 1 - (foot.s + foot.t);
        return foot;
    }
    foot.rest = 0;
    foot.square = INFINITY;
    double s = pl_clamped_ratio(-p.ze, p.ee), t = pl_clamped_ratio(-p.zf, p.ff);
    pl_foot_try(z, e, f, s, 0, 1 - s, &foot);
    pl_foot_try(z, e, f, 0, t, 1 - t, &foot);
    double g[3], corner[3]; // the third side, from z + e to z + f
    pl_subtract(f, e, g);
    for (int k = 0; k < 3; k++) corner[k] = z[k] + e[k];
    t = pl_clamped_ratio(-pl_dot(corner, g), pl_dot(g, g));
    pl_foot_try(z, e, f, 1 - t, t, 0, &foot);
    return foot;
}

PL_PAIR_KERNEL pl_foot pl_foot_parallelogram(const double z[3], const double e[3],
                                             const double f[3])
{
    pl_foot_products p = pl_foot_multiply(z, e, f);
    pl_foot foot;
    foot.rest = 0;
    if (pl_foot_plane(z, e, f, &p, &foot) && foot.s <= 1 && foot.t <= 1) return foot;
    foot.square = INFINITY;
    pl_foot_try(z, e, f, pl_clamped_ratio(-p.ze, p.ee), 0, 0, &foot);
    pl_foot_try(z, e, f, 0, pl_clamped_ratio(-p.zf, p.ff), 0, &foot);
    pl_foot_try(z, e, f, pl_clamped_ratio(-(p.ze + p.ef), p.ee), 1, 0, &foot);
    pl_foot_try(z, e, f, 1, pl_clamped_ratio(-(p.zf + p.ef), p.ff), 0, &foot);
    return foot;
}

PL_PAIR_KERNEL pl_foot pl_foot_of(pl_pair_kind kind, const double z[3], const double e[3],
                                  const double f[3])
{
    switch (kind) {
    case PL_VERTEX_FACE:
        return pl_foot_triangle(z, e, f);
    case PL_EDGE_EDGE:
        return pl_foot_parallelogram(z, e, f);
    case PL_VERTEX_EDGE:
        return pl_foot_segment(z, e);
    case PL_VERTEX_VERTEX:
        break;
    }
    pl_foot foot;
    foot.s = foot.t = 0;
    foot.rest = 1;
    for (int k = 0; k < 3; k++) foot.d[k] = z[k];
    foot.square = pl_dot(z, z);
    return foot;
}

// A unit vector perpendicular to `a`, which is not 0: from the axis that `a` is farthest from.
PL_INLINE void pl_perpendicular(const double a[3], double n[3])
{
    int k = fabs(a[0]) <= fabs(a[1]) ? 0 : 1;
    if (fabs(a[2]) < fabs(a[k])) k = 2;
    double axis[3] = {0, 0, 0};
    axis[k] = 1;
    pl_cross(a, axis, n);
    double length = sqrt(pl_dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= length;
}

// The direction of a pair that touches: across the plane of e and f if they span one, else across
// the longer of them, else along x; to the side of d, if it has one.
PL_INLINE void pl_touching_direction(const double e[3], const double f[3], const double d[3],
                                     double n[3])
{
    double ee = pl_dot(e, e), ff = pl_dot(f, f);
    pl_cross(e, f, n);
    double length = sqrt(pl_dot(n, n));
    if (length > PL_DISTANCE_ERROR * sqrt(ee * ff)) {
        for (int k = 0; k < 3; k++) n[k] /= length;
    } else if (ee > 0 || ff > 0) {
        pl_perpendicular(ee >= ff ? e : f, n);
    } else {
        n[0] = 1;
        n[1] = n[2] = 0;
    }
    if (pl_dot(n, d) < 0) {
        for (int k = 0; k < 3; k++) n[k] = -n[k];
    }
}

// What a foot says about the pair whose figure is (z, e, f).
PL_PAIR_KERNEL void pl_closest_from_foot(pl_pair_kind kind, const double z[3], const double e[3],
                                         const double f[3], const pl_foot *foot, pl_closest *out)
{
    bool edges = kind == PL_EDGE_EDGE;
    const double w[4] = {edges ? 1 - foot->s : 1, edges ? foot->s : -foot->rest,
                         edges ? -(1 - foot->t) : -foot->s, -foot->t};
    out->support = 0;
    for (int i = 0; i < 4; i++) {
        out->weight[i] = w[i];
        out->support |= (uint32_t)(w[i] != 0) << i;
    }
    double size_square = pl_dot(z, z) + pl_dot(e, e) + pl_dot(f, f);
    double distance = sqrt(foot->square);
    out->distance = distance;
    if (foot->square > PL_DISTANCE_ERROR * PL_DISTANCE_ERROR * size_square) {
        for (int k = 0; k < 3; k++) out->normal[k] = foot->d[k] / distance;
    } else {
        pl_touching_direction(e, f, foot->d, out->normal);
    }
}

// The closest points of a pair of one kind; a constant kind makes straight-line code of it.
PL_PAIR_KERNEL void pl_closest_of(pl_pair_kind kind, const double *x, pl_closest *out)
{
    double z[3], e[3], f[3];
    pl_pair_figure(kind, x, z, e, f);
    pl_foot foot = pl_foot_of(kind, z, e, f);
    pl_closest_from_foot(kind, z, e, f, &foot, out);
}

#endif
