// Pulls, and what else may change in a world that has stepped: friction, solver, more bodies.

#include "../base/team.h"
#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

void setUp(void)
{
}
void tearDown(void)
{
    pl_threads_set(1);
}

static int32_t add_rigid(pl_world *world, const char *shape, double lift)
{
    pl_mesh *mesh = make_mesh(shape);
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, lift};
    int32_t body = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, mesh, NULL, &body));
    pl_mesh_destroy(mesh);
    return body;
}

static int32_t add_lifted(pl_world *world, const char *shape, const double by[3])
{
    pl_mesh *mesh = make_mesh(shape);
    const double m[12] = {1, 0, 0, by[0], 0, 1, 0, by[1], 0, 0, 1, by[2]};
    int32_t body = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, m));
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_add_deformable(world, mesh, NULL, &body),
                              pl_error_text());
    pl_mesh_destroy(mesh);
    return body;
}

static void add_ground(pl_world *world)
{
    const double x[9] = {-50, -50, 0, 50, -50, 0, 0, 80, 0};
    const int32_t face[3] = {0, 1, 2};
    pl_mesh *mesh;
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_create(3, x, 1, face, 0, NULL, &mesh));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, mesh, NULL, NULL));
    pl_mesh_destroy(mesh);
}

static void expect_apart(pl_world *world)
{
    pl_audit_report report;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_audit(world, &report), pl_error_text());
    TEST_ASSERT_TRUE(report.clean);
}

// A brick held by all its corners at once moves without turning: backward Euler of one spring.
static void test_a_rigid_body_follows_backward_euler(void)
{
    pl_world_options options = no_contact();
    memset(options.gravity, 0, sizeof options.gravity);
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    int32_t brick = add_rigid(world, "box:size=0.1,0.2,0.3", 0);
    int32_t n = pl_world_vertex_count(world, brick);
    pl_pull *pull = calloc((size_t)n, sizeof *pull);
    double k = 300.0, c = 70, m = 6, h = options.dt, x = 0, v = 0, goal = 0.5;
    for (int32_t i = 0; i < n; i++) {
        pull[i] = (pl_pull){.vertex = i, .stiffness = k / n, .damping = c / n};
        memcpy(pull[i].target, pl_world_positions(world, brick) + 3 * i, sizeof pull[i].target);
        pull[i].target[1] += goal;
    }
    TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, brick, n, pull));
    for (int i = 0; i < 200; i++) {
        v = (m * v + h * k * (goal - x)) / (m + h * h * k + h * c);
        x += h * v;
        step(world, 1);
        pl_frame frame;
        TEST_ASSERT_EQUAL(PL_OK, pl_world_frame(world, brick, &frame));
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, x, frame.centre[1]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, 0, frame.centre[0]);
        TEST_ASSERT_DOUBLE_WITHIN(1e-11, 1, fabs(frame.orientation[0]));
    }
    TEST_ASSERT_DOUBLE_WITHIN(1e-2, goal, x);
    free(pull);
    pl_world_destroy(world);
}

// One vertex of a body that hangs comes to rest where the spring bears the weight.
static void hang(pl_integrator integrator, bool rigid, double stiffness)
{
    pl_world_options options = no_contact();
    options.integrator = integrator;
    options.dt = 0.01;
    pl_world *world = make_world(&options);
    pl_deformable_options soft = pl_deformable_options_default();
    soft.material.stiffness_damping = 0.01;
    soft.material.mass_damping = 5;
    int32_t body = rigid ? add_rigid(world, "box:size=0.1,0.1,0.1", 0)
                         : add_body(world, "box:size=0.1,0.1,0.1", &soft);
    pl_pull pull = {.vertex = 3, .stiffness = stiffness, .damping = 0.2 * sqrt(stiffness)};
    memcpy(pull.target, pl_world_positions(world, body) + 9, sizeof pull.target);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, body, 1, &pull));
    step(world, rigid ? 3000 : 600);
    const double *x = pl_world_positions(world, body) + 9;
    double sag = 1.0 * 9.81 / stiffness; // the body has 1 kg
    // On a stiff spring a rigid body still swings after 30 s, which takes its corner off by r(1 -
    // cos w dt) in a step.
    double swing = rigid ? 1e-3 : 1e-9;
    TEST_ASSERT_DOUBLE_WITHIN(1e-3 * sag + swing, pull.target[2] - sag, x[2]);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, body, 0, NULL)); // let go
    double before = x[2];
    step(world, 20);
    TEST_ASSERT_TRUE(pl_world_positions(world, body)[11] < before - 0.1);
    pl_world_destroy(world);
}

