#include "buffers.h"

void setUp(void)
{
    watch_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

#define HEAD "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS "POINTS 5 float\n0 0 0 1 0 0\n0 1 0  0 0 1\n1 1 1\n"

static const char text3[] = HEAD "FIELD FieldData 1\nTIME 1 1 double\nnan\n" POINTS
                                 "CELLS 4 19\n4 0 1 2 3\n3 0 1 2\n4 0 1 4 2\n4 1 2 3 4\n"
                                 "CELL_TYPES 4\n10\n5\n9\n10\nPOINT_DATA 5\nSCALARS a float\n";

static const char text5[] =
    "# vtk DataFile Version 5.1\n\nascii\ndataset Unstructured_Grid\n" POINTS
    "METADATA\nINFORMATION 0\n\n"
    "CELLS 5 15\nOFFSETS vtktypeint64\n0 4 7\n11 15\nCONNECTIVITY vtktypeint64\n"
    "0 1 2 3 0 1 2 0 1 4 2 1 2 3 4\nCELL_TYPES 4\n10\n5\n9\n10\n";

static void expect_small(const pl_mesh *mesh)
{
    static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int32_t face[9] = {0, 1, 2, 0, 1, 4, 0, 4, 2};
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    pl_mesh *expected;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, x, 3, face, 2, tet, &expected));
    expect_same(expected, mesh);
    pl_mesh_destroy(expected);
    TEST_ASSERT_EQUAL(0, log_count);
}

static void put_ints(buffer *b, const int32_t *values, size_t n, bool wide)
{
    for (size_t i = 0; i < n; i++) {
        if (wide) {
            put_i64(b, values[i]);
        } else {
            put_i32(b, values[i]);
        }
    }
}

// The same in binary, which is big endian, in the old or the new layout of cells.
static buffer make_binary(bool new_layout)
{
    buffer b = {.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__};
    put_text(&b, new_layout ? "# vtk DataFile Version 5.1\n" : "# vtk DataFile Version 4.2\n");
    put_text(&b, "title\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\na 1 2 short\n"
                 "\x01\x02\x03\x04\nPOINTS 5 double\n");
    for (int i = 0; i < 4; i++) {
        for (int k = 1; k <= 3; k++) put_f64(&b, i == k);
    }
    for (int k = 0; k < 3; k++) put_f64(&b, 1);
    static const int32_t list[] = {4, 0, 1, 2, 3, 3, 0, 1, 2, 4, 0, 1, 4, 2, 4, 1, 2, 3, 4};
    static const int32_t corners[] = {0, 1, 2, 3, 0, 1, 2, 0, 1, 4, 2, 1, 2, 3, 4};
    static const int32_t offsets[] = {0, 4, 7, 11, 15}, types[] = {10, 5, 9, 10};
    if (new_layout) {
        put_text(&b, "\nCELLS 5 15\nOFFSETS vtktypeint64\n");
        put_ints(&b, offsets, 5, true);
        put_text(&b, "\nCONNECTIVITY int\n");
        put_ints(&b, corners, 15, false);
    } else {
        put_text(&b, "\nCELLS 4 19\n");
        put_ints(&b, list, 19, false);
    }
    put_text(&b, "\nCELL_TYPES 4\n");
    put_ints(&b, types, 4, false);
    put_text(&b, "\n");
    return b;
}

static const char surface[] =
    "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n" POINTS
    "VERTICES 1 2\n1 0\nLINES 1 4\n3 0 1 2\n"
    "POLYGONS 3 12\n4 0 1 4 2\n2 0 1\n3 1 2 3\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n";

enum { KINDS = 5 };

static buffer make_kind(int kind)
{
    buffer b = {0};
    if (kind >= 3) return make_binary(kind == 4);
    put_text(&b, kind == 0 ? text3 : kind == 1 ? text5 : surface);
    put_bytes(&b, "", 1); // for strstr
    b.size--;
    return b;
}

static void test_reads_grids_in_all_layouts(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == 2) continue;
        buffer b = make_kind(kind);
        pl_mesh *mesh = read_good(pl_read_vtk, b.data, b.size);
        expect_small(mesh);
        pl_mesh_destroy(mesh);
        free_buffer(&b);
    }
}

static void expect_faces(const pl_mesh *mesh, const int32_t *face, int32_t n)
{
    TEST_ASSERT_EQUAL(n, mesh->n_face);
    TEST_ASSERT_EQUAL_INT32_ARRAY(face, mesh->face, 3 * n);
}

