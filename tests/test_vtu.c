#include "buffers.h"

#include <zlib.h>

void setUp(void)
{
    watch_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

// --- Text ---

#define FILE_TAG "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
#define BEGIN "<?xml version=\"1.0\"?>\n" FILE_TAG "<UnstructuredGrid>\n"
#define PIECE "<Piece NumberOfPoints=\"4\" NumberOfCells=\"2\">\n"
#define POINTS                                                                                     \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n"             \
    "0 0 0 1 0 0\n0 1 0 0 0 1\n</DataArray></Points>\n"
#define ARRAY(NAME, VALUES)                                                                        \
    "<DataArray type=\"Int32\" Name=\"" NAME "\" format=\"ascii\">" VALUES "</DataArray>\n"
#define CELLS                                                                                      \
    "<Cells>" ARRAY("connectivity", "0 1 2 3 0 1 2") ARRAY("offsets", "4 7")                       \
        ARRAY("types", "10 5") "</Cells>\n"
#define END "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"

static const char text[] =
    BEGIN "<!-- a comment with <tags> & more -->\n" PIECE
          "<PointData><DataArray type='Float64' Name='a &lt; &#98;' format='ascii'> nan 1 2 3"
          "</DataArray></PointData>\n" POINTS CELLS END;

static void expect_small(const pl_mesh *mesh)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t face[3] = {0, 1, 2}, tet[4] = {0, 1, 2, 3};
    pl_mesh *expected;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 1, face, 1, tet, &expected));
    expect_same(expected, mesh);
    pl_mesh_destroy(expected);
}

static void test_reads_text(void)
{
    pl_mesh *mesh = read_good(pl_read_vtu, text, strlen(text));
    expect_small(mesh);
    pl_mesh_destroy(mesh);
    buffer marked = {0}; // with a byte order mark in front
    put_text(&marked, "\xef\xbb\xbf");
    put_text(&marked, text);
    mesh = read_good(pl_read_vtu, marked.data, marked.size);
    expect_small(mesh);
    pl_mesh_destroy(mesh);
    free_buffer(&marked);
}

static void test_appends_pieces(void)
{
    static const char two[] = BEGIN PIECE POINTS CELLS "</Piece><Piece NumberOfPoints='0' "
                                                       "NumberOfCells='0'/>" PIECE POINTS CELLS END;
    pl_mesh *mesh = read_good(pl_read_vtu, two, strlen(two));
    TEST_ASSERT_EQUAL(8, mesh->n_vert);
    TEST_ASSERT_EQUAL(2, mesh->n_face);
    TEST_ASSERT_EQUAL(2, mesh->n_tet);
    for (int k = 0; k < 4; k++) TEST_ASSERT_EQUAL(4 + k, mesh->tet[4 + k]);
    for (int k = 0; k < 3; k++) TEST_ASSERT_EQUAL(4 + k, mesh->face[3 + k]);
    pl_mesh_destroy(mesh);
}

static void test_reads_a_mesh_of_nothing(void)
{
    static const char none[] = BEGIN END;
    expect_text_error(pl_read_vtu, none, "</Piece> where <UnstructuredGrid> is open");
    static const char empty[] = FILE_TAG "<UnstructuredGrid/></VTKFile>";
    pl_mesh *mesh = read_good(pl_read_vtu, empty, strlen(empty));
    TEST_ASSERT_EQUAL(0, mesh->n_vert + mesh->n_face + mesh->n_tet);
    pl_mesh_destroy(mesh);
}

static void test_sniffs_the_outermost_tag(void)
{
    pl_bytes yes, no;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy(text, strlen(text), &yes));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy("<VTK", 4, &no));
    TEST_ASSERT_TRUE(pl_sniff_vtu(&yes, "a"));
    TEST_ASSERT_FALSE(pl_sniff_vtu(&no, "a.vtu"));
    pl_bytes_free(&yes);
    pl_bytes_free(&no);
}

