// Candidate lists from the pairs of a search.

#include "list.h"

#include <string.h>

enum {
    INSERTION_MAX = 32,
    // What a thread takes at least.
    CHUNK_BLOCKS = 8,
    CHUNK_ROWS = 10000,
};

// --- A row: pairs with the same first feature ---

static void insertion_sort(pl_pair *row, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        pl_pair p = row[i];
        int64_t at = i;
        for (; at > 0 && row[at - 1].b > p.b; at--) row[at] = row[at - 1];
        row[at] = p;
    }
}

static void sift_down(pl_pair *row, int64_t i, int64_t n)
{
    pl_pair p = row[i];
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && row[child + 1].b > row[child].b) child++;
        if (row[child].b <= p.b) break;
        row[i] = row[child];
    }
    row[i] = p;
}

static void heap_sort(pl_pair *row, int64_t n)
{
    for (int64_t i = n / 2 - 1; i >= 0; i--) sift_down(row, i, n);
    for (int64_t i = n - 1; i > 0; i--) {
        pl_pair t = row[0];
        row[0] = row[i];
        row[i] = t;
        sift_down(row, 0, i);
    }
}

// --- One kind: counted by first feature, dealt out, then each row sorted ---

typedef struct deal {
    const pl_surfaces *s;
    int kind;
    int32_t *count; // of each first feature
    pl_pair *list;
} deal;

static void count_firsts(void *context, int64_t first, int64_t last)
{
    const deal *d = context;
    for (int64_t k = first; k < last; k++) {
        const pl_pair_block *block = d->s->block[k];
        if (block->kind != d->kind) continue;
        for (int32_t i = 0; i < block->n; i++) {
            __atomic_fetch_add(&d->count[block->pair[i].a], 1, __ATOMIC_RELAXED);
        }
    }
}

// count[a] holds where the row of a begins, and ends up where it ends.
static void deal_out(void *context, int64_t first, int64_t last)
{
    const deal *d = context;
    for (int64_t k = first; k < last; k++) {
        const pl_pair_block *block = d->s->block[k];
        if (block->kind != d->kind) continue;
        for (int32_t i = 0; i < block->n; i++) {
            int32_t at = __atomic_fetch_add(&d->count[block->pair[i].a], 1, __ATOMIC_RELAXED);
            d->list[at] = block->pair[i];
        }
    }
}

static void sort_rows(void *context, int64_t first, int64_t last)
{
    const deal *d = context;
    for (int64_t a = first; a < last; a++) {
        int32_t start = a == 0 ? 0 : d->count[a - 1];
        int64_t n = d->count[a] - start;
        if (n > INSERTION_MAX) {
            heap_sort(d->list + start, n);
        } else {
            insertion_sort(d->list + start, n);
        }
    }
}

static int64_t drop_repeated(pl_pair *list, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        bool again = kept > 0 && list[kept - 1].a == list[i].a && list[kept - 1].b == list[i].b;
        if (!again) list[kept++] = list[i];
    }
    return kept;
}

static pl_status make_list(pl_surfaces *s, int kind, int32_t n_first)
{
    int64_t n = 0;
    for (int64_t k = 0; k < s->n_block; k++) n += s->block[k]->kind == kind ? s->block[k]->n : 0;
    s->n_list[kind] = 0;
    if (n == 0) return PL_OK;
    if (n > s->list_capacity[kind]) { // with room for the next time
        PL_TRY(pl_reserve((void **)&s->list[kind], &s->list_capacity[kind], n + n / 4,
                          sizeof(pl_pair)));
    }
    const deal d = {s, kind, s->count, s->list[kind]};
    int32_t sum = 0;
    memset(s->count, 0, (size_t)n_first * sizeof *s->count);
    pl_loop(s->n_block, CHUNK_BLOCKS, count_firsts, &d);
    for (int32_t a = 0; a < n_first; a++) {
        int32_t here = s->count[a];
        s->count[a] = sum;
        sum += here;
    }
    pl_loop(s->n_block, CHUNK_BLOCKS, deal_out, &d);
    pl_loop(n_first, CHUNK_ROWS, sort_rows, &d);
    s->n_list[kind] = drop_repeated(s->list[kind], n);
    return PL_OK;
}

pl_status pl_lists_make(pl_surfaces *s)
{
    PL_TRY(make_list(s, PL_VERTEX_FACE, s->n_point));
    PL_TRY(make_list(s, PL_EDGE_EDGE, s->n_edge));
    PL_TRY(make_list(s, PL_VERTEX_EDGE, s->n_point));
    return make_list(s, PL_VERTEX_VERTEX, s->n_point);
}
