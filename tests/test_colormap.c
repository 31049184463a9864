#include "../apps/render/colormap.h"

#include <math.h>
#include <stdlib.h>
#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// CIE L*a*b*, in which distances are about what the eye sees (white point D65).
static void lab_of(const uint8_t rgb[3], double lab[3])
{
    double l[3], f[3];
    for (int c = 0; c < 3; c++) {
        double s = rgb[c] / 255.0;
        l[c] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
    }
    const double xyz[3] = {(0.4124 * l[0] + 0.3576 * l[1] + 0.1805 * l[2]) / 0.9505,
                           0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2],
                           (0.0193 * l[0] + 0.1192 * l[1] + 0.9505 * l[2]) / 1.089};
    for (int c = 0; c < 3; c++) {
        f[c] = xyz[c] > 0.008856 ? cbrt(xyz[c]) : 7.787 * xyz[c] + 16.0 / 116;
    }
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static void test_lightness_rises_evenly(void)
{
    enum { N = 32 };
    double before = 0;
    for (int i = 0; i <= N; i++) {
        uint8_t rgb[3];
        double lab[3];
        pl_colormap((double)i / N, rgb);
        lab_of(rgb, lab);
        // From about 15 to 91, the same at each step but for the rounding of colours.
        if (i > 0) TEST_ASSERT_DOUBLE_WITHIN(0.8, (91.0 - 15) / N, lab[0] - before);
        before = lab[0];
    }
}

// The hue turns without a kink: at each place of the table, the step before and the step after
// differ little.
static void test_colours_turn_evenly(void)
{
    enum { N = 16 };
    double lab[N + 1][3];
    for (int i = 0; i <= N; i++) {
        uint8_t rgb[3];
        pl_colormap((double)i / N, rgb);
        lab_of(rgb, lab[i]);
    }
    for (int i = 1; i < N; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            double kink = lab[i + 1][c] - 2 * lab[i][c] + lab[i - 1][c];
            square += kink * kink;
        }
        TEST_ASSERT_TRUE(sqrt(square) < 8);
    }
}

// Published colours that lie between those of our table.
static void test_known_colours(void)
{
    static const struct {
        double t;
        uint8_t rgb[3];
    } known[] = {{0.2, {0x41, 0x44, 0x87}},     {1.0 / 3, {0x31, 0x68, 0x8e}},
                 {0.4, {0x2a, 0x78, 0x8e}},     {0.6, {0x22, 0xa8, 0x84}},
                 {2.0 / 3, {0x35, 0xb7, 0x79}}, {0.8, {0x7a, 0xd1, 0x51}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t rgb[3];
        pl_colormap(known[i].t, rgb);
        for (int c = 0; c < 3; c++) TEST_ASSERT_INT_WITHIN(3, known[i].rgb[c], rgb[c]);
    }
}

static void test_ends_and_what_lies_beyond(void)
{
    static const uint8_t first[] = {68, 1, 84}, last[] = {253, 231, 37};
    const double low[] = {0, -1, -INFINITY, NAN}, high[] = {1, 1.5, INFINITY};
    uint8_t rgb[3];
    for (int i = 0; i < 4; i++) {
        pl_colormap(low[i], rgb);
        TEST_ASSERT_EQUAL_UINT8_ARRAY(first, rgb, 3);
    }
    for (int i = 0; i < 3; i++) {
        pl_colormap(high[i], rgb);
        TEST_ASSERT_EQUAL_UINT8_ARRAY(last, rgb, 3);
    }
}

static void test_no_jumps(void)
{
    uint8_t before[3], rgb[3];
    pl_colormap(0, before);
    for (int i = 1; i <= 1000; i++) {
        pl_colormap(i / 1000.0, rgb);
        for (int c = 0; c < 3; c++) {
            TEST_ASSERT_INT_WITHIN(1, before[c], rgb[c]);
            before[c] = rgb[c];
        }
    }
}

static void test_values_are_placed_between_the_ends(void)
{
    const double value[] = {10, 15, 20, 30};
    uint8_t rgb[12], want[3];
    pl_colormap_values(4, value, 10, 20, rgb);
    for (int i = 0; i < 4; i++) {
        pl_colormap((value[i] - 10) / 10, want);
        TEST_ASSERT_EQUAL_UINT8_ARRAY(want, rgb + 3 * i, 3);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_lightness_rises_evenly);
    RUN_TEST(test_colours_turn_evenly);
    RUN_TEST(test_known_colours);
    RUN_TEST(test_ends_and_what_lies_beyond);
    RUN_TEST(test_no_jumps);
    RUN_TEST(test_values_are_placed_between_the_ends);
    return UNITY_END();
}
