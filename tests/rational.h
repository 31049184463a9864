// Triangles in rational numbers: slow, plain and exact, to judge the exact predicates by.

#ifndef TEST_RATIONAL_H
#define TEST_RATIONAL_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct rational_point {
    mpq_t at[3];
} rational_point;

static inline void point_init(rational_point *p)
{
    for (int k = 0; k < 3; k++) mpq_init(p->at[k]);
}

static inline void point_clear(rational_point *p)
{
    for (int k = 0; k < 3; k++) mpq_clear(p->at[k]);
}

static inline void point_set(rational_point *p, const double x[3])
{
    for (int k = 0; k < 3; k++) mpq_set_d(p->at[k], x[k]);
}

// r = a + t (b - a)
static inline void point_between(rational_point *r, const rational_point *a,
                                 const rational_point *b, const mpq_t t)
{
    mpq_t d;
    mpq_init(d);
    for (int k = 0; k < 3; k++) {
        mpq_sub(d, b->at[k], a->at[k]);
        mpq_mul(d, d, t);
        mpq_add(r->at[k], a->at[k], d);
    }
    mpq_clear(d);
}

// r = (b - a) x (d - c)
static inline void point_cross(rational_point *r, const rational_point *a, const rational_point *b,
                               const rational_point *c, const rational_point *d)
{
    rational_point u, v;
    mpq_t t;
    point_init(&u);
    point_init(&v);
    mpq_init(t);
    for (int k = 0; k < 3; k++) {
        mpq_sub(u.at[k], b->at[k], a->at[k]);
        mpq_sub(v.at[k], d->at[k], c->at[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(r->at[k], u.at[i], v.at[j]);
        mpq_mul(t, u.at[j], v.at[i]);
        mpq_sub(r->at[k], r->at[k], t);
    }
    point_clear(&u);
    point_clear(&v);
    mpq_clear(t);
}

// r = n . (b - a)
static inline void point_dot(mpq_t r, const rational_point *n, const rational_point *a,
                             const rational_point *b)
{
    mpq_t t;
    mpq_init(t);
    mpq_set_ui(r, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_sub(t, b->at[k], a->at[k]);
        mpq_mul(t, t, n->at[k]);
        mpq_add(r, r, t);
    }
    mpq_clear(t);
}

static inline bool point_is_zero(const rational_point *p)
{
    return mpq_sgn(p->at[0]) == 0 && mpq_sgn(p->at[1]) == 0 && mpq_sgn(p->at[2]) == 0;
}

static inline bool point_on_segment(const rational_point *p, const rational_point *a,
                                    const rational_point *b)
{
    rational_point n;
    point_init(&n);
    point_cross(&n, a, b, a, p);
    bool on = point_is_zero(&n);
    point_clear(&n);
    for (int k = 0; k < 3 && on; k++) {
        on = mpq_cmp(p->at[k], a->at[k]) * mpq_cmp(p->at[k], b->at[k]) <= 0;
    }
    return on;
}

// Is p in the convex hull of the corners t?
static inline bool point_in_triangle(const rational_point *p, const rational_point t[3])
{
    rational_point n, m;
    mpq_t d;
    point_init(&n);
    point_init(&m);
    mpq_init(d);
    point_cross(&n, &t[0], &t[1], &t[0], &t[2]);
    bool flat = point_is_zero(&n), in = flat;
    if (flat) {
        in = point_on_segment(p, &t[0], &t[1]) || point_on_segment(p, &t[1], &t[2]) ||
             point_on_segment(p, &t[2], &t[0]);
    } else {
        point_dot(d, &n, &t[0], p);
        in = mpq_sgn(d) == 0;
        for (int k = 0; k < 3 && in; k++) { // n . (edge x (p - corner)) >= 0
            point_cross(&m, &t[k], &t[(k + 1) % 3], &t[k], p);
            mpq_t s;
            mpq_init(s);
            for (int l = 0; l < 3; l++) {
                mpq_mul(d, n.at[l], m.at[l]);
                mpq_add(s, s, d);
            }
            in = mpq_sgn(s) >= 0;
            mpq_clear(s);
        }
    }
    point_clear(&n);
    point_clear(&m);
    mpq_clear(d);
    return in;
}

// The point of the line pq where n . (x - a) = 0; false if there is none, or no single one.
static inline bool line_hits_plane(rational_point *r, const rational_point *p,
                                   const rational_point *q, const rational_point *n,
                                   const rational_point *a)
{
    mpq_t from, slope;
    mpq_init(from);
    mpq_init(slope);
    point_dot(from, n, p, a);
    point_dot(slope, n, p, q);
    bool hits = mpq_sgn(slope) != 0;
    if (hits) {
        mpq_div(from, from, slope);
        point_between(r, p, q, from);
    }
    mpq_clear(from);
    mpq_clear(slope);
    return hits;
}

// The different vertices that both triangles have, also to `which` (3) if that is not NULL.
static inline int shared_vertices(const int32_t a[3], const int32_t b[3], int32_t *which)
{
    int n = 0;
    int32_t found[3];
    for (int k = 0; k < 3; k++) {
        bool both = a[k] == b[0] || a[k] == b[1] || a[k] == b[2];
        for (int i = 0; i < n; i++) both = both && found[i] != a[k];
        if (both) found[n++] = a[k];
    }
    for (int i = 0; i < n && which != NULL; i++) which[i] = found[i];
    return n;
}

// Is r a point of both triangles, but not of what they share (n = 0, 1 or 2 vertices)?
static inline bool counts_as_meeting(const rational_point *r, const rational_point a[3],
                                     const rational_point b[3], const rational_point shared[2],
                                     int n)
{
    return point_in_triangle(r, a) && point_in_triangle(r, b) &&
           (n == 0 || !point_on_segment(r, &shared[0], &shared[n - 1]));
}

// The corners of the intersection are corners of one triangle, or points where an edge of one
// crosses the plane of the other or, in one plane, an edge of the other. All are tried: for two
// edges, the plane through the second one and perpendicular to the plane of both.
static inline bool edges_meet(const rational_point t[3], const rational_point s[3], int i,
                              rational_point *n, rational_point *m, rational_point *r, int j)
{
    const rational_point *p = &t[i], *q = &t[(i + 1) % 3], *u = &s[j], *v = &s[(j + 1) % 3];
    rational_point zero;
    point_init(&zero);
    point_cross(n, p, q, u, v);
    point_cross(m, &zero, n, u, v);
    point_clear(&zero);
    return line_hits_plane(r, p, q, m, u);
}

static inline bool crossings_meet(const rational_point t[2][3], const rational_point shared[2],
                                  int n_shared)
{
    rational_point n, m, r;
    point_init(&n);
    point_init(&m);
    point_init(&r);
    bool meet = false;
    for (int side = 0; side < 2 && !meet; side++) {
        const rational_point *a = t[side], *b = t[1 - side];
        for (int i = 0; i < 3 && !meet; i++) {
            meet = counts_as_meeting(&a[i], a, b, shared, n_shared);
            point_cross(&n, &b[0], &b[1], &b[0], &b[2]);
            meet = meet || (line_hits_plane(&r, &a[i], &a[(i + 1) % 3], &n, &b[0]) &&
                            counts_as_meeting(&r, a, b, shared, n_shared));
            for (int j = 0; j < 3 && !meet; j++) {
                meet = edges_meet(a, b, i, &n, &m, &r, j) &&
                       counts_as_meeting(&r, a, b, shared, n_shared);
            }
        }
    }
    point_clear(&n);
    point_clear(&m);
    point_clear(&r);
    return meet;
}

// pl_faces_meet, for triangles that have at most two vertices in common. The intersection is the
// hull of its corners, so it lies in the convex part that is shared iff they do.
static inline bool rational_meet(const double *x, const int32_t a[3], const int32_t b[3])
{
    int32_t which[3];
    int n = shared_vertices(a, b, which);
    rational_point t[2][3], shared[2];
    for (int k = 0; k < 3; k++) {
        point_init(&t[0][k]);
        point_init(&t[1][k]);
        point_set(&t[0][k], x + 3 * a[k]);
        point_set(&t[1][k], x + 3 * b[k]);
    }
    for (int k = 0; k < 2; k++) {
        point_init(&shared[k]);
        if (k < n) point_set(&shared[k], x + 3 * which[k]);
    }
    bool meet = crossings_meet(t, shared, n);
    for (int k = 0; k < 3; k++) {
        point_clear(&t[0][k]);
        point_clear(&t[1][k]);
    }
    point_clear(&shared[0]);
    point_clear(&shared[1]);
    return meet;
}

#endif
