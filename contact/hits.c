// Rows for the pairs that came too near.

#include "hits.h"

#include <math.h>
#include <stdlib.h>

// Two hits contradict each other if they push a point that bears more than this share of either
// in directions whose cosine is below the negative of that.
static const double CONTRADICT_WEIGHT = 0.3, CONTRADICT_COSINE = 0.5;

enum { ROWS_PER_PAIR = 6 }; // more in one step do not help

static int compare_hits(const void *a, const void *b)
{
    const pl_hit *p = a, *q = b;
    if (p->impact.time != q->impact.time) return p->impact.time < q->impact.time ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

pl_status pl_hits_list(pl_detection *d, const pl_boundary *boundary)
{
    pl_hit hit = {.missed = false};
    d->n_hit = 0;
    for (int64_t next = 0; pl_detect_next_hit(d, boundary, &next, &hit.pair, &hit.impact);) {
        PL_TRY(pl_reserve((void **)&d->hit, &d->hit_capacity, d->n_hit + 1, sizeof *d->hit));
        hit.order = d->n_hit;
        d->hit[d->n_hit++] = hit;
    }
    if (d->n_hit > 1) qsort(d->hit, (size_t)d->n_hit, sizeof *d->hit, compare_hits);
    return PL_OK;
}

// --- Bodies behind others ---

pl_status pl_hits_mark_missed(pl_detection *d, const pl_boundary *boundary,
                              const pl_contacts *contacts, bool *any)
{
    *any = false;
    if (d->n_hit == 0) return PL_OK;
    PL_TRY(pl_row_index_bodies(&d->index, boundary, contacts));
    for (int64_t i = 0; i < d->n_hit; i++) {
        pl_hit *hit = &d->hit[i];
        pl_contact_pair p = pl_contact_pair_load(boundary, &hit->pair);
        pl_closest closest = pl_contact_pair_closest(&p, boundary->x0);
        hit->missed = pl_detect_is_reached(boundary, &p, &closest) &&
                      pl_map_find(&d->index.body_pair, pl_bodies_key(p.a, p.b)) == NULL;
        *any = *any || hit->missed;
    }
    return PL_OK;
}

// --- Rows ---

// A row at the place of the impact: its normal and weights are those there, its gap is that of the
// same points at the start. Where an upright normal has not kept the pair apart, the true one must.
// With `one_each` the way is not that of a solution: one that ends half-way to it may well hit
// where there is a row, and rows that were added for this would be in the way of the next.
static pl_status add_hit(pl_row_index *index, const pl_boundary *boundary,
                         const pl_feature_pair *pair, const pl_impact *impact,
                         pl_contacts *contacts)
{
    int32_t n = pl_row_index_count(index, pair), row = pl_contacts_count(contacts);
    if (n >= (contacts->one_each ? 1 : ROWS_PER_PAIR)) return PL_OK;
    pl_closest closest = impact->closest;
    pl_spacing spacing;
    double gap = pl_detect_row_room(boundary, pair, n == 0, &closest, &spacing);
    gap = pl_detect_ask(contacts, gap, spacing.safety, spacing.safety);
    PL_TRY(pl_contacts_add(contacts, boundary, pair, &closest, gap, n == 0, true));
    if (pl_contacts_count(contacts) > row) pl_row_index_add(index, contacts, row);
    return PL_OK;
}

// Does a hit, whose weight at a point is `weight`, push it against the way in which a row does, by
// its point k?
static bool opposes(const pl_contacts *contacts, int32_t row, int k, const pl_closest *hit,
                    double weight)
{
    double own = contacts->row[row].weight[k];
    double along = pl_dot(hit->normal, pl_contacts_block(contacts, row)->R);
    return fabs(weight) > CONTRADICT_WEIGHT && fabs(own) > CONTRADICT_WEIGHT &&
           copysign(along, weight * own * along) < -CONTRADICT_COSINE;
}

// Does the hit push a point against the way in which another one does that has got its row?
static bool contradicts(const pl_row_index *index, const pl_boundary *boundary, const pl_hit *hit,
                        const pl_contacts *contacts)
{
    int32_t point[4];
    pl_pair_points(boundary, &hit->pair, point);
    for (int k = 0; k < 4 && point[k] >= 0; k++) {
        const pl_closest *closest = &hit->impact.closest;
        const int32_t *last = pl_map_find(&index->point, (uint64_t)point[k]);
        for (int32_t link = last != NULL ? *last : -1; link >= 0; link = index->link[link]) {
            int32_t row = index->first + link / 4;
            if (opposes(contacts, row, link % 4, closest, closest->weight[k])) return true;
        }
    }
    return false;
}

// Notes the bodies that missed a row. That and others then do for all hits between them, which may
// be a hundred where faces meet.
static pl_status note_missed(pl_detection *d, const pl_boundary *boundary)
{
    PL_TRY(pl_map_clear(&d->index.body_pair, d->n_hit));
    for (int64_t i = 0; i < d->n_hit; i++) {
        if (!d->hit[i].missed) continue;
        pl_contact_pair p = pl_contact_pair_load(boundary, &d->hit[i].pair);
        pl_map_at(&d->index.body_pair, pl_bodies_key(p.a, p.b), 1);
    }
    return PL_OK;
}

pl_status pl_hits_add(pl_detection *d, const pl_boundary *boundary, pl_contacts *contacts)
{
    if (d->n_hit == 0) return PL_OK;
    PL_TRY(note_missed(d, boundary));
    PL_TRY(pl_row_index_start(&d->index, contacts, d->n_hit));
    for (int64_t i = 0; i < d->n_hit; i++) {
        const pl_hit *hit = &d->hit[i];
        pl_contact_pair p = pl_contact_pair_load(boundary, &hit->pair);
        if (pl_map_find(&d->index.body_pair, pl_bodies_key(p.a, p.b)) != NULL) continue;
        if (contradicts(&d->index, boundary, hit, contacts)) continue;
        PL_TRY(add_hit(&d->index, boundary, &hit->pair, &hit->impact, contacts));
    }
    return PL_OK;
}
