// Cables of scene files: links and joints along a line.

#include "../apps/scene/play.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

#define SCENE(cable)                                                                               \
    "{\"world\": {\"dt\": 0.01}, \"ground\": false, \"bodies\": [{\"name\": \"hook\", \"mesh\":"   \
    " \"cube:size=0.2\", \"type\": \"static\", \"position\": [0, 0, 2]}], \"cables\": [{" cable    \
    "}]}"

static pl_scene parse(const char *text)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(text, "x", &scene), pl_error_text());
    return scene;
}

static void refuse(const char *text, const char *complaint)
{
    pl_scene scene;
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(text, "x", &scene), text);
    TEST_ASSERT_EQUAL_STRING(complaint, pl_error_text());
}

// Links of equal length around a corner, each a closed solid of its mass.
static void test_along_a_line(void)
{
    pl_scene scene =
        parse(SCENE("\"name\": \"rope\", \"points\": [[0, 0, 2], [1, 0, 2], [1, 0, 1]],"
                    " \"length\": 0.1, \"radius\": 0.01, \"mass_per_length\": 2,"
                    " \"a\": \"hook\", \"b\": \"world\""));
    TEST_ASSERT_EQUAL_INT(21, scene.n_bodies);
    TEST_ASSERT_EQUAL_INT(21, scene.n_joints);
    TEST_ASSERT_EQUAL_STRING("rope.a", scene.joints[0].name);
    TEST_ASSERT_NULL(scene.joints[1].name);
    TEST_ASSERT_EQUAL_STRING("rope.b", scene.joints[20].name);
    TEST_ASSERT_EQUAL_INT(0, scene.joints[0].a);
    TEST_ASSERT_EQUAL_INT(1, scene.joints[0].b);
    TEST_ASSERT_EQUAL_INT(20, scene.joints[20].a);
    TEST_ASSERT_EQUAL_INT(-1, scene.joints[20].b);
    TEST_ASSERT_EQUAL(PL_JOINT_BALL, scene.joints[5].options.kind);
    const double corner[3] = {1, 0, 2};
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, corner[k], scene.joints[10].options.point_a[k]);
    }
    for (int i = 1; i <= 20; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, scene.bodies[i].rigid.mass);
        TEST_ASSERT_TRUE(pl_mesh_volume(scene.bodies[i].mesh) > 2e-5);
    }
    pl_scene_free(&scene);
}

// Stiffness per length: of a joint, that of the material over the length of a link.
static void test_stiffness(void)
{
    pl_scene scene = parse(SCENE("\"from\": [0, 0, 2], \"to\": [1, 0, 2], \"links\": 4,"
                                 " \"radius\": 0.01, \"link_mass\": 3, \"axial\": {\"stiffness\":"
                                 " 100}, \"bending\": {\"stiffness\": 2, \"damping\": 1}"));
    TEST_ASSERT_EQUAL_INT(3, scene.n_joints); // both ends are loose
    const pl_joint_options *o = &scene.joints[0].options;
    TEST_ASSERT_EQUAL(PL_JOINT_SIX_DOF, o->kind);
    TEST_ASSERT_EQUAL_DOUBLE(400, o->axes[0].spring);
    TEST_ASSERT_EQUAL_DOUBLE(0, o->axes[1].hi);
    TEST_ASSERT_EQUAL_DOUBLE(0, o->axes[3].spring);
    TEST_ASSERT_EQUAL_DOUBLE(8, o->axes[4].spring);
    TEST_ASSERT_EQUAL_DOUBLE(4, o->axes[5].spring_damping);
    TEST_ASSERT_EQUAL_DOUBLE(3, scene.bodies[1].rigid.mass);
    pl_scene_free(&scene);
}

// What hangs straight down pulls at its upper end with its weight.
static void test_weight(void)
{
    pl_scene scene = parse(SCENE("\"name\": \"rope\", \"from\": [0, 0, 1.9], \"to\": [0, 0, 0.4],"
                                 " \"links\": 15, \"radius\": 0.01, \"mass_per_length\": 2,"
                                 " \"a\": \"hook\""));
    pl_play play;
    pl_joint_state state;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, 0.2));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_run(&play, NULL, NULL), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_joint_state(play.world, 0, &state));
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1.5 * 2 * 9.81, state.force[2]);
    pl_play_close(&play);
    pl_scene_free(&scene);
}

// How far the weights of atwood-cable.json have gone after 0.8 s in steps of dt, the mean of both
// [m].
static double atwood_way(double dt)
{
    pl_scene scene;
    pl_play play;
    pl_frame heavy[2], light[2];
    pl_status status = pl_scene_load("apps/scenes/atwood-cable.json", &scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    scene.world.dt = dt;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, i * 0.8));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_run(&play, NULL, NULL), pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(play.world, 1, &heavy[i]));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(play.world, 2, &light[i]));
    }
    pl_play_close(&play);
    pl_scene_free(&scene);
    return 0.5 * (heavy[0].centre[2] - heavy[1].centre[2]) +
           0.5 * (light[1].centre[2] - light[0].centre[2]);
}

