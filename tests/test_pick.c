// Rays through a picture, and what they hit.

#include "../apps/view/pick.h"
#include "pliant.h"

#include <math.h>
#include <string.h>
#include <unity.h>

void setUp(void)
{
}
void tearDown(void)
{
}

static void test_a_ray_goes_through_what_is_seen_there(void)
{
    pl_camera camera = pl_camera_default();
    const double points[3][3] = {{0, 0, 0}, {0.7, -0.4, 0.9}, {-1.1, 0.3, -0.2}};
    for (int i = 0; i < 3; i++) {
        double pixel[2], along = 0, off = 0;
        TEST_ASSERT_TRUE(pl_camera_project(&camera, 640, 360, points[i], pixel));
        pl_ray ray = pl_pick_ray(&camera, 640, 360, pixel[0], pixel[1]);
        for (int k = 0; k < 3; k++) along += (points[i][k] - ray.origin[k]) * ray.direction[k];
        for (int k = 0; k < 3; k++) {
            off = fmax(off, fabs(ray.origin[k] + along * ray.direction[k] - points[i][k]));
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0, off);
        double there[3];
        TEST_ASSERT_TRUE(pl_pick_plane(&ray, &camera, points[i], there));
        for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-12, points[i][k], there[k]);
    }
}

static void test_the_nearest_face_is_hit(void)
{
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make("box:size=1,1,1", &mesh));
    pl_mesh *surface;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &surface));
    const double *x = pl_mesh_positions(surface);
    const int32_t *face = pl_mesh_faces(surface);
    int32_t n = pl_mesh_face_count(surface);
    pl_ray ray = {{0.2, -5, 0.1}, {0, 1, 0}};
    pl_hit hit = {.distance = INFINITY};
    TEST_ASSERT_TRUE(pl_pick_faces(&ray, n, face, x, &hit));
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 4.5, hit.distance);
    double at[3] = {0}, sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += hit.weight[i];
        for (int k = 0; k < 3; k++) at[k] += hit.weight[i] * x[3 * face[3 * hit.face + i] + k];
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, sum);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, at[0]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, -0.5, at[1]);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.1, at[2]);
    hit = (pl_hit){.distance = 4.4}; // something else is nearer
    TEST_ASSERT_FALSE(pl_pick_faces(&ray, n, face, x, &hit));
    ray = (pl_ray){{0.2, -5, 0.1}, {0, -1, 0}}; // behind the eye
    hit = (pl_hit){.distance = INFINITY};
    TEST_ASSERT_FALSE(pl_pick_faces(&ray, n, face, x, &hit));
    ray = (pl_ray){{0.2, -5, 0.6}, {0, 1, 0}}; // above
    TEST_ASSERT_FALSE(pl_pick_faces(&ray, n, face, x, &hit));
    const double flat[9] = {0};
    TEST_ASSERT_FALSE(pl_pick_faces(&ray, 1, (int32_t[]){0, 1, 2}, flat, &hit));
    pl_mesh_destroy(surface);
    pl_mesh_destroy(mesh);
}

static void test_a_plane_behind_or_along_is_not_met(void)
{
    pl_camera camera = pl_camera_default();
    pl_ray ray = pl_pick_ray(&camera, 640, 360, 320, 180);
    double out[3];
    const double behind[3] = {6, -8, 5};
    TEST_ASSERT_FALSE(pl_pick_plane(&ray, &camera, behind, out));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_ray_goes_through_what_is_seen_there);
    RUN_TEST(test_the_nearest_face_is_hit);
    RUN_TEST(test_a_plane_behind_or_along_is_not_met);
    return UNITY_END();
}
