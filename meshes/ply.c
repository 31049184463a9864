// PLY, the format of Stanford: a header that describes elements (vertex, face, edge, ...) by their
// properties, then their rows, as text or binary of either byte order.

#include "io.h"

#include <math.h>

// --- Header ---

typedef enum type { NONE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } type;

static const struct {
    const char *name;
    type type;
} type_names[] = {
    {"char", INT8},     {"int8", INT8},       {"uchar", UINT8},    {"uint8", UINT8},
    {"short", INT16},   {"int16", INT16},     {"ushort", UINT16},  {"uint16", UINT16},
    {"int", INT32},     {"int32", INT32},     {"uint", UINT32},    {"uint32", UINT32},
    {"float", FLOAT32}, {"float32", FLOAT32}, {"double", FLOAT64}, {"float64", FLOAT64},
};

static const uint8_t type_size[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

typedef enum role { UNUSED, X, Y, Z, CORNERS, END_A, END_B } role;

typedef struct property {
    type type;
    type count_type; // NONE unless it is a list
    role role;
} property;

typedef enum kind { VERTEX, FACE, EDGE, OTHER } kind;

typedef struct element {
    kind kind;
    int64_t count;
    int64_t first, n_properties; // in header.properties
    int64_t min_size;            // bytes of a binary row with empty lists
    bool has_list;
    unsigned roles; // a bit per role that one of the properties has
    int64_t n_used; // properties up to the last one with a role
} element;

typedef enum encoding { TEXT, LITTLE, BIG } encoding;

typedef struct header {
    encoding encoding;
    element *elements; // (n_elements)
    int64_t n_elements, elements_capacity;
    property *properties; // (n_properties)
    int64_t n_properties, properties_capacity;
} header;

static void header_free(header *h)
{
    pl_free(h->elements);
    pl_free(h->properties);
}

bool pl_sniff_ply(const pl_bytes *bytes, const char *name)
{
    pl_scan scan = pl_scan_start(bytes, name);
    return pl_scan_word(&scan, "ply");
}

// Takes the word `word` after blanks, if it is there.
static bool take(pl_scan *scan, const char *word)
{
    pl_scan_blanks(scan);
    return pl_scan_word(scan, word);
}

static void skip_word(pl_scan *scan)
{
    pl_scan_blanks(scan);
    while (!pl_scan_separated(scan)) scan->p++;
}

static bool take_type(pl_scan *scan, type *out)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (!take(scan, type_names[i].name)) continue;
        *out = type_names[i].type;
        return true;
    }
    return false;
}

static pl_status read_format(pl_scan *scan, header *h)
{
    if (take(scan, "ascii")) {
        h->encoding = TEXT;
    } else if (take(scan, "binary_little_endian")) {
        h->encoding = LITTLE;
    } else if (take(scan, "binary_big_endian")) {
        h->encoding = BIG;
    } else {
        return pl_scan_fail(scan, "expected ascii, binary_little_endian or binary_big_endian");
    }
    return take(scan, "1.0") ? PL_OK : pl_scan_fail(scan, "expected format 1.0");
}

static pl_status read_element(pl_scan *scan, header *h)
{
    PL_TRY(pl_reserve((void **)&h->elements, &h->elements_capacity, h->n_elements + 1,
                      sizeof(element)));
    element *e = &h->elements[h->n_elements++];
    *e = (element){.kind = OTHER, .first = h->n_properties};
    if (take(scan, "vertex")) {
        e->kind = VERTEX;
    } else if (take(scan, "face")) {
        e->kind = FACE;
    } else if (take(scan, "edge")) {
        e->kind = EDGE;
    } else {
        skip_word(scan);
    }
    for (element *other = h->elements; e->kind != OTHER && other < e; other++) {
        if (other->kind == e->kind) return pl_scan_fail(scan, "this element was declared before");
    }
    if (!pl_scan_int64(scan, &e->count) || e->count < 0) {
        return pl_scan_fail(scan, "expected the number of rows");
    }
    return PL_OK;
}

