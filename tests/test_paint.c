// Bodies of a small scene in their colours. Without an OpenGL driver all are ignored.

#include "../apps/render/colormap.h"
#include "../apps/render/paint.h"

#include <math.h>
#include "failing_alloc.h"
#include "worlds.h"

static pl_gl_context *context;
static char no_context[256];

static pl_scene scene;
static pl_world *world;
static pl_export_bodies bodies;
static pl_renderer *renderer;
static pl_image image;
static pl_paint paint;

// A soft box that is pressed on by a rigid one, on the ground; and one that is only drawn.
static const char SCENE[] =
    "{\"world\": {\"dt\": 0.005}, \"bodies\": ["
    "{\"mesh\": \"box:cells=2,2,2\", \"position\": [0, 0, 0.5001], \"velocity\": [0, 0, -0.01]},"
    "{\"mesh\": \"box:size=0.6,0.6,0.6\", \"position\": [0, 0, 1.3005], \"type\": \"rigid\"},"
    "{\"mesh\": \"box:size=0.5,0.5,0.5\", \"position\": [2, 0, 0.5], \"material\": null}]}";

void setUp(void)
{
    if (context == NULL) TEST_IGNORE_MESSAGE(no_context);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(SCENE, "test", &scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    step(world, 12);
    TEST_ASSERT_EQUAL(PL_OK, pl_export_bodies_make(&scene, &bodies));
    pl_export_bodies_move(&bodies, world);
    pl_renderer_options options = pl_renderer_options_default();
    options.width = 320;
    options.height = 180;
    options.passes = 2;
    options.shadow_size = 128;
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_create(context, &options, &renderer));
    for (int32_t i = 0; i < bodies.n; i++) {
        const pl_export_body *body = &bodies.body[i];
        pl_draw_body look = pl_draw_body_default(i);
        look.n_vert = body->n_vert, look.n_face = body->n_face;
        look.x = bodies.x + 3 * body->vert;
        look.face = bodies.face + 3 * body->face;
        TEST_ASSERT_EQUAL(PL_OK, pl_renderer_add_body(renderer, &look, NULL));
    }
}

void tearDown(void)
{
    fail_never();
    pl_paint_free(&paint);
    pl_renderer_destroy(renderer);
    renderer = NULL;
    pl_export_bodies_free(&bodies);
    pl_world_destroy(world);
    world = NULL;
    pl_scene_free(&scene);
    scene = (pl_scene){0};
    pl_image_free(&image);
}

static void apply(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_paint_bodies(&paint, renderer, &bodies, world),
                              pl_error_text());
}

// The colour of the picture where a point is seen.
static const uint8_t *color_at(double x, double y, double z)
{
    pl_camera camera = pl_camera_default();
    double at[2];
    camera.eye[0] = 1, camera.eye[1] = -8, camera.eye[2] = 3;
    camera.target[0] = 1, camera.target[2] = 0.8;
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_draw(renderer, &camera, &image));
    TEST_ASSERT_TRUE(
        pl_camera_project(&camera, image.width, image.height, (double[]){x, y, z}, at));
    return image.rgba + 4 * ((int)at[1] * image.width + (int)at[0]);
}

static void test_a_quantity_colours_the_bodies_that_have_it(void)
{
    paint.quantity = PL_QUANTITY_STRESS;
    uint8_t rigid[3], drawn[3], soft[3];
    memcpy(rigid, color_at(0, -0.3, 1.3), 3);
    memcpy(drawn, color_at(2, -0.25, 0.5), 3);
    memcpy(soft, color_at(0.2, -0.5, 0.6), 3);
    apply();
    TEST_ASSERT_TRUE(paint.end > 100);
    TEST_ASSERT_EQUAL_UINT8_ARRAY(rigid, color_at(0, -0.3, 1.3), 3);
    TEST_ASSERT_EQUAL_UINT8_ARRAY(drawn, color_at(2, -0.25, 0.5), 3);
    const uint8_t *now = color_at(0.2, -0.5, 0.6);
    TEST_ASSERT_TRUE(abs(now[0] - soft[0]) + abs(now[1] - soft[1]) + abs(now[2] - soft[2]) > 60);
}

