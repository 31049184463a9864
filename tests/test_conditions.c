// Motions that stop, turn back and go on when a condition holds; friction of pairs.

#include "failing_alloc.h"
#include "worlds.h"
#include "../meshes/geometry.h"

#include <math.h>
#include <string.h>

static const double DT = 0.01;

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_world *world_with(bool contact)
{
    pl_world_options options = pl_world_options_default();
    options.dt = DT;
    options.contact = contact;
    return make_world(&options);
}

static int32_t add_plate(pl_world *world, double z, const pl_motion *motion)
{
    pl_kinematic_options options = pl_kinematic_options_default();
    const double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    pl_mesh *plate = make_mesh("box:size=1,1,0.1:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(plate, m));
    int32_t body;
    options.motion = *motion;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_kinematic(world, plate, &options, &body),
                              pl_error_text());
    pl_mesh_destroy(plate);
    return body;
}

static double height(const pl_world *world, int32_t body)
{
    double sum = 0;
    int32_t n = pl_world_vertex_count(world, body);
    for (int64_t i = 0; i < n; i++) sum += pl_world_positions(world, body)[3 * i + 2];
    return sum / n;
}

static void go_to(pl_world *world, double time)
{
    while (pl_world_time(world) < time - 0.5 * DT) step(world, 1);
}

static void expect_height(pl_world *world, int32_t body, double time, double expected)
{
    go_to(world, time);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, expected, height(world, body));
}

static pl_motion_until after(double time, pl_motion_then then)
{
    pl_motion_until u = pl_motion_until_default();
    u.time = time;
    u.then = then;
    return u;
}

// Up with 1 m/s from 0.1 s on; stands after 0.3 s more, goes on after 0.2 s, turns after 0.1 s, and
// rests where it began.
static void test_times(void)
{
    const pl_motion_until until[3] = {after(0.3, PL_MOTION_STOP), after(0.2, PL_MOTION_GO),
                                      after(0.1, PL_MOTION_REVERSE)};
    pl_motion motion = pl_motion_default();
    motion.start = 0.1;
    motion.velocity[2] = 1;
    motion.until = until;
    motion.n_until = 3;
    pl_world *world = world_with(false);
    int32_t plate = add_plate(world, 0, &motion);
    expect_height(world, plate, 0.1, 0);
    expect_height(world, plate, 0.4, 0.3);
    expect_height(world, plate, 0.55, 0.3);
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_world_velocities(world, plate)[2]);
    expect_height(world, plate, 0.6, 0.3);
    expect_height(world, plate, 0.65, 0.35);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, pl_world_velocities(world, plate)[2]);
    expect_height(world, plate, 0.7, 0.4);
    expect_height(world, plate, 0.9, 0.2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -1, pl_world_velocities(world, plate)[2]);
    expect_height(world, plate, 1.1, 0);
    expect_height(world, plate, 1.3, 0);
    pl_world_destroy(world);
}

// Turns every 0.2 s, for ever. Keys that have ended take no time on the way back.
static void test_repeats(void)
{
    const pl_motion_until until = after(0.2, PL_MOTION_REVERSE);
    pl_motion motion = pl_motion_default();
    motion.velocity[2] = 1;
    motion.until = &until;
    motion.n_until = 1;
    motion.repeat = true;
    pl_world *world = world_with(false);
    int32_t plate = add_plate(world, 0, &motion);
    for (int i = 0; i < 4; i++) {
        expect_height(world, plate, 0.4 * i + 0.1, 0.1);
        expect_height(world, plate, 0.4 * i + 0.2, 0.2);
        expect_height(world, plate, 0.4 * i + 0.3, 0.1);
        expect_height(world, plate, 0.4 * i + 0.4, 0);
    }
    pl_world_destroy(world);
    const pl_motion_key key[2] = {{.time = 0}, {.time = 0.1, .offset = {0, 0, 0.5}}};
    const pl_motion_until late = after(0.6, PL_MOTION_REVERSE);
    motion = pl_motion_default();
    motion.key = key;
    motion.n_key = 2;
    motion.until = &late;
    motion.n_until = 1;
    world = world_with(false);
    plate = add_plate(world, 0, &motion);
    expect_height(world, plate, 0.6, 0.5);
    expect_height(world, plate, 0.65, 0.25);
    expect_height(world, plate, 0.7, 0);
    pl_world_destroy(world);
}

