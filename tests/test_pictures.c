// Pictures against references: what a change of the renderer does to them must be wanted. They hold
// no simulated state, so that a change of the physics leaves them alone. Without an OpenGL driver
// all are ignored.

#include "../apps/render/arrows.h"
#include "../apps/render/colormap.h"
#include "../apps/render/legend.h"
#include "../apps/render/overlay.h"
#include "../apps/render/renderer.h"

#include <epoxy/gl.h>
#include <math.h>
#include "pictures.h"

enum { W = 160, H = 96 };

static pl_gl_context *context;
static char no_context[256];
static pl_renderer *renderer;
static pl_image image;
static pl_camera camera;

void setUp(void)
{
    if (context == NULL) TEST_IGNORE_MESSAGE(no_context);
    pl_renderer_options options = pl_renderer_options_default();
    options.width = W;
    options.height = H;
    options.passes = 24;
    options.shadow_size = 512;
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_create(context, &options, &renderer));
    camera = pl_camera_default();
    double light[3];
    camera.eye[0] = 2, camera.eye[1] = -4.6, camera.eye[2] = 2.2;
    camera.target[0] = 0.2, camera.target[1] = 0, camera.target[2] = 0.45;
    pl_camera_key_light(&camera, light);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_key_light(renderer, light));
}

void tearDown(void)
{
    pl_renderer_destroy(renderer);
    renderer = NULL;
    pl_image_free(&image);
}

// Adds a shape at (x, y, z), coloured by height if asked for.
static void add(const char *shape, double x, double y, double z, pl_draw_body look, bool by_height)
{
    pl_mesh *mesh, *surface;
    const double place[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_make(shape, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, place));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_surface(mesh, NULL, &surface));
    look.n_vert = pl_mesh_vertex_count(surface);
    look.n_face = pl_mesh_face_count(surface);
    look.x = pl_mesh_positions(surface);
    look.face = pl_mesh_faces(surface);
    int32_t index;
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_add_body(renderer, &look, &index));
    TEST_ASSERT_EQUAL(look.n_vert, pl_renderer_vertex_count(renderer, index));
    if (by_height) {
        double *height = malloc((size_t)look.n_vert * sizeof *height);
        uint8_t *rgb = malloc(3 * (size_t)look.n_vert);
        for (int32_t v = 0; v < look.n_vert; v++) height[v] = look.x[3 * v + 2];
        pl_colormap_values(look.n_vert, height, 0, 1.2, rgb);
        TEST_ASSERT_EQUAL(PL_OK, pl_renderer_color_body(renderer, index, rgb));
        free(height);
        free(rgb);
    }
    pl_mesh_destroy(mesh);
    pl_mesh_destroy(surface);
}

static const char BALL[] = "icosphere:radius=0.5:level=3:shells=1";
static const char TORUS[] = "torus:radius=0.6:tube=0.2:around=40:sides=16:rings=1";
static const char BOX[] = "box:size=0.8,0.8,0.8:cells=3,3,3";

static void draw(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_renderer_draw(renderer, &camera, &image), pl_error_text());
}

static void test_solid_bodies(void)
{
    add(BALL, -0.6, 0, 0.5, pl_draw_body_default(0), false);
    add(BOX, 0.8, 0, 0.4, pl_draw_body_default(1), false);
    add(TORUS, 0.3, -1.1, 0.2, pl_draw_body_default(2), false);
    draw();
    expect_picture(&image, "solid");
}

static void test_transparent_bodies(void)
{
    pl_draw_body glass = pl_draw_body_default(0);
    glass.opacity = 0.35F;
    add(TORUS, 0.2, 0, 0.6, glass, false);
    add(BALL, 0.2, 0, 0.5, pl_draw_body_default(3), false);
    draw();
    expect_picture(&image, "transparent");
}

// How much a pixel differs from those around it, in the mean over 9 x 9 pixels around a place
// [levels].
static double grain_at(const double place[3])
{
    double pixel[2], sum = 0;
    TEST_ASSERT_TRUE(pl_camera_project(&camera, W, H, place, pixel));
    for (int i = 0; i < 81; i++) {
        int x = (int)pixel[0] + i % 9 - 4, y = (int)pixel[1] + i / 9 - 4;
        sum += fabs(image.rgba[4 * (y * W + x) + 1] - blurred(image.rgba, W, H, x, y, 1));
    }
    return sum / 81;
}

