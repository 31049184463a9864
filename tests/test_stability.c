// What stands by friction, in steps of 1/60 s: a stack of ten boxes, an arch of 25 stones.

#include "mechanisms.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_world *friction_world(double mu)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 1.0 / 60;
    pl_world *world = make_world(&options);
    pl_mesh *mesh = make_mesh("box:size=20,20,1:cells=1");
    const double below[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.5};
    pl_kinematic_options ground = pl_kinematic_options_default();
    ground.surface.friction = mu;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, below));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &ground, NULL));
    pl_mesh_destroy(mesh);
    return world;
}

static int32_t add_block(pl_world *world, pl_mesh *mesh, double mu)
{
    pl_rigid_options options = pl_rigid_options_default();
    int32_t body = -1;
    options.surface.friction = mu;
    pl_status status = pl_world_add_rigid(world, mesh, &options, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

static void test_ten_boxes_do_not_drift(void)
{
    pl_world *world = friction_world(0.5);
    int32_t box[10];
    double start[10][3];
    for (int i = 0; i < 10; i++) {
        pl_mesh *mesh = make_mesh("box:size=1,1,1:cells=1");
        const double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.501 + 1.001 * i};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
        box[i] = add_block(world, mesh, 0.5);
    }
    step(world, 60); // they settle
    for (int i = 0; i < 10; i++) memcpy(start[i], frame_of(world, box[i]).centre, sizeof start[i]);
    step(world, 1200);
    for (int i = 0; i < 10; i++) {
        pl_frame f = frame_of(world, box[i]);
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-3, start[i][k], f.centre[k]);
    }
    pl_world_destroy(world);
}

// Half a circle of 25 stones, 0.2 mm apart at the start: how far its top has come down after 5 s.
static double arch_falls(double mu)
{
    enum { STONES = 25 };
    pl_world *world = friction_world(mu);
    int32_t top = -1;
    for (int i = 0; i < STONES; i++) {
        pl_mesh *mesh = make_mesh("voussoir:inner=1:outer=1.4:depth=0.5:stones=25:cells=1");
        double angle = (i - (STONES - 1) / 2) * 3.14159265358979323846 / STONES;
        double c = cos(angle), s = sin(angle), apart = 2e-4 * STONES / 3.14159265358979323846;
        const double m[12] = {c, 0, s, apart * s, 0, 1, 0, 0, -s, 0, c, apart * c + 1e-4};
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
        int32_t body = add_block(world, mesh, mu);
        if (i == (STONES - 1) / 2) top = body;
    }
    double start = frame_of(world, top).centre[2];
    step(world, 300);
    double end = frame_of(world, top).centre[2];
    pl_world_destroy(world);
    return start - end;
}

static void test_an_arch_stands_by_friction(void)
{
    TEST_ASSERT_TRUE(arch_falls(0.5) < 0.02);
    TEST_ASSERT_TRUE(arch_falls(0.1) > 0.5);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ten_boxes_do_not_drift);
    RUN_TEST(test_an_arch_stands_by_friction);
    return UNITY_END();
}
