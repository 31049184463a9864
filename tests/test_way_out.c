// Which of two bodies that overlap is to move, and by how much: what it says must free them.

#include "worlds.h"
#include "../world/way_out.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static void add(pl_world *world, pl_body_kind kind, const char *shape, const double m[12])
{
    pl_mesh *mesh = make_mesh(shape);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    pl_status status = kind == PL_BODY_DEFORMABLE ? pl_world_add_deformable(world, mesh, NULL, NULL)
                       : kind == PL_BODY_RIGID    ? pl_world_add_rigid(world, mesh, NULL, NULL)
                                                  : pl_world_add_kinematic(world, mesh, NULL, NULL);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
}

#define AT(x, y, z) ((const double[12]){1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z})

// The two bodies with one of them moved as it says: are they apart?
static void check(pl_body_kind kinds[2], const char *const shape[2], const double *const m[2],
                  int32_t expected, double most)
{
    double move[3] = {0};
    pl_world *world = make_world(NULL);
    for (int i = 0; i < 2; i++) add(world, kinds[i], shape[i], m[i]);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_world_step(world, NULL));
    int32_t body = pl_way_out(world, 0, 1, move);
    TEST_ASSERT_EQUAL_INT(expected, body);
    TEST_ASSERT_EQUAL_INT(expected, pl_way_out(world, 1, 0, move));
    double length = sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
    TEST_ASSERT_TRUE_MESSAGE(length <= most, shape[body]);
    pl_world *moved = make_world(NULL);
    for (int i = 0; i < 2; i++) {
        double at[12];
        memcpy(at, m[i], sizeof at);
        for (int k = 0; k < 3 && i == body; k++) at[4 * k + 3] += move[k];
        add(moved, kinds[i], shape[i], at);
    }
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(moved, NULL), pl_error_text());
    pl_world_destroy(world);
    pl_world_destroy(moved);
}

static void test_frees_what_overlaps(void)
{
    pl_body_kind soft_static[2] = {PL_BODY_DEFORMABLE, PL_BODY_KINEMATIC};
    pl_body_kind rigid_soft[2] = {PL_BODY_RIGID, PL_BODY_DEFORMABLE};
    const char *const cubes[2] = {"cube:cells=2", "cube:cells=2"};
    const char *const mixed[2] = {"icosphere:radius=0.4:level=2", "cube:cells=3"};
    // Half a metre to the side is less than the way up.
    check(soft_static, cubes, (const double *const[2]){AT(0.5, 0.1, 0), AT(0, 0, 0)}, 0, 0.51);
    // The ball is the smaller one.
    check(rigid_soft, mixed, (const double *const[2]){AT(0, 0.1, 0.7), AT(0, 0, 0)}, 0, 0.21);
    // One inside of the other: up rather than down, though that is as short.
    check(rigid_soft, mixed, (const double *const[2]){AT(0, 0, 0), AT(0, 0, 0)}, 0, 0.91);
}

// On a slope, the way out is along its normal: shorter than any axis.
static void test_follows_normals(void)
{
    pl_body_kind kinds[2] = {PL_BODY_DEFORMABLE, PL_BODY_KINEMATIC};
    const char *const shapes[2] = {"icosphere:radius=0.5:level=3", "box:size=4,4,0.2:cells=2"};
    const double c = sqrt(0.5), slope[12] = {c, 0, c, 0, 0, 1, 0, 0, -c, 0, c, 0};
    check(kinds, shapes, (const double *const[2]){AT(0.35, 0, 0.35), slope}, 0, 0.12);
}

static void test_text(void)
{
    char text[160];
    pl_world *world = make_world(NULL);
    add(world, PL_BODY_KINEMATIC, "box:size=4,4,1:cells=1", AT(0, 0, -0.5));
    add(world, PL_BODY_RIGID, "cube:cells=1", AT(0, 0, 0.25));
    pl_world_way_out(world, 0, 1, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("move body 1 by (0, 0, 0.261) m", text);
    TEST_ASSERT_EQUAL(6, pl_world_name(world, 1, text, sizeof text));
    TEST_ASSERT_EQUAL_STRING("body 1", text);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_name(world, 1, "the crate"));
    TEST_ASSERT_EQUAL(9, pl_world_name(world, 1, text, sizeof text));
    TEST_ASSERT_EQUAL_STRING("the crate", text);
    expect_failure(PL_ERROR_GEOMETRY, pl_world_prepare(world), "; move the crate by (0, 0, 0.26");
    expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL),
                   "; move the crate by (0, 0, 0.26");
    pl_world_way_out(world, 1, 1, text, sizeof text);
    TEST_ASSERT_EQUAL_STRING("mend the mesh of the crate, or set self to false", text);
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_name(world, 2, "none"), "body 2 of 2");
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_frees_what_overlaps);
    RUN_TEST(test_follows_normals);
    RUN_TEST(test_text);
    return UNITY_END();
}
