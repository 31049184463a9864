#include "files.h"

#include <math.h>

void setUp(void)
{
    watch_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

#define XYZ(type) "property " type " x\nproperty " type " y\nproperty " type " z\n"

static const char square[] = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\n" XYZ(
    "float") "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
             "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n3 0 1 2\n3 0 2 3\n";

static void expect_square(pl_mesh *mesh)
{
    pl_mesh *expected = read_text(square, "square.ply");
    expect_same(expected, mesh);
    pl_mesh_destroy(expected);
    pl_mesh_destroy(mesh);
}

static void test_text(void)
{
    pl_mesh *mesh = read_text(square, "a.ply");
    expect_counts(mesh, 4, 2);
    expect_vertex(mesh, 3, 0, 1, 0.5);
    expect_face(mesh, 1, 0, 2, 3);
    pl_mesh_destroy(mesh);
}

static void test_text_variants(void)
{
    // A polygon, the other name of the list, other types, no last newline.
    expect_square(read_text(
        "ply\nformat ascii 1.0\nobj_info x\nelement vertex 4\n" XYZ(
            "double") "element face 1\nproperty list int8 uint16 vertex_index\nend_header\n"
                      "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n4 0 1 2 3",
        "a.ply"));
    // Faces before vertices, coordinates in any order among other properties, lists before them.
    expect_square(read_text(
        "ply\r\nformat ascii 1.0\r\nelement face 2\r\nproperty uchar red\r\n"
        "property list uchar float uv\r\nproperty list uint uint vertex_indices\r\n"
        "property int flags\r\n"
        "element material 1\r\nproperty float shine\r\n"
        "element vertex 4\r\nproperty float z\r\nproperty list uchar int near\r\n"
        "property float x\r\nproperty float nx\r\nproperty float y\r\nproperty uchar a\r\n"
        "end_header\r\n255 2 0.5 nan 3 0 1 2 7\r\n255 0 3 0 2 3 7\r\n0.25\r\n"
        "0 0 0 nan 0 9\r\n0 2 8 8 1 5 0 9\r\n0 1 3 1 5 1 9\r\n0.5 0 0 5 1 9\r\n",
        "a.ply"));
    expect_warning("an element of 1 rows skipped");
    expect_square(read_text(
        "\xef\xbb\xbfply\nformat ascii 1.0\n\nelement vertex 4\n" XYZ(
            "float") "element face 2\nproperty list uchar int vertex_indices\nelement nothing "
                     "4000000000\nend_header\n\n0 0 0\n1 0 0\n1 1 0\n\n0 1 0.5\n3 0 1 2\n"
                     "3 0 2 3\n",
        "a.ply"));
}

// --- Binary ---

typedef struct writer {
    char data[4096];
    size_t size;
    bool big;
} writer;

static void put_text(writer *w, const char *text)
{
    memcpy(w->data + w->size, text, strlen(text));
    w->size += strlen(text);
}

// `size` bytes of a number in the machine's order (little endian).
static void put(writer *w, const void *value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        w->data[w->size + i] = ((const char *)value)[w->big ? size - 1 - i : i];
    }
    w->size += size;
}

static void put_int(writer *w, int64_t value, size_t size)
{
    put(w, &value, size);
}

static void put_real(writer *w, double value, size_t size)
{
    float single = (float)value;
    put(w, size == 4 ? (void *)&single : (void *)&value, size);
}

static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5}};
static const int triangle[2][3] = {{0, 1, 2}, {0, 2, 3}};

static void put_start(writer *w, bool big)
{
    w->size = 0;
    w->big = big;
    put_text(w, big ? "ply\nformat binary_big_endian 1.0\n"
                    : "ply\nformat binary_little_endian 1.0\n");
}

