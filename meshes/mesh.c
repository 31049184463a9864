#include "mesh.h"
#include "geometry.h"
#include "neighbours.h"

#include <math.h>
#include <string.h>

// --- Life ---

static pl_status check_counts(int64_t n_vert, int64_t n_face, int64_t n_tet)
{
    if (n_vert <= PL_MESH_MAX && n_face <= PL_MESH_MAX && n_tet <= PL_MESH_MAX) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "a mesh of more than %d vertices, faces or tets", PL_MESH_MAX);
}

static pl_status check_loose_counts(int64_t n_edge, int64_t n_point)
{
    if (n_edge <= PL_MESH_MAX && n_point <= PL_MESH_MAX) return PL_OK;
    return pl_fail(PL_ERROR_FORMAT, "a mesh of more than %d edges or points", PL_MESH_MAX);
}

pl_status pl_mesh_alloc(int64_t n_vert, int64_t n_face, int64_t n_tet, pl_mesh **out)
{
    *out = NULL;
    PL_TRY(check_counts(n_vert, n_face, n_tet));
    pl_mesh *mesh = pl_alloc_zero(1, sizeof *mesh);
    if (mesh == NULL) return PL_ERROR_MEMORY;
    mesh->n_vert = (int32_t)n_vert;
    mesh->n_face = (int32_t)n_face;
    mesh->n_tet = (int32_t)n_tet;
    mesh->x = pl_alloc(3 * n_vert, sizeof *mesh->x);
    mesh->face = pl_alloc(3 * n_face, sizeof *mesh->face);
    mesh->tet = pl_alloc(4 * n_tet, sizeof *mesh->tet);
    if (mesh->x == NULL || mesh->face == NULL || mesh->tet == NULL) {
        pl_mesh_destroy(mesh);
        return PL_ERROR_MEMORY;
    }
    *out = mesh;
    return PL_OK;
}

static pl_status check_indices(const char *what, const int32_t *index, int64_t n, int corners,
                               int32_t n_vert)
{
    for (int64_t i = 0; i < n * corners; i++) {
        if (index[i] < 0 || index[i] >= n_vert) {
            return pl_fail(PL_ERROR_ARGUMENT, "%s %lld: vertex %d of %d", what,
                           (long long)(i / corners), (int)index[i], (int)n_vert);
        }
    }
    return PL_OK;
}

pl_status pl_mesh_validate(const pl_mesh *mesh)
{
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_vert; i++) {
        if (!isfinite(mesh->x[i])) {
            return pl_fail(PL_ERROR_ARGUMENT, "vertex %lld: coordinate %d is not finite",
                           (long long)(i / 3), (int)(i % 3));
        }
    }
    PL_TRY(check_indices("face", mesh->face, mesh->n_face, 3, mesh->n_vert));
    return check_indices("tet", mesh->tet, mesh->n_tet, 4, mesh->n_vert);
}

pl_status pl_mesh_create(int32_t n_vert, const double *x, int32_t n_face, const int32_t *face,
                         int32_t n_tet, const int32_t *tet, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    if (n_vert < 0 || n_face < 0 || n_tet < 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "mesh: negative count");
    }
    if ((n_vert > 0 && x == NULL) || (n_face > 0 && face == NULL) || (n_tet > 0 && tet == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "mesh: NULL array with a count above 0");
    }
    if (check_counts(n_vert, n_face, n_tet) != PL_OK) return PL_ERROR_ARGUMENT;
    pl_mesh *mesh;
    PL_TRY(pl_mesh_alloc(n_vert, n_face, n_tet, &mesh));
    if (n_vert > 0) memcpy(mesh->x, x, 3 * (size_t)n_vert * sizeof *x);
    if (n_face > 0) memcpy(mesh->face, face, 3 * (size_t)n_face * sizeof *face);
    if (n_tet > 0) memcpy(mesh->tet, tet, 4 * (size_t)n_tet * sizeof *tet);
    pl_status status = pl_mesh_validate(mesh);
    if (status != PL_OK) {
        pl_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return PL_OK;
}

