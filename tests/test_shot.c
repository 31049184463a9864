// How cameras move: orbits close, followers do not depend on how often they are asked, keyframes
// hit their keys and neither jump nor swing past them.

#include "../apps/scene/shot.h"

#include <math.h>
#include <string.h>
#include <unity.h>

static const double PI = 3.14159265358979323846;

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_camera camera_at(const pl_shot *shot, double time)
{
    pl_camera camera;
    pl_shot_camera(shot, time, NULL, &camera);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_camera_check(&camera), pl_error_text());
    return camera;
}

static double apart(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// --- Orbit ---

static void test_orbit(void)
{
    pl_shot shot = {.kind = PL_SHOT_ORBIT,
                    .fov_y = 0.5,
                    .target = {1, 2, 3},
                    .radius = 4,
                    .height = 2,
                    .azimuth = PI / 2,
                    .rate = 2 * PI / 5};
    pl_camera start = camera_at(&shot, 0), quarter = camera_at(&shot, 1.25);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(start.eye, (double[]){1, 6, 5}));
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(quarter.eye, (double[]){-3, 2, 5}));
    TEST_ASSERT_EQUAL_MEMORY(shot.target, quarter.target, sizeof shot.target);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(camera_at(&shot, 5).eye, start.eye));
    TEST_ASSERT_DOUBLE_WITHIN(1e-13, 0, apart(camera_at(&shot, 50).eye, start.eye));
    for (double t = 0; t < 5; t += 0.1) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, sqrt(20), apart(camera_at(&shot, t).eye, shot.target));
    }
}

static void test_around_a_camera(void)
{
    pl_camera camera = pl_camera_default();
    pl_shot shot = pl_shot_around(&camera, -0.3);
    pl_camera start = camera_at(&shot, 0), later = camera_at(&shot, 2);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(start.eye, camera.eye));
    pl_camera_orbit(&camera, -0.6, 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(later.eye, camera.eye));
    TEST_ASSERT_EQUAL_DOUBLE(camera.fov_y, later.fov_y);
}

// --- Follow ---

static void leader_at(double t, double x[3])
{
    x[0] = 3 * t, x[1] = -t, x[2] = 1 + 2 * t;
}

static pl_follower follow(double smoothing, int steps, double time)
{
    pl_follower f = {0};
    for (int i = 0; i <= steps; i++) {
        double x[3], t = time * i / steps;
        leader_at(t, x);
        pl_follower_move(&f, smoothing, t, x);
    }
    return f;
}

// Behind a leader of constant velocity v it is late by s (1 - exp(-t/s)) v, whatever the frames.
static void test_follower_does_not_depend_on_frames(void)
{
    const double s = 0.25, t = 0.7, v = sqrt(14);
    double leader[3];
    leader_at(t, leader);
    static const int steps[] = {1, 7, 24, 1000};
    for (int i = 0; i < 4; i++) {
        pl_follower f = follow(s, steps[i], t);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, s * (1 - exp(-t / s)) * v, apart(f.x, leader));
    }
}

// A leader that jumps: what is left of the distance is exp(-t/s).
static void test_follower_catches_up(void)
{
    const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0};
    pl_follower f = {0};
    pl_follower_move(&f, 0.5, 0, from);
    pl_follower_move(&f, 0.5, 1e-12, to);
    for (int i = 1; i <= 30; i++) pl_follower_move(&f, 0.5, i / 30.0, to);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1 - exp(-2), f.x[0]);
}

static void test_follower_without_smoothing(void)
{
    double leader[3];
    leader_at(0.7, leader);
    pl_follower f = follow(0, 5, 0.7);
    TEST_ASSERT_EQUAL_MEMORY(leader, f.x, sizeof leader);
    f = follow(1e-9, 5, 0.7);
    TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0, apart(leader, f.x));
    f = follow(1e9, 5, 0.7); // it hardly moves: t^2 v / (2 s)
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0, apart((double[]){0, 0, 1}, f.x));
    pl_follower again = f;
    pl_follower_move(&again, 0.1, 0.7, (double[]){9, 9, 9}); // no time has passed
    TEST_ASSERT_EQUAL_MEMORY(&f, &again, sizeof f);
}

static void test_follow(void)
{
    pl_shot shot = {.kind = PL_SHOT_FOLLOW, .fov_y = 0.5, .eye = {0, -5, 2}};
    const double subject[3] = {1, 1, 1};
    pl_camera camera;
    pl_shot_camera(&shot, 3, subject, &camera);
    TEST_ASSERT_EQUAL_MEMORY(subject, camera.target, sizeof subject);
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0, apart(camera.eye, (double[]){1, -4, 3}));
    shot.stands = true;
    pl_shot_camera(&shot, 3, subject, &camera);
    TEST_ASSERT_EQUAL_MEMORY(shot.eye, camera.eye, sizeof shot.eye);
    TEST_ASSERT_EQUAL_MEMORY(subject, camera.target, sizeof subject);
}