// The square in the usual layout.
static void put_square(writer *w, bool big, size_t real)
{
    put_start(w, big);
    put_text(w, "element vertex 4\n");
    put_text(w, real == 4 ? XYZ("float") : XYZ("double"));
    put_text(w, "element face 2\nproperty list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 12; i++) put_real(w, corner[i / 3][i % 3], real);
    for (int i = 0; i < 2; i++) {
        put_int(w, 3, 1);
        for (int k = 0; k < 3; k++) put_int(w, triangle[i][k], 4);
    }
}

static void test_binary_usual(void)
{
    writer w;
    for (int big = 0; big < 2; big++) {
        for (size_t real = 4; real <= 8; real += 4) {
            put_square(&w, big, real);
            expect_square(read_bytes(w.data, w.size, "a.ply"));
        }
    }
}

// Every type in every place, with further properties, lists and elements in between.
static void test_binary_unusual(void)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4}, {"uint", 4}};
    writer w;
    char line[128];
    for (int i = 0; i < 72; i++) {
        int big = i % 2, length = i / 2 % 6, index = i / 12 % 6;
        put_start(&w, big);
        put_text(&w, "element edge 2\nproperty short a\nproperty list uchar short b\n"
                     "element face 2\nproperty double quality\n");
        sprintf(line, "property list %s %s vertex_index\n", types[length].name, types[index].name);
        put_text(&w, line);
        put_text(&w, "property uchar red\nelement blob 3\nproperty double v\nproperty uchar w\n"
                     "element vertex 4\nproperty double z\nproperty uchar red\nproperty float x\n");
        sprintf(line, "property %s y\n", types[index].name);
        put_text(&w, line);
        if (i % 3 == 0) put_text(&w, "property list ushort double extra\n");
        put_text(&w, "end_header\r\n");
        for (int k = 0; k < 2; k++) {
            put_int(&w, 7, 2);
            put_int(&w, k, 1);
            if (k == 1) put_int(&w, -3, 2);
        }
        for (int k = 0; k < 2; k++) {
            put_real(&w, NAN, 8);
            put_int(&w, 3, types[length].size);
            for (int c = 0; c < 3; c++) put_int(&w, triangle[k][c], types[index].size);
            put_int(&w, 200, 1);
        }
        for (int k = 0; k < 3 * 9; k++) put_int(&w, 255, 1);
        for (int k = 0; k < 4; k++) {
            put_real(&w, corner[k][2], 8);
            put_int(&w, 99, 1);
            put_real(&w, corner[k][0], 4);
            put_int(&w, (int64_t)corner[k][1], types[index].size);
            if (i % 3 != 0) continue;
            put_int(&w, k, 2);
            for (int c = 0; c < k; c++) put_real(&w, 1e300, 8);
        }
        expect_square(read_bytes(w.data, w.size, "a.ply"));
    }
}

// Quadrilaterals, pentagons and thin faces between the triangles of the usual layout.
static void test_binary_polygons(void)
{
    static const int corners[] = {3, 5, 3, 2, 4, 3};
    writer w;
    put_start(&w, true);
    put_text(&w, "element vertex 5\n" XYZ(
                     "float") "element face 6\n"
                              "property list uchar uint vertex_indices\nend_header\n");
    for (int i = 0; i < 15; i++) put_real(&w, i, 4);
    for (int i = 0; i < 6; i++) {
        put_int(&w, corners[i], 1);
        for (int k = 0; k < corners[i]; k++) put_int(&w, k, 4);
    }
    pl_mesh *mesh = read_bytes(w.data, w.size, "p.ply");
    expect_counts(mesh, 5, 8);
    expect_face(mesh, 3, 0, 3, 4);
    expect_face(mesh, 4, 0, 1, 2);
    expect_face(mesh, 6, 0, 2, 3);
    expect_face(mesh, 7, 0, 1, 2);
    expect_warning("p.ply: 1 faces of fewer than 3 corners");
    pl_mesh_destroy(mesh);
}

// --- Broken ---

#define V1 "element vertex 1\n" XYZ("float")
#define F1 "element face 1\nproperty list uchar int vertex_indices\n"
#define ASCII "ply\nformat ascii 1.0\n"