static void test_says_where_text_is_wrong(void)
{
#define CELLS_OF(C, O, T)                                                                          \
    BEGIN PIECE POINTS "<Cells>" ARRAY("connectivity", C) ARRAY("offsets", O)                      \
        ARRAY("types", T) "</Cells>\n" END
#define POINTS_OF(V)                                                                               \
    BEGIN PIECE "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">" V \
                "</DataArray></Points>\n" CELLS END
    static const char *const bad[][2] = {
        {"", "expected <VTKFile>"},
        {BEGIN, "the file ends before </UnstructuredGrid>"},
        {"<VTKFile type='UnstructuredGrid' byte_order='Middle'/>", "neither LittleEndian"},
        {"<VTKFile type='UnstructuredGrid' header_type='UInt16'/>", "neither UInt32"},
        {FILE_TAG "<UnstructuredGrid><Piece NumberOfPoints='4'/></UnstructuredGrid></VTKFile>",
         "test:2: <Piece> lacks the attribute NumberOfCells"},
        {FILE_TAG "<UnstructuredGrid><Piece NumberOfPoints='-4'/></UnstructuredGrid></VTKFile>",
         "NumberOfPoints=\"-4\" is no count"},
        {FILE_TAG "<UnstructuredGrid><Piece NumberOfPoints='4294967295'/></UnstructuredGrid>",
         "more than 536870911 points"},
        {FILE_TAG "<UnstructuredGrid><Piece NumberOfPoints='1' NumberOfCells='0'/>"
                  "</UnstructuredGrid></VTKFile>",
         "has no array of points"},
        {BEGIN PIECE POINTS END, "lacks connectivity, offsets or types"},
        {POINTS_OF("0 0 0 1 0 0 0 1 0 0 0 nan"), "test:5: expected number 12 of 12"},
        {POINTS_OF("0 0 0 1 0 0 0 1 0\n0 0 inf"), "test:6: expected number 12 of 12"},
        {POINTS_OF("0 0 0 1 0 0 0 1 0 0 0"), "expected number 12 of 12"},
        {POINTS_OF("0 0 0 1 0 0 0 1 0 0 0 1 0"), "test:5: more than the 12 values"},
        {POINTS_OF(""), "an array without values"},
        {CELLS_OF("0 1 2 4 0 1 2", "4 7", "10 5"), "test:9: cell 0 refers to point 4 of 4"},
        {CELLS_OF("0 1 2 3 0 1 -2", "4 7", "10 5"), "cell 1 refers to point -2 of 4"},
        {CELLS_OF("0 1 2 3 0 1 2", "4 6", "10 5"), "more than the 6 values"},
        {CELLS_OF("0 1 2 3 0 1 2", "8 7", "10 5"), "test:10: cell 0 ends at 8"},
        {CELLS_OF("0 1 2 3 0 1 2", "4 7", "10 9"), "cell 1 of type 9 cannot have 3 corners"},
        {CELLS_OF("0 1 2 3 0 1 2", "4 7", "10 256"), "cell 1 has the unknown type 256"},
        {CELLS_OF("0 1 2 3 0 1 2", "4 -7", "10 5"), "-7 numbers should follow"},
        {CELLS_OF("0 1 2 3 0 1 2", "4 999999999999", "10 5"), "numbers should follow"},
        {CELLS_OF("0 1 2 3 0 1 2.5", "4 7", "10 5"), "more than the 7 values"},
        // XML
        {BEGIN "<Piece", "the file ends inside a tag"},
        {BEGIN "<Piece NumberOfPoints=\"4", "the file ends inside a tag"},
        {BEGIN "<Piece NumberOfPoints 4>", "expected ="},
        {BEGIN "<Piece NumberOfPoints=4>", "expected a value in quotes"},
        {BEGIN "<Piece NumberOfPoints='4'NumberOfCells='2'>", "expected white space"},
        {BEGIN "<Piece a='1' a='2'>", "the attribute a is given twice"},
        {BEGIN "<Piece a='&nbsp;'>", "test:4: unknown character reference"},
        {BEGIN "<Piece a='&#xffffffffffff;'>", "unknown character reference"},
        {BEGIN "<Piece a='<'>", "\"<\" in an attribute"},
        {BEGIN "<!-- never closed", "test:4: a comment is not closed"},
        {BEGIN "<![CDATA[ x ]]>", "CDATA"},
        {"<!DOCTYPE x>" BEGIN, "DOCTYPE"},
        {BEGIN "</VTKFile>", "test:4: </VTKFile> where <UnstructuredGrid> is open"},
        {FILE_TAG "</VTKFile></VTKFile>", "nothing is open"},
        {FILE_TAG "</VTKFile>" FILE_TAG, "a second outermost element"},
        {"text" FILE_TAG, "text outside of any element"},
        {"<a>" FILE_TAG, "expected <VTKFile>"},
        {FILE_TAG "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>"
                  "<a><a><a><a><a><a><a><a><a>",
         "nested too deeply"},
        {FILE_TAG "< a>", "expected a name"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_text_error(pl_read_vtu, bad[i][0], bad[i][1]);
    }
    static const char poly[] = "<VTKFile type='PolyData'></VTKFile>";
    expect_error(pl_read_vtu, poly, strlen(poly), PL_ERROR_UNSUPPORTED, "\"PolyData\"");
    static const char lzma[] =
        "<VTKFile type='UnstructuredGrid' compressor='vtkLZ4DataCompressor'/>";
    expect_error(pl_read_vtu, lzma, strlen(lzma), PL_ERROR_UNSUPPORTED, "vtkLZ4DataCompressor");
}

// --- Binary ---

typedef struct encoding {
    bool big, wide, zlib, base64, appended;
} encoding;

static void put_base64(buffer *b, const char *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned bits = 0;
        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (i + k < n ? (unsigned char)data[i + k] : 0);
        }
        char group[4];
        for (int k = 0; k < 4; k++) group[k] = digits[bits >> (18 - 6 * k) & 63];
        if (i + 2 >= n) group[3] = '=';
        if (i + 1 >= n) group[2] = '=';
        put_bytes(b, group, 4);
    }
}

