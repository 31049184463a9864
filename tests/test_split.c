// Problems taken apart, and solved set by set.

#include "joints.h"
#include "../base/team.h"
#include "../solvers/newton.h"
#include "../solvers/split.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
    pl_threads_set(2);
}

static const way NEWTON = {"newton", PL_PRECOND_FULL}, AUTO = {"auto", PL_PRECOND_FULL};

// Chains of three, of which every second ends on a prescribed body, the same for all; one body is
// free.
static void start_chains(small *s, int n)
{
    enum { MOST = 400 };
    double mass[3 * MOST + 2];
    const double up[3] = {0.01, 0.02, 0.5}, down[3] = {-0.02, 0, -0.5};
    TEST_ASSERT_TRUE(n <= MOST);
    for (int i = 0; i < 3 * n + 2; i++) mass[i] = 1 + i % 5;
    start_bodies(s, 3 * n + 2, mass, 0.01);
    int held = 3 * n;
    s->prescribed[2 * held] = s->prescribed[2 * held + 1] = 1;
    s->v[6 * held] = 0.3;
    for (int i = 0; i < n; i++) {
        add_ball(s, 3 * i + 1, up, 3 * i, down, &BILATERAL);
        add_ball(s, 3 * i + 2, up, 3 * i + 1, down, &BILATERAL);
        pl_constraint contact = contact_along(0.1, 0.2, 1, 0.5);
        add_contact(s, &contact, 2, (pl_term[]){{6 * i, 1, {0}}, {6 * i + 1, 0, {0, 0, -0.3}}});
        if (i % 2 == 1) add_ball(s, 3 * i + 2, up, held, down, &BILATERAL);
    }
}

static void test_sets(void)
{
    small s;
    pl_split split;
    start_chains(&s, 4);
    TEST_ASSERT_EQUAL(PL_OK, pl_split_create(&s.problem, &s.ws.arena, &split));
    TEST_ASSERT_EQUAL_INT32(6, split.n); // a free body is two blocks
    for (int i = 0; i < 24; i++) TEST_ASSERT_EQUAL_INT32(i / 6, split.of[i]);
    TEST_ASSERT_EQUAL_INT32(-1, split.of[24]);
    TEST_ASSERT_EQUAL_INT32(4, split.of[26]);
    TEST_ASSERT_EQUAL_INT32(3, split.first[1]);
    TEST_ASSERT_EQUAL_INT32(7, split.first[2]);
    for (int i = 0; i < 14; i++) TEST_ASSERT_EQUAL_INT32(i, split.constraint[i]);
    end_small(&s);
}

// L v - c and b + L^T f - A v of a part are those of the whole.
static void test_a_part_is_as_it_was(void)
{
    small s;
    pl_split split;
    pl_part part;
    start_chains(&s, 4);
    int32_t place[28], sets[2] = {1, 3};
    for (int i = 0; i < 28; i++) place[i] = -1;
    for (int i = 0; i < 3 * 28; i++) s.v[i] = random_number();
    for (int i = 0; i < 3 * s.problem.n_constraint; i++) s.f[i] = random_number();
    TEST_ASSERT_EQUAL(PL_OK, pl_split_create(&s.problem, &s.ws.arena, &split));
    TEST_ASSERT_EQUAL(PL_OK, pl_part_create(&split, 2, sets, place, &s.ws.arena, &part));
    for (int i = 0; i < 28; i++) TEST_ASSERT_EQUAL_INT32(-1, place[i]);
    pl_part_gather(&part, s.v, s.f);
    TEST_ASSERT_EQUAL_INT32(14, part.A.n); // with the prescribed body
    TEST_ASSERT_EQUAL_INT32(8, part.problem.n_constraint);
    TEST_ASSERT_EQUAL(PL_OK, pl_problem_check(&part.problem, part.v, part.f));
    pl_uses uses, own;
    double u[42], U[3 * 8], r[3 * 28], R[42], world[42];
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&s.problem, &s.ws.arena, &uses));
    TEST_ASSERT_EQUAL(PL_OK, pl_uses_create(&part.problem, &s.ws.arena, &own));
    pl_rows_multiply(&s.problem, NULL, true, s.v, u);
    pl_rows_multiply(&part.problem, NULL, true, part.v, U);
    pl_contact_residual(&s.problem, &uses, s.v, s.f, world, r);
    pl_contact_residual(&part.problem, &own, part.v, part.f, world, R);
    for (int i = 0; i < 24; i++) {
        TEST_ASSERT_EQUAL_DOUBLE(u[3 * part.constraint[i / 3] + i % 3], U[i]);
    }
    for (int i = 0; i < 42; i++) TEST_ASSERT_EQUAL_DOUBLE(r[3 * part.block[i / 3] + i % 3], R[i]);
    memset(s.v, 0, 24), memset(s.f, 0, 24); // blocks and constraints of others
    for (int i = 0; i < 42; i++) part.v[i] = 7;
    pl_part_scatter(&part, s.v, s.f);
    TEST_ASSERT_EQUAL_DOUBLE(0, s.v[0]);
    TEST_ASSERT_EQUAL_DOUBLE(7, s.v[18]);
    TEST_ASSERT_TRUE(s.v[72] != 7); // prescribed
    end_small(&s);
}

