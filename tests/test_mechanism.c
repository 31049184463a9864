// Mechanisms as problems: what they are, and that newton and auto solve them.

#include "matrices.h"
#include "../apps/bench/mechanism.h"
#include "../base/team.h"

void setUp(void)
{
}

void tearDown(void)
{
    pl_threads_set(2);
}

static pl_solve_stats solve(pl_mechanism *m, pl_workspace *ws, const char *name, double tolerance)
{
    const pl_solver *solver;
    pl_solve_stats stats;
    pl_solver_options options = pl_solver_options_default();
    options.contact_tolerance = tolerance;
    options.residual_tolerance = 1e-8;
    TEST_ASSERT_EQUAL(PL_OK, pl_solver_find(name, &solver));
    pl_solve(solver, &m->problem, &options, ws, m->v, m->f, &stats);
    return stats;
}

// Stacks with joints between their boxes, each box hit: of 24, 23 at least.
static void test_stacks_with_joints(void)
{
    const char *const names[] = {"newton", "auto"};
    for (int w = 0; w < 2; w++) {
        int32_t n_solved = 0;
        for (int i = 0; i < 24; i++) {
            pl_mechanism m = {0};
            pl_workspace ws = {0};
            TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_stacks(&m, 1, 4 + i % 8, 1 + 0.5 * (i % 3), 0.6,
                                                         700 + (uint64_t)i));
            pl_mechanism_hit(&m, 800 + (uint64_t)i);
            TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_build(&m));
            n_solved += solve(&m, &ws, names[w], 1e-10).end == PL_SOLVE_CONVERGED;
            pl_workspace_free(&ws);
            pl_mechanism_free(&m);
        }
        TEST_ASSERT_TRUE(n_solved >= 23);
    }
}

// A chain that swings with 2,000 and 4.4 million times the mass of a link: one factor a step, and
// its joints hold.
static void test_chains_swing(void)
{
    for (int heavy = 0; heavy < 2; heavy++) {
        pl_mechanism m = {0};
        pl_workspace ws = {0};
        double load = heavy ? 4.4e5 : 500, link = heavy ? 0.1 : 0.25;
        TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_chain(&m, 100, link, load, !heavy));
        for (int i = 0; i < 60; i++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_build(&m));
            pl_solve_stats stats = solve(&m, &ws, "auto", 1e-9);
            TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, stats.end);
            TEST_ASSERT_TRUE(stats.factorizations <= 1);
            pl_mechanism_advance(&m);
            TEST_ASSERT_TRUE(fabs(m.v[600]) < 0.6); // 0.5 m/s at the start
        }
        TEST_ASSERT_TRUE(pl_mechanism_drift(&m) < 1e-5);
        // The first joint carries all of it: the tension is the weight, and a little of the swing.
        double weight = 9.81 * (load + 100 * link) * m.dt;
        TEST_ASSERT_DOUBLE_WITHIN(0.01 * weight, weight, fabs(m.f[0]));
        pl_workspace_free(&ws);
        pl_mechanism_free(&m);
    }
}

// Loops and arms move for a second, and what they are held by stays together.
static void test_loops_and_arms_move(void)
{
    for (int arm = 0; arm < 2; arm++) {
        pl_mechanism m = {0};
        pl_workspace ws = {0};
        TEST_ASSERT_EQUAL(PL_OK, arm ? pl_mechanism_arm(&m, 6, 200, 3000)
                                     : pl_mechanism_four_bars(&m, 3, 1, 50));
        for (int i = 0; i < 60; i++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_build(&m));
            TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, solve(&m, &ws, "newton", 1e-8).end);
            pl_mechanism_advance(&m);
        }
        TEST_ASSERT_TRUE(pl_mechanism_drift(&m) < 1e-3);
        pl_workspace_free(&ws);
        pl_mechanism_free(&m);
    }
}

// A motor comes to its speed, not to within what a tolerance leaves of it.
static void test_a_motor_is_as_fast_as_asked(void)
{
    const char *const names[] = {"newton", "auto"};
    for (int w = 0; w < 2; w++) {
        pl_mechanism m = {0};
        pl_workspace ws = {0};
        TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_four_bars(&m, 1, 0.5, 50));
        for (int step = 0; step < 6; step++) {
            TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_build(&m));
            for (int i = 0; i < 3; i++) m.b[6 * i + 2] += 9.81 * m.dt; // nothing pulls
            TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, solve(&m, &ws, names[w], 1e-6).end);
            // It goes on nearly so fast by itself.
            for (int i = 0; i < 18; i++) m.body[i / 6].u[i % 6] = (1 - 1e-7) * m.v[i];
            memset(m.f, 0, 3 * (size_t)m.n_link * sizeof *m.f);
        }
        TEST_ASSERT_DOUBLE_WITHIN(1e-8, 0.5, m.v[4]);
        pl_workspace_free(&ws);
        pl_mechanism_free(&m);
    }
}

// Columns at rest are solved as they are, after the first step.
static void test_columns_at_rest_cost_no_factor(void)
{
    pl_mechanism m = {0};
    pl_workspace ws = {0};
    TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_stacks(&m, 20, 10, 1, 0, 1));
    for (int i = 0; i < 10; i++) {
        TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_build(&m));
        pl_solve_stats stats = solve(&m, &ws, "newton", 1e-6);
        TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, stats.end);
        TEST_ASSERT_TRUE(i == 0 || stats.factorizations <= 1);
        pl_mechanism_advance(&m);
    }
    pl_workspace_free(&ws);
    pl_mechanism_free(&m);
}

// A heap of 100 bodies, from impulses that are of no help: sweeps leave so little that interior
// points, 30 factors, are not needed.
static void test_sweeps_start_heaps(void)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        pl_mechanism m = {0};
        pl_workspace ws = {0};
        TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_pile(&m, 100, 0.5, 1, seed));
        TEST_ASSERT_EQUAL(PL_OK, pl_mechanism_build(&m));
        m.f[0] = 1e-3;
        pl_solve_stats stats = solve(&m, &ws, "newton", 1e-6);
        TEST_ASSERT_EQUAL(PL_SOLVE_CONVERGED, stats.end);
        TEST_ASSERT_TRUE(stats.factorizations <= 20);
        pl_workspace_free(&ws);
        pl_mechanism_free(&m);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_stacks_with_joints);
    RUN_TEST(test_chains_swing);
    RUN_TEST(test_loops_and_arms_move);
    RUN_TEST(test_a_motor_is_as_fast_as_asked);
    RUN_TEST(test_columns_at_rest_cost_no_factor);
    RUN_TEST(test_sweeps_start_heaps);
    return UNITY_END();
}