// Its own place, and that of another body.
static void test_places(void)
{
    pl_motion_until until[2] = {pl_motion_until_default(), pl_motion_until_default()};
    until[0].direction[2] = 1;
    until[0].level = 0.255;
    until[1].direction[2] = -2; // of any length: 2 z <= 1
    until[1].level = -1;
    until[1].body = 1;
    until[1].then = PL_MOTION_REVERSE;
    pl_motion motion = pl_motion_default(), other = pl_motion_default();
    motion.velocity[2] = 1;
    motion.until = until;
    motion.n_until = 2;
    other.velocity[2] = -1;
    pl_world *world = world_with(false);
    int32_t plate = add_plate(world, 0, &motion);
    add_plate(world, 1, &other);
    expect_height(world, plate, 0.26, 0.26); // the first step beyond
    expect_height(world, plate, 0.4, 0.26);
    expect_height(world, plate, 0.6, 0.16); // turned at 0.5 s
    pl_world_destroy(world);
}

// A press stops when the block below takes its load, and not before. The force is what contacts do.
static void test_force_of_contacts(void)
{
    pl_motion_until until = pl_motion_until_default();
    until.force = 800;
    pl_motion motion = pl_motion_default();
    motion.velocity[2] = -0.2;
    motion.until = &until;
    motion.n_until = 1;
    pl_world *world = world_with(true);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = 1e5;
    soft.material.mass_damping = 20;
    pl_mesh *block = make_mesh("cube:size=0.4:cells=3");
    int32_t fixed[64], n = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, block, &soft, NULL));
    for (int32_t i = 0; i < pl_mesh_vertex_count(block); i++) {
        if (pl_mesh_positions(block)[3 * i + 2] < -0.19) fixed[n++] = i;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, 0, n, fixed, NULL));
    int32_t press = add_plate(world, 0.26, &motion);
    double last = 0, before = 0;
    pl_resultant r;
    while (pl_world_time(world) < 2 && before < 800) {
        TEST_ASSERT_TRUE(pl_world_steps(world) == 0 ||
                         fabs(height(world, press) - last + 0.2 * DT) < 1e-12 || last == 0);
        last = height(world, press);
        step(world, 1);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(world, press, -1, &r));
        before = sqrt(pl_dot(r.force, r.force));
    }
    TEST_ASSERT_TRUE(before >= 800 && pl_world_time(world) < 2);
    last = height(world, press);
    step(world, 20);
    TEST_ASSERT_EQUAL_DOUBLE(last, height(world, press));
    pl_mesh_destroy(block);
    pl_world_destroy(world);
}

// What holds driven vertices: a bar of steel rubber is pulled until it pulls back with E A strain.
static void test_force_of_driven_vertices(void)
{
    pl_motion_until until = pl_motion_until_default();
    until.force = 100;
    pl_motion motion = pl_motion_default();
    motion.velocity[0] = 0.05;
    motion.until = &until;
    motion.n_until = 1;
    pl_world_options options = pl_world_options_default();
    options.dt = DT;
    options.contact = false;
    memset(options.gravity, 0, sizeof options.gravity);
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = 1e5;
    soft.material.poisson = 0;
    soft.material.mass_damping = 50;
    pl_mesh *bar = make_mesh("box:size=1,0.1,0.1:cells=10,1,1");
    int32_t left[16], right[16], n[2] = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, bar, &soft, NULL));
    for (int32_t i = 0; i < pl_mesh_vertex_count(bar); i++) {
        double x = pl_mesh_positions(bar)[3 * i];
        if (x < -0.49) left[n[0]++] = i;
        if (x > 0.49) right[n[1]++] = i;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, 0, n[0], left, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, 0, n[1], right, &motion));
    go_to(world, 3);
    // E A strain = 100 N at a strain of 0.1; what the pull at this speed takes comes on top.
    double by = pl_world_positions(world, 0)[3 * right[0]] - 0.5;
    TEST_ASSERT_DOUBLE_WITHIN(0.015, 0.1, by);
    go_to(world, 4);
    TEST_ASSERT_EQUAL_DOUBLE(by, pl_world_positions(world, 0)[3 * right[0]] - 0.5);
    pl_mesh_destroy(bar);
    pl_world_destroy(world);
}

