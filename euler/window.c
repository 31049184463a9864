// Windows: the part of the grid around a body, which moves along with it.

#include "euler.h"

#include <string.h>

void pl_euler_window_free(pl_euler_window *window)
{
    pl_free(window->memory);
    *window = (pl_euler_window){0};
}

// A node takes 12 numbers, three indices and a kind, in the room of 14 numbers.
enum { NODE_BYTES = 14 * sizeof(double) };

static void *carve(char **at, int64_t count, size_t size)
{
    void *here = *at;
    *at += (size_t)count * size;
    return here;
}

// Room for `count` nodes, of which none is valid.
static pl_status set_count(pl_euler_window *w, int64_t count)
{
    if (count > w->capacity) {
        int64_t capacity = PL_MAX(count, w->capacity + w->capacity / 2);
        void *memory = pl_alloc(capacity, NODE_BYTES);
        if (memory == NULL) return PL_ERROR_MEMORY;
        pl_free(w->memory);
        w->memory = memory;
        w->capacity = capacity;
    }
    char *at = w->memory;
    double **triples[] = {&w->X, &w->v, &w->next}, **numbers[] = {&w->m, &w->phi, &w->fill};
    int32_t **indices[] = {&w->slot, &w->block, &w->master};
    for (int k = 0; k < 3; k++) *triples[k] = carve(&at, 3 * count, sizeof(double));
    for (int k = 0; k < 3; k++) *numbers[k] = carve(&at, count, sizeof(double));
    memset(w->memory, 0, 12 * (size_t)count * sizeof(double));
    for (int k = 0; k < 3; k++) {
        *indices[k] = carve(&at, count, sizeof(int32_t));
        memset(*indices[k], 0xff, (size_t)count * sizeof(int32_t));
    }
    w->node = carve(&at, count, 1);
    w->count = count;
    memset(w->node, PL_NODE_NONE, (size_t)count);
    return PL_OK;
}

// Copies the rows of nodes that both windows have.
static void keep(const pl_euler_window *from, pl_euler_window *to)
{
    int32_t first[3], last[3];
    for (int k = 0; k < 3; k++) {
        first[k] = PL_MAX(from->lo[k], to->lo[k]);
        last[k] = PL_MIN(from->lo[k] + from->n[k], to->lo[k] + to->n[k]);
        if (first[k] >= last[k]) return;
    }
    size_t row = (size_t)(last[0] - first[0]);
    for (int32_t k = first[2]; k < last[2]; k++) {
        for (int32_t j = first[1]; j < last[1]; j++) {
            int64_t a = pl_euler_at(from, first[0] - from->lo[0], j - from->lo[1], k - from->lo[2]);
            int64_t b = pl_euler_at(to, first[0] - to->lo[0], j - to->lo[1], k - to->lo[2]);
            memcpy(to->X + 3 * b, from->X + 3 * a, 3 * row * sizeof *to->X);
            memcpy(to->v + 3 * b, from->v + 3 * a, 3 * row * sizeof *to->v);
            memcpy(to->m + b, from->m + a, row * sizeof *to->m);
            memcpy(to->phi + b, from->phi + a, row * sizeof *to->phi);
            memcpy(to->node + b, from->node + a, row);
        }
    }
}

pl_status pl_euler_window_copy(const pl_euler_window *from, pl_euler_window *to)
{
    PL_TRY(set_count(to, from->count));
    memcpy(to->lo, from->lo, sizeof to->lo);
    memcpy(to->n, from->n, sizeof to->n);
    keep(from, to);
    return PL_OK;
}

pl_status pl_euler_window_move(pl_euler_body *body, const int32_t lo[3], const int32_t hi[3])
{
    pl_euler_window *w = &body->other;
    int64_t count = 1;
    int32_t first[3], n[3];
    for (int k = 0; k < 3; k++) {
        first[k] = lo[k] - PL_EULER_LAYERS;
        n[k] = hi[k] - lo[k] + 1 + 2 * PL_EULER_LAYERS;
        count *= n[k];
        if (count > PL_EULER_NODES_MAX) {
            return pl_fail(PL_ERROR_GEOMETRY,
                           "the body takes more than %d nodes of the grid: its spacing is too "
                           "small",
                           (int)PL_EULER_NODES_MAX);
        }
    }
    bool same = body->now.memory != NULL && memcmp(first, body->now.lo, sizeof first) == 0 &&
                memcmp(n, body->now.n, sizeof n) == 0;
    if (same) return PL_OK;
    PL_TRY(set_count(w, count));
    memcpy(w->lo, first, sizeof first);
    memcpy(w->n, n, sizeof n);
    if (body->now.memory != NULL) keep(&body->now, w);
    pl_euler_window old = body->now;
    body->now = *w;
    *w = old;
    return PL_OK;
}

pl_status pl_euler_window_follow(pl_euler_body *body)
{
    const pl_euler_window *w = &body->now;
    int32_t lo[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, hi[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    for (int64_t at = 0; at < w->count; at++) {
        int32_t place[3];
        if (w->node[at] < PL_NODE_LIGHT) continue;
        pl_euler_place(w, at, place);
        for (int k = 0; k < 3; k++) {
            lo[k] = PL_MIN(lo[k], w->lo[k] + place[k]);
            hi[k] = PL_MAX(hi[k], w->lo[k] + place[k]);
        }
    }
    if (lo[0] > hi[0]) return pl_fail(PL_ERROR_NUMERICS, "a body has left no trace on the grid");
    return pl_euler_window_move(body, lo, hi);
}
