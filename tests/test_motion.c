// Motions: where they take a point, when they hold, what is no motion.

#include "../world/motion.h"
#include "../rigid/rotation.h"
#include "failing_alloc.h"
#include "matrix3.h"
#include "worlds.h"

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

static const double PI = 3.14159265358979323846;

static void expect_at(const pl_motion *motion, double t, const double x0[3], double x, double y,
                      double z)
{
    pl_path path;
    double at[3];
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_path_create(motion, &path), pl_error_text());
    pl_path_apply(&path, t, x0, at);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, x, at[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, y, at[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, z, at[2]);
    pl_path_free(&path);
}

static const double P[3] = {1, 2, 3};

static void test_rest(void)
{
    const pl_motion motion = pl_motion_default();
    expect_at(&motion, 0, P, 1, 2, 3);
    expect_at(&motion, 1e6, P, 1, 2, 3);
}

static void test_translation(void)
{
    pl_motion motion = pl_motion_default();
    motion.velocity[0] = 1;
    motion.velocity[2] = -2;
    motion.start = 1;
    motion.end = 3;
    expect_at(&motion, 0, P, 1, 2, 3);
    expect_at(&motion, 1.5, P, 1.5, 2, 2);
    expect_at(&motion, 3, P, 3, 2, -1);
    expect_at(&motion, 9, P, 3, 2, -1);
}

static void test_rotation(void)
{
    pl_motion motion = pl_motion_default();
    motion.rate = PI / 2;
    expect_at(&motion, 1, P, -2, 1, 3);
    motion.centre[0] = 1;
    expect_at(&motion, 1, P, -1, 0, 3);
    motion.axis[0] = 4; // along x, and not of length 1
    motion.axis[2] = 0;
    motion.velocity[1] = 10;
    expect_at(&motion, 1, P, 1, 7, 2);
}

// About any axis: distances to the centre and along the axis stay, and the angle is the one asked
// for.
static void test_rotation_about_any_axis(void)
{
    for (int round = 0; round < 200; round++) {
        pl_motion motion = pl_motion_default();
        double x0[3], x[3], r0[3], r[3], along0 = 0, along = 0, square0 = 0, square = 0, dot = 0;
        double length = 0;
        for (int k = 0; k < 3; k++) {
            motion.axis[k] = random_between(-1, 1);
            motion.centre[k] = random_between(-1, 1);
            x0[k] = random_between(-2, 2);
            length += motion.axis[k] * motion.axis[k];
        }
        motion.rate = random_between(-10, 10);
        pl_path path;
        TEST_ASSERT_EQUAL(PL_OK, pl_path_create(&motion, &path));
        pl_path_apply(&path, 0.7, x0, x);
        pl_path_free(&path);
        for (int k = 0; k < 3; k++) {
            r0[k] = x0[k] - motion.centre[k];
            r[k] = x[k] - motion.centre[k];
            along0 += r0[k] * motion.axis[k] / sqrt(length);
            along += r[k] * motion.axis[k] / sqrt(length);
            square0 += r0[k] * r0[k];
            square += r[k] * r[k];
            dot += r0[k] * r[k];
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, along0, along);
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, square0, square);
        double flat = square0 - along0 * along0;
        TEST_ASSERT_DOUBLE_WITHIN(1e-13, flat * cos(0.7 * motion.rate), dot - along * along0);
    }
}

static void test_keys(void)
{
    const pl_motion_key key[3] = {
        {1, {1, 0, 0}, 0}, {2, {1, 2, 0}, PI / 2}, {4, {1, 2, 4}, PI / 2}};
    pl_motion motion = pl_motion_default();
    motion.key = key;
    motion.n_key = 3;
    motion.start = 10;
    const double origin[3] = {0};
    expect_at(&motion, 0, origin, 1, 0, 0); // before the first key: as at it
    expect_at(&motion, 10.5, origin, 1, 0, 0);
    expect_at(&motion, 11, origin, 1, 0, 0);
    expect_at(&motion, 11.5, origin, 1, 1, 0);
    expect_at(&motion, 12, origin, 1, 2, 0);
    expect_at(&motion, 13, origin, 1, 2, 2);
    expect_at(&motion, 99, origin, 1, 2, 4);
    expect_at(&motion, 99, P, -1, 3, 7);
    motion.n_key = 1;
    expect_at(&motion, 50, origin, 1, 0, 0);
    // On top of a steady motion, and no longer than its end.
    motion.n_key = 3;
    motion.velocity[0] = 1;
    motion.end = 12;
    expect_at(&motion, 11.5, origin, 2.5, 1, 0);
    expect_at(&motion, 20, origin, 3, 2, 0);
}

static void test_keys_are_copied(void)
{
    pl_motion_key key = {0, {1, 0, 0}, 0};
    pl_motion motion = pl_motion_default();
    motion.key = &key;
    motion.n_key = 1;
    pl_path path;
    double x[3];
    TEST_ASSERT_EQUAL(PL_OK, pl_path_create(&motion, &path));
    key.offset[0] = 7;
    pl_path_apply(&path, 1, P, x);
    TEST_ASSERT_EQUAL_DOUBLE(2, x[0]);
    pl_path_free(&path);
}

static void test_when_it_holds(void)
{
    pl_motion motion = pl_motion_default();
    motion.start = 1;
    motion.end = 2;
    pl_path path;
    TEST_ASSERT_EQUAL(PL_OK, pl_path_create(&motion, &path));
    TEST_ASSERT_FALSE(pl_path_active(&path, 0.9, 1e-6));
    TEST_ASSERT_TRUE(pl_path_active(&path, 1 - 1e-7, 1e-6));
    TEST_ASSERT_TRUE(pl_path_active(&path, 1.5, 1e-6));
    TEST_ASSERT_TRUE(pl_path_active(&path, 2 + 1e-7, 1e-6));
    TEST_ASSERT_FALSE(pl_path_active(&path, 2.1, 1e-6));
    pl_path_free(&path);
}

