// Small pictures whose pixels can be told beforehand. Without an OpenGL driver all are ignored.

#include "../apps/render/gl_program.h"
#include "../apps/render/renderer.h"

#include <epoxy/gl.h>
#include <math.h>
#include <string.h>
#include "failing_alloc.h"
#include <unity.h>

enum { W = 160, H = 120 };

static pl_gl_context *context;
static char no_context[256];
static pl_renderer *renderer;
static pl_image image;

static const int32_t QUAD[] = {0, 1, 2, 0, 2, 3};

// A square of side 2 in the plane y = 0, seen from -y; and a closed cube of side 2 on z = 0.
static const double QUAD_X[] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
static const double CUBE_X[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0,
                                -1, -1, 2, 1, -1, 2, 1, 1, 2, -1, 1, 2};
static const int32_t CUBE[] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                               1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static pl_renderer_options small_options(void)
{
    pl_renderer_options options = pl_renderer_options_default();
    options.width = W;
    options.height = H;
    options.passes = 16;
    options.shadow_size = 256;
    options.vignette = 0;
    return options;
}

static void start(const pl_renderer_options *options)
{
    pl_renderer_destroy(renderer);
    renderer = NULL;
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_create(context, options, &renderer));
}

void setUp(void)
{
    if (context == NULL) TEST_IGNORE_MESSAGE(no_context);
    pl_renderer_options options = small_options();
    options.floor = false;
    start(&options);
}

void tearDown(void)
{
    fail_never();
    pl_renderer_destroy(renderer);
    renderer = NULL;
    pl_image_free(&image);
}

static pl_draw_body quad(void)
{
    pl_draw_body body = pl_draw_body_default(0);
    body.n_vert = 4, body.n_face = 2;
    body.x = QUAD_X, body.face = QUAD;
    return body;
}

static pl_draw_body cube(void)
{
    pl_draw_body body = pl_draw_body_default(1);
    body.n_vert = 8, body.n_face = 12;
    body.x = CUBE_X, body.face = CUBE;
    return body;
}

// From (0, -10, 0) along +y: a metre in the plane y = 0 is H / 2 / 10 / tan(15 degrees) = 22.4
// pixels.
static pl_camera front(void)
{
    pl_camera camera = pl_camera_default();
    camera.eye[0] = 0, camera.eye[1] = -10, camera.eye[2] = 0;
    return camera;
}

static pl_camera above(void)
{
    pl_camera camera = pl_camera_default();
    camera.eye[0] = 0, camera.eye[1] = -14, camera.eye[2] = 12;
    return camera;
}

static void add(pl_draw_body body)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_renderer_add_body(renderer, &body, NULL), pl_error_text());
}

static void draw(pl_camera camera)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_renderer_draw(renderer, &camera, &image), pl_error_text());
}

// The pixel in which the point is seen, moved by (dx, dy) pixels.
static const uint8_t *pixel_at(pl_camera camera, double x, double y, double z, int dx, int dy)
{
    double at[2];
    TEST_ASSERT_TRUE(
        pl_camera_project(&camera, image.width, image.height, (double[]){x, y, z}, at));
    int column = (int)floor(at[0]) + dx, row = (int)floor(at[1]) + dy;
    TEST_ASSERT_TRUE(column >= 0 && column < image.width && row >= 0 && row < image.height);
    return image.rgba + 4 * (row * image.width + column);
}

static const uint8_t BACKGROUND[3] = {237, 240, 242}; // 0.93, 0.94, 0.95

static int difference(const uint8_t *a, const uint8_t *b)
{
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]);
}

static int brightness(const uint8_t *p)
{
    return p[0] + p[1] + p[2];
}

static void test_an_empty_scene_is_background(void)
{
    draw(front());
    for (int i = 0; i < W * H; i++) {
        TEST_ASSERT_EQUAL_UINT8_ARRAY(BACKGROUND, image.rgba + 4 * i, 3);
        TEST_ASSERT_EQUAL(255, image.rgba[4 * i + 3]);
    }
}

