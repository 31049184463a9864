#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// Two tets that share a vertex, one by itself, and a vertex without any; the face joins nothing
// where there are tets.
static void test_parts_hang_together_over_tets(void)
{
    const double x[36] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0, 6, 0, 0,
                          5, 1, 0, 5, 0, 1, 0, 0, 9, 1, 1, 1, 2, 1, 1, 1, 2, 1};
    const int32_t tet[12] = {7, 4, 5, 6, 0, 1, 2, 3, 3, 9, 10, 11}, face[3] = {0, 4, 8};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(12, x, 1, face, 3, tet, &mesh));
    int32_t part[12];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_parts(mesh, part));
    const int32_t expected[12] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 0, 0, 0};
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, part, 12);
    pl_mesh_destroy(mesh);
}

static void test_parts_of_a_surface_hang_together_over_faces(void)
{
    const double x[18] = {0};
    const int32_t face[6] = {5, 1, 3, 4, 0, 2};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(6, x, 2, face, 0, NULL, &mesh));
    int32_t part[6];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_parts(mesh, part));
    const int32_t expected[6] = {0, 1, 0, 1, 0, 1};
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, part, 6);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_parts_hang_together_over_tets);
    RUN_TEST(test_parts_of_a_surface_hang_together_over_faces);
    return UNITY_END();
}
