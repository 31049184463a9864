// Legacy VTK files: UNSTRUCTURED_GRID, and the polygons and strips of POLYDATA. Cells are stored as
// one list in which each begins with its number of corners (up to version 4), or as offsets and
// connectivity (from 5). Binary values are big endian. What follows the geometry (POINT_DATA,
// CELL_DATA) is not read.
//
// https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html

#include "vtk_mesh.h"

#include <strings.h>

enum { WORD_MAX = 64, GROUPS = 4 };

typedef struct reader {
    pl_scan scan;
    bool binary;
    bool grid; // UNSTRUCTURED_GRID, else POLYDATA
    int64_t version;
    bool has_points;
    pl_array points;
    pl_vtk_cells group[GROUPS]; // CELLS, or VERTICES, LINES, POLYGONS, TRIANGLE_STRIPS
    bool has_group[GROUPS], has_types;
} reader;

// --- Words ---

// The next word on the line, in lower case: VTK does not tell cases apart. Empty if there is none.
static void take_word(reader *r, char word[WORD_MAX])
{
    pl_scan *scan = &r->scan;
    pl_scan_blanks(scan);
    size_t n = 0;
    for (; !pl_scan_at_end(scan) && (unsigned char)*scan->p > ' '; scan->p++) {
        char c = *scan->p;
        if (n + 1 < WORD_MAX) word[n++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    word[n] = '\0';
}

static pl_status take_count(reader *r, const char *what, int64_t *count)
{
    if (!pl_scan_int64(&r->scan, count) || *count < 0) {
        return pl_scan_fail(&r->scan, "expected %s", what);
    }
    return PL_OK;
}

static pl_status take_type(reader *r, pl_number_type *type)
{
    static const struct {
        const char *name;
        pl_number_type type;
    } types[] = {
        {"float", PL_FLOAT32},       {"double", PL_FLOAT64},
        {"int", PL_INT32},           {"vtktypeint64", PL_INT64},
        {"long", PL_INT64},          {"vtkidtype", PL_INT32},
        {"unsigned_char", PL_UINT8}, {"char", PL_INT8},
        {"short", PL_INT16},         {"unsigned_short", PL_UINT16},
        {"unsigned_int", PL_UINT32}, {"unsigned_long", PL_UINT64},
        {"signed_char", PL_INT8},    {"vtktypeuint64", PL_UINT64},
    };
    char word[WORD_MAX];
    take_word(r, word);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(word, types[i].name) == 0) {
            *type = types[i].type;
            return PL_OK;
        }
    }
    return pl_scan_fail(&r->scan, "\"%s\" is no type of numbers, for instance float or int", word);
}

// --- Arrays ---

// The values behind the line at the cursor: in the file's bytes, or as text.
static pl_status take_array(reader *r, pl_number_type type, int64_t count, pl_array *out)
{
    if (!pl_scan_line_ends(&r->scan)) return pl_scan_fail(&r->scan, "expected the end of the line");
    pl_scan_next_line(&r->scan);
    if (r->binary)
        return pl_array_bytes(&r->scan, type, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, count,
                              out);
    return pl_array_text(&r->scan, pl_number_is_integer(type) ? PL_INT64 : PL_FLOAT64, count, out);
}

static pl_status take_points(reader *r)
{
    int64_t n;
    pl_number_type type;
    if (r->has_points) return pl_scan_fail(&r->scan, "a second list of points");
    PL_TRY(take_count(r, "the number of points", &n));
    PL_TRY(take_type(r, &type));
    if (n > INT64_MAX / 3) return pl_scan_fail(&r->scan, "%lld points", (long long)n);
    PL_TRY(take_array(r, r->binary ? type : PL_FLOAT64, 3 * n, &r->points));
    r->has_points = true;
    return PL_OK;
}

