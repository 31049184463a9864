// Scene files: scales along each axis, half-spaces, obstacles of edges and points, friction of
// pairs, conditions of motions, forces in time; what they mean, and complaints that name the key.

#include "../apps/scene/play.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unity.h>

#define PI 3.14159265358979323846

void setUp(void)
{
}

void tearDown(void)
{
}

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
    TEST_ASSERT_NULL(scene.bodies);
}

#define BODY(rest) "{\"ground\": false, \"bodies\": [{" rest "}]}"
#define CUBE(rest) BODY("\"name\": \"cube\", \"mesh\": \"cube:size=1\", " rest)
#define RIGID(rest) BODY("\"name\": \"body\", \"type\": \"rigid\", " rest)
#define STATIC(rest) BODY("\"name\": \"body\", \"type\": \"static\", " rest)

static void expect_bounds(const pl_mesh *mesh, double x0, double y0, double z0, double x1,
                          double y1, double z1)
{
    double lo[3], hi[3];
    pl_mesh_bounds(mesh, lo, hi);
    const double low[3] = {x0, y0, z0}, high[3] = {x1, y1, z1};
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, low[k], lo[k]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, high[k], hi[k]);
    }
}

// --- Scales ---

static void test_scales(void)
{
    pl_scene scene = parse(CUBE("\"scale\": [1, 2, 4], \"position\": [0, 0, 2]"));
    expect_bounds(scene.bodies[0].mesh, -0.5, -1, 0, 0.5, 1, 4);
    pl_scene_free(&scene);
    // Before it is turned.
    scene = parse(CUBE("\"scale\": [1, 2, 4], \"rotation\": [0, 0, 90]"));
    expect_bounds(scene.bodies[0].mesh, -1, -0.5, -2, 1, 0.5, 2);
    pl_scene_free(&scene);
    refuse(CUBE("\"scale\": 0"), "x: bodies[0].scale: a number above 0 expected");
    refuse(CUBE("\"scale\": [1, -2, 1]"), "x: bodies[0].scale[1]: a number above 0 expected");
    refuse(CUBE("\"scale\": [1, 2, 0]"), "x: bodies[0].scale[2]: a number above 0 expected");
    refuse(CUBE("\"scale\": [1, 2]"), "x: bodies[0].scale: three numbers [x, y, z] expected");
    refuse(CUBE("\"scale\": \"big\""), "x: bodies[0].scale: a number expected");
}

