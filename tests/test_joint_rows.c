// Ranges, springs, motors and couplings of joints, against formulas of mechanics.

#include "mechanisms.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const double PI = 3.14159265358979323846;

static void weightless(pl_world *world)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (double[]){0, 0, 0}));
}

// A body on a rail along x.
static int32_t slider_of(pl_world *world, double mass, int32_t *joint)
{
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", mass, 0, 0, 0);
    pl_joint_options o = joint_at(PL_JOINT_SLIDER, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
    *joint = add_joint(world, &o);
    return body;
}

// A wheel about x at y; its inertia about x is mass / 6 of a cube of 1 m.
static int32_t wheel_of(pl_world *world, double mass, double y, int32_t *joint)
{
    int32_t body = add_rigid_at(world, "box:size=1,1,1", mass, 0, y, 0);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, body, 0, y, 0, 1, 0, 0);
    *joint = add_joint(world, &o);
    return body;
}

// --- Springs ---

// The error of a spring's swing after 1 s, against x0 exp(-d t) (cos w t + d / w sin w t).
static double spring_error(double dt)
{
    pl_world *world = joint_world(dt);
    int32_t joint;
    double m = 2, k = 200, b = 2, x0 = 0.3, d = b / (2 * m), w = sqrt(k / m - d * d);
    weightless(world);
    slider_of(world, m, &joint);
    pl_joint_axis axis = pl_joint_options_default(PL_JOINT_SIX_DOF).axes[0];
    axis.spring = k, axis.spring_damping = b, axis.rest = -x0; // so that it starts at x0 from rest
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_joint_axis(world, joint, 0, &axis));
    step_joints(world, (int)lround(1 / dt));
    double x = joint_state(world, joint).position[0] + x0;
    pl_world_destroy(world);
    return fabs(x - x0 * exp(-d) * (cos(w) + d / w * sin(w)));
}

static void test_a_spring_with_a_damper_swings_as_it_should(void)
{
    double coarse = spring_error(1e-3), fine = spring_error(5e-4);
    TEST_ASSERT_TRUE(coarse < 0.02);
    TEST_ASSERT_DOUBLE_WITHIN(0.15, 2, coarse / fine); // first order: implicit Euler
}

// A spring by a curve that is a line is the spring; one that hardens pushes by its curve.
static void test_a_curve_is_a_spring(void)
{
    const double line[4] = {-1, -200, 1, 200}, hard[6] = {-1, -20, 0, 0, 0.1, 80};
    double end[2];
    for (int curved = 0; curved < 2; curved++) {
        pl_world *world = joint_world(1e-3);
        int32_t joint;
        weightless(world);
        slider_of(world, 2, &joint);
        pl_joint_axis axis = pl_joint_options_default(PL_JOINT_SIX_DOF).axes[0];
        axis.rest = -0.3;
        if (curved) axis.curve = line, axis.n_curve = 2;
        if (!curved) axis.spring = 200;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_joint_axis(world, joint, 0, &axis));
        step_joints(world, 300);
        end[curved] = joint_state(world, joint).position[0];
        pl_world_destroy(world);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, end[0], end[1]);
    pl_world *world = joint_world(1e-2);
    int32_t joint;
    slider_of(world, 2, &joint);
    pl_joint_axis axis = pl_joint_options_default(PL_JOINT_SIX_DOF).axes[0];
    axis.curve = hard, axis.n_curve = 3, axis.spring_damping = 40;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_joint_axis(world, joint, 0, &axis));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (double[]){20, 0, 0})); // 40 N
    step_joints(world, 1000);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.05, joint_state(world, joint).position[0]);
    pl_world_destroy(world);
}

// --- Ranges ---

static void test_a_range_ends(void)
{
    for (int soft = 0; soft < 2; soft++) {
        pl_world *world = joint_world(1.0 / 60);
        int32_t joint;
        slider_of(world, 2, &joint);
        pl_joint_axis axis = pl_joint_options_default(PL_JOINT_SIX_DOF).axes[0];
        axis.lo = -0.1, axis.hi = 0.5;
        if (soft) axis.stiffness = 1000, axis.damping = 100;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_joint_axis(world, joint, 0, &axis));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (double[]){20, 0, 0}));
        double most = 0;
        for (int i = 0; i < 600; i++) {
            step(world, 1);
            most = fmax(most, joint_state(world, joint).position[0]);
        }
        // Soft: 40 N against 1,000 N/m.
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, soft ? 0.54 : 0.5, joint_state(world, joint).position[0]);
        TEST_ASSERT_TRUE(soft || most < 0.5 + 4e-6);
        TEST_ASSERT_DOUBLE_WITHIN(1e-3, -40, joint_state(world, joint).force[0]);
        pl_world_destroy(world);
    }
}

