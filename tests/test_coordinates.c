// The coordinates of joints: rates against differences, whole turns, poses.

#include "../rigid/coordinates.h"
#include "matrix3.h"
#include "worlds.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static void random_pose(double turn, pl_pose *pose)
{
    double u[3];
    for (int k = 0; k < 3; k++) {
        pose->x[k] = random_between(-1, 1);
        u[k] = turn * random_between(-1, 1);
    }
    pl_rotation_exp(u, pose->q);
}

// b turned by w in the world, moved by v.
static void move(pl_pose *b, const double v[3], const double w[3], double h)
{
    double u[3], q[4];
    for (int k = 0; k < 3; k++) {
        b->x[k] += h * v[k];
        u[k] = h * w[k];
    }
    pl_rotation_exp(u, q);
    pl_rotation_compose(q, b->q, b->q);
}

static void test_rates_are_those_of_differences(void)
{
    static const double H = 1e-5; // differences are right to about H^2
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < 200; i++) {
            pl_pose a, b, small;
            double angle[3], before[3], after[3], axis[9], w[3], zero[3] = {0};
            random_pose(3, &a);
            random_pose(kind == PL_ANGLES_CARDAN ? 0.7 : 1, &small); // where angles are smooth
            pl_pose_compose(&a, &small, &b);
            for (int k = 0; k < 3; k++) w[k] = random_between(-1, 1);
            pl_coordinates_angles((pl_angles)kind, &a, &b, zero, angle);
            pl_coordinates_turning((pl_angles)kind, &a, angle, axis);
            pl_pose b0 = b, b1 = b;
            move(&b0, zero, w, -H);
            move(&b1, zero, w, H);
            pl_coordinates_angles((pl_angles)kind, &a, &b0, angle, before);
            pl_coordinates_angles((pl_angles)kind, &a, &b1, angle, after);
            for (int k = 0; k < 3; k++) {
                double rate = pl_dot(axis + 3 * k, w);
                TEST_ASSERT_DOUBLE_WITHIN(1e-7, (after[k] - before[k]) / (2 * H), rate);
            }
        }
    }
}

static void test_twist_counts_whole_turns(void)
{
    pl_pose a = {.q = {1}}, b = {.q = {1}};
    double angle[3] = {0}, zero[3] = {0}, w[3] = {1, 0, 0};
    for (int i = 0; i < 100; i++) {
        move(&b, zero, w, 0.3);
        pl_coordinates_angles(PL_ANGLES_SWING_TWIST, &a, &b, angle, angle);
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 30, angle[0]);
    double far[3] = {-100, 0, 0};
    pl_coordinates_angles(PL_ANGLES_SWING_TWIST, &a, &b, far, angle);
    TEST_ASSERT_TRUE(fabs(angle[0] + 100) <= 3.15);
}

// The swing of a pose made of both is the one that went in.
static void test_swing_and_twist_come_apart(void)
{
    for (int i = 0; i < 100; i++) {
        pl_pose a = {.q = {1}}, b = {.q = {1}};
        double swing[3] = {0, random_between(-2, 2), random_between(-2, 2)}, s[4], t[4];
        double twist[3] = {random_between(-3, 3), 0, 0}, angle[3], zero[3] = {0};
        pl_rotation_exp(swing, s);
        pl_rotation_exp(twist, t);
        pl_rotation_compose(s, t, b.q);
        pl_coordinates_angles(PL_ANGLES_SWING_TWIST, &a, &b, zero, angle);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, twist[0], angle[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, swing[1], angle[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, swing[2], angle[2]);
    }
}

static void test_relative_undoes_compose(void)
{
    for (int i = 0; i < 100; i++) {
        pl_pose a, b, c, back;
        random_pose(3, &a);
        random_pose(3, &b);
        pl_pose_compose(&a, &b, &c);
        pl_pose_relative(&a, &c, &back);
        double sign = back.q[0] * b.q[0] < 0 ? -1 : 1;
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-14, b.x[k], back.x[k]);
        for (int k = 0; k < 4; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-14, b.q[k], sign * back.q[k]);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_rates_are_those_of_differences);
    RUN_TEST(test_twist_counts_whole_turns);
    RUN_TEST(test_swing_and_twist_come_apart);
    RUN_TEST(test_relative_undoes_compose);
    return UNITY_END();
}
