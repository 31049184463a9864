// Bodies that sleep: when they do, what they are then, and what wakes them.

#include "worlds.h"

#include <math.h>

void setUp(void)
{
}
void tearDown(void)
{
}

enum { LONG = 400, STACK = 3 }; // steps after which what rests sleeps; bricks

static pl_world_options options_of(bool sleep)
{
    pl_world_options o = pl_world_options_default();
    o.dt = 2e-3;
    o.sleep = sleep;
    o.sleep_time = 0.2;
    return o;
}

static pl_mesh *mesh_at(const char *description, double x, double z)
{
    const double place[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, z};
    pl_mesh *mesh = make_mesh(description);
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, place));
    return mesh;
}

static int32_t add_kinematic(pl_world *world, const char *description, double x, double z,
                             const pl_kinematic_options *o)
{
    pl_mesh *mesh = mesh_at(description, x, z);
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, o, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static int32_t add_floor(pl_world *world)
{
    return add_kinematic(world, "box:size=6,2,0.2:cells=1", 0, -0.1, NULL);
}

static int32_t add_rigid(pl_world *world, const char *description, double x, double z,
                         const pl_rigid_options *o)
{
    pl_mesh *mesh = mesh_at(description, x, z);
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, o, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static int32_t add_soft(pl_world *world, double x, double z)
{
    pl_deformable_options o = pl_deformable_options_default();
    pl_mesh *mesh = mesh_at("box:size=0.3,0.3,0.2:cells=2,2,1", x, z);
    int32_t body;
    o.material.mass_damping = 5;
    o.material.stiffness_damping = 0.01;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &o, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static const char BRICK[] = "box:size=0.4,0.4,0.2:cells=1";

// A stack of bricks at x; returns the id of the lowest, whose successors are the others.
static int32_t add_stack(pl_world *world, double x)
{
    int32_t first = add_rigid(world, BRICK, x, 0.101, NULL);
    for (int i = 1; i < STACK; i++) add_rigid(world, BRICK, x, 0.101 + 0.201 * i, NULL);
    return first;
}

static int32_t count_asleep(const pl_world *world)
{
    int32_t n = 0;
    for (int32_t i = 0; i < pl_world_body_count(world); i++) {
        int32_t body = pl_world_body_at(world, i);
        n += body >= 0 && !pl_world_awake(world, body);
    }
    return n;
}

// Steps with an audit after each of them.
static void step_clean(pl_world *world, int n)
{
    for (int i = 0; i < n; i++) {
        pl_audit_report report;
        step(world, 1);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_audit(world, &report));
        TEST_ASSERT_TRUE(report.clean);
    }
}

static pl_frame frame_of(const pl_world *world, int32_t body)
{
    pl_frame f;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, body, &f));
    return f;
}

// A floor, a stack that sleeps, and its weight.
typedef struct scene {
    pl_world *world;
    int32_t floor, low, top;
} scene;

static scene make_sleeping(void)
{
    pl_world_options o = options_of(true);
    scene s = {.world = make_world(&o)};
    s.floor = add_floor(s.world);
    s.low = add_stack(s.world, 0);
    s.top = s.low + STACK - 1;
    step(s.world, LONG);
    TEST_ASSERT_EQUAL(STACK, count_asleep(s.world));
    return s;
}

static void expect_all_awake(scene *s)
{
    TEST_ASSERT_EQUAL(0, count_asleep(s->world));
    pl_world_destroy(s->world);
}

// --- Falling asleep ---

static void test_a_stack_falls_asleep_and_stays(void)
{
    scene s = make_sleeping();
    pl_frame before = frame_of(s.world, s.top), after;
    pl_step_stats stats;
    for (int k = 0; k < 3; k++) TEST_ASSERT_EQUAL_DOUBLE(0, before.velocity[k]);
    step_clean(s.world, 50);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(s.world, &stats));
    after = frame_of(s.world, s.top);
    TEST_ASSERT_EQUAL_MEMORY(&before, &after, sizeof before);
    TEST_ASSERT_EQUAL(STACK, stats.asleep);
    TEST_ASSERT_EQUAL(0, stats.iterations);
    TEST_ASSERT_EQUAL(0, stats.constraints);
    TEST_ASSERT_TRUE(stats.contacts > 0 && stats.min_gap > 0 && isfinite(stats.min_gap));
    pl_world_destroy(s.world);
}

