// Joints in steps: pendulums, tops, chains, loops, soft bodies; what holds in the long run.

#include "logs.h"
#include "mechanisms.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const double PI = 3.14159265358979323846;

// --- Pendulums ---

// A rod of 1 m that hangs by a hinge at the origin, turned out by `angle`.
static pl_world *make_pendulum(double dt, double angle, int32_t *rod)
{
    pl_world *world = joint_world(dt);
    *rod = add_rigid_at(world, "box:size=0.02,0.02,1", 3, 0, 0, -0.5);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, *rod, 0, 0, 0, 0, 1, 0);
    int32_t joint = add_joint(world, &o);
    pl_frame frame = frame_of(world, *rod);
    frame.centre[0] = -0.5 * sin(angle), frame.centre[2] = -0.5 * cos(angle);
    frame.orientation[0] = cos(angle / 2), frame.orientation[2] = sin(angle / 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, *rod, &frame));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, angle, joint_state(world, joint).position[3]);
    return world;
}

// The period by the times at which it passes through its lowest place, of five swings.
static double period_of(double dt)
{
    int32_t rod;
    pl_world *world = make_pendulum(dt, 0.1, &rod);
    double before = joint_state(world, 0).position[3], first = 0, t = 0;
    int passed = 0;
    while (passed < 11) {
        t += dt;
        step(world, 1);
        double now = joint_state(world, 0).position[3];
        if (now * before < 0) {
            double at = t - dt * now / (now - before);
            if (passed == 0) first = at;
            if (passed++ == 10) before = at;
            if (passed == 11) break;
        }
        before = now;
    }
    pl_world_destroy(world);
    return (before - first) / 5;
}

static void test_a_pendulum_has_its_period(void)
{
    // T0 (1 + a^2 / 16) with T0 = 2 pi sqrt(I / (m g d)).
    double inertia = 1.0 / 3 + 0.02 * 0.02 / 12, exact = 2 * PI * sqrt(inertia / (G * 0.5));
    exact *= 1 + 0.01 / 16;
    double coarse = fabs(period_of(0.02) - exact), fine = fabs(period_of(0.01) - exact);
    TEST_ASSERT_TRUE(coarse < 2e-3 * exact);
    TEST_ASSERT_DOUBLE_WITHIN(0.6, 4, coarse / fine); // second order
}

// Energy goes to and fro by the order of dt, but is not lost.
static void test_pendulums_keep_their_energy(void)
{
    for (int twice = 0; twice < 2; twice++) {
        int32_t rod;
        pl_world *world = make_pendulum(1.0 / 240, 0, &rod);
        if (twice) {
            int32_t second = add_rigid_at(world, "box:size=0.02,0.02,1", 3, 0, 0, -1.5);
            pl_joint_options o = joint_at(PL_JOINT_HINGE, rod, second, 0, 0, -1, 0, 1, 0);
            add_joint(world, &o);
            set_velocities(world, second, (double[]){0.5, 0, 0}, (double[]){0, -3, 0});
        }
        set_velocities(world, rod, (double[]){-1.5, 0, 0}, (double[]){0, 3, 0});
        step_joints(world, 1);
        double start = mechanical_energy(world), first = 0, last = 0;
        double scale = 0.5 * 3 * 9; // [J]
        for (int i = 0; i < 20 * 240; i++) {
            TEST_ASSERT_TRUE(step_joints(world, 1) < 1e-5);
            double e = mechanical_energy(world) - start;
            TEST_ASSERT_TRUE(fabs(e) < 0.1 * scale);
            if (i < 2400) first += e / 2400;
            if (i >= 2400) last += e / 2400;
        }
        TEST_ASSERT_DOUBLE_WITHIN(twice ? 0.02 * scale : 1e-3 * scale, first, last);
        pl_world_destroy(world);
    }
}

