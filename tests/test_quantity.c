#include "../apps/render/quantity.h"
#include "../meshes/mesh.h"

#include <math.h>
#include "failing_alloc.h"
#include "worlds.h"

static pl_world *world;
static double *value;

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
    pl_world_destroy(world);
    free(value);
    world = NULL;
    value = NULL;
}

static void fill(int32_t body, pl_quantity quantity)
{
    free(value);
    value = malloc((size_t)pl_world_vertex_count(world, body) * sizeof *value);
    TEST_ASSERT_EQUAL(PL_OK, pl_quantity_of_body(world, body, quantity, value));
}

static void test_names(void)
{
    pl_quantity found;
    for (int i = 0; i < PL_QUANTITY_COUNT; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_quantity_find(pl_quantity_name((pl_quantity)i), &found));
        TEST_ASSERT_EQUAL(i, found);
    }
    TEST_ASSERT_EQUAL_STRING("von Mises stress", pl_quantity_title(PL_QUANTITY_STRESS));
    TEST_ASSERT_EQUAL_STRING("m/s", pl_quantity_unit(PL_QUANTITY_SPEED));
    expect_failure(PL_ERROR_ARGUMENT, pl_quantity_find("heat", &found), "\"heat\" is not stress");
}

static void test_speed_is_the_length_of_the_velocity(void)
{
    pl_world_options options = no_contact();
    pl_deformable_options body = pl_deformable_options_default();
    body.velocity[0] = 3, body.velocity[1] = -4;
    world = make_world(&options);
    add_body(world, "box", &body);
    fill(0, PL_QUANTITY_SPEED);
    for (int32_t v = 0; v < pl_world_vertex_count(world, 0); v++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, value[v]);
    }
}

// A rod without Poisson's effect, stretched by a thousandth, has E / 1000 everywhere.
static void test_stress_of_a_stretched_rod(void)
{
    pl_world_options options = no_contact();
    pl_deformable_options body = pl_deformable_options_default();
    body.material.young = 2e6;
    body.material.poisson = 0;
    world = make_world(&options);
    add_body(world, "box:size=1,1,3:cells=2,2,5", &body);
    int32_t n = pl_world_vertex_count(world, 0);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, pl_world_positions(world, 0), 3 * (size_t)n * sizeof *x);
    for (int32_t v = 0; v < n; v++) x[3 * v + 2] *= 1.001;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_state(world, 0, x, NULL));
    free(x);
    fill(0, PL_QUANTITY_STRESS);
    // The stress of today's area is larger by the square of the strain at most.
    for (int32_t v = 0; v < n; v++) TEST_ASSERT_DOUBLE_WITHIN(2 * 2, 2000, value[v]);
}

static pl_status fill_stress(void *user)
{
    (void)user;
    return pl_quantity_of_body(world, 0, PL_QUANTITY_STRESS, value);
}

// A cube of 1 m and 1,000 kg on a static plate; a rigid one, so that nothing swings.
static void rest_a_cube(void)
{
    pl_world_options options = pl_world_options_default();
    world = make_world(&options);
    pl_mesh *cube = make_mesh("box:cells=3,3,3"), *plate = make_mesh("box:size=3,3,1");
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1.0001};
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, up));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, cube, NULL, &body));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_kinematic(world, plate, NULL, &body),
                              pl_error_text());
    pl_mesh_destroy(cube);
    pl_mesh_destroy(plate);
    step(world, 40);
}

