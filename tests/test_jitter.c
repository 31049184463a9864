// Starts that differ a little: what moves, how far, and that bodies stay apart.

#include "../apps/scene/jitter.h"
#include "../base/file.h"
#include "../world/audit_world.h"
#include "../meshes/mesh.h"
#include "failing_alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unity.h>

static char path[] = "/tmp/pliant_jitter_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
}

static void load(const char *text, pl_scene *scene)
{
    pl_output out;
    TEST_ASSERT_EQUAL(PL_OK, pl_output_open(path, &out));
    pl_output_write(&out, text, strlen(text));
    TEST_ASSERT_EQUAL(PL_OK, pl_output_close(&out));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_load(path, scene), pl_error_text());
}

static void load_jittered(const char *text, int32_t seed, pl_scene *scene)
{
    load(text, scene);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_jitter(scene, seed), pl_error_text());
}

// The largest displacement of a vertex between two scenes, and if any two of a body's vertices have
// changed their distance.
static double compare(const pl_mesh *a, const pl_mesh *b, bool *bent)
{
    double most = 0;
    for (int32_t i = 0; i < a->n_vert; i++) {
        double square = 0, before = 0, after = 0;
        for (int k = 0; k < 3; k++) {
            double d = b->x[3 * i + k] - a->x[3 * i + k];
            double p = a->x[3 * i + k] - a->x[k], q = b->x[3 * i + k] - b->x[k];
            square += d * d;
            before += p * p;
            after += q * q;
        }
        most = fmax(most, sqrt(square));
        *bent = *bent || fabs(sqrt(before) - sqrt(after)) > 1e-13;
    }
    return most;
}

#define CUBE(more) "{\"mesh\": \"cube:cells=2\", " more "}"
#define KINDS                                                                                                                                                                                         \
    CUBE("\"position\": [0, 0, 0.51]")                                                                                                                                                                \
    ", " CUBE("\"type\": \"rigid\", \"position\": [3, 0, 5]") ", " CUBE(                                                                                                                              \
        "\"type\": \"static\", "                                                                                                                                                                      \
        "\"position\": [6, 0, 5]") ", " CUBE("\"type\": \"kinematic\", \"position\": [9, 0, 5]") ", " CUBE("\"fixed\": [0], \"position\": [12, 0, 5]") ", " CUBE("\"driven\": [{\"select\": [0], "    \
                                                                                                                                                                 "\"motion\": {}}], \"position\": "   \
                                                                                                                                                                 "[15, 0, 5]") ", " CUBE("\"material" \
                                                                                                                                                                                         "\": null, " \
                                                                                                                                                                                         "\"position" \
                                                                                                                                                                                         "\": [18, "  \
                                                                                                                                                                                         "0, 5]")

static const char SCENE[] = "{\"bodies\": [" KINDS "]}"; // the first is 0.01 m above the ground
static const char FREE[] = "{\"world\": {\"contact\": false}, \"bodies\": [" KINDS "]}";

static void test_free_bodies_move(void)
{
    static const char *const texts[] = {SCENE, FREE};
    // 0.3 of the smallest distance, or 0.01 of a cube's diagonal.
    const double bounds[] = {0.003, 0.01 * 1.7320508076};
    for (int t = 0; t < 2; t++) {
        pl_scene still, moved;
        double most = 0;
        load(texts[t], &still);
        for (int32_t seed = 1; seed <= 50; seed++) {
            load_jittered(texts[t], seed, &moved);
            for (int32_t i = 0; i < still.n_bodies; i++) {
                bool bent = false;
                double by = compare(still.bodies[i].mesh, moved.bodies[i].mesh, &bent);
                TEST_ASSERT_EQUAL(i<2, by> 0); // deformable and rigid
                TEST_ASSERT_TRUE(by <= bounds[t]);
                TEST_ASSERT_FALSE(bent);
                most = fmax(most, by);
            }
            pl_scene_free(&moved);
        }
        TEST_ASSERT_TRUE(most > 0.6 * bounds[t]); // the bound is made use of
        pl_scene_free(&still);
    }
}

