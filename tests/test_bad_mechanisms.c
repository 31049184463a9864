// Mechanisms that make no sense, or more than one: an error that names the place, or a state
// between what is asked for with a warning; never a number that is none. Others are in
// test_joint_step.c (loops that do not close, bad options) and test_scene_joints.c (keys).

#include "logs.h"
#include "mechanisms.h"
#include "../apps/scene/scene.h"

void setUp(void)
{
}

void tearDown(void)
{
    pl_set_log(NULL, NULL);
}

// --- Scenes that are refused ---

// Two balls, and what else the scene has.
#define SCENE(more)                                                                                \
    "{\"ground\": false, \"bodies\": ["                                                            \
    "{\"name\": \"a\", \"shape\": \"sphere:radius=0.1\", \"type\": \"rigid\"},"                    \
    "{\"name\": \"b\", \"shape\": \"sphere:radius=0.1\", \"type\": \"rigid\", \"position\":"       \
    " [1, 0, 0]}]," more "}"
#define JOINT(more) SCENE("\"joints\": [{" more "}]")

// The scene, or its world, or the world's first step, is refused with a text that has all parts.
static void refuse(const char *text, const char *place, const char *why)
{
    pl_scene scene = {0};
    pl_world *world = NULL;
    pl_status status = pl_scene_parse(text, "bad.json", &scene);
    if (status == PL_OK) status = pl_scene_world(&scene, &world);
    if (status == PL_OK) status = pl_world_step(world, NULL);
    TEST_ASSERT_NOT_EQUAL_MESSAGE(PL_OK, status, text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), place), pl_error_text());
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), why), pl_error_text());
    pl_world_destroy(world);
    pl_scene_free(&scene);
}

static void test_a_body_with_itself(void)
{
    refuse(JOINT("\"kind\": \"ball\", \"a\": \"a\", \"b\": \"a\", \"point\": [0, 0, 0]"),
           "joints[0].b", "a joint ties two bodies");
    refuse(JOINT("\"kind\": \"fixed\", \"b\": \"world\", \"point\": [0, 0, 0]"), "joints[0].b",
           "one of them must be a body");
}

static void test_ranges_from_high_to_low(void)
{
    refuse(JOINT("\"kind\": \"hinge\", \"a\": \"a\", \"b\": \"b\", \"point\": [0, 0, 0],"
                 " \"range\": [30, -30]"),
           "joints[0]", "range");
    refuse(JOINT("\"kind\": \"slider\", \"b\": \"b\", \"point\": [0, 0, 0], \"range\": [1, 0]"),
           "joints[0]", "range");
    refuse(JOINT("\"kind\": \"six-dof\", \"b\": \"b\", \"point\": [0, 0, 0],"
                 " \"coordinates\": {\"z\": {\"range\": [2, 1]}}"),
           "joints[0].coordinates.z", "range");
}

static void test_nothing_to_carry(void)
{
#define BODY(keys) "{\"bodies\": [{\"type\": \"rigid\", " keys "}]}"
    refuse(BODY("\"mesh\": \"cube\", \"mass\": 0"), "bodies[0].mass", "above 0");
    refuse(BODY("\"mesh\": \"cube\", \"density\": 0"), "bodies[0].density", "above 0");
    refuse(BODY("\"mesh\": \"cube\", \"mass\": -2"), "bodies[0].mass", "above 0");
    refuse(BODY("\"shape\": \"box:size=1,1,0\""), "bodies[0]", "size");
    refuse(BODY("\"mesh\": \"box:size=1,1,0\""), "bodies[0]", "size");
}

static void test_cables_without_length(void)
{
#define CABLE(more) SCENE("\"cables\": [{\"radius\": 0.01, " more "}]")
    refuse(CABLE("\"from\": [0, 0, 1], \"to\": [0, 0, 1], \"links\": 4"), "cables[0]", "");
    refuse(CABLE("\"points\": [[0, 0, 1]], \"links\": 4"), "cables[0]", "");
    refuse(CABLE("\"points\": [[0, 0, 1], [0, 0, 1]], \"length\": 0.1"), "cables[0]", "");
    refuse(JOINT("\"kind\": \"distance\", \"a\": \"a\", \"b\": \"b\", \"point\": [0.5, 0, 0],"
                 " \"point_b\": [0.5, 0, 0]"),
           "joints[0]", "are the same");
}

