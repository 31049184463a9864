// Rigid and kinematic bodies of a world.

#include "../base/base.h"
#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static int32_t add_rigid(pl_world *world, const char *shape, const pl_rigid_options *options)
{
    pl_mesh *mesh = make_mesh(shape);
    int32_t body = -1;
    pl_status status = pl_world_add_rigid(world, mesh, options, &body);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

// A brick that is thrown and tumbles beside a soft cube: both fall alike, momenta are kept.
static void test_a_rigid_body_falls_and_tumbles(void)
{
    pl_world_options options = no_contact();
    pl_world *world = make_world(&options);
    add_body(world, "cube", NULL);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.velocity[0] = 2;
    rigid.angular_velocity[1] = 20;
    rigid.angular_velocity[2] = 1e-3;
    int32_t brick = add_rigid(world, "box:size=0.1,0.2,0.3", &rigid);
    pl_energy before, after;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &before));
    step(world, 500);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &after));
    pl_frame frame;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, brick, &frame));
    double t = 0.5, dt = options.dt;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6, frame.mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 * t, frame.centre[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, -9.81 * t * (t + dt) / 2, frame.centre[2]); // the scheme's sum
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, before.momentum[0], after.momentum[0]);
    double turned =
        frame.orientation[1] * frame.orientation[1] + frame.orientation[3] * frame.orientation[3];
    TEST_ASSERT_TRUE(turned > 1e-8); // not about y alone any more
    double length = 0;
    for (int k = 0; k < 4; k++) length += frame.orientation[k] * frame.orientation[k];
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, length);
    // Distances between vertices are those of the mesh.
    const double *x = pl_world_positions(world, brick);
    const double *x0 = pl_mesh_positions(pl_world_mesh(world, brick));
    for (int k = 1; k < 8; k++) {
        double d = 0, d0 = 0;
        for (int j = 0; j < 3; j++) {
            d += (x[3 * k + j] - x[j]) * (x[3 * k + j] - x[j]);
            d0 += (x0[3 * k + j] - x0[j]) * (x0[3 * k + j] - x0[j]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, d0, d);
    }
    TEST_ASSERT_EQUAL(PL_BODY_RIGID, pl_world_kind(world, brick));
    pl_world_destroy(world);
}

// Only rigid bodies, in space: energy and momenta stay.
static void test_rigid_bodies_alone(void)
{
    pl_world_options options = no_contact();
    options.gravity[2] = 0;
    pl_world *world = make_world(&options);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.density = 0;
    rigid.mass = 3;
    rigid.angular_velocity[0] = 5;
    rigid.angular_velocity[1] = 4;
    rigid.velocity[1] = -1;
    add_rigid(world, "box:size=0.1,0.2,0.5", &rigid);
    add_rigid(world, "torus", NULL);
    pl_energy before, after;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &before));
    step(world, 1000);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &after));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12 * before.kinetic, before.kinetic, after.kinetic);
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, before.momentum[k], after.momentum[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, before.angular_momentum[k], after.angular_momentum[k]);
    }
    pl_world_destroy(world);
}

static void test_a_kinematic_body_follows_its_motion(void)
{
    pl_world_options free = no_contact();
    pl_world *world = make_world(&free);
    pl_mesh *mesh = make_mesh("cube");
    pl_kinematic_options options = pl_kinematic_options_default();
    int32_t still, moving;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, &still));
    options.motion.velocity[0] = 3;
    options.motion.end = 0.05;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &options, &moving));
    step(world, 20);
    const double *x0 = pl_mesh_positions(mesh);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, x0[0] + 0.06, pl_world_positions(world, moving)[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, pl_world_velocities(world, moving)[0]);
    TEST_ASSERT_EQUAL_DOUBLE(x0[0], pl_world_positions(world, still)[0]);
    step(world, 80);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, x0[0] + 0.15, pl_world_positions(world, moving)[0]);
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_world_velocities(world, moving)[0]);
    pl_mesh_destroy(mesh);
    pl_world_destroy(world);
}

