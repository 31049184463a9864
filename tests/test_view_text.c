// What is written over the picture of a window, without one.

#include "../apps/view/view_text.h"

#include <string.h>
#include <unity.h>

enum { W = 640, H = 720, SIZE = 18 /* of letters at this height */ };

static pl_view view;
static pl_snapshot now;

void setUp(void)
{
    view = (pl_view){.title = "cube.json", .width = W, .height = H, .stale = true};
    now = (pl_snapshot){.held = -1, .speed = 1, .solver = "auto", .precond = "full"};
}

void tearDown(void)
{
    pl_image_free(&view.overlay);
}

static void expect_line(int count, const char *line)
{
    now.stats.contacts = count;
    now.stats.iterations = count;
    now.stats.rounds = count;
    view.written = 0;
    TEST_ASSERT_EQUAL(PL_OK, pl_view_write(&view, &now));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(view.statistics_text, line), view.statistics_text);
}

static void test_one_is_singular(void)
{
    expect_line(0, "\n0 contacts   0 iterations   0 rounds\n");
    expect_line(1, "\n1 contact   1 iteration   1 round\n");
    expect_line(2, "\n2 contacts   2 iterations   2 rounds\n");
}

static bool is_text(int x, int y)
{
    const uint8_t *pixel = view.overlay.rgba + 4 * (y * W + x);
    return pixel[3] > 0 && pixel[0] < 128; // the panel is light
}

// The first pixel of text in these rows at or right of x; W if there is none.
static int first_text(int x, int y0, int y1)
{
    for (; x < W; x++) {
        for (int y = y0; y < y1; y++) {
            if (is_text(x, y)) return x;
        }
    }
    return W;
}

// Both columns begin at the same place in each row: a letter's own left edge apart, which is a
// fifth of its height at most.
static void test_the_help_has_two_columns(void)
{
    view.help = true;
    TEST_ASSERT_EQUAL(PL_OK, pl_view_write(&view, &now));
    int left = first_text(0, 0, H), end = left, second = left;
    TEST_ASSERT_TRUE(left < W);
    while (second - end < 0.7 * SIZE) { // the widest gap between words is 0.5
        for (end = second; first_text(end, 0, H) == end;) end++;
        second = first_text(end, 0, H);
        TEST_ASSERT_TRUE(second < W);
    }
    int n = 0;
    const int top = (int)(0.7 * SIZE + 0.36 * SIZE);
    for (int y = top; y + SIZE < H; y += SIZE) {
        int keys = first_text(0, y, y + SIZE), meaning = first_text(end, y, y + SIZE);
        if (keys == W) break;
        TEST_ASSERT_INT_WITHIN(SIZE / 5, left, keys);
        TEST_ASSERT_INT_WITHIN(SIZE / 5, second, meaning);
        n++;
    }
    TEST_ASSERT_TRUE(n > 10);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_one_is_singular);
    RUN_TEST(test_the_help_has_two_columns);
    return UNITY_END();
}
