// Which pairs of features get a row, and the proof that a step hits nothing.

#include "detect.h"
#include "local_minimum.h"

#include <math.h>
#include <string.h>

// A step may bring features this near, in parts of the safety distance: that is the room which rows
// with their linear motion have for what is not.
static const double IMPACT = 0.2;
// A pair that starts closer than it should is pushed back within this time [s], but by no more than
// the part of one step: the push stays in the velocities, and a faster one throws bodies apart.
static const double RECOVERY = 0.1, RECOVERY_MAX = 0.2;

// Two hits contradict each other if they push a point that bears more than this share of either
// in directions whose cosine is below the negative of that.
static const double CONTRADICT_WEIGHT = 0.3, CONTRADICT_COSINE = 0.5;

// A pair that was found by its hit keeps its row in the steps that follow while it pushes and is no
// farther than this many times the safety distance.
static const double HOLD = 2;

enum {
    FOUND = 2,            // a flag: such a pair; 1 for the others that get a row
    DETECT_SERIAL = 2000, // fewer candidates are tested by one thread
    ROWS_PER_PAIR = 6,    // more in one step do not help
};

void pl_detection_free(pl_detection *d)
{
    pl_candidates_free(&d->candidates);
    pl_boxes_free(&d->boxes);
    pl_free(d->hit);
    *d = (pl_detection){0};
}

// At most this much nearer come the features on the way from q0 to q1 (3*4 each): the sum of the
// longest displacements of either, after what they have in common is taken off.
static double approach(int kind, const int32_t point[4], const double *q0, const double *q1)
{
    double by[12], mean[3] = {0}, most[2] = {0};
    int n = 0;
    for (; n < 4 && point[n] >= 0; n++) {
        for (int k = 0; k < 3; k++) {
            by[3 * n + k] = q1[3 * n + k] - q0[3 * n + k];
            mean[k] += by[3 * n + k];
        }
    }
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double d = by[3 * i + k] - mean[k] / n;
            square += d * d;
        }
        int side = i >= pl_pair_first(kind);
        most[side] = PL_MAX(most[side], square);
    }
    return sqrt(most[0]) + sqrt(most[1]);
}

double pl_detect_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                      pl_closest *closest, double *safety)
{
    int32_t point[4], a, b;
    double q[12] = {0}, apart = 0;
    if (upright) pl_upright_normal(boundary, boundary->x0, pair, closest);
    pl_pair_points(boundary, pair, point);
    pl_pair_bodies(boundary, pair, point, &a, &b);
    pl_pair_gather(point, boundary->x0, q);
    for (int i = 0; i < 12; i++) apart += closest->normal[i % 3] * closest->weight[i / 3] * q[i];
    *safety = pl_boundary_safety(boundary, a, b);
    return apart - pl_boundary_radii(boundary, a, b) - *safety;
}

// --- The start of a step ---

// A pair on its way.
typedef struct passage {
    pl_feature_pair pair;
    int32_t point[4], a, b;           // its points and bodies
    double start[12], x0[12], x1[12]; // its points when the candidates were searched, and now
} passage;

static void load(const pl_candidate_set *c, const pl_boundary *boundary, int64_t i, passage *p)
{
    *p = (passage){.pair = c->pair[i]};
    pl_pair_points(boundary, &p->pair, p->point);
    pl_pair_bodies(boundary, &p->pair, p->point, &p->a, &p->b);
    pl_pair_gather(p->point, c->from, p->start);
    pl_pair_gather(p->point, boundary->x0, p->x0);
    pl_pair_gather(p->point, boundary->x1, p->x1);
}

// A bound from below of the distance that the pair has at q (12): what it had when it was first
// asked for, less the approach since. Nearly all candidates are told to be far by it, for a third
// of the price of a distance; two of them may ask at once only for different i.
static double distance_at_least(pl_candidate_set *c, int64_t i, const passage *p, const double *q)
{
    if (c->distance[i] < 0) {
        pl_closest closest;
        pl_closest_points((pl_pair_kind)p->pair.kind, p->start, &closest);
        c->distance[i] = PL_MAX(pl_round_below(closest.distance), 0);
    }
    double by = approach(p->pair.kind, p->point, p->start, q);
    return (1 - PL_BOUND_SLACK) * (double)c->distance[i] - (1 + PL_BOUND_SLACK) * by;
}

// Is the pair to get a row?
static bool wants_row(pl_candidate_set *c, const pl_boundary *boundary, int64_t i)
{
    passage p;
    pl_closest closest;
    load(c, boundary, i, &p);
    double near = pl_boundary_radii(boundary, p.a, p.b) +
                  (1 + PL_REACH / PL_SAFETY) * pl_boundary_safety(boundary, p.a, p.b) +
                  approach(p.pair.kind, p.point, p.x0, p.x1);
    if (distance_at_least(c, i, &p, p.x0) > near) return false;
    pl_closest_points((pl_pair_kind)p.pair.kind, p.x0, &closest);
    return closest.distance <= near && pl_local_minimum(boundary, boundary->x0, &p.pair, &closest);
}