// A point moves as the rigid motion says, from anywhere on the path to anywhere else.
static void test_step_of_a_rigid_body(void)
{
    const pl_motion_key key[3] = {{1, {1, 0, 0}, 0}, {2, {1, 2, 0}, 3}, {4, {1, 2, 4}, -20}};
    for (int round = 0; round < 300; round++) {
        pl_motion motion = pl_motion_default();
        motion.start = 1;
        motion.end = round % 3 ? 6 : INFINITY;
        motion.rate = round % 2 ? random_between(-30, 30) : 0;
        motion.key = key;
        motion.n_key = round % 5 ? 3 : 0;
        double x0[3], before[3], after[3], at[3], u[6], r[3], turn[3], q[4], d[3];
        for (int k = 0; k < 3; k++) {
            motion.axis[k] = random_between(-1, 1);
            motion.centre[k] = random_between(-1, 1);
            motion.velocity[k] = random_between(-1, 1);
            x0[k] = random_between(-2, 2);
        }
        pl_path path;
        TEST_ASSERT_EQUAL(PL_OK, pl_path_create(&motion, &path));
        double t0 = random_between(0, 7), dt = random_between(0.01, 1);
        pl_path_apply(&path, t0, x0, before);
        pl_path_apply(&path, t0 + dt, x0, after);
        pl_path_step(&path, t0, t0 + dt, at, u);
        for (int k = 0; k < 3; k++) turn[k] = dt * u[3 + k];
        pl_subtract(before, at, r);
        pl_rotation_exp(turn, q);
        pl_rotation_displace(q, r, d);
        // The rounding of an angle of up to 200 rad.
        for (int k = 0; k < 3; k++)
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, after[k], before[k] + dt * u[k] + d[k]);
        pl_path_free(&path);
    }
    // Whole turns count, and an axis without use may be missing.
    pl_motion motion = pl_motion_default();
    motion.rate = 100;
    pl_path path;
    double at[3], u[6];
    TEST_ASSERT_EQUAL(PL_OK, pl_path_create(&motion, &path));
    pl_path_step(&path, 0, 1, at, u);
    TEST_ASSERT_EQUAL_DOUBLE(100, u[5]);
    pl_path_free(&path);
    motion.rate = motion.axis[2] = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_path_create(&motion, &path));
    pl_path_step(&path, 0, 1, at, u);
    for (int k = 0; k < 6; k++) TEST_ASSERT_EQUAL_DOUBLE(0, u[k]);
    pl_path_free(&path);
}

#define REFUSE(part, ...)                                                                          \
    do {                                                                                           \
        pl_motion motion = pl_motion_default();                                                    \
        __VA_ARGS__;                                                                               \
        pl_path path;                                                                              \
        expect_failure(PL_ERROR_ARGUMENT, pl_path_create(&motion, &path), part);                   \
    } while (0)

static void test_refuses(void)
{
    const pl_motion_key same[2] = {{1, {0}, 0}, {1, {0}, 0}}, bad[1] = {{0, {0, NAN, 0}, 0}};
    const pl_motion_key turning[1] = {{0, {0}, 1}};
    REFUSE("start", motion.start = NAN);
    REFUSE("start", motion.start = -INFINITY);
    REFUSE("end", motion.end = -1);
    REFUSE("end", motion.end = NAN);
    REFUSE("velocity", motion.velocity[1] = INFINITY);
    REFUSE("centre", motion.centre[2] = NAN);
    REFUSE("rate", motion.rate = NAN);
    REFUSE("axis", motion.rate = 1, motion.axis[2] = 0);
    REFUSE("axis", motion.rate = 1, motion.axis[2] = NAN);
    REFUSE("axis", motion.key = turning, motion.n_key = 1, motion.axis[2] = 0);
    REFUSE("key", motion.n_key = 1);
    REFUSE("key", motion.n_key = -1);
    REFUSE("key[1]", motion.key = same, motion.n_key = 2);
    REFUSE("key[0]", motion.key = bad, motion.n_key = 1);
}

// An axis too long or too short for its square is still a direction.
static void test_axis_of_any_length(void)
{
    pl_motion motion = pl_motion_default();
    motion.rate = PI / 2;
    motion.axis[2] = 1e200;
    expect_at(&motion, 1, P, -2, 1, 3);
    motion.axis[2] = 1e-200;
    expect_at(&motion, 1, P, -2, 1, 3);
}

static void test_allocation_failure(void)
{
    const pl_motion_key key = {0, {1, 0, 0}, 0};
    pl_motion motion = pl_motion_default();
    motion.key = &key;
    motion.n_key = 1;
    pl_path path;
    fail_nth(0);
    TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_path_create(&motion, &path));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_rest);
    RUN_TEST(test_translation);
    RUN_TEST(test_rotation);
    RUN_TEST(test_rotation_about_any_axis);
    RUN_TEST(test_keys);
    RUN_TEST(test_keys_are_copied);
    RUN_TEST(test_when_it_holds);
    RUN_TEST(test_step_of_a_rigid_body);
    RUN_TEST(test_refuses);
    RUN_TEST(test_axis_of_any_length);
    RUN_TEST(test_allocation_failure);
    return UNITY_END();
}