static void test_the_range_grows_and_a_given_one_stays(void)
{
    paint.quantity = PL_QUANTITY_SPEED;
    paint.end = 100;
    apply();
    TEST_ASSERT_EQUAL_DOUBLE(100, paint.end);
    paint.end = 0;
    apply();
    TEST_ASSERT_TRUE(paint.end > 0 && paint.end < 1);
    paint.fixed = true;
    paint.end = 1e-6;
    apply();
    TEST_ASSERT_EQUAL_DOUBLE(1e-6, paint.end);
}

static void test_contacts_become_arrows(void)
{
    paint.contacts = true;
    apply();
    int32_t n;
    pl_world_contacts(world, &n);
    TEST_ASSERT_GREATER_THAN(0, n);
    TEST_ASSERT_GREATER_OR_EQUAL(n, paint.arrows.n_face / 48);
    TEST_ASSERT_TRUE(paint.typical > 0 && paint.size > 2);
}

static void test_a_body_that_is_drawn_otherwise_keeps_its_colour(void)
{
    static const int32_t face[] = {0, 1, 2};
    pl_draw_body cut = pl_draw_body_default(0);
    cut.n_vert = 3, cut.n_face = 1;
    cut.x = bodies.x, cut.face = face;
    pl_renderer_clear(renderer);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_add_body(renderer, &cut, NULL));
    paint.quantity = PL_QUANTITY_STRESS;
    apply();
}

static void test_legends(void)
{
    color_at(0, 0, 0);
    pl_image before = image;
    image = (pl_image){0};
    color_at(0, 0, 0);
    size_t size = 4 * (size_t)image.width * (size_t)image.height;
    pl_paint_legend(&paint, &image); // nothing to tell
    int same = memcmp(before.rgba, image.rgba, size);
    paint.quantity = PL_QUANTITY_PRESSURE;
    paint.contacts = true;
    apply();
    pl_paint_legend(&paint, &image);
    int corner[2] = {0, 0};
    for (int y = 0; y < 180; y++) {
        for (int x = 160; x < 320; x++) {
            corner[y >= 90] +=
                memcmp(before.rgba + 4 * (y * 320 + x), image.rgba + 4 * (y * 320 + x), 4) != 0;
        }
    }
    pl_image_free(&before);
    TEST_ASSERT_EQUAL(0, same);
    TEST_ASSERT_TRUE(corner[0] > 500 && corner[1] > 500);
}

static pl_status paint_anew(void *user)
{
    (void)user;
    pl_paint fresh = {.quantity = PL_QUANTITY_STRESS, .contacts = true};
    pl_renderer_set_marks(renderer, NULL); // of an earlier turn
    pl_status status = pl_paint_bodies(&fresh, renderer, &bodies, world);
    pl_renderer_set_marks(renderer, NULL);
    pl_paint_free(&fresh);
    return status;
}

static void test_failing_memory_is_reported(void)
{
    TEST_ASSERT_GREATER_THAN_INT64(8, fail_each_allocation(paint_anew, NULL));
}

int main(void)
{
    if (pl_gl_context_create(&context) != PL_OK) {
        snprintf(no_context, sizeof no_context, "%s", pl_error_text());
    }
    UNITY_BEGIN();
    RUN_TEST(test_a_quantity_colours_the_bodies_that_have_it);
    RUN_TEST(test_the_range_grows_and_a_given_one_stays);
    RUN_TEST(test_contacts_become_arrows);
    RUN_TEST(test_a_body_that_is_drawn_otherwise_keeps_its_colour);
    RUN_TEST(test_legends);
    RUN_TEST(test_failing_memory_is_reported);
    pl_gl_context_destroy(context);
    return UNITY_END();
}
