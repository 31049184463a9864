// The loop that steps a scene: where it ends, what it says, how it goes on.

#include "../apps/scene/play.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
}

void tearDown(void)
{
}

// A cube that falls for ever, in steps of 10 ms.
static const char FALL[] =
    "{\"world\": {\"dt\": 0.01}, \"ground\": false, \"bodies\": [{\"mesh\": \"cube:cells=1\"}]}";

static pl_play open_play(void)
{
    pl_scene scene;
    pl_play play;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(FALL, "fall.json", &scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_open(&scene, &play), pl_error_text());
    pl_scene_free(&scene);
    return play;
}

// Counts, and stops or fails at a step.
typedef struct watch {
    int64_t n, stop_at, fail_at;
} watch;

static pl_status look(pl_play *play, void *user)
{
    watch *w = user;
    w->n++;
    TEST_ASSERT_EQUAL_INT64(pl_world_steps(play->world), play->stats.step);
    play->stop = play->stats.step == w->stop_at;
    return play->stats.step == w->fail_at ? pl_fail(PL_ERROR_FILE, "no room") : PL_OK;
}

static void test_ends_at_its_last_step(void)
{
    pl_play play = open_play();
    watch w = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, look, &w)); // it has none yet
    TEST_ASSERT_EQUAL_INT64(0, w.n);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&play, 0.045));
    TEST_ASSERT_EQUAL_INT64(5, play.last);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, look, &w));
    TEST_ASSERT_EQUAL_INT64(5, w.n);
    TEST_ASSERT_FALSE(play.late || play.stop || play.failed);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, look, &w));
    TEST_ASSERT_EQUAL_INT64(5, w.n);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play)); // whatever the last one is
    TEST_ASSERT_EQUAL_INT64(6, play.stats.step);
    pl_play_close(&play);
}

static void test_stops_and_goes_on(void)
{
    pl_play play = open_play();
    watch w = {.stop_at = 2, .fail_at = 4};
    play.last = 6;
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, look, &w));
    TEST_ASSERT_TRUE(play.stop);
    TEST_ASSERT_EQUAL_INT64(2, w.n);
    expect_failure(PL_ERROR_FILE, pl_play_run(&play, look, &w), "no room");
    TEST_ASSERT_FALSE(play.failed); // no step did
    TEST_ASSERT_EQUAL(PL_ERROR_FILE, pl_play_explain(&play, PL_ERROR_FILE));
    TEST_ASSERT_EQUAL_STRING("no room", pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, NULL, NULL));
    TEST_ASSERT_EQUAL_INT64(6, pl_world_steps(play.world));
    pl_play_close(&play);
}

// Bodies that intersect: the first step fails, and is named.
static void test_a_step_that_fails_is_named(void)
{
    pl_world *world = make_world(NULL);
    add_body(world, "cube:cells=1", NULL);
    add_body(world, "cube:cells=2", NULL);
    pl_play play = pl_play_of(world);
    play.last = 3;
    pl_status status = pl_play_run(&play, NULL, NULL);
    TEST_ASSERT_EQUAL(PL_ERROR_GEOMETRY, status);
    TEST_ASSERT_TRUE(play.failed);
    expect_failure(PL_ERROR_GEOMETRY, pl_play_explain(&play, status), "step 1, from 0 s: body 0");
    pl_play_close(&play);
}

static void test_the_deadline(void)
{
    pl_play play = open_play();
    watch w = {0};
    play.last = INT64_MAX;
    play.deadline = pl_seconds() + 0.05;
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&play, look, &w));
    TEST_ASSERT_TRUE(play.late);
    TEST_ASSERT_TRUE(w.n > 0 && pl_seconds() >= play.deadline);
    TEST_ASSERT_EQUAL_INT64(w.n, pl_world_steps(play.world));
    // A step that has no time left is given up, and leaves the state as it was.
    TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
    TEST_ASSERT_TRUE(play.gave_up);
    TEST_ASSERT_FALSE(play.failed);
    TEST_ASSERT_EQUAL_INT64(w.n, pl_world_steps(play.world));
    pl_play_close(&play);
}

static void test_resumes(void)
{
    char path[] = "/tmp/pliant_play_XXXXXX";
    int fd = mkstemp(path);
    TEST_ASSERT_TRUE(fd >= 0);
    close(fd);
    pl_play whole = open_play(), part = open_play();
    whole.last = 7;
    part.last = 3;
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&whole, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&part, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save(part.world, path));
    pl_play_close(&part);
    part = open_play();
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_play_resume(&part, path), pl_error_text());
    TEST_ASSERT_EQUAL_INT64(3, part.first);
    TEST_ASSERT_EQUAL(PL_OK, pl_play_until(&part, 0.07));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_run(&part, NULL, NULL));
    TEST_ASSERT_EQUAL_HEX64(whole.stats.hash, part.stats.hash);
    unlink(path);
    expect_failure(PL_ERROR_FILE, pl_play_resume(&part, path), path);
    pl_play_close(&part);
    pl_play_close(&whole);
}

static void test_frames(void)
{
    pl_play play = open_play();
    play.schedule.every = 2;
    TEST_ASSERT_TRUE(pl_play_is_frame(&play));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
    TEST_ASSERT_FALSE(pl_play_is_frame(&play));
    TEST_ASSERT_EQUAL(PL_OK, pl_play_step(&play));
    TEST_ASSERT_TRUE(pl_play_is_frame(&play));
    pl_play_close(&play);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_ends_at_its_last_step);
    RUN_TEST(test_stops_and_goes_on);
    RUN_TEST(test_a_step_that_fails_is_named);
    RUN_TEST(test_the_deadline);
    RUN_TEST(test_resumes);
    RUN_TEST(test_frames);
    return UNITY_END();
}
