// The order of points along a curve: a permutation, with neighbours near each other.

#include "../meshes/curve.h"

#include <math.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

enum { SIDE = 16, N = SIDE * SIDE * SIDE };

static double x[3 * N];
static int32_t order[N];

// A grid, scrambled by a step that is coprime to N.
static void make_grid(void)
{
    for (int i = 0; i < N; i++) {
        int at = (int)((int64_t)i * 2731 % N);
        x[3 * at] = i % SIDE;
        x[3 * at + 1] = i / SIDE % SIDE;
        x[3 * at + 2] = i / (SIDE * SIDE);
    }
}

static void test_every_point_once_and_neighbours_near(void)
{
    make_grid();
    TEST_ASSERT_EQUAL(PL_OK, pl_curve_order(N, x, order));
    static bool seen[N];
    memset(seen, 0, sizeof seen);
    double length = 0;
    for (int i = 0; i < N; i++) {
        TEST_ASSERT_FALSE(seen[order[i]]);
        seen[order[i]] = true;
        const double *p = x + 3 * order[i], *q = x + 3 * order[i > 0 ? i - 1 : 0];
        length += sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
    }
    // Morton's curve over a grid of a power of two: about 1.5 cells a step. Random order: about 10.
    TEST_ASSERT_TRUE(length < 2 * N);
}

static void test_points_in_one_place_keep_their_order(void)
{
    memset(x, 0, sizeof x);
    TEST_ASSERT_EQUAL(PL_OK, pl_curve_order(N, x, order));
    for (int i = 0; i < N; i++) TEST_ASSERT_EQUAL_INT32(i, order[i]);
    TEST_ASSERT_EQUAL(PL_OK, pl_curve_order(0, NULL, NULL));
}

// The same shape under other numbers: every corner is where it was.
static void test_renumber(void)
{
    pl_mesh *mesh, *other;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("torus", &mesh));
    int32_t rank[264];
    TEST_ASSERT_EQUAL_INT32(264, mesh->n_vert);
    TEST_ASSERT_EQUAL(PL_OK, pl_curve_rank(mesh, rank));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_renumber(mesh, rank, &other));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_validate(other));
    int moved = 0;
    for (int i = 0; i < 264; i++) moved += rank[i] != i;
    TEST_ASSERT_TRUE(moved > 200);
    for (int i = 0; i < 3 * mesh->n_face; i++) {
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(mesh->x + 3 * mesh->face[i], other->x + 3 * other->face[i],
                                       3);
    }
    for (int i = 0; i < 4 * mesh->n_tet; i++) {
        TEST_ASSERT_EQUAL_DOUBLE_ARRAY(mesh->x + 3 * mesh->tet[i], other->x + 3 * other->tet[i], 3);
    }
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(other);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_every_point_once_and_neighbours_near);
    RUN_TEST(test_points_in_one_place_keep_their_order);
    RUN_TEST(test_renumber);
    return UNITY_END();
}