// A fast top precesses at m g l / (I3 w3).
static void test_a_top_precesses(void)
{
    pl_world *world = joint_world(1e-3);
    int32_t top = add_rigid_at(world, "box:size=0.2,0.2,0.05", 1, 0.1, 0, 0);
    double l = 0.1, I3 = (0.04 + 0.0025) / 12, spin = 300;
    pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, top, 0, 0, 0, 1, 0, 0);
    add_joint(world, &o);
    // Horizontal axis, with the rate of steady precession from the start: no nutation.
    double rate = G * l / (I3 * spin);
    set_velocities(world, top, (double[]){0, l * rate, 0}, (double[]){spin, 0, rate});
    double most = step_joints(world, 500);
    pl_frame f = frame_of(world, top);
    double angle = atan2(f.centre[1], f.centre[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01 * rate * 0.5, rate * 0.5, angle);
    TEST_ASSERT_DOUBLE_WITHIN(2e-3, 0, f.centre[2]);
    TEST_ASSERT_TRUE(most < 1e-5);
    pl_world_destroy(world);
}

// --- A cross ---

// The speed of a shaft behind a universal joint, by the angle b between the two:
// w2 / w1 = cos b / (1 - sin^2 b cos^2 theta), theta of the first shaft.
static void test_a_universal_joint_is_uneven(void)
{
    pl_world *world = joint_world(1e-3);
    double bend = 0.6;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (double[]){0, 0, 0}));
    int32_t a = add_rigid_at(world, "box:size=0.2,0.2,0.2", 1, -1, 0, 0);
    int32_t b = add_rigid_at(world, "box:size=0.2,0.2,0.2", 1, cos(bend), sin(bend), 0);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, a, -1, 0, 0, 1, 0, 0);
    int32_t first = add_joint(world, &o);
    o = joint_at(PL_JOINT_HINGE, PL_WORLD, b, cos(bend), sin(bend), 0, cos(bend), sin(bend), 0);
    int32_t second = add_joint(world, &o);
    // The cross: y of a in the plane of the shafts, z of b across it. Their frames are those of a
    // joint in which b is bent by -bend about z: so it is added with b's shaft along x.
    pl_frame frame = frame_of(world, b), straight = frame;
    straight.centre[0] = 1, straight.centre[1] = 0;
    straight.orientation[0] = cos(-bend / 2), straight.orientation[3] = sin(-bend / 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, b, &straight));
    o = joint_at(PL_JOINT_UNIVERSAL, a, b, 0, 0, 0, 1, 0, 0);
    memcpy(o.side, (double[]){0, 1, 0}, sizeof o.side);
    add_joint(world, &o);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, b, &frame));
    set_motor(world, first, 3, PL_MOTOR_VELOCITY, 5, INFINITY);
    double most = step_joints(world, 100), worst = 0;
    for (int i = 0; i < 1500; i++) {
        most = fmax(most, step_joints(world, 1));
        // In the middle of the step; theta = 0 where the pin of a is in the plane of the shafts.
        double theta = joint_state(world, first).position[3] - 0.5 * 5e-3;
        double ratio = cos(bend) / (1 - pow(sin(bend) * cos(theta), 2));
        worst = fmax(worst, fabs(joint_state(world, second).rate[3] / 5 - ratio));
    }
    char message[80];
    snprintf(message, sizeof message, "ratio off by %g, joints by %g", worst, most);
    TEST_ASSERT_TRUE_MESSAGE(worst < 2e-3 && most < 1e-4, message);
    pl_world_destroy(world);
}

// --- Chains ---

// n links of 0.2 m and 0.25 kg from the origin along x, or hanging, and a load.
static pl_world *make_chain(int n, bool hanging, double load, int32_t *last)
{
    pl_world *world = joint_world(1.0 / 60);
    int32_t before = PL_WORLD;
    for (int i = 0; i <= n; i++) {
        bool end = i == n;
        double at = end ? 0.2 * n + 0.5 : 0.2 * i + 0.1, joint = 0.2 * i;
        const char *shape = end       ? "box:size=1,1,1"
                            : hanging ? "box:size=0.05,0.05,0.2"
                                      : "box:size=0.2,0.05,0.05";
        int32_t body =
            add_rigid_at(world, shape, end ? load : 0.25, hanging ? 0 : at, 0, hanging ? -at : 0);
        pl_joint_options o = joint_at(PL_JOINT_BALL, before, body, hanging ? 0 : joint, 0,
                                      hanging ? -joint : 0, 1, 0, 0);
        add_joint(world, &o);
        before = *last = body;
    }
    return world;
}

