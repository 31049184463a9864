#include "distance.h"

// A unit vector perpendicular to `a`, which is not 0: from the axis that `a` is farthest from.
static void perpendicular(const double a[3], double n[3])
{
    int k = fabs(a[0]) <= fabs(a[1]) ? 0 : 1;
    if (fabs(a[2]) < fabs(a[k])) k = 2;
    double axis[3] = {0};
    axis[k] = 1;
    pl_cross(a, axis, n);
    double length = sqrt(pl_dot(n, n));
    for (int i = 0; i < 3; i++) n[i] /= length;
}

void pl_touching_direction(const double e[3], const double f[3], const double d[3], double n[3])
{
    double ee = pl_dot(e, e), ff = pl_dot(f, f);
    pl_cross(e, f, n);
    double length = sqrt(pl_dot(n, n));
    if (length > PL_DISTANCE_ERROR * sqrt(ee * ff)) {
        for (int k = 0; k < 3; k++) n[k] /= length;
    } else if (ee > 0 || ff > 0) {
        perpendicular(ee >= ff ? e : f, n);
    } else {
        n[0] = 1;
        n[1] = n[2] = 0;
    }
    if (pl_dot(n, d) < 0) {
        for (int k = 0; k < 3; k++) n[k] = -n[k];
    }
}

// One copy for each kind, so that each is straight-line code.
PL_PAIR_KERNEL void closest(pl_pair_kind kind, const double *x, pl_closest *out)
{
    double z[3], e[3], f[3];
    pl_pair_figure(kind, x, z, e, f);
    pl_foot foot = pl_foot_of(kind, z, e, f);
    pl_closest_from_foot(kind, z, e, f, &foot, out);
}

void pl_closest_points(pl_pair_kind kind, const double *x, pl_closest *out)
{
    switch (kind) {
    case PL_VERTEX_VERTEX:
        closest(PL_VERTEX_VERTEX, x, out);
        break;
    case PL_VERTEX_EDGE:
        closest(PL_VERTEX_EDGE, x, out);
        break;
    case PL_VERTEX_FACE:
        closest(PL_VERTEX_FACE, x, out);
        break;
    case PL_EDGE_EDGE:
        closest(PL_EDGE_EDGE, x, out);
        break;
    }
}
