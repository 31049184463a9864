// Joints, couplings, motors and assemblies of scene files: what they mean, and complaints that name
// the key.

#include "../apps/scene/play.h"
#include "../apps/scene/scene_motors.h"
#include "../base/file.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

#define PI 3.14159265358979323846

void setUp(void)
{
}

void tearDown(void)
{
}

// Two rigid bodies and an only drawn one.
#define BODIES                                                                                     \
    "\"ground\": false, \"bodies\": [{\"name\": \"arm\", \"mesh\": \"box:size=1,0.1,0.1\","        \
    " \"type\": \"rigid\", \"position\": [0.5, 0, 0]},"                                            \
    " {\"name\": \"hand\", \"mesh\": \"box:size=0.2,0.2,0.2\", \"type\": \"rigid\","               \
    " \"position\": [1.2, 0, 0]}, {\"name\": \"sign\", \"mesh\": \"cube\", \"material\": null},"   \
    " {\"name\": \"ball\", \"mesh\": \"icosphere:radius=0.1\", \"type\": \"rigid\","               \
    " \"position\": [0, 5, 0], \"copies\": {\"count\": [2, 1, 1]}}]"

#define SHOULDER                                                                                   \
    "{\"name\": \"shoulder\", \"kind\": \"hinge\", \"b\": \"arm\", \"point\": [0, 0, 0], "         \
    "\"axis\": [0, 1, 0]"
#define SCENE(rest) "{\"world\": {\"dt\": 0.01}, " BODIES ", " rest "}"
#define JOINT(rest) SCENE("\"joints\": [" SHOULDER rest "}]")

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
    TEST_ASSERT_NULL(scene.joints);
}

// --- Joints ---

static void test_a_joint(void)
{
    pl_scene scene = parse(JOINT(
        ", \"range\": [-30, null], \"stiffness\": 5, \"damping\": 6, \"spring\": 7, \"rest\": 90,"
        " \"spring_damping\": 8, \"swing\": 45, \"break_force\": 100, \"break_torque\": 9,"
        " \"collide\": true, \"side\": [1, 0, 0], \"coordinates\": {\"x\": {\"stiffness\": 1e6},"
        " \"swing_y\": {\"curve\": [[-90, -1], [0, 0], [180, 4]]}},"
        " \"motor\": {\"mode\": \"position\", \"target\": 60, \"max_speed\": 180,"
        "             \"max_force\": 2, \"stiffness\": 10, \"damping\": 1}"));
    TEST_ASSERT_EQUAL_INT(1, scene.n_joints);
    TEST_ASSERT_EQUAL_INT(0, scene.n_motors); // it is the joint's own
    const pl_scene_joint *j = &scene.joints[0];
    const pl_joint_options *o = &j->options;
    TEST_ASSERT_EQUAL_STRING("shoulder", j->name);
    TEST_ASSERT_EQUAL_INT(-1, j->a);
    TEST_ASSERT_EQUAL_INT(0, j->b);
    TEST_ASSERT_EQUAL(PL_JOINT_HINGE, o->kind);
    TEST_ASSERT_EQUAL_DOUBLE(1, o->axis[1]);
    TEST_ASSERT_EQUAL_DOUBLE(1, o->side[0]);
    TEST_ASSERT_TRUE(isnan(o->point_b[0]));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -PI / 6, o->axes[3].lo);
    TEST_ASSERT_TRUE(isinf(o->axes[3].hi));
    TEST_ASSERT_EQUAL_DOUBLE(5, o->axes[3].stiffness);
    TEST_ASSERT_EQUAL_DOUBLE(6, o->axes[3].damping);
    TEST_ASSERT_EQUAL_DOUBLE(7, o->axes[3].spring);
    TEST_ASSERT_EQUAL_DOUBLE(8, o->axes[3].spring_damping);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, PI / 2, o->axes[3].rest);
    TEST_ASSERT_EQUAL_DOUBLE(1e6, o->axes[0].stiffness);
    TEST_ASSERT_EQUAL_DOUBLE(0, o->axes[0].hi);
    TEST_ASSERT_EQUAL_INT(3, o->axes[4].n_curve);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, PI, o->axes[4].curve[4]);
    TEST_ASSERT_EQUAL_DOUBLE(4, o->axes[4].curve[5]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, PI / 4, o->swing);
    TEST_ASSERT_EQUAL_DOUBLE(100, o->break_force);
    TEST_ASSERT_EQUAL_DOUBLE(9, o->break_torque);
    TEST_ASSERT_TRUE(o->collide);
    const pl_motor *m = &o->axes[3].motor;
    TEST_ASSERT_EQUAL(PL_MOTOR_POSITION, m->mode);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, PI / 3, m->target);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, PI, m->max_speed);
    TEST_ASSERT_EQUAL_DOUBLE(2, m->max_force);
    TEST_ASSERT_EQUAL_DOUBLE(10, m->stiffness);
    TEST_ASSERT_EQUAL_DOUBLE(1, m->damping);
    pl_scene_free(&scene);
}