// An array of no elements may be NULL, which memset does not take.
static void clear_flags(pl_candidate_set *c)
{
    if (c->n > 0) memset(c->flag, 0, (size_t)c->n);
}

static pl_status test_start(pl_detection *d, const pl_boundary *boundary)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_boxes_set(&d->boxes, boundary, PL_BOXES_START, PL_SAFETY + PL_REACH));
    clear_flags(c);
#pragma omp parallel for schedule(static) if (c->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < c->n_near; k++) {
        int32_t i = c->near[k];
        c->flag[i] = pl_boxes_overlap(&d->boxes, &c->pair[i]) && wants_row(c, boundary, i);
    }
    return PL_OK;
}

// Pairs that hit in the last step although they are no local minimum, and push since, do so again:
// they get a row at once, as long as they are near, which saves the round that would find them.
static void hold_found(pl_candidate_set *c, const pl_boundary *boundary,
                       const pl_contacts *contacts)
{
    for (int64_t m = 0; m < contacts->n_memory; m++) {
        if (contacts->memory[m].found == 0) continue;
        int64_t i = pl_candidates_index(c, &contacts->memory[m].pair);
        if (i < 0 || c->flag[i] != 0) continue;
        passage p;
        pl_closest closest;
        load(c, boundary, i, &p);
        pl_closest_points((pl_pair_kind)p.pair.kind, p.x0, &closest);
        double near =
            pl_boundary_radii(boundary, p.a, p.b) + HOLD * pl_boundary_safety(boundary, p.a, p.b);
        if (closest.distance <= near) c->flag[i] = FOUND;
    }
}

double pl_detect_soften(double room, double dt)
{
    return room < 0 ? room * PL_MIN(RECOVERY_MAX, dt / RECOVERY) : room;
}

pl_status pl_detect_start(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                          const double *v, double dt, double t, pl_contacts *contacts)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_candidates_find(c, world, boundary, v, dt, t));
    PL_TRY(test_start(d, boundary));
    hold_found(c, boundary, contacts);
    for (int64_t i = 0; i < c->n; i++) {
        if (!c->flag[i]) continue;
        pl_feature_pair pair = c->pair[i];
        int32_t point[4];
        double q[12] = {0}, safety;
        pl_closest closest;
        pl_pair_points(boundary, &pair, point);
        pl_pair_gather(point, boundary->x0, q);
        pl_closest_points((pl_pair_kind)pair.kind, q, &closest);
        double gap = pl_detect_room(boundary, &pair, true, &closest, &safety);
        gap = pl_detect_soften(gap, dt);
        bool found = c->flag[i] == FOUND;
        PL_TRY(pl_contacts_add(contacts, world, boundary, &pair, &closest, gap, true, found));
    }
    return PL_OK;
}

// --- The way to the end of a step ---

// The distance below which a pair counts as hit: near its surfaces, but not where it starts.
static double impact_distance(const pl_boundary *boundary, int32_t a, int32_t b, double start)
{
    double radii = pl_boundary_radii(boundary, a, b);
    if (start <= radii) return 0.9 * start;
    return PL_MIN(radii + IMPACT * pl_boundary_safety(boundary, a, b), 0.5 * (radii + start));
}

static bool find_impact(pl_candidate_set *c, const pl_boundary *boundary, int64_t i,
                        pl_impact *impact)
{
    passage p;
    pl_closest start;
    load(c, boundary, i, &p);
    double by = (1 + PL_BOUND_SLACK) * approach(p.pair.kind, p.point, p.x0, p.x1);
    double most = pl_boundary_radii(boundary, p.a, p.b) +
                  IMPACT * pl_boundary_safety(boundary, p.a, p.b); // of the separation below
    if (distance_at_least(c, i, &p, p.x0) - by > most) return false;
    pl_closest_points((pl_pair_kind)p.pair.kind, p.x0, &start);
    double separation = impact_distance(boundary, p.a, p.b, start.distance);
    if (start.distance - by > separation) return false;
    return pl_ccd((pl_pair_kind)p.pair.kind, p.x0, p.x1, separation, impact);
}

static pl_status test_way(pl_detection *d, const pl_boundary *boundary)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_boxes_set(&d->boxes, boundary, PL_BOXES_WAY, IMPACT * PL_SAFETY));
    pl_candidates_follow(c, boundary);
    clear_flags(c);
    int64_t n_hit = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_hit) if (c->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < c->n_near; k++) {
        int32_t i = c->near[k];
        pl_impact impact;
        c->flag[i] = pl_boxes_overlap(&d->boxes, &c->pair[i]) &&
                     !pl_candidates_far(c, boundary, c->step, i, IMPACT * PL_SAFETY) &&
                     find_impact(c, boundary, i, &impact);
        n_hit += c->flag[i];
    }
    d->n_hit = n_hit;
    return PL_OK;
}

