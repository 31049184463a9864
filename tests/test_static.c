// Statics: steps that go to equilibrium, against formulas and against long implicit steps.

#include "worlds.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_world_options statics(double dt)
{
    pl_world_options options = pl_world_options_default();
    options.integrator = PL_INTEGRATOR_STATIC;
    options.dt = dt;
    return options;
}

static pl_mesh *mesh_at(const char *shape, double x, double z)
{
    const double to[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z};
    pl_mesh *mesh = make_mesh(shape);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, to));
    return mesh;
}

static int32_t add_plate(pl_world *world, double z, const double velocity[3], double friction)
{
    int32_t body;
    pl_mesh *mesh = mesh_at("box:size=6,6,0.5", 0, z);
    pl_kinematic_options o = pl_kinematic_options_default();
    o.surface.friction = friction;
    for (int k = 0; k < 3 && velocity != NULL; k++) o.motion.velocity[k] = velocity[k];
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &o, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static double push_on(pl_world *world, int32_t body, double friction[3])
{
    int32_t n;
    double sum = 0;
    const pl_contact_point *c = pl_world_contacts(world, &n);
    for (int k = 0; k < 3; k++) friction[k] = 0;
    for (int32_t i = 0; i < n; i++) {
        if (c[i].body_a != body && c[i].body_b != body) continue;
        sum += c[i].force * fabs(c[i].normal[2]);
        for (int k = 0; k < 3; k++)
            friction[k] += c[i].friction[k] * (c[i].body_a == body ? 1 : -1);
    }
    return sum;
}

// A beam that is clamped and hangs: the same as by an implicit step of 1000 s, in one step.
static void test_beam(void)
{
    double *x[2];
    int32_t n = 0;
    for (int k = 0; k < 2; k++) {
        pl_world_options options = statics(k == 0 ? 0.3 : 1000);
        options.contact = false;
        options.newton_tolerance = 1e-9;
        if (k == 1) options.integrator = PL_INTEGRATOR_IMPLICIT;
        pl_world *world = make_world(&options);
        pl_deformable_options body = pl_deformable_options_default();
        body.material.kind = PL_MATERIAL_NEO_HOOKEAN;
        body.material.mass_damping = body.material.stiffness_damping = k == 0 ? 0.1 : 0;
        int32_t beam = add_body(world, "box:size=4,1,1:cells=8,2,2", &body), *list;
        int32_t m = select_vertices(world, beam, 0, -2, -2 + 1e-9, &list);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, beam, m, list, NULL));
        free(list);
        step(world, k == 0 ? 1 : 2);
        n = 3 * pl_world_vertex_count(world, beam);
        x[k] = malloc((size_t)n * sizeof *x[k]);
        memcpy(x[k], pl_world_positions(world, beam), (size_t)n * sizeof *x[k]);
        pl_energy e;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &e));
        if (k == 0) {
            TEST_ASSERT_EQUAL_DOUBLE(0, e.kinetic);
        }
        pl_world_destroy(world);
    }
    double low = 0;
    for (int32_t i = 0; i < n; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-5, x[1][i], x[0][i]);
        low = fmin(low, x[0][i]);
    }
    TEST_ASSERT_TRUE(low < -1); // it hangs
    free(x[0]);
    free(x[1]);
}