static void put_header(buffer *b, const encoding *e, int64_t value)
{
    if (e->wide) {
        put_i64(b, value);
    } else {
        put_i32(b, (int32_t)value);
    }
}

// The bytes as a stream of the encoding; compressed in blocks of 16 bytes.
static void put_stream(buffer *b, const encoding *e, const buffer *values)
{
    enum { BLOCK = 16 };
    buffer header = {.swap = b->swap}, data = {0};
    if (!e->zlib) {
        put_header(&header, e, (int64_t)values->size);
        put_bytes(&data, values->data, values->size);
    } else {
        size_t n = (values->size + BLOCK - 1) / BLOCK;
        put_header(&header, e, (int64_t)n);
        put_header(&header, e, BLOCK);
        put_header(&header, e, (int64_t)(values->size % BLOCK));
        for (size_t i = 0; i < n; i++) {
            Bytef packed[128];
            uLongf size = sizeof packed;
            uLong block = PL_MIN(BLOCK, values->size - i * BLOCK);
            TEST_ASSERT_EQUAL(Z_OK,
                              compress(packed, &size, (Bytef *)values->data + i * BLOCK, block));
            put_header(&header, e, (int64_t)size);
            put_bytes(&data, packed, size);
        }
    }
    if (!e->base64) {
        put_bytes(b, header.data, header.size);
        put_bytes(b, data.data, data.size);
    } else if (e->zlib) { // two streams
        put_base64(b, header.data, header.size);
        put_base64(b, data.data, data.size);
    } else {
        put_bytes(&header, data.data, data.size);
        put_base64(b, header.data, header.size);
    }
    free_buffer(&header);
    free_buffer(&data);
}

