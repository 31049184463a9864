#include "../apps/render/cutaway.h"

#include <string.h>
#include "failing_alloc.h"
#include <unity.h>

// Two tets that share the face (0, 1, 2) in the plane z = 0; one above, one below.
static const double X[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1, 0.2, 0.2, -2};
static const int32_t TET[] = {0, 1, 2, 3, 0, 2, 1, 4};
static const double UP[3] = {0, 0, 1};
static pl_mesh *mesh;

void setUp(void)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, X, 0, NULL, 2, TET, &mesh));
}

void tearDown(void)
{
    pl_set_allocator(NULL);
    pl_mesh_destroy(mesh);
}

static double volume(const pl_cutaway *cut)
{
    pl_mesh *surface;
    TEST_ASSERT_EQUAL(
        PL_OK, pl_mesh_create(cut->n_vert, cut->x, cut->n_face, cut->face, 0, NULL, &surface));
    double v = pl_mesh_volume(surface);
    pl_mesh_destroy(surface);
    return v;
}

static int count_color(const pl_cutaway *cut, const uint8_t color[3])
{
    int n = 0;
    for (int32_t f = 0; f < cut->n_face; f++) n += memcmp(cut->face_color + 3 * f, color, 3) == 0;
    return n;
}

static void test_half_shows_the_face_inside(void)
{
    pl_cutaway_options options = pl_cutaway_options_default(mesh, UP);
    options.point[2] = 0;
    pl_cutaway cut;
    TEST_ASSERT_EQUAL(PL_OK, pl_cutaway_make(mesh, &options, &cut));
    TEST_ASSERT_EQUAL(4, cut.n_face);
    TEST_ASSERT_EQUAL(4, cut.n_vert); // the removed tip is not among them
    TEST_ASSERT_EQUAL(3, count_color(&cut, options.outer_color));
    TEST_ASSERT_EQUAL(1, count_color(&cut, options.inner_color));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 1.0 / 3, volume(&cut)); // of the lower tet, so faces look out
    pl_cutaway_free(&cut);
}

static void test_whole_has_no_inner_face(void)
{
    pl_cutaway_options options = pl_cutaway_options_default(mesh, UP);
    options.point[2] = 5;
    pl_cutaway cut;
    TEST_ASSERT_EQUAL(PL_OK, pl_cutaway_make(mesh, &options, &cut));
    TEST_ASSERT_EQUAL(6, cut.n_face);
    TEST_ASSERT_EQUAL(6, count_color(&cut, options.outer_color));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5, volume(&cut));
    pl_cutaway_free(&cut);
}

static void test_shrunken_tets_stand_apart(void)
{
    pl_cutaway_options options = pl_cutaway_options_default(mesh, UP);
    options.point[2] = 5;
    options.shrink = 0.5;
    pl_cutaway cut;
    TEST_ASSERT_EQUAL(PL_OK, pl_cutaway_make(mesh, &options, &cut));
    TEST_ASSERT_EQUAL(8, cut.n_vert);
    TEST_ASSERT_EQUAL(8, cut.n_face);
    TEST_ASSERT_EQUAL(2, count_color(&cut, options.inner_color));
    TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.5 / 8, volume(&cut));
    pl_cutaway_free(&cut);
}

static void test_bad_requests_are_refused(void)
{
    pl_cutaway_options options = pl_cutaway_options_default(mesh, UP);
    pl_cutaway cut;
    options.point[2] = -9;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_cutaway_make(mesh, &options, &cut));
    options.shrink = 1;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_cutaway_make(mesh, &options, &cut));
    options = pl_cutaway_options_default(mesh, (double[]){0, 0, 0});
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_cutaway_make(mesh, &options, &cut));
    TEST_ASSERT_NULL(cut.x);
    pl_mesh *points;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(5, X, 0, NULL, 0, NULL, &points));
    options = pl_cutaway_options_default(points, UP);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_cutaway_make(points, &options, &cut));
    pl_mesh_destroy(points);
}

static pl_status cut_and_free(void *user)
{
    pl_cutaway cut;
    pl_status status = pl_cutaway_make(mesh, user, &cut);
    TEST_ASSERT_EQUAL(status == PL_OK, cut.face != NULL);
    pl_cutaway_free(&cut);
    return status;
}

static void test_every_failed_allocation_is_reported(void)
{
    for (int shrink = 0; shrink < 2; shrink++) {
        pl_cutaway_options options = pl_cutaway_options_default(mesh, UP);
        options.shrink = 0.2 * shrink;
        TEST_ASSERT_GREATER_OR_EQUAL_INT64(5, fail_each_allocation(cut_and_free, &options));
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_half_shows_the_face_inside);
    RUN_TEST(test_whole_has_no_inner_face);
    RUN_TEST(test_shrunken_tets_stand_apart);
    RUN_TEST(test_bad_requests_are_refused);
    RUN_TEST(test_every_failed_allocation_is_reported);
    return UNITY_END();
}
