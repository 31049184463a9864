#include "factor_cache.h"

#include <string.h>

// A search looks at every key.
enum { MAX_ENTRIES = 8192 };

// As the arena gives it [bytes].
static int64_t padded(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

pl_status pl_factor_cache_make(pl_factor_cache *cache, const pl_skyline *skyline,
                               const double *path, int64_t budget, pl_arena *arena)
{
    *cache = (pl_factor_cache){.skyline = skyline, .path = path, .arena = arena};
    cache->n_word = skyline->n / 64 + 1;
    cache->bytes = padded(skyline->col[skyline->n] * (int64_t)sizeof(double)) +
                   padded(cache->n_word * (int64_t)sizeof(uint64_t)) +
                   (int64_t)sizeof(pl_cache_entry);
    cache->capacity = (int32_t)PL_MIN(MAX_ENTRIES, PL_MAX(budget, 0) / cache->bytes);
    cache->entry = pl_arena_take(arena, cache->capacity, sizeof *cache->entry);
    cache->tight = pl_arena_take(arena, cache->n_word, sizeof *cache->tight);
    if (cache->entry == NULL || cache->tight == NULL) return PL_ERROR_MEMORY;
    for (int32_t e = 0; e < cache->capacity; e++) cache->entry[e] = (pl_cache_entry){0};
    return PL_OK;
}

void pl_factor_cache_clear(pl_factor_cache *cache)
{
    cache->n = 0;
}

static void write_key(const pl_factor_cache *cache, const uint8_t *removed, uint64_t *key)
{
    memset(key, 0, (size_t)cache->n_word * sizeof *key);
    for (int32_t i = 0; i < cache->skyline->n; i++) {
        if (removed[i] != 0) key[i / 64] |= UINT64_C(1) << i % 64;
    }
}

static bool is_subset(const pl_factor_cache *cache, const uint64_t *key, const uint64_t *of)
{
    for (int32_t w = 0; w < cache->n_word; w++) {
        if ((key[w] & ~of[w]) != 0) return false;
    }
    return true;
}

// What the rows in the key have taken to remove, each for itself.
static double work_of(const pl_factor_cache *cache, const uint64_t *key)
{
    double sum = 0;
    for (int32_t w = 0; w < cache->n_word; w++) {
        for (uint64_t left = key[w]; left != 0; left &= left - 1) {
            sum += cache->path[64 * w + __builtin_ctzll(left)];
        }
    }
    return sum;
}

static void load(pl_factor_cache *cache, pl_cache_entry *entry, pl_factor *L)
{
    const pl_skyline *s = cache->skyline;
    L->skyline = s;
    L->n_removed = 0;
    for (int32_t i = 0; i < s->n; i++) {
        L->removed[i] = entry->key[i / 64] >> i % 64 & 1;
        L->n_removed += L->removed[i];
    }
    memcpy(L->val, entry->val, (size_t)s->col[s->n] * sizeof *L->val);
    L->copied += (double)s->col[s->n];
    entry->used = ++cache->clock;
}

bool pl_factor_cache_find(pl_factor_cache *cache, const uint8_t *tight, pl_factor *L)
{
    pl_cache_entry *best = NULL;
    double most = 0;
    write_key(cache, tight, cache->tight);
    for (int32_t e = 0; e < cache->n; e++) {
        if (!is_subset(cache, cache->entry[e].key, cache->tight)) continue;
        double work = work_of(cache, cache->entry[e].key);
        if (work > most) most = work, best = &cache->entry[e];
    }
    if (best == NULL) {
        cache->misses++;
        return false;
    }
    cache->hits++;
    load(cache, best, L);
    return true;
}

// An entry to write to: a new one, or the one that was not used for longest; NULL: there is none.
static pl_cache_entry *make_room(pl_factor_cache *cache)
{
    if (cache->n < cache->capacity) {
        pl_cache_entry *entry = &cache->entry[cache->n];
        if (entry->val == NULL) {
            int64_t nnz = cache->skyline->col[cache->skyline->n];
            uint64_t *key = pl_arena_take(cache->arena, cache->n_word, sizeof *key);
            entry->val = pl_arena_take(cache->arena, nnz, sizeof *entry->val);
            entry->key = key;
            if (key == NULL) entry->val = NULL;
        }
        if (entry->val != NULL) {
            cache->n++;
            return entry;
        }
        cache->capacity = cache->n;
    }
    pl_cache_entry *oldest = cache->n > 0 ? cache->entry : NULL;
    for (int32_t e = 1; e < cache->n; e++) {
        if (cache->entry[e].used < oldest->used) oldest = &cache->entry[e];
    }
    cache->evictions += oldest != NULL;
    return oldest;
}

void pl_factor_cache_store(pl_factor_cache *cache, const pl_factor *L)
{
    write_key(cache, L->removed, cache->tight);
    for (int32_t e = 0; e < cache->n; e++) {
        size_t bytes = (size_t)cache->n_word * sizeof *cache->tight;
        if (memcmp(cache->entry[e].key, cache->tight, bytes) == 0) return;
    }
    pl_cache_entry *entry = make_room(cache);
    if (entry == NULL) return;
    int64_t nnz = cache->skyline->col[cache->skyline->n];
    memcpy(entry->key, cache->tight, (size_t)cache->n_word * sizeof *entry->key);
    memcpy(entry->val, L->val, (size_t)nnz * sizeof *entry->val);
    entry->used = ++cache->clock;
}
