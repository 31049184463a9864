#include "files.h"

void setUp(void)
{
    watch_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

static const char square[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n";

static void expect_square(const char *text)
{
    pl_mesh *expected = read_text(square, "a.obj"), *mesh = read_text(text, "b.obj");
    expect_same(expected, mesh);
    pl_mesh_destroy(expected);
    pl_mesh_destroy(mesh);
}

static void test_plain(void)
{
    pl_mesh *mesh = read_text(square, "a.obj");
    expect_counts(mesh, 4, 2);
    expect_vertex(mesh, 2, 1, 1, 0);
    expect_face(mesh, 0, 0, 1, 2);
    expect_face(mesh, 1, 0, 2, 3);
    pl_mesh_destroy(mesh);
}

static void test_variants(void)
{
    // A polygon.
    expect_square("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    // Corners with texture and normal; statements that say nothing about the shape.
    expect_square("mtllib a.mtl\no thing\n# by C:\\path\\\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                  "vt 0 0\nvn 0 0 1\ng a b\nusemtl m\ns off\nf 1/1 2/1 3/1\nf 1//1 3/1/1 4/-1/-1\n"
                  "l 1 2\np 1\n");
    // Indices from the end; faces between the vertices, ahead of them and behind.
    expect_square("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nf 1 3 4\nv 0 1 0");
    // Weights and colours, DOS line ends, a byte order mark, indentation, comments.
    expect_square(
        "\xef\xbb\xbfv 0 0 0 1\r\n  v 1 0 0 0.5 0.5 0.5\r\n\r\nv\t1 1 0\r\nv 0 1 0 # d\r\n"
        "f 1 2 3  \r\nf 1 3 4 # e\r\n");
    // Statements that go on in the next line, read or not.
    expect_square("v 0 \\\n0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\ncurv 0 1 \\\n2 3\nf 1 \\\r\n 2 3\\\n\n"
                  "f 1 3 4 \\\n");
}

static void test_points_only(void)
{
    pl_mesh *mesh = read_text("v 1 2 3\nv 4 5 6\n", "cloud.obj");
    expect_counts(mesh, 2, 0);
    pl_mesh_destroy(mesh);
}

static void test_thin_faces_are_skipped(void)
{
    pl_mesh *mesh = read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2\nf 1 2 3\nf \n", "t.obj");
    expect_counts(mesh, 3, 1);
    expect_warning("t.obj: 2 faces of fewer than 3 corners");
    pl_mesh_destroy(mesh);
}

static void expect_loose(const pl_mesh *mesh, int n_edge, const int32_t *edge, int n_point,
                         const int32_t *point)
{
    TEST_ASSERT_EQUAL_INT32(n_edge, pl_mesh_edge_count(mesh));
    TEST_ASSERT_EQUAL_INT32(n_point, pl_mesh_point_count(mesh));
    if (n_edge > 0) TEST_ASSERT_EQUAL_INT32_ARRAY(edge, pl_mesh_edges(mesh), 2 * n_edge);
    if (n_point > 0) TEST_ASSERT_EQUAL_INT32_ARRAY(point, pl_mesh_points(mesh), n_point);
}

static void test_lines_and_points(void)
{
    pl_mesh *mesh =
        read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nl 1/1 3/2 -1 # a polyline\n"
                  "p 2 \\\n4\nl 2 2\n",
                  "l.obj");
    expect_counts(mesh, 4, 1);
    expect_loose(mesh, 2, (const int32_t[]){0, 2, 2, 3}, 2, (const int32_t[]){1, 3});
    expect_warning("l.obj: 1 edges from a vertex to itself skipped");
    pl_mesh_destroy(mesh);
    refuse_text("v 0 0 0\nl 1\n", "x.obj", "x.obj:2: a line has two vertices or more, and not 1");
    refuse_text("v 0 0 0\nl 1 2\n", "x.obj", "x.obj:2: a face, line or point refers to vertex 2");
    refuse_text("v 0 0 0\np 0\n", "x.obj", "x.obj:2: expected a vertex");
    refuse_text("v 0 0 0\np 1.5\n", "x.obj", "x.obj:2: expected a vertex");
}

// In OBJ, s begins a smoothing group; in .seg it is a segment.
static void test_segments(void)
{
    const char *text = "v 0 0 0\nv 1 0 0\nv 1 1 0\ns 1 2\ns 3 2\n";
    pl_mesh *mesh = read_text(text, "a.seg");
    expect_counts(mesh, 3, 0);
    expect_loose(mesh, 2, (const int32_t[]){0, 1, 2, 1}, 0, NULL);
    pl_mesh_destroy(mesh);
    mesh = read_text(text, "a.obj");
    expect_loose(mesh, 0, NULL, 0, NULL);
    pl_mesh_destroy(mesh);
    refuse_text("v 0 0 0\ns 1 2\n", "x.seg", "x.seg:2: a segment refers to vertex 2 of 1");
    refuse_text("v 0 0 0\nv 1 0 0\ns 1\n", "x.seg",
                "x.seg:3: a segment has two vertices, and not 1");
    refuse_text("v 0 0 0\nv 1 0 0\ns 1 2 1\n", "x.seg", "and not 3");
    refuse_text("v 0 0 0\ns off\n", "x.seg", "x.seg:2: expected a vertex");
    refuse_text("s 1 2\n", "x.seg", "x.seg:2: the file holds no vertices");
    damage(&(sample){text, strlen(text), "damaged.seg", NULL}, 0);
    sample s = {text, strlen(text), "a.seg", NULL};
    fail_each_allocation(read_sample, &s);
}

// More vertices and faces than the first guess has room for, in a file whose rates change.
static void test_growth(void)
{
    enum { N = 20000 };
    char *text = malloc(N * 64), *p = text;
    for (int i = 0; i < N; i++) p += sprintf(p, "v %d.5 0 -%d\n", i, i);
    for (int i = 0; i < N; i++) p += sprintf(p, "f %d %d %d\n", 1, i % N + 1, (i + 7) % N + 1);
    for (int i = 0; i < 2000; i++) p += sprintf(p, "v 0 0 %d\nf 1 2 3 4 5 6\n", i);
    pl_mesh *mesh = read_bytes(text, (size_t)(p - text), "large.obj");
    expect_counts(mesh, N + 2000, N + 8000);
    for (int i = 0; i < N; i++) expect_vertex(mesh, i, i + 0.5, 0, -(double)i);
    for (int i = 0; i < N; i++) expect_face(mesh, i, 0, i, (i + 7) % N);
    expect_face(mesh, N + 7999, 0, 4, 5);
    pl_mesh_destroy(mesh);
    sample s = {text, (size_t)(p - text), "large.obj", NULL};
    fail_each_allocation(read_sample, &s);
    free(text);
}

static void test_broken(void)
{
    refuse_text("", "x.obj", "x.obj: the file is empty");
    refuse_text("# nothing\n", "x.obj", "x.obj:2: the file holds no vertices");
    refuse_text("f 1 2 3\n", "x.obj", "x.obj:2: the file holds no vertices");
    refuse_text("v 0 0\n", "x.obj", "x.obj:1: vertex 1: expected three finite numbers");
    refuse_text("v 0 0 0\nv 0 nan 0\n", "x.obj", "x.obj:2: vertex 2");
    refuse_text("v 0 0 -inf\n", "x.obj", "x.obj:1: vertex 1");
    refuse_text("v 0 0 1e999\n", "x.obj", "x.obj:1: vertex 1");
    refuse_text("v 0 0 0,5\n", "x.obj", "x.obj:1: vertex 1");
    refuse_text("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", "x.obj",
                "x.obj:1: vertex 1: expected nothing but numbers behind the position");
    refuse_text("v 0 0 0 1 nan\n", "x.obj", "x.obj:1: vertex 1: expected nothing but");
    refuse_text("v 0 0 0\nf 1 1 2\nf 1 1 1\n", "x.obj",
                "x.obj:2: a face, line or point refers to vertex 2 of 1");
    refuse_text("v 0 0 0\nf 1 1 0\n", "x.obj", "x.obj:2: expected a vertex");
    refuse_text("v 0 0 0\n\nf 1 1 -2\n", "x.obj", "x.obj:3: expected a vertex");
    refuse_text("v 0 0 0\nf 1 1 4294967297\n", "x.obj", "x.obj:2: expected a vertex");
    refuse_text("v 0 0 0\nf 1 1 99999999999999999999\n", "x.obj", "x.obj:2: expected a vertex");
    refuse_text("v 0 0 0\nf 1 1 1.5\n", "x.obj", "x.obj:2: expected a vertex");
    refuse_text("v 0 0 0\nf 1/a 1 1\n", "x.obj", "x.obj:2: expected a vertex");
    refuse_text("v 0 0 0\n1 2 3\n", "x.obj", "x.obj:2: not a statement of OBJ");
    refuse_bytes(LITERAL("v 0 0 0\n\0\n"), "x.obj", PL_ERROR_FORMAT, "x.obj:2: not a statement");
    refuse_bytes(LITERAL("v 0 0 0\nf 1 1 1\0\n"), "x.obj", PL_ERROR_FORMAT,
                 "x.obj:2: expected a vertex");
    refuse_bytes(LITERAL("v 0 0 0\0"), "x.obj", PL_ERROR_FORMAT, "x.obj:1: vertex 1");
}

static void test_damage(void)
{
    damage(&(sample){square, strlen(square), "damaged.obj", NULL}, 0);
    const char *rich = "# c\\\no a\nv 0 0 0 1\r\nv 1 \\\n0 0\nv 0 1e-3 0\nvn 0 0 1\n"
                       "f 1/1/1 2//1 3/1 \\\n-1\nf 1 2\nl 1 2 3/1\np 1 2\n";
    damage(&(sample){rich, strlen(rich), "damaged.obj", NULL}, 0);
}

static void test_memory(void)
{
    sample s = {square, strlen(square), "a.obj", NULL};
    fail_each_allocation(read_sample, &s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_plain);
    RUN_TEST(test_variants);
    RUN_TEST(test_points_only);
    RUN_TEST(test_thin_faces_are_skipped);
    RUN_TEST(test_lines_and_points);
    RUN_TEST(test_segments);
    RUN_TEST(test_growth);
    RUN_TEST(test_broken);
    RUN_TEST(test_damage);
    RUN_TEST(test_memory);
    return UNITY_END();
}
