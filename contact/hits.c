// Rows for the pairs that came too near.

#include "hits.h"
#include "passage.h"

#include <math.h>

// Two hits contradict each other if they push a point that bears more than this share of either
// in directions whose cosine is below the negative of that.
static const double CONTRADICT_WEIGHT = 0.3, CONTRADICT_COSINE = 0.5;

enum { ROWS_PER_PAIR = 6 }; // more in one step do not help

pl_status pl_hits_list(pl_detection *d, const pl_boundary *boundary)
{
    pl_hit hit = {.missed = false};
    d->n_hit = 0;
    for (int64_t next = 0; pl_detect_next_hit(d, boundary, &next, &hit.pair, &hit.impact);) {
        PL_TRY(pl_reserve((void **)&d->hit, &d->hit_capacity, d->n_hit + 1, sizeof *d->hit));
        int64_t k = d->n_hit++;
        for (; k > 0 && d->hit[k - 1].impact.time > hit.impact.time; k--) d->hit[k] = d->hit[k - 1];
        d->hit[k] = hit;
    }
    return PL_OK;
}

// --- Bodies behind others ---

// Is there a row between two bodies?
static bool have_rows(const pl_boundary *boundary, const pl_contacts *contacts, const pl_passage *p)
{
    for (int32_t i = 0; i < contacts->problem.n_constraint; i++) {
        pl_passage q = pl_passage_load(boundary, &contacts->row[i].pair);
        if (pl_same_bodies(p, &q)) return true;
    }
    return false;
}

bool pl_hits_mark_missed(pl_detection *d, const pl_boundary *boundary, const pl_contacts *contacts)
{
    bool any = false;
    for (int64_t i = 0; i < d->n_hit; i++) {
        pl_hit *hit = &d->hit[i];
        pl_passage p = pl_passage_load(boundary, &hit->pair);
        pl_closest closest = pl_passage_closest(&p, boundary->x0);
        hit->missed =
            pl_detect_is_reached(boundary, &p, &closest) && !have_rows(boundary, contacts, &p);
        any = any || hit->missed;
    }
    return any;
}

// --- Rows ---

static int count_rows(const pl_contacts *contacts, const pl_feature_pair *pair)
{
    int n = 0;
    for (int32_t i = 0; i < contacts->problem.n_constraint; i++) {
        const pl_feature_pair *p = &contacts->row[i].pair;
        n += p->kind == pair->kind && p->a == pair->a && p->b == pair->b;
    }
    return n;
}

// A row at the place of the impact: its normal and weights are those there, its gap is that of the
// same points at the start. Where an upright normal has not kept the pair apart, the true one must.
static pl_status add_hit(const pl_world *world, const pl_boundary *boundary,
                         const pl_feature_pair *pair, const pl_impact *impact,
                         pl_contacts *contacts)
{
    int n = count_rows(contacts, pair);
    if (n >= ROWS_PER_PAIR) return PL_OK;
    pl_closest closest = impact->closest;
    pl_spacing spacing;
    double gap = pl_detect_row_room(boundary, pair, n == 0, &closest, &spacing);
    gap = pl_detect_ask(world, gap, spacing.safety, spacing.safety);
    return pl_contacts_add(contacts, world, boundary, pair, &closest, gap, n == 0, true);
}

// Does the hit push a point against the way in which a row from `first` on does?
static bool contradicts(const pl_boundary *boundary, const pl_hit *hit, const pl_contacts *contacts,
                        int32_t first)
{
    int32_t point[4];
    const double *n = hit->impact.closest.normal;
    pl_pair_points(boundary, &hit->pair, point);
    for (int32_t i = first; i < contacts->problem.n_constraint; i++) {
        const pl_row *row = &contacts->row[i];
        double along = pl_dot(n, contacts->problem.constraint[i].R);
        for (int k = 0; k < 16; k++) {
            double a = hit->impact.closest.weight[k / 4], b = row->weight[k % 4];
            if (point[k / 4] < 0 || point[k / 4] != row->point[k % 4]) continue;
            if (fabs(a) > CONTRADICT_WEIGHT && fabs(b) > CONTRADICT_WEIGHT &&
                copysign(along, a * b * along) < -CONTRADICT_COSINE) {
                return true;
            }
        }
    }
    return false;
}

// Did its two bodies miss a row? That and others then do for all hits between them, which may be
// a hundred where faces meet.
static bool is_left_to_others(const pl_detection *d, const pl_boundary *boundary, const pl_hit *hit)
{
    pl_passage p = pl_passage_load(boundary, &hit->pair);
    for (int64_t i = 0; i < d->n_hit; i++) {
        const pl_hit *h = &d->hit[i];
        if (!h->missed) continue;
        pl_passage q = pl_passage_load(boundary, &h->pair);
        if (pl_same_bodies(&p, &q)) return true;
    }
    return false;
}

pl_status pl_hits_add(const pl_detection *d, const pl_world *world, const pl_boundary *boundary,
                      pl_contacts *contacts)
{
    int32_t first = contacts->problem.n_constraint;
    for (int64_t i = 0; i < d->n_hit; i++) {
        const pl_hit *hit = &d->hit[i];
        if (is_left_to_others(d, boundary, hit)) continue;
        if (contradicts(boundary, hit, contacts, first)) continue;
        PL_TRY(add_hit(world, boundary, &hit->pair, &hit->impact, contacts));
    }
    return PL_OK;
}
