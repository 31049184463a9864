// Writes tets, faces or points of a mesh as one piece of a VTU file. The structure comes first and
// refers to the arrays by offset; then the arrays, each behind its size.

#include "array.h"
#include "vtk_mesh.h"

// Cells of one kind.
typedef struct cells {
    uint8_t type;
    int64_t n, n_corners;
    const int32_t *corner; // (n_corners*n); NULL for points: cell i is vertex i
} cells;

typedef struct writer {
    pl_output out;
    const pl_mesh *mesh;
    bool ascii;
    cells kind[2];            // one after the other
    int64_t n_cell, n_corner; // in all
    uint64_t offset;          // of the next array in the appended data
} writer;

static pl_status choose_cells(writer *w, pl_vtu_cells which, const char *path)
{
    const pl_mesh *mesh = w->mesh;
    bool faces = which == PL_CELLS_ALL || (which == PL_CELLS_SOLID && mesh->n_tet == 0);
    if (which == PL_CELLS_POINTS) {
        w->kind[0] = (cells){PL_VTK_VERTEX, mesh->n_vert, 1, NULL};
    } else {
        w->kind[0] = (cells){PL_VTK_TETRA, mesh->n_tet, 4, mesh->tet};
        w->kind[1] = (cells){PL_VTK_TRIANGLE, faces ? mesh->n_face : 0, 3, mesh->face};
    }
    for (int k = 0; k < 2; k++) {
        w->n_cell += w->kind[k].n;
        w->n_corner += w->kind[k].n * w->kind[k].n_corners;
    }
    if (w->n_corner <= INT32_MAX) return PL_OK;
    return pl_fail(PL_ERROR_ARGUMENT, "%s: %lld corners of cells are too many", path,
                   (long long)w->n_corner);
}

static pl_status check_field(const writer *w, const pl_field *field, int32_t i, const char *path)
{
    if (field->name == NULL || field->name[0] == '\0' || strlen(field->name) > 200) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: field %d needs a name of 1 to 200 bytes", path,
                       (int)i);
    }
    for (const char *p = field->name; *p != '\0'; p++) {
        if (strchr("\"'<&", *p) != NULL || (unsigned char)*p < ' ') {
            return pl_fail(PL_ERROR_ARGUMENT,
                           "%s: the name of field %d holds a quote, '<', '&' or "
                           "control character",
                           path, (int)i);
        }
    }
    if (field->components != 1 && field->components != 3 && field->components != 9) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: field \"%s\" has %d components instead of 1, 3 or 9",
                       path, field->name, (int)field->components);
    }
    int64_t n = field->components * (field->per_tet ? w->n_cell : (int64_t)w->mesh->n_vert);
    if (n > 0 && field->data == NULL) {
        return pl_fail(PL_ERROR_ARGUMENT, "%s: field \"%s\" has no data", path, field->name);
    }
    int64_t bad = w->ascii ? pl_first_not_finite(field->data, n) : n;
    if (bad < n) {
        return pl_fail(PL_ERROR_ARGUMENT,
                       "%s: field \"%s\": value %lld is not finite, which the "
                       "text format cannot hold: write binary",
                       path, field->name, (long long)bad);
    }
    return PL_OK;
}

// --- Values ---

enum { BLOCK = 4096, WORDS_PER_LINE = 12 };

static void separate(pl_output *out, int64_t i, int64_t per_line)
{
    if (i > 0) pl_output_write(out, i % per_line == 0 ? "\n" : " ", 1);
}

static void write_doubles(writer *w, const double *values, int64_t n)
{
    if (!w->ascii) {
        pl_output_write(&w->out, values, (size_t)n * sizeof *values);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        separate(&w->out, i, 3);
        pl_output_double(&w->out, values[i]);
    }
}

// Values of one kind of cells, the first of them value number `from` of the array.
static void write_ints(writer *w, const int32_t *values, int64_t n, int64_t from, int64_t per_line)
{
    if (!w->ascii) {
        pl_output_write(&w->out, values, (size_t)n * sizeof *values);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        separate(&w->out, from + i, per_line);
        pl_output_int(&w->out, values[i]);
    }
}

static void write_corners(writer *w)
{
    int32_t block[BLOCK];
    for (int k = 0; k < 2; k++) {
        const cells *c = &w->kind[k];
        if (c->corner != NULL) {
            if (w->ascii && k > 0 && c->n > 0 && w->kind[0].n > 0)
                pl_output_write(&w->out, "\n", 1);
            write_ints(w, c->corner, c->n * c->n_corners, 0, c->n_corners);
            continue;
        }
        for (int64_t first = 0; first < c->n; first += BLOCK) {
            int64_t n = PL_MIN(BLOCK, c->n - first);
            for (int64_t i = 0; i < n; i++) block[i] = (int32_t)(first + i);
            write_ints(w, block, n, first, WORDS_PER_LINE);
        }
    }
}

static void write_offsets(writer *w)
{
    int32_t block[BLOCK], end = 0;
    int64_t cell = 0;
    for (int k = 0; k < 2; k++) {
        const cells *c = &w->kind[k];
        for (int64_t first = 0; first < c->n; first += BLOCK) {
            int64_t n = PL_MIN(BLOCK, c->n - first);
            for (int64_t i = 0; i < n; i++) block[i] = end += (int32_t)c->n_corners;
            write_ints(w, block, n, cell, WORDS_PER_LINE);
            cell += n;
        }
    }
}

