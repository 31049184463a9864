// Memory that a solver takes piece by piece and that is all given back at once. Internal.
//
// A solve takes what it needs and frees nothing; the next one starts over on the same memory. So a
// solver has no create and no free of its own. Memory comes in chunks; a reset makes one of
// several, so that no ends of chunks stay unused, and from then on a solve that is no larger than
// one before makes no heap call.

#ifndef PL_ARENA_H
#define PL_ARENA_H

#include "base.h"

enum { PL_MAX_CHUNKS = 48 }; // each at least half as large as all before it

typedef struct pl_arena {
    char *chunk[PL_MAX_CHUNKS];
    int64_t size[PL_MAX_CHUNKS]; // [bytes]
    int32_t n_chunk;
    int32_t current; // the chunk that pieces are taken from
    int64_t used;    // of it [bytes]
    int64_t most;    // that was ever in use, with the ends of chunks that were left [bytes]
} pl_arena;

// An arena begins as {0}.
void pl_arena_free(pl_arena *arena); // leaves it empty

// What was taken is no longer valid.
void pl_arena_reset(pl_arena *arena);

// What was taken between the two calls is no longer valid.
typedef struct pl_arena_mark {
    int32_t current;
    int64_t used;
} pl_arena_mark;

pl_arena_mark pl_arena_here(const pl_arena *arena);
void pl_arena_back(pl_arena *arena, pl_arena_mark mark);

// 64-byte aligned, not cleared; NULL (with pl_error_text set) if it cannot be had.
void *pl_arena_take(pl_arena *arena, int64_t count, size_t size);

#endif