// The mesh of `text` in any encoding. Numbers are of unusual types: Int16 points, UInt16 offsets.
static buffer make_binary(const encoding *e)
{
    bool swap = e->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    static const int corners[] = {0, 1, 2, 3, 0, 1, 2}, offsets[] = {4, 7}, types[] = {10, 5};
    static const char *const tags[] = {"<Points><DataArray type='Int16' NumberOfComponents='3'",
                                       "</Points><Cells>"
                                       "<DataArray type='UInt32' Name='connectivity'",
                                       "<DataArray type='UInt16' Name='offsets'",
                                       "<DataArray type='Int8' Name='types'"};
    buffer values[4] = {{.swap = swap}, {.swap = swap}, {.swap = swap}, {.swap = swap}};
    for (int i = 0; i < 12; i++) put_number(&values[0], &(int16_t){i / 3 == i % 3 + 1}, 2);
    for (int i = 0; i < 7; i++) put_i32(&values[1], corners[i]);
    for (int i = 0; i < 2; i++) put_number(&values[2], &(uint16_t){(uint16_t)offsets[i]}, 2);
    for (int i = 0; i < 2; i++) put_number(&values[3], &(int8_t){(int8_t)types[i]}, 1);
    buffer b = {.swap = swap}, appended = {.swap = swap};
    char line[256];
    snprintf(line, sizeof line,
             "<VTKFile type='UnstructuredGrid' byte_order='%s' header_type='%s'%s>\n"
             "<UnstructuredGrid>" PIECE,
             e->big ? "BigEndian" : "LittleEndian", e->wide ? "UInt64" : "UInt32",
             e->zlib ? " compressor='vtkZLibDataCompressor'" : "");
    put_text(&b, line);
    for (int i = 0; i < 4; i++) {
        put_text(&b, tags[i]);
        if (e->appended) {
            snprintf(line, sizeof line, " format='appended' offset='%zu'/>\n", appended.size);
            put_text(&b, line);
            put_stream(&appended, e, &values[i]);
        } else {
            put_text(&b, " format='binary'>\n  ");
            put_stream(&b, e, &values[i]);
            put_text(&b, "\n</DataArray>\n");
        }
        free_buffer(&values[i]);
    }
    put_text(&b, "</Cells></Piece></UnstructuredGrid>\n");
    if (e->appended) {
        put_text(&b, e->base64 ? "<AppendedData encoding='base64'>\n _"
                               : "<AppendedData encoding='raw'>\n _");
        put_bytes(&b, appended.data, appended.size);
        put_text(&b, "\n</AppendedData>");
    }
    put_text(&b, "</VTKFile>\n");
    free_buffer(&appended);
    return b;
}

enum { ENCODINGS = 24 };

static encoding encoding_of(int i)
{
    int form = i / 8; // inline, appended in base64, appended raw
    return (encoding){i % 2 == 1, i / 2 % 2 == 1, i / 4 % 2 == 1, form<2, form> 0};
}

static void test_reads_all_encodings(void)
{
    for (int i = 0; i < ENCODINGS; i++) {
        encoding e = encoding_of(i);
        buffer b = make_binary(&e);
        pl_mesh *mesh = read_good(pl_read_vtu, b.data, b.size);
        expect_small(mesh);
        pl_mesh_destroy(mesh);
        free_buffer(&b);
    }
}

static void test_survives_damage(void)
{
    pl_set_log(NULL, NULL);
    for (int i = 0; i < ENCODINGS; i++) {
        encoding e = encoding_of(i);
        buffer b = make_binary(&e);
        check_damage(pl_read_vtu, &b, b.size - 1);
        free_buffer(&b);
    }
    buffer b = {0};
    put_text(&b, text);
    check_damage(pl_read_vtu, &b, b.size - 1);
    free_buffer(&b);
}

