#include "map.h"

#include <string.h>

void pl_map_free(pl_map *map)
{
    pl_free(map->key);
    pl_free(map->value);
    *map = (pl_map){0};
}

pl_status pl_map_clear(pl_map *map, int64_t n)
{
    int64_t capacity = 16;
    while (capacity < 2 * n) capacity *= 2;
    PL_TRY(pl_reserve((void **)&map->key, &map->key_capacity, capacity, sizeof *map->key));
    PL_TRY(pl_reserve((void **)&map->value, &map->value_capacity, capacity, sizeof *map->value));
    memset(map->key, 0, (size_t)capacity * sizeof *map->key);
    map->capacity = capacity;
    map->n = 0;
    return PL_OK;
}

// The place of a key, or the empty one where it belongs. Multiplying by the golden ratio spreads
// neighbours [Knuth, 6.4].
static int64_t find(const pl_map *map, uint64_t key)
{
    uint64_t mask = (uint64_t)map->capacity - 1, hash = key * 0x9e3779b97f4a7c15ull;
    uint64_t at = (hash ^ hash >> 32) & mask;
    while (map->key[at] != 0 && map->key[at] != key + 1) at = (at + 1) & mask;
    return (int64_t)at;
}

int32_t *pl_map_find(const pl_map *map, uint64_t key)
{
    if (map->n == 0) return NULL;
    int64_t at = find(map, key);
    return map->key[at] != 0 ? &map->value[at] : NULL;
}

int32_t *pl_map_at(pl_map *map, uint64_t key, int32_t fresh)
{
    int64_t at = find(map, key);
    if (map->key[at] == 0) {
        PL_ASSERT(2 * map->n < map->capacity);
        map->key[at] = key + 1;
        map->value[at] = fresh;
        map->n++;
    }
    return &map->value[at];
}