static void test_broken_header(void)
{
    refuse_text("", "x.ply", "x.ply: the file is empty");
    refuse_text("plx\n", "x.ply", "x.ply:1: expected ply");
    refuse_text("ply", "x.ply", "x.ply:1: the file ends within the header");
    refuse_text("ply\nformat ascii 1.0\n", "x.ply", "x.ply:3: the file ends within the header");
    refuse_text("ply\nformat binary 1.0\n", "x.ply", "x.ply:2: expected ascii, binary_little");
    refuse_text("ply\nformat ascii 2.0\n", "x.ply", "x.ply:2: expected format 1.0");
    refuse_text("ply\nfromat ascii 1.0\n", "x.ply", "x.ply:2: expected format, element");
    refuse_text("ply\n" V1 "end_header\n0 0 0\n", "x.ply", "declares no format");
    refuse_text(ASCII "end_header\n", "x.ply", "x.ply:3: the header declares no element vertex");
    refuse_text(ASCII "property float x\n", "x.ply", "x.ply:3: a property before");
    refuse_text(ASCII "element vertex\n", "x.ply", "x.ply:3: expected the number of rows");
    refuse_text(ASCII "element vertex -1\n", "x.ply", "x.ply:3: expected the number of rows");
    refuse_text(ASCII "element vertex 1 1\n", "x.ply", "x.ply:3: unexpected text");
    refuse_text(ASCII "element vertex 1\nproperty real x\n", "x.ply", "x.ply:4: expected a type");
    refuse_text(ASCII V1 "property float x\n", "x.ply",
                "x.ply:7: this property was declared before");
    refuse_text(ASCII V1 V1, "x.ply", "x.ply:7: this element was declared before");
    refuse_text(ASCII V1 "element face 1\nproperty list float int vertex_indices\n", "x.ply",
                "x.ply:8: expected an integer type");
    refuse_text(ASCII V1 "element face 1\nproperty list uchar float vertex_indices\n", "x.ply",
                "x.ply:8: vertex indices must be integers");
    refuse_text(ASCII "element vertex 1\nproperty float x\nend_header\n", "x.ply",
                "lacks x, y or z");
    refuse_text(ASCII F1 "end_header\n3 0 0 0\n", "x.ply", "no element vertex");
    refuse_text(ASCII "element vertex 4000000000\n" XYZ("float") "end_header\n0 0 0\n", "x.ply",
                "4000000000 rows are more than");
    refuse_text(ASCII "element vertex 400000000\n" XYZ("float") "end_header\n0 0 0\n", "x.ply",
                "x.ply:8: 400000000 rows of at least 6 bytes cannot be in the 6 that follow");
    refuse_bytes(LITERAL("ply\nformat ascii 1.0\nelement ver\0tex 1\n"), "x.ply", PL_ERROR_FORMAT,
                 "x.ply:4: the file ends within the header");
}

static void test_broken_text(void)
{
    refuse_text(ASCII V1 "end_header\n0 0\n \n", "x.ply",
                "x.ply:8: vertex 0: expected a finite "
                "number for z");
    refuse_text(ASCII V1 "end_header\nnan 0 0\n", "x.ply", "x.ply:8: vertex 0");
    refuse_text(ASCII V1 "end_header\n0 1e999 0\n", "x.ply", "x.ply:8: vertex 0");
    refuse_text(ASCII V1 "end_header\n0 0,5 0\n", "x.ply", "x.ply:8: vertex 0");
    refuse_text(ASCII V1 "end_header\n      ", "x.ply", "x.ply:8: the file ends in row 1 of 1");
    refuse_text(ASCII V1 F1 "end_header\n0 0 0\n3 0 0 1\n", "x.ply",
                "x.ply:11: expected the index");
    refuse_text(ASCII V1 F1 "end_header\n0 0 0\n3 0 0\n", "x.ply", "x.ply:11: expected the index");
    refuse_text(ASCII V1 F1 "end_header\n0 0 0\n4000000000 0 0 0\n", "x.ply", "4000000000 corners");
    refuse_text(ASCII V1 F1 "end_header\n0 0 0\nx\n", "x.ply", "x.ply:11: expected the number of");
    refuse_bytes(LITERAL(ASCII V1 "end_header\n0 \0 0 0\n"), "x.ply", PL_ERROR_FORMAT,
                 "x.ply:8: vertex 0");
    refuse_text(ASCII "element vertex 1\nproperty list uchar int a\n" XYZ(
                    "float") "end_header\n242949672953333333\v\f 1 2\n",
                "x.ply", "x.ply:9: vertex 0");
    writer w; // binary where text is declared
    put_square(&w, false, 4);
    char *data = strstr(w.data, "binary_little_endian");
    memcpy(data, "ascii 1.0           ", 20);
    memset(data + 20, ' ', 4);
    refuse_bytes(w.data, w.size, "x.ply", PL_ERROR_FORMAT, "x.ply:10: vertex 0");
}

// Text where binary is declared.
static void test_text_as_binary(void)
{
    const char *text = "ply\nformat binary_little_endian 1.0\n" V1 F1 "end_header\n0 0 0 0 0 0 \n"
                       "3 0 0 0\n";
    refuse_bytes(text, strlen(text), "x.ply", PL_ERROR_FORMAT, "x.ply: byte 1");
}