static void test_survives_lack_of_memory(void)
{
    pl_set_log(NULL, NULL);
    for (int i = 0; i < ENCODINGS; i++) {
        encoding e = encoding_of(i);
        buffer b = make_binary(&e);
        check_read_allocations(pl_read_vtu, &b);
        free_buffer(&b);
    }
    buffer b = {0};
    put_text(&b, text);
    check_read_allocations(pl_read_vtu, &b);
    free_buffer(&b);
}

// Headers of the first array of an appended raw file are overwritten with `words`.
static void expect_header_error(encoding e, const int64_t *words, int n, const char *part)
{
    buffer b = make_binary(&e);
    char *start = memmem(b.data, b.size, "'raw'>\n _", 9);
    TEST_ASSERT_NOT_NULL(start);
    memcpy(start + 9, words, (size_t)n * sizeof *words);
    expect_error(pl_read_vtu, b.data, b.size, PL_ERROR_FORMAT, part);
    expect_error(pl_read_vtu, b.data, b.size, PL_ERROR_FORMAT, "test: byte ");
    free_buffer(&b);
}

static void test_refuses_impossible_sizes(void)
{
    encoding plain = {.wide = true, .appended = true}, zlib = plain;
    zlib.zlib = true;
    expect_header_error(plain, (int64_t[]){25}, 1, "an array of 25 bytes, where 24 are needed");
    expect_header_error(plain, (int64_t[]){-1}, 1, "where 24 are needed");
    expect_header_error(zlib, (int64_t[]){0}, 1, "an array of 0 bytes, where 24 are needed");
    expect_header_error(zlib, (int64_t[]){INT64_MAX}, 1, "do not fit into the file");
    expect_header_error(zlib, (int64_t[]){2, INT64_MAX}, 2, "where 24 bytes are needed");
    expect_header_error(zlib, (int64_t[]){2, 4294967296}, 2, "where 24 bytes are needed");
    expect_header_error(zlib, (int64_t[]){2, 16, 9}, 3, "where 24 bytes are needed");
    expect_header_error(zlib, (int64_t[]){2, 16, 8, 4294967295}, 4, "exceeds the file");
    expect_header_error(zlib, (int64_t[]){2, 16, 8, -1}, 4, "exceeds the file");
    expect_header_error(zlib, (int64_t[]){2, 16, 8, 3}, 4, "does not yield 16 bytes");
    expect_header_error(zlib, (int64_t[]){2, 20, 4}, 3, "does not yield 20 bytes");
}

// A file that promises a gigabyte of points in a few bytes is refused before memory is taken.
static void test_refuses_a_bomb(void)
{
    buffer b = {0};
    put_text(&b, "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian' header_type='UInt64' "
                 "compressor='vtkZLibDataCompressor'><UnstructuredGrid>"
                 "<Piece NumberOfPoints='50000000' NumberOfCells='0'><Points>"
                 "<DataArray type='Float64' NumberOfComponents='3' format='appended' offset='0'/>"
                 "</Points></Piece></UnstructuredGrid><AppendedData encoding='raw'>_");
    put_i64(&b, 1);
    put_i64(&b, 1200000000);
    put_i64(&b, 0);
    put_i64(&b, 1000);
    for (int i = 0; i < 2000; i++) put_bytes(&b, "", 1);
    put_text(&b, "</AppendedData></VTKFile>");
    expect_error(pl_read_vtu, b.data, b.size, PL_ERROR_FORMAT,
                 "1000 compressed bytes cannot hold 1200000000");
    free_buffer(&b);
}

