// VTU: an XML file of the type UnstructuredGrid. The structure is read first, then the arrays it
// describes, piece by piece; pieces are appended to each other.
//
// https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html

#include "vtu.h"
#include "vtk_mesh.h"
#include "xml.h"

enum { VALUE_MAX = 64 };

typedef struct piece {
    const char *tag;
    int64_t n_points, n_cells;
    pl_vtu_array points, connectivity, offsets, types;
} piece;

typedef struct reader {
    pl_xml xml;
    pl_vtu_source source;
    piece *pieces;
    int64_t n_pieces, capacity;
    pl_vtu_array *open; // the array that the cursor is in, if it is one of ours
} reader;

// --- Structure ---

static pl_status take_file(reader *r)
{
    char value[VALUE_MAX];
    pl_xml *xml = &r->xml;
    if (!pl_xml_is(xml, 0, "VTKFile")) return pl_xml_fail(xml, "expected <VTKFile>");
    pl_xml_attribute(xml, "type", value, sizeof value);
    if (strcmp(value, "UnstructuredGrid") != 0) {
        return pl_fail(PL_ERROR_UNSUPPORTED,
                       "%s: a VTKFile of type \"%s\": only UnstructuredGrid "
                       "is read",
                       xml->scan.name, value);
    }
    bool big = false;
    if (pl_xml_attribute(xml, "byte_order", value, sizeof value)) {
        big = strcmp(value, "BigEndian") == 0;
        if (!big && strcmp(value, "LittleEndian") != 0) {
            return pl_xml_fail(xml, "byte_order=\"%s\" is neither LittleEndian nor BigEndian",
                               value);
        }
    }
    r->source.swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    r->source.header_size = 4;
    if (pl_xml_attribute(xml, "header_type", value, sizeof value)) {
        if (strcmp(value, "UInt64") == 0) {
            r->source.header_size = 8;
        } else if (strcmp(value, "UInt32") != 0) {
            return pl_xml_fail(xml, "header_type=\"%s\" is neither UInt32 nor UInt64", value);
        }
    }
    if (pl_xml_attribute(xml, "compressor", value, sizeof value) && value[0] != '\0') {
        r->source.zlib = true;
        if (strcmp(value, "vtkZLibDataCompressor") != 0) {
            return pl_fail(PL_ERROR_UNSUPPORTED,
                           "%s: compressed with %s: only "
                           "vtkZLibDataCompressor is read",
                           xml->scan.name, value);
        }
    }
    return PL_OK;
}

static pl_status take_piece(reader *r)
{
    PL_TRY(pl_reserve((void **)&r->pieces, &r->capacity, r->n_pieces + 1, sizeof(piece)));
    piece *p = &r->pieces[r->n_pieces++];
    *p = (piece){.tag = r->xml.tag};
    PL_TRY(pl_xml_count(&r->xml, "NumberOfPoints", &p->n_points));
    if (p->n_points > PL_MESH_MAX) {
        return pl_xml_fail(&r->xml, "more than %d points", PL_MESH_MAX);
    }
    return pl_xml_count(&r->xml, "NumberOfCells", &p->n_cells);
}

// The place for the array that begins here, NULL if it is none that we read.
static pl_vtu_array *find_array(reader *r)
{
    pl_xml *xml = &r->xml;
    if (r->n_pieces == 0 || !pl_xml_is(xml, 2, "Piece")) return NULL;
    piece *p = &r->pieces[r->n_pieces - 1];
    if (pl_xml_is(xml, 1, "Points")) return &p->points;
    char name[VALUE_MAX];
    pl_xml_attribute(xml, "Name", name, sizeof name);
    if (!pl_xml_is(xml, 1, "Cells")) return NULL;
    if (strcmp(name, "connectivity") == 0) return &p->connectivity;
    if (strcmp(name, "offsets") == 0) return &p->offsets;
    return strcmp(name, "types") == 0 ? &p->types : NULL;
}

static pl_status take_type(const pl_xml *xml, pl_number_type *type)
{
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    char value[VALUE_MAX];
    pl_xml_attribute(xml, "type", value, sizeof value);
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
        if (strcmp(value, names[i]) == 0) {
            *type = (pl_number_type)i;
            return PL_OK;
        }
    }
    return pl_xml_fail(xml, "type=\"%s\" is no type of numbers", value);
}

static pl_status take_array(reader *r)
{
    pl_xml *xml = &r->xml;
    pl_vtu_array *array = find_array(r);
    if (array == NULL) return PL_OK;
    if (array->tag != NULL) return pl_xml_fail(xml, "a second array of the same meaning");
    *array = (pl_vtu_array){.tag = xml->tag, .components = 1};
    PL_TRY(take_type(xml, &array->type));
    char value[VALUE_MAX];
    if (pl_xml_attribute(xml, "NumberOfComponents", value, sizeof value)) {
        PL_TRY(pl_xml_count(xml, "NumberOfComponents", &array->components));
    }
    pl_xml_attribute(xml, "format", value, sizeof value);
    if (strcmp(value, "appended") == 0) {
        array->format = PL_VTU_APPENDED;
        return pl_xml_count(xml, "offset", &array->offset);
    }
    array->format = strcmp(value, "binary") == 0 ? PL_VTU_BINARY : PL_VTU_ASCII;
    if (array->format == PL_VTU_ASCII && strcmp(value, "ascii") != 0) {
        return pl_xml_fail(xml, "format=\"%s\" is none of ascii, binary and appended", value);
    }
    r->open = xml->self_closing ? NULL : array;
    return PL_OK;
}

// The values of an inline array are its first text; elements of their own may come before it.
static void note_text(reader *r)
{
    pl_scan text = r->xml.scan;
    pl_scan_space(&text);
    if (r->open == NULL || *text.p == '<') return;
    r->open->text = text.p;
    r->open = NULL;
}

