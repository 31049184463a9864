// Greedy colours for constraints: each takes the first colour that no constraint before it has in a
// block that moves. Beyond MOST_COLOURS a constraint gets one of its own.

#include "system.h"
#include "colours.h"

#include <string.h>

enum { WORDS = 4, MOST_COLOURS = 64 * WORDS };

typedef struct taken {
    uint64_t bit[WORDS];
} taken;

static int32_t first_free(const taken *t)
{
    for (int w = 0; w < WORDS; w++) {
        if (t->bit[w] != UINT64_MAX) return 64 * w + __builtin_ctzll(~t->bit[w]);
    }
    return MOST_COLOURS;
}

// The colour of constraint k, which is then taken in its blocks.
static int32_t choose(const pl_problem *problem, int32_t k, taken *of_block)
{
    const pl_constraint *c = problem->constraint + k;
    taken all = {{0}};
    for (int32_t t = c->first; t < c->first + c->count; t++) {
        int32_t block = problem->entry[t].block;
        if (pl_is_prescribed(problem, block)) continue;
        for (int w = 0; w < WORDS; w++) all.bit[w] |= of_block[block].bit[w];
    }
    int32_t colour = first_free(&all);
    for (int32_t t = c->first; t < c->first + c->count && colour < MOST_COLOURS; t++) {
        int32_t block = problem->entry[t].block;
        if (pl_is_prescribed(problem, block)) continue;
        of_block[block].bit[colour / 64] |= UINT64_C(1) << colour % 64;
    }
    return colour;
}

pl_status pl_gpu_colour(const pl_problem *problem, const double *scale, pl_arena *arena,
                        pl_gpu_colours *out)
{
    int32_t n = problem->n_constraint, n_over = 0;
    *out = (pl_gpu_colours){0};
    int32_t *colour = pl_arena_take(arena, n, sizeof *colour);
    taken *of_block = pl_arena_take(arena, problem->A->n, sizeof *of_block);
    out->order = pl_arena_take(arena, n, sizeof *out->order);
    out->start = pl_arena_take(arena, (int64_t)MOST_COLOURS + n + 2, sizeof *out->start);
    if (colour == NULL || of_block == NULL || out->order == NULL || out->start == NULL) {
        return PL_ERROR_MEMORY;
    }
    memset(of_block, 0, (size_t)problem->A->n * sizeof *of_block);
    memset(out->start, 0, ((size_t)MOST_COLOURS + (size_t)n + 2) * sizeof *out->start);
    for (int32_t k = 0; k < n; k++) {
        colour[k] = scale[2 * (int64_t)k] > 0 ? choose(problem, k, of_block) : -1;
        if (colour[k] == MOST_COLOURS) colour[k] += n_over++;
        if (colour[k] >= 0) out->n = PL_MAX(out->n, colour[k] + 1), out->start[colour[k] + 1]++;
    }
    for (int32_t c = 0; c < out->n; c++) out->start[c + 1] += out->start[c];
    int32_t *at = pl_arena_take(arena, (int64_t)out->n + 1, sizeof *at);
    if (at == NULL) return PL_ERROR_MEMORY;
    memcpy(at, out->start, ((size_t)out->n + 1) * sizeof *at);
    for (int32_t k = 0; k < n; k++) {
        if (colour[k] >= 0) out->order[at[colour[k]]++] = k;
    }
    return PL_OK;
}