// Pieces that share their bytes would multiply what a file holds.
static void test_refuses_arrays_that_overlap(void)
{
    buffer b = {0};
    put_text(&b, "<VTKFile type='UnstructuredGrid' byte_order='LittleEndian'><UnstructuredGrid>");
    for (int i = 0; i < 100; i++) {
        put_text(&b, "<Piece NumberOfPoints='10000' NumberOfCells='0'><Points>"
                     "<DataArray type='Int8' NumberOfComponents='3' format='appended' offset='0'/>"
                     "</Points></Piece>");
    }
    put_text(&b, "</UnstructuredGrid><AppendedData encoding='raw'>_");
    put_i32(&b, 30000);
    for (int i = 0; i < 30000; i++) put_bytes(&b, "", 1);
    put_text(&b, "</AppendedData></VTKFile>");
    expect_error(pl_read_vtu, b.data, b.size, PL_ERROR_FORMAT, "arrays overlap");
    free_buffer(&b);
}

static void test_refuses_offsets_beyond_the_file(void)
{
    encoding e = {.appended = true};
    buffer b = make_binary(&e);
    char *offset = memmem(b.data, b.size, "offset='0'", 10);
    offset[8] = '9';
    expect_error(pl_read_vtu, b.data, b.size, PL_ERROR_FORMAT, "where 24 are needed");
    free_buffer(&b);
#define OUTSIDE(TAIL)                                                                              \
    BEGIN "<Piece NumberOfPoints='1' NumberOfCells='0'><Points><DataArray type='Int8' "            \
          "NumberOfComponents='3' format='appended' offset='999999999'/></Points></Piece>"         \
          "</UnstructuredGrid>" TAIL "</VTKFile>"
    expect_text_error(pl_read_vtu, OUTSIDE(""), "test:4: there is no AppendedData");
    expect_text_error(pl_read_vtu, OUTSIDE("<AppendedData encoding='raw'>_abc</AppendedData>"),
                      "test:4: the offset 999999999 lies beyond the end of the file");
    expect_text_error(pl_read_vtu, OUTSIDE("<AppendedData encoding='raw'>abc</AppendedData>"),
                      "test:4: expected _ in front of the appended data");
    expect_text_error(pl_read_vtu, OUTSIDE("<AppendedData encoding='hex'>_abc</AppendedData>"),
                      "neither raw nor base64");
}

// --- Writing, and VTK's opinion of it ---

static void make_fields(const pl_mesh *mesh, pl_field fields[6], double *data)
{
    static const char *const names[] = {"pressure", "velocity", "gradient",
                                        "volume",   "normal",   "stress (Pa) > 0"};
    static const int components[] = {1, 3, 9};
    for (int i = 0; i < 9 * (mesh->n_vert + mesh->n_tet + mesh->n_face); i++) data[i] = sin(i) / 3;
    for (int i = 0; i < 6; i++) {
        fields[i] = (pl_field){names[i], i >= 3, components[i % 3], data + i};
    }
}

static void put_reference(FILE *file, const pl_mesh *mesh, const pl_write_options *options)
{
    bool points = options->cells == PL_CELLS_POINTS;
    bool faces = !points && (options->cells == PL_CELLS_ALL || mesh->n_tet == 0);
    int n_tet = points ? 0 : mesh->n_tet, n_face = faces ? mesh->n_face : 0;
    int n = points ? mesh->n_vert : n_tet + n_face;
    fprintf(file, "points %d\n", (int)mesh->n_vert);
    for (int i = 0; i < 3 * mesh->n_vert; i++) fprintf(file, "%a\n", mesh->x[i]);
    fprintf(file, "cells %d 4\n", n_tet);
    for (int i = 0; i < 4 * n_tet; i++) fprintf(file, "%d\n", (int)mesh->tet[i]);
    fprintf(file, "cells %d 3\n", n_face);
    for (int i = 0; i < 3 * n_face; i++) fprintf(file, "%d\n", (int)mesh->face[i]);
    fprintf(file, "cells %d 1\n", points ? n : 0);
    for (int i = 0; points && i < n; i++) fprintf(file, "%d\n", i);
    for (int i = 0; i < options->n_fields; i++) {
        const pl_field *field = &options->fields[i];
        fprintf(file, "field %s %s %d\n", field->name, field->per_tet ? "cell" : "point",
                (int)field->components);
        for (int k = 0; k < field->components * (field->per_tet ? n : mesh->n_vert); k++) {
            fprintf(file, "%a\n", field->data[k]);
        }
    }
}