// The floor bears the weight, to what is left undone in a step (about a thousandth of it).
static void test_the_floor_still_bears_the_weight(void)
{
    scene s = make_sleeping();
    pl_resultant r;
    double weight = STACK * frame_of(s.world, s.low).mass * 9.81;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(s.world, s.floor, -1, &r));
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * weight, -weight, r.force[2]);
    step(s.world, 10);
    pl_resultant later;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_resultant(s.world, s.floor, -1, &later));
    TEST_ASSERT_EQUAL_DOUBLE(r.force[2], later.force[2]);
    pl_world_destroy(s.world);
}

// Until somebody sleeps, the option changes no bit.
static void test_the_option_alone_changes_nothing(void)
{
    uint64_t hash[2];
    for (int sleep = 0; sleep < 2; sleep++) {
        pl_world_options o = options_of(sleep == 1);
        o.sleep_time = 10;
        pl_world *world = make_world(&o);
        add_floor(world);
        add_stack(world, 0);
        add_soft(world, 1, 0.12);
        step(world, 150);
        hash[sleep] = pl_world_hash(world);
        pl_world_destroy(world);
    }
    TEST_ASSERT_EQUAL_HEX64(hash[0], hash[1]);
}

static void test_islands_are_independent(void)
{
    pl_world_options o = options_of(true);
    pl_world *world = make_world(&o);
    add_floor(world);
    int32_t left = add_stack(world, -1), right = add_stack(world, 1);
    step(world, LONG);
    TEST_ASSERT_EQUAL(2 * STACK, count_asleep(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_awake(world, right + 1, true));
    for (int i = 0; i < STACK; i++) {
        TEST_ASSERT_FALSE(pl_world_awake(world, left + i));
        TEST_ASSERT_TRUE(pl_world_awake(world, right + i));
    }
    step_clean(world, 30);
    TEST_ASSERT_EQUAL(STACK, count_asleep(world));
    step(world, LONG);
    TEST_ASSERT_EQUAL(2 * STACK, count_asleep(world));
    pl_world_destroy(world);
}

// A brick that a wall holds on a moving belt is at rest, but not asleep.
static void test_a_belt_keeps_awake(void)
{
    pl_world_options o = options_of(true);
    pl_world *world = make_world(&o);
    pl_kinematic_options belt = pl_kinematic_options_default();
    belt.motion.velocity[0] = 0.2;
    add_kinematic(world, "box:size=8,2,0.2:cells=1", 0, -0.1, &belt);
    add_kinematic(world, "box:size=0.2,2,0.6:cells=1", 0.32, 0.31, NULL);
    int32_t brick = add_rigid(world, BRICK, 0, 0.101, NULL);
    step_clean(world, LONG);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, frame_of(world, brick).velocity[0]);
    TEST_ASSERT_TRUE(pl_world_awake(world, brick));
    pl_world_destroy(world);
}

// --- Waking ---

// A ball that strikes the stack: where bodies end is about where they do without sleep.
static void test_a_hit_wakes(void)
{
    pl_frame end[2][STACK + 1];
    for (int sleep = 0; sleep < 2; sleep++) {
        pl_world_options o = options_of(sleep == 1);
        pl_world *world = make_world(&o);
        add_floor(world);
        int32_t low = add_stack(world, 0);
        pl_rigid_options ball = pl_rigid_options_default();
        double flight = 0.5; // [s] so long is the ball on its way; it starts with the stack asleep
        step(world, LONG);
        TEST_ASSERT_EQUAL(sleep * STACK, count_asleep(world));
        ball.velocity[0] = 3;
        ball.velocity[2] = 0.5 * 9.81 * flight;
        int32_t body = add_rigid(world, "box:size=0.2,0.2,0.2:cells=1", -1.8, 0.5, &ball);
        int32_t woke = 0;
        for (int i = 0; i < 500; i++) {
            step_clean(world, 1);
            if (sleep == 1 && woke == 0 && count_asleep(world) == 0) woke = i;
        }
        TEST_ASSERT_TRUE(sleep == 0 || woke > 100);
        for (int i = 0; i < STACK; i++) end[sleep][i] = frame_of(world, low + i);
        end[sleep][STACK] = frame_of(world, body);
        pl_world_destroy(world);
    }
    // The stack has got the momentum: with an obstacle of infinite mass it would have got none.
    TEST_ASSERT_TRUE(end[1][STACK - 1].centre[0] > 0.003);
    for (int i = 0; i < STACK; i++) {
        for (int k = 0; k < 3; k++)
            TEST_ASSERT_DOUBLE_WITHIN(5e-4, end[0][i].centre[k], end[1][i].centre[k]);
    }
}