static void test_chains_of_any_mass_ratio_hold(void)
{
    static const double LOAD[] = {0.25, 500, 25000, 1.1e6};
    for (int i = 0; i < 4; i++) {
        int32_t load;
        pl_world *world = make_chain(20, false, LOAD[i], &load);
        double fastest = 0;
        TEST_ASSERT_TRUE(step_joints(world, 1) < 1e-4);
        for (int k = 0; k < 300; k++) {
            TEST_ASSERT_TRUE(step_joints(world, 1) < 1e-4);
            const double *v = frame_of(world, load).velocity;
            fastest = fmax(fastest, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        }
        // No faster than from the height that it fell; a whip of light links may be.
        TEST_ASSERT_TRUE(i == 0 || fastest < 1.05 * sqrt(2 * G * 4.5));
        pl_world_destroy(world);
    }
}

static void test_a_heavy_load_swings_on_a_light_chain(void)
{
    int32_t load;
    pl_world *world = make_chain(50, true, 110000, &load);
    set_velocities(world, load, (double[]){0.5, 0, 0}, (double[]){0, 0, 0});
    double most = step_joints(world, 600);
    double force = joint_state(world, 0).force[2], weight = (110000 + 50 * 0.25) * G;
    TEST_ASSERT_TRUE(most < 1e-5);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * weight, weight, force);
    pl_world_destroy(world);
}

// --- Loops ---

// A parallelogram of four hinges turns for 20 s without coming apart: three of its rows are there
// twice.
static void test_a_loop_of_hinges_does_not_drift(void)
{
    pl_world *world = joint_world(1.0 / 60);
    int32_t a = add_rigid_at(world, "box:size=0.02,0.02,1", 1, 0, 0, 0.5);
    int32_t b = add_rigid_at(world, "box:size=2,0.02,0.02", 2, 1, 0, 1);
    int32_t c = add_rigid_at(world, "box:size=0.02,0.02,1", 1, 2, 0, 0.5);
    pl_joint_options o[4] = {joint_at(PL_JOINT_HINGE, PL_WORLD, a, 0, 0, 0, 0, 1, 0),
                             joint_at(PL_JOINT_HINGE, a, b, 0, 0, 1, 0, 1, 0),
                             joint_at(PL_JOINT_HINGE, b, c, 2, 0, 1, 0, 1, 0),
                             joint_at(PL_JOINT_HINGE, c, PL_WORLD, 2, 0, 0, 0, 1, 0)};
    for (int i = 0; i < 4; i++) add_joint(world, &o[i]);
    set_motor(world, 0, 3, PL_MOTOR_VELOCITY, 1.3, 200);
    double most = step_joints(world, 1200);
    TEST_ASSERT_TRUE(most < 1e-4);
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.3 * 20, joint_state(world, 0).position[3]);
    pl_world_destroy(world);
}

// One that cannot close: a warning, and a state between.
// A door on one hinge, and then on two: each says what the other one says, and nothing says how
// they share its weight. They share it evenly, also while it swings, and bear nothing against each
// other.
static void test_hinges_of_a_door_share(void)
{
    pl_world *world = joint_world(1.0 / 60);
    int32_t door = add_rigid_at(world, "box:size=0.8,0.04,2", 20, 0.4, 0, 1), hinge[2];
    for (int i = 0; i < 2; i++) {
        pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, door, 0, 0, 0.5 + i, 0, 0, 1);
        hinge[i] = add_joint(world, &o);
        step(world, 2);
        TEST_ASSERT_DOUBLE_WITHIN(1e-4, 20 * G / (i + 1), joint_state(world, hinge[0]).force[2]);
    }
    set_velocities(world, door, (double[]){0, 2, 0}, (double[]){0, 0, 5});
    for (int i = 0; i < 600; i++) {
        step_joints(world, 1);
        pl_joint_state a = joint_state(world, hinge[0]), b = joint_state(world, hinge[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 10 * G, a.force[2]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, 10 * G, b.force[2]);
        for (int k = 0; k < 2; k++) { // m w^2 r = 200 N, and what the weight has for a lever
            TEST_ASSERT_TRUE(fabs(a.force[k]) < 300 && fabs(b.force[k]) < 300);
        }
    }
    pl_world_destroy(world);
}