// Every kind by its name, and that the world takes it.
static void test_kinds(void)
{
    static const char *const names[] = {"six-dof", "ball",      "hinge", "slider",  "cylindrical",
                                        "planar",  "universal", "fixed", "distance"};
    for (int kind = 0; kind <= PL_JOINT_DISTANCE; kind++) {
        char text[2048];
        pl_world *world;
        pl_joint_state state;
        snprintf(text, sizeof text,
                 SCENE("\"joints\": [{\"kind\": \"%s\", \"a\": \"arm\", \"b\": \"hand\","
                       " \"point\": [1, 0, 0], \"point_b\": [1.1, 0, 0]}]"),
                 names[kind]);
        pl_scene scene = parse(text);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_world_joint_state(world, 0, &state));
        TEST_ASSERT_EQUAL(kind, state.kind);
        TEST_ASSERT_EQUAL_INT(0, state.body_a);
        TEST_ASSERT_EQUAL_INT(1, state.body_b);
        pl_world_destroy(world);
        pl_scene_free(&scene);
    }
}

static void test_bodies_by_name(void)
{
    pl_scene scene = parse(
        SCENE("\"joints\": [{\"kind\": \"ball\", \"a\": \"ball[1]\", \"b\": \"hand\", \"point\": "
              "[0, 0, 0]},"
              " {\"kind\": \"ball\", \"a\": \"arm\", \"b\": \"world\", \"point\": [0, 0, 0]}]"));
    TEST_ASSERT_EQUAL_INT(4, scene.joints[0].a);
    TEST_ASSERT_EQUAL_INT(1, scene.joints[0].b);
    TEST_ASSERT_EQUAL_INT(-1, scene.joints[1].b);
    pl_world *world;
    pl_joint_state state;
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_joint_state(world, 0, &state));
    TEST_ASSERT_EQUAL_INT(3, state.body_a); // the sign is no body of the world
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static void test_complaints_about_joints(void)
{
#define B(rest) SCENE("\"joints\": [{\"kind\": \"ball\", \"point\": [0, 0, 0], " rest "}]")
    refuse(B("\"a\": \"arm\""), "x: joints[0]: the key \"b\" is missing");
    refuse(B("\"b\": \"arn\""),
           "x: joints[0].b: no body has the name \"arn\", did you mean \"arm\"?");
    refuse(B("\"b\": \"elephant\""), "x: joints[0].b: no body has the name \"elephant\"");
    refuse(B("\"b\": 3"), "x: joints[0].b: the \"name\" of a body expected");
    refuse(B("\"a\": \"arm\", \"b\": \"arm\""),
           "x: joints[0].b: \"arm\" is a, too: a joint ties two bodies");
    refuse(B("\"b\": \"world\""),
           "x: joints[0].b: the world is a, too: one of them must be a body");
    refuse(B("\"b\": \"sign\""), "x: joints[0].b: \"sign\" is only drawn (\"material\": null)");
    refuse(B("\"b\": \"ball\""),
           "x: joints[0].b: \"ball\" has 2 copies: name one, as in \"ball[0]\"");
    refuse(B("\"b\": \"ball[2]\""), "x: joints[0].b: copy 2 of 2: the first is [0]");
    refuse(B("\"b\": \"arm\", \"range\": [0, 1]"),
           "x: joints[0].range: a ball joint has it by its \"coordinates\"");
    refuse(B("\"b\": \"arm\", \"coordinates\": {\"twis\": {}}"),
           "x: joints[0].coordinates: unknown key \"twis\", did you mean \"twist\"?");
    refuse(B("\"b\": \"arm\", \"axis\": [0, 0, 0]"), "x: joints[0]: axis: has no direction");
    refuse(SCENE("\"joints\": [{\"kind\": \"bal\", \"b\": \"arm\", \"point\": [0, 0, 0]}]"),
           "x: joints[0].kind: unknown kind \"bal\", did you mean \"ball\"?");
    refuse(SCENE("\"joints\": [{\"kind\": \"ball\", \"b\": \"arm\"}]"),
           "x: joints[0]: the key \"point\" is missing");
    refuse(SCENE("\"joints\": [{\"kind\": \"distance\", \"b\": \"arm\", \"point\": [0, 0, 0]}]"),
           "x: joints[0]: the key \"point_b\" is missing");
    refuse(JOINT(", \"range\": [30, -30]"),
           "x: joints[0].range: from 30 down to -30: the lowest comes first");
    refuse(JOINT(", \"range\": [30]"),
           "x: joints[0].range: a number or [lowest, highest] expected");
    refuse(JOINT(", \"curve\": [[0, 1], [0, 2]]"),
           "x: joints[0].curve[1]: x is not above that of the point before");
    refuse(JOINT(", \"damping\": -1"), "x: joints[0].damping: a number, 0 or above, expected");
    refuse(JOINT(", \"mode\": \"velocity\""),
           "x: joints[0]: unknown key \"mode\": \"motor\" has it");
    refuse(JOINT(", \"gravity\": 1"),
           "x: joints[0]: unknown key \"gravity\" (known: name, kind, a, b, point, point_b, axis, "
           "side, patch_a, patch_b, collide, swing, break_force, break_torque, coordinates, range, "
           "stiffness, damping, spring, spring_damping, rest, curve, motor, comment)");
    refuse("{\"bodies\": [], \"point\": [0, 0, 0]}", "x: unknown key \"point\": \"joints\" has it");
}

