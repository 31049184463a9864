// What touches of a mesh that has loose edges and points; and what is drawn of these.

#include "skeleton.h"
#include "edges.h"
#include "neighbours.h"
#include "rounded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double FLAT = 1e-300; // squares of lengths below it have no direction

bool pl_mesh_is_loose(const pl_mesh *mesh)
{
    if (mesh->n_edge > 0 || mesh->n_point > 0) return true;
    return mesh->n_face == 0 && mesh->n_tet == 0 && mesh->n_vert > 0; // a cloud
}

void pl_skeleton_free(pl_skeleton *s)
{
    pl_free(s->face);
    pl_free(s->edge);
    pl_free(s->point);
    *s = (pl_skeleton){0};
}

// --- What touches ---

static pl_status take_faces(const pl_mesh *mesh, pl_skeleton *s)
{
    if (mesh->n_tet > 0) {
        return pl_tet_boundary(mesh->n_vert, mesh->n_tet, mesh->tet, &s->face, &s->n_face);
    }
    s->face = pl_alloc(3 * (int64_t)mesh->n_face, sizeof *s->face);
    if (s->face == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < mesh->n_face; i++) {
        const int32_t *f = mesh->face + 3 * i;
        if (!pl_face_repeats(f)) memcpy(s->face + 3 * (int64_t)s->n_face++, f, 3 * sizeof *f);
    }
    return PL_OK;
}

static int compare_edges(const void *a, const void *b)
{
    uint64_t s = *(const uint64_t *)a, t = *(const uint64_t *)b;
    return (s > t) - (s < t);
}

// Each edge once, and none that a face has.
static pl_status take_edges(const pl_mesh *mesh, pl_skeleton *s)
{
    pl_side *side = NULL;
    int64_t n_side = 0, at = 0;
    uint64_t *edge = pl_alloc(mesh->n_edge, sizeof *edge);
    s->edge = pl_alloc(2 * (int64_t)mesh->n_edge, sizeof *s->edge);
    pl_status status = edge != NULL && s->edge != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_sides_sort(s->n_face, s->face, &side, &n_side);
    for (int64_t i = 0; i < mesh->n_edge && status == PL_OK; i++) {
        edge[i] = pl_edge_of(mesh->edge[2 * i], mesh->edge[2 * i + 1]);
    }
    if (status == PL_OK && mesh->n_edge > 0) {
        qsort(edge, (size_t)mesh->n_edge, sizeof *edge, compare_edges);
    }
    for (int64_t i = 0; i < mesh->n_edge && status == PL_OK; i++) {
        if (i > 0 && edge[i] == edge[i - 1]) continue;
        while (at < n_side && side[at].edge < edge[i]) at++;
        if (at < n_side && side[at].edge == edge[i]) continue;
        s->edge[2 * (int64_t)s->n_edge] = pl_edge_lower(edge[i]);
        s->edge[2 * (int64_t)s->n_edge++ + 1] = pl_edge_upper(edge[i]);
    }
    pl_free(side);
    pl_free(edge);
    return status;
}

// Each point once, and none that a face or an edge has; of a cloud all vertices.
static pl_status take_points(const pl_mesh *mesh, pl_skeleton *s)
{
    bool cloud = s->n_face == 0 && s->n_edge == 0 && mesh->n_point == 0;
    bool *taken = pl_alloc_zero(mesh->n_vert, sizeof *taken);
    s->point = pl_alloc(cloud ? mesh->n_vert : mesh->n_point, sizeof *s->point);
    if (taken == NULL || s->point == NULL) {
        pl_free(taken);
        return PL_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)s->n_face; i++) taken[s->face[i]] = true;
    for (int64_t i = 0; i < 2 * (int64_t)s->n_edge; i++) taken[s->edge[i]] = true;
    for (int32_t i = 0; i < (cloud ? mesh->n_vert : mesh->n_point); i++) {
        int32_t v = cloud ? i : mesh->point[i];
        if (!taken[v]) s->point[s->n_point++] = v;
        taken[v] = true;
    }
    pl_free(taken);
    return PL_OK;
}

pl_status pl_skeleton_of_mesh(const pl_mesh *mesh, pl_skeleton *out)
{
    *out = (pl_skeleton){0};
    pl_status status = take_faces(mesh, out);
    if (status == PL_OK) status = take_edges(mesh, out);
    if (status == PL_OK) status = take_points(mesh, out);
    if (status != PL_OK) pl_skeleton_free(out);
    return status;
}

// --- What is drawn ---

