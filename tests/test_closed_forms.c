// Mechanisms against the solutions of mechanics, with the error of each and its order in dt, which
// halving the step shows. More of them: periods, energies and precession in test_joint_step.c,
// springs, gears and differentials in test_joint_rows.c, rolling in test_shape_world.c, bouncing in
// test_restitution.c.

#include "mechanisms.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static const double PI = 3.14159265358979323846;

// The errors of a function at dt and half of it: the first at most `most`, and their ratio within
// 15 % of 2^order.
static void check_order(const char *name, double (*error)(double), double dt, double most,
                        int order)
{
    double coarse = error(dt), fine = error(dt / 2), ratio = coarse / fine;
    char text[160];
    snprintf(text, sizeof text, "%s: error %.3g at dt %g, %.3g at half of it: ratio %.3f", name,
             coarse, dt, fine, ratio);
    TEST_ASSERT_MESSAGE(coarse < most, text);
    TEST_ASSERT_MESSAGE(fabs(ratio - (1 << order)) < 0.15 * (1 << order), text);
}

static void weightless(pl_world *world)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_gravity(world, (double[]){0, 0, 0}));
}

// --- Pendulums ---

// A rod of 1 m and 3 kg below a point, turned about y there.
static int32_t hang_rod(pl_world *world, int32_t from, double x, double z, double angle)
{
    int32_t rod = add_rigid_at(world, "box:size=0.02,0.02,1", 3, x, 0, z - 0.5);
    pl_joint_options o = joint_at(PL_JOINT_HINGE, from, rod, x, 0, z, 0, 1, 0);
    add_joint(world, &o);
    pl_frame frame = frame_of(world, rod);
    frame.centre[0] = x - 0.5 * sin(angle), frame.centre[2] = z - 0.5 * cos(angle);
    frame.orientation[0] = cos(angle / 2), frame.orientation[2] = sin(angle / 2);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, rod, &frame));
    return rod;
}

// Angles and rates of two such rods, one below the other, from Lagrange's equations.
static void double_pendulum(const double y[4], double out[4])
{
    const double m = 3, d = 0.5, own = m * (1 + 0.0004) / 12;
    double A = own + m * d * d + m, B = own + m * d * d;
    double c = m * d * cos(y[0] - y[1]), s = m * d * sin(y[0] - y[1]);
    double p = -s * y[3] * y[3] - (m * d + m) * G * sin(y[0]);
    double q = s * y[2] * y[2] - m * d * G * sin(y[1]), det = A * B - c * c;
    out[0] = y[2], out[1] = y[3];
    out[2] = (B * p - c * q) / det, out[3] = (A * q - c * p) / det;
}

// Runge-Kutta's method in 10,000 steps.
static void integrate(double t, double y[4])
{
    const double h = t / 10000;
    for (int i = 0; i < 10000; i++) {
        double k[4][4], at[4];
        for (int s = 0; s < 4; s++) {
            double part = s == 0 ? 0 : s == 3 ? h : h / 2;
            for (int j = 0; j < 4; j++) at[j] = y[j] + (s > 0 ? part * k[s - 1][j] : 0);
            double_pendulum(at, k[s]);
        }
        for (int j = 0; j < 4; j++) {
            y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        }
    }
}

// How far the lower rod's centre is off after 1 s, from rest at angles that are not small [m].
static double double_pendulum_error(double dt)
{
    const double a = 0.8, b = 1.3;
    pl_world *world = joint_world(dt);
    int32_t one = hang_rod(world, PL_WORLD, 0, 0, 0);
    int32_t two = hang_rod(world, one, 0, -1, 0);
    const double angle[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        pl_frame f = frame_of(world, i == 0 ? one : two);
        f.centre[0] = (i == 0 ? 0 : -sin(a)) - 0.5 * sin(angle[i]);
        f.centre[2] = (i == 0 ? 0 : -cos(a)) - 0.5 * cos(angle[i]);
        f.orientation[0] = cos(angle[i] / 2), f.orientation[2] = sin(angle[i] / 2);
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_frame(world, i == 0 ? one : two, &f));
    }
    TEST_ASSERT_TRUE(step_joints(world, (int)lround(1 / dt)) < 1e-5);
    double y[4] = {a, b, 0, 0};
    integrate(1, y);
    pl_frame f = frame_of(world, two);
    double x = -sin(y[0]) - 0.5 * sin(y[1]), z = -cos(y[0]) - 0.5 * cos(y[1]);
    pl_world_destroy(world);
    return hypot(f.centre[0] - x, f.centre[2] - z);
}

// The most by which its energy is off in 2 s [J].
static double double_pendulum_energy(double dt)
{
    pl_world *world = joint_world(dt);
    int32_t one = hang_rod(world, PL_WORLD, 0, 0, 0), two = hang_rod(world, one, 0, -1, 0);
    set_velocities(world, one, (double[]){-1, 0, 0}, (double[]){0, 2, 0});
    set_velocities(world, two, (double[]){-3, 0, 0}, (double[]){0, 2, 0});
    double start = mechanical_energy(world), most = 0;
    for (int i = 0; i < (int)lround(2 / dt); i++) {
        step(world, 1);
        most = fmax(most, fabs(mechanical_energy(world) - start));
    }
    pl_world_destroy(world);
    return most;
}