static void test_an_impulse_wakes(void)
{
    scene s = make_sleeping();
    TEST_ASSERT_EQUAL(PL_OK,
                      pl_world_apply_impulse(s.world, s.top, (const double[3]){20, 0, 0}, NULL));
    TEST_ASSERT_EQUAL(0, count_asleep(s.world));
    step_clean(s.world, 50);
    TEST_ASSERT_TRUE(frame_of(s.world, s.top).centre[0] > 0.01);
    expect_all_awake(&s);
}

// What it is already does not.
static void test_forces_and_gravity_wake_if_they_change(void)
{
    scene s = make_sleeping();
    const double force[3] = {0, 0, 1}, gravity[3] = {0, 0, -9.81}, other[3] = {1, 0, -9.81};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(s.world, s.low, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(s.world, gravity));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_dt(s.world, 2e-3));
    TEST_ASSERT_EQUAL(STACK, count_asleep(s.world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(s.world, s.low, force, NULL));
    TEST_ASSERT_EQUAL(0, count_asleep(s.world));
    step(s.world, LONG);
    TEST_ASSERT_EQUAL(STACK, count_asleep(s.world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(s.world, other));
    TEST_ASSERT_EQUAL(0, count_asleep(s.world));
    step(s.world, LONG);
    TEST_ASSERT_EQUAL(STACK, count_asleep(s.world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction(s.world, s.floor, 0));
    expect_all_awake(&s);
}

static void test_nothing_hangs_in_the_air(void)
{
    scene s = make_sleeping();
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(s.world, s.low));
    TEST_ASSERT_EQUAL(0, count_asleep(s.world));
    double z = frame_of(s.world, s.top).centre[2];
    step_clean(s.world, 60);
    TEST_ASSERT_TRUE(frame_of(s.world, s.top).centre[2] < z - 0.05);
    pl_world_destroy(s.world);

    s = make_sleeping();
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(s.world, s.floor));
    step(s.world, 50);
    TEST_ASSERT_TRUE(frame_of(s.world, s.top).velocity[2] < -0.9);
    expect_all_awake(&s);
}

// A floor that is sent down, far in one step, and one that is sent up.
static void test_a_floor_that_moves_wakes(void)
{
    for (int up = 0; up < 2; up++) {
        scene s = make_sleeping();
        double z = frame_of(s.world, s.top).centre[2];
        const double to[3] = {0, 0, -0.1 + (up ? 0.002 : -0.5)}, q[4] = {1, 0, 0, 0};
        // The mesh of the floor is at -0.1 already.
        const double by[3] = {to[0], to[1], to[2] + 0.1};
        TEST_ASSERT_EQUAL(PL_OK, pl_world_move_to(s.world, s.floor, by, q));
        step_clean(s.world, 30);
        TEST_ASSERT_TRUE(up ? frame_of(s.world, s.top).centre[2] > z + 0.0015
                            : frame_of(s.world, s.top).velocity[2] < -0.5);
        expect_all_awake(&s);
    }
}

// A slider that comes from the side: nothing in such a contact is unknown while the stack sleeps.
static void test_a_kinematic_body_wakes(void)
{
    pl_world_options o = options_of(true);
    pl_world *world = make_world(&o);
    pl_kinematic_options slider = pl_kinematic_options_default();
    slider.motion.start = LONG * o.dt;
    slider.motion.velocity[0] = 0.5;
    add_floor(world);
    int32_t low = add_stack(world, 0);
    add_kinematic(world, "box:size=0.2,0.4,0.15:cells=1", -0.5, 0.1, &slider);
    step(world, LONG);
    TEST_ASSERT_EQUAL(STACK, count_asleep(world));
    step_clean(world, 50); // 5 cm of the 20
    TEST_ASSERT_EQUAL(STACK, count_asleep(world));
    step_clean(world, 200);
    TEST_ASSERT_EQUAL(0, count_asleep(world));
    TEST_ASSERT_TRUE(frame_of(world, low).centre[0] > 0.04);
    pl_world_destroy(world);
}

// --- Deformable bodies ---

