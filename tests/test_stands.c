// What stands by friction: the scenes arch-25 and cards-rigid as they are, with a friction of 0.5,
// and with 0.1 in its place; and the cradle, whose impacts pass on.

#include "mechanisms.h"
#include "../apps/scene/scene.h"

void setUp(void)
{
}

void tearDown(void)
{
}

static char *read_scene(const char *path)
{
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    char *text = calloc(1, 100000);
    TEST_ASSERT_TRUE(fread(text, 1, 99999, file) > 0);
    fclose(file);
    return text;
}

static pl_world *world_of(char *text, const char *path)
{
    pl_scene scene;
    pl_world *world;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(text, path, &scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(&scene, &world), pl_error_text());
    pl_scene_free(&scene);
    free(text);
    return world;
}

// How far the highest of its bodies has come down after n steps [m].
static double top_falls(const char *path, const char *friction, int n)
{
    static const char KEY[] = "\"friction\": 0.5";
    char *text = read_scene(path);
    int replaced = 0;
    for (char *at = strstr(text, KEY); at != NULL; at = strstr(at + 1, KEY), replaced++) {
        memcpy(at + sizeof KEY - 4, friction, 3);
    }
    TEST_ASSERT_TRUE(replaced > 7); // the ground and all bodies
    pl_world *world = world_of(text, path);
    double before = -INFINITY, after = -INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < pl_world_body_count(world); i++) {
            if (pl_world_kind(world, i) != PL_BODY_RIGID) continue;
            double *top = pass == 0 ? &before : &after;
            *top = fmax(*top, frame_of(world, i).centre[2]);
        }
        if (pass == 0) step(world, n);
    }
    pl_world_destroy(world);
    return before - after;
}

static void test_an_arch(void)
{
    TEST_ASSERT_TRUE(top_falls("apps/scenes/arch-25.json", "0.5", 120) < 2e-3);
    TEST_ASSERT_TRUE(top_falls("apps/scenes/arch-25.json", "0.1", 70) > 0.2);
}

static void test_a_house_of_cards(void)
{
    TEST_ASSERT_TRUE(top_falls("apps/scenes/cards-rigid.json", "0.5", 120) < 1e-3);
    TEST_ASSERT_TRUE(top_falls("apps/scenes/cards-rigid.json", "0.1", 60) > 0.1);
}

// The first ball falls and stops, and the last one swings out to its height; the three between stay
// where they are. A quarter of a period later.
static void test_a_cradle(void)
{
    static const char path[] = "apps/scenes/cradle.json";
    pl_world *world = world_of(read_scene(path), path);
    double high = -INFINITY, start = 0, moved = 0;
    int32_t ball[5], n = 0; // the first five that are rigid: strings follow
    for (int32_t i = 0; i < pl_world_body_count(world) && n < 5; i++) {
        if (pl_world_kind(world, i) == PL_BODY_RIGID) ball[n++] = i;
    }
    start = frame_of(world, ball[0]).centre[2];
    double rest = frame_of(world, ball[2]).centre[0];
    for (int i = 0; i < 300; i++) { // 0.28 s to the impact, and as long to the height
        step(world, 1);
        high = fmax(high, frame_of(world, ball[4]).centre[2]);
        moved = fmax(moved, fabs(frame_of(world, ball[2]).centre[0] - rest));
    }
    pl_frame first = frame_of(world, ball[0]);
    TEST_ASSERT_DOUBLE_WITHIN(0.05 * (start - 0.3), start, high);
    TEST_ASSERT_DOUBLE_WITHIN(0.02 * (start - 0.3), 0.3, first.centre[2]);
    TEST_ASSERT_TRUE(moved < 2e-3);
    pl_world_destroy(world);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_an_arch);
    RUN_TEST(test_a_house_of_cards);
    RUN_TEST(test_a_cradle);
    return UNITY_END();
}