static void expect_mass(const char *text, double mass, double rounding)
{
    pl_scene scene = parse(text);
    pl_world *world;
    pl_frame frame;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 0, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(rounding * mass, mass, frame.mass);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

// A box stays one; of a ball and a torus the surface is scaled; a hull and a mesh have meshes.
static void test_scales_of_shapes(void)
{
    expect_mass(
        RIGID("\"shape\": \"box:size=1,1,1\", \"scale\": [1, 2, 3], \"rotation\": [10, 20, 30]"),
        6000, 1e-12);
    expect_mass(RIGID("\"shape\": \"sphere:radius=1\", \"scale\": [1, 2, 3]"), 4e3 / 3 * PI * 6,
                0.02);
    expect_mass(RIGID("\"shape\": \"torus:radius=1:tube=0.2\", \"scale\": [1, 1, 2]"),
                2e3 * PI * PI * 0.04 * 2, 0.04);
    expect_mass(RIGID("\"shape\": \"hull\", \"mesh\": \"cube\", \"scale\": [2, 1, 1]"), 2000,
                1e-12);
    expect_mass(RIGID("\"shape\": \"mesh\", \"mesh\": \"cube\", \"scale\": [2, 1, 3]"), 6000,
                1e-12);
    expect_mass(
        RIGID("\"shapes\": [{\"shape\": \"mesh\", \"mesh\": \"cube\", \"rotation\": [0, 0, 45],"
              " \"position\": [5, 0, 0]}], \"scale\": [2, 1, 3]"),
        6000, 1e-12);
    pl_scene scene =
        parse(RIGID("\"shapes\": [{\"shape\": \"mesh\", \"mesh\": \"cube\", \"position\":"
                    " [1, 2, 3]}], \"scale\": [2, 1, 3]"));
    expect_bounds(scene.bodies[0].mesh, 1, 1.5, 7.5, 3, 2.5, 10.5);
    pl_scene_free(&scene);
    refuse(RIGID("\"shape\": \"mesh:rounding=0.1\", \"mesh\": \"cube\", \"scale\": [2, 1, 3]"),
           "x: bodies[0]: rounding: not with a scale for each axis");
    refuse(STATIC("\"halfspace\": {}, \"scale\": [2, 1, 3]"),
           "x: bodies[0]: a half-space has no scale");
}

// --- Half-spaces ---

static void test_halfspaces(void)
{
    // A slope that falls towards x; and one that looks down.
    static const double normal[3][3] = {{1, 0, 1}, {0, 0, -1}, {0, -3, 4}};
    for (int i = 0; i < 3; i++) {
        char text[512];
        const double *n = normal[i];
        snprintf(text, sizeof text,
                 STATIC("\"halfspace\": {\"point\": [1, 2, 3], \"normal\": [%g, %g, %g],"
                        " \"patch\": 2, \"span\": 50}"),
                 n[0], n[1], n[2]);
        pl_scene scene = parse(text);
        pl_world *world;
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
        const double *x = pl_world_positions(world, 0);
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        TEST_ASSERT_EQUAL_INT32(8, pl_world_vertex_count(world, 0));
        for (int v = 0; v < 8; v++) { // the patch, the triangle, and the tip behind
            double h = 0;
            for (int k = 0; k < 3; k++) h += n[k] / length * (x[3 * v + k] - (double)(k + 1));
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, v < 7 ? 0 : -50, h);
        }
        double edge = hypot(hypot(x[3] - x[0], x[4] - x[1]), x[5] - x[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, edge);
        pl_world_destroy(world);
        pl_scene_free(&scene);
    }
    refuse(STATIC("\"halfspace\": {\"normal\": [0, 0, 0]}"),
           "x: bodies[0].halfspace: normal: has no direction");
    refuse(STATIC("\"halfspace\": {\"span\": -1}"),
           "x: bodies[0].halfspace.span: a number above 0 expected");
    refuse(STATIC("\"halfspace\": {}, \"mesh\": \"cube\""),
           "x: bodies[0].halfspace: a body that is a half-space is nothing else");
    refuse(RIGID("\"halfspace\": {}"), "x: bodies[0].halfspace: a rigid body has no such key");
    refuse(STATIC("\"halfspace\": {\"depth\": 1}"),
           "x: bodies[0].halfspace: unknown key \"depth\" (known: point, normal, span, patch)");
}

// --- Edges and points ---

static void test_loose_bodies(void)
{
    // Of needles, tubes are drawn; what touches are the edges behind.
    pl_scene scene =
        parse(STATIC("\"mesh\": \"needles:count=2,1:spacing=1:length=0.5\","
                     " \"radius\": 0.1, \"scale\": [2, 1, 2], \"position\": [0, 0, 3]"));
    expect_bounds(scene.bodies[0].mesh, -1.1, -0.1, 1.9, 1.1, 0.1, 3.1);
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    int32_t n = pl_world_vertex_count(world, 0);
    const double *end = pl_world_positions(world, 0) + 3 * (n - 1);
    const double tip[3] = {1, 0, 3};
    TEST_ASSERT_EQUAL_INT32(pl_mesh_vertex_count(scene.bodies[0].mesh) + 4, n);
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, tip[k], end[k]);
    pl_world_destroy(world);
    pl_scene_free(&scene);
    // The radius counts once: a ball above the tip of one.
    scene =
        parse("{\"ground\": false, \"bodies\": [{\"mesh\": \"needles\", \"radius\": 0.1, \"type\": "
              "\"static\"}, {\"shape\": \"sphere:radius=0.5\", \"type\": \"rigid\", \"position\": "
              "[0, 0, 1]}]}");
    double gap;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_measure_gap(world, &gap));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.4, gap);
    pl_world_destroy(world);
    pl_scene_free(&scene);
    // A rigid one weighs what its capsules do.
    expect_mass(RIGID("\"mesh\": \"needles:length=2\", \"radius\": 0.1"),
                1e3 * PI * 0.01 * (2 + 4.0 / 3 * 0.1), 1e-9);
    refuse(BODY("\"mesh\": \"points\""), "x: bodies[0]: edges and points are of a body that is not "
                                         "deformable: give it another \"type\"");
    scene = parse(BODY("\"mesh\": \"points\", \"material\": null")); // only drawn
    TEST_ASSERT_TRUE(pl_mesh_face_count(scene.bodies[0].mesh) > 0);
    pl_scene_free(&scene);
    scene = parse(RIGID("\"mesh\": \"points\""));
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL_STRING(
        "x: bodies[0].mesh: edges and points have a mass by their radius only: "
        "give one above 0",
        pl_error_text());
    pl_scene_free(&scene);
}