// --- Checkpoints ---

static pl_world *pressed(void)
{
    pl_motion_until until[2] = {pl_motion_until_default(), after(0.1, PL_MOTION_REVERSE)};
    until[0].force = 300;
    pl_motion motion = pl_motion_default();
    motion.velocity[2] = -0.5;
    motion.until = until;
    motion.n_until = 2;
    motion.repeat = true;
    pl_world *world = world_with(true);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.young = 1e5;
    pl_mesh *block = make_mesh("cube:size=0.4:cells=2");
    pl_motion rest = pl_motion_default();
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, block, &soft, NULL));
    add_plate(world, -0.26, &rest);
    add_plate(world, 0.3, &motion);
    pl_mesh_destroy(block);
    return world;
}

// Saved before and after each turn, a run goes on with the same bits.
static void test_resumed_bits(void)
{
    enum { STEPS = 90, EVERY = 6 };
    static char file[STEPS / EVERY][1 << 17];
    size_t size[STEPS / EVERY];
    pl_world *world = pressed();
    int turns = 0;
    double speed = 0;
    for (int i = 0; i < STEPS; i++) {
        if (i % EVERY == 0) {
            TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, file[i / EVERY], sizeof file[0],
                                                          &size[i / EVERY]));
        }
        step(world, 1);
        double now = pl_world_velocities(world, 2)[2];
        turns += i > 0 && fabs(now - speed) > 0.1;
        speed = now;
    }
    TEST_ASSERT_GREATER_OR_EQUAL_INT(3, turns);
    for (int k = 0; k < STEPS / EVERY; k++) {
        pl_world *other = pressed();
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load_memory(other, file[k], size[k]),
                                  pl_error_text());
        step(other, STEPS - k * EVERY);
        TEST_ASSERT_TRUE(pl_world_hash(world) == pl_world_hash(other));
        TEST_ASSERT_EQUAL_DOUBLE(height(world, 2), height(other, 2));
        TEST_ASSERT_EQUAL_DOUBLE(pl_world_velocities(world, 2)[2],
                                 pl_world_velocities(other, 2)[2]);
        pl_world_destroy(other);
    }
    pl_world_destroy(world);
}

// --- Errors ---

static void refuse(const pl_motion_until *until, const char *part)
{
    pl_kinematic_options options = pl_kinematic_options_default();
    pl_mesh *plate = make_mesh("cube");
    pl_world *world = world_with(false);
    options.motion.until = until;
    options.motion.n_until = 1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_kinematic(world, plate, &options, NULL), part);
    TEST_ASSERT_EQUAL_INT32(0, pl_world_body_count(world));
    pl_world_destroy(world);
    pl_mesh_destroy(plate);
}

static void test_bad_conditions(void)
{
    pl_motion_until u = pl_motion_until_default();
    refuse(&u, "until[0]: there is no condition");
    refuse(NULL, "until: 1 conditions, but no array");
    u.time = -1;
    refuse(&u, "until[0]: time: -1 is not 0 s or above");
    u = pl_motion_until_default();
    u.force = 0;
    refuse(&u, "until[0]: force: 0 is not above 0 N");
    u = pl_motion_until_default();
    u.direction[1] = NAN;
    refuse(&u, "until[0]: direction, level: not finite");
    u = after(1, (pl_motion_then)3);
    refuse(&u, "until[0]: then: there is no 3");
}

