#include "triangles.h"
#include "predicates.h"

// Points that lie in one plane are judged by their three projections along the axes. A projection
// along an axis that the plane does not contain is one-to-one and decides; any other maps the plane
// into a line, where the answer can only be wrong in saying yes. So the truth is the `and` over all
// three. Where all points lie on one line, the boxes decide.

bool pl_triangle_flat(const double a[3], const double b[3], const double c[3])
{
    return pl_orient2d(a, b, c, 0, 1) == 0 && pl_orient2d(a, b, c, 1, 2) == 0 &&
           pl_orient2d(a, b, c, 2, 0) == 0;
}

static double min2(double a, double b)
{
    return a < b ? a : b;
}

static double max2(double a, double b)
{
    return a > b ? a : b;
}

// Do the intervals between p, q and between a, b overlap along every axis?
static bool boxes_overlap(const double *p, const double *q, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++) {
        if (max2(p[k], q[k]) < min2(a[k], b[k]) || max2(a[k], b[k]) < min2(p[k], q[k]))
            return false;
    }
    return true;
}

static bool segments_meet(const double *p, const double *q, const double *a, const double *b)
{
    if (!boxes_overlap(p, q, a, b) || pl_orient3d(p, q, a, b) != 0) return false;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (pl_orient2d(a, b, p, i, j) * pl_orient2d(a, b, q, i, j) > 0) return false;
        if (pl_orient2d(p, q, a, i, j) * pl_orient2d(p, q, b, i, j) > 0) return false;
    }
    return true;
}

static bool signs_agree(int r, int s, int t)
{
    return (r >= 0 && s >= 0 && t >= 0) || (r <= 0 && s <= 0 && t <= 0);
}

// The point p and the triangle abc, all in one plane.
static bool coplanar_point_inside(const double *p, const double *a, const double *b,
                                  const double *c)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (p[k] < min2(a[k], min2(b[k], c[k])) || p[k] > max2(a[k], max2(b[k], c[k])))
            return false;
        if (!signs_agree(pl_orient2d(a, b, p, i, j), pl_orient2d(b, c, p, i, j),
                         pl_orient2d(c, a, p, i, j))) {
            return false;
        }
    }
    return true;
}

// sp, sq: on which sides of the plane abc p and q are. Both are 0 if abc is degenerate.
static bool segment_meets_triangle(const double *p, const double *q, int sp, int sq,
                                   const double *a, const double *b, const double *c)
{
    if (sp * sq > 0) return false;
    if (sp == 0 && sq == 0) {
        return coplanar_point_inside(p, a, b, c) || segments_meet(p, q, a, b) ||
               segments_meet(p, q, b, c) || segments_meet(p, q, c, a);
    }
    return signs_agree(pl_orient3d(p, q, a, b), pl_orient3d(p, q, b, c), pl_orient3d(p, q, c, a));
}

bool pl_segment_meets_triangle(const double p[3], const double q[3], const double a[3],
                               const double b[3], const double c[3])
{
    return segment_meets_triangle(p, q, pl_orient3d(a, b, c, p), pl_orient3d(a, b, c, q), a, b, c);
}

// Are all three corners of b strictly on one side of the plane of a? Stores the sides.
static bool plane_separates(const double *const a[3], const double *const b[3], int side[3])
{
    for (int k = 0; k < 3; k++) side[k] = pl_orient3d(a[0], a[1], a[2], b[k]);
    return side[0] != 0 && side[0] == side[1] && side[0] == side[2];
}

// No corner in common: the triangles meet iff an edge of one meets the other.
static bool strangers_meet(const double *const a[3], const double *const b[3])
{
    int side_a[3], side_b[3];
    if (plane_separates(a, b, side_b) || plane_separates(b, a, side_a)) return false;
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        if (segment_meets_triangle(a[k], a[l], side_a[k], side_a[l], b[0], b[1], b[2])) return true;
        if (segment_meets_triangle(b[k], b[l], side_b[k], side_b[l], a[0], a[1], a[2])) return true;
    }
    return false;
}

// Do the boxes of the segment pq and of the triangle t overlap?
static bool segment_near_triangle(const double *p, const double *q, const double *const t[3])
{
    for (int k = 0; k < 3; k++) {
        if (max2(p[k], q[k]) < min2(t[0][k], min2(t[1][k], t[2][k])) ||
            min2(p[k], q[k]) > max2(t[0][k], max2(t[1][k], t[2][k]))) {
            return false;
        }
    }
    return true;
}

// --- Faces with corners in common ---