static void test_a_loop_that_cannot_be(void)
{
    pl_world *world = joint_world(1.0 / 60);
    keep_log();
    int32_t a = add_rigid_at(world, "box:size=0.1,0.1,1", 1, 0, 0, 0.5);
    pl_joint_options o = joint_at(PL_JOINT_FIXED, PL_WORLD, a, 0, 0, 0, 0, 0, 1);
    add_joint(world, &o);
    memcpy(o.point_b, (double[]){0.3, 0, 0}, sizeof o.point_b); // wants it at x = -0.3
    add_joint(world, &o);
    step(world, 20);
    pl_frame f = frame_of(world, a);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, -0.15, f.centre[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 0.5, f.centre[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.15, joint_state(world, 0).gap);
    expect_warning("joints contradict each other", "of the world and body 0 stays off by 0.15");
    pl_world_destroy(world);
}

// What a motor gives to a rod that it lifts is what the rod gains.
static void test_the_work_of_a_motor(void)
{
    for (int mode = 0; mode < 2; mode++) {
        int32_t rod;
        pl_world *world = make_pendulum(1e-3, 0, &rod);
        set_motor(world, 0, 3, mode == 0 ? PL_MOTOR_VELOCITY : PL_MOTOR_FORCE, mode == 0 ? 2 : 20,
                  INFINITY);
        set_velocities(world, rod, (double[]){-1, 0, 0}, (double[]){0, 2, 0}); // no jerk
        double before = mechanical_energy(world), work = 0;
        for (int i = 0; i < 700; i++) {
            pl_step_stats stats;
            TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
            work += stats.work;
        }
        double gained = mechanical_energy(world) - before;
        TEST_ASSERT_TRUE(gained > 5);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * gained, gained, work);
        pl_world_destroy(world);
    }
}

// --- Other bodies ---

static void test_a_kinematic_body_carries_a_hinge(void)
{
    pl_world *world = joint_world(1e-2);
    pl_mesh *mesh = make_mesh("box:size=0.2,0.2,0.2");
    pl_kinematic_options carrier = pl_kinematic_options_default();
    int32_t cart, rod;
    carrier.motion.velocity[0] = 1.5;
    carrier.motion.axis[2] = 1, carrier.motion.rate = 0.5;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &carrier, &cart));
    pl_mesh_destroy(mesh);
    rod = add_rigid_at(world, "box:size=0.02,0.02,1", 1, 0, 0, -0.5);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, cart, rod, 0, 0, 0, 0, 1, 0);
    int32_t joint = add_joint(world, &o);
    double most = step_joints(world, 400);
    pl_joint_state s = joint_state(world, joint);
    TEST_ASSERT_TRUE(most < 1e-4);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.5 * 4, s.point_a[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1.5 * 4, s.point_b[0]);
    pl_world_destroy(world);
}

// A soft body hangs by one of its points, and by a patch that a hinge turns: the joint bears its
// weight.
static void test_soft_bodies_hang(void)
{
    for (int patch = 0; patch < 2; patch++) {
        pl_world *world = joint_world(5e-3);
        pl_deformable_options soft = pl_deformable_options_default();
        soft.material.stiffness_damping = 0.02;
        soft.material.mass_damping = 2;
        int32_t body = add_body(world, "box:size=0.2,0.2,0.6:cells=2,2,6", &soft);
        pl_joint_options o =
            joint_at(patch ? PL_JOINT_HINGE : PL_JOINT_BALL, PL_WORLD, body, 0, 0, 0.3, 0, 1, 0);
        if (patch) o.patch_b = 0.15;
        int32_t joint = add_joint(world, &o);
        double most = step_joints(world, 1500), weight = 0.2 * 0.2 * 0.6 * 1000 * G;
        TEST_ASSERT_TRUE(most < 1e-4);
        TEST_ASSERT_DOUBLE_WITHIN(0.02 * weight, weight, joint_state(world, joint).force[2]);
        pl_world_destroy(world);
    }
}