// --- Friction of pairs ---

#define PAIRS(pairs)                                                                               \
    "{\"world\": {\"dt\": 0.01}, \"bodies\": [{\"name\": \"a\", \"shape\": \"box:size=0.2\", "     \
    "\"type\": \"rigid\", \"velocity\": [2, 0, 0], \"position\": [0, 0, 0.1005], "                 \
    "\"copies\": {\"count\": [1, 2, 1], \"spacing\": [1, 1, 1]}}, {\"name\": \"b\", "              \
    "\"shape\": \"box:size=0.2\", \"group\": \"slick\", \"type\": \"rigid\", \"velocity\": "       \
    "[2, 0, 0], \"position\": [0, 3, 0.1005]}], \"friction_pairs\": [" pairs "]}"

static void expect_speeds(const char *text, double a0, double a1, double b)
{
    pl_scene scene = parse(text);
    pl_play play;
    const double mu[3] = {a0, a1, b};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    pl_scene_free(&scene);
    for (int i = 0; i < 20; i++) TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
    for (int i = 0; i < 3; i++) {
        pl_frame frame;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(play.world, i, &frame));
        TEST_ASSERT_DOUBLE_WITHIN(0.04, 2 - mu[i] * 9.81 * 0.2, frame.velocity[0]);
    }
    pl_play_close(&play);
}

static void test_friction_pairs(void)
{
    expect_speeds(PAIRS(""), 0.5, 0.5, 0.5);
    expect_speeds(PAIRS("{\"a\": \"a\", \"b\": \"ground\", \"friction\": 0.1}"), 0.1, 0.1, 0.5);
    expect_speeds(PAIRS("{\"a\": \"ground\", \"b\": \"slick\", \"friction\": 0},"
                        "{\"a\": \"a[1]\", \"b\": \"ground\", \"friction\": 0.2}"),
                  0.5, 0.2, 0);
    expect_speeds(PAIRS("{\"a\": \"ground\", \"b\": \"a\", \"friction\": 0},"
                        "{\"a\": \"a[0]\", \"b\": \"ground\", \"friction\": 0.2}"),
                  0.2, 0, 0.5);
    refuse(PAIRS("{\"a\": \"slik\", \"b\": \"ground\", \"friction\": 0}"),
           "x: friction_pairs[0].a: no body has the name \"slik\"; nor has a group");
    refuse(PAIRS("{\"a\": \"slick\", \"b\": \"a[7]\", \"friction\": 0}"),
           "x: friction_pairs[0].b: copy 7 of 2: the first is [0]; nor has a group");
    refuse(PAIRS("{\"a\": \"slick\", \"b\": \"world\", \"friction\": 0}"),
           "x: friction_pairs[0].b: the name of a body or of a group expected");
    refuse(PAIRS("{\"a\": \"slick\", \"b\": \"a\"}"),
           "x: friction_pairs[0]: the key \"friction\" is missing");
    refuse(PAIRS("{\"a\": \"slick\", \"b\": \"a\", \"friction\": -1}"),
           "x: friction_pairs[0].friction: a number, 0 or above, expected");
}