// Beside a rigid body that goes on, so that steps are computed: the rows of who sleeps are cut.
static void sleep_softly(pl_integrator integrator)
{
    pl_world_options o = options_of(true);
    o.integrator = integrator;
    pl_world *world = make_world(&o);
    pl_rigid_options top = pl_rigid_options_default();
    add_floor(world);
    int32_t low = add_soft(world, 0, 0.105), high = add_soft(world, 0.02, 0.31);
    int32_t third = add_soft(world, 1.5, 0.105);
    top.angular_velocity[2] = 3;
    top.surface.friction = 0; // turns for ever
    add_rigid(world, BRICK, -1.5, 0.101, &top);
    step(world, 2 * LONG);
    TEST_ASSERT_EQUAL(3, count_asleep(world));
    pl_step_stats stats;
    pl_energy energy;
    double x = pl_world_positions(world, high)[0];
    step_clean(world, 20);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &energy));
    TEST_ASSERT_EQUAL_DOUBLE(x, pl_world_positions(world, high)[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9 * energy.elastic, energy.elastic, stats.elastic_energy);
    // One of the two wakes, which wakes the other, and all sleep again where they were.
    double *force = calloc(3 * (size_t)pl_world_vertex_count(world, high), sizeof *force);
    force[0] = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_forces(world, high, force));
    TEST_ASSERT_TRUE(pl_world_awake(world, low) && pl_world_awake(world, high));
    TEST_ASSERT_FALSE(pl_world_awake(world, third));
    step_clean(world, 20);
    TEST_ASSERT_FALSE(pl_world_awake(world, third));
    step(world, 2 * LONG);
    TEST_ASSERT_EQUAL(3, count_asleep(world));
    TEST_ASSERT_DOUBLE_WITHIN(0.01, x, pl_world_positions(world, high)[0]);
    free(force);
    pl_world_destroy(world);
}

static void test_soft_bodies_sleep(void)
{
    sleep_softly(PL_INTEGRATOR_SEMI_IMPLICIT);
}

static void test_soft_bodies_sleep_with_bdf2(void)
{
    sleep_softly(PL_INTEGRATOR_BDF2);
}

// Vertices that are held sleep with their body, and wake it when their motion begins or ends.
static void test_driven_vertices(void)
{
    for (int contact = 0; contact < 2; contact++) {
        pl_world_options o = options_of(true);
        o.contact = contact == 1;
        pl_world *world = make_world(&o);
        int32_t body = add_soft(world, 0, 0), *list;
        int32_t n = select_vertices(world, body, 2, 0.09, 0.11, &list);
        pl_motion motion = pl_motion_default();
        const pl_motion_key key[2] = {{.time = 1.6}, {.time = 2, .offset = {0.02, 0, 0}}};
        motion.key = key;
        motion.n_key = 2;
        motion.end = 4;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_drive(world, body, n, list, &motion));
        step(world, 795); // to 1.59 s
        TEST_ASSERT_FALSE(pl_world_awake(world, body));
        step(world, 10);
        TEST_ASSERT_TRUE(pl_world_awake(world, body));
        step(world, 1190); // to 3.99 s
        TEST_ASSERT_FALSE(pl_world_awake(world, body));
        TEST_ASSERT_DOUBLE_WITHIN(1e-9,
                                  pl_mesh_positions(pl_world_mesh(world, body))[3 * list[0]] + 0.02,
                                  pl_world_positions(world, body)[3 * list[0]]);
        step(world, 50);
        TEST_ASSERT_TRUE(pl_world_awake(world, body));
        TEST_ASSERT_TRUE(pl_world_velocities(world, body)[2] < -0.5);
        free(list);
        pl_world_destroy(world);
    }
}

// --- Bits ---

// Two stacks and a soft body, of which a block hits one; steps by the number of threads, and by way
// of a checkpoint after `stop` of them.
static pl_world *make_mixed(int32_t threads)
{
    pl_world_options o = options_of(true);
    o.threads = threads;
    pl_world *world = make_world(&o);
    pl_rigid_options block = pl_rigid_options_default();
    add_floor(world);
    add_stack(world, -1);
    add_stack(world, 0.6);
    add_soft(world, 2, 0.105);
    block.velocity[0] = 0.5;
    block.surface.friction = 0;
    add_rigid(world, "box:size=0.2,0.2,0.15:cells=1", 0, 6, &block);
    return world;
}

static void test_bits_do_not_depend_on_threads(void)
{
    pl_world *one = make_mixed(1), *two = make_mixed(2);
    int32_t most = 0;
    for (int i = 0; i < 900; i++) {
        step(one, 1), step(two, 1);
        TEST_ASSERT_EQUAL_HEX64(pl_world_hash(one), pl_world_hash(two));
        most = count_asleep(one) > most ? count_asleep(one) : most;
        TEST_ASSERT_EQUAL(count_asleep(one), count_asleep(two));
    }
    TEST_ASSERT_TRUE(most >= 7);
    pl_world_destroy(one), pl_world_destroy(two);
}