// A glass plate in the air over a floor: 24 passes are few, and still neither the plate nor its
// shadow is grainy.
static void test_glass_is_smooth(void)
{
    pl_renderer_options options = pl_renderer_options_default();
    options.width = W;
    options.height = H;
    options.passes = 24;
    options.floor_z = 0;
    pl_renderer_destroy(renderer);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_create(context, &options, &renderer));
    pl_draw_body glass = pl_draw_body_default(0);
    glass.opacity = 0.35F;
    double light[3];
    pl_camera_key_light(&camera, light);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_key_light(renderer, light));
    const double z = 0.6, plate[3] = {0, 0, z},
                 shadow[3] = {-z / light[2] * light[0] + 0.3, -z / light[2] * light[1], 0};
    add("box:size=1.4,1.4,0.05", plate[0], plate[1], plate[2], glass, false);
    draw();
    const double limit = 2; // 1.2 and 0.9; with a random choice per pixel 3.4 and 7.1
    TEST_ASSERT_TRUE_MESSAGE(grain_at(plate) < limit, "the plate");
    TEST_ASSERT_TRUE_MESSAGE(grain_at(shadow) < limit, "its shadow");
}

static void test_wireframes_and_edges(void)
{
    pl_draw_body wires = pl_draw_body_default(4), edges = pl_draw_body_default(5);
    wires.wireframe = true;
    wires.edge_width = 6;
    edges.edge_width = 6;
    edges.crease = 0;
    add(BOX, -0.5, 0, 0.4, wires, false);
    add(BOX, 0.9, 0, 0.4, edges, false);
    draw();
    expect_picture(&image, "wireframe");
}

static void test_colours_with_a_legend(void)
{
    add(BALL, -0.6, 0, 0.5, pl_draw_body_default(0), true);
    add(TORUS, 0.5, 0, 0.2, pl_draw_body_default(1), true);
    draw();
    pl_legend_draw(&image, "height", "m", 0, 1.2);
    expect_picture(&image, "colours");
}

static void set_arrows(void)
{
    pl_arrows arrows = {0};
    pl_draw_body marks;
    const double at[3] = {-0.2, -0.3, 0.5}, up[3] = {-0.2, -0.3, 1.1}, side[3] = {0.5, -0.3, 0.5},
                 far[3] = {-0.9, -0.3, 0.3};
    TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add(&arrows, at, up, 0.03, PL_ARROW_NORMAL));
    TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add(&arrows, at, side, 0.03, PL_ARROW_STICK));
    TEST_ASSERT_EQUAL(PL_OK, pl_arrows_add(&arrows, at, far, 0.03, PL_ARROW_SLIP));
    TEST_ASSERT_TRUE(pl_arrows_body(&arrows, &marks));
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_marks(renderer, &marks));
    pl_arrows_free(&arrows);
}

// They are seen through the ball in which they begin, and take no part in the bounds.
static void test_arrows_are_in_front_of_all(void)
{
    double lo[3], hi[3];
    add(BALL, -0.2, 0, 0.5, pl_draw_body_default(7), false);
    set_arrows();
    TEST_ASSERT_TRUE(pl_renderer_bounds(renderer, lo, hi));
    TEST_ASSERT_TRUE(hi[2] < 1.01);
    draw();
    expect_picture(&image, "arrows");
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_marks(renderer, NULL));
    pl_image with = image;
    image = (pl_image){0};
    draw();
    difference gone = compare(with.rgba, image.rgba, W, H);
    pl_image_free(&with);
    TEST_ASSERT_FALSE(alike(gone));
}

// --- For windows ---

static GLuint framebuffer, buffer;

static void open_window(void)
{
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, W, H);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
}

static void close_window(void)
{
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &buffer);
}

static bool preview(void)
{
    bool done = false;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_renderer_preview(renderer, &camera, framebuffer, &done),
                              pl_error_text());
    return done;
}

static void read_window(pl_image *out)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(out, W, H));
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, W, H, GL_RGBA, GL_UNSIGNED_BYTE, out->rgba);
    pl_image_flip(out);
}

static void fill_window(void)
{
    pl_draw_body glass = pl_draw_body_default(0), wires = pl_draw_body_default(4);
    glass.opacity = 0.4F;
    wires.wireframe = true;
    add(BALL, -0.6, 0, 0.5, pl_draw_body_default(1), false);
    add(BOX, 0.8, 0, 0.4, wires, false);
    add(TORUS, 0.3, -1.1, 0.2, glass, false);
    set_arrows();
}

static void test_the_quick_picture(void)
{
    open_window();
    fill_window();
    TEST_ASSERT_FALSE(preview());
    read_window(&image);
    close_window();
    for (int i = 0; i < W * H; i++) TEST_ASSERT_EQUAL(255, image.rgba[4 * i + 3]);
    expect_picture(&image, "quick");
}