// The part that the property, whose name is at the cursor, plays in its element.
static role take_role(pl_scan *scan, kind kind, bool list)
{
    if (kind == VERTEX && !list) {
        if (take(scan, "x")) return X;
        if (take(scan, "y")) return Y;
        if (take(scan, "z")) return Z;
    }
    if (kind == FACE && list && (take(scan, "vertex_indices") || take(scan, "vertex_index"))) {
        return CORNERS;
    }
    if (kind == EDGE && !list && take(scan, "vertex1")) return END_A;
    if (kind == EDGE && !list && take(scan, "vertex2")) return END_B;
    skip_word(scan);
    return UNUSED;
}

static pl_status read_property(pl_scan *scan, header *h)
{
    if (h->n_elements == 0) return pl_scan_fail(scan, "a property before the first element");
    PL_TRY(pl_reserve((void **)&h->properties, &h->properties_capacity, h->n_properties + 1,
                      sizeof(property)));
    element *e = &h->elements[h->n_elements - 1];
    property *p = &h->properties[h->n_properties++];
    *p = (property){0};
    bool list = take(scan, "list");
    if (list && (!take_type(scan, &p->count_type) || p->count_type >= FLOAT32)) {
        return pl_scan_fail(scan, "expected an integer type for the lengths of the list");
    }
    if (!take_type(scan, &p->type)) {
        return pl_scan_fail(scan,
                            "expected a type: char, uchar, short, ushort, int, uint, float or "
                            "double");
    }
    p->role = take_role(scan, e->kind, list);
    if (p->role >= CORNERS && p->type >= FLOAT32) {
        return pl_scan_fail(scan, "vertex indices must be integers");
    }
    if (p->role != UNUSED && (e->roles & 1u << p->role) != 0) {
        return pl_scan_fail(scan, "this property was declared before");
    }
    e->roles |= 1u << p->role;
    e->n_properties++;
    if (p->role != UNUSED) e->n_used = e->n_properties;
    e->has_list |= list;
    e->min_size += type_size[list ? p->count_type : p->type];
    return PL_OK;
}

static pl_status check_header(const pl_scan *scan, const header *h)
{
    bool has_vertices = false;
    for (int64_t i = 0; i < h->n_elements; i++) {
        const element *e = &h->elements[i];
        unsigned xyz = 1u << X | 1u << Y | 1u << Z;
        if (e->kind == VERTEX && (e->roles & xyz) != xyz) {
            return pl_scan_fail(scan, "the element vertex lacks x, y or z");
        }
        if (e->kind != OTHER && e->count > PL_MESH_MAX) {
            return pl_scan_fail(scan, "%lld rows are more than %d", (long long)e->count,
                                PL_MESH_MAX);
        }
        has_vertices |= e->kind == VERTEX;
    }
    return has_vertices ? PL_OK : pl_scan_fail(scan, "the header declares no element vertex");
}

static pl_status read_header(pl_scan *scan, header *h)
{
    if (!pl_scan_word(scan, "ply")) return pl_scan_fail(scan, "expected ply in the first line");
    bool has_format = false;
    for (;;) {
        if (!pl_scan_line_ends(scan)) return pl_scan_fail(scan, "unexpected text");
        if (pl_scan_at_end(scan)) return pl_scan_fail(scan, "the file ends within the header");
        pl_scan_next_line(scan);
        if (take(scan, "end_header")) break;
        if (take(scan, "comment") || take(scan, "obj_info")) {
            const char *newline = memchr(scan->p, '\n', pl_scan_left(scan));
            scan->p = newline != NULL ? newline : scan->end;
        } else if (take(scan, "format")) {
            PL_TRY(read_format(scan, h));
            has_format = true;
        } else if (take(scan, "element")) {
            PL_TRY(read_element(scan, h));
        } else if (take(scan, "property")) {
            PL_TRY(read_property(scan, h));
        } else if (!pl_scan_line_ends(scan)) {
            return pl_scan_fail(scan, "expected format, element, property, comment or end_header");
        }
    }
    if (!has_format) return pl_scan_fail(scan, "the header declares no format");
    PL_TRY(check_header(scan, h));
    pl_scan_next_line(scan);
    return PL_OK;
}