static void test_a_run_that_is_resumed_has_the_same_bits(void)
{
    pl_world *world = make_mixed(1);
    for (int part = 0; part < 6; part++) {
        pl_world *resumed = make_mixed(1);
        size_t size;
        step(world, 130);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, NULL, 0, &size));
        void *data = malloc(size);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, data, size, &size));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load_memory(resumed, data, size),
                                  pl_error_text());
        TEST_ASSERT_EQUAL(count_asleep(world), count_asleep(resumed));
        for (int i = 0; i < 20; i++) {
            pl_step_stats a, b;
            TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &a));
            TEST_ASSERT_EQUAL(PL_OK, pl_world_step(resumed, &b));
            TEST_ASSERT_EQUAL_HEX64(a.hash, b.hash);
            TEST_ASSERT_EQUAL(a.contacts, b.contacts);
            TEST_ASSERT_EQUAL(a.iterations, b.iterations);
        }
        free(data);
        pl_world_destroy(resumed);
    }
    pl_world_destroy(world);
}

// A checkpoint of a world without sleep goes into one with it, and the other way.
static void test_checkpoints_with_and_without(void)
{
    for (int from = 0; from < 2; from++) {
        pl_world_options o = options_of(from == 1), other = options_of(from == 0);
        pl_world *a = make_world(&o), *b = make_world(&other);
        size_t size;
        add_floor(a), add_floor(b);
        add_stack(a, 0), add_stack(b, 0);
        step(a, LONG);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(a, NULL, 0, &size));
        void *data = malloc(size);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(a, data, size, &size));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_load_memory(b, data, size));
        TEST_ASSERT_EQUAL(0, count_asleep(b));
        step_clean(b, 10);
        free(data);
        pl_world_destroy(a), pl_world_destroy(b);
    }
}

// --- Arguments ---

static void refuse(pl_world_options o, const char *part)
{
    pl_world *world;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&o, &world), part);
}

static void test_arguments(void)
{
    pl_world_options o = options_of(true);
    o.sleep_speed = 0;
    refuse(o, "sleep_speed");
    o = options_of(true), o.sleep_time = -1;
    refuse(o, "sleep_time");
    o = options_of(true), o.vj19 = true;
    refuse(o, "vj19");
    scene s = make_sleeping();
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_awake(s.world, s.floor, true), "kinematic");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_awake(s.world, 99, true), "99");
    TEST_ASSERT_FALSE(pl_world_awake(s.world, 99));
    TEST_ASSERT_FALSE(pl_world_awake(NULL, 0));
    TEST_ASSERT_TRUE(pl_world_awake(s.world, s.floor));
    pl_world_destroy(s.world);
    o = options_of(false);
    pl_world *world = make_world(&o);
    int32_t body = add_rigid(world, BRICK, 0, 1, NULL);
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_awake(world, body, false), "off");
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_awake(world, body, true));
    pl_world_destroy(world);
}

// Set to sleep in the air it hangs there, at rest, until it is woken.
static void test_sleep_by_order(void)
{
    pl_world_options o = options_of(true);
    pl_world *world = make_world(&o);
    int32_t body = add_rigid(world, BRICK, 0, 1, NULL);
    for (int turn = 0; turn < 2; turn++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_awake(world, body, false));
        double z = frame_of(world, body).centre[2];
        step(world, 20);
        TEST_ASSERT_EQUAL_DOUBLE(z, frame_of(world, body).centre[2]);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_awake(world, body, true));
        step(world, 20);
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, -9.81 * 20 * o.dt, frame_of(world, body).velocity[2]);
    }
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_stack_falls_asleep_and_stays);
    RUN_TEST(test_the_floor_still_bears_the_weight);
    RUN_TEST(test_the_option_alone_changes_nothing);
    RUN_TEST(test_islands_are_independent);
    RUN_TEST(test_a_belt_keeps_awake);
    RUN_TEST(test_a_hit_wakes);
    RUN_TEST(test_an_impulse_wakes);
    RUN_TEST(test_forces_and_gravity_wake_if_they_change);
    RUN_TEST(test_nothing_hangs_in_the_air);
    RUN_TEST(test_a_floor_that_moves_wakes);
    RUN_TEST(test_a_kinematic_body_wakes);
    RUN_TEST(test_soft_bodies_sleep);
    RUN_TEST(test_soft_bodies_sleep_with_bdf2);
    RUN_TEST(test_driven_vertices);
    RUN_TEST(test_bits_do_not_depend_on_threads);
    RUN_TEST(test_a_run_that_is_resumed_has_the_same_bits);
    RUN_TEST(test_checkpoints_with_and_without);
    RUN_TEST(test_arguments);
    RUN_TEST(test_sleep_by_order);
    return UNITY_END();
}
