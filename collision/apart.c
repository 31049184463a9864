// A quick proof that a pair of moving features stays apart: apart_kernel.h, for each kind by
// itself, which makes straight-line code of it.

#include "apart.h"
#include "apart_kernel.h"

bool pl_stays_apart(pl_pair_kind kind, const double *x0, const double *x1, double separation)
{
    switch (kind) {
    case PL_VERTEX_VERTEX:
        return pl_apart_stays(PL_VERTEX_VERTEX, x0, x1, separation);
    case PL_VERTEX_EDGE:
        return pl_apart_stays(PL_VERTEX_EDGE, x0, x1, separation);
    case PL_VERTEX_FACE:
        return pl_apart_stays(PL_VERTEX_FACE, x0, x1, separation);
    case PL_EDGE_EDGE:
        break;
    }
    return pl_apart_stays(PL_EDGE_EDGE, x0, x1, separation);
}

double pl_apart_until(pl_pair_kind kind, const double *x0, const double *x1, double separation)
{
    switch (kind) {
    case PL_VERTEX_VERTEX:
        return pl_apart_up_to(PL_VERTEX_VERTEX, x0, x1, separation);
    case PL_VERTEX_EDGE:
        return pl_apart_up_to(PL_VERTEX_EDGE, x0, x1, separation);
    case PL_VERTEX_FACE:
        return pl_apart_up_to(PL_VERTEX_FACE, x0, x1, separation);
    case PL_EDGE_EDGE:
        break;
    }
    return pl_apart_up_to(PL_EDGE_EDGE, x0, x1, separation);
}

void pl_pair_at(pl_pair_kind kind, const double *x0, const double *x1, double t, double *x)
{
    pl_apart_at(kind, x0, x1, t, x);
}

static bool flat_impact(pl_pair_kind kind, const double x0[12], const double x1[12],
                        double separation, pl_impact *out)
{
    switch (kind) {
    case PL_VERTEX_VERTEX:
        return pl_apart_flat_impact(PL_VERTEX_VERTEX, x0, x1, separation, out);
    case PL_VERTEX_EDGE:
        return pl_apart_flat_impact(PL_VERTEX_EDGE, x0, x1, separation, out);
    case PL_VERTEX_FACE:
        return pl_apart_flat_impact(PL_VERTEX_FACE, x0, x1, separation, out);
    case PL_EDGE_EDGE:
        break;
    }
    return pl_apart_flat_impact(PL_EDGE_EDGE, x0, x1, separation, out);
}

bool pl_pair_impact(pl_pair_kind kind, const double x0[12], const double x1[12], double radii,
                    double separation, pl_impact *out)
{
    if (!(radii > 0)) return flat_impact(kind, x0, x1, separation, out);
    switch (kind) {
    case PL_VERTEX_VERTEX:
        return pl_apart_round_impact(PL_VERTEX_VERTEX, x0, x1, radii, separation, out);
    case PL_VERTEX_EDGE:
        return pl_apart_round_impact(PL_VERTEX_EDGE, x0, x1, radii, separation, out);
    case PL_VERTEX_FACE:
        return pl_apart_round_impact(PL_VERTEX_FACE, x0, x1, radii, separation, out);
    case PL_EDGE_EDGE:
        break;
    }
    return pl_apart_round_impact(PL_EDGE_EDGE, x0, x1, radii, separation, out);
}
