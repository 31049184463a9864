// The mesh itself: copies, checks, bounds, volume, transforms, boundary.

#include "../meshes/mesh.h"
#include "failing_alloc.h"

#include <math.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

static const double corner_x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int32_t corner_tet[4] = {0, 1, 2, 3};

static pl_mesh *corner(void)
{
    pl_mesh *mesh = NULL;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, corner_x, 0, NULL, 1, corner_tet, &mesh));
    return mesh;
}

static void test_create_copies(void)
{
    double x[12];
    memcpy(x, corner_x, sizeof x);
    pl_mesh *mesh, *copy;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 0, NULL, 1, corner_tet, &mesh));
    x[0] = 7;
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_mesh_positions(mesh)[0]);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_copy(mesh, &copy));
    pl_mesh_destroy(mesh);
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY(corner_x, pl_mesh_positions(copy), 12);
    TEST_ASSERT_EQUAL_INT32_ARRAY(corner_tet, pl_mesh_tets(copy), 4);
    pl_mesh_destroy(copy);
    pl_mesh_destroy(NULL);
}

static void refuse(int32_t n_vert, const double *x, int32_t n_tet, const int32_t *tet,
                   const char *complaint)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_mesh_create(n_vert, x, 0, NULL, n_tet, tet, &mesh));
    TEST_ASSERT_NULL(mesh);
    TEST_ASSERT_EQUAL_STRING(complaint, pl_error_text());
}

static void test_create_refuses(void)
{
    double bad[12];
    memcpy(bad, corner_x, sizeof bad);
    bad[7] = NAN;
    const int32_t out_of_range[4] = {0, 1, 2, 4}, negative[4] = {0, 1, -2, 3};
    refuse(-1, corner_x, 1, corner_tet, "mesh: negative count");
    refuse(4, NULL, 1, corner_tet, "mesh: NULL array with a count above 0");
    refuse(4, bad, 1, corner_tet, "vertex 2: coordinate 1 is not finite");
    refuse(4, corner_x, 1, out_of_range, "tet 0: vertex 4 of 4");
    refuse(4, corner_x, 1, negative, "tet 0: vertex -2 of 4");
    refuse(INT32_MAX / 4 + 1, corner_x, 1, corner_tet,
           "a mesh of more than 536870911 vertices, faces or tets");
}

static void test_empty_mesh(void)
{
    pl_mesh *mesh, *surface;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(0, NULL, 0, NULL, 0, NULL, &mesh));
    double lo[3], hi[3];
    pl_mesh_bounds(mesh, lo, hi);
    TEST_ASSERT_TRUE(lo[0] > hi[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_mesh_volume(mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &surface));
    TEST_ASSERT_EQUAL_INT(0, pl_mesh_face_count(surface));
    pl_mesh_destroy(surface);
    pl_mesh_destroy(mesh);
}

static void test_boundary_of_one_tet(void)
{
    pl_mesh *mesh = corner(), *surface;
    int32_t map[4];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, map, &surface));
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_face_count(surface));
    TEST_ASSERT_EQUAL_INT(4, pl_mesh_vertex_count(surface));
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 1.0 / 6, pl_mesh_volume(surface)); // outward
    for (int i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(i, map[i]);
    pl_mesh_destroy(surface);
    pl_mesh_destroy(mesh);
}

// The inner vertices of a box are not part of its surface, and the map leads back.
static void test_surface_leaves_out_the_inside(void)
{
    pl_mesh *box, *surface;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("box:cells=4,4,4", &box));
    int32_t map[125];
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(box, map, &surface));
    TEST_ASSERT_EQUAL_INT(125 - 27, pl_mesh_vertex_count(surface));
    for (int i = 0; i < 98; i++) {
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(pl_mesh_positions(box) + 3 * map[i],
                                       pl_mesh_positions(surface) + 3 * i, 3);
    }
    pl_mesh_destroy(surface);
    pl_mesh_destroy(box);
}

static void test_transform(void)
{
    pl_mesh *mesh = corner();
    const double mirror[12] = {-2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, mirror));
    TEST_ASSERT_EQUAL_DOUBLE(-1, pl_mesh_positions(mesh)[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 2.0 / 6, pl_mesh_volume(mesh)); // still positive
    const double huge[12] = {1e308, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const double wrong[12] = {0, NAN};
    mesh->x[3] = 100;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_mesh_transform(mesh, huge));
    TEST_ASSERT_EQUAL_STRING("transform: vertex 1 overflows", pl_error_text());
    TEST_ASSERT_EQUAL_DOUBLE(100, mesh->x[3]);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_mesh_transform(mesh, wrong));
    pl_mesh_destroy(mesh);
}

static void test_set_positions(void)
{
    pl_mesh *mesh = corner();
    double x[12] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_set_positions(mesh, x));
    TEST_ASSERT_EQUAL_MEMORY(x, pl_mesh_positions(mesh), sizeof x);
    TEST_ASSERT_EQUAL_DOUBLE(4, pl_mesh_volume(mesh));
    x[0] = 9, x[7] = INFINITY;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_mesh_set_positions(mesh, x));
    TEST_ASSERT_EQUAL_STRING("set_positions: vertex 2 is not finite", pl_error_text());
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_mesh_positions(mesh)[0]);
    pl_mesh_destroy(mesh);
}

static pl_status make_and_take_surface(void *user)
{
    const char *const *description = user;
    pl_mesh *mesh, *surface = NULL;
    PL_TRY(pl_mesh_make(*description, &mesh));
    pl_status status = pl_mesh_surface(mesh, NULL, &surface);
    pl_mesh_destroy(surface);
    pl_mesh_destroy(mesh);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    const char *shapes[] = {"ring", "plate", "cube", "cylinder", "icosphere", "torus", "rod"};
    for (int i = 0; i < 7; i++) {
        TEST_ASSERT_GREATER_THAN_INT64(8, fail_each_allocation(make_and_take_surface, &shapes[i]));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_create_copies);
    RUN_TEST(test_create_refuses);
    RUN_TEST(test_empty_mesh);
    RUN_TEST(test_boundary_of_one_tet);
    RUN_TEST(test_surface_leaves_out_the_inside);
    RUN_TEST(test_transform);
    RUN_TEST(test_set_positions);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