pl_status pl_mesh_copy(const pl_mesh *mesh, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(mesh);
    PL_TRY(pl_mesh_create(mesh->n_vert, mesh->x, mesh->n_face, mesh->face, mesh->n_tet, mesh->tet,
                          out));
    pl_status status =
        pl_mesh_set_loose(*out, mesh->n_edge, mesh->edge, mesh->n_point, mesh->point);
    if (status == PL_OK) return PL_OK;
    pl_mesh_destroy(*out);
    *out = NULL;
    return status;
}

static pl_status check_loose(const pl_mesh *mesh, int32_t n_edge, const int32_t *edge,
                             int32_t n_point, const int32_t *point)
{
    if (n_edge < 0 || n_point < 0) return pl_fail(PL_ERROR_ARGUMENT, "mesh: negative count");
    if ((n_edge > 0 && edge == NULL) || (n_point > 0 && point == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "mesh: NULL array with a count above 0");
    }
    if (check_loose_counts(n_edge, n_point) != PL_OK) return PL_ERROR_ARGUMENT;
    PL_TRY(check_indices("edge", edge, n_edge, 2, mesh->n_vert));
    PL_TRY(check_indices("point", point, n_point, 1, mesh->n_vert));
    for (int64_t i = 0; i < n_edge; i++) {
        if (edge[2 * i] != edge[2 * i + 1]) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "edge %lld: both ends are vertex %d", (long long)i,
                       (int)edge[2 * i]);
    }
    return PL_OK;
}

pl_status pl_mesh_set_loose(pl_mesh *mesh, int32_t n_edge, const int32_t *edge, int32_t n_point,
                            const int32_t *point)
{
    PL_REQUIRE(mesh);
    PL_TRY(check_loose(mesh, n_edge, edge, n_point, point));
    int32_t *new_edge = NULL, *new_point = NULL;
    if (n_edge > 0) new_edge = pl_alloc(2 * (int64_t)n_edge, sizeof *new_edge);
    if (n_point > 0) new_point = pl_alloc(n_point, sizeof *new_point);
    if ((n_edge > 0 && new_edge == NULL) || (n_point > 0 && new_point == NULL)) {
        pl_free(new_edge);
        pl_free(new_point);
        return PL_ERROR_MEMORY;
    }
    if (n_edge > 0) memcpy(new_edge, edge, 2 * (size_t)n_edge * sizeof *edge);
    if (n_point > 0) memcpy(new_point, point, (size_t)n_point * sizeof *point);
    pl_free(mesh->edge);
    pl_free(mesh->point);
    mesh->edge = new_edge;
    mesh->point = new_point;
    mesh->n_edge = n_edge;
    mesh->n_point = n_point;
    return PL_OK;
}

void pl_mesh_destroy(pl_mesh *mesh)
{
    if (mesh == NULL) return;
    pl_free(mesh->x);
    pl_free(mesh->face);
    pl_free(mesh->tet);
    pl_free(mesh->edge);
    pl_free(mesh->point);
    pl_free(mesh);
}

// --- Looking ---

int32_t pl_mesh_vertex_count(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->n_vert : 0;
}

int32_t pl_mesh_face_count(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->n_face : 0;
}

int32_t pl_mesh_tet_count(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->n_tet : 0;
}

int32_t pl_mesh_edge_count(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->n_edge : 0;
}

int32_t pl_mesh_point_count(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->n_point : 0;
}

const int32_t *pl_mesh_edges(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->edge : NULL;
}

const int32_t *pl_mesh_points(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->point : NULL;
}

const double *pl_mesh_positions(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->x : NULL;
}

const int32_t *pl_mesh_faces(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->face : NULL;
}

const int32_t *pl_mesh_tets(const pl_mesh *mesh)
{
    return mesh != NULL ? mesh->tet : NULL;
}

void pl_mesh_bounds(const pl_mesh *mesh, double lo[3], double hi[3])
{
    if (lo == NULL || hi == NULL) return;
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY;
        hi[k] = -INFINITY;
    }
    for (int64_t i = 0; mesh != NULL && i < mesh->n_vert; i++) {
        for (int k = 0; k < 3; k++) {
            lo[k] = fmin(lo[k], mesh->x[3 * i + k]);
            hi[k] = fmax(hi[k], mesh->x[3 * i + k]);
        }
    }
}