// What only the library can tell has the place in front.
static void test_the_librarys_complaints(void)
{
    pl_scene scene =
        parse(SCENE("\"joints\": [{\"kind\": \"distance\", \"b\": \"arm\", \"point\": [0, 0, 0],"
                    " \"point_b\": [0, 0, 0]}]"));
    pl_world *world;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_scene_world(&scene, &world));
    TEST_ASSERT_EQUAL_STRING("x: joints[0]: point_b: the two points of a distance are the same",
                             pl_error_text());
    TEST_ASSERT_NULL(world);
    pl_scene_free(&scene);
}

// --- Couplings ---

#define SHAFTS                                                                                     \
    "\"joints\": [" SHOULDER                                                                       \
    "}, {\"name\": \"wrist\", \"kind\": \"cylindrical\", \"b\": \"hand\","                         \
    " \"point\": [1, 0, 0]}, {\"name\": \"rope\", \"kind\": \"distance\", \"b\": \"hand\","        \
    " \"point\": [0, 0, 9], \"point_b\": [1, 0, 0], \"range\": [0, null]},"                        \
    " {\"name\": \"rod\", \"kind\": \"distance\", \"b\": \"hand\","                                \
    " \"point\": [0, 0, 9], \"point_b\": [1, 0, 0]}], \"couplings\": "

