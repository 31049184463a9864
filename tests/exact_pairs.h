// The distance of a pair in exact arithmetic.

#ifndef TEST_EXACT_PAIRS_H
#define TEST_EXACT_PAIRS_H

#include "../base/base.h"
#include "dyadic.h"

static const char *const kind_names[] = {"vertex-vertex", "vertex-edge", "vertex-face",
                                         "edge-edge"};
static const int first_count[] = {1, 1, 1, 2}, point_count[] = {2, 3, 4, 4};

// The squared distance is the least of some fractions: those of the figure's corners, sides, plane
// (see collision/distance.h) from the origin.
typedef struct fraction {
    dyadic top, bottom;
} fraction;

static inline void keep_smaller(fraction *best, dyadic top, dyadic bottom)
{
    if (dyadic_less(dyadic_mul(top, best->bottom), dyadic_mul(best->top, bottom))) {
        *best = (fraction){top, bottom};
    }
}

// From p to p + g.
static inline void try_side(dyadic3 p, dyadic3 g, fraction *best)
{
    dyadic one = dyadic_of(1), along = dyadic_times(dyadic3_dot(p, g), -1), gg = dyadic3_dot(g, g);
    dyadic3 end = dyadic3_add(p, g);
    keep_smaller(best, dyadic3_dot(p, p), one);
    keep_smaller(best, dyadic3_dot(end, end), one);
    if (dyadic_sign(along) > 0 && dyadic_less(along, gg)) {
        dyadic3 c = dyadic3_cross(p, g);
        keep_smaller(best, dyadic3_dot(c, c), gg);
    }
}

// The plane's distance counts if the foot (s, t) / (n.n) is inside.
static inline void try_plane(pl_pair_kind kind, dyadic3 z, dyadic3 e, dyadic3 f, fraction *best)
{
    dyadic3 n = dyadic3_cross(e, f);
    dyadic nn = dyadic3_dot(n, n), zn = dyadic3_dot(z, n);
    if (dyadic_sign(nn) == 0) return;
    dyadic s = dyadic3_dot(dyadic3_cross(f, z), n), t = dyadic3_dot(dyadic3_cross(z, e), n);
    bool inside = dyadic_sign(s) >= 0 && dyadic_sign(t) >= 0;
    if (kind == PL_VERTEX_FACE) inside = inside && !dyadic_less(nn, dyadic_add(s, t));
    if (kind == PL_EDGE_EDGE) inside = inside && !dyadic_less(nn, s) && !dyadic_less(nn, t);
    if (inside) keep_smaller(best, dyadic_mul(zn, zn), nn);
}

static inline fraction exact_square(pl_pair_kind kind, const dyadic3 p[4])
{
    dyadic3 z = dyadic3_sub(p[0], p[first_count[kind]]);
    fraction best = {dyadic3_dot(z, z), dyadic_of(1)};
    if (kind == PL_VERTEX_EDGE) try_side(z, dyadic3_sub(p[1], p[2]), &best);
    if (kind == PL_VERTEX_FACE) {
        dyadic3 e = dyadic3_sub(p[1], p[2]), f = dyadic3_sub(p[1], p[3]);
        try_side(z, e, &best);
        try_side(z, f, &best);
        try_side(dyadic3_add(z, e), dyadic3_sub(f, e), &best);
        try_plane(kind, z, e, f, &best);
    }
    if (kind == PL_EDGE_EDGE) {
        dyadic3 e = dyadic3_sub(p[1], p[0]), f = dyadic3_sub(p[2], p[3]);
        try_side(z, e, &best);
        try_side(z, f, &best);
        try_side(dyadic3_add(z, f), e, &best);
        try_side(dyadic3_add(z, e), f, &best);
        try_plane(kind, z, e, f, &best);
    }
    return best;
}

static inline fraction exact_square_of(pl_pair_kind kind, const double *x)
{
    dyadic3 p[4];
    for (int i = 0; i < point_count[kind]; i++) p[i] = dyadic3_of(x + 3 * i);
    return exact_square(kind, p);
}

// computed - sqrt(exact), in units of `unit`.
static inline double error_of(double computed, fraction exact, double unit)
{
    mpf_t a, b;
    mpf_init2(a, DYADIC_PRECISION);
    mpf_init2(b, DYADIC_PRECISION);
    dyadic_get(exact.top, a);
    dyadic_get(exact.bottom, b);
    mpf_div(a, a, b);
    mpf_sqrt(a, a);
    mpf_set_d(b, computed);
    mpf_sub(a, b, a);
    double error = mpf_get_d(a) / unit;
    mpf_clear(a);
    mpf_clear(b);
    return error;
}

#endif