// Pressed by a plate in load steps, and then moved aside under it: the push is that of the other
// plate plus the weight, and friction holds as much as the plate drags.
static void test_press_and_drag(void)
{
    pl_world_options options = statics(0.1);
    pl_world *world = make_world(&options);
    int32_t floor = add_plate(world, -0.25, NULL, 0.6);
    int32_t press = add_plate(world, 1.256, (const double[3]){0.05, 0, -0.2}, 0.6);
    pl_deformable_options o = pl_deformable_options_default();
    o.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    o.material.stretch_limit = 0.001;
    o.surface.friction = 0.6;
    pl_mesh *mesh = mesh_at("cube:cells=4", 0, 0.503);
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &o, &body));
    pl_mesh_destroy(mesh);
    double last = 0;
    for (int i = 0; i < 10; i++) {
        pl_step_stats s;
        double below[3], above[3];
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &s), pl_error_text());
        TEST_ASSERT_EQUAL_INT(0, s.inverted);
        TEST_ASSERT_EQUAL_DOUBLE(0, s.kinetic_energy);
        double up = push_on(world, floor, below), down = push_on(world, press, above);
        TEST_ASSERT_DOUBLE_WITHIN(2e-3 * up, 1000 * 9.81, up - down);
        for (int k = 0; k < 2; k++) TEST_ASSERT_DOUBLE_WITHIN(2e-3 * up, 0, below[k] + above[k]);
        TEST_ASSERT_TRUE(down > last);
        last = down;
    }
    TEST_ASSERT_TRUE(last > 1e5);
    pl_world_destroy(world);
}

// A rigid block and a soft one on a slope: friction holds them, or there is no equilibrium.
static void test_slope(void)
{
    for (int k = 0; k < 4; k++) {
        bool soft = k % 2 == 1, holds = k < 2;
        pl_world_options options = statics(0.1);
        options.gravity[0] = 9.81 * 0.3;
        options.halvings = 0;
        options.max_newton = 40;
        pl_world *world = make_world(&options);
        double friction = holds ? 0.5 : 0.2; // tan is 0.3
        add_plate(world, -0.25, NULL, friction);
        pl_mesh *mesh = mesh_at("cube:cells=2", 0, 0.502);
        int32_t body;
        pl_rigid_options r = pl_rigid_options_default();
        pl_deformable_options d = pl_deformable_options_default();
        r.surface.friction = d.surface.friction = friction;
        TEST_ASSERT_EQUAL(PL_OK, soft ? pl_world_add_deformable(world, mesh, &d, &body)
                                      : pl_world_add_rigid(world, mesh, &r, &body));
        pl_mesh_destroy(mesh);
        pl_status status = pl_world_step(world, NULL);
        if (holds) {
            double slip[3];
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
            TEST_ASSERT_DOUBLE_WITHIN(20, 9810, push_on(world, 0, slip));
            TEST_ASSERT_DOUBLE_WITHIN(20, 0.3 * 9810, fabs(slip[0]));
        } else {
            expect_failure(PL_ERROR_NUMERICS, status, "static: ");
        }
        pl_world_destroy(world);
    }
}

// What nothing holds has no equilibrium, and is named; the state is as it was.
static void test_free_bodies(void)
{
    for (int soft = 0; soft < 2; soft++) {
        pl_world_options options = statics(0.1);
        pl_world *world = make_world(&options);
        pl_mesh *mesh = mesh_at("cube:cells=2", 0, 0);
        int32_t body;
        TEST_ASSERT_EQUAL(PL_OK, soft == 1 ? pl_world_add_deformable(world, mesh, NULL, &body)
                                           : pl_world_add_rigid(world, mesh, NULL, &body));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_name(world, body, "loose"));
        pl_mesh_destroy(mesh);
        uint64_t hash = pl_world_hash(world);
        expect_failure(PL_ERROR_NUMERICS, pl_world_step(world, NULL), "nothing holds");
        expect_failure(PL_ERROR_NUMERICS, pl_world_step(world, NULL), "loose");
        TEST_ASSERT_EQUAL_HEX64(hash, pl_world_hash(world));
        pl_world_destroy(world);
    }
    pl_world_options options = statics(0.1);
    pl_world *world;
    options.sleep = true;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&options, &world), "sleep");
    options.sleep = false;
    options.vj19 = true;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&options, &world), "vj19");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_beam);
    RUN_TEST(test_press_and_drag);
    RUN_TEST(test_slope);
    RUN_TEST(test_free_bodies);
    return UNITY_END();
}