// Each set has the bits that it has alone, and so for any number of threads.
static void test_sets_do_not_know_of_each_other(void)
{
    const way ways[] = {NEWTON, AUTO};
    for (int w = 0; w < 2; w++) {
        small s;
        start_chains(&s, 300);
        int64_t n = 3 * (int64_t)s.A.n, m = 3 * (int64_t)s.problem.n_constraint;
        double *v = random_vector(n), *f = random_vector(m);
        for (int threads = 1; threads <= 4; threads *= 2) {
            pl_threads_set(threads);
            set_to_rest(&s);
            s.v[6 * 900] = 0.3;
            TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, ways[w], 1e-9, 1e-9));
            if (threads == 1) memcpy(v, s.v, (size_t)n * sizeof *v);
            if (threads == 1) memcpy(f, s.f, (size_t)m * sizeof *f);
            TEST_ASSERT_TRUE(same_bits(v, s.v, n));
            TEST_ASSERT_TRUE(same_bits(f, s.f, m));
        }
        // A free body moves as if alone.
        const double *M = s.A.val + 9 * s.A.diag[1802];
        TEST_ASSERT_DOUBLE_WITHIN(1e-14, s.b[5406] / M[0], s.v[5406]);
        free(v), free(f);
        end_small(&s);
    }
}

// Two joints that contradict each other spoil their own set, and no other: the rest is solved.
static void test_a_contradiction_stays_where_it_is(void)
{
    const way ways[] = {NEWTON, AUTO};
    const double up[3] = {0.01, 0.02, 0.5}, down[3] = {-0.02, 0, -0.5};
    for (int w = 0; w < 2; w++) {
        small s, alone;
        random_state = 1;
        start_chains(&s, 4);
        random_state = 1;
        start_chains(&alone, 4);
        add_ball(&s, 1, up, 0, down, &BILATERAL);
        pl_constraint *joint = s.problem.constraint;
        memcpy(joint[14].R, joint[0].R, sizeof joint[0].R);
        joint[14].c[0] = 0.1;
        TEST_ASSERT_EQUAL(PL_ERROR_NUMERICS, solve_small(&s, ways[w], 1e-9, 1e-9));
        TEST_ASSERT_EQUAL(PL_SOLVE_CONTRADICTING, s.stats.end);
        TEST_ASSERT_EQUAL(PL_OK, solve_small(&alone, ways[w], 1e-9, 1e-9));
        for (int i = 18; i < 84; i++) TEST_ASSERT_EQUAL_DOUBLE(alone.v[i], s.v[i]);
        end_small(&s), end_small(&alone);
    }
}

static void test_memory(void)
{
    const way ways[] = {NEWTON, AUTO};
    for (int w = 0; w < 2; w++) {
        small s;
        start_chains(&s, 4);
        fresh_small fresh = {&s, ways[w]};
        pl_threads_set(1); // whose allocations are counted
        TEST_ASSERT_TRUE(fail_each_allocation(solve_fresh_small, &fresh) > 0);
        // Once arenas have grown, a solve makes no heap call.
        s.ws = (pl_workspace){0};
        for (int i = 0; i < 3; i++) {
            set_to_rest(&s);
            TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, ways[w], 1e-9, 1e-9));
        }
        const char *chunk = s.ws.arena.chunk[0], *of_slot = s.ws.slot[0].arena.chunk[0];
        set_to_rest(&s);
        TEST_ASSERT_EQUAL(PL_OK, solve_small(&s, ways[w], 1e-9, 1e-9));
        TEST_ASSERT_TRUE(s.ws.arena.chunk[0] == chunk && s.ws.arena.n_chunk == 1);
        TEST_ASSERT_TRUE(s.ws.slot[0].arena.chunk[0] == of_slot);
        end_small(&s);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_sets);
    RUN_TEST(test_a_part_is_as_it_was);
    RUN_TEST(test_sets_do_not_know_of_each_other);
    RUN_TEST(test_a_contradiction_stays_where_it_is);
    RUN_TEST(test_memory);
    return UNITY_END();
}
