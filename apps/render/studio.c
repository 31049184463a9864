#include "studio.h"
#include "cutaway.h"

#include <math.h>
#include <stdio.h>

// Lines of element edges, in pixels of a picture 720 pixels high.
static const float EDGE_WIDTH = 0.8f;

static bool is_cut(const pl_studio *studio, int32_t i)
{
    const pl_scene_body *body = &studio->scene->bodies[i];
    return studio->cuts && body->cut.on && pl_mesh_tet_count(body->mesh) > 0;
}

static pl_status draw_cut(pl_renderer *renderer, const pl_scene_body *body, pl_draw_body *draw)
{
    const pl_scene_cut *cut = &body->cut;
    pl_cutaway_options options = pl_cutaway_options_default(body->mesh, cut->normal);
    double square = 0;
    for (int k = 0; k < 3; k++) square += cut->normal[k] * cut->normal[k];
    for (int k = 0; k < 3; k++) {
        options.point[k] = cut->offset * cut->normal[k] / square;
        options.outer_color[k] = (uint8_t)lround(255 * draw->color[k]);
    }
    options.shrink = cut->shrink;
    pl_cutaway cutaway;
    PL_TRY(pl_cutaway_make(body->mesh, &options, &cutaway));
    draw->n_vert = cutaway.n_vert;
    draw->n_face = cutaway.n_face;
    draw->x = cutaway.x;
    draw->face = cutaway.face;
    draw->face_color = cutaway.face_color;
    draw->crease = 0;
    draw->edge_width = EDGE_WIDTH;
    pl_status status = pl_renderer_add_body(renderer, draw, NULL);
    pl_cutaway_free(&cutaway);
    return status;
}

static pl_status draw_surface(const pl_studio *studio, int32_t i, pl_draw_body *draw)
{
    const pl_export_body *body = &studio->bodies->body[i];
    draw->n_vert = body->n_vert;
    draw->n_face = body->n_face;
    draw->x = studio->bodies->x + 3 * (int64_t)body->vert;
    draw->face = studio->bodies->face + 3 * (int64_t)body->face;
    if (studio->scene->bodies[i].edges) {
        draw->edge_width = EDGE_WIDTH;
        draw->crease = 0;
    }
    return pl_renderer_add_body(studio->renderer, draw, NULL);
}

static pl_status add_body(pl_studio *studio, int32_t i)
{
    const pl_export_body *body = &studio->bodies->body[i];
    pl_draw_body draw = pl_draw_body_default(i);
    for (int k = 0; k < 3; k++) draw.color[k] = (float)body->color[k];
    draw.opacity = (float)body->opacity;
    if (!is_cut(studio, i)) return draw_surface(studio, i, &draw);
    return draw_cut(studio->renderer, &studio->scene->bodies[i], &draw);
}

static pl_status move_body(pl_studio *studio, int32_t i)
{
    const double *x = studio->bodies->x + 3 * (int64_t)studio->bodies->body[i].vert;
    return pl_renderer_update_body(studio->renderer, i, x);
}

// The body's name for the sentence.
static pl_status name_body(pl_status status, int32_t i)
{
    char place[64];
    snprintf(place, sizeof place, "bodies[%d]", (int)i);
    if (status != PL_OK) pl_fail_prefix(place);
    return status;
}

pl_status pl_studio_update(pl_studio *studio)
{
    // which tets a cut leaves changes as they move
    bool anew = !studio->built || studio->cuts || studio->bodies->changing;
    if (anew) pl_renderer_clear(studio->renderer);
    studio->built = true;
    for (int32_t i = 0; i < studio->bodies->n; i++) {
        PL_TRY(name_body(anew ? add_body(studio, i) : move_body(studio, i), i));
    }
    return PL_OK;
}

pl_status pl_studio_open(const pl_scene *scene, const pl_export_bodies *bodies, bool inside,
                         const pl_renderer_options *options, pl_studio *out)
{
    *out = (pl_studio){.scene = scene, .bodies = bodies};
    for (int32_t i = 0; i < scene->n_bodies; i++) out->cuts |= inside && scene->bodies[i].cut.on;
    PL_TRY(pl_gl_context_create(&out->context));
    pl_status status = pl_renderer_create(out->context, options, &out->renderer);
    if (status != PL_OK) {
        pl_gl_context_destroy(out->context);
        out->context = NULL;
    }
    return status;
}

void pl_studio_close(pl_studio *studio)
{
    pl_renderer_destroy(studio->renderer);
    pl_gl_context_destroy(studio->context);
    *studio = (pl_studio){0};
}