// --- States between ---

static void expect_finite(const pl_world *world)
{
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        pl_frame f = frame_of(world, i);
        for (int k = 0; k < 3; k++) {
            TEST_ASSERT_TRUE(isfinite(f.centre[k]) && fabs(f.centre[k]) < 100);
            TEST_ASSERT_TRUE(isfinite(f.velocity[k]) && isfinite(f.angular_velocity[k]));
        }
    }
}

// Bodies nearly without extent: a rod of 1 mm, whose inertia about its axis is 1e-6 of that
// across, and plates of a micrometre hang by a point of theirs and swing as others do. A wire of a
// micrometre, 1e-12, or a body that is held far beside an axis about which nothing resists, would
// have to spin at any rate: that may fail, in words that name the body.
static void test_inertia_that_is_nearly_singular(void)
{
    const char *shape[] = {"box:size=1e-3,1e-3,1", "box:size=1,1,1e-6", "box:size=1e-5,1,1",
                           "box:size=1e-6,1e-6,1"};
    for (int i = 0; i < 8; i++) {
        pl_world *world = joint_world(1e-2);
        bool beside = i >= 4, hopeless = beside || i == 3;
        int32_t body =
            add_rigid_at(world, shape[i % 4], 2, beside ? 0.3 : 0, 0, i % 4 == 1 ? 0 : -0.5);
        pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, body, 0, 0, 0, 0, 0, 1);
        add_joint(world, &o);
        set_velocities(world, body, (double[]){0, 0.5, 0}, (double[]){1, 0, 0});
        for (int k = 0; k < 200; k++) {
            pl_step_stats stats;
            pl_status status = pl_world_step(world, &stats);
            if (status == PL_OK) {
                TEST_ASSERT_TRUE(stats.joint_gap < 1e-4);
                continue;
            }
            TEST_ASSERT_TRUE_MESSAGE(hopeless, pl_error_text());
            expect_failure(PL_ERROR_NUMERICS, status, "body 0");
            break;
        }
        expect_finite(world);
        pl_world_destroy(world);
    }
}

// Four bodies in a ring of fixed joints, one more than hold it; and hinges of which each is held by
// the next. All of it is held by the world and does not move.
static void test_a_loop_of_locked_joints(void)
{
    for (int hinges = 0; hinges < 2; hinges++) {
        pl_world *world = joint_world(1.0 / 60);
        int32_t body[4];
        keep_log();
        for (int i = 0; i < 4; i++) {
            body[i] = add_rigid_at(world, "box:size=0.5,0.5,0.5", 1 + i, i % 2, 0, i / 2);
        }
        const int order[5] = {0, 1, 3, 2, 0};
        for (int i = 0; i < 4; i++) {
            int a = order[i], b = order[i + 1];
            pl_joint_options o =
                joint_at(hinges ? PL_JOINT_HINGE : PL_JOINT_FIXED, body[a], body[b],
                         0.5 * (a % 2 + b % 2), 0, 0.5 * (a / 2 + b / 2), 0, 1, 0);
            if (hinges) o.axes[3].lo = o.axes[3].hi = 0;
            add_joint(world, &o);
        }
        pl_joint_options o = joint_at(PL_JOINT_FIXED, PL_WORLD, body[0], 0, 0, 0, 0, 0, 1);
        int32_t base = add_joint(world, &o);
        TEST_ASSERT_TRUE(step_joints(world, 300) < 1e-5);
        for (int i = 0; i < 4; i++) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-4, i % 2, frame_of(world, body[i]).centre[0]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-4, i / 2, frame_of(world, body[i]).centre[2]);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 10 * G, joint_state(world, base).force[2]);
        expect_no_warning();
        pl_world_destroy(world);
    }
}

