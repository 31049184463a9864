#include "row_index.h"

void pl_row_index_free(pl_row_index *index)
{
    pl_map_free(&index->pair);
    pl_map_free(&index->body_pair);
    pl_map_free(&index->point);
    pl_free(index->link);
    *index = (pl_row_index){0};
}

pl_status pl_row_index_bodies(pl_row_index *index, const pl_boundary *boundary,
                              const pl_contacts *contacts)
{
    int32_t n = pl_contacts_count(contacts);
    PL_TRY(pl_map_clear(&index->body_pair, n));
    for (int32_t i = 0; i < n; i++) {
        pl_contact_pair p = pl_contact_pair_load(boundary, &contacts->row[i].pair);
        pl_map_at(&index->body_pair, pl_bodies_key(p.a, p.b), 1);
    }
    return PL_OK;
}

pl_status pl_row_index_start(pl_row_index *index, const pl_contacts *contacts, int64_t more)
{
    int32_t n = pl_contacts_count(contacts);
    PL_TRY(pl_map_clear(&index->pair, n + more));
    PL_TRY(pl_map_clear(&index->point, 4 * more));
    PL_TRY(pl_reserve((void **)&index->link, &index->link_capacity, 4 * more, sizeof(int32_t)));
    for (int32_t i = 0; i < n; i++) {
        (*pl_map_at(&index->pair, pl_pair_key(&contacts->row[i].pair), 0))++;
    }
    index->first = n;
    return PL_OK;
}

void pl_row_index_add(pl_row_index *index, const pl_contacts *contacts, int32_t row)
{
    const pl_row *r = &contacts->row[row];
    (*pl_map_at(&index->pair, pl_pair_key(&r->pair), 0))++;
    for (int32_t k = 0; k < 4 && r->point[k] >= 0; k++) {
        int32_t link = 4 * (row - index->first) + k;
        int32_t *last = pl_map_at(&index->point, (uint64_t)r->point[k], -1);
        index->link[link] = *last;
        *last = link;
    }
}

int32_t pl_row_index_count(const pl_row_index *index, const pl_feature_pair *pair)
{
    const int32_t *n = pl_map_find(&index->pair, pl_pair_key(pair));
    return n != NULL ? *n : 0;
}
