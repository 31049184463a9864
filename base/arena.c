#include "arena.h"

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 16 };

void pl_arena_free(pl_arena *arena)
{
    for (int32_t i = 0; i < arena->n_chunk; i++) pl_free(arena->chunk[i]);
    *arena = (pl_arena){0};
}

// Several chunks make way for one, which the next piece takes.
void pl_arena_reset(pl_arena *arena)
{
    int64_t most = arena->most;
    if (arena->n_chunk > 1) {
        pl_arena_free(arena);
        arena->most = most;
    }
    arena->current = 0;
    arena->used = 0;
}

pl_arena_mark pl_arena_here(const pl_arena *arena)
{
    return (pl_arena_mark){arena->current, arena->used};
}

void pl_arena_back(pl_arena *arena, pl_arena_mark mark)
{
    arena->current = mark.current;
    arena->used = mark.used;
}

// The first n chunks [bytes].
static int64_t sum_chunks(const pl_arena *arena, int32_t n)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < n; i++) sum += arena->size[i];
    return sum;
}

// The first one is for all that was ever in use, and a little more.
static pl_status add_chunk(pl_arena *arena, int64_t need)
{
    int64_t total = sum_chunks(arena, arena->n_chunk);
    int64_t room = arena->n_chunk > 0 ? total / 2 : arena->most + arena->most / 8;
    int64_t size = PL_MAX(PL_MAX(room, need), FIRST_CHUNK);
    if (arena->n_chunk == PL_MAX_CHUNKS) {
        return pl_fail(PL_ERROR_MEMORY, "an arena of %lld bytes is full", (long long)total);
    }
    arena->chunk[arena->n_chunk] = pl_alloc(size, 1);
    if (arena->chunk[arena->n_chunk] == NULL) return PL_ERROR_MEMORY;
    arena->size[arena->n_chunk++] = size;
    return PL_OK;
}

void *pl_arena_take(pl_arena *arena, int64_t count, size_t size)
{
    int64_t need = 0;
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)size, &need) ||
        need > INT64_MAX - ALIGNMENT) {
        pl_fail(PL_ERROR_MEMORY, "an arena cannot hold %lld elements of %zu bytes",
                (long long)count, size);
        return NULL;
    }
    need = (need + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (; arena->current < arena->n_chunk; arena->current++, arena->used = 0) {
        if (need <= arena->size[arena->current] - arena->used) break;
    }
    if (arena->current == arena->n_chunk && add_chunk(arena, need) != PL_OK) return NULL;
    char *piece = arena->chunk[arena->current] + arena->used;
    arena->used += need;
    arena->most = PL_MAX(arena->most, sum_chunks(arena, arena->current) + arena->used);
    return piece;
}