// A ball joint with a cone that its body may not leave.
static void test_a_swing_ends(void)
{
    pl_world *world = joint_world(1.0 / 60);
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,1", 3, 0, 0, 0.5);
    pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, body, 0, 0, 0, 0, 0, 1);
    o.swing = 0.6;
    int32_t joint = add_joint(world, &o);
    set_velocities(world, body, (double[]){0.05, 0.02, 0}, (double[]){-0.04, 0.1, 0});
    for (int i = 0; i < 600; i++) {
        step(world, 1);
        pl_joint_state s = joint_state(world, joint);
        TEST_ASSERT_TRUE(hypot(s.position[4], s.position[5]) < 0.6 + 1e-4);
    }
    pl_joint_state s = joint_state(world, joint);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0.6, hypot(s.position[4], s.position[5]));
    pl_world_destroy(world);
}

// A rope is slack below its length.
static void test_a_rope_is_slack_or_taut(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", 2, 0.3, 0, 0);
    pl_joint_options o = joint_at(PL_JOINT_DISTANCE, PL_WORLD, body, 0, 0, 0, 0, 0, 1);
    memcpy(o.point_b, (double[]){0.3, 0, 0}, sizeof o.point_b);
    o.axes[0].lo = 0, o.axes[0].hi = 1;
    int32_t joint = add_joint(world, &o);
    step(world, 1);
    TEST_ASSERT_EQUAL_DOUBLE(0, joint_state(world, joint).force[2]);
    double most = 0;
    for (int i = 0; i < 3000; i++) {
        step(world, 1);
        most = fmax(most, joint_state(world, joint).position[0]);
    }
    TEST_ASSERT_TRUE(most < 1 + 1e-5);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 1, joint_state(world, joint).position[0]);
    pl_world_destroy(world);
}

// --- Motors ---

static void test_motors(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t joint;
    double inertia = 6.0 / 6;
    weightless(world);
    int32_t wheel = wheel_of(world, 6, 0, &joint);
    set_motor(world, joint, 3, PL_MOTOR_FORCE, 2, INFINITY); // speeds up by torque / inertia
    step(world, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 / inertia, frame_of(world, wheel).angular_velocity[0]);
    set_motor(world, joint, 3, PL_MOTOR_VELOCITY, 7, 1); // as fast as its strength allows
    step(world, 200);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4, frame_of(world, wheel).angular_velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1, joint_state(world, joint).motor[3]);
    step(world, 400);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 7, frame_of(world, wheel).angular_velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, joint_state(world, joint).motor[3]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(world, wheel, NULL, (double[]){-3, 0, 0}));
    step(world, 100); // against a torque beyond its own it is turned back by the difference
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 7 - 2, frame_of(world, wheel).angular_velocity[0]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(world, wheel, NULL, NULL));
    double from = joint_state(world, joint).position[3];
    pl_motor servo = {.mode = PL_MOTOR_POSITION,
                      .target = from + 20 * PI,
                      .max_force = INFINITY,
                      .max_speed = 10};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_motor(world, joint, 3, &servo));
    step(world, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, from + 10, joint_state(world, joint).position[3]);
    step(world, 600); // ten turns
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, from + 20 * PI, joint_state(world, joint).position[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-7, 0, joint_state(world, joint).rate[3]);
    pl_world_destroy(world);
}

// Two motors against each other: the stronger one wins, equal ones hold it; never a number that is
// none.
static void test_motors_against_each_other(void)
{
    for (int equal = 0; equal < 2; equal++) {
        pl_world *world = joint_world(1e-2);
        int32_t body, first;
        weightless(world);
        body = slider_of(world, 2, &first);
        pl_joint_options o = joint_at(PL_JOINT_SLIDER, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
        int32_t second = add_joint(world, &o);
        double strength = equal ? INFINITY : 20;
        set_motor(world, first, 0, PL_MOTOR_VELOCITY, 1, equal ? INFINITY : 30);
        set_motor(world, second, 0, PL_MOTOR_VELOCITY, -1, strength);
        for (int i = 0; i < 20 && pl_world_step(world, NULL) == PL_OK; i++) continue;
        double v = frame_of(world, body).velocity[0];
        TEST_ASSERT_TRUE(isfinite(v) && fabs(v) < 1.1);
        TEST_ASSERT_TRUE(equal || fabs(v - 1) < 1e-6);
        pl_world_destroy(world);
    }
}

// --- Couplings ---

// Two gears: the torque on one moves both, as if it had the inertia I1 + r^2 I2.
static void test_gears(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t one, two;
    weightless(world);
    int32_t a = wheel_of(world, 6, 0, &one), b = wheel_of(world, 12, 3, &two);
    couple(world, one, 3, 1, two, 3, 3); // turns the other way, three times as slowly
    set_motor(world, one, 3, PL_MOTOR_FORCE, 2, INFINITY);
    double off = step_joints(world, 1000);
    double rate = 2 / (1 + 2.0 / 9) * 10;
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, rate, frame_of(world, a).angular_velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -rate / 3, frame_of(world, b).angular_velocity[0]);
    double one_at = joint_state(world, one).position[3],
           two_at = joint_state(world, two).position[3];
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0, one_at + 3 * two_at);
    TEST_ASSERT_TRUE(one_at > 80 && off < 1e-5); // many turns
    pl_world_destroy(world);
}

