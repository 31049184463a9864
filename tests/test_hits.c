// Hits that go through many rigid bodies: how exactly a step solves for them, and what it says.

#include "mechanisms.h"
#include "../base/base.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

enum { COLUMNS = 6, ROWS = 6 };

// A wall of bricks, and a box that hits it.
static void add_wall(pl_world *world, double speed)
{
    pl_mesh *mesh = make_mesh("box:size=20,20,1:cells=1");
    const double below[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.5};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, below));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, NULL));
    pl_mesh_destroy(mesh);
    for (int j = 0; j < ROWS; j++) {
        for (int i = 0; i < COLUMNS; i++) {
            add_rigid_at(world, "box:size=0.4,0.2,0.2:cells=1", 2.5, 0.401 * (i + 0.5 * (j % 2)), 0,
                         0.101 + 0.201 * j);
        }
    }
    mesh = make_mesh("box:size=0.4,0.4,0.4:cells=1");
    const double before[12] = {1, 0, 0, 1.1, 0, 1, 0, -0.4, 0, 0, 1, 0.6};
    pl_rigid_options options = pl_rigid_options_default();
    options.mass = 10;
    options.velocity[1] = speed;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, before));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, &options, NULL));
    pl_mesh_destroy(mesh);
}

// Twice the speed of the fastest point of the bodies bounds how fast two of them meet or slide.
static double fastest(const pl_world *world)
{
    double most = 0;
    for (int32_t b = 0; b < pl_world_body_count(world); b++) {
        const double *v = pl_world_velocities(world, b);
        for (int32_t i = 0; i < pl_world_vertex_count(world, b); i++) {
            most = PL_MAX(most, sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] +
                                     v[3 * i + 2] * v[3 * i + 2]));
        }
    }
    return 2 * most;
}

// Errors are those allowed, or a thousandth of what moves: of solves that say so. Energy is not
// made, and nothing touches. Returns the number of such solves, in 60 steps.
static int32_t hit(double speed)
{
    pl_world_options options = pl_world_options_default();
    options.dt = 1.0 / 60;
    pl_world *world = make_world(&options);
    add_wall(world, speed);
    int32_t loose = 0;
    double energy = INFINITY, before = speed;
    for (int i = 0; i < 60; i++) {
        pl_step_stats stats;
        pl_audit_report report;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        TEST_ASSERT_EQUAL(0, stats.halvings);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
        TEST_ASSERT_TRUE(report.clean);
        double error = PL_MAX(stats.constraint_error, stats.friction_error);
        double after = fastest(world);
        TEST_ASSERT_TRUE(stats.loose > 0 || error <= options.contact_tolerance);
        TEST_ASSERT_TRUE(error <= options.contact_tolerance ||
                         error <= 1e-3 * stats.dt * PL_MAX(before, after));
        double now = stats.kinetic_energy + stats.gravity_energy;
        TEST_ASSERT_TRUE(now <= energy + 0.05);
        energy = now;
        before = after;
        loose += stats.loose;
    }
    pl_world_destroy(world);
    return loose;
}

static void test_a_wall_that_is_hit(void)
{
    TEST_ASSERT_TRUE(hit(10) > 0);
    hit(1);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_wall_that_is_hit);
    return UNITY_END();
}
