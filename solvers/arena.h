// Memory that a solver takes piece by piece and that is all given back at once. Internal.
//
// A solve takes what it needs and frees nothing; the next one starts over on the same memory. So a
// solver has no create and no free of its own, and a solve that is no larger than one before makes
// no heap call.

#ifndef PL_ARENA_H
#define PL_ARENA_H

#include "../base/base.h"

enum { PL_MAX_CHUNKS = 48 }; // each at least as large as all before it

typedef struct pl_arena {
    char *chunk[PL_MAX_CHUNKS];
    int64_t size[PL_MAX_CHUNKS]; // [bytes]
    int32_t n_chunk;
    int32_t current; // the chunk that pieces are taken from
    int64_t used;    // of it [bytes]
} pl_arena;

// An arena begins as {0}.
void pl_arena_free(pl_arena *arena); // leaves it empty

// What was taken is no longer valid.
void pl_arena_reset(pl_arena *arena);

// 64-byte aligned, not cleared; NULL (with pl_error_text set) if it cannot be had.
void *pl_arena_take(pl_arena *arena, int64_t count, size_t size);

#endif