static void test_rack_and_screw(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t pinion, rack;
    weightless(world);
    wheel_of(world, 6, 0, &pinion);
    slider_of(world, 2, &rack);
    couple(world, pinion, 3, 0.25, rack, 0, -1);
    set_motor(world, pinion, 3, PL_MOTOR_VELOCITY, 2, INFINITY);
    step(world, 300);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0.25 * 2 * 3, joint_state(world, rack).position[0]);
    int32_t nut = add_rigid_at(world, "box:size=0.2,0.2,0.2", 1, 0, 5, 0);
    pl_joint_options o = joint_at(PL_JOINT_CYLINDRICAL, PL_WORLD, nut, 0, 5, 0, 0, 1, 0);
    int32_t screw = add_joint(world, &o);
    couple(world, screw, 3, 0.01 / (2 * PI), screw, 0, -1);        // 1 cm a turn
    set_motor(world, screw, 0, PL_MOTOR_VELOCITY, 0.02, INFINITY); // pushed, it turns
    step(world, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2 * 2 * PI, joint_state(world, screw).position[3]);
    pl_world_destroy(world);
}

// A differential: the cage has the mean of its shafts; one that is held lets the other turn twice
// as fast.
static void test_a_differential(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t left, right, cage;
    weightless(world);
    wheel_of(world, 6, 0, &left);
    wheel_of(world, 6, 2, &right);
    wheel_of(world, 6, 4, &cage);
    pl_coupling_options o = {
        .n = 3, .joint = {left, right, cage}, .axis = {3, 3, 3}, .ratio = {1, 1, -2}};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_coupling(world, &o, NULL));
    set_motor(world, cage, 3, PL_MOTOR_VELOCITY, 3, INFINITY);
    step(world, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 3, joint_state(world, left).rate[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 3, joint_state(world, right).rate[3]);
    set_motor(world, left, 3, PL_MOTOR_VELOCITY, 0, INFINITY);
    step(world, 100);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 0, joint_state(world, left).rate[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 6, joint_state(world, right).rate[3]);
    pl_world_destroy(world);
}

// Atwood's machine: two loads on a rope over a pulley, a = g (m - n) / (m + n).
static void test_atwood(void)
{
    pl_world *world = joint_world(1e-2);
    double m = 3, n = 2;
    int32_t load[2], rope[2];
    for (int i = 0; i < 2; i++) {
        double y = i == 0 ? 0 : 1, z = -5;
        load[i] = add_rigid_at(world, "box:size=0.1,0.1,0.1", i == 0 ? m : n, 0, y, z);
        pl_joint_options o = joint_at(PL_JOINT_DISTANCE, PL_WORLD, load[i], 0, y, 0, 0, 0, 1);
        memcpy(o.point_b, (double[]){0, y, z}, sizeof o.point_b);
        o.axes[0].lo = -INFINITY, o.axes[0].hi = INFINITY;
        rope[i] = add_joint(world, &o);
    }
    couple(world, rope[0], 0, 1, rope[1], 0, 1);
    step(world, 100);
    double a = G * (m - n) / (m + n);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, -a, frame_of(world, load[0]).velocity[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-6, a, frame_of(world, load[1]).velocity[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-4, 2 * m * n * G / (m + n), joint_state(world, rope[0]).force[2]);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_spring_with_a_damper_swings_as_it_should);
    RUN_TEST(test_a_curve_is_a_spring);
    RUN_TEST(test_a_range_ends);
    RUN_TEST(test_a_swing_ends);
    RUN_TEST(test_a_rope_is_slack_or_taut);
    RUN_TEST(test_motors);
    RUN_TEST(test_motors_against_each_other);
    RUN_TEST(test_gears);
    RUN_TEST(test_rack_and_screw);
    RUN_TEST(test_a_differential);
    RUN_TEST(test_atwood);
    return UNITY_END();
}
