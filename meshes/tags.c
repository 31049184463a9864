#include "tags.h"

#include <string.h>

void pl_tag_map_free(pl_tag_map *map)
{
    pl_free(map->index);
    pl_free(map->sorted);
    pl_free(map->order);
    *map = (pl_tag_map){0};
}

static pl_status make_dense(const int64_t *tag, pl_tag_map *map, int64_t *duplicate)
{
    map->index = pl_alloc((int64_t)map->range, sizeof *map->index);
    if (map->index == NULL) return PL_ERROR_MEMORY;
    memset(map->index, -1, map->range * sizeof *map->index);
    for (int64_t i = 0; i < map->n; i++) {
        int32_t *slot = &map->index[(uint64_t)tag[i] - (uint64_t)map->first];
        if (*slot >= 0) *duplicate = i;
        *slot = (int32_t)i;
    }
    return PL_OK;
}

// One pass of a radix sort by the byte at `shift` of tag - first; stable.
static void sort_pass(const pl_tag_map *map, int shift, const int64_t *tag, const int32_t *order,
                      int64_t *to_tag, int32_t *to_order)
{
    int64_t start[257] = {0};
    for (int64_t i = 0; i < map->n; i++) {
        start[1 + ((((uint64_t)tag[i] - (uint64_t)map->first) >> shift) & 255)]++;
    }
    for (int k = 0; k < 256; k++) start[k + 1] += start[k];
    for (int64_t i = 0; i < map->n; i++) {
        int64_t to = start[(((uint64_t)tag[i] - (uint64_t)map->first) >> shift) & 255]++;
        to_tag[to] = tag[i];
        to_order[to] = order[i];
    }
}

static pl_status make_sorted(const int64_t *tag, pl_tag_map *map, int64_t *duplicate)
{
    int64_t n = map->n;
    map->sorted = pl_alloc(n, sizeof *map->sorted);
    map->order = pl_alloc(n, sizeof *map->order);
    int64_t *other_tag = pl_alloc(n, sizeof *other_tag);
    int32_t *other_order = pl_alloc(n, sizeof *other_order);
    pl_status status = PL_ERROR_MEMORY;
    if (map->sorted == NULL || map->order == NULL || other_tag == NULL || other_order == NULL) {
        goto done;
    }
    memcpy(map->sorted, tag, (size_t)n * sizeof *tag);
    for (int64_t i = 0; i < n; i++) map->order[i] = (int32_t)i;
    for (int shift = 0; shift < 64 && (map->range - 1) >> shift != 0; shift += 16) {
        sort_pass(map, shift, map->sorted, map->order, other_tag, other_order);
        sort_pass(map, shift + 8, other_tag, other_order, map->sorted, map->order);
    }
    for (int64_t i = 1; i < n; i++) {
        if (map->sorted[i] == map->sorted[i - 1]) *duplicate = map->order[i];
    }
    status = PL_OK;
done:
    pl_free(other_tag);
    pl_free(other_order);
    return status;
}

pl_status pl_tag_map_make(const int64_t *tag, int64_t n, pl_tag_map *out, int64_t *duplicate)
{
    *out = (pl_tag_map){.n = n};
    *duplicate = -1;
    if (n == 0) return PL_OK;
    int64_t lo = tag[0], hi = tag[0];
    bool sequential = true;
    for (int64_t i = 0; i < n; i++) {
        lo = PL_MIN(lo, tag[i]);
        hi = PL_MAX(hi, tag[i]);
        sequential &= (uint64_t)tag[i] - (uint64_t)tag[0] == (uint64_t)i;
    }
    out->first = lo;
    out->range = (uint64_t)hi - (uint64_t)lo + 1;
    if (sequential) return PL_OK;
    uint64_t dense_limit = 4 * (uint64_t)n + 1024; // memory of the order of the tags themselves
    pl_status status = out->range <= dense_limit ? make_dense(tag, out, duplicate)
                                                 : make_sorted(tag, out, duplicate);
    if (status != PL_OK) pl_tag_map_free(out);
    return status;
}

int32_t pl_tag_search(const pl_tag_map *map, int64_t tag)
{
    int64_t lo = 0, hi = map->n;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (map->sorted[middle] < tag) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < map->n && map->sorted[lo] == tag ? map->order[lo] : -1;
}
