// The cameras of scene files: what is read, and what is refused in which words.

#include "../apps/scene/scene_camera.h"
#include "../apps/scene/scene_shots.h"
#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static pl_scene scene;

void setUp(void)
{
}

void tearDown(void)
{
    pl_scene_free(&scene);
}

static const char BODIES[] =
    "\"bodies\": [{\"mesh\": \"cube:size=2\", \"position\": [5, 0, 1]},"
    " {\"mesh\": \"cube\", \"name\": \"pile\", \"copies\": {\"count\": [1, 1, 3],"
    "  \"spacing\": [2, 2, 2]}, \"position\": [0, 0, 1]},"
    " {\"mesh\": \"cube\", \"name\": \"twin\", \"position\": [-5, 0, 1]},"
    " {\"mesh\": \"cube\", \"name\": \"twin\", \"position\": [-9, 0, 1]}]";

static pl_status parse(const char *cameras)
{
    char text[2048];
    snprintf(text, sizeof text, "{%s, %s}", BODIES, cameras);
    return pl_scene_parse(text, "test.json", &scene);
}

static const pl_shot *accept(const char *cameras, const char *name)
{
    pl_scene_free(&scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, parse(cameras), pl_error_text());
    const pl_shot *shot = name != NULL ? pl_scene_find_shot(&scene, name) : &scene.shots[0].shot;
    TEST_ASSERT_NOT_NULL(shot);
    return shot;
}

static void refuse(const char *camera, const char *sentence)
{
    char text[1024];
    snprintf(text, sizeof text, "\"camera\": %s", camera);
    TEST_ASSERT_EQUAL_MESSAGE(PL_ERROR_FORMAT, parse(text), camera);
    TEST_ASSERT_EQUAL_STRING(sentence, pl_error_text());
}

static void test_several(void)
{
    const char *text = "\"cameras\": {\"a\": {\"kind\": \"fixed\", \"eye\": [1, 2, 3]},"
                       " \"b\": {\"kind\": \"orbit\", \"radius\": 3, \"period\": 8}}";
    TEST_ASSERT_EQUAL_PTR(&scene.shots[0].shot, accept(text, "a"));
    TEST_ASSERT_EQUAL(PL_SHOT_ORBIT, pl_scene_find_shot(&scene, "b")->kind);
    TEST_ASSERT_NULL(pl_scene_find_shot(&scene, "c"));
    TEST_ASSERT_NULL(pl_scene_find_shot(&scene, ""));
    // The key "camera" comes first, wherever it stands.
    accept("\"cameras\": {\"a\": {\"eye\": [1, 2, 3]}}, \"camera\": {\"eye\": [7, 8, 9]}", NULL);
    TEST_ASSERT_EQUAL_INT(2, scene.n_shots);
    TEST_ASSERT_EQUAL_DOUBLE(7, scene.shots[0].shot.eye[0]);
}

static void test_orbit(void)
{
    const pl_shot *shot = accept("\"camera\": {\"kind\": \"orbit\", \"centre\": [1, 2, 3],"
                                 " \"radius\": 4, \"height\": 2, \"rate\": -30, \"azimuth\": 90,"
                                 " \"angle\": 40}",
                                 NULL);
    TEST_ASSERT_EQUAL_DOUBLE(2, shot->target[1]);
    TEST_ASSERT_EQUAL_DOUBLE(4, shot->radius);
    TEST_ASSERT_EQUAL_DOUBLE(2, shot->height);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -30 * DEGREE, shot->rate);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 90 * DEGREE, shot->azimuth);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 40 * DEGREE, shot->fov_y);
    shot = accept("\"camera\": {\"kind\": \"orbit\", \"radius\": 4, \"period\": 12}", NULL);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 30 * DEGREE, shot->rate);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -60 * DEGREE, shot->azimuth);
}

static void test_follow(void)
{
    const pl_shot *shot = accept(
        "\"camera\": {\"kind\": \"follow\", \"body\": \"pile\", \"offset\": [0, -5, 1]}", NULL);
    TEST_ASSERT_EQUAL_INT(1, shot->body);
    TEST_ASSERT_EQUAL_INT(3, shot->n_bodies);
    TEST_ASSERT_EQUAL_DOUBLE(0.2, shot->smoothing);
    pl_camera camera; // the middle of the three
    const double none[3] = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_camera(&scene, none, none, PL_DEFAULT_SIGHT, 1, &camera));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, camera.target[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4, camera.eye[2]);
    shot = accept("\"camera\": {\"kind\": \"follow\", \"body\": 0, \"eye\": [0, -5, 1],"
                  " \"smoothing\": 0}",
                  NULL);
    TEST_ASSERT_TRUE(shot->stands);
    TEST_ASSERT_EQUAL_INT(1, shot->n_bodies);
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_camera(&scene, none, none, PL_DEFAULT_SIGHT, 1, &camera));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, camera.target[0]);
    TEST_ASSERT_EQUAL_DOUBLE(-5, camera.eye[1]);
}

