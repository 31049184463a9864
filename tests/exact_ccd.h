// Do a moving vertex and a moving face, or two moving edges, meet? Decided in exact arithmetic, or
// left open where the meeting is degenerate.
//
// The figure of differences (see collision/distance.h) is a polygon with corners z_k(t). On a part
// of [0, 1] let n = e x f be its normal, and look along an axis to which n is nowhere orthogonal
// there. Seen so, the origin is inside the polygon if (z_k x z_k+1) has the sign of n along that
// axis for all sides, outside if some side has the other sign. All these are quadratics, n.z is a
// cubic, and signs are read off their Bernstein coefficients. So on that part the two
//
//   do not meet  if n.z has one sign, or the origin is outside all the time, or the axes separate
//   meet         if n.z changes its sign (or is 0 all over) and the origin is inside all the time.
//
// Else the part is halved.

#ifndef TEST_EXACT_CCD_H
#define TEST_EXACT_CCD_H

#include "exact_pairs.h"

typedef enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_OPEN } verdict;

// Degenerate meetings are open in every part of a whole stretch of time: parts are limited too.
enum { EXACT_DEPTH = 60, EXACT_PARTS = 400 };

// Bernstein coefficients over a part of [0, 1].
typedef struct exact_motion {
    int sides;
    dyadic height[4];    // n.z
    dyadic normal[3][3]; // [axis][coefficient]
    dyadic side[4][3][3];
    dyadic corner[4][3][2];
} exact_motion;

// The sign that all have in common; 0 if there is none, or a coefficient is 0.
static inline int common_sign(const dyadic *c, int n)
{
    int sign = dyadic_sign(c[0]);
    for (int i = 1; i < n; i++) {
        if (dyadic_sign(c[i]) != sign) return 0;
    }
    return sign;
}

// Twice a x b, of two linear functions.
static inline void exact_cross(const dyadic3 a[2], const dyadic3 b[2], dyadic c[3][3])
{
    dyadic3 first = dyadic3_cross(a[0], b[0]), last = dyadic3_cross(a[1], b[1]);
    dyadic3 middle = dyadic3_add(dyadic3_cross(a[0], b[1]), dyadic3_cross(a[1], b[0]));
    for (int k = 0; k < 3; k++) {
        c[k][0] = dyadic_times(first.at[k], 2);
        c[k][1] = middle.at[k];
        c[k][2] = dyadic_times(last.at[k], 2);
    }
}

// Corners in order around the polygon.
static inline void exact_corners(pl_pair_kind kind, const double *x, dyadic3 z[4])
{
    dyadic3 p[4];
    for (int i = 0; i < 4; i++) p[i] = dyadic3_of(x + 3 * i);
    if (kind == PL_VERTEX_FACE) {
        for (int i = 0; i < 3; i++) z[i] = dyadic3_sub(p[0], p[i + 1]);
    } else {
        z[0] = dyadic3_sub(p[0], p[2]);
        z[1] = dyadic3_sub(p[1], p[2]);
        z[2] = dyadic3_sub(p[1], p[3]);
        z[3] = dyadic3_sub(p[0], p[3]);
    }
}

static inline exact_motion exact_motion_of(pl_pair_kind kind, const double *x0, const double *x1)
{
    exact_motion m = {.sides = kind == PL_VERTEX_FACE ? 3 : 4};
    dyadic3 z[2][4], way[4][2], e[2], f[2];
    exact_corners(kind, x0, z[0]);
    exact_corners(kind, x1, z[1]);
    for (int t = 0; t < 2; t++) {
        e[t] = dyadic3_sub(z[t][1], z[t][0]);
        f[t] = dyadic3_sub(z[t][m.sides - 1], z[t][0]);
        for (int i = 0; i < m.sides; i++) {
            way[i][t] = z[t][i];
            for (int k = 0; k < 3; k++) m.corner[i][k][t] = z[t][i].at[k];
        }
    }
    exact_cross(e, f, m.normal);
    for (int i = 0; i < m.sides; i++) exact_cross(way[i], way[(i + 1) % m.sides], m.side[i]);
    dyadic3 n[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) n[i].at[k] = m.normal[k][i];
    }
    m.height[0] = dyadic_times(dyadic3_dot(n[0], z[0][0]), 3);
    m.height[1] =
        dyadic_add(dyadic_times(dyadic3_dot(n[1], z[0][0]), 2), dyadic3_dot(n[0], z[1][0]));
    m.height[2] =
        dyadic_add(dyadic_times(dyadic3_dot(n[1], z[1][0]), 2), dyadic3_dot(n[2], z[0][0]));
    m.height[3] = dyadic_times(dyadic3_dot(n[2], z[1][0]), 3);
    return m;
}