static void test_couplings(void)
{
    pl_scene scene = parse(SCENE(
        SHAFTS
        "[{\"kind\": \"gear\", \"a\": \"shoulder\", \"b\": \"wrist\", \"teeth\": [20, 60]},"
        " {\"kind\": \"gear\", \"a\": \"shoulder\", \"b\": \"wrist\", \"ratio\": 2,"
        "  \"inner\": true, \"backlash\": 2, \"stiffness\": 5, \"damping\": 6},"
        " {\"kind\": \"rack\", \"pinion\": \"shoulder\", \"rack\": \"wrist\", \"radius\": 0.1},"
        " {\"kind\": \"screw\", \"joint\": \"wrist\", \"pitch\": 0.01},"
        " {\"kind\": \"pulley\", \"a\": \"rope\", \"b\": \"rope\", \"falls\": 2},"
        " {\"kind\": \"sum\", \"range\": [-1, 2], \"terms\":"
        "  [{\"joint\": \"wrist\", \"coordinate\": \"x\", \"ratio\": 3}]}]"));
    const pl_scene_coupling *c = scene.couplings;
    TEST_ASSERT_EQUAL_INT(6, scene.n_couplings);
    TEST_ASSERT_EQUAL_INT(2, c[0].options.n);
    TEST_ASSERT_EQUAL_INT(3, c[0].options.axis[1]);
    TEST_ASSERT_EQUAL_DOUBLE(3, c[0].options.ratio[1]);
    TEST_ASSERT_EQUAL_DOUBLE(-2, c[1].options.ratio[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, PI / 180, c[1].options.hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -PI / 180, c[1].options.lo);
    TEST_ASSERT_EQUAL_DOUBLE(5, c[1].options.stiffness);
    TEST_ASSERT_EQUAL_DOUBLE(0.1, c[2].options.ratio[0]);
    TEST_ASSERT_EQUAL_INT(0, c[2].options.axis[1]);
    TEST_ASSERT_EQUAL_DOUBLE(-1, c[2].options.ratio[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.01 / (2 * PI), c[3].options.ratio[0]);
    TEST_ASSERT_TRUE(isinf(c[4].options.lo));
    TEST_ASSERT_EQUAL_DOUBLE(2, c[4].options.ratio[1]);
    TEST_ASSERT_EQUAL_DOUBLE(-1, c[5].options.lo);
    TEST_ASSERT_EQUAL_DOUBLE(3, c[5].options.ratio[0]);
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static void test_complaints_about_couplings(void)
{
#define C(text) SCENE(SHAFTS "[{" text "}]")
    refuse(C("\"a\": \"rope\""), "x: couplings[0]: the key \"kind\" is missing");
    refuse(C("\"kind\": \"gear\", \"a\": \"sholder\", \"b\": \"wrist\", \"ratio\": 2"),
           "x: couplings[0].a: no joint has the name \"sholder\", did you mean \"shoulder\"?");
    refuse(C("\"kind\": \"gear\", \"a\": \"rope\", \"b\": \"wrist\", \"ratio\": 2"),
           "x: couplings[0].a: \"rope\" is a distance joint, which has no twist");
    refuse(C("\"kind\": \"gear\", \"a\": \"wrist\", \"b\": \"wrist\""),
           "x: couplings[0]: give one of the keys \"teeth\" and \"ratio\"");
    refuse(C("\"kind\": \"pulley\", \"a\": \"rope\", \"b\": \"rod\""),
           "x: couplings[0].b: \"rod\" is a distance joint, whose distance is held");
    refuse(C("\"kind\": \"rack\", \"pinion\": \"wrist\", \"rack\": \"shoulder\", \"radius\": 1"),
           "x: couplings[0].rack: \"shoulder\" is a hinge joint, whose x is held");
    refuse(C("\"kind\": \"screw\", \"joint\": \"wrist\", \"pitch\": 0"),
           "x: couplings[0].pitch: a number other than 0 expected");
    refuse(C("\"kind\": \"sum\", \"terms\": [{\"joint\": \"wrist\"}]"),
           "x: couplings[0].terms[0]: the key \"coordinate\" is missing: a cylindrical joint has "
           "several");
}

// --- Motors ---

static void test_targets_in_time(void)
{
    pl_scene_motor_key key[] = {{0, 1}, {2, 5}, {3, 5}, {4, 0}};
    pl_scene_motor m = {.start = 10, .period = INFINITY, .key = key, .n_key = 4};
    TEST_ASSERT_EQUAL_DOUBLE(1, pl_scene_motor_target(&m, 10));
    TEST_ASSERT_EQUAL_DOUBLE(2, pl_scene_motor_target(&m, 10.5));
    TEST_ASSERT_EQUAL_DOUBLE(5, pl_scene_motor_target(&m, 12.5));
    TEST_ASSERT_EQUAL_DOUBLE(2.5, pl_scene_motor_target(&m, 13.5));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_scene_motor_target(&m, 99));
    m.constant = true;
    TEST_ASSERT_EQUAL_DOUBLE(1, pl_scene_motor_target(&m, 11.9));
    TEST_ASSERT_EQUAL_DOUBLE(5, pl_scene_motor_target(&m, 13.9));
    m.period = 4;
    TEST_ASSERT_EQUAL_DOUBLE(1, pl_scene_motor_target(&m, 18.5));
}

static double angle_at(pl_play *play, double time)
{
    pl_joint_state state;
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(play, time));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_run(play, NULL, NULL), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_joint_state(play->world, 0, &state));
    return state.position[3] * 180 / PI;
}

