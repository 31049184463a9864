// The judge of rigid bodies: depths that are known, energies by formulas, joints and drift.

#include "unity.h"
#include "../apps/bench/trial_judge.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_trial_body bodies[2];
static pl_trial_pose poses[2];
static pl_trial trial;

// Two bodies of 2 kg, unturned and at rest, and nothing else.
static void set_up(pl_trial_shape shape, double a, double b, double c)
{
    for (int i = 0; i < 2; i++) {
        bodies[i] = (pl_trial_body){.shape = shape, .half = {a, b, c}, .mass = 2};
        poses[i] = (pl_trial_pose){.q = {1, 0, 0, 0}};
    }
    trial = (pl_trial){.n_body = 2, .body = bodies, .touch = true, .drift_first = 2};
}

static double overlap(void)
{
    pl_trial_verdict verdict = pl_trial_judge(&trial, poses);
    TEST_ASSERT_TRUE(verdict.finite);
    return verdict.overlap;
}

static void test_boxes(void)
{
    set_up(PL_TRIAL_BOX, 0.1, 0.2, 0.3);
    poses[1].x[2] = 0.59;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.01, overlap());
    poses[1].x[2] = 0.61;
    TEST_ASSERT_EQUAL_DOUBLE(0, overlap());
    // By the side that is left sooner.
    poses[1].x[2] = 0.5, poses[1].x[0] = 0.17;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.03, overlap());
}

// Two cubes edge to edge: one stands on an edge along x, the other hangs with one along y.
static void test_edges(void)
{
    set_up(PL_TRIAL_BOX, 0.1, 0.1, 0.1);
    double c = cos(M_PI / 8), s = sin(M_PI / 8), diagonal = 0.1 * sqrt(2);
    poses[0].q[0] = poses[1].q[0] = c;
    poses[0].q[1] = s;
    poses[1].q[2] = s;
    poses[1].x[2] = 2 * diagonal - 0.004;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.004, overlap());
    poses[1].x[2] = 2 * diagonal + 0.004;
    TEST_ASSERT_EQUAL_DOUBLE(0, overlap());
}

static void test_capsules(void)
{
    set_up(PL_TRIAL_CAPSULE, 0.05, 0.1, 0);
    poses[1].q[0] = poses[1].q[1] = sqrt(0.5); // along y, across the other one
    poses[1].x[0] = 0.09;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.01, overlap());
    trial.n_plane = 1;
    trial.plane[0] = (pl_trial_plane){{0, 0, 1}, -0.13};
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.02, overlap()); // of the one that stands
}

static void test_energy(void)
{
    set_up(PL_TRIAL_BOX, 0.1, 0.2, 0.3);
    trial.gravity[2] = -10;
    poses[0].x[2] = 3;
    poses[1].x[2] = 5, poses[1].v[0] = 4;
    poses[1].q[0] = poses[1].q[2] = sqrt(0.5); // its x is now the world's -z
    poses[1].w[2] = 2;
    double spin = 0.5 * (2.0 / 3) * (0.04 + 0.09) * 4;
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 60 + 100 + 16 + spin, pl_trial_judge(&trial, poses).energy);
}

// A sphere as a capsule without length.
static void test_inertia_of_capsules(void)
{
    set_up(PL_TRIAL_CAPSULE, 0.3, 0, 0);
    poses[0].w[0] = 1;
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0.5 * 0.4 * 2 * 0.09, pl_trial_judge(&trial, poses).energy);
}

static void test_joints_and_drift(void)
{
    set_up(PL_TRIAL_BOX, 0.1, 0.1, 0.1);
    pl_trial_joint joints[2] = {{.kind = PL_TRIAL_BALL, .a = -1, .b = 0, .point = {0, 0, 0.1}},
                                {.kind = PL_TRIAL_BALL, .a = 0, .b = 1, .point = {0, 0, -0.1}}};
    bodies[1].start.x[2] = -0.2;
    trial.joint = joints;
    trial.n_joint = 2;
    poses[1].x[2] = -0.2;
    TEST_ASSERT_DOUBLE_WITHIN(1e-16, 0, pl_trial_judge(&trial, poses).stretch);
    pl_trial_pose from[2] = {poses[0], poses[1]};
    poses[1].x[0] = 0.03, poses[1].x[2] = -0.24;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.05, pl_trial_judge(&trial, poses).stretch);
    trial.drift_of[0] = trial.drift_of[1] = 1;
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.03, pl_trial_drift(&trial, from, poses));
    poses[0].v[1] = NAN;
    TEST_ASSERT_FALSE(pl_trial_judge(&trial, poses).finite);
}

// No scene starts with an overlap.
static void test_starts(void)
{
    for (int32_t i = 0; i < pl_trial_count(); i++) {
        pl_trial made;
        pl_trial_pose pose[1001];
        TEST_ASSERT_EQUAL(PL_OK, pl_trial_make(i, false, &made));
        TEST_ASSERT_TRUE(made.n_body <= 1001);
        for (int32_t k = 0; k < made.n_body; k++) pose[k] = made.body[k].start;
        pl_trial_verdict verdict = pl_trial_judge(&made, pose);
        TEST_ASSERT_TRUE_MESSAGE(verdict.finite && verdict.overlap == 0, made.name);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, verdict.stretch);
        pl_trial_free(&made);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_boxes);
    RUN_TEST(test_edges);
    RUN_TEST(test_capsules);
    RUN_TEST(test_energy);
    RUN_TEST(test_inertia_of_capsules);
    RUN_TEST(test_joints_and_drift);
    RUN_TEST(test_starts);
    return UNITY_END();
}