static void test_seeds(void)
{
    pl_scene a, b, c;
    bool bent = false;
    load_jittered(SCENE, 7, &a);
    load_jittered(SCENE, 7, &b);
    load_jittered(SCENE, 8, &c);
    for (int32_t i = 0; i < 2; i++) {
        TEST_ASSERT_TRUE(compare(a.bodies[i].mesh, b.bodies[i].mesh, &bent) == 0);
        TEST_ASSERT_TRUE(compare(a.bodies[i].mesh, c.bodies[i].mesh, &bent) > 0);
    }
    // Two bodies of one seed go different ways.
    double by[2];
    pl_scene still;
    load(SCENE, &still);
    for (int i = 0; i < 2; i++) by[i] = a.bodies[i].mesh->x[0] - still.bodies[i].mesh->x[0];
    TEST_ASSERT_TRUE(by[0] != by[1]);
    pl_scene_free(&a);
    pl_scene_free(&b);
    pl_scene_free(&c);
    pl_scene_free(&still);
}

static double gap_of(const pl_scene *scene)
{
    pl_world *world;
    double gap;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_scene_world(scene, &world), pl_error_text());
    TEST_ASSERT_EQUAL(PL_OK, pl_world_measure_gap(world, &gap));
    pl_world_destroy(world);
    return gap;
}

// A block of cubes that nearly touch keeps 0.4 of its smallest gap, with a radius as without.
static void test_what_is_apart_stays_apart(void)
{
    static const char *const texts[] = {
        "{\"ground\": false, \"bodies\": [" CUBE(
            "\"copies\": {\"count\": [3, 3, 3], \"spacing\": [1.001, 1.001, 1.001]}") "]}",
        "{\"ground\": false, \"bodies\": [" CUBE(
            "\"radius\": 0.0004,"
            " \"copies\": {\"count\": [3, 3, 3], \"spacing\": [1.001, 1.001, 1.001]}") "]}"};
    const double gaps[] = {0.001, 0.0002};
    for (int t = 0; t < 2; t++) {
        for (int32_t seed = 1; seed <= 8; seed++) {
            pl_scene scene;
            load(texts[t], &scene);
            TEST_ASSERT_DOUBLE_WITHIN(1e-12, gaps[t], gap_of(&scene));
            TEST_ASSERT_EQUAL(PL_OK, pl_scene_jitter(&scene, seed));
            double gap = gap_of(&scene);
            TEST_ASSERT_TRUE(gap >= 0.4 * gaps[t] - 1e-12 && gap != gaps[t]);
            pl_scene_free(&scene);
        }
    }
}

// Where bodies overlap nothing is moved: the run tells which they are.
static void test_bodies_that_overlap(void)
{
    static const char text[] = "{\"bodies\": [" CUBE("\"position\": [0, 0, 3]") ", " CUBE(
        "\"position\": [0.5, 0, 3]") "]}";
    pl_scene still, scene;
    bool bent = false;
    load(text, &still);
    load_jittered(text, 1, &scene);
    TEST_ASSERT_TRUE(gap_of(&scene) == 0);
    for (int i = 0; i < 2; i++) {
        TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0,
                                  compare(still.bodies[i].mesh, scene.bodies[i].mesh, &bent));
    }
    pl_scene_free(&scene);
    pl_scene_free(&still);
}

static pl_status jitter(void *user)
{
    return pl_scene_jitter(user, 1);
}

static void test_allocations_fail(void)
{
    pl_scene scene;
    load("{\"bodies\": [" CUBE("\"position\": [0, 0, 3]") "]}", &scene);
    TEST_ASSERT_TRUE(fail_each_allocation(jitter, &scene) > 10);
    pl_scene_free(&scene);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    UNITY_BEGIN();
    RUN_TEST(test_free_bodies_move);
    RUN_TEST(test_seeds);
    RUN_TEST(test_what_is_apart_stays_apart);
    RUN_TEST(test_bodies_that_overlap);
    RUN_TEST(test_allocations_fail);
    unlink(path);
    return UNITY_END();
}