// The silhouette is where the projection says: body two pixels inside each edge and corner,
// background two pixels outside.
static void test_a_square_covers_its_projection(void)
{
    add(quad());
    draw(front());
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
            // Pixels go right and down, z goes up.
            const uint8_t *inside = pixel_at(front(), i, 0, j, -2 * i, 2 * j);
            TEST_ASSERT_GREATER_THAN(60, difference(inside, BACKGROUND));
            if (i == 0 && j == 0) continue;
            const uint8_t *outside = pixel_at(front(), i, 0, j, 2 * i, -2 * j);
            TEST_ASSERT_EQUAL_UINT8_ARRAY(BACKGROUND, outside, 3);
        }
    }
    // A flat face under distant lights has one colour, but for the highlight.
    const uint8_t *a = pixel_at(front(), 0.5, 0, 0.5, 0, 0);
    const uint8_t *b = pixel_at(front(), 0.5, 0, 0.2, 0, 0);
    TEST_ASSERT_LESS_THAN(12, difference(a, b));
}

// An edge that runs through the middle of a pixel covers about half of it.
static void test_edges_are_anti_aliased(void)
{
    pl_camera camera = front();
    double scale = H / 2.0 / 10 / tan(camera.fov_y / 2); // pixels per metre
    double x[12];
    memcpy(x, QUAD_X, sizeof x);
    x[3] = x[6] = 10.5 / scale; // the right edge
    pl_draw_body body = quad();
    body.x = x;
    add(body);
    draw(camera);
    const uint8_t *row = image.rgba + 4 * (H / 2 * W + W / 2);
    int inside = brightness(row + 4 * 9), edge = brightness(row + 4 * 10),
        outside = brightness(row + 4 * 11);
    TEST_ASSERT_EQUAL(brightness(BACKGROUND), outside);
    TEST_ASSERT_TRUE(edge > inside + (outside - inside) / 4);
    TEST_ASSERT_TRUE(edge < outside - (outside - inside) / 8);
}

static void test_colors_by_face_and_vertex(void)
{
    static const uint8_t face_color[] = {230, 10, 10, 10, 230, 10};
    static const uint8_t vertex_color[] = {10, 10, 230, 10, 10, 230, 230, 10, 10, 230, 10, 10};
    pl_draw_body body = quad();
    body.face_color = face_color;
    body.vertex_color = vertex_color; // the faces' win
    add(body);
    draw(front());
    const uint8_t *lower = pixel_at(front(), 0.5, 0, -0.5, 0, 0);
    const uint8_t *upper = pixel_at(front(), -0.5, 0, 0.5, 0, 0);
    TEST_ASSERT_TRUE(lower[0] > lower[1] + 80 && upper[1] > upper[0] + 80);
    pl_renderer_clear(renderer);
    body.face_color = NULL;
    add(body);
    draw(front());
    lower = pixel_at(front(), 0, 0, -0.9, 0, 0);
    TEST_ASSERT_TRUE(lower[2] > lower[0] + 80);
    upper = pixel_at(front(), 0, 0, 0.9, 0, 0);
    TEST_ASSERT_TRUE(upper[0] > upper[2] + 80);
    const uint8_t *middle = pixel_at(front(), 0.3, 0, 0, 0, 0);
    TEST_ASSERT_TRUE(abs(middle[0] - middle[2]) < 60); // blended
}

static void test_element_edges_are_dark_lines(void)
{
    pl_draw_body body = quad();
    body.edge_width = 12; // two pixels here
    add(body);
    draw(front());
    int line = brightness(pixel_at(front(), 0, 0, 0, 0, 0)); // on the diagonal
    int face = brightness(pixel_at(front(), 0.5, 0, -0.4, 0, 0));
    TEST_ASSERT_TRUE(line < face - 100);
}

static void test_an_opaque_body_hides_and_a_transparent_one_shows(void)
{
    double behind[12];
    for (int i = 0; i < 12; i++) behind[i] = i % 3 == 1 ? 2 : 2 * QUAD_X[i];
    pl_draw_body back = quad(), pane = quad();
    back.x = behind;
    back.color[0] = 1, back.color[1] = back.color[2] = 0;
    pane.color[0] = pane.color[1] = 0, pane.color[2] = 1;
    int red[3];
    for (int k = 0; k < 3; k++) {
        pane.opacity = (float[]){1, 0.5F, 0.2F}[k];
        pl_renderer_clear(renderer);
        add(back);
        add(pane);
        draw(front());
        red[k] = 0;
        for (int dx = -8; dx < 8; dx++) red[k] += pixel_at(front(), 0, 0, 0, dx, 0)[0];
    }
    TEST_ASSERT_TRUE(red[0] + 16 * 20 < red[1] && red[1] + 16 * 20 < red[2]);
}