// --- Edges ---

// An edge without both ends says nothing.
static bool has_ends(const element *e)
{
    const unsigned both = 1u << END_A | 1u << END_B;
    return e->kind == EDGE && (e->roles & both) == both;
}

static bool take_end(pl_mesh_builder *mesh, int64_t row, role role, double value)
{
    if (!(value >= 0 && value < (double)mesh->n_vert)) return false;
    mesh->edge[2 * row + (role - END_A)] = (int32_t)value;
    return true;
}

// Those from a vertex to itself are none.
static void drop_short_edges(pl_mesh_builder *mesh)
{
    int64_t n = 0;
    for (int64_t i = 0; i < mesh->n_edge; i++) {
        const int32_t *e = mesh->edge + 2 * i;
        if (e[0] != e[1]) memmove(mesh->edge + 2 * n++, e, 2 * sizeof *e);
    }
    mesh->n_edge = n;
}

// --- Text: a line per row ---

static pl_status read_text_row(pl_scan *scan, const property *p, const element *e, int64_t row,
                               pl_mesh_builder *mesh, int64_t *n_thin)
{
    for (const property *end = p + e->n_used; p < end; p++) {
        if (p->role == CORNERS) {
            PL_TRY(pl_scan_polygon(scan, mesh, e->count - row - 1, false, n_thin));
        } else if (p->role > CORNERS && has_ends(e)) {
            int64_t v;
            bool read = pl_scan_int64(scan, &v) && pl_scan_separated(scan);
            if (!read || !take_end(mesh, row, p->role, (double)v)) {
                return pl_scan_fail(scan, "edge %lld: expected a vertex, from 0 to %lld",
                                    (long long)row, (long long)mesh->n_vert - 1);
            }
        } else if (p->role >= X && p->role <= Z) {
            double *x = mesh->x + 3 * row + (p->role - X);
            if (!pl_scan_double(scan, x) || !pl_scan_separated(scan)) {
                return pl_scan_fail(scan, "vertex %lld: expected a finite number for %c",
                                    (long long)row, "xyz"[p->role - X]);
            }
        } else if (p->count_type == NONE) {
            skip_word(scan);
        } else {
            int64_t length;
            if (!pl_scan_int64(scan, &length)) return pl_scan_fail(scan, "expected a length");
            for (; length > 0 && !pl_scan_line_ends(scan); length--) skip_word(scan);
        }
    }
    return PL_OK;
}

static pl_status read_text(pl_scan *scan, const header *h, const element *e, pl_mesh_builder *mesh,
                           int64_t *n_thin)
{
    for (int64_t row = 0; row < e->count; row++) {
        pl_scan_space(scan);
        if (pl_scan_at_end(scan)) {
            return pl_scan_fail(scan, "the file ends in row %lld of %lld of an element",
                                (long long)row + 1, (long long)e->count);
        }
        PL_TRY(read_text_row(scan, h->properties + e->first, e, row, mesh, n_thin));
        pl_scan_next_line(scan);
    }
    return PL_OK;
}

// --- Binary ---

static inline uint32_t load32(const char *p, bool swap)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

// The value of type `type` at p.
static inline double load(const char *p, type type, bool swap)
{
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f;
    double d;
    switch (type) {
    case INT8:
        return (int8_t)*p;
    case UINT8:
        return (uint8_t)*p;
    case INT16:
    case UINT16:
        memcpy(&u16, p, sizeof u16);
        if (swap) u16 = __builtin_bswap16(u16);
        return type == INT16 ? (double)(int16_t)u16 : (double)u16;
    case INT32:
        return (int32_t)load32(p, swap);
    case UINT32:
        return load32(p, swap);
    case FLOAT32:
        u32 = load32(p, swap);
        memcpy(&f, &u32, sizeof f);
        return f;
    case FLOAT64:
        memcpy(&u64, p, sizeof u64);
        if (swap) u64 = __builtin_bswap64(u64);
        memcpy(&d, &u64, sizeof d);
        return d;
    case NONE:
        break;
    }
    return 0;
}

