#include "failing_alloc.h"
#include "matrices.h"
#include "../solvers/direct.h"

void setUp(void)
{
    random_state = 1;
}

void tearDown(void)
{
}

// The residual of the free rows is rounding, and the fixed ones keep what they have.
static void test_it_solves_the_free_rows(void)
{
    pl_bsr A;
    random_matrix(40, 90, 8, &A);
    pl_arena arena = {0};
    int64_t n = 3 * (int64_t)A.n;
    double *b = random_vector(n), *x = random_vector(n), *old = random_vector(n);
    double *Ax = random_vector(n);
    uint8_t fixed[40] = {[3] = 1, [17] = 1};
    for (int with = 0; with < 2; with++) {
        bool done;
        memcpy(old, x, (size_t)n * sizeof *x);
        TEST_ASSERT_EQUAL(PL_OK, pl_direct_improve(&arena, &A, b, with ? fixed : NULL, x, &done));
        TEST_ASSERT_TRUE(done);
        pl_bsr_multiply(&A, x, Ax);
        for (int64_t i = 0; i < n; i++) {
            bool kept = with && fixed[i / 3];
            if (kept) TEST_ASSERT_EQUAL_DOUBLE(old[i], x[i]);
            if (!kept) TEST_ASSERT_DOUBLE_WITHIN(1e-12, b[i], Ax[i]);
        }
    }
    const char *chunk = arena.chunk[0]; // grown by now
    bool done;
    TEST_ASSERT_EQUAL(PL_OK, pl_direct_improve(&arena, &A, b, NULL, x, &done));
    TEST_ASSERT_TRUE(arena.n_chunk == 1 && arena.chunk[0] == chunk);
    free(b), free(x), free(old), free(Ax);
    pl_arena_free(&arena);
    pl_bsr_free(&A);
}

static void test_what_it_leaves_alone(void)
{
    pl_bsr A;
    random_matrix(20, 30, 8, &A);
    pl_arena arena = {0};
    double *b = random_vector(60), *x = random_vector(60), *old = random_vector(60);
    bool done = true;
    memcpy(old, x, 60 * sizeof *x);
    A.val[9 * A.diag[7]] = -1; // not positive definite
    TEST_ASSERT_EQUAL(PL_OK, pl_direct_improve(&arena, &A, b, NULL, x, &done));
    TEST_ASSERT_FALSE(done);
    TEST_ASSERT_TRUE(same_bits(old, x, 60));
    free(b), free(x), free(old);
    pl_arena_free(&arena);
    pl_bsr_free(&A);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_it_solves_the_free_rows);
    RUN_TEST(test_what_it_leaves_alone);
    return UNITY_END();
}