static void test_smooth_flat_and_creased(void)
{
    // A roof with 90 degrees at its ridge, seen from the front: flat and creased shade its halves
    // differently, smooth blends over the ridge.
    static const double x[] = {-1, 1, -1, 0, 0, -1, 1, 1, -1, -1, 1, 1, 0, 0, 1, 1, 1, 1};
    static const int32_t face[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    static const double crease[] = {0, 1.0, 3.0};
    int step[3];
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_key_light(renderer, (double[]){-0.6, -1, 0.5}));
    for (int k = 0; k < 3; k++) {
        pl_draw_body body = quad();
        body.n_vert = 6, body.n_face = 4;
        body.x = x, body.face = face;
        body.crease = crease[k];
        pl_renderer_clear(renderer);
        add(body);
        draw(front());
        step[k] = abs(brightness(pixel_at(front(), -0.08, 0.08, 0.1, 0, 0)) -
                      brightness(pixel_at(front(), 0.08, 0.08, 0.1, 0, 0)));
    }
    TEST_ASSERT_EQUAL(step[0], step[1]);
    TEST_ASSERT_TRUE(step[0] > 2 * step[2] + 30);
}

static void test_a_box_shades_the_floor(void)
{
    pl_renderer_options options = small_options();
    start(&options);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_set_key_light(renderer, (double[]){-1, 0, 1}));
    add(cube());
    draw(above());
    // The key light comes from -x at 45 degrees: the shadow of the 2 m cube reaches to x = 3.
    int shadow = brightness(pixel_at(above(), 2, 0, 0, 0, 0));
    int near = brightness(pixel_at(above(), -1.2, 0, 0, 0, 0));
    int far = brightness(pixel_at(above(), -3.5, 2, 0, 0, 0));
    TEST_ASSERT_TRUE(shadow < far - 90);
    TEST_ASSERT_TRUE(near < far - 10); // the cube hides part of the sky
    TEST_ASSERT_INT_WITHIN(40, brightness(BACKGROUND), far);
    // The top and the side away from the light.
    int top = brightness(pixel_at(above(), 0, 0, 2, 0, 0));
    TEST_ASSERT_TRUE(top > brightness(pixel_at(above(), 0, -1, 1, 0, 0)) + 60);

    options.floor = false;
    start(&options);
    add(cube());
    draw(above());
    TEST_ASSERT_EQUAL_UINT8_ARRAY(BACKGROUND, pixel_at(above(), 2, 0, 0, 0, 0), 3);
}

static void test_the_floor_hides_what_is_below_it(void)
{
    pl_renderer_options options = small_options();
    options.floor_z = 3;
    start(&options);
    add(cube());
    draw(above());
    int above_it = brightness(pixel_at(above(), 0, 0, 1, 0, 0));
    TEST_ASSERT_INT_WITHIN(9, brightness(BACKGROUND), above_it);
}

static void test_the_same_call_gives_the_same_bytes(void)
{
    pl_renderer_options options = small_options();
    pl_image first = {0};
    for (int run = 0; run < 3; run++) {
        if (run < 2) { // the third draws again with the second's renderer
            start(&options);
            pl_draw_body body = cube();
            body.opacity = 0.6F;
            add(body);
        }
        draw(above());
        if (run == 0) {
            first = image;
            image = (pl_image){0};
        } else {
            TEST_ASSERT_EQUAL_MEMORY(first.rgba, image.rgba, 4 * W * H);
        }
    }
    pl_image_free(&first);
}

static void test_update_moves_a_body(void)
{
    add(quad());
    double x[12];
    for (int i = 0; i < 12; i++) x[i] = QUAD_X[i] + (i % 3 == 0 ? 2.2 : 0);
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_update_body(renderer, 0, x));
    draw(front());
    TEST_ASSERT_EQUAL_UINT8_ARRAY(BACKGROUND, pixel_at(front(), 0, 0, 0, 0, 0), 3);
    const uint8_t *there = pixel_at(front(), 2.2, 0, 0, 0, 0);
    TEST_ASSERT_GREATER_THAN(60, difference(there, BACKGROUND));

    x[4] = NAN;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_update_body(renderer, 0, x));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_update_body(renderer, 1, QUAD_X));
    pl_image before = image;
    image = (pl_image){0};
    draw(front());
    TEST_ASSERT_EQUAL_MEMORY(before.rgba, image.rgba, 4 * W * H);
    pl_image_free(&before);
}