// Vertices without lists, all three coordinates of type `type`: with that a constant, the loop has
// no decision left but the one about finite numbers. Returns the first row that is not finite, n if
// all are. row (n*stride), x (3*n)
static inline __attribute__((always_inline)) int64_t convert(const char *row, int64_t n,
                                                             int64_t stride,
                                                             const int64_t offset[3], type type,
                                                             bool swap, double *restrict x)
{
    for (int64_t i = 0; i < n; i++, row += stride, x += 3) {
        for (int k = 0; k < 3; k++) x[k] = load(row + offset[k], type, swap);
        if (!(isfinite(x[0]) & isfinite(x[1]) & isfinite(x[2]))) return i; // one branch, not three
    }
    return n;
}

static pl_status read_vertices(pl_scan *scan, const property *p, const element *e, bool swap,
                               double *x)
{
    int64_t offset[3] = {0}, at = 0;
    type type[3] = {NONE, NONE, NONE};
    for (int64_t i = 0; i < e->n_properties; at += type_size[p[i].type], i++) {
        if (p[i].role == UNUSED) continue;
        offset[p[i].role - X] = at;
        type[p[i].role - X] = p[i].type;
    }
    bool same = type[0] == type[1] && type[1] == type[2];
    int64_t n = e->count, good = 0;
    if (same && type[0] == FLOAT32 && !swap) {
        good = convert(scan->p, n, e->min_size, offset, FLOAT32, false, x);
    } else if (same && type[0] == FLOAT32) {
        good = convert(scan->p, n, e->min_size, offset, FLOAT32, true, x);
    } else if (same && type[0] == FLOAT64 && !swap) {
        good = convert(scan->p, n, e->min_size, offset, FLOAT64, false, x);
    } else if (same && type[0] == FLOAT64) {
        good = convert(scan->p, n, e->min_size, offset, FLOAT64, true, x);
    } else {
        for (bool finite = true; good < n && finite; good += finite) {
            const char *row = scan->p + good * e->min_size;
            for (int k = 0; k < 3; k++) {
                x[3 * good + k] = load(row + offset[k], type[k], swap);
                finite &= isfinite(x[3 * good + k]) != 0;
            }
        }
    }
    scan->p += good * e->min_size;
    return good == n ? PL_OK : pl_scan_fail_byte(scan, "vertex %lld: not finite", (long long)good);
}

// The fan around the first of the corners at the cursor, of type `type`.
static pl_status read_polygon(pl_scan *scan, int64_t corners, type type, bool swap, int64_t to_come,
                              pl_mesh_builder *mesh)
{
    PL_TRY(pl_reserve((void **)&mesh->face, &mesh->face_capacity,
                      3 * (mesh->n_face + PL_MAX(corners - 2, 0) + to_come), sizeof(int32_t)));
    int32_t first = 0, before = 0, v = 0;
    for (int64_t k = 0; k < corners; k++, before = v, scan->p += type_size[type]) {
        double index = load(scan->p, type, swap);
        if (!(index >= 0 && index < (double)mesh->n_vert)) {
            return pl_scan_fail_byte(scan, "vertex %.0f of %lld", index, (long long)mesh->n_vert);
        }
        v = (int32_t)index;
        if (k == 0) first = v;
        if (k < 2) continue;
        int32_t *f = mesh->face + 3 * mesh->n_face++;
        f[0] = first;
        f[1] = before;
        f[2] = v;
    }
    return PL_OK;
}