static void test_a_double_pendulum(void)
{
    check_order("double pendulum", double_pendulum_error, 2e-3, 0.02, 1);
    check_order("its energy", double_pendulum_energy, 2e-3, 0.3, 1); // of some 30 J
}

// A top with a horizontal axis, in steady precession: how far it is off after a second [rad].
static double top_error(double dt)
{
    pl_world *world = joint_world(dt);
    int32_t top = add_rigid_at(world, "box:size=0.05,0.2,0.2", 1, 0.1, 0, 0);
    double l = 0.1, spin = 60, rate = G * l / (0.08 / 12 * spin);
    pl_joint_options o = joint_at(PL_JOINT_BALL, PL_WORLD, top, 0, 0, 0, 1, 0, 0);
    add_joint(world, &o);
    set_velocities(world, top, (double[]){0, l * rate, 0}, (double[]){spin, 0, rate});
    step_joints(world, (int)lround(1 / dt));
    pl_frame f = frame_of(world, top);
    double angle = atan2(f.centre[1], f.centre[0]);
    pl_world_destroy(world);
    return fabs(angle - rate + 2 * PI * round((rate - angle) / (2 * PI)));
}

static void test_a_top(void)
{
    check_order("precession", top_error, 2e-3, 5e-3, 1); // of 1.5 rad/s
}

// --- Rolling ---

// A sphere down a slope: x = 5/7 g sin t^2 / 2. Velocities are right to what the gap adds to the
// lever; places are off by dt / t, as those of any body that speeds up evenly.
static double rolling_error(double dt)
{
    const double angle = 0.2, r = 0.1, gap = 1e-5, t = 0.4;
    pl_world_options options = pl_world_options_default();
    options.dt = dt;
    options.contact_distance = gap;
    const double tilted[3] = {G * sin(angle), 0, -G * cos(angle)};
    memcpy(options.gravity, tilted, sizeof tilted);
    pl_world *world = make_world(&options);
    const double x[12] = {-1, -1, 0, 3, -1, 0, 3, 1, 0, -1, 1, 0};
    const int32_t face[6] = {0, 1, 2, 0, 2, 3};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(4, x, 2, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, NULL));
    pl_mesh_destroy(mesh);
    pl_shape shape;
    TEST_ASSERT_EQUAL(PL_OK, pl_shape_parse("sphere:radius=0.1", &shape));
    shape.position[2] = r + gap;
    pl_rigid_options rigid = pl_rigid_options_default();
    rigid.shape = &shape, rigid.n_shape = 1;
    int32_t body;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, NULL, &rigid, &body));
    step(world, (int)lround(t / dt));
    pl_frame f = frame_of(world, body);
    double a = 5.0 / 7 * G * sin(angle);
    TEST_ASSERT_DOUBLE_WITHIN(5e-4 * a * t, a * t, f.velocity[0]);
    TEST_ASSERT_DOUBLE_WITHIN(5e-4 * a * t, a * t, r * f.angular_velocity[1]);
    pl_world_destroy(world);
    return fabs(f.centre[0] - 0.5 * a * t * t);
}

static void test_a_sphere_rolls(void)
{
    check_order("rolling", rolling_error, 8e-3, 3e-3, 1);
}

// --- Ropes and wheels ---

enum { LOADS = 2 };
static const double LOAD[LOADS] = {3, 2}; // [kg]