static void test_a_pull_bears_weight(void)
{
    hang(PL_INTEGRATOR_SEMI_IMPLICIT, false, 500);
    hang(PL_INTEGRATOR_SEMI_IMPLICIT, false, 1e9);
    hang(PL_INTEGRATOR_IMPLICIT, false, 500);
    hang(PL_INTEGRATOR_BDF2, false, 500);
    hang(PL_INTEGRATOR_SEMI_IMPLICIT, true, 500);
    hang(PL_INTEGRATOR_BDF2, true, 500);
    hang(PL_INTEGRATOR_SEMI_IMPLICIT, true, 1e9);
}

// A soft ball and a rigid one are dragged through a pile, against each other and into the ground,
// by springs that press them to a fraction of their size: nothing ever overlaps.
static uint64_t drag(int32_t threads, pl_integrator integrator)
{
    pl_threads_set(threads);
    pl_world_options options = pl_world_options_default();
    options.dt = 0.005;
    options.integrator = integrator;
    pl_world *world = make_world(&options);
    int32_t ball =
        add_lifted(world, "icosphere:radius=0.2:level=1:shells=1", (double[]){0, 0, 0.25});
    add_lifted(world, "box:size=0.3,0.3,0.3:cells=2,2,2", (double[]){0.5, 0, 0.16});
    int32_t brick = add_rigid(world, "box:size=0.2,0.2,0.2", 0.65);
    add_ground(world);
    for (int i = 0; i < 120; i++) {
        double t = i * options.dt;
        pl_pull hand[2] = {{.vertex = 0,
                            .target = {1.5 * t, 0.1 * sin(9 * t), 0.3 - 1.5 * t},
                            .stiffness = 3e3,
                            .damping = 50},
                           {.vertex = 2, .target = {0, 0, -0.5}, .stiffness = 500}};
        TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, ball, 1, &hand[0]));
        TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(world, brick, 1, &hand[1]));
        step(world, 1);
        if (i % 10 == 9) expect_apart(world);
    }
    TEST_ASSERT_TRUE(pl_world_positions(world, ball)[0] > 0.2); // it did go
    uint64_t hash = pl_world_hash(world);
    pl_world_destroy(world);
    return hash;
}

static void test_dragged_bodies_stay_apart_with_the_same_bits(void)
{
    TEST_ASSERT_TRUE(drag(1, PL_INTEGRATOR_SEMI_IMPLICIT) == drag(2, PL_INTEGRATOR_SEMI_IMPLICIT));
    TEST_ASSERT_TRUE(drag(1, PL_INTEGRATOR_BDF2) == drag(2, PL_INTEGRATOR_BDF2));
}

// Input, not state: a checkpoint does not know of it.
static void test_a_checkpoint_holds_no_pull(void)
{
    char path[] = "/tmp/pliant-pull-XXXXXX";
    int file = mkstemp(path);
    TEST_ASSERT_TRUE(file >= 0);
    close(file);
    pl_world_options options = no_contact();
    pl_world *a = make_world(&options), *b = make_world(&options);
    add_body(a, "cube", NULL);
    add_body(b, "cube", NULL);
    const pl_pull pull = {.vertex = 1, .target = {3, 0, 0}, .stiffness = 1e4};
    TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(a, 0, 1, &pull));
    step(a, 5);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_save(a, path), pl_error_text());
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_load(b, path), pl_error_text());
    TEST_ASSERT_TRUE(pl_world_hash(a) == pl_world_hash(b));
    step(a, 1);
    step(b, 1);
    TEST_ASSERT_FALSE(pl_world_hash(a) == pl_world_hash(b));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_load(b, path));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_pull(b, 0, 1, &pull));
    step(b, 1);
    TEST_ASSERT_TRUE(pl_world_hash(a) == pl_world_hash(b));
    unlink(path);
    pl_world_destroy(a);
    pl_world_destroy(b);
}

static void test_bad_pulls(void)
{
    pl_world *world = make_world(NULL);
    add_lifted(world, "cube", (double[]){0, 0, 2});
    add_ground(world);
    pl_pull pull = {.stiffness = 1};
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 2, 1, &pull),
                   "body 2 of 2: the first is 0");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 1, 1, &pull), "kinematic");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 0, 1, NULL), "no array");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 0, -1, &pull), "no array");
    pull.vertex = 100000;
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 0, 1, &pull), "vertex 100000");
    pull = (pl_pull){.stiffness = -1};
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 0, 1, &pull), "stiffness: -1");
    pull = (pl_pull){.damping = NAN};
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 0, 1, &pull), "damping");
    pull = (pl_pull){.target = {0, INFINITY, 0}};
    expect_failure(PL_ERROR_ARGUMENT, pl_world_pull(world, 0, 1, &pull), "target");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_friction(world, 0, -0.5), "friction: -0.5");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_friction(world, 7, 0), "body 7");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_solver(world, "cw", "full"), "cw");
    expect_failure(PL_ERROR_ARGUMENT, pl_world_set_solver(world, "cr", "half"), "half");
    pl_world_destroy(world);
    pl_world_options options = no_contact();
    world = make_world(&options);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_solver(world, "cr", "full"));
    pl_world_destroy(world);
    options.integrator = PL_INTEGRATOR_IMPLICIT;
    world = make_world(&options);
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_solver(world, "cr", "full"));
    pl_world_destroy(world);
}

