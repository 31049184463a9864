#include "dissect.h"

#include <string.h>

// Sets of fewer blocks are not divided further: their factor is nearly full anyway.
enum { LEAF = 48 };
// A block with more neighbours comes last: eliminated before them, it would couple them all. Those
// of a rigid body in many contacts are such.
enum { HUB = 64 };

typedef struct dissection {
    const pl_bsr *A;
    int32_t *list;  // (n) the order as it becomes
    int32_t *queue; // (n) scratch: places as in `list`
    int32_t *set;   // (A.n) the set that a block is in; -1 if it is left out
    int32_t *level; // (A.n) its distance from where the last search began
    int32_t n_set;
} dissection;

// Searches from `start` through its set, whose blocks come into a new one. They are put into queue
// from `first` on, nearest first; returns where they end.
static int32_t search(dissection *d, int32_t start, int32_t first)
{
    int32_t from = d->set[start], to = d->n_set++, end = first;
    d->queue[end++] = start;
    d->set[start] = to;
    d->level[start] = 0;
    for (int32_t i = first; i < end; i++) {
        int32_t block = d->queue[i];
        for (int64_t k = d->A->row[block]; k < d->A->row[block + 1]; k++) {
            int32_t next = d->A->col[k];
            if (d->set[next] != from) continue;
            d->set[next] = to;
            d->level[next] = d->level[block] + 1;
            d->queue[end++] = next;
        }
    }
    return end;
}

// Does the block have a neighbour in its set that is farther from the start?
static bool leads_on(const dissection *d, int32_t block)
{
    for (int64_t k = d->A->row[block]; k < d->A->row[block + 1]; k++) {
        int32_t next = d->A->col[k];
        if (d->set[next] == d->set[block] && d->level[next] > d->level[block]) return true;
    }
    return false;
}

static void divide(dissection *d, int32_t first, int32_t last);

// Orders the connected set list[first] .. list[last - 1].
static void order_set(dissection *d, int32_t first, int32_t last)
{
    if (last - first <= LEAF) return;
    // From a block that is far from another one that is far from any.
    for (int i = 0; i < 2; i++) {
        int32_t start = i == 0 ? d->list[first] : d->queue[last - 1];
        search(d, start, first);
    }
    int32_t middle = d->level[d->queue[first + (last - first) / 2]], near = first, far, end = last;
    if (middle == 0 || middle == d->level[d->queue[last - 1]]) return; // no level parts it
    for (int32_t i = first; i < last; i++) {
        int32_t block = d->queue[i];
        bool before =
            d->level[block] < middle || (d->level[block] == middle && !leads_on(d, block));
        if (before) d->list[near++] = block;
    }
    far = near;
    for (int32_t i = first; i < last; i++) {
        if (d->level[d->queue[i]] > middle) d->list[far++] = d->queue[i];
    }
    for (int32_t i = last - 1; i >= first; i--) {
        int32_t block = d->queue[i];
        if (d->level[block] == middle && leads_on(d, block)) d->list[--end] = block;
    }
    divide(d, first, near);
    divide(d, near, far);
}

// Splits list[first] .. list[last - 1] into connected sets, one after the other, and orders each.
// The sets have at most half the blocks of the one that they come from, so that this does not go
// deep.
static void divide(dissection *d, int32_t first, int32_t last)
{
    int32_t from = d->n_set++;
    for (int32_t i = first; i < last; i++) d->set[d->list[i]] = from;
    int32_t end = first;
    for (int32_t i = first; i < last; i++) {
        if (d->set[d->list[i]] == from) end = search(d, d->list[i], end);
    }
    memcpy(d->list + first, d->queue + first, (size_t)(last - first) * sizeof *d->list);
    for (int32_t i = first; i < last; i = end) {
        end = i + 1;
        while (end < last && d->level[d->list[end]] > 0) end++; // 0 is where a search began
        order_set(d, i, end);
    }
}

// Orders the connected set queue[first] .. queue[last - 1], a whole part.
static void order_part(dissection *d, int32_t first, int32_t last)
{
    int32_t near = first, end = last;
    for (int32_t i = first; i < last; i++) {
        int32_t block = d->queue[i];
        bool hub = last - first > LEAF && d->A->row[block + 1] - d->A->row[block] > HUB;
        d->list[hub ? --end : near++] = block;
    }
    if (end == last) {
        order_set(d, first, last);
    } else {
        divide(d, first, end);
    }
}

// --- The whole ---

static pl_status take(const pl_bsr *A, pl_arena *arena, dissection *d, pl_order *out)
{
    int64_t n = A->n;
    out->block = pl_arena_take(arena, n, sizeof *out->block);
    out->part = pl_arena_take(arena, n + 1, sizeof *out->part);
    d->queue = pl_arena_take(arena, n, sizeof *d->queue);
    d->set = pl_arena_take(arena, n, sizeof *d->set);
    d->level = pl_arena_take(arena, n, sizeof *d->level);
    bool all = out->block != NULL && out->part != NULL && d->queue != NULL && d->set != NULL &&
               d->level != NULL;
    return all ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_order_create(const pl_bsr *A, const uint8_t *skip, pl_arena *arena, pl_order *out)
{
    dissection d = {.A = A};
    *out = (pl_order){0};
    PL_TRY(take(A, arena, &d, out));
    d.list = out->block;
    for (int32_t i = 0; i < A->n; i++) {
        bool left_out = skip != NULL && skip[i] != 0;
        d.set[i] = left_out ? -1 : 0;
    }
    d.n_set = 1;
    int32_t end = 0;
    for (int32_t i = 0; i < A->n; i++) {
        if (d.set[i] != 0) continue;
        out->part[out->n_part++] = end;
        end = search(&d, i, end);
    }
    out->n = out->part[out->n_part] = end;
    for (int32_t p = 0; p < out->n_part; p++) order_part(&d, out->part[p], out->part[p + 1]);
    return PL_OK;
}