// A joint between a rigid and a soft body keeps their momentum.
static void test_momentum_is_kept(void)
{
    pl_world *world = joint_world(5e-3);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (double[]){0, 0, 0}));
    int32_t soft = add_body(world, "box:size=0.2,0.2,0.6:cells=2,2,6", NULL);
    int32_t hard = add_rigid_at(world, "box:size=0.2,0.2,0.6", 5, 0, 0, 0.7);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, hard, soft, 0, 0, 0.35, 1, 0, 0);
    o.patch_b = 0.2;
    add_joint(world, &o);
    set_velocities(world, hard, (double[]){0.3, 1, 0}, (double[]){2, 0, 1});
    pl_energy before, after;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &before));
    step_joints(world, 200);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_energy(world, &after));
    for (int k = 0; k < 3; k++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, before.momentum[k], after.momentum[k]);
        TEST_ASSERT_DOUBLE_WITHIN(0.02, before.angular_momentum[k], after.angular_momentum[k]);
    }
    pl_world_destroy(world);
}

// --- Life ---

static void test_a_joint_breaks(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0, 0, 0), n;
    pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, body, 0, 0, 0, 0, 0, 1);
    o.break_force = 30;
    int32_t joint = add_joint(world, &o);
    step(world, 5);
    TEST_ASSERT_TRUE(pl_world_joint_holds(world, joint));
    TEST_ASSERT_NULL(pl_world_joint_events(world, &n));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(world, body, (double[]){0, 0, -20}, NULL));
    step(world, 1);
    const pl_joint_event *event = pl_world_joint_events(world, &n);
    TEST_ASSERT_EQUAL(1, n);
    TEST_ASSERT_EQUAL(joint, event[0].joint);
    TEST_ASSERT_DOUBLE_WITHIN(0.1, 20 + 2 * G, event[0].force);
    TEST_ASSERT_FALSE(pl_world_joint_holds(world, joint));
    step(world, 10);
    TEST_ASSERT_TRUE(frame_of(world, body).centre[2] < -0.05);
    TEST_ASSERT_NULL(pl_world_joint_events(world, &n));
    pl_world_destroy(world);
}

// A resumed run has the same bits, and so have runs with other numbers of threads.
static void test_bits(void)
{
    uint64_t hash[3];
    for (int way = 0; way < 3; way++) {
        int32_t load;
        pl_world *world = make_chain(12, false, 40, &load);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_threads(world, way == 1 ? 3 : 1));
        set_motor(world, 0, 3, PL_MOTOR_FORCE, 1e-4, INFINITY);
        step(world, 60);
        if (way == 2) {
            size_t size;
            TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, NULL, 0, &size));
            void *data = malloc(size);
            TEST_ASSERT_EQUAL(PL_OK, pl_world_save_memory(world, data, size, &size));
            pl_world_destroy(world);
            world = make_chain(12, false, 40, &load);
            set_motor(world, 0, 3, PL_MOTOR_FORCE, 1e-4, INFINITY);
            TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load_memory(world, data, size),
                                      pl_error_text());
            free(data);
        }
        step(world, 60);
        hash[way] = pl_world_hash(world);
        pl_world_destroy(world);
    }
    TEST_ASSERT_EQUAL_HEX64(hash[0], hash[1]);
    TEST_ASSERT_EQUAL_HEX64(hash[0], hash[2]);
}

static void test_removing(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t a = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0, 0, 0);
    int32_t b = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 1, 0, 0);
    pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, a, 0, 0, 0, 0, 0, 1);
    int32_t first = add_joint(world, &o);
    o = joint_at(PL_JOINT_HINGE, a, b, 0.5, 0, 0, 0, 1, 0);
    int32_t second = add_joint(world, &o);
    step(world, 10);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove(world, b));
    TEST_ASSERT_FALSE(pl_world_joint_holds(world, second));
    step(world, 10);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_remove_joint(world, first));
    step(world, 50);
    TEST_ASSERT_TRUE(frame_of(world, a).centre[2] < -0.5);
    pl_joint_state state;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_joint_state(world, first, &state), "no joint");
    pl_world_destroy(world);
}

