#include "distance.h"

void pl_closest_points(pl_pair_kind kind, const double *x, pl_closest *out)
{
    switch (kind) {
    case PL_VERTEX_VERTEX:
        pl_closest_of(PL_VERTEX_VERTEX, x, out);
        break;
    case PL_VERTEX_EDGE:
        pl_closest_of(PL_VERTEX_EDGE, x, out);
        break;
    case PL_VERTEX_FACE:
        pl_closest_of(PL_VERTEX_FACE, x, out);
        break;
    case PL_EDGE_EDGE:
        pl_closest_of(PL_EDGE_EDGE, x, out);
        break;
    }
}