static void write_types(writer *w)
{
    uint8_t block[BLOCK];
    int64_t cell = 0;
    for (int k = 0; k < 2; k++) {
        const cells *c = &w->kind[k];
        memset(block, c->type, sizeof block);
        for (int64_t i = 0; w->ascii && i < c->n; i++) {
            separate(&w->out, cell++, WORDS_PER_LINE);
            pl_output_int(&w->out, c->type);
        }
        for (int64_t i = 0; !w->ascii && i < c->n; i += BLOCK) {
            pl_output_write(&w->out, block, (size_t)PL_MIN(BLOCK, c->n - i));
        }
    }
}

// --- Arrays: first all their tags, then, in the same order, all their values ---

typedef enum phase { TAGS, VALUES } phase;

// True if the values have to be written now: in ASCII they follow their tag, else they come later.
static bool begin_array(writer *w, phase phase, const char *type, const char *name, int components,
                        uint64_t size)
{
    pl_output *out = &w->out;
    if (phase == VALUES) {
        pl_output_write(out, &size, sizeof size);
        return true;
    }
    pl_output_printf(out, "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"",
                     type, name, components);
    if (w->ascii) {
        pl_output_printf(out, " format=\"ascii\">\n");
        return true;
    }
    pl_output_printf(out, " format=\"appended\" offset=\"%llu\"/>\n",
                     (unsigned long long)w->offset);
    w->offset += sizeof size + size;
    return false;
}

static void end_array(writer *w)
{
    if (w->ascii) pl_output_printf(&w->out, "\n        </DataArray>\n");
}

static void put_fields(writer *w, phase phase, const pl_write_options *options, bool per_tet)
{
    const char *tag = per_tet ? "CellData" : "PointData";
    if (phase == TAGS) pl_output_printf(&w->out, "      <%s>\n", tag);
    for (int32_t i = 0; i < options->n_fields; i++) {
        const pl_field *field = &options->fields[i];
        if (field->per_tet != per_tet) continue;
        int64_t n = field->components * (per_tet ? w->n_cell : (int64_t)w->mesh->n_vert);
        uint64_t size = (uint64_t)n * sizeof *field->data;
        if (begin_array(w, phase, "Float64", field->name, field->components, size)) {
            write_doubles(w, field->data, n);
            end_array(w);
        }
    }
    if (phase == TAGS) pl_output_printf(&w->out, "      </%s>\n", tag);
}

static void put_arrays(writer *w, phase phase, const pl_write_options *options)
{
    pl_output *out = &w->out;
    put_fields(w, phase, options, false);
    put_fields(w, phase, options, true);
    if (phase == TAGS) pl_output_printf(out, "      <Points>\n");
    int64_t n = 3 * (int64_t)w->mesh->n_vert;
    if (begin_array(w, phase, "Float64", "Points", 3, (uint64_t)n * sizeof(double))) {
        write_doubles(w, w->mesh->x, n);
        end_array(w);
    }
    if (phase == TAGS) pl_output_printf(out, "      </Points>\n      <Cells>\n");
    uint64_t n_cell = (uint64_t)w->n_cell;
    uint64_t size = (uint64_t)w->n_corner * sizeof(int32_t);
    if (begin_array(w, phase, "Int32", "connectivity", 1, size)) {
        write_corners(w);
        end_array(w);
    }
    if (begin_array(w, phase, "Int32", "offsets", 1, n_cell * sizeof(int32_t))) {
        write_offsets(w);
        end_array(w);
    }
    if (begin_array(w, phase, "UInt8", "types", 1, n_cell)) {
        write_types(w);
        end_array(w);
    }
    if (phase == TAGS) pl_output_printf(out, "      </Cells>\n");
}

pl_status pl_write_vtu(const pl_mesh *mesh, const char *path, const pl_write_options *options)
{
    writer w = {.mesh = mesh, .ascii = options->ascii};
    PL_TRY(choose_cells(&w, options->cells, path));
    for (int32_t i = 0; i < options->n_fields; i++) {
        PL_TRY(check_field(&w, &options->fields[i], i, path));
    }
    PL_TRY(pl_output_open(path, &w.out));
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    pl_output_printf(&w.out,
                     "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
                     "header_type=\"UInt64\">\n  <UnstructuredGrid>\n"
                     "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%lld\">\n",
                     little ? "LittleEndian" : "BigEndian", (int)mesh->n_vert, (long long)w.n_cell);
    put_arrays(&w, TAGS, options);
    pl_output_printf(&w.out, "    </Piece>\n  </UnstructuredGrid>\n");
    if (!w.ascii) {
        pl_output_printf(&w.out, "  <AppendedData encoding=\"raw\">\n_");
        put_arrays(&w, VALUES, options);
        pl_output_printf(&w.out, "\n  </AppendedData>\n");
    }
    pl_output_printf(&w.out, "</VTKFile>\n");
    return pl_output_close(&w.out);
}
