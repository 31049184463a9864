// A map from numbers to numbers, by hashing. Internal.
//
// Open addressing in a table of a power of two, at most half full. It is emptied and filled again
// without a heap call, once it has been as large.

#ifndef PL_MAP_H
#define PL_MAP_H

#include "base.h"

typedef struct pl_map {
    uint64_t *key;    // (capacity) plus 1, so that 0 is an empty place
    int32_t *value;   // (capacity)
    int64_t capacity; // of the table in use, a power of two
    int64_t n;
    int64_t key_capacity, value_capacity; // as pl_reserve has them
} pl_map;

// One begins as {0}.
void pl_map_free(pl_map *map);

// Empties it, and makes room for n keys; more must not be put in.
pl_status pl_map_clear(pl_map *map, int64_t n);

// Where the value of `key` (not UINT64_MAX) stands; NULL if it is not there.
int32_t *pl_map_find(const pl_map *map, uint64_t key);

// The same; a key that is not there is put in, with the value `fresh`.
int32_t *pl_map_at(pl_map *map, uint64_t key, int32_t fresh);

#endif