static void test_reads_surfaces(void)
{
    static const int32_t face[] = {0, 1, 4, 0, 4, 2, 1, 2, 3, 0, 1, 2, 2, 1, 3};
    pl_mesh *mesh = read_good(pl_read_vtk, surface, strlen(surface));
    expect_faces(mesh, face, 5);
    TEST_ASSERT_EQUAL(1, log_count);
    TEST_ASSERT_NOT_NULL(strstr(last_log,
                                "skipped 1 poly-vertices, 1 poly-lines, 1 polygons of fewer than "
                                "three corners:"));
    pl_mesh_destroy(mesh);
}

static void test_sniffs_the_first_line(void)
{
    pl_bytes yes, no;
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy(text3, strlen(text3), &yes));
    TEST_ASSERT_EQUAL(PL_OK, pl_bytes_copy("# vtk", 5, &no));
    TEST_ASSERT_TRUE(pl_sniff_vtk(&yes, "a"));
    TEST_ASSERT_FALSE(pl_sniff_vtk(&no, "a.vtk"));
    pl_bytes_free(&yes);
    pl_bytes_free(&no);
}

// Found by fuzzing: arithmetic on the NULL array of a mesh without points.
static void test_reads_a_mesh_of_nothing(void)
{
    static const char text[] = HEAD "POINTS 0 float\nCELLS 0 0\nCELL_TYPES 0\n";
    pl_mesh *mesh = read_good(pl_read_vtk, text, strlen(text));
    TEST_ASSERT_EQUAL(0, mesh->n_vert + mesh->n_tet);
    pl_mesh_destroy(mesh);
}

// More cells than one window of the reader, of alternating and of equal types.
static void test_reads_many_cells(void)
{
    enum { N = 5000 };
    for (int alternate = 0; alternate < 2; alternate++) {
        buffer b = {0};
        char line[64];
        put_text(&b, HEAD POINTS);
        int list = 0;
        for (int i = 0; i < N; i++) list += alternate == 1 && i % 3 == 0 ? 4 : 5;
        snprintf(line, sizeof line, "CELLS %d %d\n", N, list);
        put_text(&b, line);
        for (int i = 0; i < N; i++) {
            snprintf(line, sizeof line, "%d %d %d %d ", alternate == 1 && i % 3 == 0 ? 3 : 4, i % 5,
                     (i + 1) % 5, (i + 2) % 5);
            put_text(&b, line);
            if (!(alternate == 1 && i % 3 == 0)) put_text(&b, "0\n");
        }
        snprintf(line, sizeof line, "\nCELL_TYPES %d\n", N);
        put_text(&b, line);
        for (int i = 0; i < N; i++) put_text(&b, alternate == 1 && i % 3 == 0 ? "5\n" : "10\n");
        pl_mesh *mesh = read_good(pl_read_vtk, b.data, b.size);
        TEST_ASSERT_EQUAL(N, mesh->n_face + mesh->n_tet);
        for (int i = 0, f = 0, t = 0; i < N; i++) {
            const int32_t *v =
                alternate == 1 && i % 3 == 0 ? mesh->face + 3 * f++ : mesh->tet + 4 * t++;
            for (int k = 0; k < 3; k++) TEST_ASSERT_EQUAL((i + k) % 5, v[k]);
        }
        pl_mesh_destroy(mesh);
        free_buffer(&b);
    }
}

// Surfaces of many triangles, with a quad now and then, take the fast way and the other in turn.
static void test_reads_many_polygons(void)
{
    enum { N = 3000 };
    buffer b = {0};
    char line[64];
    put_text(&b, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n" POINTS);
    snprintf(line, sizeof line, "POLYGONS %d %d\n", N, 4 * N + N / 1000);
    put_text(&b, line);
    for (int i = 0; i < N; i++) {
        snprintf(line, sizeof line, i % 1000 == 7 ? "4 %d %d %d 4\n" : "3 %d %d %d\n", i % 3,
                 (i + 1) % 3, (i + 2) % 3);
        put_text(&b, line);
    }
    pl_mesh *mesh = read_good(pl_read_vtk, b.data, b.size);
    TEST_ASSERT_EQUAL(N + N / 1000, mesh->n_face);
    for (int i = 0, f = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) TEST_ASSERT_EQUAL((i + k) % 3, mesh->face[3 * f + k]);
        f += i % 1000 == 7 ? 2 : 1;
        if (i % 1000 == 7) TEST_ASSERT_EQUAL(4, mesh->face[3 * f - 1]);
    }
    pl_mesh_destroy(mesh);
    free_buffer(&b);
    expect_text_error(pl_read_vtk,
                      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n" POINTS
                      "POLYGONS 2 8\n3 0 1 2\n3 0 1\n5\n",
                      "test:12: cell 1 refers to point 5 of 5");
}

