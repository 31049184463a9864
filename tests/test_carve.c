#include "../meshes/mesh.h"
#include "unity.h"

#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// Three tets in a row.
static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 1, 1, -1};
static const int32_t tet[] = {0, 1, 2, 3, 0, 2, 1, 4, 4, 2, 1, 5};
static const int32_t third[] = {4, 1, 2, 2, 1, 5, 4, 5, 1, 4, 2, 5}; // of the third
static const int32_t hull[] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 4, 1,
                               0, 2, 4, 2, 1, 5, 4, 5, 1, 4, 2, 5}; // of all three

static pl_mesh *create(int32_t n_face, const int32_t *face)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(6, x, n_face, face, 3, tet, &mesh));
    return mesh;
}

static void test_all_inside_stays(void)
{
    pl_mesh *mesh = create(8, hull);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_carve(mesh, 0));
    TEST_ASSERT_EQUAL(3, mesh->n_tet);
    TEST_ASSERT_EQUAL(6, mesh->n_vert);
    TEST_ASSERT_EQUAL_MEMORY(tet, mesh->tet, sizeof tet);
    TEST_ASSERT_EQUAL_MEMORY(hull, mesh->face, sizeof hull);
    pl_mesh_destroy(mesh);
}

// The walls are the hull and, turned inside out, the shell of a cavity in it.
static pl_mesh *with_cavity(const int32_t *cavity)
{
    int32_t face[36];
    memcpy(face, hull, sizeof hull);
    for (int i = 0; i < 4; i++) {
        const int32_t *f = cavity + 3 * i;
        memcpy(face + 24 + 3 * i, (int32_t[3]){f[0], f[2], f[1]}, 3 * sizeof *f);
    }
    return create(12, face);
}

static void test_walls_that_contradict_each_other_are_refused(void)
{
    pl_mesh *mesh = with_cavity(third); // three of its faces are outside and inside at once
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_carve(mesh, 0));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "inside another"));
    pl_mesh_destroy(mesh);
}

static void test_a_wall_without_an_inner_side_is_found(void)
{
    // The first tet is solid; the two others are a bag of which only the outer side has walls.
    int32_t face[] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1, 0, 1,
                      4, 0, 4, 2, 2, 5, 1, 4, 1, 5, 4, 5, 2};
    pl_mesh *mesh = create(9, face);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_carve(mesh, 0)); // walls without an inner side
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "face 4 of the surface has no tet"));
    pl_mesh_destroy(mesh);
}

static void test_a_missing_wall_is_found(void)
{
    pl_mesh *mesh = create(7, hull);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_carve(mesh, 0));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "no face of the surface"));
    pl_mesh_destroy(mesh);
}

static void test_a_wall_that_no_tet_has_is_found(void)
{
    int32_t face[27];
    memcpy(face, hull, sizeof hull);
    memcpy(face + 24, (int32_t[3]){3, 4, 5}, 3 * sizeof *face);
    pl_mesh *mesh = create(9, face);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_carve(mesh, 0));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "face 8 of the surface"));
    pl_mesh_destroy(mesh);
}

static void test_a_surface_turned_inside_out_is_refused(void)
{
    int32_t face[24];
    for (int i = 0; i < 8; i++) {
        memcpy(face + 3 * i, (int32_t[3]){hull[3 * i], hull[3 * i + 2], hull[3 * i + 1]},
               3 * sizeof *face);
    }
    pl_mesh *mesh = create(8, face);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_mesh_carve(mesh, 0));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "inside out"));
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_all_inside_stays);
    RUN_TEST(test_walls_that_contradict_each_other_are_refused);
    RUN_TEST(test_a_wall_without_an_inner_side_is_found);
    RUN_TEST(test_a_missing_wall_is_found);
    RUN_TEST(test_a_wall_that_no_tet_has_is_found);
    RUN_TEST(test_a_surface_turned_inside_out_is_refused);
    return UNITY_END();
}