// --- Keyframes ---

enum { KEYS = 5 };

// The eye's x rises all the time, y goes there and back, z stays between two keys.
static pl_shot_key keys[KEYS] = {
    {0.5, {0, 0, 4}, {0, 0, 0}, 0.5}, {1, {1, 3, 4}, {0, 0, 0}, 0.5},
    {1.1, {5, 2, 1}, {0, 0, 1}, 0.1}, {3, {6, 1, 1}, {0, 0, 1}, 0.2},
    {4, {9, 0, 2}, {0, 0, 0}, 3.0},
};

static const pl_shot KEYED = {.kind = PL_SHOT_KEYFRAMES, .key = keys, .n_keys = KEYS};

static void test_keys_are_hit(void)
{
    for (int i = 0; i < KEYS; i++) {
        pl_camera camera = camera_at(&KEYED, keys[i].time);
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(camera.eye, keys[i].eye));
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, apart(camera.target, keys[i].target));
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, keys[i].fov_y, camera.fov_y);
    }
    pl_camera before = camera_at(&KEYED, -1), after = camera_at(&KEYED, 100);
    TEST_ASSERT_EQUAL_MEMORY(keys[0].eye, before.eye, sizeof before.eye);
    TEST_ASSERT_EQUAL_MEMORY(keys[KEYS - 1].eye, after.eye, sizeof after.eye);
}

// Numbers stay between those of the keys around them, and go one way only.
static void test_keys_are_not_passed(void)
{
    for (int i = 0; i + 1 < KEYS; i++) {
        double h = keys[i + 1].time - keys[i].time;
        pl_camera last = camera_at(&KEYED, keys[i].time);
        for (int j = 1; j <= 200; j++) {
            pl_camera now = camera_at(&KEYED, keys[i].time + h * j / 200);
            for (int k = 0; k < 3; k++) {
                double way = keys[i + 1].eye[k] - keys[i].eye[k];
                TEST_ASSERT_TRUE((now.eye[k] - last.eye[k]) * way >= -1e-14);
                if (way == 0) TEST_ASSERT_EQUAL_DOUBLE(keys[i].eye[k], now.eye[k]);
            }
            TEST_ASSERT_TRUE(now.fov_y >= 0.1 - 1e-15 && now.fov_y <= 3);
            last = now;
        }
    }
}

static double velocity(double time, double h, int k)
{
    return (camera_at(&KEYED, time + h).eye[k] - camera_at(&KEYED, time).eye[k]) / h;
}

// The velocity is the same just before and just after a key; at the first and the last it is 0.
static void test_keys_are_smooth(void)
{
    const double h = 1e-6, bound = 1e-2; // accelerations here stay below 5000
    for (int i = 0; i < KEYS; i++) {
        for (int k = 0; k < 3; k++) {
            double before = velocity(keys[i].time, -h, k), after = velocity(keys[i].time, h, k);
            TEST_ASSERT_DOUBLE_WITHIN(bound, before, after);
            if (i == 0 || i == KEYS - 1) TEST_ASSERT_DOUBLE_WITHIN(bound, 0, after);
        }
    }
    TEST_ASSERT_TRUE(velocity(1, h, 0) > 1); // x goes on through its keys
}

// Keys on a straight line, evenly in time: between the inner ones the camera goes evenly.
static void test_even_keys(void)
{
    pl_shot_key even[5] = {0};
    for (int i = 0; i < 5; i++) {
        even[i] = (pl_shot_key){.time = i, .eye = {i, 5, 1}, .fov_y = 0.5};
    }
    const pl_shot shot = {.kind = PL_SHOT_KEYFRAMES, .key = even, .n_keys = 5};
    for (double t = 1; t <= 3; t += 0.125) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, t, camera_at(&shot, t).eye[0]);
    }
}

static void test_a_single_key(void)
{
    const pl_shot shot = {.kind = PL_SHOT_KEYFRAMES, .key = keys, .n_keys = 1};
    for (double t = 0; t < 2; t += 0.5) {
        pl_camera camera = camera_at(&shot, t);
        TEST_ASSERT_EQUAL_MEMORY(keys[0].eye, camera.eye, sizeof camera.eye);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_orbit);
    RUN_TEST(test_around_a_camera);
    RUN_TEST(test_follower_does_not_depend_on_frames);
    RUN_TEST(test_follower_catches_up);
    RUN_TEST(test_follower_without_smoothing);
    RUN_TEST(test_follow);
    RUN_TEST(test_keys_are_hit);
    RUN_TEST(test_keys_are_not_passed);
    RUN_TEST(test_keys_are_smooth);
    RUN_TEST(test_even_keys);
    RUN_TEST(test_a_single_key);
    return UNITY_END();
}