// Single precision would put the corners 6 cm off here; only differences are sent to the card.
static void test_far_from_the_origin_looks_the_same(void)
{
    add(quad());
    draw(front());
    pl_image here = image;
    image = (pl_image){0};
    pl_renderer_clear(renderer);
    double x[12];
    for (int i = 0; i < 12; i++) x[i] = QUAD_X[i] + 1048576;
    pl_draw_body body = quad();
    body.x = x;
    add(body);
    pl_camera camera = front();
    for (int c = 0; c < 3; c++) camera.eye[c] += 1048576, camera.target[c] += 1048576;
    draw(camera);
    TEST_ASSERT_EQUAL_MEMORY(here.rgba, image.rgba, 4 * W * H);
    pl_image_free(&here);
}

static void test_resize(void)
{
    add(quad());
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_resize(renderer, 2 * W, H / 2));
    draw(front());
    TEST_ASSERT_EQUAL(2 * W, image.width);
    TEST_ASSERT_EQUAL(H / 2, image.height);
    const uint8_t *centre = pixel_at(front(), 0, 0, 0, 0, 0);
    TEST_ASSERT_GREATER_THAN(60, difference(centre, BACKGROUND));
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_resize(renderer, 0, 10));
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED, pl_renderer_resize(renderer, 10, 1 << 20));
    draw(front());
    TEST_ASSERT_EQUAL(2 * W, image.width);
}

static void test_odd_shapes_draw(void)
{
    // A body that is one point, a needle, and an eye inside a body.
    static const double point[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    static const int32_t face[] = {0, 1, 2};
    pl_renderer_options options = small_options();
    start(&options);
    pl_draw_body body = quad();
    body.n_vert = 3, body.n_face = 1;
    body.x = point, body.face = face;
    add(body);
    draw(front());
    TEST_ASSERT_EQUAL_UINT8_ARRAY(BACKGROUND, image.rgba, 3);
    add(cube());
    pl_camera inside = front();
    inside.eye[1] = -0.5;
    inside.eye[2] = inside.target[2] = 1;
    draw(inside);
    TEST_ASSERT_GREATER_THAN(60, difference(image.rgba, BACKGROUND));
}

static void test_bad_options_are_refused(void)
{
    pl_renderer *r;
    const struct {
        pl_status status;
        int32_t width, height, passes, shadow;
        float background;
        double floor_z;
    } cases[] = {
        {PL_ERROR_ARGUMENT, 0, H, 1, 64, 0, 0},
        {PL_ERROR_ARGUMENT, W, -3, 1, 64, 0, 0},
        {PL_ERROR_UNSUPPORTED, 1 << 20, H, 1, 64, 0, 0},
        {PL_ERROR_ARGUMENT, W, H, 0, 64, 0, 0},
        {PL_ERROR_ARGUMENT, W, H, 1, 0, 0, 0},
        {PL_ERROR_ARGUMENT, W, H, 1, 1 << 24, 0, 0},
        {PL_ERROR_ARGUMENT, W, H, 1, 64, 1.5F, 0},
        {PL_ERROR_ARGUMENT, W, H, 1, 64, 0, INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pl_renderer_options options = small_options();
        options.width = cases[i].width;
        options.height = cases[i].height;
        options.passes = cases[i].passes;
        options.shadow_size = cases[i].shadow;
        options.background[1] = cases[i].background;
        options.floor_z = cases[i].floor_z;
        TEST_ASSERT_EQUAL(cases[i].status, pl_renderer_create(context, &options, &r));
        TEST_ASSERT_NULL(r);
        TEST_ASSERT_NOT_EQUAL(0, strlen(pl_error_text()));
    }
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_set_key_light(renderer, (double[]){0, 0, 0}));
    pl_camera camera = front();
    camera.eye[1] = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_draw(renderer, &camera, &image));
}