// A renderer whose floor lies at z = 0, wherever the bodies are.
static void lay_floor(double light[3])
{
    pl_renderer_options options = pl_renderer_options_default();
    options.width = W;
    options.height = H;
    options.floor_z = 0;
    pl_renderer_destroy(renderer);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_create(context, &options, &renderer));
    pl_camera_key_light(&camera, light);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_key_light(renderer, light));
}

static void read_quick(void)
{
    open_window();
    preview();
    read_window(&image);
    close_window();
}

// The red of the pixel where a place is seen; without a shadow the floor has about 237.
static int red_at(double x, double y, double z)
{
    const double place[3] = {x, y, z};
    double pixel[2];
    TEST_ASSERT_TRUE(pl_camera_project(&camera, W, H, place, pixel));
    return image.rgba[4 * ((int)pixel[1] * W + (int)pixel[0])];
}

// What a body in the air throws its shadow on lies behind its box, as the eye sees it. The floor
// straight below is out of its reach.
static void test_the_quick_shadow_of_a_body_in_the_air(void)
{
    const double z = 1.2;
    double light[3];
    lay_floor(light);
    add(BALL, 0, 0, z, pl_draw_body_default(0), false);
    read_quick();
    int shadow = red_at(-z / light[2] * light[0], -z / light[2] * light[1], 0);
    TEST_ASSERT_TRUE_MESSAGE(shadow < 190, "no shadow");
    TEST_ASSERT_INT_WITHIN(6, 237, red_at(0, 0, 0));
}

// As in the full picture: of a box that reaches far below the floor only the upper part, and of a
// slab that is all below neither itself nor its shade.
static void test_the_quick_picture_hides_what_is_below_the_floor(void)
{
    enum { BOX_POINTS = 2, N = BOX_POINTS + 9 };
    const double below[BOX_POINTS][3] = {{0.9, -0.4, -0.7}, {1.2, -0.4, -0.6}};
    double light[3], at[N][3];
    int full[N];
    for (int i = 0; i < N; i++) {
        int k = i - BOX_POINTS;
        const double floor[3] = {-1.4 + 0.4 * (k % 3), 0.4 * (k / 3), 0};
        memcpy(at[i], k < 0 ? below[i] : floor, sizeof at[i]);
    }
    pl_draw_body blue = pl_draw_body_default(0);
    blue.color[0] = 0.2F;
    lay_floor(light);
    add("box:size=0.8,0.8,2.4", 0.9, 0, 0, blue, false);
    add("box:size=1.2,1.2,0.4", -1, 0.4, -0.3, blue, false);
    draw();
    for (int i = 0; i < N; i++) full[i] = red_at(at[i][0], at[i][1], at[i][2]);
    read_quick();
    TEST_ASSERT_TRUE_MESSAGE(red_at(0.9, -0.4, 0.6) < full[0] - 20, "no box above the floor");
    for (int i = 0; i < N; i++) {
        const char *what = i < BOX_POINTS ? "the box shows" : "the slab darkens the floor";
        TEST_ASSERT_INT_WITHIN_MESSAGE(8, full[i], red_at(at[i][0], at[i][1], at[i][2]), what);
    }
}

// Without a change the window comes to be the full picture; any change starts anew.
static void test_a_window_refines_and_starts_anew(void)
{
    pl_image shown = {0}, quick = {0};
    int calls = 1;
    open_window();
    fill_window();
    preview();
    read_window(&quick);
    while (!preview()) calls++;
    TEST_ASSERT_EQUAL(24, calls);
    read_window(&shown);
    TEST_ASSERT_TRUE(preview()); // and stays
    read_window(&image);
    TEST_ASSERT_EQUAL_MEMORY(shown.rgba, image.rgba, 4 * W * H);
    camera.eye[0] += 0.1;
    TEST_ASSERT_FALSE(preview());
    camera.eye[0] -= 0.1;
    TEST_ASSERT_FALSE(preview());
    read_window(&image);
    TEST_ASSERT_EQUAL_MEMORY(quick.rgba, image.rgba, 4 * W * H); // the same calls, the same bytes
    while (!preview()) {
    }
    pl_draw_style style = {.opacity = 1};
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_style_body(renderer, 1, &style));
    TEST_ASSERT_FALSE(preview());
    style.wireframe = true;
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_style_body(renderer, 1, &style));
    draw(); // into an image, in between
    TEST_ASSERT_FALSE(preview());
    close_window();
    difference d = compare(shown.rgba, image.rgba, W, H);
    pl_image_free(&shown);
    pl_image_free(&quick);
    TEST_ASSERT_TRUE(alike(d));
}

static void test_an_empty_window_is_background(void)
{
    open_window();
    for (int i = 0; i < 3; i++) preview();
    read_window(&image);
    close_window();
    const uint8_t *middle = image.rgba + 4 * (H / 2 * W + W / 2);
    static const uint8_t background[] = {237, 240, 242};
    for (int c = 0; c < 3; c++) TEST_ASSERT_INT_WITHIN(1, background[c], middle[c]);
}