// A cable of 0.1 kg over a drum of 2 kg between 3 kg and 2 kg. Its middle line, at rho = 0.209 m
// (drum, radius, gap), goes with the drum, so that with its weight per length l, which comes over
// by 2 s, and 0.6 m more of it on the light side at the start,
//     (m1 + m2 + mc + I / rho^2) s'' = g (m1 - m2 - 0.6 l + 2 l s).
// The error is of first order in dt: links lose speed where they meet the drum. Without it, what
// polygons, slip and the sag of contacts leave is 0.3 %.
static void test_atwood(void)
{
    const double pi = 3.14159265358979323846, rho = 0.209, g = 9.81;
    double l = 0.1 / (pi * rho + 1.4), mass = 3 + 2 + 0.1 + 0.5 * 2 * 0.04 / (rho * rho);
    double k = sqrt(2 * l * g / mass), exact = (1 - 0.6 * l) / (2 * l) * (cosh(0.8 * k) - 1);
    double coarse = atwood_way(0.004), fine = atwood_way(0.002);
    char text[120];
    snprintf(text, sizeof text, "%.5f m, %.5f m at half the step, %.5f by formula", coarse, fine,
             exact);
    TEST_ASSERT_MESSAGE(fabs(coarse / exact - 1) < 0.045, text);
    TEST_ASSERT_MESSAGE(fabs(fine / exact - 1) < 0.65 * fabs(coarse / exact - 1), text);
    TEST_ASSERT_MESSAGE(fabs((2 * fine - coarse) / exact - 1) < 0.005, text);
}

// A string of 1 g and 2.4 mm, whose inertia about itself is 1e-4 of that across, holds a ball by
// newton alone.
static void test_a_thin_string(void)
{
    pl_scene scene =
        parse("{\"world\": {\"dt\": 0.002, \"solver\": \"newton\", \"rescue\": false}, "
              "\"ground\": false, \"bodies\": [{\"name\": \"ball\", \"shape\": "
              "\"sphere:radius=0.03\", \"type\": \"rigid\", \"mass\": 0.9, \"group\": \"ball\"}], "
              "\"cables\": "
              "[{\"from\": [0.2, 0.15, 0.3], \"to\": [0, 0, 0], \"links\": 1, \"radius\": "
              "0.0012, \"link_mass\": 0.001, \"a\": \"world\", \"b\": \"ball\", \"group\": "
              "\"s\", \"ignore\": [\"ball\"]}, {\"from\": [0.2, -0.15, 0.3], \"to\": [0, 0, 0], "
              "\"links\": 1, \"radius\": 0.0012, \"link_mass\": 0.001, \"a\": \"world\", "
              "\"b\": \"ball\", \"ignore\": [\"ball\", \"s\"]}]}");
    pl_play play;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, 0.2));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_run(&play, NULL, NULL), pl_error_text());
    pl_play_close(&play);
    pl_scene_free(&scene);
}

static void test_complaints(void)
{
    refuse(SCENE("\"links\": 3, \"radius\": 0.1"),
           "x: cables[0]: \"points\", or \"from\" and \"to\": give one of them");
#define LINE "\"from\": [0, 0, 2], \"to\": [1, 0, 2], "
    refuse(SCENE(LINE "\"radius\": 0.1"),
           "x: cables[0]: give one of the keys \"links\" and \"length\"");
    refuse(SCENE(LINE "\"links\": 0, \"radius\": 0.1"),
           "x: cables[0]: a cable of 1 to 20000 links expected, not 0");
    refuse(SCENE(LINE "\"links\": 10"), "x: cables[0]: the key \"radius\" is missing");
    refuse(SCENE(LINE "\"links\": 10, \"radius\": 0.1"),
           "x: cables[0]: links of 0.1 m are too short: more than 2.5 radii, 0.25 m, expected");
    refuse(SCENE(LINE "\"links\": 10, \"radius\": 0.01, \"a\": \"hock\""),
           "x: cables[0].a: no body has the name \"hock\", did you mean \"hook\"?");
    refuse(SCENE(LINE "\"links\": 10, \"radius\": 0.01, \"joint\": \"ball\", \"bending\": {}"),
           "x: cables[0].joint: ball joints have no stiffness: \"six-dof\" has");
    refuse(SCENE(LINE "\"links\": 10, \"radius\": 0.01, \"stiffness\": 1"),
           "x: cables[0]: unknown key \"stiffness\": \"bending\" has it");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_along_a_line);
    RUN_TEST(test_stiffness);
    RUN_TEST(test_weight);
    RUN_TEST(test_atwood);
    RUN_TEST(test_a_thin_string);
    RUN_TEST(test_complaints);
    return UNITY_END();
}
