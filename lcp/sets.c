// Sets of pivoting solvers, and the systems that they reduce the problem to.

#include "sets.h"

#include <string.h>

pl_status pl_lcp_sets_make(pl_arena *arena, int32_t n, pl_lcp_sets *sets)
{
    *sets = (pl_lcp_sets){.n = n};
    sets->state = pl_arena_take(arena, n, sizeof *sets->state);
    sets->list = pl_arena_take(arena, n, sizeof *sets->list);
    sets->place = pl_arena_take(arena, n, sizeof *sets->place);
    if (sets->state == NULL || sets->list == NULL || sets->place == NULL) return PL_ERROR_MEMORY;
    memset(sets->state, PL_LCP_FREE, (size_t)n);
    pl_lcp_sets_index(sets);
    return PL_OK;
}

void pl_lcp_sets_start(const pl_lcp *lcp, const double *x, pl_lcp_sets *sets)
{
    for (int32_t i = 0; i < sets->n; i++) {
        sets->state[i] = x[i] <= lcp->lo[i]   ? PL_LCP_AT_LO
                         : x[i] >= lcp->hi[i] ? PL_LCP_AT_HI
                                              : PL_LCP_FREE;
    }
    pl_lcp_sets_index(sets);
}

void pl_lcp_sets_index(pl_lcp_sets *sets)
{
    sets->n_free = 0;
    for (int32_t i = 0; i < sets->n; i++) {
        sets->place[i] = sets->state[i] == PL_LCP_FREE ? sets->n_free : -1;
        if (sets->place[i] >= 0) sets->list[sets->n_free++] = i;
    }
}

void pl_lcp_sets_tighten(const pl_lcp *lcp, const pl_lcp_sets *sets, double *x)
{
    for (int32_t i = 0; i < sets->n; i++) {
        if (sets->state[i] == PL_LCP_FREE) continue;
        x[i] = sets->state[i] == PL_LCP_AT_LO ? lcp->lo[i] : lcp->hi[i];
    }
}

int32_t pl_lcp_sets_violations(const pl_lcp *lcp, const double *diag, const pl_lcp_sets *sets,
                               const double *x, const double *w, double tolerance, int32_t *first)
{
    int32_t count = 0;
    *first = sets->n;
    for (int32_t i = sets->n - 1; i >= 0; i--) {
        if (pl_lcp_sets_next(lcp, diag, sets, x, w, tolerance, i) == sets->state[i]) continue;
        *first = i;
        count++;
    }
    return count;
}

// --- Sets that were visited ---

