#include "../meshes/neighbours.h"
#include "failing_alloc.h"

#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

// Two tets on the face 0 1 2 and one on the face 1 2 3.
static const int32_t three_tets[12] = {0, 1, 2, 3, 0, 2, 1, 4, 1, 3, 2, 5};

static void test_neighbours_share_a_face(void)
{
    int32_t across[12];
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_neighbours(6, 3, three_tets, across));
    const int32_t expected[12] = {11, -1, -1, 7, -1, -1, -1, 3, -1, -1, -1, 0};
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, across, 12);
}

// The same of a mesh.
static void test_neighbours_of_a_mesh(void)
{
    const double x[18] = {0};
    int32_t across[12];
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(6, x, 0, NULL, 3, three_tets, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_neighbours(mesh, across));
    const int32_t expected[12] = {11, -1, -1, 7, -1, -1, -1, 3, -1, -1, -1, 0};
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, across, 12);
    pl_mesh_destroy(mesh);
}

static void test_the_boundary_is_outward_and_in_the_order_of_tets(void)
{
    int32_t *face, n;
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_boundary(6, 3, three_tets, &face, &n));
    const int32_t expected[24] = {0, 3, 2, 0, 1, 3, 2, 1, 4, 0, 4, 1,
                                  0, 2, 4, 3, 2, 5, 1, 5, 2, 1, 3, 5};
    TEST_ASSERT_EQUAL_INT(8, n);
    TEST_ASSERT_EQUAL_INT32_ARRAY(expected, face, 24);
    pl_free(face);
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_boundary(0, 0, NULL, &face, &n));
    TEST_ASSERT_EQUAL_INT(0, n);
    pl_free(face);
}

// Broken meshes: the neighbours are refused, but known; the boundary leaves crowded faces out.
static void test_a_face_of_three_tets(void)
{
    const int32_t tet[12] = {0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5};
    int32_t across[12], *face, n;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_tet_neighbours(6, 3, tet, across));
    TEST_ASSERT_EQUAL_STRING("the face of the vertices 0, 1 and 2 belongs to three tets",
                             pl_error_text());
    TEST_ASSERT_EQUAL_INT(7, across[3]);
    TEST_ASSERT_EQUAL_INT(3, across[7]);
    TEST_ASSERT_EQUAL_INT(3, across[11]);
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_boundary(6, 3, tet, &face, &n));
    TEST_ASSERT_EQUAL_INT(9, n);
    pl_free(face);
}

static void test_faces_of_a_surface_in_order(void)
{
    const int32_t surface[12] = {3, 2, 1, 0, 1, 2, 2, 0, 3, 1, 3, 2};
    pl_facet *facet;
    TEST_ASSERT_EQUAL(PL_OK, pl_facets_of_faces(4, 4, surface, &facet));
    const int32_t places[4] = {1, 2, 0, 3};
    for (int i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(places[i], facet[i].place);
    TEST_ASSERT_LESS_THAN_INT(0, pl_facet_compare(&facet[0], &facet[1]));
    TEST_ASSERT_EQUAL_INT(0, pl_facet_compare(&facet[2], &facet[3]));
    pl_free(facet);
}

// Many tets around one vertex, and the same tet many times: neither may take quadratic time, which
// would be minutes.
static void test_crowds_take_linear_time(void)
{
    enum { N = 200000 };
    int32_t *tet = malloc(4 * N * sizeof *tet), *face, n;
    for (int i = 0; i < N; i++) {
        const int32_t t[4] = {0, 2 + i, 2 + (i + 1) % N, 1};
        memcpy(tet + 4 * i, t, sizeof t);
    }
    double start = pl_seconds();
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_boundary(N + 2, N, tet, &face, &n));
    TEST_ASSERT_EQUAL_INT(2 * N, n);
    pl_free(face);
    for (int i = 4; i < 4 * N; i++) tet[i] = tet[i % 4];
    TEST_ASSERT_EQUAL(PL_OK, pl_tet_boundary(N + 2, N, tet, &face, &n));
    TEST_ASSERT_EQUAL_INT(0, n);
    TEST_ASSERT_TRUE(pl_seconds() - start < 10);
    pl_free(face);
    free(tet);
}

static pl_status take_all(void *user)
{
    (void)user;
    int32_t across[12], *face, n;
    PL_TRY(pl_tet_neighbours(6, 3, three_tets, across));
    PL_TRY(pl_tet_boundary(6, 3, three_tets, &face, &n));
    pl_free(face);
    return PL_OK;
}

static void test_every_allocation_may_fail(void)
{
    fail_each_allocation(take_all, NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_neighbours_share_a_face);
    RUN_TEST(test_neighbours_of_a_mesh);
    RUN_TEST(test_the_boundary_is_outward_and_in_the_order_of_tets);
    RUN_TEST(test_a_face_of_three_tets);
    RUN_TEST(test_faces_of_a_surface_in_order);
    RUN_TEST(test_crowds_take_linear_time);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