// Two ranges of one body that have nothing in common: the step fails, in words that name the joint,
// and leaves the body as it was.
static void test_ranges_without_a_common_point(void)
{
    for (int contact = 0; contact < 2; contact++) {
        pl_world_options options = contact ? pl_world_options_default() : no_contact();
        options.dt = 1e-2;
        options.halvings = 1;
        pl_world *world = make_world(&options);
        int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0, 0, 0);
        for (int i = 0; i < 2; i++) {
            pl_joint_options o = joint_at(PL_JOINT_SLIDER, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
            o.axes[0].lo = i == 0 ? 0.1 : -0.4, o.axes[0].hi = i == 0 ? 0.4 : -0.1;
            add_joint(world, &o);
        }
        expect_failure(PL_ERROR_NUMERICS, pl_world_step(world, NULL), "of the world and body 0");
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), "contradict"), pl_error_text());
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, frame_of(world, body).centre[0]);
        expect_finite(world);
        pl_world_destroy(world);
    }
}

// Two motors without a limit, one to each side: it goes with the mean, which is none, and a warning
// says so.
static void test_motors_against_each_other(void)
{
    pl_world *world = joint_world(1e-2);
    keep_log();
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0, 0, 0), joint[2];
    for (int i = 0; i < 2; i++) {
        pl_joint_options o = joint_at(PL_JOINT_SLIDER, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
        joint[i] = add_joint(world, &o);
        set_motor(world, joint[i], 0, PL_MOTOR_VELOCITY, i == 0 ? 1 : -1, INFINITY);
    }
    step(world, 50);
    expect_finite(world);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, frame_of(world, body).velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0, frame_of(world, body).centre[0]);
    TEST_ASSERT_TRUE(log_lines == 1);
    pl_world_destroy(world);
}

// A motor without a limit against what is locked; and one that turns a gear against another motor.
static void test_a_motor_against_a_lock(void)
{
    pl_world *world = joint_world(1e-2);
    keep_log();
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0, 0, 0);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
    int32_t shaft = add_joint(world, &o);
    o = joint_at(PL_JOINT_FIXED, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
    add_joint(world, &o);
    set_motor(world, shaft, 3, PL_MOTOR_VELOCITY, 2, 5);
    step(world, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, joint_state(world, shaft).position[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 5, joint_state(world, shaft).motor[3]); // it stalls
    expect_no_warning();
    set_motor(world, shaft, 3, PL_MOTOR_VELOCITY, 2, INFINITY);
    step(world, 30);
    expect_finite(world);
    TEST_ASSERT_TRUE(fabs(frame_of(world, body).angular_velocity[0]) < 2.1);
    TEST_ASSERT_TRUE(log_lines == 1);
    pl_world_destroy(world);
}

// Gears that close a circle with ratios that do not: nothing but rest meets them all.
static void test_a_circle_of_gears(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t joint[3];
    for (int i = 0; i < 3; i++) {
        int32_t wheel = add_rigid_at(world, "box:size=0.5,0.5,0.5", 1, 0, 2 * i, 0);
        pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, wheel, 0, 2 * i, 0, 1, 0, 0);
        joint[i] = add_joint(world, &o);
    }
    for (int i = 0; i < 3; i++) couple(world, joint[i], 3, 1, joint[(i + 1) % 3], 3, 1);
    set_motor(world, joint[0], 3, PL_MOTOR_FORCE, 5, INFINITY);
    double most = step_joints(world, 200);
    TEST_ASSERT_TRUE(most < 1e-4);
    expect_finite(world);
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, joint_state(world, joint[i]).position[3]);
    }
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_body_with_itself);
    RUN_TEST(test_ranges_from_high_to_low);
    RUN_TEST(test_nothing_to_carry);
    RUN_TEST(test_cables_without_length);
    RUN_TEST(test_inertia_that_is_nearly_singular);
    RUN_TEST(test_a_loop_of_locked_joints);
    RUN_TEST(test_ranges_without_a_common_point);
    RUN_TEST(test_motors_against_each_other);
    RUN_TEST(test_a_motor_against_a_lock);
    RUN_TEST(test_a_circle_of_gears);
    return UNITY_END();
}