static void test_broken_binary(void)
{
    writer w;
    for (int big = 0; big < 2; big++) {
        put_square(&w, big, 4);
        size_t body = w.size - 2 * 13 - 4 * 12;
        char part[128];
        // Truncated anywhere.
        for (size_t size = body; size < w.size; size++) {
            refuse_bytes(w.data, size, "x.ply", PL_ERROR_FORMAT, "x.ply: byte ");
        }
        // The other byte order.
        char *order = strstr(w.data, big ? "big_endian" : "little_endian");
        writer other = w;
        other.size = 0;
        put_text(&other, big ? "ply\nformat binary_little_endian 1.0\n"
                             : "ply\nformat binary_big_endian 1.0\n");
        size_t rest = (size_t)(strchr(order, '\n') + 1 - w.data);
        memcpy(other.data + other.size, w.data + rest, w.size - rest);
        other.size += w.size - rest;
        refuse_bytes(other.data, other.size, "x.ply", PL_ERROR_FORMAT, "of 4");
        // An index out of range, a list that is too long, a number that is none.
        writer bad = w;
        bad.size = body + 48 + 13 + 9;
        put_int(&bad, -1, 4);
        bad.size = w.size;
        sprintf(part, "x.ply: byte %d: vertex -1 of 4", (int)(body + 48 + 13 + 9));
        refuse_bytes(bad.data, bad.size, "x.ply", PL_ERROR_FORMAT, part);
        bad.data[body + 48] = (char)200;
        refuse_bytes(bad.data, bad.size, "x.ply", PL_ERROR_FORMAT, "a list of 200 values");
        bad = w;
        bad.size = body + 16;
        put_real(&bad, INFINITY, 4);
        sprintf(part, "x.ply: byte %d: vertex 1: not finite", (int)body + 12);
        refuse_bytes(bad.data, w.size, "x.ply", PL_ERROR_FORMAT, part);
    }
    put_start(&w, false);
    put_text(&w, "element vertex 500000000\n" XYZ("float") "end_header\n............");
    refuse_bytes(w.data, w.size, "x.ply", PL_ERROR_FORMAT, "500000000 rows of at least 12 bytes");
    put_start(&w, false);
    put_text(&w, V1 "element other 999999999999999999\nproperty list uchar int a\nend_header\n");
    for (int i = 0; i < 3; i++) put_real(&w, 0, 4);
    refuse_bytes(w.data, w.size, "x.ply", PL_ERROR_FORMAT, "999999999999999999 rows");
    put_start(&w, false);
    put_text(&w, V1 "element face 1\nproperty list int int vertex_index\nend_header\n");
    for (int i = 0; i < 3; i++) put_real(&w, 0, 4);
    put_int(&w, -5, 4);
    refuse_bytes(w.data, w.size, "x.ply", PL_ERROR_FORMAT, "a list of -5 values");
}

static void test_damage(void)
{
    damage(&(sample){square, strlen(square), "damaged.ply", NULL}, 0);
    writer w;
    put_square(&w, true, 8);
    TEST_ASSERT_EQUAL_INT(0, damage(&(sample){w.data, w.size, "damaged.ply", NULL}, 0));
    put_start(&w, false);
    put_text(&w,
             "element vertex 2\n" XYZ(
                 "float") "property list uchar uchar a\nelement face 2\n"
                          "property list ushort uchar vertex_index\nproperty char b\nend_header\n");
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) put_real(&w, k, 4);
        put_text(&w, "\3...");
    }
    for (int i = 0; i < 2; i++) {
        put_int(&w, 4, 2);
        put_int(&w, 1, 4);
        put_int(&w, 0, 1);
    }
    TEST_ASSERT_EQUAL_INT(0, damage(&(sample){w.data, w.size, "damaged.ply", NULL}, 0));
}

static void test_memory(void)
{
    sample s = {square, strlen(square), "a.ply", NULL};
    fail_each_allocation(read_sample, &s);
    writer w;
    put_square(&w, false, 4);
    s = (sample){w.data, w.size, "a.ply", NULL};
    fail_each_allocation(read_sample, &s);
    put_start(&w, false);
    put_text(&w, V1 F1 "end_header\n");
    for (int i = 0; i < 3; i++) put_real(&w, 0, 4);
    put_int(&w, 200, 1);
    for (int i = 0; i < 200; i++) put_int(&w, 0, 4);
    s = (sample){w.data, w.size, "a.ply", NULL};
    fail_each_allocation(read_sample, &s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_text);
    RUN_TEST(test_text_variants);
    RUN_TEST(test_binary_usual);
    RUN_TEST(test_binary_unusual);
    RUN_TEST(test_binary_polygons);
    RUN_TEST(test_broken_header);
    RUN_TEST(test_broken_text);
    RUN_TEST(test_text_as_binary);
    RUN_TEST(test_broken_binary);
    RUN_TEST(test_damage);
    RUN_TEST(test_memory);
    return UNITY_END();
}