static void test_bad_bodies_are_refused(void)
{
    pl_draw_body body = quad();
    body.n_face = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, pl_renderer_add_body(renderer, &body, NULL));
    body = quad();
    body.n_vert = 3; // the last index is 3
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_add_body(renderer, &body, NULL));
    double x[12];
    memcpy(x, QUAD_X, sizeof x);
    body = quad();
    body.x = x;
    x[7] = INFINITY;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_add_body(renderer, &body, NULL));
    x[7] = 1e30;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_add_body(renderer, &body, NULL));
    body = quad();
    body.opacity = 0;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_add_body(renderer, &body, NULL));
    body = quad();
    body.color[2] = NAN;
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_renderer_add_body(renderer, &body, NULL));
    double lo[3], hi[3];
    TEST_ASSERT_FALSE(pl_renderer_bounds(renderer, lo, hi));
    int32_t index = -1;
    body = quad();
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_add_body(renderer, &body, &index));
    TEST_ASSERT_EQUAL(0, index);
    TEST_ASSERT_TRUE(pl_renderer_bounds(renderer, lo, hi));
    TEST_ASSERT_EQUAL_DOUBLE(-1, lo[0]);
    TEST_ASSERT_EQUAL_DOUBLE(1, hi[2]);
}

static void test_a_broken_program_says_so(void)
{
    static const char good[] = "void main() { gl_Position = vec4(0.0); }";
    static const char defines[] = "#define LIGHTS 4\n#define UPPER_LIGHTS 3\n";
    GLuint program = 1;
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED,
                      pl_link_program("broken", defines, good, "nonsense", &program));
    TEST_ASSERT_EQUAL(0, program);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "broken shader"));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "syntax error")); // the driver's log
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED,
                      pl_link_program("broken", defines, "nonsense", good, &program));
    static const char gives[] =
        "out vec3 a; void main() { gl_Position = vec4(a = vec3(1.0), 1.0); }";
    static const char takes[] = "in vec4 a; out vec4 c; void main() { c = a; }";
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED,
                      pl_link_program("loose", defines, gives, takes, &program));
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "loose program"));
}

static int living_objects(void)
{
    int n = 0;
    for (GLuint i = 1; i < 5000; i++) {
        n += glIsTexture(i) + glIsBuffer(i) + glIsFramebuffer(i) + glIsRenderbuffer(i) +
             glIsVertexArray(i) + glIsProgram(i) + glIsShader(i);
    }
    return n;
}

// As a window does it.
static pl_status preview(pl_renderer *r, const pl_camera *camera)
{
    static uint8_t pixels[4 * 3 * 2];
    const pl_image overlay = {3, 2, pixels};
    GLuint framebuffer, buffer;
    glGenFramebuffers(1, &framebuffer);
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, W, H);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    pl_status status = PL_OK;
    bool done = false;
    while (status == PL_OK && !done) status = pl_renderer_preview(r, camera, framebuffer, &done);
    if (status == PL_OK) status = pl_renderer_show(r, &overlay, framebuffer);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteRenderbuffers(1, &buffer);
    return status;
}

static pl_status make_picture(void)
{
    pl_renderer_options options = small_options();
    options.passes = 1;
    pl_renderer *r;
    PL_TRY(pl_renderer_create(context, &options, &r));
    static const uint8_t colors[3 * 4];
    pl_draw_body bodies[] = {quad(), cube()};
    bodies[1].opacity = 0.5F;
    pl_camera camera = front();
    pl_image picture = {0};
    pl_status status = pl_renderer_add_body(r, &bodies[0], NULL);
    if (status == PL_OK) status = pl_renderer_add_body(r, &bodies[1], NULL);
    if (status == PL_OK) status = pl_renderer_update_body(r, 0, QUAD_X);
    if (status == PL_OK) status = pl_renderer_color_body(r, 0, colors);
    if (status == PL_OK) status = pl_renderer_set_marks(r, &bodies[0]);
    if (status == PL_OK) status = pl_renderer_set_marks(r, &bodies[1]);
    if (status == PL_OK) status = preview(r, &camera);
    if (status == PL_OK) status = pl_renderer_draw(r, &camera, &picture);
    pl_image_free(&picture);
    pl_renderer_destroy(r);
    return status;
}