// --- Conditions ---

#define PRESS(motion)                                                                              \
    "{\"world\": {\"dt\": 0.01, \"contact\": false}, \"ground\": false, \"bodies\": [{\"name\": "  \
    "\"press\", \"mesh\": \"cube\", \"type\": \"kinematic\", \"motion\": {\"velocity\": [0, 0, "   \
    "1]," motion                                                                                   \
    "}}, {\"name\": \"late\", \"mesh\": \"cube\", \"type\": \"kinematic\", \"motion\": "           \
    "{\"velocity\": [2, 0, 0]}}]}"

static double height_at(const char *text, double time)
{
    pl_scene scene = parse(text);
    pl_play play;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    pl_scene_free(&scene);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, time));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, NULL, NULL));
    double lo[3] = {INFINITY};
    for (int32_t i = 0; i < pl_world_vertex_count(play.world, 0); i++) {
        double z = pl_world_positions(play.world, 0)[3 * i + 2];
        lo[0] = fmin(lo[0], z);
    }
    pl_play_close(&play);
    return lo[0] + 0.5;
}

static void test_conditions(void)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.3, height_at(PRESS("\"until\": {\"time\": 0.3}"), 1));
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-9, 0.1, height_at(PRESS("\"until\": [{\"time\": 0.3, \"then\": \"reverse\"}]"), 0.5));
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-9, 0.25,
        height_at(
            PRESS("\"until\": [{\"time\": 0.2, \"then\": \"stop\"}, {\"time\": 0.3, \"then\": "
                  "\"go\"}]"),
            0.55));
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-9, 0.1,
        height_at(PRESS("\"repeat\": true, \"until\": {\"time\": 0.2, \"then\": "
                        "\"reverse\"}"),
                  0.9));
    // Its own middle; that of a body that comes later in the file, along x.
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.26,
                              height_at(PRESS("\"until\": {\"position\": {\"above\": 0.255}}"), 1));
    TEST_ASSERT_DOUBLE_WITHIN(
        1e-9, 0.3,
        height_at(PRESS("\"until\": {\"position\": {\"body\": \"late\", \"axis\": \"x\", "
                        "\"above\": 0.595}}"),
                  1));
    refuse(PRESS("\"until\": {\"then\": \"stop\"}"),
           "x: bodies[0].motion.until: time, force or position: one of them at least expected");
    refuse(PRESS("\"until\": []"), "x: bodies[0].motion.until: one condition at least expected");
    refuse(PRESS("\"until\": {\"force\": 0}"),
           "x: bodies[0].motion.until.force: a number above 0 expected");
    refuse(PRESS("\"until\": [{\"time\": 1}, {\"time\": 1, \"then\": \"back\"}]"),
           "x: bodies[0].motion.until[1].then: unknown then \"back\" (known: stop, reverse, go)");
    refuse(PRESS("\"until\": {\"position\": {}}"),
           "x: bodies[0].motion.until.position: above and below: one of them expected");
    refuse(PRESS("\"until\": {\"position\": {\"above\": 1, \"body\": \"lat\"}}"),
           "x: bodies[0].motion.until.position.body: no body has the name \"lat\", did you mean "
           "\"late\"?");
    refuse(PRESS("\"until\": {\"position\": {\"above\": 1, \"body\": \"world\"}}"),
           "x: bodies[0].motion.until.position.body: the world stays where it is: name a body");
    refuse(PRESS("\"repeat\": true"), "x: bodies[0].motion.repeat: there is no \"until\"");
}

