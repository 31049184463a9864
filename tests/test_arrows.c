#include "../apps/render/arrows.h"

#include <math.h>
#include "failing_alloc.h"
#include "worlds.h"

static pl_arrows arrows;
static pl_world *world;

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
    pl_arrows_free(&arrows);
    pl_world_destroy(world);
    world = NULL;
}

// The volume that the faces enclose; positive if they look outwards.
static double volume(void)
{
    double sum = 0;
    for (int32_t f = 0; f < arrows.n_face; f++) {
        const double *a = arrows.x + 3 * arrows.face[3 * f];
        const double *b = arrows.x + 3 * arrows.face[3 * f + 1];
        const double *c = arrows.x + 3 * arrows.face[3 * f + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

// How far the arrow reaches along a direction.
static double reach(double x, double y, double z)
{
    double most = -INFINITY;
    for (int32_t v = 0; v < arrows.n_vert; v++) {
        const double *p = arrows.x + 3 * v;
        most = fmax(most, p[0] * x + p[1] * y + p[2] * z);
    }
    return most;
}

static void test_an_arrow_reaches_from_here_to_there(void)
{
    static const uint8_t rgb[] = {1, 2, 3};
    const double from[] = {1, 2, 3}, to[] = {1, 2, 5};
    TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add(&arrows, from, to, 0.1, rgb));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, reach(0, 0, 1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -3, reach(0, 0, -1));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 + 0.23, reach(1, 0, 0)); // the head
    // A prism and a pyramid on octagons of area 2 sqrt(2) r^2.
    double octagon = 2 * sqrt(2), want = octagon * (0.01 * 1.5 + 0.23 * 0.23 * 0.5 / 3);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, want, volume());
    for (int32_t v = 0; v < arrows.n_vert; v++) {
        TEST_ASSERT_EQUAL_UINT8_ARRAY(rgb, arrows.color + 3 * v, 3);
    }
}

static void test_a_short_one_is_smaller_and_none_is_none(void)
{
    static const uint8_t rgb[] = {1, 2, 3};
    const double from[] = {0, 0, 0}, to[] = {0.1, 0, 0};
    pl_draw_body body;
    TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add(&arrows, from, from, 0.1, rgb));
    TEST_ASSERT_FALSE(pl_arrows_body(&arrows, &body));
    TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add(&arrows, from, to, 0.1, rgb));
    TEST_ASSERT_TRUE(pl_arrows_body(&arrows, &body));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, reach(1, 0, 0));
    TEST_ASSERT_TRUE(reach(0, 1, 0) < 0.03);
    TEST_ASSERT_EQUAL(arrows.n_face, body.n_face);
    pl_arrows_clear(&arrows);
    TEST_ASSERT_FALSE(pl_arrows_body(&arrows, &body));
}

// A rigid cube of 1,000 kg on a plate, pushed sideways by `push` of its weight.
static void rest_a_cube(double push)
{
    pl_world_options options = pl_world_options_default();
    options.gravity[0] = 9.81 * push;
    world = make_world(&options);
    pl_mesh *cube = make_mesh("box"), *plate = make_mesh("box:size=9,9,1");
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1.0001};
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, up));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, cube, NULL, &body));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, plate, NULL, &body));
    pl_mesh_destroy(cube);
    pl_mesh_destroy(plate);
    step(world, 40);
}

static int32_t count_color(const uint8_t rgb[3])
{
    int32_t n = 0;
    for (int32_t v = 0; v < arrows.n_vert; v++) n += memcmp(arrows.color + 3 * v, rgb, 3) == 0;
    return n;
}

static void test_contacts_have_arrows_by_what_they_do(void)
{
    for (int slips = 0; slips < 2; slips++) {
        rest_a_cube(slips ? 0.8 : 0.2); // friction is 0.5
        double typical = pl_arrows_typical(world);
        TEST_ASSERT_TRUE(typical > 100 && typical <= 2 * 9810);
        pl_arrow_scale scale = pl_arrow_scale_of(typical, 2);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.16, scale.metres_per_newton * typical);
        TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add_contacts(&arrows, world, scale));
        // The longest normal arrow has the length of its force.
        int32_t n;
        const pl_contact_point *c = pl_world_contacts(world, &n);
        double highest = -INFINITY;
        int32_t of_kind[2] = {0, 0}; // stick, slip
        for (int32_t i = 0; i < n; i++) {
            const double *f = c[i].friction;
            of_kind[c[i].slips] += f[0] != 0 || f[1] != 0 || f[2] != 0;
            double force = c[i].force * c[i].normal[2];
            highest = fmax(highest, c[i].point[2] + scale.metres_per_newton * force);
        }
        int32_t each = arrows.n_vert / (n + of_kind[0] + of_kind[1]);
        TEST_ASSERT_EQUAL(each * n, count_color(PL_ARROW_NORMAL));
        TEST_ASSERT_EQUAL(each * of_kind[0], count_color(PL_ARROW_STICK));
        TEST_ASSERT_EQUAL(each * of_kind[1], count_color(PL_ARROW_SLIP));
        TEST_ASSERT_GREATER_THAN(0, of_kind[slips]);
        TEST_ASSERT_DOUBLE_WITHIN(0.02, highest, reach(0, 0, 1));
        tearDown();
    }
}

static void test_without_contacts_there_is_no_force(void)
{
    pl_world_options options = pl_world_options_default();
    world = make_world(&options);
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_arrows_typical(world));
}

static pl_status make_arrows(void *user)
{
    pl_status status = pl_arrows_add_contacts(&arrows, world, *(pl_arrow_scale *)user);
    pl_arrows_free(&arrows);
    return status;
}

static void test_failing_memory_is_reported(void)
{
    rest_a_cube(0.2);
    pl_arrow_scale scale = {1e-4, 0.01};
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(3, fail_each_allocation(make_arrows, &scale));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_arrow_reaches_from_here_to_there);
    RUN_TEST(test_a_short_one_is_smaller_and_none_is_none);
    RUN_TEST(test_contacts_have_arrows_by_what_they_do);
    RUN_TEST(test_without_contacts_there_is_no_force);
    RUN_TEST(test_failing_memory_is_reported);
    return UNITY_END();
}
