// OBJ, the format of Wavefront: statements, one per line. Positions (v), faces (f), lines (l) and
// points (p) are read, all others (normals, texture, groups, materials, curves) are skipped.
//
// And .seg, the segments of IPC [Li et al. 2020]: positions as in OBJ and one "s a b" for each
// segment, vertices counted from 1. In OBJ, s begins a smoothing group; so the extension decides.

#include "io.h"

// Moves over blanks and over line ends that a backslash hides.
static inline void skip_blanks(pl_scan *scan)
{
    for (;;) {
        pl_scan_blanks(scan);
        if (*scan->p != '\\') return;
        size_t n = scan->p[1] == '\r' ? 2 : 1;
        if (scan->p[n] != '\n') return;
        scan->p += n + 1;
    }
}

static inline bool ends_value(const pl_scan *scan)
{
    return pl_scan_separated(scan) || *scan->p == '\\';
}

// Moves behind the statement, which may go on over hidden line ends. A comment cannot: it may well
// end in a backslash that is part of a path.
static void skip_statement(pl_scan *scan, bool comment)
{
    const char *begin, *last;
    if (*scan->p == '\n') {
        scan->p++;
        return;
    }
    do {
        begin = scan->p;
        pl_scan_next_line(scan);
        last = scan->p - 1;
        if (last > begin && *last == '\n') last--;
        if (last > begin && *last == '\r') last--;
    } while (!comment && last >= begin && *last == '\\' && !pl_scan_at_end(scan));
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

// Looks for the first position; only statements of OBJ may stand before it.
bool pl_sniff_obj(const pl_bytes *bytes, const char *name)
{
    static const char *const known[] = {"vn", "vt", "vp", "o", "g", "s", "mtllib", "usemtl"};
    pl_scan scan = pl_scan_start(bytes, name);
    for (;;) {
        pl_scan_comments(&scan);
        if (pl_scan_word(&scan, "v")) break;
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known && !found; i++) {
            found = pl_scan_word(&scan, known[i]);
        }
        if (!found) return false;
        skip_statement(&scan, false);
    }
    double x;
    skip_blanks(&scan);
    return pl_scan_double(&scan, &x);
}

// An index may run ahead of the vertices, so the largest one is remembered with its place and
// judged at the end.
typedef struct reader {
    pl_scan scan;
    pl_mesh_builder mesh;
    int64_t n_thin;
    int64_t largest; // vertex, from 0
    const char *largest_place;
    const char *first_vertex, *first_face; // where they stand
    bool segments;                         // it is a .seg: s is a segment
    int64_t n_short;                       // segments of no length
} reader;

static inline bool read_coordinate(pl_scan *scan, double *x)
{
    skip_blanks(scan);
    return pl_scan_double(scan, x);
}

// Behind a position: a weight or a colour, which are numbers. Anything else is more than a line, as
// in a file whose lines end in carriage returns, and would be lost without a word.
static bool skip_numbers(pl_scan *scan)
{
    double ignored;
    for (skip_blanks(scan); *scan->p != '\n' && *scan->p != '#'; skip_blanks(scan)) {
        if (pl_scan_at_end(scan)) break;
        if (!pl_scan_double(scan, &ignored) || !ends_value(scan)) return false;
    }
    return true;
}

// v x y z, with a weight or a colour behind that is skipped.
static pl_status read_vertex(reader *r)
{
    pl_mesh_builder *mesh = &r->mesh;
    int64_t n = mesh->n_vert;
    if (3 * n + 3 > mesh->x_capacity) {
        if (n == 0) r->first_vertex = r->scan.p;
        PL_TRY(pl_reserve_guess((void **)&mesh->x, &mesh->x_capacity, 3 * n, sizeof(double),
                                &r->scan, r->first_vertex));
    }
    double *x = mesh->x + 3 * n;
    if (!read_coordinate(&r->scan, x) || !read_coordinate(&r->scan, x + 1) ||
        !read_coordinate(&r->scan, x + 2) || !ends_value(&r->scan)) {
        return pl_scan_fail(&r->scan, "vertex %lld: expected three finite numbers",
                            (long long)n + 1);
    }
    mesh->n_vert++;
    if (*r->scan.p == '\n' || skip_numbers(&r->scan)) return PL_OK;
    return pl_scan_fail(&r->scan, "vertex %lld: expected nothing but numbers behind the position",
                        (long long)n + 1);
}

