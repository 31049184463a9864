#include "quantity.h"
#include "../plot/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double OUTLIERS = 1.0 / 200; // part of the values that a range may leave out
enum { RANGE_TICKS = 5 };                 // round numbers are those of an axis with so many

static const struct {
    const char *name, *title, *unit;
} TABLE[PL_QUANTITY_COUNT] = {
    [PL_QUANTITY_NONE] = {"none", "", ""},
    [PL_QUANTITY_STRESS] = {"stress", "von Mises stress", "Pa"},
    [PL_QUANTITY_SPEED] = {"speed", "speed", "m/s"},
    [PL_QUANTITY_PRESSURE] = {"pressure", "contact pressure", "Pa"},
};

pl_status pl_quantity_find(const char *name, pl_quantity *out)
{
    for (int i = 0; i < PL_QUANTITY_COUNT; i++) {
        if (strcmp(name, TABLE[i].name) != 0) continue;
        *out = (pl_quantity)i;
        return PL_OK;
    }
    return pl_fail(PL_ERROR_ARGUMENT, "\"%s\" is not stress, speed, pressure or none", name);
}

const char *pl_quantity_name(pl_quantity quantity)
{
    return TABLE[quantity].name;
}

const char *pl_quantity_title(pl_quantity quantity)
{
    return TABLE[quantity].title;
}

const char *pl_quantity_unit(pl_quantity quantity)
{
    return TABLE[quantity].unit;
}

bool pl_quantity_applies(const pl_world *world, int32_t body, pl_quantity quantity)
{
    if (quantity == PL_QUANTITY_STRESS) return pl_world_kind(world, body) == PL_BODY_DEFORMABLE;
    return quantity != PL_QUANTITY_NONE;
}

// --- Stress ---

static void edge_of(const double *x, int32_t from, int32_t to, double out[3])
{
    for (int c = 0; c < 3; c++) out[c] = x[3 * (int64_t)to + c] - x[3 * (int64_t)from + c];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        out[c] = a[d] * b[e] - a[e] * b[d];
    }
}

static double tet_volume(const double *x, const int32_t tet[4])
{
    double a[3], b[3], c[3], n[3];
    edge_of(x, tet[0], tet[1], a);
    edge_of(x, tet[0], tet[2], b);
    edge_of(x, tet[0], tet[3], c);
    cross(b, c, n);
    return (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6;
}

// The stress of each tet [Pa] to its vertices, by volumes at rest.
static pl_status stress_to_vertices(const pl_mesh *mesh, const double *stress, double *out)
{
    double *weight = pl_alloc_zero(pl_mesh_vertex_count(mesh), sizeof *weight);
    if (weight == NULL) return PL_ERROR_MEMORY;
    for (int32_t t = 0; t < pl_mesh_tet_count(mesh); t++) {
        const int32_t *tet = pl_mesh_tets(mesh) + 4 * (int64_t)t;
        double volume = fabs(tet_volume(pl_mesh_positions(mesh), tet));
        for (int k = 0; k < 4; k++) {
            out[tet[k]] += volume * stress[t];
            weight[tet[k]] += volume;
        }
    }
    for (int32_t v = 0; v < pl_mesh_vertex_count(mesh); v++) {
        if (weight[v] > 0) out[v] /= weight[v];
    }
    pl_free(weight);
    return PL_OK;
}

static pl_status fill_stress(pl_world *world, int32_t body, double *out)
{
    const pl_mesh *mesh = pl_world_mesh(world, body);
    double *stress = pl_alloc(pl_mesh_tet_count(mesh), sizeof *stress);
    pl_status status =
        stress != NULL ? pl_world_stress(world, body, stress, NULL) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = stress_to_vertices(mesh, stress, out);
    pl_free(stress);
    return status;
}

// --- Pressure ---

// A third of each triangle's area now to its corners.
static void add_areas(const double *x, int32_t n_face, const int32_t *face, const int32_t *from,
                      double *area)
{
    for (int32_t f = 0; f < n_face; f++) {
        int32_t v[3];
        double a[3], b[3], n[3];
        for (int k = 0; k < 3; k++) v[k] = from[face[3 * (int64_t)f + k]];
        edge_of(x, v[0], v[1], a);
        edge_of(x, v[0], v[2], b);
        cross(a, b, n);
        for (int k = 0; k < 3; k++) {
            area[v[k]] += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 6;
        }
    }
}

static pl_status surface_areas(const pl_world *world, int32_t body, double *area)
{
    const pl_mesh *mesh = pl_world_mesh(world, body);
    pl_mesh *surface = NULL;
    int32_t *from = pl_alloc(pl_mesh_vertex_count(mesh), sizeof *from);
    pl_status status = from != NULL ? pl_mesh_surface(mesh, from, &surface) : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        add_areas(pl_world_positions(world, body), pl_mesh_face_count(surface),
                  pl_mesh_faces(surface), from, area);
    }
    pl_mesh_destroy(surface);
    pl_free(from);
    return status;
}

static void add_forces(const pl_world *world, int32_t body, double *out)
{
    int32_t n;
    const pl_contact_point *contact = pl_world_contacts(world, &n);
    for (const pl_contact_point *c = contact; c < contact + n; c++) {
        for (int k = 0; k < 4 && c->vertex[k] >= 0; k++) {
            int32_t owner = k < c->n_a ? c->body_a : c->body_b;
            if (owner == body) out[c->vertex[k]] += fabs(c->weight[k]) * c->force;
        }
    }
}

static pl_status fill_pressure(const pl_world *world, int32_t body, double *out)
{
    int32_t n = pl_world_vertex_count(world, body);
    double *area = pl_alloc_zero(n, sizeof *area);
    pl_status status = area != NULL ? surface_areas(world, body, area) : PL_ERROR_MEMORY;
    if (status == PL_OK) {
        add_forces(world, body, out);
        for (int32_t v = 0; v < n; v++) {
            if (area[v] > 0) out[v] /= area[v];
        }
    }
    pl_free(area);
    return status;
}

// --- All ---

static void fill_speed(const pl_world *world, int32_t body, double *out)
{
    const double *v = pl_world_velocities(world, body);
    for (int32_t i = 0; i < pl_world_vertex_count(world, body); i++, v += 3) {
        out[i] = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

pl_status pl_quantity_of_body(pl_world *world, int32_t body, pl_quantity quantity, double *out)
{
    memset(out, 0, (size_t)pl_world_vertex_count(world, body) * sizeof *out);
    if (!pl_quantity_applies(world, body, quantity)) return PL_OK;
    switch (quantity) {
    case PL_QUANTITY_STRESS:
        return fill_stress(world, body, out);
    case PL_QUANTITY_PRESSURE:
        return fill_pressure(world, body, out);
    default:
        fill_speed(world, body, out);
        return PL_OK;
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

pl_status pl_quantity_range(int64_t n, const double *value, double *end)
{
    double *sorted = pl_alloc(PL_MAX(n, 1), sizeof *sorted);
    if (sorted == NULL) return PL_ERROR_MEMORY;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (value[i] > 0 && isfinite(value[i])) sorted[m++] = value[i];
    }
    qsort(sorted, (size_t)m, sizeof *sorted, ascending);
    double most = m > 0 ? sorted[m - 1 - (int64_t)(OUTLIERS * (double)m)] : 0;
    *end = pl_axis_linear(0, most, RANGE_TICKS, false).hi;
    pl_free(sorted);
    return PL_OK;
}
