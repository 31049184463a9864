// Arenas: pieces that do not overlap, one chunk after a reset, marks.

#include "failing_alloc.h"
#include "../base/arena.h"

#include <string.h>

void setUp(void)
{
}

void tearDown(void)
{
    fail_never();
}

enum { PIECES = 60 };

// Pieces of all sizes, each filled with its number; how many bytes they have.
static int64_t take_pieces(pl_arena *arena, char **piece, int64_t *size)
{
    int64_t sum = 0;
    for (int i = 0; i < PIECES; i++) {
        size[i] = (int64_t)(i * i * 7919) % 200000;
        piece[i] = pl_arena_take(arena, size[i], 1);
        TEST_ASSERT_NOT_NULL(piece[i]);
        TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)piece[i] % 64);
        if (size[i] > 0) memset(piece[i], i, (size_t)size[i]);
        sum += size[i];
    }
    for (int i = 0; i < PIECES; i++) {
        for (int64_t k = 0; k < size[i]; k++) {
            if (piece[i][k] != (char)i) TEST_FAIL_MESSAGE("pieces overlap");
        }
    }
    return sum;
}

static int64_t sum_chunks(const pl_arena *arena)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < arena->n_chunk; i++) sum += arena->size[i];
    return sum;
}

static void test_one_chunk_after_a_reset(void)
{
    char *piece[PIECES];
    int64_t size[PIECES];
    pl_arena arena = {0};
    int64_t sum = take_pieces(&arena, piece, size);
    TEST_ASSERT_TRUE(arena.n_chunk > 1);
    pl_arena_reset(&arena);
    take_pieces(&arena, piece, size);
    TEST_ASSERT_EQUAL_INT32(1, arena.n_chunk);
    // An eighth of room, what the chunks before had left at their ends, and the alignment.
    TEST_ASSERT_TRUE(sum_chunks(&arena) < 1.4 * (double)sum);
    char *chunk = arena.chunk[0];
    fail_nth(-1);
    for (int i = 0; i < 3; i++) {
        pl_arena_reset(&arena);
        take_pieces(&arena, piece, size);
    }
    TEST_ASSERT_EQUAL_INT64(0, allocations);
    TEST_ASSERT_EQUAL_PTR(chunk, arena.chunk[0]);
    fail_never();
    pl_arena_free(&arena);
}

// What is taken after a mark is given back, whichever chunk it is in.
static void test_marks(void)
{
    char *piece[PIECES];
    int64_t size[PIECES];
    pl_arena arena = {0};
    char *kept = pl_arena_take(&arena, 100, 1);
    memset(kept, 77, 100);
    pl_arena_mark mark = pl_arena_here(&arena);
    take_pieces(&arena, piece, size);
    int64_t most = arena.most;
    int32_t n_chunk = arena.n_chunk;
    pl_arena_back(&arena, mark);
    TEST_ASSERT_EQUAL_PTR(kept + 128, pl_arena_take(&arena, 10, 1));
    pl_arena_back(&arena, mark);
    take_pieces(&arena, piece, size);
    TEST_ASSERT_EQUAL_INT32(n_chunk, arena.n_chunk);
    TEST_ASSERT_EQUAL_INT64(most, arena.most);
    for (int i = 0; i < 100; i++) TEST_ASSERT_EQUAL_INT8(77, kept[i]);
    pl_arena_free(&arena);
}

static pl_status take_twice(void *user)
{
    pl_arena arena = {0};
    (void)user;
    bool all = true;
    for (int k = 0; k < 2 && all; k++) {
        pl_arena_reset(&arena);
        for (int i = 0; i < PIECES && all; i++) all = pl_arena_take(&arena, 5000 * i, 1) != NULL;
    }
    pl_arena_free(&arena);
    return all ? PL_OK : PL_ERROR_MEMORY;
}

static void test_failing_allocations(void)
{
    TEST_ASSERT_TRUE(fail_each_allocation(take_twice, NULL) > 2);
    pl_arena arena = {0};
    TEST_ASSERT_NULL(pl_arena_take(&arena, -1, 8));
    TEST_ASSERT_NULL(pl_arena_take(&arena, INT64_MAX / 4, 8));
    TEST_ASSERT_NOT_NULL(pl_arena_take(&arena, 1000, 8)); // goes on
    pl_arena_free(&arena);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(test_one_chunk_after_a_reset);
    RUN_TEST(test_marks);
    RUN_TEST(test_failing_allocations);
    return UNITY_END();
}
