#include "export_bodies.h"
#include "../scene/palette.h"

#include <stdio.h>
#include <string.h>

typedef struct capacities {
    int64_t x, from, face;
} capacities;

// Adds the surface of a body.
static pl_status append(pl_export_bodies *out, capacities *c, pl_export_body *body,
                        const pl_mesh *surface)
{
    int64_t n_vert = (int64_t)out->n_vert + pl_mesh_vertex_count(surface);
    int64_t n_face = (int64_t)out->n_face + pl_mesh_face_count(surface);
    if (n_vert > PL_MESH_MAX || n_face > PL_MESH_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "the bodies have too many faces for one file");
    }
    PL_TRY(pl_reserve((void **)&out->x, &c->x, 3 * n_vert, sizeof *out->x));
    PL_TRY(pl_reserve((void **)&out->from, &c->from, n_vert, sizeof *out->from));
    PL_TRY(pl_reserve((void **)&out->face, &c->face, 3 * n_face, sizeof *out->face));
    size_t verts = (size_t)pl_mesh_vertex_count(surface),
           faces = (size_t)pl_mesh_face_count(surface);
    memcpy(out->x + 3 * (int64_t)out->n_vert, pl_mesh_positions(surface),
           3 * verts * sizeof *out->x);
    for (int64_t v = out->n_vert; v < n_vert; v++) out->from[v] = -1;
    memcpy(out->face + 3 * (int64_t)out->n_face, pl_mesh_faces(surface),
           3 * faces * sizeof *out->face);
    body->vert = out->n_vert;
    body->face = out->n_face;
    body->n_vert = pl_mesh_vertex_count(surface);
    body->n_face = pl_mesh_face_count(surface);
    out->n_vert = (int32_t)n_vert;
    out->n_face = (int32_t)n_face;
    return PL_OK;
}

static pl_status add_surface(pl_export_bodies *out, capacities *c, pl_export_body *body,
                             const pl_scene_body *source)
{
    const pl_mesh *mesh = source->mesh;
    pl_mesh *surface = NULL;
    if (source->embedding != NULL) {
        PL_TRY(append(out, c, body, source->embedding->surface));
        pl_embedding_move(source->embedding, pl_mesh_positions(mesh),
                          out->x + 3 * (int64_t)body->vert);
        return PL_OK;
    }
    int32_t *from = pl_alloc(pl_mesh_vertex_count(mesh), sizeof *from);
    pl_status status = from != NULL ? pl_mesh_surface(mesh, from, &surface) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = append(out, c, body, surface);
    if (status == PL_OK) {
        memcpy(out->from + body->vert, from, (size_t)body->n_vert * sizeof *from);
    }
    pl_mesh_destroy(surface);
    pl_free(from);
    return status;
}

static pl_status add_bodies(const pl_scene *scene, pl_export_bodies *out)
{
    capacities c = {0};
    int32_t number = 0;
    out->body = pl_alloc_zero(scene->n_bodies, sizeof *out->body);
    if (out->body == NULL) return PL_ERROR_MEMORY;
    for (out->n = 0; out->n < scene->n_bodies; out->n++) {
        const pl_scene_body *source = &scene->bodies[out->n];
        pl_export_body *body = &out->body[out->n];
        const float *color = pl_palette(out->n);
        snprintf(body->name, sizeof body->name, "body_%03d", (int)out->n);
        body->number = source->simulated ? number++ : -1;
        body->opacity = source->opacity;
        body->embedding = source->embedding;
        for (int k = 0; k < 3; k++) {
            body->color[k] = source->has_color ? source->color[k] : (double)color[k];
        }
        PL_TRY(add_surface(out, &c, body, source));
    }
    return PL_OK;
}

pl_status pl_export_bodies_make(const pl_scene *scene, pl_export_bodies *out)
{
    *out = (pl_export_bodies){0};
    pl_status status = add_bodies(scene, out);
    if (status != PL_OK) pl_export_bodies_free(out);
    return status;
}

void pl_export_bodies_move(pl_export_bodies *bodies, const pl_world *world)
{
    for (int32_t i = 0; i < bodies->n; i++) {
        const pl_export_body *body = &bodies->body[i];
        if (body->number < 0) continue;
        const double *x = pl_world_positions(world, body->number);
        if (body->embedding != NULL) {
            pl_embedding_move(body->embedding, x, bodies->x + 3 * (int64_t)body->vert);
            continue;
        }
        for (int32_t v = body->vert; v < body->vert + body->n_vert; v++) {
            memcpy(bodies->x + 3 * (int64_t)v, x + 3 * (int64_t)bodies->from[v], 3 * sizeof *x);
        }
    }
}

static pl_status take_surfaces(const pl_scene *scene, const pl_euler *euler, pl_export_bodies *to)
{
    capacities c = {0};
    to->n_vert = to->n_face = 0;
    for (int32_t i = 0; i < to->n; i++) {
        pl_export_body *body = &to->body[i];
        pl_mesh *surface;
        if (body->number < 0) {
            PL_TRY(add_surface(to, &c, body, &scene->bodies[i]));
            continue;
        }
        PL_TRY(pl_euler_surface(euler, body->number, scene->grid.refine, &surface));
        pl_status status = append(to, &c, body, surface);
        pl_mesh_destroy(surface);
        PL_TRY(status);
    }
    return PL_OK;
}

pl_status pl_export_bodies_take(pl_export_bodies *bodies, const pl_scene *scene,
                                const pl_euler *euler)
{
    pl_export_bodies next = {.body = bodies->body, .n = bodies->n, .changing = true};
    pl_status status = take_surfaces(scene, euler, &next);
    bodies->body = NULL;
    pl_export_bodies_free(bodies);
    *bodies = next;
    return status;
}

void pl_export_bodies_scalar(const pl_export_bodies *bodies, int32_t body, const double *value,
                             double *out)
{
    const pl_export_body *b = &bodies->body[body];
    if (b->embedding != NULL) {
        pl_embedding_scalar(b->embedding, value, out);
    } else {
        for (int32_t v = 0; v < b->n_vert; v++) out[v] = value[bodies->from[b->vert + v]];
    }
}

void pl_export_bodies_free(pl_export_bodies *bodies)
{
    pl_free(bodies->body);
    pl_free(bodies->x);
    pl_free(bodies->from);
    pl_free(bodies->face);
    *bodies = (pl_export_bodies){0};
}
