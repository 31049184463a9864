#include "ccd.h"
#include "ccd_kernel.h"

static bool walk_kind(pl_pair_kind kind, const double *const p0[4], const double *const p1[4],
                      double radii, double separation, bool halve, pl_impact *out)
{
    switch (kind) {
    case PL_VERTEX_VERTEX:
        return pl_ccd_walk(PL_VERTEX_VERTEX, p0, p1, radii, separation, halve, out);
    case PL_VERTEX_EDGE:
        return pl_ccd_walk(PL_VERTEX_EDGE, p0, p1, radii, separation, halve, out);
    case PL_VERTEX_FACE:
        return pl_ccd_walk(PL_VERTEX_FACE, p0, p1, radii, separation, halve, out);
    case PL_EDGE_EDGE:
        break;
    }
    return pl_ccd_walk(PL_EDGE_EDGE, p0, p1, radii, separation, halve, out);
}

static const int points_of[] = {2, 3, 4, 4};

bool pl_ccd_round(pl_pair_kind kind, const double *x0, const double *x1, double radii,
                  double separation, pl_impact *out)
{
    const double *p0[4], *p1[4];
    for (int i = 0; i < points_of[kind]; i++) {
        p0[i] = x0 + 3 * i;
        p1[i] = x1 + 3 * i;
    }
    return walk_kind(kind, p0, p1, radii, separation, false, out);
}

bool pl_ccd(pl_pair_kind kind, const double *x0, const double *x1, double separation,
            pl_impact *out)
{
    return pl_ccd_round(kind, x0, x1, 0, separation, out);
}

bool pl_ccd_vertices(pl_pair_kind kind, const int32_t *vertex, const double *x0, const double *x1,
                     double separation, pl_impact *out)
{
    const double *p0[4], *p1[4];
    for (int i = 0; i < points_of[kind]; i++) {
        p0[i] = x0 + 3 * (int64_t)vertex[i];
        p1[i] = x1 + 3 * (int64_t)vertex[i];
    }
    return walk_kind(kind, p0, p1, 0, separation, true, out);
}
