#include "paint.h"
#include "colormap.h"
#include "joint_marks.h"
#include "legend.h"

#include <math.h>

// Does the body take part? It must be drawn with the vertices of its surface.
static bool is_painted(const pl_paint *paint, const pl_renderer *renderer,
                       const pl_export_bodies *bodies, const pl_world *world, int32_t i)
{
    const pl_export_body *body = &bodies->body[i];
    return body->number >= 0 && pl_quantity_applies(world, body->number, paint->quantity) &&
           pl_renderer_vertex_count(renderer, i) == body->n_vert;
}

// The values of a body's mesh on its surface.
static pl_status gather_body(pl_paint *paint, const pl_export_bodies *bodies, pl_world *world,
                             int32_t i, double *out)
{
    const pl_export_body *body = &bodies->body[i];
    int32_t n = pl_world_vertex_count(world, body->number);
    PL_TRY(pl_reserve((void **)&paint->vertex, &paint->vertex_room, n, sizeof *paint->vertex));
    PL_TRY(pl_quantity_of_body(world, body->number, paint->quantity, paint->vertex));
    pl_export_bodies_scalar(bodies, i, paint->vertex, out);
    return PL_OK;
}

static pl_status color_bodies(pl_paint *paint, pl_renderer *renderer,
                              const pl_export_bodies *bodies, pl_world *world)
{
    int64_t n = 0;
    PL_TRY(pl_reserve((void **)&paint->value, &paint->value_room, bodies->n_vert,
                      sizeof *paint->value));
    PL_TRY(pl_reserve((void **)&paint->rgb, &paint->rgb_room, 3 * (int64_t)bodies->n_vert, 1));
    for (int32_t i = 0; i < bodies->n; i++) {
        if (!is_painted(paint, renderer, bodies, world, i)) continue;
        PL_TRY(gather_body(paint, bodies, world, i, paint->value + n));
        n += bodies->body[i].n_vert;
    }
    double end;
    PL_TRY(pl_quantity_range(n, paint->value, &end));
    if (!paint->fixed) paint->end = fmax(paint->end, end);
    int64_t at = 0;
    for (int32_t i = 0; i < bodies->n; i++) {
        if (!is_painted(paint, renderer, bodies, world, i)) continue;
        int32_t n_vert = bodies->body[i].n_vert;
        pl_colormap_values(n_vert, paint->value + at, 0, paint->end, paint->rgb);
        PL_TRY(pl_renderer_color_body(renderer, i, paint->rgb));
        at += n_vert;
    }
    return PL_OK;
}

static pl_arrow_scale scale_of(const pl_paint *paint)
{
    return pl_arrow_scale_of(paint->typical, paint->size);
}

static pl_status draw_arrows(pl_paint *paint, pl_renderer *renderer, const pl_world *world)
{
    double lo[3], hi[3];
    pl_draw_body marks;
    pl_arrows_clear(&paint->arrows);
    paint->typical = fmax(paint->typical, pl_arrows_typical(world));
    if (paint->size == 0 && pl_renderer_bounds(renderer, lo, hi)) {
        paint->size = hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
    }
    if (paint->joints) {
        PL_TRY(pl_joint_marks_add_world(&paint->arrows, world, paint->size));
    }
    if (paint->contacts && paint->typical > 0) {
        PL_TRY(pl_arrows_add_contacts(&paint->arrows, world, scale_of(paint)));
    }
    bool any = pl_arrows_body(&paint->arrows, &marks);
    return pl_renderer_set_marks(renderer, any ? &marks : NULL);
}

pl_status pl_paint_bodies(pl_paint *paint, pl_renderer *renderer, const pl_export_bodies *bodies,
                          pl_world *world)
{
    if (paint->quantity != PL_QUANTITY_NONE) {
        PL_TRY(color_bodies(paint, renderer, bodies, world));
    }
    return paint->contacts || paint->joints ? draw_arrows(paint, renderer, world) : PL_OK;
}

void pl_paint_legend(const pl_paint *paint, pl_image *image)
{
    if (paint->quantity != PL_QUANTITY_NONE && paint->end > 0) {
        pl_legend_draw(image, pl_quantity_title(paint->quantity), pl_quantity_unit(paint->quantity),
                       0, paint->end);
    }
    if (paint->contacts && paint->typical > 0) {
        double metres = paint->typical * scale_of(paint).metres_per_newton;
        pl_legend_arrows(image, metres, paint->typical);
    }
}

void pl_paint_free(pl_paint *paint)
{
    pl_arrows_free(&paint->arrows);
    pl_free(paint->value);
    pl_free(paint->vertex);
    pl_free(paint->rgb);
    *paint = (pl_paint){0};
}
