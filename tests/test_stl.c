#include "files.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

#define FACET(z)                                                                                   \
    "facet normal 0 0 1\n  outer loop\n    vertex 0 0 " #z "\n    vertex 1 0 " #z                  \
    "\n    vertex 0 1.5e-1 " #z "\n  endloop\nendfacet\n"

static const char two[] = "solid thing with a name\n" FACET(0) FACET(2) "endsolid thing\n";

static void expect_two(const pl_mesh *mesh)
{
    expect_counts(mesh, 6, 2);
    expect_vertex(mesh, 1, 1, 0, 0);
    expect_vertex(mesh, 5, 0, 0.15, 2);
    expect_face(mesh, 0, 0, 1, 2);
    expect_face(mesh, 1, 3, 4, 5);
}

static void test_text(void)
{
    static const char *const texts[] = {
        two,
        "solid a\n" FACET(0) "endsolid a\nsolid b\n" FACET(2) "endsolid b\n",
        "\xef\xbb\xbfSOLID A\r\nFACET NORMAL nan nan nan\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\n"
        "VERTEX 1 0 0\r\nVERTEX 0 0.15 0\r\nENDLOOP\r\nENDFACET\r\nfacet normal\r\nouter  loop\r\n"
        "vertex\t0 0 2 vertex 1 0 2 vertex 0 +.15 2 endloop endfacet\r\nEndSolid",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        pl_mesh *mesh = read_text(texts[i], "a.stl");
        expect_two(mesh);
        pl_mesh_destroy(mesh);
    }
    pl_mesh *mesh = read_text("solid empty\nendsolid empty\n", "a.stl");
    expect_counts(mesh, 0, 0);
    pl_mesh_destroy(mesh);
}

enum { HEADER = 80, START = 84, RECORD = 50 };

// `n` triangles (0 0 i), (1 0 i), (0 0.25 i), little endian. buffer (START + n*RECORD)
static size_t make_binary(char *buffer, const char *header, uint32_t n)
{
    memset(buffer, 0, START + n * RECORD);
    memcpy(buffer, header, strlen(header));
    memcpy(buffer + HEADER, &n, 4);
    for (uint32_t i = 0; i < n; i++) {
        const float z = (float)i;
        const float record[12] = {0, 0, 1, 0, 0, z, 1, 0, z, 0, 0.25f, z};
        memcpy(buffer + START + i * RECORD, record, sizeof record);
    }
    return START + n * RECORD;
}

static void test_binary(void)
{
    char buffer[1000];
    static const char *const headers[] = {
        "", "exported", "solid by a careless program", "\xef\xbb\xbf", "OFF 1 1 1 ", "ply "};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        size_t size = make_binary(buffer, headers[i], 3);
        pl_mesh *mesh = read_bytes(buffer, size, "a.stl");
        expect_counts(mesh, 9, 3);
        expect_vertex(mesh, 4, 1, 0, 1);
        expect_vertex(mesh, 8, 0, 0.25, 2);
        expect_face(mesh, 2, 6, 7, 8);
        pl_mesh_destroy(mesh);
    }
    size_t size = make_binary(buffer, "", 0);
    pl_mesh *mesh = read_bytes(buffer, size, "a.stl");
    expect_counts(mesh, 0, 0);
    pl_mesh_destroy(mesh);
}

static void test_binary_with_bytes_behind(void)
{
    char buffer[1000] = {0};
    size_t size = make_binary(buffer, "solid", 2);
    watch_log();
    pl_mesh *mesh = read_bytes(buffer, size + 7, "a.stl");
    pl_set_log(NULL, NULL);
    expect_counts(mesh, 6, 2);
    expect_warning("a.stl: bytes after the last triangle ignored");
    pl_mesh_destroy(mesh);
}

