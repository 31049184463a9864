// A checkpoint is known by the world that wrote it: another dt, another material.

#include "logs.h"

#include <unistd.h>

static char path[] = "/tmp/pliant-origin-XXXXXX";

void setUp(void)
{
    keep_log();
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

typedef struct kind {
    double dt, young, friction, mass;
} kind;

static pl_world *make(const kind *k)
{
    pl_world_options options = no_contact();
    options.dt = k->dt;
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = k->young;
    soft.surface.friction = k->friction;
    add_body(world, "cube:cells=1", &soft);
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.mass = k->mass;
    rigid.angular_velocity[2] = 2;
    pl_mesh *mesh = make_mesh("cube:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, &rigid, NULL));
    pl_mesh_destroy(mesh);
    return world;
}

static void load(const kind *k)
{
    pl_world *world = make(k);
    for (int i = 0; i < 2; i++) { // it is said once
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(world, path), pl_error_text());
    }
    pl_frame frame; // its mass is its own, its velocities are the file's
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 1, &frame));
    TEST_ASSERT_EQUAL_DOUBLE(k->mass, frame.mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, frame.angular_velocity[2]);
    pl_world_destroy(world);
}

static void test_tells_other_worlds(void)
{
    const kind usual = {1e-3, 5e5, 0.5, 3};
    pl_world *world = make(&usual);
    step(world, 3);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(world, path));
    pl_world_destroy(world);
    load(&usual);
    expect_no_warning();
    const kind others[3] = {{1e-3, 5e6, 0.5, 3}, {1e-3, 5e5, 0.4, 3}, {1e-3, 5e5, 0.5, 4}};
    for (int i = 0; i < 3; i++) {
        keep_log();
        load(&others[i]); // masses, which the file has, too
        expect_warning(": the run that wrote it had other materials, masses or friction: ", path);
    }
    keep_log();
    load(&(const kind){2e-3, 5e5, 0.5, 3});
    expect_warning("the run that wrote it had dt 0.001 s (here 0.002 s): ", "another way");
    keep_log();
    load(&(const kind){2e-3, 5e6, 0.5, 3});
    expect_warning("had dt 0.001 s (here 0.002 s) and other materials, masses or", path);
}

int main(void)
{
    UNITY_BEGIN();
    int fd = mkstemp(path);
    TEST_ASSERT_TRUE(fd >= 0 && close(fd) == 0);
    RUN_TEST(test_tells_other_worlds);
    unlink(path);
    return UNITY_END();
}
