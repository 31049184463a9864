// The bar that shows how far a work is.

#include "../apps/cli/progress.h"

#include <unity.h>

void setUp(void)
{
}

void tearDown(void)
{
}

static void expect_bar(double part, int width, const char *expected)
{
    char text[32];
    pl_progress_bar(part, width, text);
    TEST_ASSERT_EQUAL_STRING(expected, text);
}

static void test_bar(void)
{
    expect_bar(0, 12, "[>         ]");
    expect_bar(0.5, 12, "[=====>    ]");
    expect_bar(0.99, 12, "[=========>]");
    expect_bar(1, 12, "[==========]");
    expect_bar(2, 12, "[==========]"); // more than was told
    expect_bar(-1, 4, "[> ]");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_bar);
    return UNITY_END();
}
