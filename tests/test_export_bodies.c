// Bodies of a scene as surfaces with a look.

#include "exports.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static void test_bodies_of_a_scene(void)
{
    pl_scene scene;
    pl_world *world;
    pl_export_bodies bodies;
    make_export_scene(&scene, &world);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    TEST_ASSERT_EQUAL_INT(EXPORT_BODIES, bodies.n);
    static const int number[] = {0, 1, -1, 2};
    int32_t n_vert = 0, n_face = 0;
    for (int i = 0; i < EXPORT_BODIES; i++) {
        const pl_export_body *body = &bodies.body[i];
        char name[24];
        snprintf(name, sizeof name, "body_%03d", i);
        TEST_ASSERT_EQUAL_STRING(name, body->name);
        TEST_ASSERT_EQUAL_INT(number[i], body->number);
        TEST_ASSERT_EQUAL_INT(n_vert, body->vert);
        TEST_ASSERT_EQUAL_INT(n_face, body->face);
        n_vert += body->n_vert;
        n_face += body->n_face;
        for (int32_t k = 0; k < 3 * body->n_face; k++) {
            int32_t v = bodies.face[3 * body->face + k];
            TEST_ASSERT_TRUE(v >= 0 && v < body->n_vert);
        }
    }
    TEST_ASSERT_EQUAL_INT(n_vert, bodies.n_vert);
    TEST_ASSERT_EQUAL_INT(n_face, bodies.n_face);
    TEST_ASSERT_EQUAL_INT(26, bodies.body[0].n_vert); // of 27
    TEST_ASSERT_EQUAL_INT(48, bodies.body[0].n_face);
    // The colour of the scene, or the palette's.
    TEST_ASSERT_EQUAL_DOUBLE(1, bodies.body[0].color[0]);
    TEST_ASSERT_EQUAL_DOUBLE(128 / 255.0, bodies.body[0].color[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, bodies.body[0].color[2]);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, bodies.body[0].opacity);
    TEST_ASSERT_EQUAL_DOUBLE(0.91F, bodies.body[1].color[0]);
    TEST_ASSERT_EQUAL_DOUBLE(1, bodies.body[1].opacity);
    pl_export_bodies_free(&bodies);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static void test_they_follow_the_world(void)
{
    pl_scene scene;
    pl_world *world;
    pl_export_bodies bodies;
    make_export_scene(&scene, &world);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    step(world, 3);
    pl_export_bodies_move(&bodies, world);
    for (int32_t i = 0; i < bodies.n; i++) {
        const pl_export_body *body = &bodies.body[i];
        const double *start = scene.bodies[i].mesh->x;
        const double *now = body->number < 0 ? start : pl_world_positions(world, body->number);
        for (int32_t v = body->vert; v < body->vert + body->n_vert; v++) {
            const double *expected = now + 3 * bodies.from[v];
            TEST_ASSERT_EQUAL_MEMORY(expected, bodies.x + 3 * v, 3 * sizeof(double));
        }
        bool moved = memcmp(start, now, 3 * sizeof(double)) != 0;
        TEST_ASSERT_TRUE(moved == (body->number >= 0));
    }
    pl_export_bodies_free(&bodies);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static pl_status make_and_free(void *user)
{
    pl_export_bodies bodies;
    pl_status status = pl_export_bodies_make(user, &bodies);
    if (status == PL_OK) pl_export_bodies_free(&bodies);
    return status;
}

static void test_allocations_fail(void)
{
    pl_scene scene;
    pl_world *world;
    make_export_scene(&scene, &world);
    fail_each_allocation(make_and_free, &scene);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

int main(void)
{
    pl_set_threads(1);
    UNITY_BEGIN();
    RUN_TEST(test_bodies_of_a_scene);
    RUN_TEST(test_they_follow_the_world);
    RUN_TEST(test_allocations_fail);
    return UNITY_END();
}
