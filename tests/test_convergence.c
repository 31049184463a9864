// Halving steps in smooth motion with contact: backward Euler is of first order, however it is
// solved, BDF2 of second.

#include "worlds.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

enum { N_MAX = 600 };
static double rest[N_MAX];
static int32_t n_rest;

static pl_world *make(pl_integrator integrator, double dt)
{
    pl_world_options options = pl_world_options_default();
    options.integrator = integrator;
    options.dt = dt;
    options.tolerance = options.residual_tolerance = 1e-11;
    options.contact_tolerance = 1e-11;
    options.newton_tolerance = integrator == PL_INTEGRATOR_SEMI_IMPLICIT ? 0 : 1e-6;
    pl_world *world = make_world(&options);
    const double down[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -0.5};
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.502};
    pl_mesh *ground = make_mesh("box:size=4,4,1"), *cube = make_mesh("cube:cells=2");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(ground, down));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, up));
    pl_kinematic_options floor = pl_kinematic_options_default();
    pl_deformable_options body = pl_deformable_options_default();
    floor.surface.friction = body.surface.friction = 5; // it sticks
    body.material.kind = PL_MATERIAL_NEO_HOOKEAN;
    body.material.young = 3e5;
    int32_t id;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, ground, &floor, &id));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, cube, &body, &id));
    pl_mesh_destroy(ground);
    pl_mesh_destroy(cube);
    return world;
}

// Where the cube stands at rest.
static void find_rest(void)
{
    pl_world *world = make(PL_INTEGRATOR_STATIC, 0.1);
    step(world, 2);
    n_rest = pl_world_vertex_count(world, 1);
    TEST_ASSERT_TRUE(3 * n_rest <= N_MAX);
    memcpy(rest, pl_world_positions(world, 1), 3 * (size_t)n_rest * sizeof *rest);
    pl_world_destroy(world);
}

// From there, thrown so that it leans over and swings, its foot pressed on the ground: x after 0.1
// s.
static void swing(pl_integrator integrator, int steps, double *x)
{
    double v[N_MAX] = {0};
    pl_world *world = make(integrator, 0.1 / steps);
    for (int32_t i = 0; i < n_rest; i++) {
        v[3 * i] = 0.05 * rest[3 * i + 2] * rest[3 * i + 2];
        v[3 * i + 1] = -0.02 * rest[3 * i] * rest[3 * i + 2];
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, 1, rest, v));
    for (int i = 0; i < steps; i++) {
        pl_step_stats s;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &s), pl_error_text());
        TEST_ASSERT_TRUE(s.contacts >= 9);
    }
    memcpy(x, pl_world_positions(world, 1), 3 * (size_t)n_rest * sizeof *x);
    pl_world_destroy(world);
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < 3 * n_rest; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / n_rest);
}

static double exact[N_MAX];

// Errors with n, 2 n and 4 n steps: their ratios are to be from `low` to `high`.
static void check(pl_integrator integrator, int n, double low, double high)
{
    double error[3], x[N_MAX];
    for (int k = 0; k < 3; k++) {
        swing(integrator, n << k, x);
        error[k] = distance(x, exact);
    }
    char text[100];
    snprintf(text, sizeof text, "%d: errors %g %g %g", (int)integrator, error[0], error[1],
             error[2]);
    for (int k = 0; k < 2; k++) {
        double ratio = error[k] / error[k + 1];
        TEST_ASSERT_TRUE_MESSAGE(ratio > low && ratio < high, text);
    }
}

static void test_orders(void)
{
    find_rest();
    swing(PL_INTEGRATOR_BDF2, 1600, exact);
    check(PL_INTEGRATOR_IMPLICIT, 50, 1.75, 2.25);
    check(PL_INTEGRATOR_SEMI_IMPLICIT, 50, 1.75, 2.25);
    check(PL_INTEGRATOR_BDF2, 25, 3.3, 4.7);
}

// The two ways to solve backward Euler meet as steps shrink, as fast as steps do at least.
static void test_implicit_and_semi_implicit_meet(void)
{
    find_rest();
    double last = 0;
    for (int n = 25; n <= 100; n *= 2) {
        double a[N_MAX], b[N_MAX];
        swing(PL_INTEGRATOR_IMPLICIT, n, a);
        swing(PL_INTEGRATOR_SEMI_IMPLICIT, n, b);
        double apart = distance(a, b);
        if (n > 25) {
            TEST_ASSERT_TRUE(apart < 0.6 * last);
        }
        last = apart;
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_orders);
    RUN_TEST(test_implicit_and_semi_implicit_meet);
    return UNITY_END();
}
