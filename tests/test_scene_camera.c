// The camera of a scene: its own, one that sees all bodies, or the default.

#include "../apps/scene/scene_camera.h"
#include "worlds.h"

#include <math.h>

static const double LO[3] = {-1, -2, 0}, HI[3] = {3, 1, 5};

void setUp(void)
{
}

void tearDown(void)
{
}

static pl_camera camera_of(const pl_scene *scene, const double lo[3], const double hi[3])
{
    pl_camera camera;
    pl_status status = pl_scene_camera(scene, lo, hi, PL_DEFAULT_SIGHT, 16.0 / 9, &camera);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_camera_check(&camera));
    return camera;
}

static void test_the_scenes_own(void)
{
    pl_scene_shot own = {.shot = {.eye = {1, 2, 3}, .target = {4, 5, 6}, .fov_y = 0.7}};
    pl_scene scene = {.shots = &own, .n_shots = 1};
    pl_camera camera = camera_of(&scene, LO, HI);
    TEST_ASSERT_EQUAL_MEMORY(own.shot.eye, camera.eye, sizeof camera.eye);
    TEST_ASSERT_EQUAL_MEMORY(own.shot.target, camera.target, sizeof camera.target);
    TEST_ASSERT_EQUAL_DOUBLE(0.7, camera.fov_y);
    TEST_ASSERT_EQUAL_DOUBLE(1, camera.up[2]);
    const double above[3] = {4, 5, 20}; // straight down, y is up
    memcpy(own.shot.eye, above, sizeof above);
    TEST_ASSERT_EQUAL_DOUBLE(1, camera_of(&scene, LO, HI).up[1]);
}

static void test_sees_all(void)
{
    pl_scene scene = {0};
    pl_camera camera = camera_of(&scene, LO, HI);
    for (int corner = 0; corner < 8; corner++) {
        double p[3], pixel[2];
        for (int k = 0; k < 3; k++) p[k] = corner >> k & 1 ? HI[k] : LO[k];
        TEST_ASSERT_TRUE(pl_camera_project(&camera, 1600, 900, p, pixel));
        TEST_ASSERT_TRUE(pixel[0] > 0 && pixel[0] < 1600 && pixel[1] > 0 && pixel[1] < 900);
    }
    double along = 0;
    for (int k = 0; k < 3; k++) along += (camera.eye[k] - camera.target[k]) * PL_DEFAULT_SIGHT[k];
    TEST_ASSERT_TRUE(along > 0);
}

static void test_nothing_to_see(void)
{
    const double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    pl_scene scene = {0};
    pl_camera camera = camera_of(&scene, lo, hi), expected = pl_camera_default();
    TEST_ASSERT_EQUAL_MEMORY(expected.eye, camera.eye, sizeof camera.eye);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_the_scenes_own);
    RUN_TEST(test_sees_all);
    RUN_TEST(test_nothing_to_see);
    return UNITY_END();
}