static const char KEYFRAMES[] =
    "\"camera\": {\"kind\": \"keyframes\", \"angle\": 20, \"keys\": ["
    " {\"time\": 0, \"eye\": [1, 2, 3]}, {\"time\": 1, \"eye\": [2, 2, 3], \"angle\": 25},"
    " {\"time\": 2.5, \"eye\": [3, 2, 3], \"target\": [0, 0, 1]}]}";

static void test_keyframes(void)
{
    const pl_shot *shot = accept(KEYFRAMES, NULL);
    TEST_ASSERT_EQUAL_INT(3, shot->n_keys);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 20 * DEGREE, shot->key[0].fov_y);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 25 * DEGREE, shot->key[2].fov_y); // that of the key before
    TEST_ASSERT_EQUAL_DOUBLE(2.5, shot->key[2].time);
    TEST_ASSERT_EQUAL_DOUBLE(1, shot->key[2].target[2]);
}

static void test_refused(void)
{
    refuse("3", "test.json: camera: an object {...} expected");
    refuse("{\"kind\": \"orbital\"}",
           "test.json: camera.kind: unknown kind \"orbital\", did you mean \"orbit\"?");
    refuse("{\"eye\": [1, 2, 3], \"angle\": 180}",
           "test.json: camera.angle: less than 180 degrees expected");
    refuse("{\"kind\": \"orbit\", \"rate\": 3}",
           "test.json: camera: the key \"radius\" is missing");
    refuse("{\"kind\": \"orbit\", \"radius\": 0}",
           "test.json: camera.radius: a number above 0 expected");
    refuse("{\"kind\": \"orbit\", \"radius\": 1}",
           "test.json: camera: give one of the keys \"rate\" and \"period\"");
    refuse("{\"kind\": \"orbit\", \"radius\": 1, \"rate\": 1, \"period\": 2}",
           "test.json: camera: give one of the keys \"rate\" and \"period\"");
    refuse("{\"kind\": \"orbit\", \"radius\": 1, \"period\": 0}",
           "test.json: camera.period: a number other than 0 expected");
    refuse("{\"kind\": \"follow\", \"offset\": [0, 1, 0]}",
           "test.json: camera: the key \"body\" is missing");
    refuse("{\"kind\": \"follow\", \"body\": 6, \"offset\": [0, 1, 0]}",
           "test.json: camera.body: body 6 of 6: the first is 0");
    refuse("{\"kind\": \"follow\", \"body\": \"pike\", \"offset\": [0, 1, 0]}",
           "test.json: camera.body: no body has the name \"pike\", did you mean \"pile\"?");
    refuse("{\"kind\": \"follow\", \"body\": \"twin\", \"offset\": [0, 1, 0]}",
           "test.json: camera.body: \"twin\" is the name of bodies[2] and of bodies[3]");
    refuse("{\"kind\": \"follow\", \"body\": 0}",
           "test.json: camera: give one of the keys \"offset\" and \"eye\"");
    refuse("{\"kind\": \"follow\", \"body\": 0, \"offset\": [0, 0, 0]}",
           "test.json: camera.offset: has no direction");
    refuse("{\"kind\": \"keyframes\", \"keys\": []}",
           "test.json: camera.keys: at least one key expected");
    refuse("{\"kind\": \"keyframes\", \"keys\": [{\"time\": 0, \"eye\": [1, 0, 0]},"
           " {\"time\": 0, \"eye\": [2, 0, 0]}]}",
           "test.json: camera.keys[1].time: 0 s is not after the 0 s before it");
    refuse("{\"kind\": \"keyframes\", \"keys\": [{\"time\": 0, \"eye\": [0, 0, 0]}]}",
           "test.json: camera.keys[0]: eye and target must differ");
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, parse("\"cameras\": {\"a\": {\"eye\": 3}}"));
    TEST_ASSERT_EQUAL_STRING("test.json: cameras.a.eye: an array [...] expected", pl_error_text());
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, parse("\"cameras\": [1]"));
    TEST_ASSERT_EQUAL_STRING("test.json: cameras: an object {...} expected", pl_error_text());
}

static pl_status parse_keyframes(void *user)
{
    (void)user;
    char text[1024];
    snprintf(text, sizeof text, "{\"bodies\": [], %s}", KEYFRAMES);
    pl_status status = pl_scene_parse(text, "test.json", &scene);
    pl_scene_free(&scene);
    return status;
}

static void test_allocations(void)
{
    fail_each_allocation(parse_keyframes, NULL);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_several);
    RUN_TEST(test_orbit);
    RUN_TEST(test_follow);
    RUN_TEST(test_keyframes);
    RUN_TEST(test_refused);
    RUN_TEST(test_allocations);
    return UNITY_END();
}
