// A simulation in its own thread: commands in, snapshots out, and nobody waits.

#include "../apps/view/simulation.h"
#include "pliant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static pl_simulation *simulation;

void setUp(void)
{
}
void tearDown(void)
{
    pl_simulation_stop(simulation);
    simulation = NULL;
}

static void start(const char *text, bool paused)
{
    pl_scene scene;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_parse(text, "test.json", &scene), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_simulation_start(&scene, 1, paused, &simulation),
                              pl_error_text());
}

// Looks until the condition holds of the snapshot `now`; fails after 60 s, which a sanitizer may
// need.
#define WAIT_FOR(condition)                                                                        \
    for (double end = pl_seconds() + 60;;) {                                                       \
        now = pl_simulation_look(simulation);                                                      \
        if (condition) break;                                                                      \
        TEST_ASSERT_TRUE_MESSAGE(pl_seconds() < end, #condition);                                  \
        usleep(2000);                                                                              \
    }

static const char CUBE[] =
    "{\"world\": {\"dt\": 0.01}, \"bodies\": ["
    "{\"mesh\": \"box:size=0.4,0.4,0.4:cells=2,2,2\", \"position\": [0, 0, 0.3]},"
    "{\"mesh\": \"box:size=0.4,0.4,0.4\", \"type\": \"rigid\", \"position\": [1, 0, 0.21]}]}";

// The same, but what is seen and held are balls that the boxes carry.
static const char CARRIED[] =
    "{\"world\": {\"dt\": 0.01}, \"bodies\": ["
    "{\"mesh\": \"box:size=0.4,0.4,0.4:cells=2,2,2\", \"position\": [0, 0, 0.3],"
    " \"render_mesh\": \"icosphere:radius=0.19:level=2:shells=1\"},"
    "{\"mesh\": \"box:size=0.4,0.4,0.4\", \"type\": \"rigid\", \"position\": [1, 0, 0.21],"
    " \"render_mesh\": \"icosphere:radius=0.19:level=2:shells=1\"}]}";

static void centre_of(const pl_snapshot *now, int32_t body, double out[3])
{
    const pl_view_body *b = &now->body[body];
    memset(out, 0, 3 * sizeof *out);
    for (int32_t v = b->vert; v < b->vert + b->n_vert; v++) {
        for (int k = 0; k < 3; k++) out[k] += now->x[3 * v + k] / b->n_vert;
    }
}

static void test_pause_step_and_reset(void)
{
    const pl_snapshot *now;
    start(CUBE, true);
    now = pl_simulation_look(simulation);
    TEST_ASSERT_EQUAL(2, now->n_bodies);
    TEST_ASSERT_TRUE(now->paused && now->body[0].movable && now->body[1].movable);
    TEST_ASSERT_EQUAL(0, now->stats.step);
    for (int i = 1; i <= 3; i++) {
        pl_simulation_step(simulation);
        WAIT_FOR(now->stats.step == i);
    }
    usleep(50000);
    now = pl_simulation_look(simulation);
    TEST_ASSERT_EQUAL(3, now->stats.step);
    pl_simulation_pause(simulation);
    WAIT_FOR(now->stats.step > 10 && !now->paused);
    pl_simulation_pause(simulation);
    WAIT_FOR(now->paused);
    pl_simulation_reset(simulation);
    WAIT_FOR(now->stats.step == 0);
    double centre[3];
    centre_of(now, 0, centre);
    TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.3, centre[2]);
}

static void test_time_passes_as_on_the_clock(void)
{
    const pl_snapshot *now;
    start("{\"world\": {\"dt\": 0.02, \"contact\": false, \"gravity\": [0, 0, 0]}, \"bodies\": "
          "[{\"mesh\": \"cube\"}]}",
          false);
    WAIT_FOR(now->stats.step > 0);
    double begin = pl_seconds(), since = now->stats.time;
    WAIT_FOR(pl_seconds() > begin + 0.5);
    TEST_ASSERT_TRUE(now->stats.time - since <= 0.5 + 0.15); // it may catch up a tenth
    for (int i = 0; i < 3; i++) pl_simulation_faster(simulation, false);
    WAIT_FOR(now->speed == 0.125);
    begin = pl_seconds();
    since = now->stats.time;
    WAIT_FOR(pl_seconds() > begin + 0.5);
    TEST_ASSERT_TRUE(now->stats.time - since < 0.2);
    for (int i = 0; i < 5; i++) pl_simulation_faster(simulation, true);
    WAIT_FOR(now->speed == 1);
}