// Rows of [R | t]: turns z along the edge from a to b, and moves the origin to its middle.
static void place_along(const double a[3], const double b[3], double m[12])
{
    double z[3], x[3], y[3];
    for (int k = 0; k < 3; k++) z[k] = b[k] - a[k];
    double length = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    bool has = length * length > FLAT;
    for (int k = 0; k < 3; k++) z[k] = has ? z[k] / length : k == 2;
    int least = fabs(z[0]) < fabs(z[1]) ? 0 : 1;
    if (fabs(z[2]) < fabs(z[least])) least = 2;
    double part = z[least], square = 0;
    for (int k = 0; k < 3; k++) {
        x[k] = (k == least) - part * z[k];
        square += x[k] * x[k];
    }
    for (int k = 0; k < 3; k++) x[k] /= sqrt(square);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        y[k] = z[i] * x[j] - z[j] * x[i];
    }
    for (int k = 0; k < 3; k++) {
        m[4 * k] = x[k];
        m[4 * k + 1] = y[k];
        m[4 * k + 2] = z[k];
        m[4 * k + 3] = 0.5 * (a[k] + b[k]);
    }
}

// Adds a capsule around the edge from a to b, or a ball if that is one place.
static pl_status add_capsule(const double a[3], const double b[3], double radius, int32_t segments,
                             pl_mesh_builder *to)
{
    double m[12], square = 0;
    pl_mesh *part;
    for (int k = 0; k < 3; k++) square += (b[k] - a[k]) * (b[k] - a[k]);
    const double half[3] = {0, 0, 0.5 * sqrt(square)};
    PL_TRY(pl_mesh_rounded_box(half, radius, segments, &part));
    place_along(a, b, m);
    pl_status status = pl_mesh_transform(part, m);
    int32_t first = (int32_t)to->n_vert;
    for (int64_t i = 0; i < part->n_vert && status == PL_OK; i++) {
        status = pl_builder_vertex(to, part->x + 3 * i);
    }
    for (int64_t i = 0; i < part->n_face && status == PL_OK; i++) {
        const int32_t *f = part->face + 3 * i;
        status = pl_builder_face(to, first + f[0], first + f[1], first + f[2]);
    }
    pl_mesh_destroy(part);
    return status;
}

// The faces with their corners, and a capsule or ball for all else.
static pl_status thicken(const pl_mesh *mesh, const pl_skeleton *s, double radius, int32_t segments,
                         pl_mesh_builder *to)
{
    const double *x = mesh->x;
    for (int64_t i = 0; i < s->n_face; i++) {
        int32_t first = (int32_t)to->n_vert;
        for (int k = 0; k < 3; k++) {
            PL_TRY(pl_builder_vertex(to, x + 3 * (int64_t)s->face[3 * i + k]));
        }
        PL_TRY(pl_builder_face(to, first, first + 1, first + 2));
    }
    for (int64_t i = 0; i < s->n_edge; i++) {
        PL_TRY(add_capsule(x + 3 * (int64_t)s->edge[2 * i], x + 3 * (int64_t)s->edge[2 * i + 1],
                           radius, segments, to));
    }
    for (int64_t i = 0; i < s->n_point; i++) {
        const double *at = x + 3 * (int64_t)s->point[i];
        PL_TRY(add_capsule(at, at, radius, segments, to));
    }
    return PL_OK;
}

// Thin enough to stand for a line, thick enough to be seen: half a hundredth of the extent, but no
// more than a third of the way to what is next.
static double drawn_radius(const pl_mesh *mesh, const pl_skeleton *s)
{
    double lo[3], hi[3], extent = 0, sum = 0;
    pl_mesh_bounds(mesh, lo, hi);
    for (int k = 0; k < 3; k++) extent = fmax(extent, hi[k] - lo[k]);
    if (!(extent > 0)) return 0.01;
    for (int64_t i = 0; i < s->n_edge; i++) {
        const double *a = mesh->x + 3 * (int64_t)s->edge[2 * i];
        const double *b = mesh->x + 3 * (int64_t)s->edge[2 * i + 1];
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                    (a[2] - b[2]) * (a[2] - b[2]));
    }
    double most = s->n_edge > 0 ? sum / s->n_edge / 3 : extent;
    return fmin(0.005 * extent, most);
}

pl_status pl_mesh_thicken(const pl_mesh *mesh, double radius, int32_t segments, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(mesh);
    if (!(radius >= 0 && isfinite(radius))) {
        return pl_fail(PL_ERROR_ARGUMENT, "radius: %g is not 0 m or above", radius);
    }
    pl_skeleton s;
    pl_mesh_builder to = {0};
    PL_TRY(pl_skeleton_of_mesh(mesh, &s));
    if (radius == 0) radius = drawn_radius(mesh, &s);
    pl_status status = thicken(mesh, &s, radius, segments, &to);
    pl_skeleton_free(&s);
    if (status == PL_OK) return pl_builder_finish(&to, out);
    pl_builder_free(&to);
    return status;
}