static void test_an_overlay_is_blended_over_the_window(void)
{
    pl_image overlay = {0}, before = {0};
    open_window();
    fill_window();
    preview();
    read_window(&before);
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&overlay, W - 40, H - 30)); // need not fit
    pl_overlay_clear(&overlay);
    pl_overlay_rectangle(&overlay, 5, 5, 90, 30, 4, (pl_ink){20, 24, 30, 170});
    pl_overlay_text(&overlay, 10, 8, 16, (pl_ink){255, 255, 255, 255}, "60.0 / s");
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_show(renderer, &overlay, framebuffer));
    read_window(&image);
    pl_overlay_rectangle(&before, 5, 5, 90, 30, 4, (pl_ink){20, 24, 30, 170});
    pl_overlay_text(&before, 10, 8, 16, (pl_ink){255, 255, 255, 255}, "60.0 / s");
    int most = 0;
    for (int i = 0; i < W * H; i++) {
        for (int c = 0; c < 3; c++) {
            most = PL_MAX(most, abs(image.rgba[4 * i + c] - before.rgba[4 * i + c]));
        }
    }
    close_window();
    pl_image_free(&overlay);
    pl_image_free(&before);
    TEST_ASSERT_LESS_OR_EQUAL(3, most);
}

static void test_bad_styles_and_indices_are_refused(void)
{
    add(BALL, 0, 0, 0.5, pl_draw_body_default(0), false);
    pl_draw_style style = {.opacity = 0};
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_style_body(renderer, 0, &style));
    style.opacity = 1;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_style_body(renderer, 1, &style));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_color_body(renderer, -1, NULL));
    TEST_ASSERT_EQUAL(0, pl_renderer_vertex_count(renderer, 1));
    pl_camera blind = camera;
    blind.fov_y = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_preview(renderer, &blind, 0, NULL));
}

// --- The measure itself ---

static void test_the_measure_forgives_grain_and_not_more(void)
{
    add(BALL, -0.6, 0, 0.5, pl_draw_body_default(0), false);
    add(BOX, 0.8, 0, 0.4, pl_draw_body_default(1), false);
    draw();
    uint8_t *other = malloc(4 * W * H);
    uint32_t random = 1;
    for (int i = 0; i < 4 * W * H; i++) {
        random = random * 1664525U + 1013904223U;
        int level = image.rgba[i] + (int)(random >> 24) % 7 - 3;
        other[i] = (uint8_t)PL_MIN(PL_MAX(level, 0), 255);
    }
    TEST_ASSERT_TRUE(alike(compare(image.rgba, other, W, H)));
    for (int i = 0; i < 4 * W * H; i++) other[i] = (uint8_t)PL_MAX(image.rgba[i] - 3, 0);
    TEST_ASSERT_FALSE(alike(compare(image.rgba, other, W, H))); // darker
    memcpy(other, image.rgba, 4 * W * H);
    memmove(other + 8, other, 4 * W * H - 8);
    TEST_ASSERT_FALSE(alike(compare(image.rgba, other, W, H))); // moved by two pixels
    memcpy(other, image.rgba, 4 * W * H);
    for (int y = 40; y < 48; y++) memset(other + 4 * (y * W + 60), 90, 4 * 8);
    TEST_ASSERT_FALSE(alike(compare(image.rgba, other, W, H))); // a blot
    free(other);
}

int main(void)
{
    if (pl_gl_context_create(&context) != PL_OK) {
        snprintf(no_context, sizeof no_context, "%s", pl_error_text());
    }
    UNITY_BEGIN();
    RUN_TEST(test_solid_bodies);
    RUN_TEST(test_transparent_bodies);
    RUN_TEST(test_glass_is_smooth);
    RUN_TEST(test_wireframes_and_edges);
    RUN_TEST(test_colours_with_a_legend);
    RUN_TEST(test_arrows_are_in_front_of_all);
    RUN_TEST(test_the_quick_picture);
    RUN_TEST(test_the_quick_shadow_of_a_body_in_the_air);
    RUN_TEST(test_the_quick_picture_hides_what_is_below_the_floor);
    RUN_TEST(test_a_window_refines_and_starts_anew);
    RUN_TEST(test_an_empty_window_is_background);
    RUN_TEST(test_an_overlay_is_blended_over_the_window);
    RUN_TEST(test_bad_styles_and_indices_are_refused);
    RUN_TEST(test_the_measure_forgives_grain_and_not_more);
    pl_gl_context_destroy(context);
    return UNITY_END();
}