// In an instance, directions turn and places move with it.
static void test_conditions_of_instances(void)
{
    pl_scene scene = parse(
        "{\"assemblies\": {\"press\": {\"bodies\": [{\"name\": \"plate\", \"mesh\": \"cube\", "
        "\"type\": \"kinematic\", \"motion\": {\"velocity\": [0, 0, 1], \"until\": {\"position\": "
        "{\"body\": \"plate\", \"above\": 0.5}}}}]}}, \"bodies\": [{\"mesh\": \"cube\", "
        "\"position\": "
        "[0, 0, 50]}], \"instances\": [{\"assembly\": \"press\", \"name\": \"p\", \"position\": "
        "[0, 7, 0], \"rotation\": [90, 0, 0]}]}"); // z to -y
    TEST_ASSERT_EQUAL_INT(1, scene.bodies[1].kinematic.motion.n_until);
    const pl_motion_until *u = scene.bodies[1].kinematic.motion.until;
    const double direction[3] = {0, -1, 0};
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, direction[k], u->direction[k]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -6.5, u->level);
    TEST_ASSERT_EQUAL_INT32(1, u->body);
    pl_scene_free(&scene);
}

// --- Forces in time ---

#define PUCK(forces)                                                                               \
    "{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]}, \"ground\": false, \"bodies\": "          \
    "[{\"material\": null, \"mesh\": \"cube\"}, {\"name\": \"puck\", \"shape\": \"box:size=1\", "  \
    "\"mass\": 2, \"type\": \"rigid\", \"forces\": [" forces "]}]}"

static pl_frame puck_at(const char *text, double time)
{
    pl_scene scene = parse(text);
    pl_play play;
    pl_frame frame;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    pl_scene_free(&scene);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, time));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(play.world, 0, &frame));
    pl_play_close(&play);
    return frame;
}

static void expect_speed(const char *text, double time, double expected)
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, expected, puck_at(text, time).velocity[0]);
}

static void test_forces_in_time(void)
{
    expect_speed(PUCK("{\"total\": [4, 0, 0]}"), 0.5, 1);
    expect_speed(PUCK("{\"total\": [4, 0, 0], \"start\": 0.1, \"end\": 0.3}"), 0.5, 0.4);
    // From 0 to 1 within 0.2 s, and back within 0.2 s: the mean is 1/2.
    expect_speed(
        PUCK("{\"total\": [4, 0, 0], \"start\": 0.1, \"keys\": [{\"time\": 0, \"factor\": 0}, "
             "{\"time\": 0.2, \"factor\": 1}, {\"time\": 0.4, \"factor\": 0}]}"),
        0.8, 0.4);
    expect_speed(
        PUCK("{\"total\": [4, 0, 0], \"interpolation\": \"constant\", \"keys\": [{\"time\": 0,"
             " \"factor\": 1}, {\"time\": 0.2, \"factor\": -0.5}]}"),
        0.4, 0.2);
    expect_speed(PUCK("{\"total\": [4, 0, 0], \"period\": 0.2, \"interpolation\": \"constant\", "
                      "\"keys\": [{\"time\": 0, \"factor\": 1}, {\"time\": 0.1, \"factor\": 0}]}"),
                 0.4, 0.4);
    expect_speed(PUCK("{\"total\": [4, 0, 0]}, {\"total\": [2, 0, 0], \"end\": 0.2}"), 0.4, 1);
    pl_frame frame = puck_at(PUCK("{\"torque\": [0, 0, 1], \"end\": 0.3}"), 0.5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.3 / (2 * 2.0 / 12), frame.angular_velocity[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, frame.velocity[0]);
    refuse(PUCK("{\"total\": [4, 0, 0], \"start\": 1, \"end\": 1}"),
           "x: bodies[1].forces[0].end: not after its start, 1 s");
    refuse(PUCK("{\"total\": [4, 0, 0], \"keys\": []}"),
           "x: bodies[1].forces[0].keys: one key or more expected");
    refuse(PUCK("{\"total\": [4, 0, 0], \"keys\": [{\"time\": 0}]}"),
           "x: bodies[1].forces[0].keys[0]: the key \"factor\" is missing");
    refuse(PUCK("{\"total\": [4, 0, 0], \"period\": 1}"),
           "x: bodies[1].forces[0].period: there are no \"keys\"");
    refuse(PUCK("{\"end\": 1}"), "x: bodies[1].forces[0]: the key \"total\" is missing");
    refuse(PUCK("{\"total\": [4, 0, 0], \"select\": {\"above\": 0}}"),
           "x: bodies[1].forces[0].select: a rigid body is moved as a whole");
    refuse(CUBE("\"forces\": [{\"total\": [1, 0, 0], \"torque\": [1, 0, 0]}]"),
           "x: bodies[0].forces[0].torque: only a rigid body has one");
}

// A soft cube: the same impulse; and the same bits after a checkpoint in the middle of the keys.
static void test_forces_on_soft_bodies(void)
{
    const char *text =
        "{\"world\": {\"dt\": 0.01, \"gravity\": [0, 0, 0]}, \"ground\": false, "
        "\"bodies\": [{\"mesh\": \"cube:size=0.1\", \"forces\": [{\"total\": [2, 0, 0], "
        "\"keys\": [{\"time\": 0, \"factor\": 0}, {\"time\": 0.4, \"factor\": 1}]}]}]}";
    pl_scene scene = parse(text);
    pl_play play, other;
    pl_energy energy;
    char file[1 << 16];
    size_t size;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &other), pl_error_text());
    pl_scene_free(&scene);
    for (int i = 0; i < 40; i++) {
        if (i == 17) {
            TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(play.world, file, sizeof file, &size));
        }
        TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(play.world, &energy));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 * 0.5 * 0.4, energy.momentum[0]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load_memory(other.world, file, size));
    for (int i = 17; i < 40; i++) TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&other));
    TEST_ASSERT_TRUE(pl_world_hash(play.world) == pl_world_hash(other.world));
    pl_play_close(&play);
    pl_play_close(&other);
}

