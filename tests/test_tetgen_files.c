#include "buffers.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const char node1[] = "# points\n5  3  2  1\n\n1 0 0 0  7 8 -1 # first\n   2 1 0 0 7 8 0\n"
                            "3 0 1 0 7 8 0\n# between\n4 0 0 1 7.5 8 0\n5 1 1 1 7 8 1\n# end\n";
static const char ele1[] = "2 4 1\n  1   1 2 3 4  10\n2 2 3 4 5 20 # second\n";
static const char node0[] = "5 3 0 0\r\n0 0 0 0\r\n1 1 0 0\r\n2 0 1 0\r\n3 0 0 1\r\n4 1 1 1\r\n";
static const char ele0[] = "2 4\n0 0 1 2 3\n1 1 2 3 4";

static pl_status read_pair(const char *node, size_t node_size, const char *ele, size_t ele_size,
                           pl_mesh **out)
{
    pl_bytes n = {0}, e = {0};
    pl_status status = pl_bytes_copy(node, node_size, &n);
    if (status == PL_OK && ele != NULL) status = pl_bytes_copy(ele, ele_size, &e);
    *out = NULL;
    if (status == PL_OK) status = pl_read_tetgen(&n, "test.node", ele ? &e : NULL, "test.ele", out);
    pl_bytes_free(&n);
    pl_bytes_free(&e);
    return status;
}

static void expect_pair(const char *node, const char *ele)
{
    static const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    static const int32_t tet[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    pl_mesh *mesh, *expected;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, x, 0, NULL, ele != NULL ? 2 : 0, tet, &expected));
    pl_status status = read_pair(node, strlen(node), ele, ele != NULL ? strlen(ele) : 0, &mesh);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    expect_same(expected, mesh);
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(expected);
}

static void test_reads_numbering_from_0_and_from_1(void)
{
    expect_pair(node1, ele1);
    expect_pair(node0, ele0);
}

static void test_reads_points_alone(void)
{
    expect_pair(node1, NULL);
    expect_pair(node0, NULL);
}

static void test_reads_a_mesh_of_nothing(void)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, read_pair("0 3 0 0\n", 8, "0 4 0\n", 6, &mesh));
    TEST_ASSERT_EQUAL(0, mesh->n_vert + mesh->n_tet);
    pl_mesh_destroy(mesh);
}

static void expect_bad(const char *node, const char *ele, const char *part)
{
    pl_mesh *mesh;
    pl_status status = read_pair(node, strlen(node), ele, strlen(ele), &mesh);
    TEST_ASSERT_NULL(mesh);
    TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_FORMAT, status, part);
    if (strstr(pl_error_text(), part) != NULL) return;
    TEST_ASSERT_EQUAL_STRING(part, pl_error_text());
}

static void test_says_where_a_file_is_wrong(void)
{
    static const char *const bad_nodes[][2] = {
        {"", "test.node:1: expected the counts of a .node file"},
        {"# nothing\n", "test.node:2: expected the counts"},
        {"1\n", "test.node:1: expected the counts"},
        {"1 3 0 0 0\n", "test.node:1: more counts"},
        {"4294967295 3 0 0\n1 0 0 0\n", "test.node:1: 4294967295 lines should follow"},
        {"-1 3 0 0\n1 0 0 0\n", "test.node:1: expected the counts"},
        {"1 2 0 0\n1 0 0 0\n", "test.node:1: points of dimension 2, not 3"},
        {"1 3 0 2\n1 0 0 0\n", "test.node:1: there can be 0 or 1 marker"},
        {"1 3 99999 0\n1 0 0 0\n", "test.node:1: counts beyond"},
        {"1 3 0 0\n2 0 0 0\n", "test.node:2: points must be numbered from 0 or 1, not from 2"},
        {"2 3 0 0\n1 0 0 0\n1 0 0 0\n", "test.node:3: point 1 where 2 should follow"},
        {"2 3 0 0\n1 0 0 0\n# no more here\n", "test.node:4: expected point 2 of 2"},
        {"1 3 0 0\n1 0 0 0\n2 0 0 0\n", "test.node:3: more than the points announced"},
        {"1 3 0 0\n1 0 0 \n", "test.node:2: expected coordinate 3 of point 1"},
        {"1 3 0 0\n1 0 nan 0\n", "test.node:2: expected coordinate 2 of point 1"},
        {"1 3 0 0\n1 0 0 inf\n", "test.node:2: expected coordinate 3 of point 1"},
        {"1 3 0 0\n1 0 0 0 5\n", "test.node:2: more on the line than announced"},
        {"1 3 1 1\n1 0 0 0 5\n", "test.node:2: expected attribute or marker 2 of 2"},
    };
    for (size_t i = 0; i < sizeof bad_nodes / sizeof bad_nodes[0]; i++) {
        expect_bad(bad_nodes[i][0], ele1, bad_nodes[i][1]);
    }
    static const char *const bad_tets[][2] = {
        {"", "test.ele:1: expected the counts of a .ele file"},
        {"4294967295 4 0\n", "test.ele:1: 4294967295 lines should follow"},
        {"1 10 0\n1 1 2 3 4 5 5 5 5 5 5\n", "test.ele:1: tets with 10 corners"},
        {"1 4 0\n1 1 2 3 6\n", "test.ele:2: a tet refers to point 6, outside of 1 to 5"},
        {"1 4 0\n1 0 2 3 4\n", "test.ele:2: a tet refers to point 0, outside of 1 to 5"},
        {"1 4 0\n1 1 2 3\n# x\n", "test.ele:2: expected corner 4 of a tet"},
        {"2 4 0\n1 1 2 3 4\n# nothing\n", "test.ele:4: expected tet 2 of 2"},
        {"1 4 0\n1 1 2 3 4\n2 1 2 3 4\n", "test.ele:3: more than the tets announced"},
        {"1 4 1\n1 1 2 3 4\n", "test.ele:2: expected attribute or marker 1 of 1"},
    };
    for (size_t i = 0; i < sizeof bad_tets / sizeof bad_tets[0]; i++) {
        expect_bad(node1, bad_tets[i][0], bad_tets[i][1]);
    }
    expect_bad(node0, "1 4 0\n1 1 2 3 5\n", "outside of 0 to 4");
}

// The reader of check_damage takes one file: the other one is good.
static pl_status read_node(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    (void)name;
    return read_pair(bytes->data, bytes->size, ele1, strlen(ele1), out);
}

static pl_status read_ele(const pl_bytes *bytes, const char *name, pl_mesh **out)
{
    (void)name;
    return read_pair(node1, strlen(node1), bytes->data, bytes->size, out);
}

static void test_survives_damage(void)
{
    buffer node = {0}, ele = {0};
    put_text(&node, node1);
    put_text(&ele, ele1);
    check_damage(read_node, &node, node.size - strlen("1\n# end\n"));
    check_damage(read_ele, &ele, ele.size - strlen("20 # second\n"));
    check_read_allocations(read_node, &node);
    check_read_allocations(read_ele, &ele);
    free_buffer(&node);
    free_buffer(&ele);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_reads_numbering_from_0_and_from_1);
    RUN_TEST(test_reads_points_alone);
    RUN_TEST(test_reads_a_mesh_of_nothing);
    RUN_TEST(test_says_where_a_file_is_wrong);
    RUN_TEST(test_survives_damage);
    return UNITY_END();
}
