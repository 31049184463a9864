// Which rows there are of a pair of features, of two bodies, at a point: looked up, not searched
// for. Internal.

#ifndef PL_ROW_INDEX_H
#define PL_ROW_INDEX_H

#include "../base/map.h"
#include "contact_pair.h"

typedef struct pl_row_index {
    pl_map pair;      // rows of a pair of features: how many
    pl_map body_pair; // rows between two bodies, or what else is noted of them: 1
    pl_map point;     // the last link of a point
    int32_t *link;    // (4 per row from `first` on) the one before at the same point, -1: none
    int32_t first;    // row that is indexed by points
    int64_t link_capacity;
} pl_row_index;

void pl_row_index_free(pl_row_index *index);

static inline uint64_t pl_pair_key(const pl_feature_pair *pair)
{
    return (uint64_t)pair->kind << 62 | (uint64_t)pair->a << 31 | (uint64_t)pair->b;
}

static inline uint64_t pl_bodies_key(int32_t a, int32_t b)
{
    return (uint64_t)PL_MIN(a, b) << 32 | (uint64_t)PL_MAX(a, b);
}

// Indexes the bodies of all rows.
pl_status pl_row_index_bodies(pl_row_index *index, const pl_boundary *boundary,
                              const pl_contacts *contacts);

// Indexes all rows by their pairs, and prepares for `more` of them, which pl_row_index_add adds:
// by their points too.
pl_status pl_row_index_start(pl_row_index *index, const pl_contacts *contacts, int64_t more);
void pl_row_index_add(pl_row_index *index, const pl_contacts *contacts, int32_t row);

// How many rows the pair has.
int32_t pl_row_index_count(const pl_row_index *index, const pl_feature_pair *pair);

#endif