// A corner "v", "v/vt", "v//vn" or "v/vt/vn". 1 is the first vertex, -1 the latest one.
static inline bool read_corner(reader *r, int32_t *v)
{
    int64_t index;
    const char *place = r->scan.p;
    if (!pl_scan_int64(&r->scan, &index) || index == 0) return false;
    index = index > 0 ? index - 1 : r->mesh.n_vert + index;
    if (index < 0 || index > INT32_MAX) {
        r->scan.p = place;
        return false;
    }
    if (index > r->largest) {
        r->largest = index;
        r->largest_place = place;
    }
    if (*r->scan.p == '/') {
        const char *p = r->scan.p;
        while (*p == '/' || *p == '-' || (*p >= '0' && *p <= '9')) p++;
        r->scan.p = p;
    }
    *v = (int32_t)index;
    return ends_value(&r->scan);
}

// f a b c ...: the fan around the first corner.
static pl_status read_face(reader *r)
{
    pl_mesh_builder *mesh = &r->mesh;
    int32_t first = 0, before = 0, v = 0;
    int64_t corners = 0;
    for (;; corners++, before = v) {
        skip_blanks(&r->scan);
        if (*r->scan.p == '\n' || *r->scan.p == '#' || pl_scan_at_end(&r->scan)) break;
        if (!read_corner(r, &v)) {
            return pl_scan_fail(&r->scan, "expected a vertex: from 1, or from -%lld to -1",
                                (long long)mesh->n_vert);
        }
        if (corners == 0) first = v;
        if (corners < 2) continue;
        int64_t n = 3 * mesh->n_face++;
        if (n + 3 > mesh->face_capacity) {
            if (n == 0) r->first_face = r->scan.p;
            PL_TRY(pl_reserve_guess((void **)&mesh->face, &mesh->face_capacity, n, sizeof(int32_t),
                                    &r->scan, r->first_face));
        }
        mesh->face[n] = first;
        mesh->face[n + 1] = before;
        mesh->face[n + 2] = v;
    }
    r->n_thin += corners < 3;
    return PL_OK;
}

// The next corner of a statement, if there is one.
static pl_status next_corner(reader *r, int32_t *v, bool *any)
{
    skip_blanks(&r->scan);
    *any = *r->scan.p != '\n' && *r->scan.p != '#' && !pl_scan_at_end(&r->scan);
    if (!*any || read_corner(r, v)) return PL_OK;
    return pl_scan_fail(&r->scan, "expected a vertex: from 1, or from -%lld to -1",
                        (long long)r->mesh.n_vert);
}

// l a b c ...: an edge from each to the next; s a b: one.
static pl_status read_line(reader *r, bool one)
{
    int32_t before = 0, v = 0, n = 0;
    bool any;
    for (;; n++, before = v) {
        PL_TRY(next_corner(r, &v, &any));
        if (!any) break;
        if (n == 0) continue;
        r->n_short += before == v;
        if (before != v) PL_TRY(pl_builder_edge(&r->mesh, before, v));
    }
    if (n == 2 || (n > 2 && !one)) return PL_OK;
    return pl_scan_fail(&r->scan,
                        one ? "a segment has two vertices, and not %d"
                            : "a line has two vertices or more, and not %d",
                        (int)n);
}

// p a b ...
static pl_status read_points(reader *r)
{
    int32_t v = 0;
    bool any;
    for (;;) {
        PL_TRY(next_corner(r, &v, &any));
        if (!any) return PL_OK;
        PL_TRY(pl_builder_point(&r->mesh, v));
    }
}