static void test_bodies_are_dragged(void)
{
    const pl_snapshot *now;
    for (int trial = 0; trial < 4; trial++) {
        int32_t body = trial % 2;
        start(trial < 2 ? CUBE : CARRIED, false);
        const double third[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, up[3] = {0.3, 0.6, 1.6};
        pl_simulation_grab(simulation, body, 0, third, up);
        WAIT_FOR(now->held == body);
        WAIT_FOR(now->stats.time > 1);
        double centre[3];
        centre_of(now, body, centre);
        TEST_ASSERT_TRUE(centre[2] > 1);
        TEST_ASSERT_DOUBLE_WITHIN(0.3, up[2], now->point[2]);
        TEST_ASSERT_DOUBLE_WITHIN(0.3, up[1], now->point[1]);
        pl_simulation_drag(simulation, (double[]){0.3, 0.6, -2}); // into the ground
        WAIT_FOR(now->stats.time > 1.5);
        TEST_ASSERT_EQUAL_STRING("", now->message);
        for (int32_t v = 0; v < now->n_vert; v++) TEST_ASSERT_TRUE(now->x[3 * v + 2] > 0);
        pl_simulation_release(simulation);
        WAIT_FOR(now->held == -1);
        tearDown();
    }
}

static void test_switches(void)
{
    const pl_snapshot *now;
    start(CUBE, false);
    now = pl_simulation_look(simulation);
    char first[64];
    snprintf(first, sizeof first, "%s", now->solver);
    pl_simulation_next_solver(simulation);
    WAIT_FOR(strcmp(now->solver, first) != 0);
    pl_simulation_next_precond(simulation);
    WAIT_FOR(strcmp(now->precond, "diag") == 0);
    for (int i = 0; i < 12; i++) pl_simulation_rougher(simulation, false);
    WAIT_FOR(now->friction == 0);
    pl_simulation_rougher(simulation, true);
    WAIT_FOR(now->friction == 0.1);
    for (pl_quantity q = PL_QUANTITY_STRESS; q < PL_QUANTITY_COUNT; q++) {
        pl_simulation_show(simulation, q);
        WAIT_FOR(now->quantity == q);
        for (int32_t v = 0; v < now->n_vert; v++) TEST_ASSERT_TRUE(now->value[v] >= 0);
    }
    WAIT_FOR(now->n_contacts > 0 && now->stats.contacts > 0 && now->steps_per_second > 0);
}

// A surface becomes a body above the others; what is no mesh leaves a sentence, and all goes on.
static void test_a_file_is_dropped(void)
{
    const pl_snapshot *now;
    char path[] = "/tmp/pliant_drop_XXXXXX.off";
    int file = mkstemps(path, 4);
    const char *text = "OFF\n4 4 0\n0 0 0\n30 0 0\n0 30 0\n0 0 30\n"
                       "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    TEST_ASSERT_TRUE(write(file, text, strlen(text)) > 0);
    close(file);
    start(CUBE, false);
    WAIT_FOR(now->stats.step > 20);
    int32_t generation = now->generation;
    pl_simulation_drop(simulation, path);
    WAIT_FOR(now->n_bodies == 3);
    TEST_ASSERT_TRUE(now->generation != generation);
    double centre[3];
    centre_of(now, 2, centre);
    TEST_ASSERT_TRUE(centre[2] > 0.5); // above the cubes, and of their size
    TEST_ASSERT_TRUE(centre[2] < 1.2);
    int64_t step = now->stats.step;
    TEST_ASSERT_TRUE(step > 20); // it went on, not began again
    WAIT_FOR(now->stats.step > step + 50);
    pl_simulation_drop(simulation, "/nowhere/nothing.off");
    WAIT_FOR(strstr(now->message, "nothing.off") != NULL);
    TEST_ASSERT_EQUAL(3, now->n_bodies);
    step = now->stats.step;
    WAIT_FOR(now->stats.step > step + 5);
    pl_simulation_reset(simulation);
    WAIT_FOR(now->stats.time < 0.1 && now->n_bodies == 3);
    step = now->stats.step;
    WAIT_FOR(now->stats.step > step + 50 || now->message[0] != '\0');
    TEST_ASSERT_EQUAL_STRING("", now->message);
    unlink(path);
}

// A rigid brick in a press: at some time no step is left. The state before stays.
static void test_a_step_that_fails_pauses(void)
{
    const pl_snapshot *now;
    start("{\"world\": {\"dt\": 0.01, \"halvings\": 0, \"rounds\": 3,"
          " \"contact_iterations\": 200}, \"bodies\": ["
          "{\"mesh\": \"box:size=0.2,0.2,0.2\", \"type\": \"rigid\", \"position\": [0, 0, 0.11]},"
          "{\"mesh\": \"box:size=1,1,0.1\", \"type\": \"kinematic\", \"position\": [0, 0, 0.4],"
          " \"motion\": {\"velocity\": [0, 0, -1]}}]}",
          false);
    WAIT_FOR(now->message[0] != '\0');
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(now->message, "failed: "), now->message);
    TEST_ASSERT_TRUE(now->paused);
    double centre[3];
    centre_of(now, 0, centre);
    TEST_ASSERT_DOUBLE_WITHIN(0.02, 0.1, centre[2]);
    int32_t messages = now->messages;
    pl_simulation_step(simulation); // again, in vain
    WAIT_FOR(now->messages > messages);
    pl_simulation_reset(simulation);
    WAIT_FOR(now->stats.step == 0 && now->message[0] == '\0');
}

