#include "rcm.h"

typedef struct search {
    const int64_t *col;
    const int32_t *row;
    int32_t *queue; // (n) vertices in the order in which they are met
    int32_t *level; // (n) of the search under way; DONE: in the order already; NEW: not met
} search;

enum { NEW = -1, DONE = -2, MAX_SEARCHES = 8 };

static int64_t degree(const search *s, int32_t v)
{
    return s->col[v + 1] - s->col[v];
}

// Queues what is connected with `start`, level by level; returns how many.
static int32_t search_from(const search *s, int32_t start)
{
    int32_t n = 1;
    s->queue[0] = start;
    s->level[start] = 0;
    for (int32_t at = 0; at < n; at++) {
        int32_t v = s->queue[at], first = n;
        for (int64_t k = s->col[v]; k < s->col[v + 1]; k++) {
            int32_t u = s->row[k];
            if (s->level[u] != NEW) continue;
            s->level[u] = s->level[v] + 1;
            int32_t to = n++; // by insertion: few degrees differ
            for (; to > first && degree(s, s->queue[to - 1]) > degree(s, u); to--) {
                s->queue[to] = s->queue[to - 1];
            }
            s->queue[to] = u;
        }
    }
    return n;
}

static void forget(const search *s, int32_t n)
{
    for (int32_t i = 0; i < n; i++) s->level[s->queue[i]] = NEW;
}

// Queues a part from an end of it: from the farthest vertex of least degree, as long as that leads
// farther.
static int32_t search_part(const search *s, int32_t start)
{
    int32_t n = search_from(s, start), depth = s->level[s->queue[n - 1]];
    for (int32_t tries = 0; tries < MAX_SEARCHES; tries++) {
        int32_t end = s->queue[n - 1];
        for (int32_t i = n - 1; i >= 0 && s->level[s->queue[i]] == depth; i--) {
            if (degree(s, s->queue[i]) < degree(s, end)) end = s->queue[i];
        }
        forget(s, n);
        search_from(s, end);
        int32_t found = s->level[s->queue[n - 1]];
        if (found <= depth) break;
        depth = found;
    }
    return n;
}

pl_status pl_rcm(int32_t n, const int64_t *col, const int32_t *row, pl_arena *arena, int32_t *order)
{
    pl_arena_mark mark = pl_arena_here(arena);
    search s = {.col = col, .row = row};
    s.level = pl_arena_take(arena, n, sizeof *s.level);
    if (s.level == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n; i++) s.level[i] = NEW;
    int32_t placed = 0;
    for (int32_t v = 0; v < n; v++) {
        if (s.level[v] != NEW) continue;
        s.queue = order + placed;
        int32_t part = search_part(&s, v);
        for (int32_t i = 0; i < part; i++) s.level[s.queue[i]] = DONE;
        placed += part;
    }
    for (int32_t i = 0, j = n - 1; i < j; i++, j--) {
        int32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    pl_arena_back(arena, mark);
    return PL_OK;
}