double pl_mesh_volume(const pl_mesh *mesh)
{
    if (mesh == NULL) return 0;
    double sum = 0;
    const double *x = mesh->x;
    for (int64_t i = 0; i < mesh->n_tet; i++) {
        sum += 6 * pl_tet_volume(x, mesh->tet + 4 * i);
    }
    for (int64_t i = 0; mesh->n_tet == 0 && i < mesh->n_face; i++) {
        const int32_t *f = mesh->face + 3 * i;
        // From vertex 0: less rounding.
        sum += pl_tet_det(x, x + 3 * (int64_t)f[0], x + 3 * (int64_t)f[1], x + 3 * (int64_t)f[2]);
    }
    return sum / 6;
}

// --- Changing ---

static void map_point(const double m[12], const double x[3], double y[3])
{
    for (int k = 0; k < 3; k++) {
        const double *row = m + 4 * k;
        y[k] = row[0] * x[0] + row[1] * x[1] + row[2] * x[2] + row[3];
    }
}

pl_status pl_mesh_transform(pl_mesh *mesh, const double m[12])
{
    PL_REQUIRE(mesh);
    PL_REQUIRE(m);
    for (int k = 0; k < 12; k++) {
        if (!isfinite(m[k])) return pl_fail(PL_ERROR_ARGUMENT, "transform: entry %d not finite", k);
    }
    double y[3];
    for (int64_t i = 0; i < mesh->n_vert; i++) {
        map_point(m, mesh->x + 3 * i, y);
        if (!isfinite(y[0]) || !isfinite(y[1]) || !isfinite(y[2])) {
            return pl_fail(PL_ERROR_ARGUMENT, "transform: vertex %lld overflows", (long long)i);
        }
    }
    for (int64_t i = 0; i < mesh->n_vert; i++) {
        map_point(m, mesh->x + 3 * i, y);
        memcpy(mesh->x + 3 * i, y, sizeof y);
    }
    double det = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
                 m[2] * (m[4] * m[9] - m[5] * m[8]);
    if (det < 0) {
        for (int64_t i = 0; i < mesh->n_face; i++)
            pl_swap(mesh->face + 3 * i + 1, mesh->face + 3 * i + 2);
        for (int64_t i = 0; i < mesh->n_tet; i++)
            pl_swap(mesh->tet + 4 * i + 2, mesh->tet + 4 * i + 3);
    }
    return PL_OK;
}

pl_status pl_mesh_set_positions(pl_mesh *mesh, const double *x)
{
    PL_REQUIRE(mesh);
    PL_REQUIRE(x);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_vert; i++) {
        if (!isfinite(x[i])) {
            return pl_fail(PL_ERROR_ARGUMENT, "set_positions: vertex %lld is not finite",
                           (long long)(i / 3));
        }
    }
    memmove(mesh->x, x, 3 * (size_t)mesh->n_vert * sizeof *x);
    return PL_OK;
}

// --- Surface ---

// The mesh of `face` and of the vertices it uses. map (n_vert of mesh): new index to old.
static pl_status extract_faces(const pl_mesh *mesh, const int32_t *face, int32_t n_face,
                               int32_t *map, pl_mesh **out)
{
    int32_t *renumber = pl_alloc_zero(mesh->n_vert, sizeof *renumber);
    if (renumber == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * (int64_t)n_face; i++) renumber[face[i]] = 1;
    int32_t n = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) {
        if (renumber[v] == 0) continue;
        if (map != NULL) map[n] = v;
        renumber[v] = n++;
    }
    pl_status status = pl_mesh_alloc(n, n_face, 0, out);
    if (status == PL_OK) {
        for (int64_t i = 0; i < 3 * (int64_t)n_face; i++) {
            (*out)->face[i] = renumber[face[i]];
            memcpy((*out)->x + 3 * (int64_t)renumber[face[i]], mesh->x + 3 * (int64_t)face[i],
                   3 * sizeof(double));
        }
    }
    pl_free(renumber);
    return status;
}