#define SCHEDULE                                                                                   \
    JOINT("}], \"motors\": [{\"joint\": \"shoulder\", \"mode\": \"velocity\","                     \
          " \"keys\": [{\"time\": 0, \"value\": 0}, {\"time\": 1, \"value\": 90}]},"               \
          " {\"joint\": \"shoulder\", \"mode\": \"position\", \"start\": 2, \"end\": 3,"           \
          " \"target\": -10")

// The rate is that of the row at the start of the step: off by the square of the angle of a step.
static const double OFF = 0.02; // [degrees]

// A rate that rises for 1 s and then stays: 45 degrees, and 90 for each second more; then a place.
static void test_a_schedule_drives_a_joint(void)
{
    pl_scene scene = parse(SCHEDULE);
    pl_play play;
    TEST_ASSERT_EQUAL_INT(2, scene.n_motors);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    TEST_ASSERT_DOUBLE_WITHIN(OFF, 45, angle_at(&play, 1));
    TEST_ASSERT_DOUBLE_WITHIN(OFF, 135, angle_at(&play, 2));
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, -10, angle_at(&play, 2.5));
    TEST_ASSERT_DOUBLE_WITHIN(OFF, -10 + 9, angle_at(&play, 3.1));
    pl_play_close(&play);
    pl_scene_free(&scene);
}

// The same bits after a checkpoint; the scene may be gone by then.
static void test_a_schedule_goes_on(void)
{
    pl_play whole, parts;
    char path[] = "/tmp/pliant_motors_XXXXXX";
    close(mkstemp(path));
    for (int i = 0; i < 2; i++) {
        pl_scene scene = parse(SCHEDULE);
        TEST_ASSERT_EQUAL(PL_OK, pl_play_open(&scene, i == 0 ? &whole : &parts));
        pl_scene_free(&scene);
    }
    (void)angle_at(&whole, 1.5);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(whole.world, path));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_resume(&parts, path));
    TEST_ASSERT_EQUAL_DOUBLE(angle_at(&whole, 3.2), angle_at(&parts, 3.2));
    TEST_ASSERT_EQUAL_UINT64(pl_world_hash(whole.world), pl_world_hash(parts.world));
    pl_play_close(&whole);
    pl_play_close(&parts);
    unlink(path);
}

static void test_complaints_about_motors(void)
{
#define M(text) JOINT("}], \"motors\": [{" text)
    refuse(M("\"mode\": \"velocity\""), "x: motors[0]: the key \"joint\" is missing");
    refuse(M("\"joint\": \"elbow\""), "x: motors[0].joint: no joint has the name \"elbow\"");
    refuse(M("\"joint\": \"shoulder\""), "x: motors[0]: the key \"mode\" is missing");
    refuse(M("\"joint\": \"shoulder\", \"mode\": \"speed\""),
           "x: motors[0].mode: unknown mode \"speed\" (known: off, velocity, position, force)");
    refuse(M("\"joint\": \"shoulder\", \"mode\": \"force\", \"target\": 1, \"keys\": "
             "[{\"time\": 0, \"value\": 1}]"),
           "x: motors[0].target: \"keys\" are given, too: give one of them");
    refuse(M("\"joint\": \"shoulder\", \"mode\": \"force\", \"keys\": "
             "[{\"time\": 0, \"value\": 1}, {\"time\": 0, \"value\": 1}]"),
           "x: motors[0].keys[1].time: not later than that of the key before");
    refuse(M("\"joint\": \"shoulder\", \"mode\": \"force\", \"period\": 3"),
           "x: motors[0].period: there are no \"keys\"");
    refuse(M("\"joint\": \"shoulder\", \"mode\": \"force\", \"start\": 3, \"end\": 2"),
           "x: motors[0].end: not after its start, 3 s");
    refuse(M("\"joint\": \"shoulder\", \"coordinate\": \"turn\", \"mode\": \"force\""),
           "x: motors[0].coordinate: unknown coordinate \"turn\" (known: x, y, z, twist, swing_y, "
           "swing_z)");
}

// --- Assemblies ---

