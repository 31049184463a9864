// Steps that fail: the state that they leave, and how long they may take.

#include "../base/team.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
    pl_threads_set(1);
}

void tearDown(void)
{
}

// --- A press ---

typedef struct press {
    double speed;  // of the upper plate, downward [m/s]
    double height; // of the room between the plates at the start [m]
    bool rigid;    // the body between them, a cube of 0.3 m
} press;

static pl_mesh *mesh_at(const char *shape, double z)
{
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    return mesh;
}

static void add_plate(pl_world *world, double z, double speed)
{
    pl_kinematic_options plate = pl_kinematic_options_default();
    plate.motion.velocity[2] = -speed;
    pl_mesh *mesh = mesh_at("box:size=1,1,0.1:cells=2,2,1", z);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, &plate, NULL));
    pl_mesh_destroy(mesh);
}

static pl_world *make_press(const pl_world_options *options, const press *p)
{
    pl_world *world = make_world(options);
    add_plate(world, -0.05, 0);
    add_plate(world, p->height + 0.05, p->speed);
    pl_mesh *mesh = mesh_at(p->rigid ? "cube:size=0.3:cells=1" : "cube:size=0.3:cells=3", 0.1502);
    pl_status status = p->rigid ? pl_world_add_rigid(world, mesh, NULL, NULL)
                                : pl_world_add_deformable(world, mesh, NULL, NULL);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_mesh_destroy(mesh);
    return world;
}

// --- What a step that fails leaves ---

static void read_state(const pl_world *world, const char *path, char *bytes, size_t room,
                       size_t *size)
{
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_save(world, path), pl_error_text());
    FILE *file = fopen(path, "rb");
    TEST_ASSERT_NOT_NULL(file);
    *size = fread(bytes, 1, room, file);
    fclose(file);
    TEST_ASSERT_TRUE(*size > 0 && *size < room);
}

// The plate leaves a rigid brick room for a half of the last step, and none for the other half.
// After the failure the state is what it was, with the forces that the next step starts from.
static void test_a_step_that_fails_after_one_half_leaves_everything_as_it_was(void)
{
    enum { ROOM = 1 << 20 };
    static char before[ROOM], after[ROOM];
    char path[] = "/tmp/pliant-step-XXXXXX";
    close(mkstemp(path));
    pl_world_options options = pl_world_options_default();
    options.contact_iterations = 300;
    const press closing = {.speed = 0.4, .height = 0.31, .rigid = true};
    pl_world *world = make_press(&options, &closing);
    pl_status status = PL_OK;
    pl_step_stats stats = {0};
    size_t size = 0, size_after = 0;
    for (int i = 0; i < 100 && status == PL_OK; i++) {
        read_state(world, path, before, ROOM, &size);
        status = pl_world_step(world, &stats);
    }
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, status);
    TEST_ASSERT_TRUE(stats.contacts > 0); // of a half that was accepted
    read_state(world, path, after, ROOM, &size_after);
    TEST_ASSERT_EQUAL(size, size_after);
    TEST_ASSERT_EQUAL_MEMORY(before, after, size);
    remove(path);
    pl_world_destroy(world);
}

// --- Limits of time ---

// Steps until one fails; returns how long that one took [s], and the hash of before it.
static double step_to_failure(pl_world *world, pl_status *status, uint64_t *hash)
{
    double seconds = 0;
    *status = PL_OK;
    for (int i = 0; i < 1000 && *status == PL_OK; i++) {
        *hash = pl_world_hash(world);
        double start = pl_seconds();
        *status = pl_world_step(world, NULL);
        seconds = pl_seconds() - start;
    }
    return seconds;
}

// A soft cube between plates that close to nothing. For a while it gives way; then no solver finds
// an end, and all rounds and halvings would take minutes.
static void test_a_soft_body_crushed_to_nothing_ends_in_time(void)
{
    const double limit = 1; // [s]
    pl_world_options options = pl_world_options_default();
    options.dt = 2e-3;
    options.max_seconds = limit;
    const press closing = {.speed = 1, .height = 0.31, .rigid = false};
    pl_world *world = make_press(&options, &closing);
    options.max_seconds = 0;
    pl_world *unlimited = make_press(&options, &closing);
    pl_status status;
    uint64_t hash;
    double seconds = step_to_failure(world, &status, &hash);
    TEST_ASSERT_EQUAL(PL_ERROR_TIME, status);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "max_seconds: the step was given up after 1 s"));
    // The plates would meet in step 155. What a solver does between two looks at the clock is
    // short; the rest is for a busy machine.
    int steps = (int)pl_world_steps(world);
    TEST_ASSERT_TRUE(steps > 140 && steps < 155);
    TEST_ASSERT_TRUE(seconds >= limit && seconds < limit + 4);
    // The last good state, which is that of a run without limit, and the problem.
    TEST_ASSERT_TRUE(hash == pl_world_hash(world));
    step(unlimited, steps);
    TEST_ASSERT_TRUE(hash == pl_world_hash(unlimited));
    char path[] = "/tmp/pliant-step-XXXXXX";
    close(mkstemp(path));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_save_problem(world, path), pl_error_text());
    remove(path);
    pl_world_destroy(world);
    pl_world_destroy(unlimited);
}

// A step that has no time at all, whatever it solves with, and the same step with time.
static void test_a_step_without_time(void)
{
    for (int kind = 0; kind < 3; kind++) {
        pl_world_options options = pl_world_options_default();
        options.max_seconds = 1e-9;
        options.contact = kind < 2;
        if (kind == 1) options.solver = "cr";
        if (kind == 2) options.integrator = PL_INTEGRATOR_IMPLICIT;
        const press open = {.height = 0.5};
        pl_world *world = make_press(&options, &open);
        static double pull[3 * 64] = {100}; // so that free fall is not the answer
        TEST_ASSERT_EQUAL(64, pl_world_vertex_count(world, 2));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_forces(world, 2, pull));
        uint64_t hash = pl_world_hash(world);
        expect_failure(PL_ERROR_TIME, pl_world_step(world, NULL), "max_seconds");
        TEST_ASSERT_TRUE(hash == pl_world_hash(world));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_set_max_seconds(world, 0));
        step(world, 1);
        expect_failure(PL_ERROR_ARGUMENT, pl_world_set_max_seconds(world, -1), "max_seconds");
        expect_failure(PL_ERROR_ARGUMENT, pl_world_set_max_seconds(world, NAN), "max_seconds");
        pl_world_destroy(world);
    }
    pl_world_options options = pl_world_options_default();
    options.max_seconds = -1;
    pl_world *world;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_create(&options, &world), "max_seconds: -1");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_step_that_fails_after_one_half_leaves_everything_as_it_was);
    RUN_TEST(test_a_soft_body_crushed_to_nothing_ends_in_time);
    RUN_TEST(test_a_step_without_time);
    return UNITY_END();
}