// Version 5: "OFFSETS type", (n) offsets from 0 on, "CONNECTIVITY type", (m) corners.
static pl_status take_offset_cells(reader *r, int64_t n, int64_t m, pl_vtk_cells *cells)
{
    if (n == 0) return PL_OK;
    char word[WORD_MAX];
    pl_array *arrays[2] = {&cells->offsets, &cells->connectivity};
    for (int i = 0; i < 2; i++) {
        pl_number_type type;
        pl_scan_space(&r->scan);
        take_word(r, word);
        if (strcmp(word, i == 0 ? "offsets" : "connectivity") != 0) {
            return pl_scan_fail(&r->scan, "expected %s", i == 0 ? "OFFSETS" : "CONNECTIVITY");
        }
        PL_TRY(take_type(r, &type));
        if (!pl_number_is_integer(type)) return pl_scan_fail(&r->scan, "expected integers");
        PL_TRY(take_array(r, type, i == 0 ? n : m, arrays[i]));
    }
    int64_t first;
    pl_array_ints(&cells->offsets, 0, 1, &first);
    if (first != 0) return pl_array_fail(&cells->offsets, &r->scan, 0, "the first offset is not 0");
    pl_array_drop_first(&cells->offsets);
    cells->count = n - 1;
    return PL_OK;
}

static pl_status take_cells(reader *r, int i, int type)
{
    int64_t n, m;
    pl_vtk_cells *cells = &r->group[i];
    if (r->has_group[i]) return pl_scan_fail(&r->scan, "a second list of the same cells");
    PL_TRY(take_count(r, "the number of cells", &n));
    PL_TRY(take_count(r, "the size of the list of cells", &m));
    r->has_group[i] = true;
    cells->type = type;
    if (r->version >= 5) {
        pl_scan_next_line(&r->scan);
        return take_offset_cells(r, n, m, cells);
    }
    if (n > m)
        return pl_scan_fail(&r->scan, "a list of %lld numbers for %lld cells", (long long)m,
                            (long long)n);
    cells->counted = true;
    cells->count = n;
    return take_array(r, PL_INT32, m, &cells->connectivity);
}

static pl_status take_types(reader *r)
{
    int64_t n;
    if (r->has_types) return pl_scan_fail(&r->scan, "a second list of cell types");
    PL_TRY(take_count(r, "the number of cell types", &n));
    r->has_types = true;
    return take_array(r, PL_INT32, n, &r->group[0].types);
}

// --- What is in the way ---

// "FIELD name n", then n times "name components tuples type" and that many values.
static pl_status skip_field(reader *r)
{
    char word[WORD_MAX];
    int64_t n, components, tuples;
    take_word(r, word);
    PL_TRY(take_count(r, "the number of arrays of the field", &n));
    pl_scan_next_line(&r->scan);
    for (int64_t i = 0; i < n; i++) {
        pl_number_type type;
        pl_scan_space(&r->scan);
        take_word(r, word);
        PL_TRY(take_count(r, "the number of components", &components));
        PL_TRY(take_count(r, "the number of tuples", &tuples));
        PL_TRY(take_type(r, &type));
        if (tuples > 0 && components > INT64_MAX / tuples) {
            return pl_scan_fail(&r->scan, "too many values");
        }
        pl_scan_next_line(&r->scan);
        if (r->binary) {
            pl_array ignored;
            PL_TRY(pl_array_bytes(&r->scan, type, false, components * tuples, &ignored));
            continue;
        }
        for (int64_t k = 0; k < components * tuples; k++) { // words: "nan" is fine here
            pl_scan_space(&r->scan);
            if (pl_scan_at_end(&r->scan)) return pl_scan_fail(&r->scan, "the file ends in a field");
            while (!pl_scan_at_end(&r->scan) && (unsigned char)*r->scan.p > ' ') r->scan.p++;
        }
    }
    return PL_OK;
}

// Lines up to an empty one.
static void skip_metadata(reader *r)
{
    do {
        pl_scan_next_line(&r->scan);
    } while (!pl_scan_line_ends(&r->scan));
}

// --- The file ---