static bool same_point(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Order by the first coordinate that differs. Along a line it is the order of the points.
static bool comes_before(const double *a, const double *b)
{
    for (int k = 0; k < 3; k++) {
        if (a[k] != b[k]) return a[k] < b[k];
    }
    return false;
}

// Do the segments from w to p and to q have more than w in common?
static bool same_direction(const double *w, const double *p, const double *q)
{
    return !same_point(w, p) && !same_point(w, q) && comes_before(w, p) == comes_before(w, q) &&
           pl_triangle_flat(w, p, q);
}

// Has the segment from t[0] to p more than t[0] in common with the triangle t? p is in its plane if
// it is not flat, and then it must lie in the angle at t[0].
static bool leads_into(const double *p, const double *const t[3])
{
    if (pl_triangle_flat(t[0], t[1], t[2])) {
        return same_direction(t[0], p, t[1]) || same_direction(t[0], p, t[2]);
    }
    if (same_point(t[0], p)) return false;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        int turn = pl_orient2d(t[0], t[1], t[2], i, j);
        if (turn * pl_orient2d(t[0], t[1], p, i, j) < 0) return false;
        if (turn * pl_orient2d(t[0], p, t[2], i, j) < 0) return false;
    }
    return pl_orient3d(t[0], t[1], t[2], p) == 0;
}

// a[0] and b[0] are the same. A point in common other than that corner brings the segment from the
// corner through it with it, up to where it leaves the first of the two triangles: that is on the
// edge opposite to the corner. The other way round this holds unless the corner is on that edge
// itself, in a flat triangle; that one is the two segments from the corner to the other corners.
static bool corner_mates_meet(const double *const a[3], const double *const b[3])
{
    // Most neighbours part here, at no cost.
    bool a_near = segment_near_triangle(a[1], a[2], b),
         b_near = segment_near_triangle(b[1], b[2], a);
    if (!a_near && !b_near) return false;
    int a1 = pl_orient3d(b[0], b[1], b[2], a[1]), a2 = pl_orient3d(b[0], b[1], b[2], a[2]);
    if (a1 * a2 > 0) return false;
    int b1 = pl_orient3d(a[0], a[1], a[2], b[1]), b2 = pl_orient3d(a[0], a[1], a[2], b[2]);
    if (b1 * b2 > 0) return false;
    if (!(a_near && segment_meets_triangle(a[1], a[2], a1, a2, b[0], b[1], b[2])) &&
        !(b_near && segment_meets_triangle(b[1], b[2], b1, b2, a[0], a[1], a[2]))) {
        return false;
    }
    if (pl_triangle_flat(a[0], a[1], a[2])) return leads_into(a[1], b) || leads_into(a[2], b);
    if (pl_triangle_flat(b[0], b[1], b[2])) return leads_into(b[1], a) || leads_into(b[2], a);
    return true;
}

// The edge uv is shared. The triangles meet elsewhere only if one is folded onto the other, or if
// both are flat and reach beyond the same end of the edge.
static bool edge_mates_meet(const double *u, const double *v, const double *a, const double *b)
{
    if (pl_orient3d(u, v, a, b) != 0) return false;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (pl_orient2d(u, v, a, i, j) * pl_orient2d(u, v, b, i, j) > 0) return true;
    }
    const double *first = comes_before(v, u) ? v : u, *last = first == u ? v : u;
    if (!(comes_before(a, first) && comes_before(b, first)) &&
        !(comes_before(last, a) && comes_before(last, b))) {
        return false;
    }
    return pl_triangle_flat(u, v, a) && pl_triangle_flat(u, v, b) && pl_triangle_flat(u, a, b);
}

bool pl_faces_meet(const double *x, const int32_t a[3], const int32_t b[3])
{
    int shared = 0, in_a[3], in_b[3]; // different vertices that both have
    for (int k = 0; k < 3; k++) {
        bool repeats = (k > 0 && a[k] == a[0]) || (k > 1 && a[k] == a[1]);
        for (int l = 0; l < 3 && !repeats; l++) {
            if (a[k] != b[l]) continue;
            in_a[shared] = k;
            in_b[shared++] = l;
            break;
        }
    }
    if (shared == 3) return true;
    int k = shared > 0 ? in_a[0] : 0, l = shared > 0 ? in_b[0] : 0;
    const double *pa[3], *pb[3];
    for (int m = 0; m < 3; m++) {
        pa[m] = x + 3 * (int64_t)a[(k + m) % 3];
        pb[m] = x + 3 * (int64_t)b[(l + m) % 3];
    }
    if (shared == 0) return strangers_meet(pa, pb);
    if (shared == 1) return corner_mates_meet(pa, pb);
    const double *u = x + 3 * (int64_t)a[in_a[0]], *v = x + 3 * (int64_t)a[in_a[1]];
    return edge_mates_meet(u, v, x + 3 * (int64_t)a[3 - in_a[0] - in_a[1]],
                           x + 3 * (int64_t)b[3 - in_b[0] - in_b[1]]);
}
