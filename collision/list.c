// Candidate lists from the pairs of a search.

#include "list.h"

#include <string.h>

enum { SORT_SERIAL = 20000, BLOCKS_SERIAL = 16, INSERTION_MAX = 32 };

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

static void count_firsts(const pl_surfaces *s, int kind, int32_t *count)
{
#pragma omp parallel for schedule(static) if (s->n_block > BLOCKS_SERIAL)
    for (int64_t k = 0; k < s->n_block; k++) {
        const pl_pair_block *block = s->block[k];
        if (block->kind != kind) continue;
        for (int32_t i = 0; i < block->n; i++) {
#pragma omp atomic
            count[block->pair[i].a]++;
        }
    }
}

// count[a] holds where the row of a begins, and ends up where it ends.
static void deal_out(const pl_surfaces *s, int kind, int32_t *count, pl_pair *list)
{
#pragma omp parallel for schedule(static) if (s->n_block > BLOCKS_SERIAL)
    for (int64_t k = 0; k < s->n_block; k++) {
        const pl_pair_block *block = s->block[k];
        if (block->kind != kind) continue;
        for (int32_t i = 0; i < block->n; i++) {
            int32_t at;
#pragma omp atomic capture
            at = count[block->pair[i].a]++;
            list[at] = block->pair[i];
        }
    }
}

static void sort_rows(const int32_t *end, int32_t n_first, pl_pair *list)
{
#pragma omp parallel for schedule(static) if (n_first > SORT_SERIAL)
    for (int32_t a = 0; a < n_first; a++) {
        int32_t start = a == 0 ? 0 : end[a - 1];
        int64_t n = end[a] - start;
        if (n > INSERTION_MAX) {
            heap_sort(list + start, n);
        } else {
            insertion_sort(list + start, n);
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
    int32_t *count = s->count, sum = 0;
    memset(count, 0, (size_t)n_first * sizeof *count);
    count_firsts(s, kind, count);
    for (int32_t a = 0; a < n_first; a++) {
        int32_t here = count[a];
        count[a] = sum;
        sum += here;
    }
    deal_out(s, kind, count, s->list[kind]);
    sort_rows(count, n_first, s->list[kind]);
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