static void warn_short(const reader *r)
{
    if (r->n_short == 0) return;
    pl_log(PL_LOG_WARNING, "%s: %lld edges from a vertex to itself skipped", r->scan.name,
           (long long)r->n_short);
}

static pl_status read_body(reader *r)
{
    pl_scan *scan = &r->scan;
    for (pl_scan_space(scan); !pl_scan_at_end(scan); pl_scan_space(scan)) {
        char letter = scan->p[0];
        bool single = is_blank(scan->p[1]);
        if (letter == 'v' && single) {
            scan->p++;
            PL_TRY(read_vertex(r));
        } else if (letter == 'f' && single) {
            scan->p++;
            PL_TRY(read_face(r));
        } else if (single && (letter == 'l' || (letter == 's' && r->segments))) {
            scan->p++;
            PL_TRY(read_line(r, letter == 's'));
        } else if (letter == 'p' && single) {
            scan->p++;
            PL_TRY(read_points(r));
        } else if (letter != '#' && (unsigned)((letter | 0x20) - 'a') > 'z' - 'a') {
            return pl_scan_fail(scan, "not a statement of OBJ");
        }
        skip_statement(scan, letter == '#');
    }
    if (r->mesh.n_vert == 0) return pl_scan_fail(scan, "the file holds no vertices");
    if (r->largest >= r->mesh.n_vert) {
        scan->p = r->largest_place;
        return pl_scan_fail(scan, "%s refers to vertex %lld of %lld",
                            r->segments ? "a segment" : "a face, line or point",
                            (long long)r->largest + 1, (long long)r->mesh.n_vert);
    }
    pl_warn_thin_faces(scan->name, r->n_thin);
    warn_short(r);
    return PL_OK;
}

static pl_status read(const pl_bytes *bytes, const char *name, bool segments, pl_mesh **out)
{
    *out = NULL;
    reader r = {.scan = pl_scan_start(bytes, name), .largest = -1, .segments = segments};
    pl_status status = read_body(&r);
    if (status == PL_OK) return pl_builder_finish(&r.mesh, out);
    pl_builder_free(&r.mesh);
    return status;
}

pl_status pl_read_obj(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    return read(bytes, name, false, out);
}

pl_status pl_read_seg(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    return read(bytes, name, true, out);
}

bool pl_sniff_seg(const pl_bytes *bytes, const char *name)
{
    return pl_has_extension(name, ".seg") && pl_sniff_obj(bytes, name);
}

static void write_points(pl_output *out, const pl_mesh *mesh)
{
    for (int64_t i = 0; i < mesh->n_point; i++) {
        pl_output_write(out, "p ", 2);
        pl_output_int(out, mesh->point[i] + 1);
        pl_output_write(out, "\n", 1);
    }
}

static void write_body(pl_output *out, const pl_mesh *mesh, const int32_t *face, int32_t n_face,
                       const pl_write_options *options)
{
    (void)options;
    pl_output_vertices(out, mesh, "v ");
    pl_output_faces(out, face, n_face, "f ", 1);
    pl_output_edges(out, mesh, "l ", 1);
    write_points(out, mesh);
}

pl_status pl_write_obj(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    return pl_write_surface(mesh, path, options, write_body);
}

static void write_segments(pl_output *out, const pl_mesh *mesh, const int32_t *face, int32_t n_face,
                           const pl_write_options *options)
{
    (void)face;
    (void)n_face;
    (void)options;
    pl_output_vertices(out, mesh, "v ");
    pl_output_edges(out, mesh, "s ", 1);
}

pl_status pl_write_seg(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    bool lost = mesh->n_face > 0 || mesh->n_tet > 0 || mesh->n_point > 0;
    if (!lost) return pl_write_surface(mesh, path, options, write_segments);
    return pl_fail(PL_ERROR_UNSUPPORTED, "%s: a .seg holds edges only; use .obj", path);
}