// Pressure times area, summed over the vertices of a body, is the force on it.
static void test_pressures_add_up_to_the_weight(void)
{
    rest_a_cube();
    for (int32_t body = 0; body < 2; body++) {
        fill(body, PL_QUANTITY_PRESSURE);
        const pl_mesh *mesh = pl_world_mesh(world, body);
        pl_mesh *surface;
        int32_t *from = malloc((size_t)mesh->n_vert * sizeof *from);
        TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, from, &surface));
        double force = 0;
        for (int32_t f = 0; f < surface->n_face; f++) {
            // Faces of these boxes are right triangles: half the product of the two shorter sides.
            double side[3];
            for (int k = 0; k < 3; k++) {
                const double *a = mesh->x + 3 * from[surface->face[3 * f + k]];
                const double *b = mesh->x + 3 * from[surface->face[3 * f + (k + 1) % 3]];
                side[k] = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            }
            double longest = fmax(side[0], fmax(side[1], side[2]));
            double area = side[0] * side[1] * side[2] / longest / 2;
            for (int k = 0; k < 3; k++) force += value[from[surface->face[3 * f + k]]] * area / 3;
        }
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * 9810, 9810, force);
        pl_mesh_destroy(surface);
        free(from);
    }
}

static void test_pressure_is_where_bodies_touch(void)
{
    rest_a_cube();
    fill(0, PL_QUANTITY_PRESSURE);
    const double *x = pl_world_positions(world, 0);
    for (int32_t v = 0; v < pl_world_vertex_count(world, 0); v++) {
        if (x[3 * v + 2] > 0.6) TEST_ASSERT_EQUAL_DOUBLE(0, value[v]);
    }
}

static void test_what_does_not_apply_is_zero(void)
{
    rest_a_cube();
    TEST_ASSERT_FALSE(pl_quantity_applies(world, 0, PL_QUANTITY_STRESS));
    TEST_ASSERT_TRUE(pl_quantity_applies(world, 1, PL_QUANTITY_SPEED));
    TEST_ASSERT_FALSE(pl_quantity_applies(world, 1, PL_QUANTITY_NONE));
    fill(0, PL_QUANTITY_STRESS);
    for (int32_t v = 0; v < pl_world_vertex_count(world, 0); v++) {
        TEST_ASSERT_EQUAL_DOUBLE(0, value[v]);
    }
}

static pl_status fill_pressure(void *user)
{
    (void)user;
    return pl_quantity_of_body(world, 0, PL_QUANTITY_PRESSURE, value);
}

static void test_failing_memory_is_reported(void)
{
    rest_a_cube();
    fill(0, PL_QUANTITY_PRESSURE);
    TEST_ASSERT_GREATER_THAN_INT64(2, fail_each_allocation(fill_pressure, NULL));
    tearDown();
    pl_world_options options = no_contact();
    world = make_world(&options);
    add_body(world, "box", NULL);
    step(world, 1);
    fill(0, PL_QUANTITY_STRESS);
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(2, fail_each_allocation(fill_stress, NULL));
}

static double range_of(int64_t n, const double *of)
{
    double end;
    TEST_ASSERT_EQUAL(PL_OK, pl_quantity_range(n, of, &end));
    return end;
}

static void test_ranges_are_round_and_leave_outliers_out(void)
{
    double v[1000];
    for (int i = 0; i < 1000; i++) v[i] = 0.001 * (i + 1) * 37;
    TEST_ASSERT_EQUAL_DOUBLE(40, range_of(1000, v));
    v[17] = 1e9, v[18] = INFINITY, v[19] = NAN;
    TEST_ASSERT_EQUAL_DOUBLE(40, range_of(1000, v));
    const double few[] = {0, 0, 730};
    TEST_ASSERT_EQUAL_DOUBLE(800, range_of(3, few));
    TEST_ASSERT_EQUAL_DOUBLE(1, range_of(2, few)); // nothing above 0
    TEST_ASSERT_EQUAL_DOUBLE(1, range_of(0, NULL));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_names);
    RUN_TEST(test_speed_is_the_length_of_the_velocity);
    RUN_TEST(test_stress_of_a_stretched_rod);
    RUN_TEST(test_pressures_add_up_to_the_weight);
    RUN_TEST(test_pressure_is_where_bodies_touch);
    RUN_TEST(test_what_does_not_apply_is_zero);
    RUN_TEST(test_failing_memory_is_reported);
    RUN_TEST(test_ranges_are_round_and_leave_outliers_out);
    return UNITY_END();
}