pl_status pl_mesh_surface(const pl_mesh *mesh, int32_t *vertex_map, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(mesh);
    if (mesh->n_tet == 0) return extract_faces(mesh, mesh->face, mesh->n_face, vertex_map, out);
    int32_t *face, n_face;
    PL_TRY(pl_tet_boundary(mesh->n_vert, mesh->n_tet, mesh->tet, &face, &n_face));
    pl_status status = extract_faces(mesh, face, n_face, vertex_map, out);
    pl_free(face);
    return status;
}

// --- Building ---

pl_status pl_builder_vertex(pl_mesh_builder *builder, const double x[3])
{
    int64_t n = 3 * builder->n_vert;
    PL_TRY(pl_reserve((void **)&builder->x, &builder->x_capacity, n + 3, sizeof(double)));
    memcpy(builder->x + n, x, 3 * sizeof(double));
    builder->n_vert++;
    return PL_OK;
}

pl_status pl_builder_face(pl_mesh_builder *builder, int32_t a, int32_t b, int32_t c)
{
    int64_t n = 3 * builder->n_face;
    PL_TRY(pl_reserve((void **)&builder->face, &builder->face_capacity, n + 3, sizeof(int32_t)));
    builder->face[n] = a;
    builder->face[n + 1] = b;
    builder->face[n + 2] = c;
    builder->n_face++;
    return PL_OK;
}

pl_status pl_builder_tet(pl_mesh_builder *builder, const int32_t tet[4])
{
    int64_t n = 4 * builder->n_tet;
    PL_TRY(pl_reserve((void **)&builder->tet, &builder->tet_capacity, n + 4, sizeof(int32_t)));
    memcpy(builder->tet + n, tet, 4 * sizeof(int32_t));
    builder->n_tet++;
    return PL_OK;
}

pl_status pl_builder_edge(pl_mesh_builder *builder, int32_t a, int32_t b)
{
    int64_t n = 2 * builder->n_edge;
    PL_TRY(pl_reserve((void **)&builder->edge, &builder->edge_capacity, n + 2, sizeof(int32_t)));
    builder->edge[n] = a;
    builder->edge[n + 1] = b;
    builder->n_edge++;
    return PL_OK;
}

pl_status pl_builder_point(pl_mesh_builder *builder, int32_t vertex)
{
    PL_TRY(pl_reserve((void **)&builder->point, &builder->point_capacity, builder->n_point + 1,
                      sizeof(int32_t)));
    builder->point[builder->n_point++] = vertex;
    return PL_OK;
}

pl_status pl_builder_finish(pl_mesh_builder *builder, pl_mesh **out)
{
    *out = NULL;
    pl_status status = check_counts(builder->n_vert, builder->n_face, builder->n_tet);
    if (status == PL_OK) status = check_loose_counts(builder->n_edge, builder->n_point);
    if (status == PL_OK) status = pl_mesh_alloc(0, 0, 0, out);
    if (status == PL_OK) {
        pl_mesh *mesh = *out;
        mesh->n_vert = (int32_t)builder->n_vert;
        mesh->n_face = (int32_t)builder->n_face;
        mesh->n_tet = (int32_t)builder->n_tet;
        mesh->n_edge = (int32_t)builder->n_edge;
        mesh->n_point = (int32_t)builder->n_point;
        mesh->edge = builder->edge;
        mesh->point = builder->point;
        if (builder->x != NULL) pl_free(mesh->x), mesh->x = builder->x;
        if (builder->face != NULL) pl_free(mesh->face), mesh->face = builder->face;
        if (builder->tet != NULL) pl_free(mesh->tet), mesh->tet = builder->tet;
        *builder = (pl_mesh_builder){0};
    }
    pl_builder_free(builder);
    return status;
}

void pl_builder_free(pl_mesh_builder *builder)
{
    pl_free(builder->x);
    pl_free(builder->face);
    pl_free(builder->tet);
    pl_free(builder->edge);
    pl_free(builder->point);
    *builder = (pl_mesh_builder){0};
}
