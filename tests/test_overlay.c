#include "../apps/render/font.h"
#include "../apps/render/overlay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unity.h>

enum { W = 64, H = 48 };

static pl_image image, other;

static const pl_ink BLACK = {0, 0, 0, 255}, RED = {200, 40, 20, 128};

void setUp(void)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&image, W, H));
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&other, W, H));
    pl_overlay_clear(&image);
    pl_overlay_clear(&other);
}

void tearDown(void)
{
    pl_image_free(&image);
    pl_image_free(&other);
}

static const uint8_t *pixel(const pl_image *of, int x, int y)
{
    return of->rgba + 4 * (y * of->width + x);
}

static void paper(pl_image *of)
{
    for (int i = 0; i < 4 * W * H; i++) of->rgba[i] = (uint8_t)(i % 4 == 3 ? 255 : 60 + i % 180);
}

// How much of all pixels is inked, in pixels.
static double inked(const pl_image *of)
{
    double sum = 0;
    for (int i = 0; i < W * H; i++) sum += of->rgba[4 * i + 3] / 255.0;
    return sum;
}

static void test_clear_is_transparent(void)
{
    TEST_ASSERT_EQUAL_DOUBLE(0, inked(&image));
}

static void test_a_rectangle_covers_its_area_to_parts_of_pixels(void)
{
    pl_overlay_rectangle(&image, 10.25, 5, 20.5, 10.5, 0, BLACK);
    TEST_ASSERT_DOUBLE_WITHIN(0.5, 20.5 * 10.5, inked(&image));
    TEST_ASSERT_EQUAL(191, pixel(&image, 10, 7)[3]); // three quarters of it
    TEST_ASSERT_EQUAL(255, pixel(&image, 11, 7)[3]);
    TEST_ASSERT_EQUAL(0, pixel(&image, 9, 7)[3]);
    TEST_ASSERT_EQUAL(0, pixel(&image, 31, 7)[3]);
}

static void test_round_corners_cut_four_quarters_off(void)
{
    pl_overlay_rectangle(&image, 4, 4, 40, 30, 10, BLACK);
    double pi = acos(-1);
    TEST_ASSERT_DOUBLE_WITHIN(3, 40 * 30 - (4 - pi) * 100, inked(&image));
    TEST_ASSERT_EQUAL(0, pixel(&image, 4, 4)[3]);
    pl_overlay_rectangle(&image, 4, 4, -1, 30, 10, BLACK); // nothing, and no crash
}

static void test_a_line_is_as_wide_as_asked(void)
{
    pl_overlay_line(&image, 10, 10, 40, 30, 3, BLACK);
    double length = sqrt(30 * 30 + 20 * 20), pi = acos(-1);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * 3 * length, 3 * length + pi * 1.5 * 1.5, inked(&image));
    setUp();
    pl_overlay_line(&image, 20, 20, 20, 20, 8, BLACK); // a dot
    TEST_ASSERT_DOUBLE_WITHIN(1.5, pi * 16, inked(&image));
}

static void test_ink_mixes_with_what_is_there(void)
{
    paper(&image);
    uint8_t before[4];
    memcpy(before, pixel(&image, 20, 20), 4);
    pl_overlay_rectangle(&image, 10, 10, 20, 20, 0, RED);
    const uint8_t color[3] = {RED.r, RED.g, RED.b};
    for (int c = 0; c < 3; c++) {
        double want = (128 * color[c] + 127 * before[c]) / 255.0;
        TEST_ASSERT_DOUBLE_WITHIN(0.51, want, pixel(&image, 20, 20)[c]);
    }
    TEST_ASSERT_EQUAL(255, pixel(&image, 20, 20)[3]);
    pl_overlay_rectangle(&other, 10, 10, 20, 20, 0, RED); // on nothing: the ink itself
    TEST_ASSERT_EQUAL_UINT8_ARRAY(color, pixel(&other, 20, 20), 3);
    TEST_ASSERT_EQUAL(128, pixel(&other, 20, 20)[3]);
}

static void draw_all(pl_image *to)
{
    pl_overlay_rectangle(to, 3, 3, 50, 40, 5, (pl_ink){20, 30, 40, 160});
    pl_overlay_text(to, 6.3, 5, 18, (pl_ink){255, 250, 240, 230}, "Pa 12\nm/s");
    pl_overlay_line(to, 0, 47, 63, 2, 2.5, RED);
}

// An overlay that is blended later is what drawing on the picture gives.
static void test_transparent_first_and_blended_later_is_the_same(void)
{
    paper(&image);
    draw_all(&image);
    draw_all(&other);
    pl_image blended = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&blended, W, H));
    paper(&blended);
    for (int i = 0; i < W * H; i++) {
        const uint8_t *over = other.rgba + 4 * i;
        for (int c = 0; c < 3; c++) {
            double under = blended.rgba[4 * i + c];
            double want = (over[3] * over[c] + (255 - over[3]) * under) / 255;
            TEST_ASSERT_DOUBLE_WITHIN(2, want, image.rgba[4 * i + c]);
        }
    }
    pl_image_free(&blended);
}