// --- Memory ---

static pl_status open_all(void *user)
{
    pl_scene scene;
    pl_play play;
    PL_TRY(pl_scene_parse(user, "x", &scene));
    pl_status status = pl_play_open(&scene, &play);
    if (status == PL_OK) pl_play_close(&play);
    pl_scene_free(&scene);
    return status;
}

static void test_memory(void)
{
    static char text[] = "{\"bodies\": [{\"name\": \"n\", \"mesh\": \"needles\", \"type\": "
                         "\"static\"}, {\"halfspace\": {}, "
                         "\"type\": \"kinematic\", \"motion\": {\"until\": {\"position\": "
                         "{\"body\": \"n\", \"below\": "
                         "0}}}}, {\"shape\": \"sphere:segments=8\", \"scale\": [1, 2, 1], "
                         "\"type\": \"rigid\", \"forces\": "
                         "[{\"total\": [1, 0, 0], \"keys\": [{\"time\": 1, \"factor\": 1}]}]}], "
                         "\"friction_pairs\": [{\"a\":"
                         " \"n\", \"b\": \"ground\", \"friction\": 0}]}";
    pl_status status = PL_ERROR_MEMORY;
    for (int n = 0; status != PL_OK; n++) { // what reads files says where it was
        fail_nth(n);
        status = open_all(text);
        fail_never();
        if (status == PL_OK) continue;
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "out of memory"), pl_error_text());
        TEST_ASSERT_TRUE(n < 100000);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_scales);
    RUN_TEST(test_scales_of_shapes);
    RUN_TEST(test_halfspaces);
    RUN_TEST(test_loose_bodies);
    RUN_TEST(test_friction_pairs);
    RUN_TEST(test_conditions);
    RUN_TEST(test_conditions_of_instances);
    RUN_TEST(test_forces_in_time);
    RUN_TEST(test_forces_on_soft_bodies);
    RUN_TEST(test_memory);
    return UNITY_END();
}