// The finalizer of splitmix64.
static uint64_t mix(uint64_t h)
{
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

uint64_t pl_lcp_sets_hash(const pl_lcp_sets *sets)
{
    uint64_t h = 0;
    for (int32_t i = 0; i < sets->n; i++) {
        if (sets->state[i] == PL_LCP_FREE) continue;
        h += mix(2 * (uint64_t)i + sets->state[i] + 0x9e3779b97f4a7c15u);
    }
    return mix(h + 1);
}

// Where the key is, or the empty place for it.
static int64_t place_of(const pl_lcp_visited *visited, uint64_t key)
{
    int64_t at = (int64_t)key & (visited->capacity - 1);
    while (visited->key[at] != 0 && visited->key[at] != key)
        at = (at + 1) & (visited->capacity - 1);
    return at;
}

bool pl_lcp_visited_has(const pl_lcp_visited *visited, uint64_t key)
{
    key += key == 0;
    return visited->capacity > 0 && visited->key[place_of(visited, key)] == key;
}

pl_status pl_lcp_visited_add(pl_arena *arena, pl_lcp_visited *visited, uint64_t key)
{
    key += key == 0;
    if (2 * visited->count >= visited->capacity) {
        pl_lcp_visited old = *visited;
        int64_t capacity = PL_MAX(64, 2 * old.capacity);
        visited->key = pl_arena_take(arena, capacity, sizeof *visited->key);
        if (visited->key == NULL) {
            *visited = old;
            return PL_ERROR_MEMORY;
        }
        visited->capacity = capacity;
        memset(visited->key, 0, (size_t)capacity * sizeof *visited->key);
        for (int64_t i = 0; i < old.capacity; i++) {
            if (old.key[i] != 0) visited->key[place_of(visited, old.key[i])] = old.key[i];
        }
    }
    int64_t at = place_of(visited, key);
    visited->count += visited->key[at] == 0;
    visited->key[at] = key;
    return PL_OK;
}

// --- Regularization ---

pl_status pl_lcp_softening_make(const pl_lcp *lcp, const pl_lcp_options *options, pl_arena *arena,
                                pl_lcp_softening *s)
{
    *s = (pl_lcp_softening){0};
    if (!(options->regularize > 0)) return PL_OK;
    s->shift = pl_arena_take(arena, lcp->n, sizeof *s->shift);
    s->pivoted = pl_arena_take(arena, lcp->n, sizeof *s->pivoted);
    s->allowed = pl_arena_take(arena, lcp->n, sizeof *s->allowed);
    if (s->shift == NULL || s->pivoted == NULL || s->allowed == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < lcp->n; i++) {
        s->shift[i] = 0;
        s->pivoted[i] = 0;
        s->allowed[i] = options->regularize_after;
    }
    return PL_OK;
}

int32_t pl_lcp_softening_update(const pl_lcp *lcp, const pl_lcp_options *options,
                                const pl_lcp_sets *sets, pl_lcp_softening *s)
{
    int32_t shifted = 0;
    for (int32_t c = 0; c < sets->n_free && s->shift != NULL; c++) {
        int32_t i = sets->list[c];
        if (!pl_lcp_is_friction(lcp, i) || s->pivoted[i] <= s->allowed[i]) continue;
        s->shift[i] += options->regularize;
        s->allowed[i] = PL_MAX(1, 2 * s->allowed[i]);
        shifted++;
    }
    return shifted;
}

// --- The reduced system ---

pl_status pl_lcp_reduced_make(pl_arena *arena, const pl_lcp *lcp, pl_lcp_reduced *reduced)
{
    *reduced = (pl_lcp_reduced){0};
    reduced->col = pl_arena_take(arena, (int64_t)lcp->n + 1, sizeof *reduced->col);
    reduced->row = pl_arena_take(arena, lcp->col[lcp->n], sizeof *reduced->row);
    reduced->val = pl_arena_take(arena, lcp->col[lcp->n], sizeof *reduced->val);
    bool ok = reduced->col != NULL && reduced->row != NULL && reduced->val != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

void pl_lcp_reduce(const pl_lcp *lcp, const pl_lcp_sets *sets, const double *shift, bool lower,
                   pl_lcp_reduced *reduced)
{
    int64_t at = 0;
    reduced->n = sets->n_free;
    for (int32_t c = 0; c < sets->n_free; c++) {
        int32_t j = sets->list[c];
        reduced->col[c] = at;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t r = sets->place[lcp->row[k]];
            if (r < (lower ? c : 0)) continue;
            reduced->row[at] = r;
            reduced->val[at++] = lcp->val[k] + (shift != NULL && r == c ? shift[j] : 0);
        }
    }
    reduced->col[sets->n_free] = at;
}

void pl_lcp_reduce_rhs(const pl_lcp *lcp, const pl_lcp_sets *sets, const double *x, double *b)
{
    for (int32_t c = 0; c < sets->n_free; c++) b[c] = -lcp->q[sets->list[c]];
    for (int32_t j = 0; j < lcp->n; j++) {
        if (sets->place[j] >= 0 || x[j] == 0) continue;
        for (int64_t k = lcp->col[j]; k < lcp->col[j + 1]; k++) {
            int32_t r = sets->place[lcp->row[k]];
            if (r >= 0) b[r] -= lcp->val[k] * x[j];
        }
    }
}