#define CART                                                                                       \
    "{\"bodies\": [{\"name\": \"body\", \"mesh\": \"box:size=1,0.5,0.2\", \"type\": \"rigid\"},"   \
    " {\"name\": \"wheel\", \"mesh\": \"cylinder:radius=0.2:length=0.1\", \"rotation\": [90, 0, "  \
    "0],"                                                                                          \
    " \"position\": [0.4, 0.4, 0], \"type\": \"rigid\", \"velocity\": [1, 0, 0]}],"                \
    " \"joints\": [{\"name\": \"axle\", \"kind\": \"hinge\", \"a\": \"body\", \"b\": \"wheel\","   \
    " \"point\": [0.4, 0.4, 0], \"axis\": [0, 1, 0]}], \"motors\": [{\"joint\": \"axle\","         \
    " \"mode\": \"velocity\", \"target\": 90}]}"
#define CARTS                                                                                      \
    "{\"ground\": false, \"assemblies\": {\"cart\": " CART ", \"train\": {\"instances\":"          \
    " [{\"assembly\": \"cart\", \"name\": \"first\", \"position\": [3, 0, 0]}]}}, \"instances\": " \
    "["                                                                                            \
    " {\"assembly\": \"cart\", \"name\": \"left\", \"position\": [0, 0, 1]},"                      \
    " {\"assembly\": \"cart\", \"name\": \"right\", \"position\": [0, 5, 1],"                      \
    "  \"rotation\": [0, 0, 90], \"velocity\": [0, 0, 2], \"angular_velocity\": [0, 0, 180]},"     \
    " {\"assembly\": \"train\", \"name\": \"train\", \"position\": [0, 0, 9]}],"                   \
    " \"joints\": [{\"kind\": \"ball\", \"a\": \"left.body\", \"b\": \"train.first.body\","        \
    "  \"point\": [0, 0, 0]}]}"

static void test_instances(void)
{
    pl_scene scene = parse(CARTS);
    TEST_ASSERT_EQUAL_INT(6, scene.n_bodies);
    TEST_ASSERT_EQUAL_INT(4, scene.n_joints);
    TEST_ASSERT_EQUAL_INT(3, scene.n_motors);
    TEST_ASSERT_EQUAL_STRING("right.axle", scene.joints[1].name);
    TEST_ASSERT_EQUAL_STRING("train.first.wheel", scene.entries[5].name);
    const pl_joint_options *axle = &scene.joints[1].options;
    // (0.4, 0.4) turned by 90 degrees is (-0.4, 0.4); y is -x.
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -0.4, axle->point_a[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 5.4, axle->point_a[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1, axle->point_a[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, -1, axle->axis[0]);
    TEST_ASSERT_EQUAL_INT(2, scene.joints[1].a);
    TEST_ASSERT_EQUAL_INT(0, scene.joints[3].a);
    TEST_ASSERT_EQUAL_INT(4, scene.joints[3].b);
    double lo[3], hi[3];
    pl_mesh_bounds(scene.bodies[2].mesh, lo, hi);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 4.5, lo[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.25, hi[0]);
    // The wheel's own (1, 0, 0) becomes (0, 1, 0); the spin of pi adds pi (-0.4, -0.4, 0).
    const pl_rigid_options *wheel = &scene.bodies[3].rigid;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.4 * PI, wheel->velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1 - 0.4 * PI, wheel->velocity[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 2, wheel->velocity[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, PI, wheel->angular_velocity[2]);
    pl_world *world;
    char name[64];
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    pl_world_name(world, 3, name, sizeof name);
    TEST_ASSERT_EQUAL_STRING("right.wheel", name);
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static void write_file(const char *path, const char *text)
{
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(path, &out));
    pl_output_write(&out, text, strlen(text));
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
}

// A scene of its own is an assembly of another one beside it.
static void test_an_assembly_in_a_file(void)
{
    char folder[] = "/tmp/pliant_assembly_XXXXXX", part[64], whole[64];
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    snprintf(part, sizeof part, "%s/cart.json", folder);
    snprintf(whole, sizeof whole, "%s/all.json", folder);
    write_file(part, CARTS);
    write_file(whole, "{\"assemblies\": {\"carts\": \"cart.json\"}, \"instances\": ["
                      "{\"assembly\": \"carts\", \"name\": \"a\", \"position\": [0, 0, 1]},"
                      "{\"assembly\": \"carts\", \"name\": \"b\", \"position\": [0, 20, 1]}]}");
    pl_scene scene;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_load(whole, &scene), pl_error_text());
    TEST_ASSERT_EQUAL_INT(12, scene.n_bodies);
    TEST_ASSERT_EQUAL_STRING("b.train.first.axle", scene.joints[6].name);
    TEST_ASSERT_TRUE(scene.ground);
    pl_scene_free(&scene);
    write_file(part, "{\"bodies\": [{\"mesh\": \"cube\", \"scale\": -1}]}");
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_scene_load(whole, &scene));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "/cart.json: bodies[0].scale: a number above 0"));
    unlink(part);
    TEST_ASSERT_NOT_EQUAL(PL_OK, pl_scene_load(whole, &scene));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "/all.json: assemblies.carts: "));
    unlink(whole);
    rmdir(folder);
}