static pl_status take_header(reader *r)
{
    pl_scan *scan = &r->scan;
    static const char magic[] = "# vtk DataFile Version ";
    size_t length = sizeof magic - 1;
    if (pl_scan_left(scan) < length || strncasecmp(scan->p, magic, length) != 0) {
        return pl_scan_fail(scan, "expected \"%s...\"", magic);
    }
    scan->p += length;
    PL_TRY(take_count(r, "the version", &r->version));
    pl_scan_next_line(scan);
    pl_scan_next_line(scan); // the title
    char word[WORD_MAX];
    pl_scan_space(scan);
    take_word(r, word);
    r->binary = strcmp(word, "binary") == 0;
    if (!r->binary && strcmp(word, "ascii") != 0) {
        return pl_scan_fail(scan, "expected ASCII or BINARY");
    }
    pl_scan_space(scan);
    take_word(r, word);
    if (strcmp(word, "dataset") != 0) return pl_scan_fail(scan, "expected DATASET");
    take_word(r, word);
    r->grid = strcmp(word, "unstructured_grid") == 0;
    if (!r->grid && strcmp(word, "polydata") != 0) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "%s: a dataset \"%s\": only UNSTRUCTURED_GRID and POLYDATA are read",
                       scan->name, word);
    }
    return PL_OK;
}

// One keyword and what belongs to it; *more is false where the geometry ends.
static pl_status take_section(reader *r, bool *more)
{
    static const struct {
        const char *word;
        int type;
    } parts[GROUPS] = {{"vertices", PL_VTK_POLY_VERTEX},
                       {"lines", PL_VTK_POLY_LINE},
                       {"polygons", PL_VTK_POLYGON},
                       {"triangle_strips", PL_VTK_TRIANGLE_STRIP}};
    char word[WORD_MAX];
    pl_scan_space(&r->scan);
    const char *start = r->scan.p;
    take_word(r, word);
    *more = true;
    if (strcmp(word, "points") == 0) return take_points(r);
    if (strcmp(word, "field") == 0) return skip_field(r);
    if (strcmp(word, "metadata") == 0) {
        skip_metadata(r);
        return PL_OK;
    }
    if (r->grid && strcmp(word, "cells") == 0) return take_cells(r, 0, 0);
    if (r->grid && strcmp(word, "cell_types") == 0) return take_types(r);
    for (int i = 0; !r->grid && i < GROUPS; i++) {
        if (strcmp(word, parts[i].word) == 0) return take_cells(r, i, parts[i].type);
    }
    *more = false;
    r->scan.p = start;
    if (pl_scan_at_end(&r->scan) || strcmp(word, "point_data") == 0 ||
        strcmp(word, "cell_data") == 0) {
        return PL_OK;
    }
    return pl_scan_fail(&r->scan, "expected POINTS, %s or the like",
                        r->grid ? "CELLS, CELL_TYPES" : "POLYGONS");
}

static pl_status read_file(reader *r, pl_mesh_builder *builder, int64_t *skipped)
{
    PL_TRY(take_header(r));
    for (bool more = true; more;) PL_TRY(take_section(r, &more));
    if (!r->has_points) return pl_scan_fail(&r->scan, "the file has no POINTS");
    bool has_cells = false;
    for (int i = 0; i < GROUPS; i++) has_cells |= r->has_group[i];
    if (!has_cells) {
        return pl_scan_fail(&r->scan, "the file has no %s: it may be cut off",
                            r->grid ? "CELLS" : "POLYGONS or other cells");
    }
    pl_vtk_cells *cells = &r->group[0];
    if (r->grid && cells->types.count != cells->count) {
        return pl_scan_fail(&r->scan, "%lld cells, but %lld cell types", (long long)cells->count,
                            (long long)cells->types.count);
    }
    PL_TRY(pl_vtk_add_points(&r->points, &r->scan, builder));
    for (int i = 0; i < GROUPS; i++) {
        if (r->has_group[i]) {
            PL_TRY(pl_vtk_add_cells(&r->group[i], 0, &r->scan, builder, skipped));
        }
    }
    return PL_OK;
}

bool pl_sniff_vtk(const pl_bytes *bytes, const char *name)
{
    (void)name;
    return strncasecmp(bytes->data, "# vtk DataFile", 14) == 0;
}

pl_status pl_read_vtk(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    reader r = {.scan = pl_scan_start(bytes, name)};
    pl_mesh_builder builder = {0};
    int64_t skipped[PL_VTK_TYPES] = {0};
    pl_status status = read_file(&r, &builder, skipped);
    pl_array_free(&r.points);
    for (int i = 0; i < GROUPS; i++) pl_vtk_cells_free(&r.group[i]);
    if (status != PL_OK) {
        pl_builder_free(&builder);
        return status;
    }
    pl_vtk_log_skipped(name, skipped);
    return pl_builder_finish(&builder, out);
}