// One row of any layout.
static pl_status read_row(pl_scan *scan, const property *p, const element *e, bool swap,
                          int64_t row, pl_mesh_builder *mesh, int64_t *n_thin)
{
    for (const property *end = p + e->n_properties; p < end; p++) {
        type first = p->count_type != NONE ? p->count_type : p->type;
        if (pl_scan_left(scan) < type_size[first]) {
            return pl_scan_fail_byte(scan, "the file ends in row %lld of %lld of an element",
                                     (long long)row + 1, (long long)e->count);
        }
        double value = load(scan->p, first, swap);
        scan->p += type_size[first];
        if (p->count_type != NONE) {
            if (value < 0 || value * type_size[p->type] > (double)pl_scan_left(scan)) {
                return pl_scan_fail_byte(scan, "a list of %.0f values, but %zu bytes follow", value,
                                         pl_scan_left(scan));
            }
            if (p->role == CORNERS) {
                *n_thin += value < 3;
                PL_TRY(read_polygon(scan, (int64_t)value, p->type, swap, e->count - row - 1, mesh));
            } else {
                scan->p += (int64_t)value * type_size[p->type];
            }
        } else if (p->role > CORNERS && has_ends(e)) {
            if (!take_end(mesh, row, p->role, value)) {
                return pl_scan_fail_byte(scan, "edge %lld: vertex %.0f of %lld", (long long)row,
                                         value, (long long)mesh->n_vert);
            }
        } else if (p->role >= X && p->role <= Z) {
            if (!isfinite(value)) {
                return pl_scan_fail_byte(scan, "vertex %lld: not finite", (long long)row);
            }
            mesh->x[3 * row + (p->role - X)] = value;
        }
    }
    return PL_OK;
}

// Reads rows as long as they are usual triangles (a length of one byte, three indices of four) in
// range; returns how many. The others are left to read_row.
static int64_t read_triangles(pl_scan *scan, int64_t n, bool swap, pl_mesh_builder *mesh)
{
    enum { SIZE = 1 + 3 * 4 };
    n = PL_MIN(n, (int64_t)(pl_scan_left(scan) / SIZE));
    const char *p = scan->p;
    int32_t *f = mesh->face + 3 * mesh->n_face;
    uint32_t n_vert = (uint32_t)mesh->n_vert;
    int64_t i = 0;
    for (; i < n; i++, p += SIZE, f += 3) {
        uint32_t a = load32(p + 1, swap), b = load32(p + 5, swap), c = load32(p + 9, swap);
        if ((*p != 3) | (a >= n_vert) | (b >= n_vert) | (c >= n_vert)) break;
        f[0] = (int32_t)a;
        f[1] = (int32_t)b;
        f[2] = (int32_t)c;
    }
    scan->p = p;
    mesh->n_face += i;
    return i;
}

static pl_status read_binary(pl_scan *scan, const header *h, const element *e,
                             pl_mesh_builder *mesh, int64_t *n_thin)
{
    bool swap = (h->encoding == LITTLE) != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    const property *p = h->properties + e->first;
    if (!e->has_list && e->kind == VERTEX) return read_vertices(scan, p, e, swap, mesh->x);
    if (!e->has_list && !has_ends(e)) {
        scan->p += e->count * e->min_size;
        return PL_OK;
    }
    bool usual = e->n_properties == 1 && p->role == CORNERS && type_size[p->count_type] == 1 &&
                 type_size[p->type] == 4;
    for (int64_t row = 0; row < e->count; row++) {
        if (usual) row += read_triangles(scan, e->count - row, swap, mesh);
        if (row < e->count) PL_TRY(read_row(scan, p, e, swap, row, mesh, n_thin));
    }
    return PL_OK;
}

// --- Both ---

static pl_status read_rows(pl_scan *scan, const header *h, const element *e, pl_mesh_builder *mesh,
                           int64_t *n_thin)
{
    if (e->n_properties == 0 || e->count == 0) return PL_OK;
    bool text = h->encoding == TEXT;
    int64_t left = (int64_t)pl_scan_left(scan) + text; // the last newline may be missing
    int64_t least = text ? 2 * e->n_properties : e->min_size;
    if (e->count > left / least) {
        const char *message = "%lld rows of at least %lld bytes cannot be in the %lld that follow";
        long long count = e->count, row = least, bytes = (long long)pl_scan_left(scan);
        return text ? pl_scan_fail(scan, message, count, row, bytes)
                    : pl_scan_fail_byte(scan, message, count, row, bytes);
    }
    if (e->kind == VERTEX) {
        PL_TRY(pl_reserve((void **)&mesh->x, &mesh->x_capacity, 3 * e->count, sizeof(double)));
    }
    if (e->kind == FACE && e->roles >> CORNERS != 0) {
        PL_TRY(
            pl_reserve((void **)&mesh->face, &mesh->face_capacity, 3 * e->count, sizeof(int32_t)));
    }
    if (has_ends(e)) {
        PL_TRY(
            pl_reserve((void **)&mesh->edge, &mesh->edge_capacity, 2 * e->count, sizeof(int32_t)));
        mesh->n_edge = e->count;
    }
    if (e->n_used == 0) {
        pl_log(PL_LOG_WARNING,
               "%s: an element of %lld rows skipped: neither vertices, faces nor edges", scan->name,
               (long long)e->count);
    }
    return text ? read_text(scan, h, e, mesh, n_thin) : read_binary(scan, h, e, mesh, n_thin);
}