// The first or second half of c (n), by de Casteljau's triangle.
static inline void exact_halve(const dyadic *c, int n, int half, dyadic *out)
{
    dyadic row[4];
    for (int i = 0; i < n; i++) row[i] = c[i];
    for (int level = n - 1; level >= 0; level--) {
        out[half == 0 ? n - 1 - level : level] = half == 0 ? row[0] : row[level];
        for (int i = 0; i < level; i++) row[i] = dyadic_half(dyadic_add(row[i], row[i + 1]));
    }
}

static inline exact_motion exact_half(const exact_motion *m, int half)
{
    exact_motion r = {.sides = m->sides};
    exact_halve(m->height, 4, half, r.height);
    for (int k = 0; k < 3; k++) {
        exact_halve(m->normal[k], 3, half, r.normal[k]);
        for (int i = 0; i < m->sides; i++) {
            exact_halve(m->side[i][k], 3, half, r.side[i][k]);
            exact_halve(m->corner[i][k], 2, half, r.corner[i][k]);
        }
    }
    return r;
}

static inline bool axes_separate(const exact_motion *m)
{
    for (int k = 0; k < 3; k++) {
        int sign = common_sign(m->corner[0][k], 2);
        for (int i = 1; i < m->sides; i++) {
            if (common_sign(m->corner[i][k], 2) != sign) sign = 0;
        }
        if (sign != 0) return true;
    }
    return false;
}

static inline verdict exact_part(const exact_motion *m)
{
    if (common_sign(m->height, 4) != 0 || axes_separate(m)) return VERDICT_NO;
    bool flat = true;
    for (int i = 0; i < 4; i++) flat = flat && dyadic_sign(m->height[i]) == 0;
    bool crosses = flat || dyadic_sign(m->height[0]) * dyadic_sign(m->height[3]) <= 0;
    for (int k = 0; k < 3; k++) {
        int sign = common_sign(m->normal[k], 3), inside = 0;
        if (sign == 0) continue;
        for (int i = 0; i < m->sides; i++) {
            int side = common_sign(m->side[i][k], 3);
            if (side == -sign) return VERDICT_NO;
            inside += side == sign;
        }
        if (inside == m->sides && crosses) return VERDICT_YES;
    }
    return VERDICT_OPEN;
}

// *until: a time at or after the first meeting, if there is one.
static inline verdict exact_search(const exact_motion *m, double a, double b, int depth, int *parts,
                                   double *until)
{
    verdict v = exact_part(m);
    if (v == VERDICT_YES) *until = b;
    if (v != VERDICT_OPEN || depth == EXACT_DEPTH || ++*parts > EXACT_PARTS) return v;
    verdict whole = VERDICT_NO;
    for (int half = 0; half < 2; half++) {
        int mark = dyadic_mark();
        exact_motion part = exact_half(m, half);
        double middle = (a + b) / 2;
        v = exact_search(&part, half == 0 ? a : middle, half == 0 ? middle : b, depth + 1, parts,
                         until);
        dyadic_back(mark);
        if (v == VERDICT_YES) return v;
        if (v == VERDICT_OPEN) whole = VERDICT_OPEN;
    }
    return whole;
}

static inline verdict exact_ccd(pl_pair_kind kind, const double *x0, const double *x1,
                                double *until)
{
    int mark = dyadic_mark();
    exact_motion m = exact_motion_of(kind, x0, x1);
    int parts = 0;
    verdict v = exact_search(&m, 0, 1, 0, &parts, until);
    dyadic_back(mark);
    return v;
}

// The distance at time t, times 1 / unit.
static inline double exact_distance_at(pl_pair_kind kind, const double *x0, const double *x1,
                                       double t, double unit)
{
    int mark = dyadic_mark();
    dyadic time = dyadic_of(t), rest = dyadic_sub(dyadic_of(1), time);
    dyadic3 p[4];
    for (int i = 0; i < point_count[kind]; i++) {
        p[i] = dyadic3_add(dyadic3_scale(dyadic3_of(x0 + 3 * i), rest),
                           dyadic3_scale(dyadic3_of(x1 + 3 * i), time));
    }
    double distance = error_of(0, exact_square(kind, p), -unit);
    dyadic_back(mark);
    return distance;
}

#endif