static void test_says_where_text_is_wrong(void)
{
    static const char *const bad[][2] = {
        {"", "test:1: expected \"# vtk DataFile"},
        {"# vtk DataFile Version x\n", "test:1: expected the version"},
        {"# vtk DataFile Version 3.0\nt\nTEXT\n", "test:3: expected ASCII or BINARY"},
        {HEAD, "no POINTS"},
        {HEAD POINTS, "no CELLS"},
        {HEAD "POINTS 4294967295 float\n0 0 0\n", "test:6: 12884901885 numbers should follow"},
        {HEAD "POINTS -1 float\n0 0 0\n", "test:5: expected the number of points"},
        {HEAD "POINTS 1 complex\n0 0 0\n", "\"complex\" is no type"},
        {HEAD "POINTS 1 float\n0 nan 0\n", "test:6: expected number 2 of 3"},
        {HEAD "POINTS 1 float\n0 0\n", "test:7: the file ends before number 3 of 3"},
        {HEAD POINTS "CELLS 1 4294967295\n", "numbers should follow"},
        {HEAD POINTS "CELLS 5 4\n", "a list of 4 numbers for 5 cells"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 5\nCELL_TYPES 1\n10\n",
         "test:10: cell 0 refers to point 5"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", "refers to point -1 of 5"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 9\nCELL_TYPES 1\n7\n",
         "test:10: cell 0 refers to point 9"},
        {HEAD POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "cannot have 3 corners"},
        {HEAD POINTS "CELLS 1 5\n9 0 1 2 3\nCELL_TYPES 1\n12\n", "9 corners do not fit"},
        {HEAD POINTS "CELLS 1 5\n-9 0 1 2 3\nCELL_TYPES 1\n12\n", "-9 corners do not fit"},
        {HEAD POINTS "CELLS 2 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", "ends before cell 1"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 3\n", "1 cells, but 0 cell types"},
        {HEAD POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n-1\n", "test:12: cell 0 has the unknown"},
        {HEAD POINTS POINTS, "a second list of points"},
        {HEAD POINTS "CELLS 0 0\nCELLS 0 0\n", "a second list of the same cells"},
        {HEAD POINTS "CELL_TYPES 0\nCELL_TYPES 0\n", "a second list of cell types"},
        {HEAD POINTS "POLYGONS 0 0\n", "test:9: expected POINTS, CELLS"},
        {HEAD "FIELD a 1\nb 4294967295 4 float\n0\n", "ends in a field"},
        {HEAD "FIELD a 1\nb 999999999999999999 999999999999999999 float\n0\n", "too many values"},
        {HEAD "FIELD a 1\nb 1 1 string\nword\n", "\"string\" is no type"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        expect_text_error(pl_read_vtk, bad[i][0], bad[i][1]);
    }
#define HEAD5 "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n" POINTS
#define CORNERS "CONNECTIVITY int\n0 1 2 3\n0 1 2 3\nCELL_TYPES 2\n10\n10\n"
    static const char *const bad5[][2] = {
        {HEAD5 "CELLS 3 8\nOFFSETS int\n1 4 8\n" CORNERS, "test:11: the first offset is not 0"},
        {HEAD5 "CELLS 3 8\nOFFSETS int\n0 8\n4\n" CORNERS, "cannot have 8 corners"},
        {HEAD5 "CELLS 3 8\nOFFSETS int\n0\n4\n3\n" CORNERS, "test:13: cell 1 ends at 3"},
        {HEAD5 "CELLS 3 8\nOFFSETS int\n0 4\n99\n" CORNERS, "test:12: cell 1 ends at 99"},
        {HEAD5 "CELLS 3 8\nOFFSETS float\n0 4\n99\n" CORNERS, "expected integers"},
        {HEAD5 "CELLS 3 8\n0 4\n99\n" CORNERS, "expected OFFSETS"},
        {HEAD5 "CELLS 3 8\nOFFSETS int\n0 4 8\nOFFSETS int\n", "expected CONNECTIVITY"},
    };
    for (size_t i = 0; i < sizeof bad5 / sizeof bad5[0]; i++) {
        expect_text_error(pl_read_vtk, bad5[i][0], bad5[i][1]);
    }
    static const char other[] = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n";
    expect_error(pl_read_vtk, other, strlen(other), PL_ERROR_UNSUPPORTED, "structured_points");
}

static void test_says_where_binary_is_wrong(void)
{
    buffer b = make_binary(false);
    size_t points = (size_t)((char *)memmem(b.data, b.size, "double\n", 7) - b.data) + 7;
    size_t cells = (size_t)((char *)memmem(b.data, b.size, "CELLS 4 19\n", 11) - b.data) + 11;
    char place[64];
    snprintf(place, sizeof place, "byte %zu: point 1 is not finite", points + 32);
    memcpy(b.data + points + 32, "\x7f\xf0\0\0\0\0\0\0", 8);
    expect_error(pl_read_vtk, b.data, b.size, PL_ERROR_FORMAT, place);
    memset(b.data + points + 32, 0, 8);
    snprintf(place, sizeof place, "byte %zu: cell 0 refers to point", cells + 8);
    memcpy(b.data + cells + 8, "\x05\0\0\0", 4); // 5 in the wrong byte order
    expect_error(pl_read_vtk, b.data, b.size, PL_ERROR_FORMAT, place);
    free_buffer(&b);
    static const char text[] =
        "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\n" POINTS "CELLS 0 0\n";
    expect_error(pl_read_vtk, text, strlen(text), PL_ERROR_FORMAT, "bytes are left in the file");
}

static void test_survives_damage(void)
{
    pl_set_log(NULL, NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        buffer b = make_kind(kind);
        // A number of a text may be cut into a shorter one; the last newline may be missing.
        check_damage(pl_read_vtk, &b,
                     kind >= 3
                         ? b.size - 1
                         : (size_t)(strstr(b.data, kind == 2 ? "VERTICES" : "CELLS") - b.data));
        free_buffer(&b);
    }
}

static void test_survives_lack_of_memory(void)
{
    pl_set_log(NULL, NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        buffer b = make_kind(kind);
        check_read_allocations(pl_read_vtk, &b);
        free_buffer(&b);
    }
}

// --- Files that VTK wrote ---

static void test_reads_what_vtk_writes(void)
{
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not there");
    make_directory();
    char arguments[512];
    pl_mesh *mesh = make_grid(3, 0.25, 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_write_vtu(mesh, path_of("grid.vtu"), &(pl_write_options){0}));
    snprintf(arguments, sizeof arguments, "write %s/grid.vtu %s", test_directory, test_directory);
    TEST_ASSERT_EQUAL(0, run_vtk(arguments));
    static const char *const names[] = {"legacy-42-ascii.vtk", "legacy-42-binary.vtk",
                                        "legacy-51-ascii.vtk", "legacy-51-binary.vtk"};
    for (int i = 0; i < 4; i++) {
        pl_mesh *back = read_good_file(pl_read_vtk, path_of(names[i]));
        expect_same(mesh, back);
        pl_mesh_destroy(back);
    }
    pl_mesh_destroy(mesh);
    remove_directory();
}

// See mixed() in check_vtu.py for the cells.
static void test_reads_the_types_of_cells_that_vtk_writes(void)
{
    if (!has_vtk()) TEST_IGNORE_MESSAGE("python3-vtk9 is not there");
    static const int32_t grid[] = {0, 1, 3, 0, 1, 4, 0, 4, 3, 0, 1, 3, 3, 1, 4, 0, 1,
                                   4, 0, 4, 7, 0, 7, 3, 0, 3, 1, 1, 3, 4, 1, 4, 2};
    static const int32_t poly[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 3, 4, 6, 6, 4, 7};
    static const int32_t tet[] = {0, 1, 3, 9, 1, 4, 3, 9};
    make_directory();
    char arguments[512], name[64];
    snprintf(arguments, sizeof arguments, "mixed %s", test_directory);
    TEST_ASSERT_EQUAL(0, run_vtk(arguments));
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "%s-%s-%s.vtk", i < 4 ? "grid" : "surface",
                 i % 2 == 0 ? "42" : "51", i / 2 % 2 == 0 ? "ascii" : "binary");
        pl_mesh *mesh = read_good_file(pl_read_vtk, path_of(name));
        expect_faces(mesh, i < 4 ? grid : poly, i < 4 ? 11 : 5);
        TEST_ASSERT_EQUAL(i < 4 ? 2 : 0, mesh->n_tet);
        if (i < 4) TEST_ASSERT_EQUAL_INT32_ARRAY(tet, mesh->tet, 8);
        pl_mesh_destroy(mesh);
    }
    pl_mesh *mesh = read_good_file(pl_read_vtu, path_of("grid.vtu"));
    expect_faces(mesh, grid, 11);
    TEST_ASSERT_NOT_NULL(strstr(last_log, "skipped 1 vertices, 1 lines, 1 pyramids:"));
    pl_mesh_destroy(mesh);
    remove_directory();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_reads_grids_in_all_layouts);
    RUN_TEST(test_reads_surfaces);
    RUN_TEST(test_sniffs_the_first_line);
    RUN_TEST(test_reads_a_mesh_of_nothing);
    RUN_TEST(test_reads_many_cells);
    RUN_TEST(test_reads_many_polygons);
    RUN_TEST(test_says_where_text_is_wrong);
    RUN_TEST(test_says_where_binary_is_wrong);
    RUN_TEST(test_survives_damage);
    RUN_TEST(test_survives_lack_of_memory);
    RUN_TEST(test_reads_what_vtk_writes);
    RUN_TEST(test_reads_the_types_of_cells_that_vtk_writes);
    return UNITY_END();
}