// Joined bodies fall asleep together, and wake together.
static void test_sleep(void)
{
    pl_world_options options = no_contact();
    options.dt = 1e-2, options.sleep = true;
    pl_world *world = make_world(&options);
    int32_t a = add_rigid_at(world, "box:size=0.1,0.1,0.5", 2, 0, 0, -0.25);
    int32_t b = add_rigid_at(world, "box:size=0.1,0.1,0.5", 2, 0, 0, -0.75);
    pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, a, 0, 0, 0, 0, 0, 1);
    int32_t joint = add_joint(world, &o);
    o = joint_at(PL_JOINT_BALL, a, b, 0, 0, -0.5, 0, 0, 1);
    add_joint(world, &o);
    step(world, 100);
    TEST_ASSERT_FALSE(pl_world_awake(world, a));
    TEST_ASSERT_FALSE(pl_world_awake(world, b));
    TEST_ASSERT_DOUBLE_WITHIN(0.01, 4 * G, joint_state(world, joint).force[2]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_apply_impulse(world, b, (double[]){1, 0, 0}, NULL));
    TEST_ASSERT_TRUE(pl_world_awake(world, a));
    double most = step_joints(world, 20);
    TEST_ASSERT_TRUE(most < 1e-4 && frame_of(world, b).centre[0] > 0.01);
    pl_world_destroy(world);
}

static void test_errors(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t a = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0, 0, 0), joint;
    int32_t soft = add_body(world, "box:size=0.1,0.1,0.1", NULL);
    pl_joint_options good = joint_at(PL_JOINT_HINGE, PL_WORLD, a, 0, 0, 0, 0, 0, 1), o = good;
    o.body_a = a;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, &joint), "with itself");
    TEST_ASSERT_EQUAL(-1, joint);
    o = good, o.body_b = PL_WORLD;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "neither body can move");
    o = good, o.body_b = 17;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "body_b");
    o = good, o.axes[3].lo = 2, o.axes[3].hi = 1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "axes[3]: lo, hi");
    o = good, o.axis[2] = 0;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "no length");
    o = good, o.axes[3].spring = -1;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "spring");
    o = good, o.body_b = soft;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "patch");
    o.patch_b = 1e-3;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "needs 3 or more");
    o = joint_at(PL_JOINT_DISTANCE, PL_WORLD, a, 0, 0, 0, 0, 0, 1);
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_joint(world, &o, NULL), "are the same");
    joint = add_joint(world, &good);
    pl_motor motor = pl_motor_default();
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_motor(world, joint, 6, &motor), "coordinate 6");
    motor.mode = PL_MOTOR_VELOCITY, motor.target = NAN;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_motor(world, joint, 3, &motor), "target");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_range(world, joint, 3, 1, -1), "no range");
    pl_coupling_options c = {.n = 1, .joint = {joint}, .axis = {3}};
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_coupling(world, &c, NULL), "ratio");
    c.n = 5;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_add_coupling(world, &c, NULL), "from 1 to 4");
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_pendulum_has_its_period);
    RUN_TEST(test_pendulums_keep_their_energy);
    RUN_TEST(test_a_top_precesses);
    RUN_TEST(test_a_universal_joint_is_uneven);
    RUN_TEST(test_chains_of_any_mass_ratio_hold);
    RUN_TEST(test_a_heavy_load_swings_on_a_light_chain);
    RUN_TEST(test_a_loop_of_hinges_does_not_drift);
    RUN_TEST(test_hinges_of_a_door_share);
    RUN_TEST(test_a_loop_that_cannot_be);
    RUN_TEST(test_the_work_of_a_motor);
    RUN_TEST(test_a_kinematic_body_carries_a_hinge);
    RUN_TEST(test_soft_bodies_hang);
    RUN_TEST(test_momentum_is_kept);
    RUN_TEST(test_a_joint_breaks);
    RUN_TEST(test_bits);
    RUN_TEST(test_removing);
    RUN_TEST(test_sleep);
    RUN_TEST(test_errors);
    return UNITY_END();
}
