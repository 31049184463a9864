// Bodies of a scene as surfaces with a look.

#include "../base/team.h"
#include "exports.h"

#include <math.h>

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

// Bodies of every kind that carry a surface: `carried` has the keys that give it to them, or
// nothing. Body 3 is only drawn.
static void make_carriers(const char *const carried[4], pl_scene *scene, pl_world **world)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"bodies\": ["
             "{\"mesh\": \"cube:size=0.6:cells=2\", \"position\": [0, 0, 0.32]%s},"
             "{\"mesh\": \"torus\", \"position\": [0.1, 0, 1], \"type\": \"rigid\","
             " \"angular_velocity\": [100, 200, 300]%s},"
             "{\"mesh\": \"cube\", \"position\": [0, 3, 1], \"type\": \"kinematic\","
             " \"motion\": {\"rate\": 500, \"velocity\": [1, 2, 3]}%s},"
             "{\"mesh\": \"torus\", \"position\": [2, 0, 1], \"material\": null%s}],"
             "\"world\": {\"dt\": 0.01}, \"ground\": {\"size\": 10}}",
             carried[0], carried[1], carried[2], carried[3]);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(text, "test.json", scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(scene, world), pl_error_text());
}

// Each carries what it is itself, and so follows itself.
static void test_carried_surfaces_follow(void)
{
    static const char *const none[4] = {"", "", "", ""};
    static const char *const own[4] = {
        ", \"render_mesh\": \"cube:size=0.6:cells=2\"", ", \"render_mesh\": \"torus\"",
        ", \"render_mesh\": \"cube\"", ", \"render_mesh\": \"torus\""};
    pl_scene plain, scene;
    pl_world *plain_world, *world;
    pl_export_bodies expected, bodies;
    make_carriers(none, &plain, &plain_world);
    make_carriers(own, &scene, &world);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&plain, &expected));
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    TEST_ASSERT_EQUAL_INT(expected.n_vert, bodies.n_vert);
    TEST_ASSERT_EQUAL_INT(expected.n_face, bodies.n_face);
    for (int round = 0; round < 3; round++) {
        for (int32_t i = 0; i < 3 * bodies.n_vert; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(2e-14, expected.x[i], bodies.x[i]);
        }
        step(world, 20); // falls and is bent by the ground
        pl_export_bodies_move(&bodies, world);
        pl_export_bodies_move(&expected, world);
    }
    // Numbers, too.
    double value[1000], on_expected[1000], on_bodies[1000];
    for (int32_t i = 0; i < bodies.n; i++) {
        for (int v = 0; v < 1000; v++) value[v] = v;
        pl_export_bodies_scalar(&expected, i, value, on_expected);
        pl_export_bodies_scalar(&bodies, i, value, on_bodies);
        for (int32_t v = 0; v < bodies.body[i].n_vert; v++) {
            TEST_ASSERT_EQUAL_DOUBLE(expected.from[expected.body[i].vert + v], on_expected[v]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-11, on_expected[v], on_bodies[v]);
            TEST_ASSERT_EQUAL_INT(-1, bodies.from[bodies.body[i].vert + v]);
        }
    }
    pl_export_bodies_free(&expected);
    pl_export_bodies_free(&bodies);
    pl_world_destroy(plain_world);
    pl_world_destroy(world);
    pl_scene_free(&plain);
    pl_scene_free(&scene);
}

// The finer surface takes the place of the other, and that of a rigid body keeps its distances.
static void test_carried_surfaces_are_fine(void)
{
    static const char *const finer[4] = {", \"render_mesh\": \"icosphere:level=4:radius=0.4\"",
                                         ", \"render_mesh\": \"icosphere:level=3:radius=2\"", "",
                                         ", \"render_mesh\": \"icosphere:level=2:radius=9\""};
    static const int n_vert[4] = {2562, 642, 26, 162};
    pl_scene scene;
    pl_world *world;
    pl_export_bodies bodies;
    make_carriers(finer, &scene, &world);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    for (int i = 0; i < 4; i++) {
        TEST_ASSERT_EQUAL_INT(n_vert[i], bodies.body[i].n_vert);
        TEST_ASSERT_EQUAL_INT(2 * n_vert[i] - 4, bodies.body[i].n_face);
    }
    double before[3], *x = bodies.x + 3 * (int64_t)bodies.body[1].vert;
    memcpy(before, x, sizeof before);
    step(world, 20);
    pl_export_bodies_move(&bodies, world);
    double moved = 0, centre[3] = {0};
    for (int k = 0; k < 3; k++) moved += fabs(x[k] - before[k]);
    TEST_ASSERT_TRUE(moved > 0.1);
    for (int v = 0; v < 642; v++) {
        for (int k = 0; k < 3; k++) centre[k] += x[3 * v + k] / 642;
    }
    for (int v = 0; v < 642; v++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += pow(x[3 * v + k] - centre[k], 2);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, 2, sqrt(square));
    }
    fail_each_allocation(make_and_free, &scene);
    pl_export_bodies_free(&bodies);
    pl_world_destroy(world);
    pl_scene_free(&scene);
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
    pl_threads_set(1);
    UNITY_BEGIN();
    RUN_TEST(test_bodies_of_a_scene);
    RUN_TEST(test_they_follow_the_world);
    RUN_TEST(test_carried_surfaces_follow);
    RUN_TEST(test_carried_surfaces_are_fine);
    RUN_TEST(test_allocations_fail);
    return UNITY_END();
}
