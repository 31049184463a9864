// Which tet or face a point belongs to. Surfaces that bodies carry try it further
// (test_embedding.c).

#include "../base/team.h"
#include "failing_alloc.h"
#include "matrices.h"
#include "worlds.h"

#include <math.h>

void setUp(void)
{
    random_state = 3;
}

void tearDown(void)
{
    fail_never();
    pl_threads_set(0);
}

enum { POINTS = 500 };

static void fill_points(double *x, double size)
{
    for (int i = 0; i < 3 * POINTS; i++) x[i] = 0.5 * size * random_number();
}

// The point that the weights of a place give.
static void point_of(const pl_mesh *mesh, bool faces, const pl_place *place, double p[3])
{
    int corners = faces ? 3 : 4;
    const int32_t *corner = faces ? pl_mesh_faces(mesh) : pl_mesh_tets(mesh);
    const double *x = pl_mesh_positions(mesh);
    corner += corners * (int64_t)place->element;
    const double *w = place->weight;
    const double weight[4] = {1 - w[0] - w[1] - w[2], w[0], w[1], w[2]};
    for (int c = 0; c < 3; c++) {
        p[c] = 0;
        for (int k = 0; k < corners; k++) p[c] += weight[k] * x[3 * (int64_t)corner[k] + c];
    }
}

static double distance_of(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// Points in a cube of size 1: the weights lead back to them, none is negative. Points around it:
// they lead back too, and the distance is that from the cube.
static void test_weights_lead_back(void)
{
    pl_mesh *cube = make_mesh("cube:cells=3");
    static double x[3 * POINTS];
    static pl_place place[POINTS];
    for (int outside = 0; outside <= 1; outside++) {
        fill_points(x, outside ? 3 : 0.999);
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_locate(cube, false, POINTS, x, place));
        for (int i = 0; i < POINTS; i++) {
            double p[3], d[3];
            point_of(cube, false, &place[i], p);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, distance_of(p, x + 3 * i));
            for (int c = 0; c < 3; c++) d[c] = fmax(fabs(x[3 * i + c]) - 0.5, 0);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, hypot(hypot(d[0], d[1]), d[2]), place[i].distance);
            const double *w = place[i].weight;
            double least = fmin(fmin(1 - w[0] - w[1] - w[2], w[0]), fmin(w[1], w[2]));
            TEST_ASSERT_EQUAL(place[i].distance > 0, least < -1e-12);
        }
    }
    pl_mesh_destroy(cube);
}

// The nearest point of the faces: as far away as the distance says, and nearer than every vertex.
static void test_the_nearest_face(void)
{
    pl_mesh *ring = make_mesh("ring");
    static double x[3 * POINTS];
    static pl_place place[POINTS];
    fill_points(x, 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_locate(ring, true, POINTS, x, place));
    for (int i = 0; i < POINTS; i++) {
        double p[3];
        point_of(ring, true, &place[i], p);
        TEST_ASSERT_EQUAL_DOUBLE(0, place[i].weight[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, place[i].distance, distance_of(p, x + 3 * i));
        for (int32_t v = 0; v < pl_mesh_vertex_count(ring); v++) {
            const double *corner = pl_mesh_positions(ring) + 3 * (int64_t)v;
            TEST_ASSERT_TRUE(place[i].distance <= distance_of(corner, x + 3 * i) * (1 + 1e-12));
        }
    }
    pl_mesh_destroy(ring);
}

static void test_same_bits_for_any_number_of_threads(void)
{
    pl_mesh *cube = make_mesh("cube:cells=4");
    static double x[3 * POINTS];
    static pl_place one[POINTS], many[POINTS];
    fill_points(x, 2);
    pl_threads_set(1);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_locate(cube, false, POINTS, x, one));
    pl_threads_set(4);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_locate(cube, false, POINTS, x, many));
    for (int i = 0; i < POINTS; i++) {
        TEST_ASSERT_EQUAL_INT32(one[i].element, many[i].element);
        TEST_ASSERT_EQUAL_MEMORY(one[i].weight, many[i].weight, sizeof one[i].weight);
        TEST_ASSERT_EQUAL_MEMORY(&one[i].distance, &many[i].distance, sizeof one[i].distance);
    }
    pl_mesh_destroy(cube);
}

static void test_nothing_to_find(void)
{
    const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, far[3] = {1e200, 0, 0};
    const int32_t tet[4] = {0, 1, 2, 3};
    pl_mesh *mesh;
    pl_place place;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, flat, 0, NULL, 1, tet, &mesh));
    expect_failure(PL_ERROR_GEOMETRY, pl_mesh_locate(mesh, false, 1, flat, &place), "flat");
    expect_failure(PL_ERROR_GEOMETRY, pl_mesh_locate(mesh, true, 1, flat, &place), "no faces");
    pl_mesh_destroy(mesh);
    mesh = make_mesh("cube:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_locate(mesh, false, 1, far, &place));
    TEST_ASSERT_EQUAL_INT32(-1, place.element);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_locate(mesh, false, 0, far, &place));
    pl_mesh_destroy(mesh);
}

static pl_status locate_one(void *user)
{
    const double p[3] = {0};
    pl_place place;
    return pl_mesh_locate(user, false, 1, p, &place);
}

static void test_allocations_fail(void)
{
    pl_mesh *cube = make_mesh("cube:cells=1");
    fail_each_allocation(locate_one, cube);
    pl_mesh_destroy(cube);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_weights_lead_back);
    RUN_TEST(test_the_nearest_face);
    RUN_TEST(test_same_bits_for_any_number_of_threads);
    RUN_TEST(test_nothing_to_find);
    RUN_TEST(test_allocations_fail);
    return UNITY_END();
}