static void test_round_trip_is_exact(void)
{
    make_directory();
    const char *path = path_of("a.vtu");
    double data[5000];
    for (int i = 0; i < 8; i++) { // solids, surfaces, clouds, nothing
        pl_mesh *mesh = make_grid(2, 0.1, i / 2 == 1 ? 40 : 0);
        pl_field fields[6];
        roughen(mesh);
        if (i / 2 > 0) mesh->n_tet = 0;
        if (i / 2 == 3) mesh->n_vert = 0;
        make_fields(mesh, fields, data);
        pl_write_options options = {.ascii = i % 2 == 0, .fields = fields, .n_fields = 6};
        TEST_ASSERT_EQUAL(PL_OK, pl_write_vtu(mesh, path, &options));
        pl_mesh *back = read_good_file(pl_read_vtu, path);
        expect_same(mesh, back);
        TEST_ASSERT_EQUAL(0, log_count);
        pl_mesh_destroy(mesh);
        pl_mesh_destroy(back);
    }
    remove_directory();
}

static void test_vtk_opens_what_we_write(void)
{
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not there");
    make_directory();
    double data[5000];
    for (int i = 0; i < 10; i++) { // a solid, a surface, a cloud, a solid with faces, points of it
        pl_mesh *mesh = make_grid(2, 0.1, i / 2 % 2 == 1 ? 40 : 0);
        pl_field fields[6];
        for (int k = 0; k < 3 * mesh->n_vert; k++) mesh->x[k] += 1.0 / (3 + k);
        if (i / 2 == 1 || i / 2 == 2) mesh->n_tet = 0;
        make_fields(mesh, fields, data);
        fields[5].name = "stress"; // the reference has no spaces in names
        pl_write_options options = {.ascii = i % 2 == 0, .fields = fields, .n_fields = 6};
        if (i >= 6) options.cells = i >= 8 ? PL_CELLS_POINTS : PL_CELLS_ALL;
        TEST_ASSERT_EQUAL(PL_OK, pl_write_vtu(mesh, path_of("a.vtu"), &options));
        FILE *file = fopen(path_of("reference"), "w");
        TEST_ASSERT_NOT_NULL(file);
        put_reference(file, mesh, &options);
        fclose(file);
        char arguments[256];
        snprintf(arguments, sizeof arguments, "compare %s/a.vtu %s/reference", test_directory,
                 test_directory);
        TEST_ASSERT_EQUAL(0, run_vtk(arguments));
        pl_mesh_destroy(mesh);
    }
    remove_directory();
}

static void test_reads_what_vtk_writes(void)
{
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not there");
    make_directory();
    char arguments[512], name[64];
    double data[5000];
    pl_field fields[6];
    pl_mesh *mesh = make_grid(3, 0.25, 0);
    make_fields(mesh, fields, data);
    pl_write_options options = {.fields = fields, .n_fields = 6};
    TEST_ASSERT_EQUAL(PL_OK, pl_write_vtu(mesh, path_of("grid.vtu"), &options));
    snprintf(arguments, sizeof arguments, "write %s/grid.vtu %s", test_directory, test_directory);
    TEST_ASSERT_EQUAL(0, run_vtk(arguments));
    static const char *const modes[] = {"ascii", "inline", "raw", "base64"};
    for (int i = 0; i < 32; i++) {
        snprintf(name, sizeof name, "%s-%s-%s-%s.vtu", modes[i / 8], i % 2 == 0 ? "plain" : "zlib",
                 i / 2 % 2 == 0 ? "32" : "64", i / 4 % 2 == 0 ? "little" : "big");
        pl_mesh *back = read_good_file(pl_read_vtu, path_of(name));
        expect_same(mesh, back);
        pl_mesh_destroy(back);
    }
    pl_mesh *back = read_good_file(pl_read_vtu, path_of("pieces.vtu"));
    TEST_ASSERT_EQUAL(3 * mesh->n_vert, back->n_vert); // every piece is the whole mesh
    TEST_ASSERT_EQUAL(3 * mesh->n_tet, back->n_tet);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3 * pl_mesh_volume(mesh), pl_mesh_volume(back));
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
    remove_directory();
}