static void test_a_checkpoint_holds_rigid_bodies(void)
{
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.angular_velocity[0] = 7;
    rigid.angular_velocity[2] = 1;
    pl_world_options options = no_contact();
    pl_world *a = make_world(&options), *b = make_world(&options);
    add_rigid(a, "box:size=0.1,0.2,0.5", &rigid);
    add_rigid(b, "box:size=0.1,0.2,0.5", &rigid);
    step(a, 50);
    char path[] = "/tmp/pliant-rigid-XXXXXX";
    close(mkstemp(path));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(a, path));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load(b, path));
    remove(path);
    step(a, 50);
    step(b, 50);
    TEST_ASSERT_TRUE(pl_world_hash(a) == pl_world_hash(b));
    pl_world_destroy(a);
    pl_world_destroy(b);
}

static void test_bad_bodies(void)
{
    pl_world *world = make_world(NULL);
    pl_mesh *cube = make_mesh("cube"), *open = NULL, *cloud = NULL, *empty = NULL;
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const int32_t face[3] = {0, 1, 2};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, x, 1, face, 0, NULL, &open));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, x, 0, NULL, 0, NULL, &cloud));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(0, NULL, 0, NULL, 0, NULL, &empty));
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.surface.friction = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL), "friction");
    rigid.surface.friction = NAN;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL), "friction");
    rigid = pl_rigid_options_default();
    rigid.surface.radius = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL), "radius");
    const double bad_weights[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        rigid = pl_rigid_options_default();
        rigid.density = bad_weights[i];
        expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL),
                       "density: ");
        if (i == 0) continue; // a mass of 0: the density counts
        rigid = pl_rigid_options_default();
        rigid.mass = bad_weights[i];
        expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL), "mass: ");
    }
    pl_deformable_options soft = pl_deformable_options_default();
    soft.surface.friction = -0.1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_deformable(world, cube, &soft, NULL),
                   "friction: -0.1 is not 0 or above");
    pl_kinematic_options plate = pl_kinematic_options_default();
    plate.surface.friction = -0.1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_kinematic(world, cube, &plate, NULL),
                   "friction: -0.1 is not 0 or above");
    rigid = pl_rigid_options_default();
    rigid.velocity[1] = INFINITY;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL), "velocity");
    rigid = pl_rigid_options_default();
    rigid.damping = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_rigid(world, cube, &rigid, NULL), "damping");
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_world_add_rigid(world, open, NULL, NULL));
    expect_failure(PL_ERROR_GEOMETRY, pl_world_add_kinematic(world, empty, NULL, NULL),
                   "neither faces, tets, edges nor points");
    expect_failure(PL_ERROR_GEOMETRY, pl_world_add_rigid(world, cloud, NULL, NULL),
                   "by their radius only");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, open, NULL, NULL));
    TEST_ASSERT_EQUAL(1, pl_world_body_count(world));
    double force[9] = {0};
    const int32_t vertex = 0;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_forces(world, 0, force), "not deformable");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_drive(world, 0, 1, &vertex, NULL), "not deformable");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_state(world, 0, x, NULL), "not deformable");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_stress(world, 0, NULL, NULL), "not deformable");
    pl_frame frame;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_frame(world, 0, &frame), "not rigid");
    pl_mesh_destroy(cube);
    pl_mesh_destroy(open);
    pl_mesh_destroy(cloud);
    pl_mesh_destroy(empty);
    pl_world_destroy(world);
}

static pl_status build_and_step(void *user)
{
    const pl_mesh *mesh = user;
    pl_world *world;
    pl_world_options options = no_contact();
    PL_TRY(pl_world_create(&options, &world));
    pl_status status = pl_world_add_rigid(world, mesh, NULL, NULL);
    if (status == PL_OK) status = pl_world_add_kinematic(world, mesh, NULL, NULL);
    if (status == PL_OK) status = pl_world_add_deformable(world, mesh, NULL, NULL);
    if (status == PL_OK) status = pl_world_step(world, NULL);
    pl_world_destroy(world);
    return status;
}

static void test_every_allocation_may_fail(void)
{
    pl_mesh *mesh = make_mesh("cube");
    fail_each_allocation(build_and_step, mesh);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_rigid_body_falls_and_tumbles);
    RUN_TEST(test_rigid_bodies_alone);
    RUN_TEST(test_a_kinematic_body_follows_its_motion);
    RUN_TEST(test_a_checkpoint_holds_rigid_bodies);
    RUN_TEST(test_bad_bodies);
    RUN_TEST(test_every_allocation_may_fail);
    return UNITY_END();
}
