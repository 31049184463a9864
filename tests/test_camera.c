#include "../apps/scene/camera.h"

#include <math.h>
#include <unity.h>

static const double PI = 3.14159265358979323846;

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_camera camera_at(double x, double y, double z, double fov_degrees)
{
    pl_camera camera = pl_camera_default();
    camera.eye[0] = x, camera.eye[1] = y, camera.eye[2] = z;
    camera.fov_y = fov_degrees * PI / 180;
    return camera;
}

// Seen from (0, -10, 0) along +y with 90 degrees, the picture's half height at the target is 10 m.
static void test_known_points_land_on_known_pixels(void)
{
    pl_camera camera = camera_at(0, -10, 0, 90);
    double pixel[2];
    TEST_ASSERT_TRUE(pl_camera_project(&camera, 400, 200, (double[]){0, 0, 0}, pixel));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 200, pixel[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 100, pixel[1]);
    // 5 m right and 2 m up: half of 100 pixels, a fifth of 100 pixels.
    TEST_ASSERT_TRUE(pl_camera_project(&camera, 400, 200, (double[]){5, 0, 2}, pixel));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 250, pixel[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 80, pixel[1]);
    // Twice as far, half the offset.
    TEST_ASSERT_TRUE(pl_camera_project(&camera, 400, 200, (double[]){5, 10, 2}, pixel));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 225, pixel[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 90, pixel[1]);
    TEST_ASSERT_FALSE(pl_camera_project(&camera, 400, 200, (double[]){0, -11, 0}, pixel));
}

static void test_axes_are_orthonormal(void)
{
    pl_camera camera = camera_at(3, -2, 1, 30);
    double a[3][3];
    pl_camera_axes(&camera, a[0], a[1], a[2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dot = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
            TEST_ASSERT_DOUBLE_WITHIN(1e-14, i == j ? 1 : 0, dot);
        }
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-14, 0, a[0][2]); // the horizon is level
    TEST_ASSERT_TRUE(a[1][2] > 0);
}

// All corners inside the margins, and two opposite margins touched.
static void test_framing_a_box_fills_the_picture(void)
{
    const double lo[3] = {100, -3, 2}, hi[3] = {101, 4, 2.5}, direction[3] = {0.3, -0.8, 0.5};
    const double aspects[] = {0.5, 1, 16.0 / 9};
    for (int k = 0; k < 3; k++) {
        int32_t height = 900, width = (int32_t)(aspects[k] * height);
        double aspect = (double)width / height, margin = 0.1;
        pl_camera camera = pl_camera_default();
        TEST_ASSERT_EQUAL(PL_OK, pl_camera_frame(&camera, lo, hi, direction, aspect, margin));
        double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 8; i++) {
            double p[3] = {i & 1 ? hi[0] : lo[0], i & 2 ? hi[1] : lo[1], i & 4 ? hi[2] : lo[2]};
            double pixel[2];
            TEST_ASSERT_TRUE(pl_camera_project(&camera, width, height, p, pixel));
            for (int c = 0; c < 2; c++) {
                least[c] = fmin(least[c], pixel[c]);
                most[c] = fmax(most[c], pixel[c]);
            }
        }
        double size[2] = {width, height}, tightest = INFINITY;
        for (int c = 0; c < 2; c++) {
            double before = least[c] / size[c], after = 1 - most[c] / size[c];
            TEST_ASSERT_TRUE(before > margin - 1e-9 && after > margin - 1e-9);
            tightest = fmin(tightest, before + after);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2 * margin, tightest);
    }
}