static void test_refuses_impossible_fields(void)
{
    make_directory();
    const char *path = path_of("a.vtu");
    double data[100] = {0};
    data[7] = NAN;
    pl_mesh *mesh = make_grid(1, 1, 0);
    static const struct {
        pl_field field;
        const char *part;
    } bad[] = {{{NULL, false, 1, NULL}, "field 0 needs a name"},
               {{"", false, 1, NULL}, "field 0 needs a name"},
               {{"a<b", false, 1, NULL}, "the name of field 0"},
               {{"a\"b", false, 1, NULL}, "the name of field 0"},
               {{"a&b", false, 1, NULL}, "the name of field 0"},
               {{"a\nb", false, 1, NULL}, "the name of field 0"},
               {{"a", false, 2, NULL}, "2 components instead of 1, 3 or 9"},
               {{"a", false, 3, NULL}, "no data"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pl_write_options options = {.fields = &bad[i].field, .n_fields = 1};
        TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_write_vtu(mesh, path, &options));
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), bad[i].part), pl_error_text());
    }
    pl_field field = {"a", false, 1, data};
    pl_write_options options = {.ascii = true, .fields = &field, .n_fields = 1};
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_write_vtu(mesh, path, &options));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "value 7 is not finite"));
    TEST_ASSERT_NOT_EQUAL(0, access(path, F_OK));
    options.ascii = false; // binary holds it
    TEST_ASSERT_EQUAL(PL_OK, pl_write_vtu(mesh, path, &options));
    pl_mesh_destroy(mesh);
    remove_directory();
}

typedef struct write_job {
    pl_mesh *mesh;
    const char *path;
    pl_write_options options;
} write_job;

static pl_status run_write_job(void *user)
{
    write_job *job = user;
    return pl_write_vtu(job->mesh, job->path, &job->options);
}

static void test_writing_survives_failures(void)
{
    make_directory();
    pl_mesh *mesh = make_grid(1, 1, 0);
    write_job job = {mesh, path_of("a.vtu"), {.ascii = true}};
    fail_each_allocation(run_write_job, &job);
    job.options.ascii = false;
    fail_each_allocation(run_write_job, &job);
    job.path = "/nonexistent/a.vtu";
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, run_write_job(&job));
    pl_mesh_destroy(mesh);
    remove_directory();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_reads_text);
    RUN_TEST(test_appends_pieces);
    RUN_TEST(test_reads_a_mesh_of_nothing);
    RUN_TEST(test_sniffs_the_outermost_tag);
    RUN_TEST(test_says_where_text_is_wrong);
    RUN_TEST(test_reads_all_encodings);
    RUN_TEST(test_survives_damage);
    RUN_TEST(test_survives_lack_of_memory);
    RUN_TEST(test_refuses_impossible_sizes);
    RUN_TEST(test_refuses_a_bomb);
    RUN_TEST(test_refuses_arrays_that_overlap);
    RUN_TEST(test_refuses_offsets_beyond_the_file);
    RUN_TEST(test_round_trip_is_exact);
    RUN_TEST(test_vtk_opens_what_we_write);
    RUN_TEST(test_reads_what_vtk_writes);
    RUN_TEST(test_refuses_impossible_fields);
    RUN_TEST(test_writing_survives_failures);
    return UNITY_END();
}
