#include "../apps/render/colormap.h"
#include "../apps/render/legend.h"

#include <string.h>
#include <unity.h>

enum { W = 640, H = 360 };

static pl_image image, other;

void setUp(void)
{
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&image, W, H));
    TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&other, W, H));
    memset(image.rgba, 128, 4 * W * H);
    memset(other.rgba, 128, 4 * W * H);
}

void tearDown(void)
{
    pl_image_free(&image);
    pl_image_free(&other);
}

// Rows from the first to the last with a pixel of this colour.
static int rows_between(const uint8_t a[3], const uint8_t b[3])
{
    int first = -1, last = -1;
    for (int i = 0; i < W * H; i++) {
        if (memcmp(image.rgba + 4 * i, a, 3) == 0) last = i / W;
        if (first < 0 && memcmp(image.rgba + 4 * i, b, 3) == 0) first = i / W;
    }
    return first < 0 || last < 0 ? -1 : last - first;
}

static void test_prefixes(void)
{
    static const struct {
        double most;
        const char *prefix;
        double scale;
    } cases[] = {{2e9, "G", 1e9},   {5e6, "M", 1e6},   {50000, "k", 1e3},
                 {1000, "k", 1e3},  {999, "", 1},      {0.25, "", 1},
                 {0.05, "m", 1e-3}, {2e-5, "u", 1e-6}, {0, "u", 1e-6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double scale;
        TEST_ASSERT_EQUAL_STRING(cases[i].prefix, pl_legend_prefix(cases[i].most, &scale));
        TEST_ASSERT_EQUAL_DOUBLE(cases[i].scale, scale);
    }
}

static void test_the_bar_runs_through_all_colours_in_the_upper_right(void)
{
    pl_legend_draw(&image, "von Mises stress", "Pa", 0, 5e4);
    uint8_t low[3], high[3];
    double rows = 110; // of the bar: 11 sizes of the text, which is 10 pixels
    pl_colormap(0.5 / rows, low);
    pl_colormap(1 - 0.5 / rows, high);
    TEST_ASSERT_INT_WITHIN(1, (int)rows - 1, rows_between(low, high)); // the high end on top
    for (int i = 0; i < W * H; i++) {
        bool far = i % W < W / 2 || i / W > H / 2;
        if (far) TEST_ASSERT_EACH_EQUAL_UINT8(128, image.rgba + 4 * i, 4);
    }
}

static void test_numbers_and_titles_change_the_picture(void)
{
    pl_legend_draw(&image, "speed", "m/s", 0, 2);
    pl_legend_draw(&other, "speed", "m/s", 0, 2);
    TEST_ASSERT_EQUAL_MEMORY(image.rgba, other.rgba, 4 * W * H);
    memset(other.rgba, 128, 4 * W * H);
    pl_legend_draw(&other, "speed", "m/s", 0, 3);
    TEST_ASSERT_TRUE(memcmp(image.rgba, other.rgba, 4 * W * H) != 0);
    memset(other.rgba, 128, 4 * W * H);
    pl_legend_draw(&other, "speee", "m/s", 0, 2);
    TEST_ASSERT_TRUE(memcmp(image.rgba, other.rgba, 4 * W * H) != 0);
}

static void test_arrows_are_told_in_the_lower_right(void)
{
    pl_legend_arrows(&image, 0.25, 2000);
    bool drawn = false;
    for (int i = 0; i < W * H; i++) {
        bool far = i % W < W / 2 || i / W < H / 2;
        if (far) TEST_ASSERT_EACH_EQUAL_UINT8(128, image.rgba + 4 * i, 4);
        drawn |= image.rgba[4 * i] != 128;
    }
    TEST_ASSERT_TRUE(drawn);
}

// Too small to read, but no crash.
static void test_tiny_pictures(void)
{
    for (int size = 1; size < 40; size += 7) {
        pl_image tiny = {0};
        TEST_ASSERT_EQUAL(PL_OK, pl_image_resize(&tiny, size, size));
        memset(tiny.rgba, 0, 4 * (size_t)size * (size_t)size);
        pl_legend_draw(&tiny, "speed", "m/s", 0, 1e-30);
        pl_legend_arrows(&tiny, 1e-9, 1e12);
        pl_image_free(&tiny);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_prefixes);
    RUN_TEST(test_the_bar_runs_through_all_colours_in_the_upper_right);
    RUN_TEST(test_numbers_and_titles_change_the_picture);
    RUN_TEST(test_arrows_are_told_in_the_lower_right);
    RUN_TEST(test_tiny_pictures);
    return UNITY_END();
}
