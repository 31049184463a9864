// Which steps are frames, how many there are, and where a run ends.

#include "../apps/scene/schedule.h"
#include "worlds.h"

#include <math.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// The steps that are due are those that are nearest to a multiple of 1/fps, each once.
static void test_frames_are_nearest(void)
{
    static const double rates[] = {24, 25, 29.97, 30, 59.94, 60, 333.3, 999, 1000};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        pl_schedule s = {.dt = 0.001, .fps = rates[i]};
        TEST_ASSERT_EQUAL(PL_OK, pl_schedule_check(&s));
        int64_t frames = 0;
        for (int64_t step = 0; step <= 2000; step++) {
            double time = (double)step * s.dt, off = time - round(time * s.fps) / s.fps;
            bool due = pl_schedule_is_due(&s, step);
            frames += due;
            TEST_ASSERT_TRUE(due ? fabs(off) <= 0.5001 * s.dt : fabs(off) >= 0.4999 * s.dt);
            TEST_ASSERT_EQUAL_INT64(frames, pl_schedule_count(&s, step));
        }
        TEST_ASSERT_INT64_WITHIN(1, (int64_t)(2 * s.fps) + 1, frames);
        TEST_ASSERT_EQUAL_DOUBLE(s.fps, pl_schedule_rate(&s));
    }
}

static void test_every(void)
{
    pl_schedule s = {.dt = 0.01, .every = 4, .fps = 1e9};
    TEST_ASSERT_EQUAL(PL_OK, pl_schedule_check(&s));
    for (int64_t step = 0; step < 20; step++) {
        TEST_ASSERT_EQUAL(step % 4 == 0, pl_schedule_is_due(&s, step));
        TEST_ASSERT_EQUAL_INT64(step / 4 + 1, pl_schedule_count(&s, step));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 25, pl_schedule_rate(&s));
}

static void test_more_frames_than_steps(void)
{
    pl_schedule s = {.dt = 0.01, .fps = 101};
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_schedule_check(&s));
    TEST_ASSERT_EQUAL_STRING("--fps: 101 frames, but only 100 steps in a second", pl_error_text());
}

static void test_the_last_step(void)
{
    int64_t last;
    TEST_ASSERT_EQUAL(PL_OK, pl_schedule_last(0, 0, 0.001, 0.3, &last));
    TEST_ASSERT_EQUAL_INT64(300, last);
    TEST_ASSERT_EQUAL(PL_OK, pl_schedule_last(0, 0, 0.001, 0.3001, &last));
    TEST_ASSERT_EQUAL_INT64(301, last);
    TEST_ASSERT_EQUAL(PL_OK, pl_schedule_last(7, 0.2, 0.001, 0.3, &last)); // it goes on
    TEST_ASSERT_EQUAL_INT64(107, last);
    TEST_ASSERT_EQUAL(PL_ERROR_ARGUMENT, pl_schedule_last(0, 0, 1e-9, 1e9, &last));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_frames_are_nearest);
    RUN_TEST(test_every);
    RUN_TEST(test_more_frames_than_steps);
    RUN_TEST(test_the_last_step);
    return UNITY_END();
}
