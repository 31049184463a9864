// The contact problem of a step in a file: whole, and solved again to the same bits.

#include "../world/contact_step.h"
#include "../solvers/problem_file.h"
#include "worlds.h"

#include <unistd.h>

static char folder[] = "/tmp/pliant_record_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
}

static const char *in_folder(const char *name)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// A soft cube that falls on a rigid one on a floor, a millimetre apart.
static pl_world *make_pile(const pl_world_options *options)
{
    const double lift[12] = {1, 0, 0, 0.1, 0, 1, 0, 0.07, 0, 0, 1, 1.002};
    const double sink[12] = {4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1, -1.001};
    pl_world *world = make_world(options);
    pl_mesh *soft = make_mesh("cube:cells=2"), *rigid = make_mesh("cube:cells=1");
    pl_mesh *floor = make_mesh("cube:cells=1");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(soft, lift));
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(floor, sink));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, soft, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_rigid(world, rigid, NULL, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, floor, NULL, NULL));
    pl_mesh_destroy(soft);
    pl_mesh_destroy(rigid);
    pl_mesh_destroy(floor);
    return world;
}

// --- What is recorded ---

static void test_solves_again_to_the_same_bits(void)
{
    pl_world *world = make_pile(NULL);
    pl_recorded recorded;
    pl_step_stats stats;
    int solved = 0;
    for (int i = 0; i < 30; i++) {
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_step(world, &stats), pl_error_text());
        if (stats.constraints == 0) continue;
        pl_status status = pl_world_save_problem(world, in_folder("step.plp"));
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_EQUAL(PL_OK, pl_recorded_read(in_folder("step.plp"), &recorded));
        TEST_ASSERT_EQUAL_INT32(stats.constraints, recorded.problem.n_constraint);
        TEST_ASSERT_EQUAL_INT32(world->system.n_block, recorded.A.n);
        pl_workspace ws = {0};
        pl_solve_stats again;
        status = pl_solve(world->constraints->solver, &recorded.problem,
                          &world->constraints->options, &ws, recorded.v, recorded.f, &again);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_EQUAL_MEMORY(world->system.v_new, recorded.v,
                                 3 * (size_t)world->system.n_block * sizeof(double));
        TEST_ASSERT_EQUAL_MEMORY(world->constraints->blocks.f, recorded.f,
                                 3 * (size_t)stats.constraints * sizeof(double));
        if (stats.rounds == 1) TEST_ASSERT_EQUAL_INT32(stats.iterations, again.iterations);
        solved += again.iterations > 0;
        pl_workspace_free(&ws);
        pl_recorded_free(&recorded);
    }
    TEST_ASSERT_TRUE(solved > 10);
    pl_world_destroy(world);
}

// The problem of a step that fails is the one that was not solved, and the state is the last good
// one.
static void test_a_step_that_fails(void)
{
    pl_world_options options = pl_world_options_default();
    options.contact_iterations = 1;
    options.halvings = 2;
    pl_world *world = make_pile(&options);
    pl_recorded recorded;
    pl_status status = PL_OK;
    uint64_t hash = 0;
    for (int i = 0; i < 100 && status == PL_OK; i++) {
        hash = pl_world_hash(world);
        status = pl_world_step(world, NULL);
    }
    expect_failure(PL_ERROR_NUMERICS, status, "did not converge");
    TEST_ASSERT_TRUE(hash == pl_world_hash(world));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_save_problem(world, in_folder("failed.plp")));
    TEST_ASSERT_EQUAL(PL_OK, pl_recorded_read(in_folder("failed.plp"), &recorded));
    TEST_ASSERT_TRUE(recorded.problem.n_constraint > 0);
    TEST_ASSERT_TRUE(recorded.problem.dt == options.dt / 4); // the last that was tried
    pl_workspace ws = {0};
    pl_solve_stats again;
    status = pl_solve(world->constraints->solver, &recorded.problem, &world->constraints->options,
                      &ws, recorded.v, recorded.f, &again);
    TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, status); // as it did in the step; with more, it ends well
    status = pl_solve(world->constraints->solver, &recorded.problem, NULL, &ws, recorded.v,
                      recorded.f, &again);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
    pl_workspace_free(&ws);
    pl_recorded_free(&recorded);
    pl_world_destroy(world);
}

// --- When there is none ---

static void test_no_problem(void)
{
    pl_world_options options = pl_world_options_default();
    options.contact = false;
    for (int contact = 0; contact < 2; contact++) {
        options.contact = contact == 1;
        options.gravity[2] = 0;
        pl_world *world = make_world(&options);
        add_body(world, "cube", NULL);
        const char *path = in_folder("none.plp");
        expect_failure(PL_ERROR_ARGUMENT, pl_world_save_problem(world, path), "no contact problem");
        step(world, 1);
        expect_failure(PL_ERROR_ARGUMENT, pl_world_save_problem(world, path), "no contact problem");
        TEST_ASSERT_EQUAL(-1, access(path, F_OK));
        pl_world_destroy(world);
    }
}

static void test_bad_paths(void)
{
    pl_world *world = make_pile(NULL);
    pl_step_stats stats = {0};
    for (int i = 0; i < 100 && stats.constraints == 0; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_world_step(world, &stats));
    }
    expect_failure(PL_ERROR_FILE, pl_world_save_problem(world, in_folder("no/a.plp")), "no/a.plp");
    expect_failure(PL_ERROR_FILE, pl_world_save_problem(world, folder), folder);
    pl_world_destroy(world);
}

int main(void)
{
    if (mkdtemp(folder) == NULL) return 1;
    UNITY_BEGIN();
    RUN_TEST(test_solves_again_to_the_same_bits);
    RUN_TEST(test_a_step_that_fails);
    RUN_TEST(test_no_problem);
    RUN_TEST(test_bad_paths);
    unlink(in_folder("step.plp"));
    unlink(in_folder("failed.plp"));
    rmdir(folder);
    return UNITY_END();
}
