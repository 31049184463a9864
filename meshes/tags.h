// From the numbers that a file gives its vertices, in any order and with any gaps, to 0..n-1.
// Internal.

#ifndef PL_TAGS_H
#define PL_TAGS_H

#include "../base/base.h"

typedef struct pl_tag_map {
    int64_t n;
    int64_t first;   // smallest tag
    uint64_t range;  // largest - smallest + 1; of `index`, if that is there
    int32_t *index;  // (range) by tag - first, -1 in gaps: for ranges that are not much above n
    int64_t *sorted; // (n) tags in ascending order: else
    int32_t *order;  // (n) their indices
} pl_tag_map;

// Maps tag[i] >= 0 to i. Fails with PL_ERROR_MEMORY; *duplicate is set to the index of a tag that
// occurs earlier already (the map is then of no use), or to -1.
pl_status pl_tag_map_make(const int64_t *tag, int64_t n, pl_tag_map *out, int64_t *duplicate);
void pl_tag_map_free(pl_tag_map *map);

int32_t pl_tag_search(const pl_tag_map *map, int64_t tag);

// The index of the tag, -1 if there is none.
static inline int32_t pl_tag_find(const pl_tag_map *map, int64_t tag)
{
    uint64_t offset = (uint64_t)tag - (uint64_t)map->first;
    if (offset >= map->range) return -1;
    if (map->index != NULL) return map->index[offset];
    return map->sorted == NULL ? (int32_t)offset : pl_tag_search(map, tag); // NULL: no gaps at all
}

#endif
