// What the readers and writers of surface formats share.

#include "io.h"
#include "neighbours.h"

enum { GUESS_FIRST = 3 << 10 }; // elements to start with, or to go on with where a guess fell short

// --- In ---

static inline bool read_corner(pl_scan *scan, int64_t n_vert, int32_t *v)
{
    int64_t index;
    if (!pl_scan_int64(scan, &index)) return false;
    *v = (int32_t)index;
    return (uint64_t)index < (uint64_t)n_vert;
}

static pl_status fail_corner(const pl_scan *scan, int64_t n_vert)
{
    return pl_scan_fail(scan, "expected the index of a vertex, from 0 to %lld",
                        (long long)n_vert - 1);
}

// An edge from a vertex to itself is none.
static pl_status add_loose(int64_t corners, int32_t a, int32_t b, pl_mesh_builder *mesh)
{
    if (corners == 1) return pl_builder_point(mesh, a);
    return a != b ? pl_builder_edge(mesh, a, b) : PL_OK;
}

static pl_status read_fan(pl_scan *scan, int64_t corners, int64_t to_come, bool loose,
                          pl_mesh_builder *mesh)
{
    if (corners < 0 || corners > (int64_t)pl_scan_left(scan)) {
        return pl_scan_fail(scan, "a face cannot have %lld corners", (long long)corners);
    }
    int64_t triangles = PL_MAX(corners - 2, 0);
    PL_TRY(pl_reserve((void **)&mesh->face, &mesh->face_capacity,
                      3 * (mesh->n_face + triangles + to_come), sizeof(int32_t)));
    int32_t first = 0, before = 0, v = 0;
    for (int64_t k = 0; k < corners; k++, before = v) {
        if (!read_corner(scan, mesh->n_vert, &v)) return fail_corner(scan, mesh->n_vert);
        if (k == 0) first = v;
        if (k < 2) continue;
        int32_t *f = mesh->face + 3 * mesh->n_face++;
        f[0] = first;
        f[1] = before;
        f[2] = v;
    }
    return loose && (corners == 1 || corners == 2) ? add_loose(corners, first, before, mesh)
                                                   : PL_OK;
}

pl_status pl_scan_polygon(pl_scan *scan, pl_mesh_builder *mesh, int64_t to_come, bool loose,
                          int64_t *n_thin)
{
    int64_t corners = 3, n_vert = mesh->n_vert;
    if (scan->p[0] == '3' && scan->p[1] == ' ') { // nearly always
        scan->p++;
    } else if (!pl_scan_int64(scan, &corners)) {
        return pl_scan_fail(scan, "expected the number of corners of a face");
    }
    if (corners == 3) {
        int32_t *f = mesh->face + 3 * mesh->n_face++;
        if (!read_corner(scan, n_vert, f) || !read_corner(scan, n_vert, f + 1) ||
            !read_corner(scan, n_vert, f + 2)) {
            return fail_corner(scan, n_vert);
        }
    } else {
        PL_TRY(read_fan(scan, corners, to_come, loose, mesh));
        *n_thin += corners < (loose ? 1 : 3);
    }
    return pl_scan_separated(scan) ? PL_OK : fail_corner(scan, n_vert);
}

void pl_warn_thin_faces(const char *name, int64_t n_thin)
{
    if (n_thin == 0) return;
    pl_log(PL_LOG_WARNING, "%s: %lld faces of fewer than 3 corners skipped", name,
           (long long)n_thin);
}

pl_status pl_reserve_guess(void **block, int64_t *capacity, int64_t n, size_t size,
                           const pl_scan *scan, const char *since)
{
    double rate = (double)n / (double)(scan->p - since + 1);
    int64_t more = (int64_t)(rate * (double)pl_scan_left(scan));
    return pl_reserve(block, capacity, n + PL_MAX(more, GUESS_FIRST), size);
}

// --- Out ---

pl_status pl_write_surface(const pl_mesh *mesh, const char *path, const pl_write_options *options,
                           pl_surface_body *body)
{
    const int32_t *face = mesh->face;
    int32_t *boundary = NULL, n_face = mesh->n_face;
    if (n_face == 0 && mesh->n_tet > 0) {
        PL_TRY(pl_tet_boundary(mesh->n_vert, mesh->n_tet, mesh->tet, &boundary, &n_face));
        face = boundary;
    }
    pl_output out;
    pl_status status = pl_output_open(path, &out);
    if (status == PL_OK) {
        body(&out, mesh, face, n_face, options);
        status = pl_output_close(&out);
    }
    pl_free(boundary);
    return status;
}

void pl_output_vertices(pl_output *out, const pl_mesh *mesh, const char *prefix)
{
    size_t length = strlen(prefix);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_vert; i++) {
        if (i % 3 == 0) pl_output_write(out, prefix, length);
        pl_output_double(out, mesh->x[i]);
        pl_output_write(out, i % 3 == 2 ? "\n" : " ", 1);
    }
}

void pl_output_faces(pl_output *out, const int32_t *face, int32_t n_face, const char *prefix,
                     int32_t first)
{
    size_t length = strlen(prefix);
    for (int64_t i = 0; i < 3 * (int64_t)n_face; i++) {
        if (i % 3 == 0) pl_output_write(out, prefix, length);
        pl_output_int(out, face[i] + first);
        pl_output_write(out, i % 3 == 2 ? "\n" : " ", 1);
    }
}

void pl_output_edges(pl_output *out, const pl_mesh *mesh, const char *prefix, int32_t first)
{
    size_t length = strlen(prefix);
    for (int64_t i = 0; i < 2 * (int64_t)mesh->n_edge; i++) {
        if (i % 2 == 0) pl_output_write(out, prefix, length);
        pl_output_int(out, mesh->edge[i] + first);
        pl_output_write(out, i % 2 == 1 ? "\n" : " ", 1);
    }
}
