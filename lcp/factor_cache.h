// Factors with rows removed, kept for sets of tight rows to come [Lef20, 3], within a limit of
// memory. Internal.
//
// [Lef20, Alg. 3.2] looks for a stored set that is the beginning of the new one, row by row; a
// removal that skips removed rows can go on from any subset, and here the one is taken from which
// the rest is the least work. The paper keeps everything, and ran out of 16 GB; here what was not
// used for longest goes.

#ifndef PL_FACTOR_CACHE_H
#define PL_FACTOR_CACHE_H

#include "factor.h"

typedef struct pl_cache_entry {
    double *val;   // (col[n]) as of a pl_factor
    uint64_t *key; // (n_word) a bit for each row: is it removed?
    int64_t used;  // when, on the clock of the cache
} pl_cache_entry;

typedef struct pl_factor_cache {
    const pl_skyline *skyline;
    const double *path; // (n) of pl_skyline_path_cost
    pl_arena *arena;
    int64_t bytes;       // of one entry
    int32_t n_word;      // of a key
    int32_t capacity, n; // entries: the most, and how many there are
    pl_cache_entry *entry;
    uint64_t *tight; // (n_word) scratch
    int64_t clock, hits, misses, evictions;
} pl_factor_cache;

// A cache that takes at most `budget` bytes, as it needs them, from the arena. What it is given
// stays with the caller.
pl_status pl_factor_cache_make(pl_factor_cache *cache, const pl_skyline *skyline,
                               const double *path, int64_t budget, pl_arena *arena);

// Forgets all factors, as when M has changed; their memory is used again.
void pl_factor_cache_clear(pl_factor_cache *cache);

// L := the stored factor that is nearest to the one without the rows where tight (n) is not 0.
// False, and L as it was, if none is nearer than the factor of all rows.
bool pl_factor_cache_find(pl_factor_cache *cache, const uint8_t *tight, pl_factor *L);

// Keeps a copy of L, unless it is there or there is no memory for one.
void pl_factor_cache_store(pl_factor_cache *cache, const pl_factor *L);

#endif
