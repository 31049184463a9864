// Steps that fail: the state that they leave, and how long they may take.

#include "../base/base.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
    pl_set_threads(1);
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

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_step_that_fails_after_one_half_leaves_everything_as_it_was);
    return UNITY_END();
}