static pl_status run_make_picture(void *user)
{
    (void)user;
    pl_status status = make_picture();
    TEST_ASSERT_EQUAL(0, living_objects());
    return status;
}

static void test_nothing_is_left_behind_even_when_memory_fails(void)
{
    pl_renderer_destroy(renderer);
    renderer = NULL;
    TEST_ASSERT_EQUAL(0, living_objects());
    TEST_ASSERT_GREATER_THAN_INT64(15, fail_each_allocation(run_make_picture, NULL));
    TEST_ASSERT_EQUAL(GL_NO_ERROR, glGetError());
}

static void test_a_second_context_does_not_disturb_the_first(void)
{
    add(quad());
    pl_gl_context *other;
    TEST_ASSERT_EQUAL(PL_OK, pl_gl_context_create(&other));
    pl_gl_context_destroy(other);
    TEST_ASSERT_EQUAL(PL_OK, pl_gl_context_use(context));
    draw(front());
    const uint8_t *centre = pixel_at(front(), 0, 0, 0, 0, 0);
    TEST_ASSERT_GREATER_THAN(60, difference(centre, BACKGROUND));
}

// What a window does: its context is made by somebody else, here by the other kind.
static void test_a_context_of_others_is_adopted_and_left_to_them(void)
{
    pl_gl_context *adopted;
    TEST_ASSERT_EQUAL(PL_OK, pl_gl_context_adopt(&adopted));
    TEST_ASSERT_EQUAL_STRING(pl_gl_context_name(context), pl_gl_context_name(adopted));
    pl_renderer_destroy(renderer);
    pl_renderer_options options = small_options();
    TEST_ASSERT_EQUAL(PL_OK, pl_renderer_create(adopted, &options, &renderer));
    add(quad());
    draw(front());
    TEST_ASSERT_EQUAL(PL_OK, pl_gl_context_use(adopted));
    pl_renderer_destroy(renderer);
    renderer = NULL;
    pl_gl_context_destroy(adopted);
    TEST_ASSERT_EQUAL(GL_NO_ERROR, glGetError()); // still current

    fail_nth(0);
    TEST_ASSERT_EQUAL(PL_ERROR_MEMORY, pl_gl_context_adopt(&adopted));
    fail_never();
    pl_gl_context *other;
    TEST_ASSERT_EQUAL(PL_OK, pl_gl_context_create(&other));
    pl_gl_context_destroy(other);
    TEST_ASSERT_EQUAL(PL_ERROR_UNSUPPORTED, pl_gl_context_adopt(&adopted));
    TEST_ASSERT_NULL(adopted);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "no OpenGL context"));
    TEST_ASSERT_EQUAL(PL_OK, pl_gl_context_use(context));
}

int main(void)
{
    if (pl_gl_context_create(&context) != PL_OK) {
        snprintf(no_context, sizeof no_context, "%s", pl_error_text());
    }
    UNITY_BEGIN();
    RUN_TEST(test_an_empty_scene_is_background);
    RUN_TEST(test_a_square_covers_its_projection);
    RUN_TEST(test_edges_are_anti_aliased);
    RUN_TEST(test_colors_by_face_and_vertex);
    RUN_TEST(test_element_edges_are_dark_lines);
    RUN_TEST(test_an_opaque_body_hides_and_a_transparent_one_shows);
    RUN_TEST(test_smooth_flat_and_creased);
    RUN_TEST(test_a_box_shades_the_floor);
    RUN_TEST(test_the_floor_hides_what_is_below_it);
    RUN_TEST(test_the_same_call_gives_the_same_bytes);
    RUN_TEST(test_update_moves_a_body);
    RUN_TEST(test_far_from_the_origin_looks_the_same);
    RUN_TEST(test_resize);
    RUN_TEST(test_odd_shapes_draw);
    RUN_TEST(test_bad_options_are_refused);
    RUN_TEST(test_bad_bodies_are_refused);
    RUN_TEST(test_a_broken_program_says_so);
    RUN_TEST(test_nothing_is_left_behind_even_when_memory_fails);
    RUN_TEST(test_a_second_context_does_not_disturb_the_first);
    RUN_TEST(test_a_context_of_others_is_adopted_and_left_to_them);
    pl_gl_context_destroy(context);
    return UNITY_END();
}
