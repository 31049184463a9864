// A simulator as a process of its own: what it is told of a trial is the trial, and what it answers
// arrives. The simulator is this program once more: its bodies fall.

#define main peer_main
#include "peers/trial_serve.c"
#undef main

#include "../base/base.h"

#include "unity.h"

void setUp(void)
{
}

void tearDown(void)
{
}

// --- The simulator: the start, then poses that say which step it is ---

static const pl_trial *told;
static int steps, most;

// Refuses unless the trial is number `setting`, to the last bit.
bool trial_open(const pl_trial *t, const trial_mesh *mesh, const char *setting)
{
    pl_trial true_one;
    int number = 0;
    if (sscanf(setting, "%d %d", &number, &most) != 2) return false;
    if (pl_trial_make(number, true, &true_one) != PL_OK) return false;
    bool same = t->n_body == true_one.n_body && t->n_joint == true_one.n_joint &&
                t->n_plane == true_one.n_plane && t->dt == true_one.dt &&
                t->friction == true_one.friction && t->touch == true_one.touch &&
                memcmp(t->gravity, true_one.gravity, sizeof t->gravity) == 0 &&
                memcmp(t->plane, true_one.plane, sizeof t->plane) == 0 &&
                memcmp(t->joint, true_one.joint, (size_t)t->n_joint * sizeof *t->joint) == 0 &&
                memcmp(t->body, true_one.body, (size_t)t->n_body * sizeof *t->body) == 0;
    for (int32_t i = 0; i < t->n_body && same; i++) {
        pl_mesh *soft;
        if (t->body[i].shape != PL_TRIAL_SOFT) continue;
        if (pl_trial_soft_mesh(&t->body[i], &soft) != PL_OK) return false;
        int32_t n_vert = pl_mesh_vertex_count(soft), n_tet = pl_mesh_tet_count(soft);
        same = mesh[i].n_vert == n_vert && mesh[i].n_tet == n_tet &&
               memcmp(mesh[i].x, pl_mesh_positions(soft), 24 * (size_t)n_vert) == 0 &&
               memcmp(mesh[i].tet, pl_mesh_tets(soft), 16 * (size_t)n_tet) == 0;
        pl_mesh_destroy(soft);
    }
    pl_trial_free(&true_one);
    told = t;
    return same;
}

bool trial_advance(void)
{
    return ++steps <= most;
}

void trial_get(pl_trial_pose *pose)
{
    for (int32_t i = 0; i < told->n_body; i++) {
        pose[i] = told->body[i].start;
        pose[i].x[2] += steps;
    }
}

// --- The tests ---

static char self[4096];

static void *open_child(int number, const char *setting, pl_trial *trial)
{
    const pl_trial_engine engine = {.name = "falling", .program = self, .setting = setting};
    TEST_ASSERT_EQUAL(PL_OK, pl_trial_make(number, true, trial));
    return pl_trial_child_open(&engine, trial);
}

static void test_the_trial_arrives_to_the_bit(void)
{
    for (int i = 0; i < pl_trial_count(); i++) {
        pl_trial trial;
        char setting[32];
        snprintf(setting, sizeof setting, "%d 1", i);
        void *sim = open_child(i, setting, &trial);
        TEST_ASSERT_NOT_NULL_MESSAGE(sim, trial.name);
        pl_trial_child_close(sim);
        pl_trial_free(&trial);
    }
}

static void test_steps_are_answered_until_one_fails(void)
{
    pl_trial trial;
    pl_trial_pose pose[64];
    double seconds = -1;
    void *sim = open_child(1, "1 2", &trial);
    TEST_ASSERT_TRUE(sim != NULL && trial.n_body <= 64);
    for (int k = 0; k <= 2; k++) {
        pl_trial_child_get(sim, pose);
        for (int32_t i = 0; i < trial.n_body; i++) {
            TEST_ASSERT_TRUE(pose[i].x[0] == trial.body[i].start.x[0]);
            TEST_ASSERT_TRUE(pose[i].x[2] == trial.body[i].start.x[2] + k);
        }
        if (k == 2) break;
        TEST_ASSERT_TRUE(pl_trial_child_step(sim, &seconds) && seconds >= 0);
    }
    TEST_ASSERT_FALSE(pl_trial_child_step(sim, &seconds));
    TEST_ASSERT_FALSE(pl_trial_child_step(sim, &seconds)); // it is gone
    pl_trial_child_close(sim);
    pl_trial_free(&trial);
}

static void test_a_simulator_that_refuses(void)
{
    pl_trial trial;
    TEST_ASSERT_NULL(open_child(1, "2 1", &trial));
    pl_trial_free(&trial);
    const pl_trial_engine none = {.name = "none", .program = "/nowhere/peer", .setting = ""};
    TEST_ASSERT_EQUAL(PL_OK, pl_trial_make(0, true, &trial));
    TEST_ASSERT_NULL(pl_trial_child_open(&none, &trial));
    pl_trial_free(&trial);
}

// The moments of a ball and of a long rod are those of books.
static void test_the_inertia_of_capsules(void)
{
    double moment[3];
    pl_trial_body ball = {.shape = PL_TRIAL_CAPSULE, .half = {0.3, 0, 0}, .mass = 2};
    trial_inertia(&ball, moment);
    for (int k = 0; k < 3; k++) TEST_ASSERT_DOUBLE_WITHIN(1e-15, 0.4 * 2 * 0.09, moment[k]);
    pl_trial_body rod = {.shape = PL_TRIAL_CAPSULE, .half = {1e-6, 3, 0}, .mass = 2};
    trial_inertia(&rod, moment);
    TEST_ASSERT_DOUBLE_WITHIN(1e-5, 2 * 36.0 / 12, moment[0]);
}

int main(int argc, char **argv)
{
    if (argc == 2) return peer_main(argc, argv);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    UNITY_BEGIN();
    RUN_TEST(test_the_trial_arrives_to_the_bit);
    RUN_TEST(test_steps_are_answered_until_one_fails);
    RUN_TEST(test_a_simulator_that_refuses);
    RUN_TEST(test_the_inertia_of_capsules);
    return UNITY_END();
}
