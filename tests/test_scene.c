// Scene files: what they mean, and complaints that name the key.

#include "../apps/scene.h"
#include "../base/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char path[] = "/tmp/pliant_scene_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_status load(const char *text, pl_scene *scene)
{
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(path, &out));
    pl_output_write(&out, text, strlen(text));
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    return pl_scene_load(path, scene);
}

static void refuse(const char *text, const char *complaint)
{
    pl_scene scene;
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, load(text, &scene), text);
    TEST_ASSERT_EQUAL_STRING_LEN(path, pl_error_text(), strlen(path));
    TEST_ASSERT_EQUAL_STRING(complaint, pl_error_text() + strlen(path));
    TEST_ASSERT_NULL(scene.bodies);
}

static void test_a_whole_scene(void)
{
    pl_scene scene;
    pl_status status = load("{\"comment\": \"x\", \"ground\": false,"
                            " \"camera\": {\"eye\": [1, 2, 3], \"angle\": 90},"
                            " \"bodies\": [{\"mesh\": \"cube\"},"
                            " {\"mesh\": \"box:size=2,2,2:cells=1\", \"scale\": 0.5,"
                            "  \"rotation\": [0, 0, 90], \"position\": [10, 0, 0],"
                            "  \"color\": \"#ff8000\", \"opacity\": 0.5, \"edges\": true,"
                            "  \"cut\": {\"normal\": [0, 1, 0], \"offset\": 0.25}}]}",
                            &scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL_INT(2, scene.n_bodies);
    TEST_ASSERT_FALSE(scene.ground);
    TEST_ASSERT_TRUE(scene.has_camera);
    TEST_ASSERT_EQUAL_DOUBLE(2, scene.eye[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0, scene.target[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, acos(-1) / 2, scene.view_angle);
    const pl_scene_body *b = &scene.bodies[1];
    double lo[3], hi[3];
    pl_mesh_bounds(b->mesh, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 9.5, lo[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 10.5, hi[0]);
    TEST_ASSERT_TRUE(b->has_color);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 128 / 255.0, b->color[1]);
    TEST_ASSERT_EQUAL_DOUBLE(0.5, b->opacity);
    TEST_ASSERT_TRUE(b->edges);
    TEST_ASSERT_TRUE(b->cut.on);
    TEST_ASSERT_EQUAL_DOUBLE(0.25, b->cut.offset);
    TEST_ASSERT_EQUAL_DOUBLE(0, b->cut.normal[0]);
    TEST_ASSERT_FALSE(scene.bodies[0].cut.on);
    TEST_ASSERT_FALSE(scene.bodies[0].has_color);
    pl_scene_free(&scene);
}

// x first, then y, then z: a box of 2 x 4 x 6 turned by 90 degrees about x and z.
static void test_rotation_order(void)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL(PL_OK, load("{\"bodies\": [{\"mesh\": \"box:size=2,4,6\","
                                  " \"rotation\": [90, 0, 90]}]}",
                                  &scene));
    double lo[3], hi[3];
    pl_mesh_bounds(scene.bodies[0].mesh, lo, hi);
    // About x: (2, 6, 4); then about z: (6, 2, 4).
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 6, hi[0] - lo[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 2, hi[1] - lo[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4, hi[2] - lo[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 48, pl_mesh_volume(scene.bodies[0].mesh));
    pl_scene_free(&scene);
}

static void test_complaints_name_the_key(void)
{
    refuse("", ":1:1: not valid JSON");
    refuse("{\n \"bodies\": [}", ":2:13: not valid JSON");
    refuse("{\"bodies\": []} x", ":1:16: not valid JSON");
    refuse("[]", ": an object {...} expected");
    refuse("{}", ": the key \"bodies\" is missing");
    refuse("{\"bodys\": []}", ": unknown key \"bodys\", did you mean \"bodies\"?");
    refuse("{\"bodies\": 3}", ": bodies: an array [...] expected");
    refuse("{\"bodies\": [], \"bodies\": []}", ": the key \"bodies\" stands twice");
    refuse("{\"bodies\": [{}]}", ": bodies[0]: the key \"mesh\" is missing");
    refuse("{\"bodies\": [{\"mesh\": 3}]}", ": bodies[0].mesh: a \"text\" expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"scale\": 0}]}",
           ": bodies[0].scale: a number above 0 expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"scale\": 1e999}]}",
           ": bodies[0].scale: a finite number expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"scale\": NaN}]}", ":1:39: not valid JSON");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"position\": [1, 2]}]}",
           ": bodies[0].position: three numbers [x, y, z] expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"position\": [1, 2, \"3\"]}]}",
           ": bodies[0].position[2]: a number expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"color\": \"red\"}]}",
           ": bodies[0].color: a colour \"#rrggbb\" expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\", \"edges\": 1}]}",
           ": bodies[0].edges: true or false expected");
    refuse("{\"bodies\": [{\"mesh\": \"cube\"}, {\"mesh\": \"cube:cells=0\"}]}",
           ": bodies[1].mesh: cube: cells: 0 is not a whole number from 1 to 100000");
    refuse("{\"bodies\": [{\"mesh\": \"none.off\"}]}",
           ": bodies[0].mesh: /tmp/none.off: No such file or directory");
    refuse("{\"camera\": {\"target\": [0, 0, 0]}, \"bodies\": []}",
           ": camera: the key \"eye\" is missing");
    refuse("{\"camera\": {\"eye\": [0, 0, 0]}, \"bodies\": []}",
           ": camera: eye and target must differ");
}

// Nesting is bounded: a file of brackets is an error at a byte, not a crash.
static void test_hostile_nesting(void)
{
    int n = 1000000;
    char *text = malloc((size_t)n + 1);
    memset(text, '[', (size_t)n);
    text[n] = '\0';
    pl_scene scene;
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, load(text, &scene));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "not valid JSON"));
    free(text);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    UNITY_BEGIN();
    RUN_TEST(test_a_whole_scene);
    RUN_TEST(test_rotation_order);
    RUN_TEST(test_complaints_name_the_key);
    RUN_TEST(test_hostile_nesting);
    unlink(path);
    return UNITY_END();
}
