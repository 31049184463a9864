#include "files.h"

void setUp(void)
{
    watch_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

static const char tetrahedron[] = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                                  "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

static void expect_tetrahedron(const char *text)
{
    pl_mesh *expected = read_text(tetrahedron, "a.off"), *mesh = read_text(text, "b.off");
    expect_same(expected, mesh);
    pl_mesh_destroy(expected);
    pl_mesh_destroy(mesh);
}

static void test_plain(void)
{
    pl_mesh *mesh = read_text(tetrahedron, "a.off");
    expect_counts(mesh, 4, 4);
    expect_vertex(mesh, 3, 0, 0, 1);
    expect_face(mesh, 0, 0, 2, 1);
    expect_face(mesh, 3, 1, 2, 3);
    pl_mesh_destroy(mesh);
}

static void test_variants(void)
{
    // Counts in the first line, no number of edges, no last newline, blank lines.
    expect_tetrahedron(
        "OFF 4 4\n\n0 0 0\n1 0 0\n\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3");
    // Line ends of DOS, a byte order mark, tabs.
    expect_tetrahedron("\xef\xbb\xbfOFF\r\n4 4 6\r\n0\t0 0\r\n1 0 0\r\n0 1 0\r\n0 0 1\r\n"
                       "3 0 2 1\r\n3\t0 1 3\r\n3  0 3 2\r\n3 1 2 3\r\n");
    // Comments everywhere; colours of faces.
    expect_tetrahedron(
        "# by hand\nOFF # header\n# counts\n4 4 6 # and edges\n0 0 0 # first\n1 0 0\n"
        "# middle\n0 1 0\n0 0 1\n3 0 2 1 255 0 0\n3 0 1 3 0.5 0.5 0.5 1\n3 0 3 2 17\n"
        "3 1 2 3 # last\n# end\n");
    // Further columns per vertex.
    expect_tetrahedron("COFF\n4 4 6\n0 0 0 255 0 0 255\n1 0 0 0 255 0 255\n0 1 0 1 1 1 1\n"
                       "0 0 1 0 0 0 0\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
    expect_tetrahedron("STCNOFF\n4 4 6\n0 0 0 0 0 1 9 9\n1 0 0 0 0 1 9 9\n0 1 0 0 0 1 9 9\n"
                       "0 0 1 nan 0 0 0 0\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n");
    expect_tetrahedron("NOFF\n4 4 6\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n0 0 1 0 0 1\n3 0 2 1\n"
                       "3 0 1 3\n3 0 3 2\n3 1 2 3\n");
}

static void test_polygons(void)
{
    pl_mesh *mesh = read_text("OFF\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n-1 0.5 0\n"
                              "5 0 1 2 3 4\n3 0 1 2\n4 1 2 3 4 0.5 0.5 0.5\n",
                              "p.off");
    expect_counts(mesh, 5, 6);
    expect_face(mesh, 0, 0, 1, 2);
    expect_face(mesh, 1, 0, 2, 3);
    expect_face(mesh, 2, 0, 3, 4);
    expect_face(mesh, 3, 0, 1, 2);
    expect_face(mesh, 4, 1, 2, 3);
    expect_face(mesh, 5, 1, 3, 4);
    pl_mesh_destroy(mesh);
}

// Faces of two corners and of one are loose edges and points; those of none say nothing.
static void test_thin_faces_are_loose(void)
{
    pl_mesh *mesh =
        read_text("OFF\n3 5 0\n0 0 0\n1 0 0\n1 1 0\n2 0 1\n3 0 1 2\n1 2\n0\n2 1 1\n", "t.off");
    expect_counts(mesh, 3, 1);
    expect_face(mesh, 0, 0, 1, 2);
    TEST_ASSERT_EQUAL_INT32(1, pl_mesh_edge_count(mesh));
    TEST_ASSERT_EQUAL_INT32(0, pl_mesh_edges(mesh)[0]);
    TEST_ASSERT_EQUAL_INT32(1, pl_mesh_edges(mesh)[1]);
    TEST_ASSERT_EQUAL_INT32(1, pl_mesh_point_count(mesh));
    TEST_ASSERT_EQUAL_INT32(2, pl_mesh_points(mesh)[0]);
    expect_warning("t.off: 1 faces of fewer than 3 corners");
    pl_mesh_destroy(mesh);
    refuse_text("OFF\n1 1 0\n0 0 0\n2 0 1\n", "t.off", "expected the index of a vertex");
}

static void test_empty_mesh(void)
{
    pl_mesh *mesh = read_text("OFF\n0 0 0\n", "e.off");
    expect_counts(mesh, 0, 0);
    pl_mesh_destroy(mesh);
}

static void test_broken(void)
{
    refuse_text("", "x.off", "x.off: the file is empty");
    refuse_text("OFD\n1 0 0\n0 0 0\n", "x.off", "x.off:1: expected the keyword OFF");
    refuse_text("OFF", "x.off", "x.off:1: expected the numbers");
    refuse_text("OFF\n3\n", "x.off", "x.off:2: expected the numbers");
    refuse_text("OFF\n3 1 0 0 0 0 1 0 0\n", "x.off", "x.off:2: unexpected text");
    refuse_text("OFF\n-1 0 0\n", "x.off", "x.off:2: -1 vertices");
    refuse_text("OFF\n4000000000 0 0\n0 0 0\n", "x.off", "x.off:2: 4000000000 vertices");
    refuse_text("OFF\n1 4294967295 0\n0 0 0\n", "x.off",
                "and 4294967295 faces cannot be in 7 bytes");
    refuse_text("OFF\n999999999999999999 999999999999999999 0\n", "x.off", "cannot be in");
    refuse_text("OFF\n9999999999999999999 1 0\n", "x.off", "x.off:2: expected the numbers");
    refuse_text("OFF\n2 0 0\n0 0 0\n1 1\n# .....\n", "x.off", "x.off:4: vertex 1");
    refuse_text("OFF\n2 0 0\n0 0 0   # ....\n", "x.off", "x.off:4: the file ends in vertex 2 of 2");
    refuse_text("OFF\n1 0 0\n0 nan 0\n", "x.off", "x.off:3: vertex 0: expected three finite");
    refuse_text("OFF\n1 0 0\n0 0 inf\n", "x.off", "x.off:3: vertex 0");
    refuse_text("OFF\n1 0 0\n0 0 1e999\n", "x.off", "x.off:3: vertex 0");
    refuse_text("OFF\n1 0 0\n0 0 0,5\n", "x.off", "x.off:3: vertex 0");
    refuse_text("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "x.off",
                "x.off:4: expected the index of a vertex, "
                "from 0 to 0");
    refuse_text("OFF\n1 1 0\n0 0 0\n3 0 0 -1\n", "x.off", "x.off:4: expected the index");
    refuse_text("OFF\n1 1 0\n0 0 0\n3 0 0 4294967296\n", "x.off", "x.off:4: expected the index");
    refuse_text("OFF\n1 1 0\n0 0 0\n3 0 0 0.5\n", "x.off", "x.off:4: expected the index");
    refuse_text("OFF\n1 1 0\n0 0 0\n3 0 0\n", "x.off", "x.off:4: expected the index");
    refuse_text("OFF\n1 1 0\n0 0 0\n4294967295 0 0 0\n", "x.off", "cannot have 4294967295 corners");
    refuse_text("OFF\n1 1 0\n0 0 0\n-3 0 0 0\n", "x.off", "cannot have -3 corners");
    refuse_text("OFF\n1 2 0\n0 0 0\n3 0 0 0\n", "x.off", "x.off:5: the file ends in face 2 of 2");
    refuse_bytes(LITERAL("OFF\n1 0 0\n0 \0 0 0\n"), "x.off", PL_ERROR_FORMAT, "x.off:3: vertex 0");
    refuse_bytes(LITERAL("OFF\n1 0 0\n0 0 0\0"), "x.off", PL_ERROR_FORMAT, "x.off:3: vertex 0");
}

static void test_unsupported(void)
{
    const char *text = "4OFF\n1 0 0\n0 0 0 1\n";
    refuse_bytes(text, strlen(text), "x.off", PL_ERROR_UNSUPPORTED, "not 3D");
    text = "OFF BINARY\n....";
    refuse_bytes(text, strlen(text), "x.off", PL_ERROR_UNSUPPORTED, "binary OFF");
}

static void test_long_line(void)
{
    size_t size = 1 << 20;
    char *text = malloc(size + 64);
    int n = sprintf(text, "OFF\n1 0 0\n0 0 0 ");
    memset(text + n, '1', size);
    pl_mesh *mesh = read_bytes(text, size, "long.off"); // a column of a million digits is ignored
    expect_counts(mesh, 1, 0);
    pl_mesh_destroy(mesh);
    text[n - 2] = '.'; // now they belong to the third coordinate
    text[n - 1] = '1';
    mesh = read_bytes(text, size, "long.off");
    TEST_ASSERT_EQUAL_DOUBLE(1.0 / 9, pl_mesh_positions(mesh)[2]);
    pl_mesh_destroy(mesh);
    free(text);
}

static void test_damage(void)
{
    sample s = {tetrahedron, strlen(tetrahedron), "damaged.off", NULL};
    TEST_ASSERT_LESS_OR_EQUAL_INT(1, damage(&s, 0)); // only the last newline may be missing
    const char *rich = "COFF 3 2\n0 0 1e-5 # c\r\n-1.25 0 0 1 1 1 1\n0 +1 0\n4 0 1 2 0\n2 1 2\n";
    damage(&(sample){rich, strlen(rich), "damaged.off", NULL}, 0);
}

static void test_memory(void)
{
    sample s = {tetrahedron, strlen(tetrahedron), "a.off", NULL};
    fail_each_allocation(read_sample, &s);
    const char *polygon = "OFF\n3 1 0\n0 0 0\n0 0 0\n0 0 0\n"
                          "30 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2\n";
    s = (sample){polygon, strlen(polygon), "a.off", NULL};
    fail_each_allocation(read_sample, &s);
}

// The scan has the counts that its header states.
static void test_bunny(void)
{
    const char *scans = getenv("SCANS_DIR");
    char path[512];
    snprintf(path, sizeof path, "%s/bunny.off", scans != NULL ? scans : "build/scans");
    if (access(path, R_OK) != 0) TEST_IGNORE_MESSAGE("the scans were not fetched");
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_mesh_read(path, &mesh), pl_error_text());
    expect_counts(mesh, 37706, 75408);
    expect_vertex(mesh, 0, -0.167662, -0.411917, -0.0732205);
    expect_face(mesh, 75407, 37478, 37477, 5564);
    make_directory();
    pl_mesh *back;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_write(mesh, path_of("b.off"), NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_read(path_of("b.off"), &back));
    expect_same(mesh, back);
    TEST_ASSERT_EQUAL_INT(1, remove_directory());
    pl_mesh_destroy(back);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_plain);
    RUN_TEST(test_variants);
    RUN_TEST(test_polygons);
    RUN_TEST(test_thin_faces_are_loose);
    RUN_TEST(test_empty_mesh);
    RUN_TEST(test_broken);
    RUN_TEST(test_unsupported);
    RUN_TEST(test_long_line);
    RUN_TEST(test_damage);
    RUN_TEST(test_memory);
    RUN_TEST(test_bunny);
    return UNITY_END();
}
