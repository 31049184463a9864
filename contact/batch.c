// Near pairs that are measured and tested in one go.

#include "batch.h"
#include "contact_pair.h"
#include "../collision/device.h"

enum { CHUNK_PAIRS = 1000 }; // that a thread takes at least

void pl_batch_free(pl_batch *batch)
{
    pl_free(batch->pair);
    pl_free(batch->place);
    pl_free(batch->closest);
    pl_free(batch->tested);
    pl_free(batch->near);
    pl_free(batch->hit);
    *batch = (pl_batch){0};
}

typedef struct batch_loop {
    pl_batch *batch;
    pl_candidate_set *c;
    pl_distance_bound *bound;
    const pl_boundary *boundary;
    int64_t first;
} batch_loop;

// Points that a pair does not have are those of the first.
static void put_points(const pl_near *at, int32_t to[4])
{
    for (int i = 0; i < 4; i++) to[i] = at->point[at->point[i] >= 0 ? i : 0];
}

// --- Closest points ---

static void choose_measured(void *context, int64_t first, int64_t last)
{
    const batch_loop *l = context;
    for (int64_t k = first; k < last; k++) {
        const pl_near *at = &l->c->near[k];
        bool near = pl_detect_approach(l->c, l->boundary, at, at->distance) >= 0;
        l->batch->place[k] = near ? 0 : -1;
    }
}

pl_status pl_batch_measure(pl_batch *batch, const pl_candidate_set *c, const pl_boundary *boundary)
{
    int64_t n = c->n_near, chosen = 0;
    PL_TRY(pl_reserve((void **)&batch->place, &batch->place_capacity, n, sizeof *batch->place));
    pl_loop(n, CHUNK_PAIRS, choose_measured,
            &(batch_loop){.batch = batch, .c = (pl_candidate_set *)c, .boundary = boundary});
    for (int64_t k = 0; k < n; k++) {
        if (batch->place[k] >= 0) batch->place[k] = (int32_t)chosen++;
    }
    PL_TRY(
        pl_reserve((void **)&batch->pair, &batch->pair_capacity, 5 * chosen, sizeof *batch->pair));
    PL_TRY(pl_reserve((void **)&batch->closest, &batch->closest_capacity, chosen,
                      sizeof *batch->closest));
    for (int64_t k = 0; k < n; k++) {
        if (batch->place[k] < 0) continue;
        int32_t *to = batch->pair + 5 * (int64_t)batch->place[k];
        to[0] = c->candidate[c->near[k].candidate].kind;
        put_points(&c->near[k], to + 1);
    }
    pl_surfaces_closest(boundary->surfaces, boundary->x0, chosen, batch->pair, batch->closest);
    batch->n_closest = chosen;
    return PL_OK;
}

// --- Hits ---

// Each at its own place, with a negative separation where it is not to be tested.
static void choose_tested(void *context, int64_t first, int64_t last)
{
    const batch_loop *l = context;
    for (int64_t i = first; i < last; i++) {
        int64_t k = l->first + i;
        const pl_near *at = &l->c->near[k];
        pl_tested_pair *to = &l->batch->tested[i];
        to->separation = pl_detect_reaches(l->c, l->boundary, at, &l->bound[k]);
        if (to->separation < 0) continue;
        const pl_contact_pair p = pl_near_pair(l->c, at);
        to->kind = p.pair.kind;
        to->radii = pl_detect_radii(l->boundary, &p, to->separation);
        put_points(at, to->vertex);
    }
}

pl_status pl_batch_test(pl_batch *batch, pl_candidate_set *c, pl_distance_bound *bound,
                        const pl_boundary *boundary, int64_t first)
{
    int64_t n = c->n_near - first, chosen = 0;
    PL_TRY(pl_reserve((void **)&batch->tested, &batch->tested_capacity, n, sizeof *batch->tested));
    PL_TRY(pl_reserve((void **)&batch->near, &batch->near_capacity, n, sizeof *batch->near));
    PL_TRY(pl_reserve((void **)&batch->hit, &batch->hit_capacity, n, sizeof *batch->hit));
    pl_loop(n, CHUNK_PAIRS, choose_tested, &(batch_loop){batch, c, bound, boundary, first});
    for (int64_t i = 0; i < n; i++) {
        if (batch->tested[i].separation < 0) continue;
        batch->tested[chosen] = batch->tested[i];
        batch->near[chosen++] = (int32_t)(first + i);
    }
    pl_surfaces_test(boundary->surfaces, boundary->x0, boundary->x1, chosen, batch->tested,
                     batch->hit);
    batch->n_hit = 0;
    for (int64_t i = 0; i < chosen; i++) {
        if (batch->hit[i]) batch->near[batch->n_hit++] = batch->near[i];
    }
    return PL_OK;
}
