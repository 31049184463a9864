// OFF, the format of Geomview: a keyword, the counts, a line per vertex, a line per face. Faces of
// two corners and of one are loose edges and points.

#include "io.h"

// The least that a vertex ("0 0 0\n") and a face ("0\n") take; the last newline may be missing.
enum { VERTEX_BYTES = 6, FACE_BYTES = 2 };

// Moves behind [ST][C][N][4][n]OFF. The letters announce further columns; the position always comes
// first. `spatial` is false for 4OFF and nOFF, whose positions are not triples.
static bool keyword(pl_scan *scan, bool *spatial)
{
    const char *p = scan->p;
    if (p[0] == 'S' && p[1] == 'T') p += 2;
    if (*p == 'C') p++;
    if (*p == 'N') p++;
    *spatial = *p != '4' && *p != 'n';
    if (*p == '4') p++;
    if (*p == 'n') p++;
    pl_scan word = *scan;
    word.p = p;
    if (!pl_scan_word(&word, "OFF")) return false;
    scan->p = word.p;
    return true;
}

bool pl_sniff_off(const pl_bytes *bytes, const char *name)
{
    pl_scan scan = pl_scan_start(bytes, name);
    bool spatial;
    pl_scan_comments(&scan);
    return keyword(&scan, &spatial);
}

static pl_status read_header(pl_scan *scan, int64_t *n_vert, int64_t *n_face)
{
    pl_scan_comments(scan);
    bool spatial;
    if (!keyword(scan, &spatial)) {
        return pl_scan_fail(scan, "expected the keyword OFF (or COFF, NOFF, STOFF)");
    }
    if (!spatial) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "%s: OFF with positions that are not 3D", scan->name);
    }
    pl_scan_comments(scan);
    if (pl_scan_word(scan, "BINARY")) {
        return pl_fail(PL_ERROR_UNSUPPORTED, "%s: binary OFF; write it as text", scan->name);
    }
    if (!pl_scan_int64(scan, n_vert) || !pl_scan_int64(scan, n_face)) {
        return pl_scan_fail(scan, "expected the numbers of vertices, faces and edges");
    }
    int64_t n_edge;
    (void)pl_scan_int64(scan, &n_edge); // unused, and some programs leave it out
    if (!pl_scan_line_ends(scan) && *scan->p != '#') {
        return pl_scan_fail(scan, "unexpected text after the counts");
    }
    int64_t left = (int64_t)pl_scan_left(scan) + 1;
    if (*n_vert < 0 || *n_face < 0 || *n_vert > left / VERTEX_BYTES ||
        *n_face > (left - *n_vert * VERTEX_BYTES) / FACE_BYTES) {
        return pl_scan_fail(scan, "%lld vertices and %lld faces cannot be in %lld bytes",
                            (long long)*n_vert, (long long)*n_face, (long long)left - 1);
    }
    pl_scan_next_line(scan);
    return PL_OK;
}

static pl_status fail_vertex(const pl_scan *scan, int64_t i, int64_t n)
{
    if (pl_scan_at_end(scan)) {
        return pl_scan_fail(scan, "the file ends in vertex %lld of %lld", (long long)i + 1,
                            (long long)n);
    }
    return pl_scan_fail(scan, "vertex %lld: expected three finite numbers", (long long)i);
}

// x (3*n)
static pl_status read_vertices(pl_scan *scan, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++, x += 3) {
        pl_scan_comments(scan);
        if (!pl_scan_double(scan, x) || !pl_scan_double(scan, x + 1) ||
            !pl_scan_double(scan, x + 2) || !pl_scan_separated(scan)) {
            return fail_vertex(scan, i, n);
        }
        pl_scan_next_line(scan);
    }
    return PL_OK;
}

static pl_status read_faces(pl_scan *scan, int64_t n, pl_mesh_builder *mesh)
{
    int64_t n_thin = 0;
    for (int64_t i = 0; i < n; i++) {
        pl_scan_comments(scan);
        if (pl_scan_at_end(scan)) {
            return pl_scan_fail(scan, "the file ends in face %lld of %lld", (long long)i + 1,
                                (long long)n);
        }
        PL_TRY(pl_scan_polygon(scan, mesh, n - i - 1, true, &n_thin));
        pl_scan_next_line(scan); // over a colour, if there is one
    }
    pl_warn_thin_faces(scan->name, n_thin);
    return PL_OK;
}

static pl_status read_body(pl_scan *scan, pl_mesh_builder *mesh)
{
    int64_t n_face;
    PL_TRY(read_header(scan, &mesh->n_vert, &n_face));
    PL_TRY(pl_reserve((void **)&mesh->x, &mesh->x_capacity, 3 * mesh->n_vert, sizeof(double)));
    PL_TRY(pl_reserve((void **)&mesh->face, &mesh->face_capacity, 3 * n_face, sizeof(int32_t)));
    PL_TRY(read_vertices(scan, mesh->n_vert, mesh->x));
    return read_faces(scan, n_face, mesh);
}

pl_status pl_read_off(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    pl_scan scan = pl_scan_start(bytes, name);
    pl_mesh_builder mesh = {0};
    pl_status status = read_body(&scan, &mesh);
    if (status == PL_OK) return pl_builder_finish(&mesh, out);
    pl_builder_free(&mesh);
    return status;
}

static void write_body(pl_output *out, const pl_mesh *mesh, const int32_t *face, int32_t n_face,
                       const pl_write_options *options)
{
    (void)options;
    int64_t n = (int64_t)n_face + mesh->n_edge + mesh->n_point;
    pl_output_printf(out, "OFF\n%d %lld 0\n", (int)mesh->n_vert, (long long)n);
    pl_output_vertices(out, mesh, "");
    pl_output_faces(out, face, n_face, "3 ", 0);
    pl_output_edges(out, mesh, "2 ", 0);
    for (int32_t i = 0; i < mesh->n_point; i++) {
        pl_output_printf(out, "1 %d\n", (int)mesh->point[i]);
    }
}

pl_status pl_write_off(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    return pl_write_surface(mesh, path, options, write_body);
}