// Atwood's machine with a pulley of 0.2 m, whose inertia counts: two loads on rails, racks of it.
// a = g (m - n) / (m + n + I / r^2); velocities to the tolerance, places to a t dt / 2.
static double atwood_error(double dt)
{
    pl_world *world = joint_world(dt);
    int32_t wheel = add_rigid_at(world, "box:size=1,1,1", 0.24, 0, 0, 0), rail[LOADS];
    pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, wheel, 0, 0, 0, 0, 1, 0);
    int32_t axle = add_joint(world, &o), load[LOADS];
    double r = 0.2, inertia = 0.24 / 6;
    for (int i = 0; i < LOADS; i++) {
        load[i] = add_rigid_at(world, "box:size=0.1,0.1,0.1", LOAD[i], i == 0 ? r : -r, 0, -3);
        o = joint_at(PL_JOINT_SLIDER, PL_WORLD, load[i], i == 0 ? r : -r, 0, -3, 0, 0, 1);
        rail[i] = add_joint(world, &o);
        couple(world, axle, 3, i == 0 ? r : -r, rail[i], 0, 1); // z = -+ r angle
    }
    step(world, (int)lround(0.5 / dt));
    double a = G * (LOAD[0] - LOAD[1]) / (LOAD[0] + LOAD[1] + inertia / (r * r));
    pl_frame f = frame_of(world, load[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, -0.5 * a, f.velocity[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.5 * a, frame_of(world, load[1]).velocity[2]);
    pl_world_destroy(world);
    return fabs(f.centre[2] + 3 + 0.5 * a * 0.25);
}

static void test_atwood(void)
{
    check_order("Atwood", atwood_error, 1e-2, 6e-3, 1);
}

// --- Springs ---

static double damping_ratio;

// From rest at 0 to 1 by a spring of 50 rad/s^2: 1 - e^(-z w t) (...), after 0.2 s [m].
static double response_error(double dt)
{
    pl_world *world = joint_world(dt);
    const double m = 2, w = 10, z = damping_ratio, t = 0.2;
    int32_t body = add_rigid_at(world, "box:size=0.1,0.1,0.1", m, 0, 0, 0);
    pl_joint_options o = joint_at(PL_JOINT_SLIDER, PL_WORLD, body, 0, 0, 0, 1, 0, 0);
    o.axes[0].spring = m * w * w, o.axes[0].spring_damping = 2 * z * w * m, o.axes[0].rest = 1;
    weightless(world);
    int32_t joint = add_joint(world, &o);
    step_joints(world, (int)lround(t / dt));
    double exact, x = joint_state(world, joint).position[0];
    if (z < 1) {
        double f = w * sqrt(1 - z * z);
        exact = 1 - exp(-z * w * t) * (cos(f * t) + z * w / f * sin(f * t));
    } else if (z == 1) {
        exact = 1 - exp(-w * t) * (1 + w * t);
    } else {
        double f = w * sqrt(z * z - 1), p = z * w - f, q = z * w + f;
        exact = 1 - (q * exp(-p * t) - p * exp(-q * t)) / (q - p);
    }
    pl_world_destroy(world);
    return fabs(x - exact);
}

static void test_step_responses(void)
{
    const double ratio[] = {0.1, 1, 2.5};
    for (int i = 0; i < 3; i++) {
        damping_ratio = ratio[i];
        check_order("step response", response_error, 2e-3, 0.02, 1);
    }
}

// --- Gears and motors ---

// Two stages, 12 to 36 and 10 to 40 teeth: twelve times as slow, and a load of 24 N m is held by
// 2 N m.
static void test_a_gear_train(void)
{
    pl_world *world = joint_world(1e-2);
    int32_t wheel[3], joint[3];
    weightless(world);
    for (int i = 0; i < 3; i++) {
        wheel[i] = add_rigid_at(world, "box:size=1,1,1", 6, 0, 2 * i, 0);
        pl_joint_options o = joint_at(PL_JOINT_HINGE, PL_WORLD, wheel[i], 0, 2 * i, 0, 1, 0, 0);
        joint[i] = add_joint(world, &o);
    }
    couple(world, joint[0], 3, 12, joint[1], 3, 36);
    couple(world, joint[1], 3, 10, joint[2], 3, 40);
    set_motor(world, joint[0], 3, PL_MOTOR_VELOCITY, 6, INFINITY);
    step_joints(world, 300);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 18, joint_state(world, joint[0]).position[3]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 18.0 / 12, joint_state(world, joint[2]).position[3]);
    set_motor(world, joint[0], 3, PL_MOTOR_VELOCITY, 0, INFINITY);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_force(world, wheel[2], NULL, (double[]){-24, 0, 0}));
    step_joints(world, 50);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, 2, fabs(joint_state(world, joint[0]).motor[3]));
    pl_world_destroy(world);
}

// A motor of 5 N m lifts an arm as far as it can: to where m g d sin angle is its torque. That is a
// state of rest, free of dt; one of 20 N m goes over the top.
static void test_a_motor_stalls(void)
{
    for (int strong = 0; strong < 2; strong++) {
        pl_world *world = joint_world(1e-2);
        double torque = strong ? 20 : 5;
        hang_rod(world, PL_WORLD, 0, 0, 0);
        pl_joint_axis axis = pl_joint_options_default(PL_JOINT_SIX_DOF).axes[3];
        axis.spring_damping = 4;
        axis.motor.mode = PL_MOTOR_VELOCITY, axis.motor.target = 1, axis.motor.max_force = torque;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_joint_axis(world, 0, 3, &axis));
        step_joints(world, 1500);
        pl_joint_state s = joint_state(world, 0);
        if (strong) {
            TEST_ASSERT_DOUBLE_WITHIN(1e-4, 1, s.rate[3]); // 1e-6 rad in a step
            TEST_ASSERT_TRUE(s.position[3] > 14);
        } else {
            TEST_ASSERT_DOUBLE_WITHIN(1e-6, asin(torque / (3 * G * 0.5)), s.position[3]);
            TEST_ASSERT_DOUBLE_WITHIN(1e-9, torque, s.motor[3]);
        }
        pl_world_destroy(world);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_double_pendulum);
    RUN_TEST(test_a_top);
    RUN_TEST(test_a_sphere_rolls);
    RUN_TEST(test_atwood);
    RUN_TEST(test_step_responses);
    RUN_TEST(test_a_gear_train);
    RUN_TEST(test_a_motor_stalls);
    return UNITY_END();
}
