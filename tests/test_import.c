// Robots of others as scenes: masses, places and ranges are those of the files.

#include "../apps/import/import.h"
#include "../apps/scene/play.h"

#include <stdio.h>
#include <unity.h>

#define PI 3.14159265358979323846

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_scene scene;
static pl_import import;

static void load(const char *path, bool free_base)
{
    const pl_import_options options = {.free_base = free_base};
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_import_load(path, &options, &import), pl_error_text());
    char *text = cJSON_Print(import.scene);
    pl_status status = pl_scene_parse(text, "x", &scene);
    cJSON_free(text);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
}

static void unload(void)
{
    pl_import_free(&import);
    pl_scene_free(&scene);
}

static bool has_note(const char *text)
{
    for (int32_t i = 0; i < import.n_note; i++) {
        if (strcmp(import.note[i].text, text) == 0) return true;
    }
    return false;
}

static const pl_scene_joint *joint(const char *name)
{
    for (int32_t i = 0; i < scene.n_joints; i++) {
        const char *own = scene.joints[i].name;
        if (own != NULL && strcmp(own, name) == 0) return &scene.joints[i];
    }
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

static const pl_scene_body *body(const char *name)
{
    for (int32_t i = 0; i < scene.n_entries; i++) {
        const char *own = scene.entries[i].name;
        if (own != NULL && strcmp(own, name) == 0) return &scene.bodies[scene.entries[i].first];
    }
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

static void expect_at(double x, double y, double z, const double p[3])
{
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, x, p[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, y, p[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, z, p[2]);
}

// It starts without overlap and runs, with joints that hold.
static void run(double time)
{
    pl_play play;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, time));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_run(&play, NULL, NULL), pl_error_text());
    TEST_ASSERT_TRUE(play.stats.joint_gap < 1e-4);
    pl_play_close(&play);
}

static void test_an_arm(void)
{
    load("tests/robots/arm.urdf", false);
    TEST_ASSERT_EQUAL_INT(10, scene.n_bodies); // the forearm is two
    TEST_ASSERT_EQUAL_INT(9, scene.n_joints);
    TEST_ASSERT_EQUAL_INT(1, scene.n_couplings);
    TEST_ASSERT_EQUAL(PL_BODY_KINEMATIC, body("base_link")->kind);
    TEST_ASSERT_EQUAL_DOUBLE(8, body("shoulder")->rigid.mass);
    double whole = body("forearm")->rigid.mass + body("forearm:1")->rigid.mass;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4, whole);
    // joint_3 is 0.5 m along what is inclined by 30 degrees.
    double c = cos(PI / 6), s = sin(PI / 6);
    const pl_joint_options *o = &joint("joint_3")->options;
    expect_at(0.1 + 0.5 * s, 0, 0.3 + 0.5 * c, o->point_a);
    expect_at(0.1 + 0.5 * s + 0.45 * c, 0, 0.3 + 0.5 * c - 0.45 * s,
              joint("joint_4")->options.point_a);
    expect_at(c, 0, -s, joint("joint_4")->options.axis);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -2, o->axes[3].lo);
    TEST_ASSERT_TRUE(isinf(joint("joint_4")->options.axes[3].hi));
    o = &joint("joint_2")->options;
    TEST_ASSERT_EQUAL_DOUBLE(5, o->axes[3].spring_damping);
    TEST_ASSERT_EQUAL_DOUBLE(1, o->axes[3].motor.max_force);
    TEST_ASSERT_EQUAL(PL_JOINT_SLIDER, joint("left")->options.kind);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02, joint("left")->options.axes[0].hi);
    TEST_ASSERT_EQUAL_DOUBLE(-1, scene.couplings[0].options.ratio[1]);
    TEST_ASSERT_TRUE(has_note("left out: <transmission>"));
    run(0.2);
    unload();
    load("tests/robots/arm.urdf", true);
    TEST_ASSERT_EQUAL(PL_BODY_RIGID, body("base_link")->kind);
    unload();
}

static double capsule(double radius, double length)
{
    return 1000 * PI * radius * radius * (length + 4 * radius / 3);
}

static void test_a_hopper(void)
{
    load("tests/robots/hopper.xml", false);
    TEST_ASSERT_TRUE(scene.ground);
    TEST_ASSERT_EQUAL_DOUBLE(0.002, scene.world.dt);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, capsule(0.05, 0.4), body("torso")->rigid.mass);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, capsule(0.06, 0.39), body("foot")->rigid.mass);
    TEST_ASSERT_EQUAL_DOUBLE(2, body("foot")->rigid.surface.friction); // of its class
    TEST_ASSERT_EQUAL_DOUBLE(0.9, body("leg")->rigid.surface.friction);
    TEST_ASSERT_EQUAL_DOUBLE(3, body("weight")->rigid.mass);
    const pl_joint_options *root = &joint("rooty")->options;
    TEST_ASSERT_EQUAL(PL_JOINT_PLANAR, root->kind);
    expect_at(0, 0, 1, root->side); // so that z is x of the world
    expect_at(0, 0, 1.25, root->point_a);
    const pl_joint_options *leg = &joint("leg_joint")->options;
    expect_at(0, 0, 1.25 - 0.2 - 0.7 + 0.25, leg->point_a);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -150 * PI / 180, leg->axes[3].lo);
    TEST_ASSERT_EQUAL_DOUBLE(1, leg->axes[3].spring_damping);
    TEST_ASSERT_EQUAL_DOUBLE(2, joint("foot_joint")->options.axes[3].spring_damping);
    // The box is turned by 90 degrees about y: what was along z is along x.
    expect_at(2.5, 0, 1, joint("string")->options.point_a);
    TEST_ASSERT_EQUAL_INT(3, scene.n_motors);
    TEST_ASSERT_EQUAL_DOUBLE(200, cJSON_GetNumberValue(cJSON_GetObjectItem(
                                      cJSON_GetArrayItem(import.motors, 0), "max_force")));
    TEST_ASSERT_TRUE(has_note("left out: actuator <muscle>"));
    run(0.2);
    unload();
}

static void refuse(const char *text, const char *complaint)
{
    const pl_import_options options = {0};
    const char *path = "/tmp/pliant_import.xml";
    FILE *file = fopen(path, "w");
    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
    TEST_ASSERT_NOT_EQUAL(PL_OK, pl_import_load(path, &options, &import));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(pl_error_text(), complaint), pl_error_text());
    TEST_ASSERT_NULL(import.scene);
    remove(path);
}

static void test_complaints(void)
{
    refuse("", ":1: no element");
    refuse("<robot>\n<link name='a'>", ":2: the file ends within an element");
    refuse("<robot>\n</mujoco>", ":2: this tag ends another element");
    refuse("<robot name=3/>", ":1: a value in quotation marks expected");
    refuse("<sdf/>", ":1: <sdf> is neither <robot> (URDF) nor <mujoco> (MJCF)");
    refuse("<robot/>", ":1: there are no bodies");
    refuse("<robot><link name='a'/><joint type='fixed'><parent link='a'/><child link='b'/></joint>"
           "</robot>",
           "there is no link \"b\"");
    refuse("<robot><link name='a'><visual><geometry><box size='1 x 2'/></geometry></visual></link>"
           "</robot>",
           "<box>: \"1 x 2\" is no list of numbers");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_arm);
    RUN_TEST(test_a_hopper);
    RUN_TEST(test_complaints);
    return UNITY_END();
}