// A cube that slides stops where friction is switched on; any solver takes over amid a run.
static void test_friction_and_solver_change_in_a_run(void)
{
    pl_world *world = make_world(NULL);
    pl_mesh *mesh = make_mesh("box:size=0.2,0.2,0.2:cells=2,2,2");
    const double up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.101};
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(mesh, up));
    pl_deformable_options soft = pl_deformable_options_default();
    soft.surface.friction = 0;
    soft.velocity[0] = 1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, mesh, &soft, NULL));
    pl_mesh_destroy(mesh);
    add_ground(world);
    step(world, 100);
    double x = pl_world_positions(world, 0)[0];
    TEST_ASSERT_DOUBLE_WITHIN(0.005, 0.1 - 0.1, x); // it began at -0.1, and went 0.1 m
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_solver(world, "cr", "diag"));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_set_friction(world, 0, 1));
    step(world, 400); // mu sqrt(1 * 0.5): it stops within v^2 / (2 mu g) = 0.07 m
    double stopped = pl_world_positions(world, 0)[0];
    TEST_ASSERT_DOUBLE_WITHIN(0.02, x + 0.072, stopped);
    step(world, 50);
    TEST_ASSERT_DOUBLE_WITHIN(1e-3, stopped, pl_world_positions(world, 0)[0]);
    pl_world_destroy(world);
}

// A body that comes late falls on one that was there, which goes on as if nothing were.
static void test_a_body_may_come_late(void)
{
    for (int integrator = 0; integrator < 2; integrator++) {
        pl_world_options options = pl_world_options_default();
        if (integrator == 1) options.integrator = PL_INTEGRATOR_BDF2;
        options.dt = 0.005;
        pl_world *world = make_world(&options);
        add_lifted(world, "box:size=0.3,0.3,0.3:cells=2,2,2", (double[]){0, 0, 0.16});
        add_ground(world);
        step(world, 40);
        double before[3];
        memcpy(before, pl_world_positions(world, 0), sizeof before);
        add_lifted(world, "icosphere:radius=0.1:level=1:shells=1", (double[]){0.01, 0, 0.5});
        int32_t brick = add_rigid(world, "box:size=0.1,0.1,0.1", 0.8);
        TEST_ASSERT_EQUAL_MEMORY(before, pl_world_positions(world, 0), sizeof before);
        TEST_ASSERT_EQUAL(40, pl_world_steps(world));
        expect_apart(world);
        step(world, 100);
        expect_apart(world);
        TEST_ASSERT_TRUE(pl_world_positions(world, brick)[2] > 0.2);
        add_lifted(world, "box:size=0.1,0.1,0.1", (double[]){0, 0, 0.1});
        expect_failure(PL_ERROR_GEOMETRY, pl_world_step(world, NULL), "");
        pl_world_destroy(world);
    }
}

static pl_status pull_a_cube(void *user)
{
    const pl_pull pull[2] = {{.vertex = 0, .stiffness = 1}, {.vertex = 1, .stiffness = 1}};
    pl_world *world;
    PL_TRY(pl_world_create(NULL, &world));
    pl_status status = pl_world_add_deformable(world, user, NULL, NULL);
    if (status == PL_OK) status = pl_world_pull(world, 0, 2, pull);
    if (status == PL_OK) status = pl_world_step(world, NULL);
    if (status == PL_OK) status = pl_world_add_deformable(world, user, NULL, NULL);
    pl_world_destroy(world);
    return status;
}

static void test_memory(void)
{
    pl_mesh *mesh = make_mesh("cube");
    fail_each_allocation(pull_a_cube, mesh);
    pl_mesh_destroy(mesh);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_a_rigid_body_follows_backward_euler);
    RUN_TEST(test_a_pull_bears_weight);
    RUN_TEST(test_dragged_bodies_stay_apart_with_the_same_bits);
    RUN_TEST(test_a_checkpoint_holds_no_pull);
    RUN_TEST(test_bad_pulls);
    RUN_TEST(test_friction_and_solver_change_in_a_run);
    RUN_TEST(test_a_body_may_come_late);
    RUN_TEST(test_memory);
    return UNITY_END();
}
