#include "shape_body.h"
#include "../rigid/shape.h"

#include <stdio.h>
#include <string.h>

// Puts "shape 2: " before an error of one of several.
static pl_status name_shape(pl_status status, int32_t n, int32_t i)
{
    if (status == PL_OK || status == PL_ERROR_MEMORY || n == 1) return status;
    char place[32];
    snprintf(place, sizeof place, "shape %d", (int)i);
    pl_fail_prefix(place);
    return status;
}

pl_status pl_shapes_check(int32_t n, const pl_shape *shape)
{
    if (n < 1 || n > INT16_MAX || shape == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "%d shapes%s", (int)n,
                       shape == NULL ? " in a NULL array" : ": 1 to 32767 expected");
    }
    for (int32_t i = 0; i < n; i++) PL_TRY(name_shape(pl_shape_check(&shape[i]), n, i));
    return PL_OK;
}

// --- What is drawn ---

static pl_status append(pl_mesh_builder *to, const pl_mesh *mesh, bool faces)
{
    int64_t first = to->n_vert;
    for (int64_t i = 0; i < mesh->n_vert; i++) PL_TRY(pl_builder_vertex(to, mesh->x + 3 * i));
    for (int64_t i = 0; i < mesh->n_face && faces; i++) {
        const int32_t *f = mesh->face + 3 * i;
        PL_TRY(pl_builder_face(to, (int32_t)first + f[0], (int32_t)first + f[1],
                               (int32_t)first + f[2]));
    }
    return PL_OK;
}

static pl_status append_surfaces(int32_t n, const pl_shape *shape, pl_mesh_builder *to)
{
    for (int32_t i = 0; i < n; i++) {
        pl_mesh *mesh;
        PL_TRY(name_shape(pl_shape_surface(&shape[i], &mesh), n, i));
        pl_status status = append(to, mesh, true);
        pl_mesh_destroy(mesh);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

pl_status pl_shapes_mesh(int32_t n, const pl_shape *shape, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_TRY(pl_shapes_check(n, shape));
    pl_mesh_builder builder = {0};
    pl_status status = append_surfaces(n, shape, &builder);
    if (status == PL_OK) return pl_builder_finish(&builder, out);
    pl_builder_free(&builder);
    return status;
}

pl_status pl_shapes_inertia(int32_t n, const pl_shape *shape, double density, double *mass,
                            double centre[3], double inertia[9])
{
    pl_inertia whole;
    PL_TRY(pl_shapes_check(n, shape));
    if (!(density > 0)) {
        return pl_fail(PL_ERROR_ARGUMENT, "density: %g is not above 0 kg/m^3", density);
    }
    PL_TRY(pl_shapes_weigh(n, shape, density, 0, &whole));
    if (mass != NULL) *mass = whole.mass;
    if (centre != NULL) memcpy(centre, whole.centre, sizeof whole.centre);
    if (inertia != NULL) memcpy(inertia, whole.tensor, sizeof whole.tensor);
    return PL_OK;
}

// --- What touches ---

static int64_t index_count(const pl_skeleton *s)
{
    return 3 * ((int64_t)s->n_face + s->n_behind) + 2 * (int64_t)s->n_edge + s->n_point;
}

// The arrays of a skeleton, one behind the other at `to`, with vertices counted from `first` on.
static int32_t *move_skeleton(const pl_skeleton *from, int32_t first, int32_t *to, pl_skeleton *out)
{
    const int32_t *list[3] = {from->face, from->edge, from->point};
    const int64_t n[3] = {3 * ((int64_t)from->n_face + from->n_behind), 2 * (int64_t)from->n_edge,
                          from->n_point};
    int32_t *start[3];
    for (int k = 0; k < 3; k++) {
        start[k] = to;
        for (int64_t i = 0; i < n[k]; i++) *to++ = first + list[k][i];
    }
    *out = *from;
    out->face = start[0];
    out->edge = start[1];
    out->point = start[2];
    return to;
}

static pl_status collect(int32_t n, const pl_shape *shape, const pl_surface_options *surface,
                         const pl_shape_skeleton *part, pl_mesh_builder *to, pl_world_body *body)
{
    int64_t count = 0;
    for (int32_t i = 0; i < n; i++) count += index_count(&part[i].skeleton);
    body->collider = pl_alloc(n, sizeof *body->collider);
    body->skeletons = pl_alloc(count, sizeof *body->skeletons);
    if (body->collider == NULL || body->skeletons == NULL) return PL_ERROR_MEMORY;
    int32_t *at = body->skeletons;
    for (int32_t i = 0; i < n; i++) {
        pl_world_collider *c = &body->collider[i];
        at = move_skeleton(&part[i].skeleton, (int32_t)to->n_vert, at, &c->skeleton);
        PL_TRY(append(to, part[i].mesh, false));
        c->skeleton.radius += surface->radius;
        c->friction = shape[i].friction >= 0 ? shape[i].friction : surface->friction;
    }
    body->n_collider = n;
    return PL_OK;
}

pl_status pl_shape_body_build(int32_t n, const pl_shape *shape, const pl_mesh *drawn,
                              const pl_surface_options *surface, pl_world_body *body)
{
    pl_mesh_builder builder = {0};
    pl_shape_skeleton *part = pl_alloc_zero(n, sizeof *part);
    pl_status status = part != NULL ? PL_OK : PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        status = name_shape(pl_shape_find_skeleton(&shape[i], &part[i]), n, i);
    }
    if (status == PL_OK) {
        status =
            drawn != NULL ? append(&builder, drawn, true) : append_surfaces(n, shape, &builder);
    }
    if (status == PL_OK) status = collect(n, shape, surface, part, &builder, body);
    if (status == PL_OK) {
        status = pl_builder_finish(&builder, &body->mesh);
    } else {
        pl_builder_free(&builder);
    }
    for (int32_t i = 0; i < n && part != NULL; i++) pl_shape_skeleton_free(&part[i]);
    pl_free(part);
    return status;
}

pl_status pl_shape_body_take_loose(const pl_mesh *mesh, const pl_surface_options *surface,
                                   pl_world_body *body)
{
    pl_skeleton whole;
    PL_TRY(pl_skeleton_of_mesh(mesh, &whole));
    whole.radius = surface->radius;
    body->collider = pl_alloc(1, sizeof *body->collider);
    body->skeletons = pl_alloc(index_count(&whole), sizeof *body->skeletons);
    pl_status status = body->collider != NULL && body->skeletons != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_mesh_copy(mesh, &body->mesh);
    if (status == PL_OK) {
        body->n_collider = 1;
        body->collider[0].friction = surface->friction;
        move_skeleton(&whole, 0, body->skeletons, &body->collider[0].skeleton);
    }
    pl_skeleton_free(&whole);
    return status;
}