static pl_status build(void *user)
{
    (void)user;
    const pl_motion_until until = after(0.01, PL_MOTION_REVERSE);
    pl_kinematic_options options = pl_kinematic_options_default();
    options.motion.until = &until;
    options.motion.n_until = 1;
    pl_world *world = NULL;
    pl_mesh *cube = NULL;
    char file[4096];
    size_t size;
    pl_status status = pl_mesh_make("cube", &cube);
    if (status == PL_OK) status = pl_world_create(NULL, &world);
    if (status == PL_OK) status = pl_world_add_kinematic(world, cube, &options, NULL);
    if (status == PL_OK) status = pl_world_set_friction_pair(world, 0, 0, 0.5);
    if (status == PL_OK) status = pl_world_save_memory(world, file, sizeof file, &size);
    if (status == PL_OK) status = pl_world_load_memory(world, file, size);
    pl_world_destroy(world);
    pl_mesh_destroy(cube);
    return status;
}

static void test_memory(void)
{
    fail_each_allocation(build, NULL);
}

// --- Friction of pairs ---

// Two boxes slide side by side on one plate; of one the friction with it is given.
static void test_friction_pairs(void)
{
    pl_world *world = world_with(true);
    pl_shape box = pl_shape_default(PL_SHAPE_BOX);
    pl_rigid_options rigid = pl_rigid_options_default();
    for (int k = 0; k < 3; k++) box.size[k] = 0.2;
    rigid.shape = &box;
    rigid.n_shape = 1;
    rigid.velocity[0] = 2;
    for (int i = 0; i < 3; i++) {
        box.position[1] = 0.5 * i;
        box.position[2] = 0.1005;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, NULL, &rigid, NULL));
    }
    pl_shape plane = pl_shape_default(PL_SHAPE_HALFSPACE);
    pl_kinematic_options ground = pl_kinematic_options_default();
    ground.shape = &plane;
    ground.n_shape = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, NULL, &ground, NULL));
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_friction_pair(world, 0, 3, -0.1),
                   "friction: -0.1 is not 0 or above");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_friction_pair(world, 0, 9, 0.1), "9");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction_pair(world, 3, 1, 0.1)); // in any order
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction_pair(world, 2, 3, 0.9));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction_pair(world, 2, 3, 0.2)); // the last counts
    const double mu[3] = {0.5, 0.1, 0.2};
    step(world, 30);
    pl_frame frame;
    for (int i = 0; i < 3; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, i, &frame));
        TEST_ASSERT_DOUBLE_WITHIN(0.03, 2 - mu[i] * 9.81 * 0.3, frame.velocity[0]);
    }
    double before[2];
    // While it runs: back to what the surfaces say, and another pair.
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction_pair(world, 1, 3, NAN));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction_pair(world, 2, 3, 0));
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 1 + i, &frame));
        before[i] = frame.velocity[0];
    }
    step(world, 10);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 1, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(0.03, before[0] - 0.5 * 9.81 * 0.1, frame.velocity[0]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, 2, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, before[1], frame.velocity[0]);
    // A body that takes the place of a removed one has none of its pairs.
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, 2));
    box.position[1] = 2;
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, NULL, &rigid, &body));
    step(world, 10);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(0.06, 2 - 0.5 * 9.81 * 0.1, frame.velocity[0]);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_times);
    RUN_TEST(test_repeats);
    RUN_TEST(test_places);
    RUN_TEST(test_force_of_contacts);
    RUN_TEST(test_force_of_driven_vertices);
    RUN_TEST(test_resumed_bits);
    RUN_TEST(test_bad_conditions);
    RUN_TEST(test_memory);
    RUN_TEST(test_friction_pairs);
    return UNITY_END();
}