static void test_the_same_calls_give_the_same_bytes(void)
{
    draw_all(&image);
    draw_all(&other);
    TEST_ASSERT_EQUAL_MEMORY(image.rgba, other.rgba, 4 * W * H);
}

// What hangs over an edge is cut off and does not change what is inside.
static void test_nothing_is_drawn_outside(void)
{
    pl_image large = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&large, 3 * W, 3 * H));
    for (int k = 0; k < 9; k++) {
        int dx = k % 3 * W - W / 3, dy = k / 3 * H - H / 3;
        pl_overlay_clear(&large);
        pl_overlay_clear(&image);
        for (int run = 0; run < 2; run++) {
            pl_image *to = run == 0 ? &large : &image;
            double x = dx + (run == 0 ? W : 0), y = dy + (run == 0 ? H : 0);
            pl_overlay_rectangle(to, x, y, 30, 30, 8, RED);
            pl_overlay_text(to, x, y, 20, BLACK, "abc");
            pl_overlay_line(to, x, y, x + 20, y + 35, 4, RED);
        }
        for (int row = 0; row < H; row++) {
            TEST_ASSERT_EQUAL_MEMORY(pixel(&large, W, H + row), pixel(&image, 0, row), 4 * W);
        }
    }
    pl_image_free(&large);
    pl_overlay_text(&image, -1e9, 1e9, 20, BLACK, "far");
    pl_overlay_text(&image, 0, 0, 1e9, BLACK, "W@g"); // as large as it gets
    pl_overlay_rectangle(&image, -1e9, -1e9, 2e9, 2e9, 1e9, BLACK);
}

// --- Letters ---

static void test_every_letter_is_drawn_inside_its_box(void)
{
    for (char c = ' '; c <= '~'; c++) {
        pl_font_segment segment[PL_FONT_SEGMENTS];
        int32_t n = pl_font_segments(c, segment);
        TEST_ASSERT_EQUAL(c == ' ', n == 0);
        for (int32_t i = 0; i < n; i++) {
            const double x[] = {segment[i].x0, segment[i].x1}, y[] = {segment[i].y0, segment[i].y1};
            for (int k = 0; k < 2; k++) {
                TEST_ASSERT_TRUE(x[k] >= 0 && x[k] <= pl_font_width(c) + 1e-12);
                TEST_ASSERT_TRUE(y[k] >= PL_FONT_ASCENT - PL_FONT_EM && y[k] < PL_FONT_ASCENT);
            }
        }
    }
    pl_font_segment odd[PL_FONT_SEGMENTS], question[PL_FONT_SEGMENTS];
    TEST_ASSERT_EQUAL(pl_font_segments('?', question), pl_font_segments('\x80', odd));
}

static void test_no_two_letters_look_alike(void)
{
    for (char a = '!'; a <= '~'; a++) {
        for (char b = (char)(a + 1); b <= '~'; b++) {
            pl_overlay_clear(&image);
            pl_overlay_clear(&other);
            pl_overlay_text(&image, 10, 10, 20, BLACK, (char[]){a, '\0'});
            pl_overlay_text(&other, 10, 10, 20, BLACK, (char[]){b, '\0'});
            double apart = 0;
            for (int i = 0; i < W * H; i++) {
                apart += abs(image.rgba[4 * i + 3] - other.rgba[4 * i + 3]) / 255.0;
            }
            char pair[] = {a, b, '\0'};
            TEST_ASSERT_TRUE_MESSAGE(apart > 2, pair); // pixels
        }
    }
}

static void test_digits_have_one_width_and_text_is_as_wide_as_told(void)
{
    for (char c = '0'; c <= '9'; c++) TEST_ASSERT_EQUAL(pl_font_width('0'), pl_font_width(c));
    double width = pl_overlay_text_width(16, "Ho");
    pl_overlay_text(&image, 5, 5, 16, BLACK, "Ho");
    int last = 0;
    for (int i = 0; i < W * H; i++) {
        if (image.rgba[4 * i + 3] > 100) last = PL_MAX(last, i % W);
    }
    TEST_ASSERT_INT_WITHIN(1, (int)(5 + width), last);
    TEST_ASSERT_EQUAL_DOUBLE(width, pl_overlay_text_width(16, "i\nHo\n-"));
    TEST_ASSERT_EQUAL_DOUBLE(0, pl_overlay_text_width(16, ""));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_clear_is_transparent);
    RUN_TEST(test_a_rectangle_covers_its_area_to_parts_of_pixels);
    RUN_TEST(test_round_corners_cut_four_quarters_off);
    RUN_TEST(test_a_line_is_as_wide_as_asked);
    RUN_TEST(test_ink_mixes_with_what_is_there);
    RUN_TEST(test_transparent_first_and_blended_later_is_the_same);
    RUN_TEST(test_the_same_calls_give_the_same_bytes);
    RUN_TEST(test_nothing_is_drawn_outside);
    RUN_TEST(test_every_letter_is_drawn_inside_its_box);
    RUN_TEST(test_no_two_letters_look_alike);
    RUN_TEST(test_digits_have_one_width_and_text_is_as_wide_as_told);
    return UNITY_END();
}
