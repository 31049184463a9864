// Quadric error metric: a weighted sum of squared distances to planes and points, as a function of
// a position [Garland & Heckbert 1997]. Internal.

#ifndef PL_QUADRIC_H
#define PL_QUADRIC_H

#include <math.h>
#include <stdbool.h>

// E(p) = p . A p + 2 b . p + c
typedef struct pl_quadric {
    double a[6]; // A: 00 01 02 11 12 22
    double b[3], c;
} pl_quadric;

static inline void pl_quadric_add(pl_quadric *q, const pl_quadric *r)
{
    for (int k = 0; k < 6; k++) q->a[k] += r->a[k];
    for (int k = 0; k < 3; k++) q->b[k] += r->b[k];
    q->c += r->c;
}

// Adds weight (n . (p - o))^2, n of length 1.
static inline void pl_quadric_add_plane(pl_quadric *q, const double n[3], const double o[3],
                                        double weight)
{
    double d = -(n[0] * o[0] + n[1] * o[1] + n[2] * o[2]);
    pl_quadric plane = {
        {n[0] * n[0], n[0] * n[1], n[0] * n[2], n[1] * n[1], n[1] * n[2], n[2] * n[2]},
        {d * n[0], d * n[1], d * n[2]},
        d * d};
    for (int k = 0; k < 6; k++) q->a[k] += weight * plane.a[k];
    for (int k = 0; k < 3; k++) q->b[k] += weight * plane.b[k];
    q->c += weight * plane.c;
}

// A weighted set of points, for the sum of w |p - o|^2 over them.
typedef struct pl_cluster {
    double weight, sum[3], squares; // sums of w, w o, w |o|^2
} pl_cluster;

static inline void pl_cluster_add(pl_cluster *c, const pl_cluster *d)
{
    c->weight += d->weight;
    for (int k = 0; k < 3; k++) c->sum[k] += d->sum[k];
    c->squares += d->squares;
}

static inline void pl_cluster_add_point(pl_cluster *c, const double o[3], double weight)
{
    c->weight += weight;
    for (int k = 0; k < 3; k++) c->sum[k] += weight * o[k];
    c->squares += weight * (o[0] * o[0] + o[1] * o[1] + o[2] * o[2]);
}

// Adds `factor` times the sum over the cluster.
static inline void pl_quadric_add_cluster(pl_quadric *q, const pl_cluster *c, double factor)
{
    q->a[0] += factor * c->weight;
    q->a[3] += factor * c->weight;
    q->a[5] += factor * c->weight;
    for (int k = 0; k < 3; k++) q->b[k] -= factor * c->sum[k];
    q->c += factor * c->squares;
}

static inline double pl_quadric_value(const pl_quadric *q, const double p[3])
{
    const double *a = q->a;
    double x = p[0], y = p[1], z = p[2];
    double value = a[0] * x * x + a[3] * y * y + a[5] * z * z +
                   2 * (a[1] * x * y + a[2] * x * z + a[4] * y * z) +
                   2 * (q->b[0] * x + q->b[1] * y + q->b[2] * z) + q->c;
    return value > 0 ? value : 0;
}

// Cholesky's factors of A: 00 10 11 20 21 22. False if A is not positive definite.
static inline bool pl_quadric_factor(const pl_quadric *q, double l[6])
{
    const double *a = q->a;
    if (!(a[0] > 0)) return false;
    l[0] = sqrt(a[0]);
    l[1] = a[1] / l[0];
    l[3] = a[2] / l[0];
    double d1 = a[3] - l[1] * l[1];
    if (!(d1 > 0)) return false;
    l[2] = sqrt(d1);
    l[4] = (a[4] - l[3] * l[1]) / l[2];
    double d2 = a[5] - l[3] * l[3] - l[4] * l[4];
    if (!(d2 > 0)) return false;
    l[5] = sqrt(d2);
    return true;
}

// x = A^-1 r
static inline void pl_quadric_solve(const double l[6], const double r[3], double x[3])
{
    double y0 = r[0] / l[0], y1 = (r[1] - l[1] * y0) / l[2];
    double y2 = (r[2] - l[3] * y0 - l[4] * y1) / l[5];
    x[2] = y2 / l[5];
    x[1] = (y1 - l[4] * x[2]) / l[2];
    x[0] = (y0 - l[1] * x[1] - l[3] * x[2]) / l[0];
}

#endif