static pl_status read_body(pl_scan *scan, const header *h, pl_mesh_builder *mesh)
{
    int64_t n_thin = 0;
    for (int64_t i = 0; i < h->n_elements; i++) { // faces may stand before vertices
        if (h->elements[i].kind == VERTEX) mesh->n_vert = h->elements[i].count;
    }
    for (int64_t i = 0; i < h->n_elements; i++) {
        PL_TRY(read_rows(scan, h, &h->elements[i], mesh, &n_thin));
    }
    drop_short_edges(mesh);
    pl_warn_thin_faces(scan->name, n_thin);
    return PL_OK;
}

pl_status pl_read_ply(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    pl_scan scan = pl_scan_start(bytes, name);
    header h = {0};
    pl_mesh_builder mesh = {0};
    pl_status status = read_header(&scan, &h);
    if (status == PL_OK) status = read_body(&scan, &h, &mesh);
    if (status == PL_OK) status = pl_builder_finish(&mesh, out);
    pl_builder_free(&mesh);
    header_free(&h);
    return status;
}

// --- Out ---

enum { TRIANGLE = 13, BATCH = 1024 }; // bytes of a face; faces that are written at once

static void write_binary(pl_output *out, const pl_mesh *mesh, const int32_t *face, int32_t n_face)
{
    pl_output_write(out, mesh->x, 3 * (size_t)mesh->n_vert * sizeof(double));
    char batch[BATCH * TRIANGLE];
    for (int32_t i = 0; i < n_face; i += BATCH) {
        int32_t n = PL_MIN(n_face - i, BATCH);
        for (int32_t k = 0; k < n; k++) {
            batch[k * TRIANGLE] = 3;
            memcpy(batch + k * TRIANGLE + 1, face + 3 * (int64_t)(i + k), 3 * sizeof(int32_t));
        }
        pl_output_write(out, batch, (size_t)n * TRIANGLE);
    }
}

static void write_body(pl_output *out, const pl_mesh *mesh, const int32_t *face, int32_t n_face,
                       const pl_write_options *options)
{
    const char *native =
        __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "binary_little_endian" : "binary_big_endian";
    pl_output_printf(out, "ply\nformat %s 1.0\n", options->ascii ? "ascii" : native);
    pl_output_printf(out, "element vertex %d\n", (int)mesh->n_vert);
    pl_output_printf(out, "property double x\nproperty double y\nproperty double z\n");
    pl_output_printf(out, "element face %d\n", (int)n_face);
    pl_output_printf(out, "property list uchar int vertex_indices\n");
    if (mesh->n_edge > 0) {
        pl_output_printf(out, "element edge %d\nproperty int vertex1\nproperty int vertex2\n",
                         (int)mesh->n_edge);
    }
    pl_output_printf(out, "end_header\n");
    if (options->ascii) {
        pl_output_vertices(out, mesh, "");
        pl_output_faces(out, face, n_face, "3 ", 0);
        pl_output_edges(out, mesh, "", 0);
    } else {
        write_binary(out, mesh, face, n_face);
        if (mesh->n_edge > 0) {
            pl_output_write(out, mesh->edge, 2 * (size_t)mesh->n_edge * sizeof *mesh->edge);
        }
    }
}

pl_status pl_write_ply(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    return pl_write_surface(mesh, path, options, write_body);
}
