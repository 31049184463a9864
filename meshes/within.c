#include "within.h"
#include "big.h"
#include "triangles.h"

// The nearest points of two simplices that do not cross are a corner and a corner, a corner and a
// point inside of an edge or a face, or points inside of two edges. Each of these is tried: the
// distance is within R if that of one of them is. With integers for all coordinates and R,
//
//     corner, corner   |w|^2 <= R^2
//     corner, edge     0 < w.u < u.u  and  |w x u|^2 <= R^2 u.u
//     corner, face     the foot is inside  and  (w.n)^2 <= R^2 n.n,  n = u x v
//     edge, edge       likewise, with the feet s = (w x v).n and t = (w x u).n in (0, n.n).

typedef struct vector {
    pl_big at[3];
} vector;

typedef struct exact {
    vector a[3], b[3];
    pl_big square; // R^2
} exact;

static void subtract(const vector *a, const vector *b, vector *r)
{
    for (int k = 0; k < 3; k++) pl_big_add(&r->at[k], &a->at[k], &b->at[k], -1);
}

static void cross(const vector *a, const vector *b, vector *r)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        pl_big_minor(&r->at[k], &a->at[i], &a->at[j], &b->at[i], &b->at[j]);
    }
}

static void dot(const vector *a, const vector *b, pl_big *r)
{
    pl_big term;
    pl_big_multiply(r, &a->at[0], &b->at[0]);
    for (int k = 1; k < 3; k++) {
        pl_big_multiply(&term, &a->at[k], &b->at[k]);
        pl_big_add(r, r, &term, 1);
    }
}

static bool is_less(const pl_big *a, const pl_big *b)
{
    pl_big d;
    pl_big_add(&d, a, b, -1);
    return d.sign < 0;
}

// square <= R^2 unit
static bool is_within(const exact *e, const pl_big *square, const pl_big *unit)
{
    pl_big most;
    pl_big_multiply(&most, &e->square, unit);
    return !is_less(&most, square);
}

static bool corners_within(const exact *e, const vector *p, const vector *q)
{
    vector w;
    pl_big square;
    subtract(p, q, &w);
    dot(&w, &w, &square);
    return !is_less(&e->square, &square);
}

static bool corner_edge_within(const exact *e, const vector *p, const vector *a, const vector *b)
{
    vector u, w, c;
    pl_big along, length, square;
    subtract(b, a, &u);
    subtract(p, a, &w);
    dot(&w, &u, &along);
    dot(&u, &u, &length);
    if (along.sign <= 0 || !is_less(&along, &length)) return false;
    cross(&w, &u, &c);
    dot(&c, &c, &square);
    return is_within(e, &square, &length);
}

// Is the plane across n no farther, where w leads to it?
static bool plane_within(const exact *e, const vector *w, const vector *n, const pl_big *nn)
{
    pl_big height, square;
    dot(w, n, &height);
    pl_big_multiply(&square, &height, &height);
    return is_within(e, &square, nn);
}

static bool corner_face_within(const exact *e, const vector *p, const vector *f)
{
    vector u, v, w, n, c;
    pl_big nn, s, t, sum;
    subtract(&f[1], &f[0], &u);
    subtract(&f[2], &f[0], &v);
    subtract(p, &f[0], &w);
    cross(&u, &v, &n);
    dot(&n, &n, &nn);
    cross(&w, &v, &c);
    dot(&c, &n, &s);
    cross(&u, &w, &c);
    dot(&c, &n, &t);
    pl_big_add(&sum, &s, &t, 1);
    if (s.sign <= 0 || t.sign <= 0 || !is_less(&sum, &nn)) return false;
    return plane_within(e, &w, &n, &nn);
}

static bool edges_within(const exact *e, const vector *p, const vector *p1, const vector *q,
                         const vector *q1)
{
    vector u, v, w, n, c;
    pl_big nn, s, t;
    subtract(p1, p, &u);
    subtract(q1, q, &v);
    subtract(q, p, &w);
    cross(&u, &v, &n);
    dot(&n, &n, &nn);
    cross(&w, &v, &c);
    dot(&c, &n, &s);
    cross(&w, &u, &c);
    dot(&c, &n, &t);
    if (s.sign <= 0 || t.sign <= 0 || !is_less(&s, &nn) || !is_less(&t, &nn)) return false;
    return plane_within(e, &w, &n, &nn);
}

// Edge i of a simplex with n corners: a segment has one, a triangle three.
static int edges_of(int n)
{
    return n == 3 ? 3 : n - 1;
}

static bool features_within(const exact *e, int n, int m)
{
    const vector *a = e->a, *b = e->b;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            if (corners_within(e, &a[i], &b[j])) return true;
        }
        for (int j = 0; j < edges_of(m); j++) {
            if (corner_edge_within(e, &a[i], &b[j], &b[(j + 1) % m])) return true;
        }
        if (m == 3 && corner_face_within(e, &a[i], b)) return true;
    }
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < edges_of(n); i++) {
            if (corner_edge_within(e, &b[j], &a[i], &a[(i + 1) % n])) return true;
        }
        if (n == 3 && corner_face_within(e, &b[j], a)) return true;
    }
    for (int i = 0; i < edges_of(n); i++) {
        for (int j = 0; j < edges_of(m); j++) {
            if (edges_within(e, &a[i], &a[(i + 1) % n], &b[j], &b[(j + 1) % m])) return true;
        }
    }
    return false;
}

static bool edges_cross(int n, const double a[][3], const double b[][3])
{
    for (int i = 0; i < edges_of(n); i++) {
        if (pl_segment_meets_triangle(a[i], a[(i + 1) % n], b[0], b[1], b[2])) return true;
    }
    return false;
}

bool pl_within(int n, const double a[][3], int m, const double b[][3], double r, double s)
{
    if (m == 3 && edges_cross(n, a, b)) return true;
    if (n == 3 && edges_cross(m, b, a)) return true;
    exact e;
    int base = pl_big_exponent(pl_big_exponent(INT_MAX, r), s);
    for (int k = 0; k < 3 * n; k++) base = pl_big_exponent(base, a[k / 3][k % 3]);
    for (int k = 0; k < 3 * m; k++) base = pl_big_exponent(base, b[k / 3][k % 3]);
    if (base == INT_MAX) return true; // all are 0
    for (int k = 0; k < 3 * n; k++) pl_big_set(&e.a[k / 3].at[k % 3], a[k / 3][k % 3], base);
    for (int k = 0; k < 3 * m; k++) pl_big_set(&e.b[k / 3].at[k % 3], b[k / 3][k % 3], base);
    pl_big both[3];
    pl_big_set(&both[0], r, base);
    pl_big_set(&both[1], s, base);
    pl_big_add(&both[2], &both[0], &both[1], 1);
    pl_big_multiply(&e.square, &both[2], &both[2]);
    return features_within(&e, n, m);
}