static void test_complaints_about_assemblies(void)
{
#define A(assemblies, instance)                                                                    \
    "{\"assemblies\": {" assemblies "}, \"instances\": [{" instance "}]}"
    refuse(A("", "\"assembly\": \"cart\", \"name\": \"a\""),
           "x: instances[0].assembly: unknown assembly \"cart\": \"assemblies\" has none");
    refuse(A("\"cart\": " CART, "\"assembly\": \"kart\", \"name\": \"a\""),
           "x: instances[0].assembly: unknown assembly \"kart\", did you mean \"cart\"?");
    refuse(A("\"cart\": " CART, "\"assembly\": \"cart\""),
           "x: instances[0]: the key \"name\" is missing");
    refuse(A("\"cart\": {\"world\": {}}", "\"assembly\": \"cart\", \"name\": \"a\""),
           "x: assemblies.cart: unknown key \"world\": \"the scene\" has it");
    refuse(A("\"cart\": 3", ""),
           "x: assemblies.cart: an object {...} or the \"path\" of a scene expected");
    refuse(A("\"cart\": " CART, "\"assembly\": \"cart\", \"name\": \"a\"}, {\"assembly\": \"cart\","
                                " \"name\": \"a\""),
           "x: instances[1].name: \"a\" is the name of instances[0], too");
    refuse(
        A("\"cart\": {\"instances\": [{\"assembly\": \"cart\", \"name\": \"a\"}]}",
          "\"assembly\": \"cart\", \"name\": \"a\""),
        "x: assemblies.cart.instances[0]: more than 8 instances in each other; is an assembly in "
        "itself?");
    refuse(
        A("\"cart\": {\"bodies\": [{\"mesh\": \"cub\"}]}",
          "\"assembly\": \"cart\", \"name\": \"a\""),
        "x: assemblies.cart.bodies[0].mesh: cub: no such file, and unknown shape \"cub\", did you "
        "mean \"cube\"?");
}

static pl_status parse_and_open(const char *text)
{
    pl_scene scene;
    pl_play play;
    PL_TRY(pl_scene_parse(text, "x", &scene));
    pl_status status = pl_play_open(&scene, &play);
    pl_play_close(&play);
    pl_scene_free(&scene);
    return status;
}

static void test_allocations_fail(void)
{
    static const char *const texts[] = {CARTS, SCHEDULE};
    for (int i = 0; i < 2; i++) {
        int n = 0;
        for (pl_status status = PL_ERROR_MEMORY; status != PL_OK; n++) {
            TEST_ASSERT_TRUE(n < 10000);
            fail_nth(n);
            status = parse_and_open(texts[i]);
            fail_never();
            TEST_ASSERT_EQUAL_INT64(0, live_blocks);
            TEST_ASSERT_TRUE(status == PL_OK || strstr(pl_error_text(), "memory") != NULL);
        }
        TEST_ASSERT_TRUE(n > 10);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_joint);
    RUN_TEST(test_kinds);
    RUN_TEST(test_bodies_by_name);
    RUN_TEST(test_complaints_about_joints);
    RUN_TEST(test_the_librarys_complaints);
    RUN_TEST(test_couplings);
    RUN_TEST(test_complaints_about_couplings);
    RUN_TEST(test_targets_in_time);
    RUN_TEST(test_a_schedule_drives_a_joint);
    RUN_TEST(test_a_schedule_goes_on);
    RUN_TEST(test_complaints_about_motors);
    RUN_TEST(test_instances);
    RUN_TEST(test_an_assembly_in_a_file);
    RUN_TEST(test_complaints_about_assemblies);
    RUN_TEST(test_allocations_fail);
    return UNITY_END();
}
