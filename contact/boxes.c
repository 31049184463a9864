#include "boxes.h"

#include <math.h>

void pl_boxes_free(pl_boxes *boxes)
{
    pl_free(boxes->point);
    *boxes = (pl_boxes){0};
}

static pl_bound point_box(const pl_boundary *boundary, int32_t p, pl_boxes_of of, double pad)
{
    const double *x0 = boundary->x0 + 3 * (int64_t)p, *x1 = boundary->x1 + 3 * (int64_t)p;
    pl_bound box = pl_bound_empty();
    if (of == PL_BOXES_START) {
        double by[3];
        pl_subtract(x1, x0, by);
        pad += sqrt(pl_dot(by, by));
    }
    for (int k = 0; k < 3; k++) {
        double a = of == PL_BOXES_END ? x1[k] : x0[k], b = of == PL_BOXES_START ? x0[k] : x1[k];
        box.lo[k] = pl_round_below(PL_MIN(a, b) - pad);
        box.nhi[k] = pl_round_below(-PL_MAX(a, b) - pad);
    }
    return box;
}

// Half of what counts between two bodies, each of which may have the smaller edges. A floor of two
// huge triangles is no reason to look far around.
static double pad_of(const pl_boundary *boundary, int32_t body, double reach)
{
    return boundary->radius[body] + 0.5 * reach * PL_MIN(boundary->size[body], boundary->largest);
}

pl_status pl_boxes_set(pl_boxes *boxes, const pl_boundary *boundary, pl_boxes_of of, double reach)
{
    PL_TRY(pl_reserve((void **)&boxes->point, &boxes->point_capacity, boundary->n,
                      sizeof *boxes->point));
    boxes->boundary = boundary;
#pragma omp parallel for schedule(static) if (boundary->n > PL_BOXES_SERIAL)
    for (int32_t p = 0; p < boundary->n; p++) {
        double pad = pad_of(boundary, boundary->body[p], reach);
        boxes->point[p] = point_box(boundary, p, of, pad);
    }
    return PL_OK;
}