static int count_rows(const pl_contacts *contacts, const pl_feature_pair *pair)
{
    int n = 0;
    for (int32_t i = 0; i < contacts->problem.n_contact; i++) {
        const pl_feature_pair *p = &contacts->row[i].pair;
        n += p->kind == pair->kind && p->a == pair->a && p->b == pair->b;
    }
    return n;
}

double pl_detect_clamp(double room, double safety, const pl_world *world)
{
    return PL_MAX(room, -safety * world->dt / world->options.dt); // no faster in a halved step
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
    double safety, gap = pl_detect_room(boundary, pair, n == 0, &closest, &safety);
    gap = pl_detect_clamp(gap, safety, world);
    return pl_contacts_add(contacts, world, boundary, pair, &closest, gap, n == 0, true);
}

pl_status pl_detect_way(pl_detection *d, pl_boundary *boundary)
{
    bool same;
    PL_TRY(test_way(d, boundary));
    if (d->n_hit > 0) return PL_OK;
    PL_TRY(pl_candidates_extend(&d->candidates, boundary, &same));
    return same ? PL_OK : test_way(d, boundary);
}

bool pl_detect_hit(pl_detection *d, const pl_boundary *boundary, int64_t i, pl_feature_pair *pair,
                   pl_impact *impact)
{
    pl_candidate_set *c = &d->candidates;
    if (!c->flag[i]) return false;
    *pair = c->pair[i];
    return find_impact(c, boundary, i, impact);
}

// Lists the hits in the order of their times, those of one time in that of the candidates.
static pl_status list_hits(pl_detection *d, const pl_boundary *boundary)
{
    d->n_hit = 0;
    for (int64_t i = 0; i < d->candidates.n; i++) {
        pl_hit hit;
        if (!pl_detect_hit(d, boundary, i, &hit.pair, &hit.impact)) continue;
        PL_TRY(pl_reserve((void **)&d->hit, &d->hit_capacity, d->n_hit + 1, sizeof *d->hit));
        int64_t k = d->n_hit++;
        for (; k > 0 && d->hit[k - 1].impact.time > hit.impact.time; k--) d->hit[k] = d->hit[k - 1];
        d->hit[k] = hit;
    }
    return PL_OK;
}

// Does the hit push a point against the way in which a row from `first` on does?
static bool contradicts(const pl_boundary *boundary, const pl_hit *hit, const pl_contacts *contacts,
                        int32_t first)
{
    int32_t point[4];
    const double *n = hit->impact.closest.normal;
    pl_pair_points(boundary, &hit->pair, point);
    for (int32_t i = first; i < contacts->problem.n_contact; i++) {
        const pl_row *row = &contacts->row[i];
        double along = pl_dot(n, contacts->problem.contact[i].R);
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

pl_status pl_detect_hits(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                         pl_contacts *contacts, int32_t *hits)
{
    int32_t first = contacts->problem.n_contact;
    *hits = 0;
    PL_TRY(pl_detect_way(d, boundary));
    PL_TRY(list_hits(d, boundary));
    for (int64_t i = 0; i < d->n_hit; i++) {
        const pl_hit *hit = &d->hit[i];
        (*hits)++;
        if (contradicts(boundary, hit, contacts, first)) continue;
        PL_TRY(add_hit(world, boundary, &hit->pair, &hit->impact, contacts));
    }
    return PL_OK;
}

pl_status pl_detect_gap(pl_detection *d, const pl_boundary *boundary, double *gap)
{
    double least = INFINITY;
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_boxes_set(&d->boxes, boundary, PL_BOXES_END, PL_SAFETY + PL_REACH));
#pragma omp parallel for schedule(static) reduction(min : least) if (c->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < c->n_near; k++) {
        int32_t i = c->near[k];
        if (!pl_boxes_overlap(&d->boxes, &c->pair[i])) continue;
        passage p;
        pl_closest closest;
        load(c, boundary, i, &p);
        double radii = pl_boundary_radii(boundary, p.a, p.b);
        double reach = (1 + PL_REACH / PL_SAFETY) * pl_boundary_safety(boundary, p.a, p.b);
        if (distance_at_least(c, i, &p, p.x1) - radii >= PL_MIN(least, reach)) continue;
        pl_closest_points((pl_pair_kind)p.pair.kind, p.x1, &closest);
        double gap_here = closest.distance - radii;
        if (gap_here <= reach) least = PL_MIN(least, gap_here);
    }
    *gap = least;
    return PL_OK;
}
