// Steps that cannot be say so, and name who stands in whose way; those that a solver fails on do
// not.

#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static int32_t add(pl_world *world, pl_body_kind kind, const char *shape, double z, double speed)
{
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    int32_t body = -1;
    pl_mesh *mesh = make_mesh(shape);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    pl_kinematic_options moving = pl_kinematic_options_default();
    moving.motion.velocity[2] = speed;
    pl_status status = kind == PL_BODY_RIGID ? pl_world_add_rigid(world, mesh, NULL, &body)
                       : kind == PL_BODY_KINEMATIC
                           ? pl_world_add_kinematic(world, mesh, &moving, &body)
                           : pl_world_add_deformable(world, mesh, NULL, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

#define PLATE "box:size=2,2,0.2:cells=1"
#define BRICK "box:size=1,1,0.2:cells=2"

// A floor, `n` bricks on it, and a plate that comes down on them.
static pl_world *press(int n, pl_body_kind kind, const pl_world_options *options)
{
    pl_world *world = make_world(options);
    add(world, PL_BODY_KINEMATIC, PLATE, -0.1, 0);
    for (int i = 0; i < n; i++) add(world, kind, BRICK, 0.102 + 0.202 * i, 0);
    int32_t plate = add(world, PL_BODY_KINEMATIC, PLATE, 0.11 + 0.202 * n, -0.5);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_name(world, plate, "the press"));
    return world;
}

// Steps until one fails, which must be within n.
static pl_status step_until_failure(pl_world *world, int n)
{
    pl_status status = PL_OK;
    for (int i = 0; i < n && status == PL_OK; i++) status = pl_world_step(world, NULL);
    return status;
}

static void test_crushed(void)
{
    pl_world *world = press(1, PL_BODY_RIGID, NULL);
    expect_failure(PL_ERROR_NUMERICS, step_until_failure(world, 60), "body 1 is crushed: ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "body 0"), pl_error_text());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "the press"), pl_error_text());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "stop earlier, or make the body elastic"),
                                 pl_error_text());
    TEST_ASSERT_NULL_MESSAGE(strstr(pl_error_text(), "allow more"), pl_error_text());
    pl_world_destroy(world);
}

static void test_a_stack_is_crushed(void)
{
    pl_world *world = press(3, PL_BODY_RIGID, NULL);
    expect_failure(PL_ERROR_NUMERICS, step_until_failure(world, 60), " (and 2 more) is crushed: ");
    pl_world_destroy(world);
}

// Whatever its time: also where that ended the step.
static void test_crushed_out_of_time(void)
{
    pl_world *world = press(1, PL_BODY_RIGID, NULL);
    pl_status status = PL_OK;
    for (int i = 0; i < 60 && status == PL_OK; i++) {
        // From the step in which they would meet on.
        if (i == 2) TEST_ASSERT_EQUAL(PL_OK, pl_world_set_max_seconds(world, 0.2));
        status = pl_world_step(world, NULL);
    }
    TEST_ASSERT_TRUE(status == PL_ERROR_TIME || status == PL_ERROR_NUMERICS); // as fast as it is
    expect_failure(status, status, "body 1 is crushed: ");
    pl_world_destroy(world);
}

// A soft brick gives way: 20 steps take a twentieth of it.
static void test_soft_is_not_crushed(void)
{
    pl_world *world = press(1, PL_BODY_DEFORMABLE, NULL);
    step(world, 40);
    pl_world_destroy(world);
}

static void test_given_motions(void)
{
    pl_world *world = make_world(NULL);
    add(world, PL_BODY_KINEMATIC, PLATE, -0.1, 0);
    int32_t body = add(world, PL_BODY_DEFORMABLE, BRICK, 0.11, 0), *all;
    int32_t n = select_vertices(world, body, 2, -1, 1, &all);
    pl_motion down = pl_motion_default();
    down.velocity[2] = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, body, n, all, &down));
    expect_failure(PL_ERROR_NUMERICS, step_until_failure(world, 20),
                   " run into each other where both move as they are told");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "body 0"), pl_error_text());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "body 1"), pl_error_text());
    free(all);
    pl_world_destroy(world);
}

// A solver that is given one iteration fails, and the step could be.
static void test_a_solver_that_fails(void)
{
    pl_world_options options = pl_world_options_default();
    options.contact_iterations = 1;
    options.halvings = 0;
    pl_world *world = press(1, PL_BODY_DEFORMABLE, &options);
    expect_failure(PL_ERROR_NUMERICS, step_until_failure(world, 40), "auto did not converge in 1 ");
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_crushed);
    RUN_TEST(test_a_stack_is_crushed);
    RUN_TEST(test_crushed_out_of_time);
    RUN_TEST(test_soft_is_not_crushed);
    RUN_TEST(test_given_motions);
    RUN_TEST(test_a_solver_that_fails);
    return UNITY_END();
}