static pl_status take_appended(reader *r)
{
    char value[VALUE_MAX];
    pl_xml *xml = &r->xml;
    pl_xml_attribute(xml, "encoding", value, sizeof value);
    r->source.appended_base64 = strcmp(value, "base64") == 0;
    if (!r->source.appended_base64 && strcmp(value, "raw") != 0) {
        return pl_xml_fail(xml, "encoding=\"%s\" is neither raw nor base64", value);
    }
    pl_scan *scan = &xml->scan;
    pl_scan_space(scan);
    if (*scan->p != '_') return pl_scan_fail(scan, "expected _ in front of the appended data");
    r->source.appended = scan->p + 1;
    // Raw bytes cannot be searched for the closing tags, but they end the file.
    static const char last[] = "</VTKFile>";
    size_t length = sizeof last - 1;
    const char *end = scan->end;
    while (end > scan->p && (unsigned char)end[-1] <= ' ') end--;
    if ((size_t)(end - scan->p) < length || memcmp(end - length, last, length) != 0) {
        scan->p = end;
        return pl_scan_fail_byte(scan, "the file does not end with %s: it is truncated", last);
    }
    return PL_OK;
}

static pl_status read_structure(reader *r)
{
    pl_xml *xml = &r->xml;
    for (;;) {
        PL_TRY(pl_xml_next(xml));
        if (xml->event == PL_XML_END) break;
        if (xml->event == PL_XML_CLOSE) {
            if (pl_xml_is(xml, 0, "DataArray")) r->open = NULL;
            if (pl_xml_is(xml, 1, "DataArray")) note_text(r);
        } else if (xml->depth == 1) {
            PL_TRY(take_file(r));
        } else if (xml->depth == 3 && pl_xml_is(xml, 0, "Piece")) {
            PL_TRY(take_piece(r));
        } else if (xml->depth == 5 && pl_xml_is(xml, 0, "DataArray")) {
            PL_TRY(take_array(r));
            note_text(r);
        } else if (xml->depth == 2 && pl_xml_is(xml, 0, "AppendedData")) {
            return take_appended(r);
        }
    }
    return r->xml.rooted ? PL_OK : pl_xml_fail(xml, "expected <VTKFile>");
}

// --- Values ---

static pl_status fail_at(const reader *r, const char *place, const char *sentence)
{
    pl_scan scan = r->source.scan;
    scan.p = place;
    return pl_scan_fail(&scan, "%s", sentence);
}

static pl_status load_points(reader *r, const piece *p, pl_mesh_builder *builder)
{
    if (p->n_points == 0) return PL_OK;
    if (p->points.tag == NULL) return fail_at(r, p->tag, "the piece has no array of points");
    if (p->points.components != 3) {
        return fail_at(r, p->points.tag, "points need NumberOfComponents=\"3\"");
    }
    pl_array points;
    PL_TRY(pl_vtu_load(&r->source, &p->points, 3 * p->n_points, &points));
    pl_status status = pl_vtk_add_points(&points, &r->source.scan, builder);
    pl_array_free(&points);
    return status;
}

static pl_status load_cells(reader *r, const piece *p, pl_vtk_cells *cells)
{
    const pl_vtu_array *arrays[] = {&p->connectivity, &p->offsets, &p->types};
    for (int i = 0; i < 3; i++) {
        if (arrays[i]->tag == NULL) {
            return fail_at(r, p->tag,
                           "the piece lacks connectivity, offsets or types of its cells");
        }
        if (arrays[i]->components != 1 || !pl_number_is_integer(arrays[i]->type)) {
            return fail_at(r, arrays[i]->tag, "cells need integers, with one component");
        }
    }
    cells->count = p->n_cells;
    PL_TRY(pl_vtu_load(&r->source, &p->offsets, p->n_cells, &cells->offsets));
    PL_TRY(pl_vtu_load(&r->source, &p->types, p->n_cells, &cells->types));
    int64_t n;
    pl_array_ints(&cells->offsets, p->n_cells - 1, 1, &n);
    return pl_vtu_load(&r->source, &p->connectivity, n, &cells->connectivity);
}

static pl_status read_file(reader *r, pl_mesh_builder *builder, int64_t *skipped)
{
    PL_TRY(read_structure(r));
    for (int64_t i = 0; i < r->n_pieces; i++) {
        const piece *p = &r->pieces[i];
        int64_t first_vertex = builder->n_vert;
        PL_TRY(load_points(r, p, builder));
        if (p->n_cells == 0) continue;
        pl_vtk_cells cells = {0};
        pl_status status = load_cells(r, p, &cells);
        if (status == PL_OK) {
            status = pl_vtk_add_cells(&cells, first_vertex, &r->source.scan, builder, skipped);
        }
        pl_vtk_cells_free(&cells);
        PL_TRY(status);
    }
    return PL_OK;
}

bool pl_sniff_vtu(const pl_bytes *bytes, const char *name)
{
    (void)name;
    return memmem(bytes->data, PL_MIN(bytes->size, 4096), "<VTKFile", 8) != NULL;
}

pl_status pl_read_vtu(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    *out = NULL;
    reader r = {.xml = pl_xml_start(bytes, name), .source.scan = pl_scan_start(bytes, name)};
    pl_mesh_builder builder = {0};
    int64_t skipped[PL_VTK_TYPES] = {0};
    pl_status status = read_file(&r, &builder, skipped);
    pl_free(r.pieces);
    if (status != PL_OK) {
        pl_builder_free(&builder);
        return status;
    }
    pl_vtk_log_skipped(name, skipped);
    return pl_builder_finish(&builder, out);
}
