// Recorded problems as a program outside of the library has them.

#include "failing_alloc.h"
#include "worlds.h"

#include <math.h>
#include <unistd.h>

static char path[] = "/tmp/pliant_problem_XXXXXX";

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

// The problem of a soft cube that has just fallen on a plate and slides.
static void record(void)
{
    const double lift[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1.001};
    pl_world *world = make_world(NULL);
    pl_mesh *cube = make_mesh("cube:cells=2"), *plate = make_mesh("box:size=4,4,1:cells=2");
    TEST_ASSERT_EQUAL(PL_OK, pl_mesh_transform(cube, lift));
    pl_deformable_options options = pl_deformable_options_default();
    options.velocity[0] = 0.3, options.velocity[2] = -1;
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_deformable(world, cube, &options, NULL));
    TEST_ASSERT_EQUAL(PL_OK, pl_world_add_kinematic(world, plate, NULL, NULL));
    step(world, 4);
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_world_save_problem(world, path), pl_error_text());
    pl_mesh_destroy(cube);
    pl_mesh_destroy(plate);
    pl_world_destroy(world);
}

static pl_replay *read_it(void)
{
    pl_replay *replay;
    TEST_ASSERT_EQUAL_MESSAGE(PL_OK, pl_replay_read(path, &replay), pl_error_text());
    return replay;
}

static double largest_difference(int64_t n, const double *a, const double *b)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// Two solvers find the same velocities, warm and cold, and the same bits each time.
static void test_solvers_agree(void)
{
    static const char *const names[] = {"auto", "newton", "cr"};
    pl_replay *replay = read_it();
    TEST_ASSERT_TRUE(pl_replay_contacts(replay) > 0);
    TEST_ASSERT_EQUAL_INT64(3 * 27, pl_replay_velocities(replay));
    TEST_ASSERT_EQUAL_INT64(3 * 27, pl_replay_unknowns(replay));
    double first[3 * 27];
    pl_replay_options options = pl_replay_options_default();
    options.residual_tolerance = 1e-9, options.contact_tolerance = 1e-10;
    for (int i = 0; i < 6; i++) {
        pl_replay_result result, again;
        options.cold = i >= 3;
        pl_status status = pl_replay_solve(replay, names[i % 3], &options, &result);
        TEST_ASSERT_EQUAL_MESSAGE(PL_OK, status, pl_error_text());
        TEST_ASSERT_TRUE_MESSAGE(result.converged, pl_error_text());
        TEST_ASSERT_EQUAL_STRING("converged", result.end);
        TEST_ASSERT_TRUE(result.residual <= 1e-9 && result.fischer <= 1e-10);
        options.threads = 3;
        TEST_ASSERT_EQUAL(PL_OK, pl_replay_solve(replay, names[i % 3], &options, &again));
        options.threads = 0;
        TEST_ASSERT_EQUAL_HEX64(result.hash, again.hash);
        const double *v = pl_replay_solution(replay);
        if (i == 0) memcpy(first, v, sizeof first);
        TEST_ASSERT_DOUBLE_WITHIN(1e-6, 0, largest_difference(3 * 27, first, v));
    }
    double sum = 0;
    for (int32_t k = 0; k < pl_replay_contacts(replay); k++)
        sum += pl_replay_impulses(replay)[3 * k];
    TEST_ASSERT_TRUE(sum > 0); // the plate holds it
    pl_replay_destroy(replay);
}

static void test_a_solve_that_is_cut_short(void)
{
    pl_replay *replay = read_it();
    pl_replay_options options = pl_replay_options_default();
    pl_replay_result result;
    options.max_iterations = 1;
    options.residual_tolerance = 1e-12, options.contact_tolerance = 1e-13;
    options.cold = true;
    TEST_ASSERT_EQUAL(PL_OK, pl_replay_solve(replay, "apg", &options, &result));
    TEST_ASSERT_FALSE(result.converged);
    TEST_ASSERT_EQUAL_STRING("limit", result.end);
    TEST_ASSERT_NOT_NULL(strstr(pl_error_text(), "did not converge"));
    pl_replay_destroy(replay);
}

static void test_what_is_refused(void)
{
    pl_replay *replay;
    pl_replay_result result;
    expect_failure(PL_ERROR_FILE, pl_replay_read("/tmp/no such.plp", &replay), "no such.plp");
    TEST_ASSERT_NULL(replay);
    replay = read_it();
    pl_replay_options options = pl_replay_options_default();
    expect_failure(PL_ERROR_ARGUMENT, pl_replay_solve(replay, "apq", NULL, &result), "\"apg\"");
    options.precond = "ful";
    expect_failure(PL_ERROR_ARGUMENT, pl_replay_solve(replay, "cr", &options, &result), "full");
    options = pl_replay_options_default();
    options.residual_tolerance = 0;
    expect_failure(PL_ERROR_ARGUMENT, pl_replay_solve(replay, "cr", &options, &result), "positive");
    options = pl_replay_options_default();
    options.threads = 257;
    expect_failure(PL_ERROR_ARGUMENT, pl_replay_solve(replay, "cr", &options, &result), "threads");
    pl_replay_destroy(replay);
}

static pl_status read_and_solve(void *user)
{
    (void)user;
    pl_replay *replay;
    pl_replay_result result;
    pl_status status = pl_replay_read(path, &replay);
    if (status == PL_OK) status = pl_replay_solve(replay, "apg", NULL, &result);
    pl_replay_destroy(replay);
    return status;
}

static void test_allocations_fail(void)
{
    fail_each_allocation(read_and_solve, NULL);
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    record();
    UNITY_BEGIN();
    RUN_TEST(test_solvers_agree);
    RUN_TEST(test_a_solve_that_is_cut_short);
    RUN_TEST(test_what_is_refused);
    RUN_TEST(test_allocations_fail);
    unlink(path);
    return UNITY_END();
}