static void test_framing_a_point_and_nothing(void)
{
    const double p[3] = {1, 2, 3}, direction[3] = {0, -1, 0.2};
    pl_camera camera = pl_camera_default();
    TEST_ASSERT_EQUAL(PL_OK, pl_camera_frame(&camera, p, p, direction, 1, 0));
    double pixel[2];
    TEST_ASSERT_TRUE(pl_camera_project(&camera, 100, 100, p, pixel));
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 50, pixel[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 50, pixel[1]);

    pl_camera before = camera;
    pl_framing framing;
    TEST_ASSERT_EQUAL(PL_OK, pl_framing_start(&framing, &camera, direction, 1, 0));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_framing_finish(&framing, &camera));
    TEST_ASSERT_EQUAL_MEMORY(&before, &camera, sizeof camera);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static void test_orbit_keeps_the_distance_and_stops_at_the_poles(void)
{
    pl_camera camera = camera_at(0, -4, 3, 30);
    pl_camera_orbit(&camera, PI / 2, 0);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4, camera.eye[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, camera.eye[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 3, camera.eye[2]);
    pl_camera_orbit(&camera, 0.3, 10);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, distance(camera.eye, camera.target));
    TEST_ASSERT_EQUAL(PL_OK, pl_camera_check(&camera));
    pl_camera_orbit(&camera, 0, -20);
    TEST_ASSERT_TRUE(camera.eye[2] < -4.9);
    TEST_ASSERT_EQUAL(PL_OK, pl_camera_check(&camera));
}

static void test_the_key_light_is_above_and_to_the_left(void)
{
    pl_camera camera = camera_at(0, -4, 1, 30);
    double key[3];
    pl_camera_key_light(&camera, key);
    TEST_ASSERT_TRUE(key[0] < 0 && key[1] < 0 && key[2] > 0.5);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, distance(key, (double[]){0, 0, 0}));
}

static void test_a_camera_above_stands_up_along_y(void)
{
    const double directions[3][3] = {{0, 0, 2}, {0, 0, -1}, {1, -1, 100}};
    for (int i = 0; i < 3; i++) {
        pl_camera camera = pl_camera_default();
        pl_camera_stand_up(&camera, directions[i]);
        const double up[3] = {0, i < 2, i == 2};
        for (int k = 0; k < 3; k++) TEST_ASSERT_EQUAL_DOUBLE(up[k], camera.up[k]);
        const double lo[3] = {0, 0, 0}, hi[3] = {1, 2, 3};
        TEST_ASSERT_EQUAL(PL_OK, pl_camera_frame(&camera, lo, hi, directions[i], 1, 0));
    }
}

static void test_an_eye_that_is_too_low_comes_up(void)
{
    pl_camera camera = camera_at(3, 4, -1, 30), high = camera_at(3, 4, 1, 30);
    pl_camera_stay_above(&high, 0.5);
    TEST_ASSERT_EQUAL_DOUBLE(1, high.eye[2]);
    pl_camera_stay_above(&camera, 0.5); // turned, in its own direction
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5, camera.eye[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4.0 / 3, camera.eye[1] / camera.eye[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 26, pow(hypot(camera.eye[0], camera.eye[1]), 2) + 0.25);
    TEST_ASSERT_EQUAL_DOUBLE(0, camera.target[2]);
    pl_camera_stay_above(&camera, 6); // out of reach
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 6, camera.eye[2]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5.5, camera.target[2]);
}

static void test_bad_cameras_are_refused(void)
{
    pl_camera camera = camera_at(0, 0, 0, 30);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_check(&camera)); // eye at the target
    camera = camera_at(0, 0, 5, 30);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_check(&camera)); // along `up`
    camera = camera_at(1, 0, 0, 180);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_check(&camera));
    camera = camera_at(NAN, 0, 0, 30);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_check(&camera));
    camera = camera_at(1, 0, 0, 30);
    const double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, zero[3] = {0, 0, 0}, side[3] = {1, 0, 0};
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_frame(&camera, lo, hi, zero, 1, 0));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_frame(&camera, lo, hi, side, 0, 0));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_camera_frame(&camera, lo, hi, side, 1, 0.5));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_known_points_land_on_known_pixels);
    RUN_TEST(test_axes_are_orthonormal);
    RUN_TEST(test_framing_a_box_fills_the_picture);
    RUN_TEST(test_framing_a_point_and_nothing);
    RUN_TEST(test_orbit_keeps_the_distance_and_stops_at_the_poles);
    RUN_TEST(test_an_eye_that_is_too_low_comes_up);
    RUN_TEST(test_the_key_light_is_above_and_to_the_left);
    RUN_TEST(test_a_camera_above_stands_up_along_y);
    RUN_TEST(test_bad_cameras_are_refused);
    return UNITY_END();
}