// While a step of a large body is under way, looking and telling take no time.
static void test_nobody_waits_for_a_step(void)
{
    const pl_snapshot *now;
    start("{\"world\": {\"dt\": 0.01, \"contact\": false, \"tolerance\": 1e-13}, \"bodies\": "
          "[{\"mesh\": \"box:cells=24,24,24\", \"fixed\": {\"above\": 0.49}}]}",
          false);
    double longest = 0, end = pl_seconds() + 1.5;
    int64_t before = pl_simulation_look(simulation)->number;
    while (pl_seconds() < end) {
        double begin = pl_seconds();
        pl_simulation_drag(simulation, (double[]){0, 0, 0});
        now = pl_simulation_look(simulation);
        longest = fmax(longest, pl_seconds() - begin);
        usleep(1000);
    }
    WAIT_FOR(now->number > before);
    double step = now->stats.t_total;
    char text[128];
    snprintf(text, sizeof text, "%g s for a look, %g s for a step", longest, step);
    TEST_ASSERT_TRUE_MESSAGE(longest < 0.5 * step || longest < 0.02, text);
}

static void test_a_scene_that_cannot_start(void)
{
    pl_scene scene;
    const char *text = "{\"bodies\": [{\"mesh\": \"cube\", \"material\": null}]}";
    TEST_ASSERT_EQUAL(PL_OK, pl_scene_parse(text, "test.json", &scene));
    TEST_ASSERT_EQUAL(PL_ERROR_FORMAT, pl_simulation_start(&scene, 1, false, &simulation));
    TEST_ASSERT_NULL(simulation);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_pause_step_and_reset);
    RUN_TEST(test_time_passes_as_on_the_clock);
    RUN_TEST(test_bodies_are_dragged);
    RUN_TEST(test_switches);
    RUN_TEST(test_a_file_is_dropped);
    RUN_TEST(test_a_step_that_fails_pauses);
    RUN_TEST(test_nobody_waits_for_a_step);
    RUN_TEST(test_a_scene_that_cannot_start);
    return UNITY_END();
}