static void test_broken_text(void)
{
    refuse_text("", "x.stl", "x.stl: the file is empty");
    refuse_text("solid a\n", "x.stl", "x.stl:2: the file ends without endsolid");
    refuse_text("solid a\n" FACET(0), "x.stl", "x.stl:9: the file ends without endsolid");
    refuse_text("solid a\nendsolid\nendsolid\n", "x.stl", "x.stl:3: expected solid");
    refuse_text("solid a\nsolid b\n", "x.stl", "x.stl:2: expected facet or endsolid");
    refuse_text("solid a\nfacets\n", "x.stl", "x.stl:2: expected facet or endsolid");
    refuse_text("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0\n", "x.stl",
                "x.stl:5: triangle 0: expected");
    refuse_text("solid a\nfacet\nouter loop\nvertex 0 0 0\nendloop\n", "x.stl",
                "x.stl:5: triangle 0");
    refuse_text("solid a\nfacet\nouter loop\nvertex 0 inf 0\n", "x.stl", "x.stl:4: triangle 0");
    refuse_text("solid a\nfacet\nouter loop\nvertex 0 0 0,1\n", "x.stl", "x.stl:4: triangle 0");
    refuse_text("solid a\n" FACET(0) "facet\nouter loop\nvertex 1 1 1", "x.stl",
                "x.stl:11: triangle 1");
    refuse_bytes(LITERAL("solid a\n\0facet\n"), "x.stl", PL_ERROR_FORMAT,
                 "x.stl: byte 0: neither text");
}

static void test_broken_binary(void)
{
    char buffer[1000];
    size_t size = make_binary(buffer, "solid or not", 3);
    refuse_bytes(buffer, size - 1, "x.stl", PL_ERROR_FORMAT,
                 "x.stl: byte 84: 3 triangles declared, but 149 bytes (2 triangles) follow");
    refuse_bytes(buffer, START - 1, "x.stl", PL_ERROR_FORMAT, "x.stl: byte 0: neither text");
    memcpy(buffer + HEADER, "\xff\xff\xff\xff", 4);
    refuse_bytes(buffer, size, "x.stl", PL_ERROR_FORMAT, "4294967295 triangles declared");
    memcpy(buffer + HEADER, "\0\0\0\3", 4); // the other byte order
    refuse_bytes(buffer, size, "x.stl", PL_ERROR_FORMAT, "50331648 triangles declared");
    memset(buffer + HEADER, 0, 4); // text with a zero byte in it may look like this
    refuse_bytes(buffer, size, "x.stl", PL_ERROR_FORMAT, "0 triangles declared, but 150 bytes");
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        make_binary(buffer, "", 3);
        memcpy(buffer + START + RECORD + 12 + 4 * 4 * i, &bad[i], 4);
        refuse_bytes(buffer, size, "x.stl", PL_ERROR_FORMAT, "x.stl: byte 134: not a finite");
    }
}

static void test_damage(void)
{
    damage(&(sample){two, strlen(two), "damaged.stl", NULL}, 0);
    char buffer[1000];
    size_t size = make_binary(buffer, "solid", 2);
    TEST_ASSERT_EQUAL_INT(0, damage(&(sample){buffer, size, "damaged.stl", NULL}, 0));
}

// Text of more triangles than the first guess has room for.
static void test_growth_and_memory(void)
{
    enum { N = 3000 };
    char *text = malloc(N * sizeof FACET(0) + 64), *p = text;
    p += sprintf(p, "solid\n");
    for (int i = 0; i < N; i++) p += sprintf(p, FACET(0));
    p += sprintf(p, "endsolid\n");
    sample s = {text, (size_t)(p - text), "large.stl", NULL};
    pl_mesh *mesh = read_bytes(s.data, s.size, s.name);
    expect_counts(mesh, 3 * N, N);
    expect_vertex(mesh, 3 * N - 1, 0, 0.15, 0);
    pl_mesh_destroy(mesh);
    fail_each_allocation(read_sample, &s);
    free(text);
    char buffer[1000];
    s = (sample){buffer, make_binary(buffer, "", 2), "a.stl", NULL};
    fail_each_allocation(read_sample, &s);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_text);
    RUN_TEST(test_binary);
    RUN_TEST(test_binary_with_bytes_behind);
    RUN_TEST(test_broken_text);
    RUN_TEST(test_broken_binary);
    RUN_TEST(test_damage);
    RUN_TEST(test_growth_and_memory);
    return UNITY_END();
}
