// Which pairs of features get a row, and the proof that a step hits nothing.

#include "detect.h"
#include "local_minimum.h"
#include "../collision/bound.h"

#include <math.h>
#include <string.h>

// A step may bring features this near, in parts of the safety distance: that is the room which rows
// with their linear motion have for what is not.
static const double IMPACT = 0.2;
// A pair that stays farther than this many times the distance of impacts hits nothing; nor does the
// continuous test say so, which calls a hit a little early, unless it gives up on a long way.
static const double CLEAR = 1 + 1.0 / 32;
// A pair that starts closer than it should is pushed back within this time [s], but by no more than
// the part of one step: the push stays in the velocities, and a faster one throws bodies apart.
static const double RECOVERY = 0.1, RECOVERY_MAX = 0.2;

// Two hits contradict each other if they push a point that bears more than this share of either
// in directions whose cosine is below the negative of that.
static const double CONTRADICT_WEIGHT = 0.3, CONTRADICT_COSINE = 0.5;

// A pair gets a row if it is near on the way of the first guess, or nearly: contact changes that
// way, by about this part of what its points move against each other.
static const double ASIDE = 0.15;
// Two edges that cross where a surface is flat lie between vertices that have rows of their own.
// With one more at each crossing these would be twice or three times as many as there are motions
// to stop, all of which push a little: a solver then looks for long which of them do. So crossings
// are kept this part of the safety distance apart, which leaves the work to the vertices, and get a
// row only where they come nearer than the other part of it.
static const double CROSSING_KEEP = 0.7, CROSSING_NEAR = 0.9;
// A pair that hits on the way of the first guess gets a row if it starts no farther than this many
// times the safety distance: most of the others are stopped before.
static const double EXPECT = 15;

// Flags of candidates, 0 for the others.
enum {
    ROW = 1,   // gets a row at the start of the step
    FOUND = 2, // the same, because it was found by its hit
    HIT = 3,   // comes too near
    KEPT = 4,  // has a row
};

enum {
    DETECT_SERIAL = 2000, // fewer candidates are tested by one thread
    JUDGE_SERIAL = 500,   // fewer are judged by one
    ROWS_PER_PAIR = 6,    // more in one step do not help
};

void pl_detection_free(pl_detection *d)
{
    pl_candidates_free(&d->candidates);
    pl_free(d->known);
    pl_free(d->start);
    pl_free(d->hit);
    *d = (pl_detection){0};
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

// The same for rows, which keep crossings less far apart.
static double find_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                        pl_closest *closest, double *safety)
{
    double room = pl_detect_room(boundary, pair, upright, closest, safety), whole = *safety;
    if (pl_crosses_flat(boundary, boundary->x0, pair)) *safety *= CROSSING_KEEP;
    return room + (whole - *safety);
}

// --- Pairs ---

// A pair with its points and bodies.
typedef struct passage {
    pl_feature_pair pair;
    int32_t point[4], a, b;
} passage;

static passage load_pair(const pl_boundary *boundary, const pl_feature_pair *pair)
{
    passage p = {.pair = *pair};
    pl_pair_points(boundary, pair, p.point);
    pl_pair_bodies(boundary, pair, p.point, &p.a, &p.b);
    return p;
}

static passage load(const pl_candidate_set *c, const pl_boundary *boundary, int64_t i)
{
    const pl_feature_pair pair = pl_candidate_pair(&c->candidate[i]);
    return load_pair(boundary, &pair);
}

static passage load_near(const pl_candidate_set *c, const pl_near *at)
{
    passage p = {.pair = pl_candidate_pair(&c->candidate[at->candidate]), .a = at->a, .b = at->b};
    memcpy(p.point, at->point, sizeof p.point);
    return p;
}

static bool same_bodies(const passage *p, const passage *q)
{
    return (p->a == q->a && p->b == q->b) || (p->a == q->b && p->b == q->a);
}

// The closest points where points are at x.
static pl_closest find_closest(const passage *p, const double *x)
{
    double q[12] = {0};
    pl_closest closest;
    pl_pair_gather(p->point, x, q);
    pl_closest_points((pl_pair_kind)p->pair.kind, q, &closest);
    return closest;
}

// Finds the closest points at x0, whose direction bounds the distance best from then on.
static pl_closest measure_start(pl_candidate_set *c, const pl_boundary *boundary, const passage *p,
                                int64_t i, pl_known *known)
{
    pl_closest closest = find_closest(p, boundary->x0);
    pl_candidate_turn(&c->candidate[i], closest.normal);
    *known = (pl_known){.start = closest.distance, .exact = true};
    return closest;
}

// --- Hits ---

// No pair of the bodies is hit beyond this.
static double farthest_impact(const pl_boundary *boundary, int32_t a, int32_t b)
{
    return pl_boundary_radii(boundary, a, b) + IMPACT * pl_boundary_safety(boundary, a, b);
}

// The distance below which a pair counts as hit: near its surfaces, but not where it starts.
static double impact_distance(const pl_boundary *boundary, int32_t a, int32_t b, double start)
{
    double radii = pl_boundary_radii(boundary, a, b);
    if (start <= radii) return 0.9 * start;
    return PL_MIN(farthest_impact(boundary, a, b), 0.5 * (radii + start));
}

// The motion of a pair that is `start` apart at x0.
static bool find_impact(const pl_boundary *boundary, const passage *p, double start,
                        pl_impact *impact)
{
    double q0[12] = {0}, q1[12] = {0};
    pl_pair_gather(p->point, boundary->x0, q0);
    pl_pair_gather(p->point, boundary->x1, q1);
    double separation = impact_distance(boundary, p->a, p->b, start);
    return pl_ccd((pl_pair_kind)p->pair.kind, q0, q1, separation, impact);
}

// Does the pair come too near? If so, where.
static bool gets_hit(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                     pl_known *known, pl_impact *impact)
{
    passage p = load_near(c, at);
    const pl_candidate *candidate = &c->candidate[at->candidate];
    double most = farthest_impact(boundary, p.a, p.b);
    double end = pl_candidate_bound(c, candidate, p.point, boundary->x1);
    double start = known->start; // by the same direction, unless it is exact
    if (known->exact) start = pl_candidate_bound(c, candidate, p.point, boundary->x0);
    known->end = pl_round_below(end);
    if (PL_MIN(start, end) > CLEAR * most) return false;
    if (!known->exact) measure_start(c, boundary, &p, at->candidate, known);
    double by = (1 + PL_BOUND_SLACK) * pl_candidates_approach(c, p.pair.kind, p.point);
    known->end = pl_round_below(PL_MAX(end, known->start - by));
    double separation = impact_distance(boundary, p.a, p.b, known->start);
    return known->start - by <= separation && find_impact(boundary, &p, known->start, impact);
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
    double safety, gap = find_room(boundary, pair, n == 0, &closest, &safety);
    gap = pl_detect_clamp(gap, safety, world);
    return pl_contacts_add(contacts, world, boundary, pair, &closest, gap, n == 0, true);
}

bool pl_detect_hit(pl_detection *d, const pl_boundary *boundary, int64_t i, pl_feature_pair *pair,
                   pl_impact *impact)
{
    if (d->candidates.flag[i] != HIT) return false;
    passage p = load(&d->candidates, boundary, i);
    *pair = p.pair;
    return find_impact(boundary, &p, find_closest(&p, boundary->x0).distance, impact);
}

// Lists the hits in the order of their times, those of one time in that of the candidates.
static pl_status list_hits(pl_detection *d, const pl_boundary *boundary)
{
    d->n_hit = 0;
    for (int64_t i = 0; i < d->candidates.n; i++) {
        pl_hit hit;
        if (!pl_detect_hit(d, boundary, i, &hit.pair, &hit.impact)) continue;
        hit.missed = false;
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

// Did its two bodies miss a row? That and others then do for all hits between them, which may be
// a hundred where faces meet.
static bool is_left_to_others(const pl_detection *d, const pl_boundary *boundary, const pl_hit *hit)
{
    passage p = load_pair(boundary, &hit->pair);
    for (const pl_hit *h = d->hit; h < d->hit + d->n_hit; h++) {
        if (!h->missed) continue;
        passage q = load_pair(boundary, &h->pair);
        if (same_bodies(&p, &q)) return true;
    }
    return false;
}

// Adds rows for the hits that are listed.
static pl_status add_hits(pl_detection *d, const pl_world *world, const pl_boundary *boundary,
                          pl_contacts *contacts)
{
    int32_t first = contacts->problem.n_contact;
    for (int64_t i = 0; i < d->n_hit; i++) {
        const pl_hit *hit = &d->hit[i];
        if (is_left_to_others(d, boundary, hit)) continue;
        if (contradicts(boundary, hit, contacts, first)) continue;
        PL_TRY(add_hit(world, boundary, &hit->pair, &hit->impact, contacts));
    }
    return PL_OK;
}

// --- The start of a step ---

// An array of no elements may be NULL, which memset does not take.
static void clear_flags(pl_candidate_set *c)
{
    if (c->n > 0) memset(c->flag, 0, (size_t)c->n);
}

static pl_status reserve_known(pl_detection *d)
{
    const pl_candidate_set *c = &d->candidates;
    d->listing = c->listing;
    return pl_reserve((void **)&d->known, &d->known_capacity, c->n_near, sizeof *d->known);
}

// Pairs that hit in the last step although they are no local minimum, and push since, do so again:
// they get a row at once, as long as they are near, which saves the round that would find them.
static void hold_found(pl_candidate_set *c, const pl_boundary *boundary,
                       const pl_contacts *contacts)
{
    for (int64_t m = 0; m < contacts->n_memory; m++) {
        if (contacts->memory[m].found == 0) continue;
        int64_t i = pl_candidates_index(c, &contacts->memory[m].pair);
        if (i < 0) continue;
        passage p = load(c, boundary, i);
        double near = pl_boundary_near(boundary, p.a, p.b);
        if (find_closest(&p, boundary->x0).distance <= near) c->flag[i] = FOUND;
    }
}

// Does the pair hit on the way of the first guess? Where bodies slide or turn, the edges that touch
// at the end of a step are others than at its start, and they mostly hit on the way that is solved
// for too, which would cost a round.
//
// The guess, though, goes on through what stops bodies. Inside of one its points meet the borders
// of coplanar faces from the side, and rows there would stop what slides; so a hit must be a local
// minimum at its own time. And they come out on the far side, where rows would push against those
// of the near one; so its points must have room at the start, that its row does not push.
static bool expects_hit(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                        pl_known *known)
{
    pl_impact impact;
    if (!gets_hit(c, boundary, at, known, &impact)) return false;
    const pl_feature_pair pair = pl_candidate_pair(&c->candidate[at->candidate]);
    const pl_instant then = {boundary->x0, boundary->x1, impact.time};
    double safety;
    return pl_local_minimum(boundary, &then, &pair, &impact.closest) &&
           find_room(boundary, &pair, true, &impact.closest, &safety) >= 0;
}

// Does the pair, whose closest points at x0 are given, come so near on the way of the first guess
// that it wants a row? As rows have it: by the same points and normal all along. `by` as
// pl_candidates_approach says.
static bool wants_row(const pl_boundary *boundary, const passage *p, const pl_closest *closest,
                      double by)
{
    double q[12] = {0}, end = 0, aside = ASIDE * by;
    pl_pair_gather(p->point, boundary->x1, q);
    for (int i = 0; i < 12; i++) end += closest->normal[i % 3] * closest->weight[i / 3] * q[i];
    double least = PL_MIN(closest->distance, end) - aside;
    if (least > pl_boundary_near(boundary, p->a, p->b)) return false;
    double near = pl_boundary_radii(boundary, p->a, p->b) +
                  CROSSING_NEAR * pl_boundary_safety(boundary, p->a, p->b);
    return least <= near || !pl_crosses_flat(boundary, boundary->x0, &p->pair);
}

// Says by its flag what becomes of a near pair; *closest is known if it gets a row.
static uint8_t judge(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                     pl_known *known, pl_closest *closest)
{
    uint8_t held = c->flag[at->candidate];
    passage p = load_near(c, at);
    double near = pl_boundary_near(boundary, p.a, p.b);
    double by = pl_candidates_approach(c, p.pair.kind, p.point);
    *known = (pl_known){.start = at->distance};
    if (known->start > near + by) return 0;
    *closest = measure_start(c, boundary, &p, at->candidate, known);
    if (known->start > near + by) return 0;
    const pl_instant now = {boundary->x0, boundary->x0, 0};
    if (wants_row(boundary, &p, closest, by) &&
        pl_local_minimum(boundary, &now, &p.pair, closest)) {
        return ROW;
    }
    if (held) return held;
    double radii = pl_boundary_radii(boundary, p.a, p.b);
    double farthest = farthest_impact(boundary, p.a, p.b) + (1 + PL_BOUND_SLACK) * by;
    if (known->start > farthest) return 0;
    if (known->start > radii + EXPECT * pl_boundary_safety(boundary, p.a, p.b)) return 0;
    return expects_hit(c, boundary, at, known) ? HIT : 0;
}

// Does the pair want a row once an impact goes on from body to body?
static bool is_reached(const pl_boundary *boundary, const passage *p, const pl_closest *closest)
{
    const pl_instant now = {boundary->x0, boundary->x0, 0};
    return closest->distance <= pl_boundary_reach(boundary, p->a, p->b) &&
           !pl_crosses_flat(boundary, boundary->x0, &p->pair) &&
           pl_local_minimum(boundary, &now, &p->pair, closest);
}

// The flag of a pair within reach then, unless it has a row.
static uint8_t judge_reached(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                             pl_known *known, pl_closest *closest)
{
    passage p = load_near(c, at);
    *known = (pl_known){.start = at->distance};
    if (c->flag[at->candidate] == KEPT) return 0;
    if (known->start > pl_boundary_reach(boundary, p.a, p.b)) return 0;
    *closest = measure_start(c, boundary, &p, at->candidate, known);
    return is_reached(boundary, &p, closest) ? ROW : 0;
}

double pl_detect_soften(double room, double dt)
{
    return room < 0 ? room * PL_MIN(RECOVERY_MAX, dt / RECOVERY) : room;
}

// Judges the near pairs first .. last - 1; those that get a row go to `start`, one after the other.
// Returns how many they are.
static int32_t judge_some(pl_detection *d, const pl_boundary *boundary, int64_t first, int64_t last,
                          pl_start *start)
{
    pl_candidate_set *c = &d->candidates;
    int32_t n = 0;
    for (int64_t k = first; k < last; k++) {
        const pl_near *at = &c->near[k];
        pl_known *known = &d->known[k];
        pl_start *to = &start[n];
        uint8_t flag = c->wide ? judge_reached(c, boundary, at, known, &to->closest)
                               : judge(c, boundary, at, known, &to->closest);
        c->flag[at->candidate] = flag;
        if (flag != ROW && flag != FOUND) continue;
        double safety;
        to->flag = flag;
        to->pair = pl_candidate_pair(&c->candidate[at->candidate]);
        to->gap = find_room(boundary, &to->pair, true, &to->closest, &safety);
        n++;
    }
    return n;
}

// Judges the near pairs, and adds rows where they are now for those that get one.
static pl_status add_starts(pl_detection *d, const pl_world *world, const pl_boundary *boundary,
                            pl_contacts *contacts)
{
    enum { SOME = 1024, PIECE = 128 }; // at a time: most get none
    int64_t n_near = d->candidates.n_near;
    PL_TRY(reserve_known(d));
    PL_TRY(pl_reserve((void **)&d->start, &d->start_capacity, SOME, sizeof *d->start));
    for (int64_t first = 0; first < n_near; first += SOME) {
        int64_t last = PL_MIN(first + SOME, n_near);
        int32_t found[SOME / PIECE] = {0};
#pragma omp parallel for schedule(static) if (last - first > JUDGE_SERIAL)
        for (int64_t k = first; k < last; k += PIECE) {
            found[(k - first) / PIECE] =
                judge_some(d, boundary, k, PL_MIN(k + PIECE, last), d->start + (k - first));
        }
        for (int64_t k = first; k < last; k += PIECE) {
            const pl_start *s = d->start + (k - first), *end = s + found[(k - first) / PIECE];
            for (; s < end; s++) {
                double gap = pl_detect_soften(s->gap, world->dt);
                PL_TRY(pl_contacts_add(contacts, world, boundary, &s->pair, &s->closest, gap, true,
                                       s->flag == FOUND));
            }
        }
    }
    return PL_OK;
}

pl_status pl_detect_start(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                          const double *v, double dt, double t, pl_contacts *contacts)
{
    PL_TRY(pl_candidates_find(&d->candidates, world, boundary, v, dt, t));
    clear_flags(&d->candidates);
    hold_found(&d->candidates, boundary, contacts);
    PL_TRY(add_starts(d, world, boundary, contacts));
    PL_TRY(list_hits(d, boundary));
    return add_hits(d, world, boundary, contacts);
}

// --- The way to the end of a step ---

// Nothing is known of the near ones from `first` on but what the list says.
static pl_status forget(pl_detection *d, int64_t first)
{
    const pl_candidate_set *c = &d->candidates;
    PL_TRY(reserve_known(d));
    for (int64_t k = first; k < c->n_near; k++) {
        d->known[k] = (pl_known){.start = c->near[k].distance};
    }
    return PL_OK;
}

// Flags which of the near ones from `first` on get hit.
static void test_near(pl_detection *d, const pl_boundary *boundary, int64_t first)
{
    pl_candidate_set *c = &d->candidates;
    int64_t n_hit = 0;
#pragma omp parallel for schedule(static)                                                          \
    reduction(+ : n_hit) if (c->n_near - first > DETECT_SERIAL)
    for (int64_t k = first; k < c->n_near; k++) {
        pl_impact impact;
        bool hit = gets_hit(c, boundary, &c->near[k], &d->known[k], &impact);
        c->flag[c->near[k].candidate] = hit ? HIT : 0;
        n_hit += hit;
    }
    d->n_hit = n_hit;
}

pl_status pl_detect_way(pl_detection *d, pl_boundary *boundary)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_candidates_follow(c, boundary));
    if (d->listing != c->listing) PL_TRY(forget(d, 0));
    clear_flags(c);
    test_near(d, boundary, 0);
    if (d->n_hit > 0) return PL_OK;
    int64_t first = c->n_near;
    PL_TRY(pl_candidates_extend(c, boundary));
    PL_TRY(forget(d, first));
    test_near(d, boundary, first);
    return PL_OK;
}

// Is there a row between two bodies?
static bool have_rows(const pl_boundary *boundary, const pl_contacts *contacts, const passage *p)
{
    for (int32_t i = 0; i < contacts->problem.n_contact; i++) {
        passage q = load_pair(boundary, &contacts->row[i].pair);
        if (same_bodies(p, &q)) return true;
    }
    return false;
}

// Marks the hits of pairs that were within reach, of bodies without rows, since nothing moved them
// by the first guess: they are behind a body that was hit. There may be more behind them, and each
// round would find no more than the next. Returns whether there are any.
static bool mark_missed(pl_detection *d, const pl_boundary *boundary, const pl_contacts *contacts)
{
    bool any = false;
    for (pl_hit *hit = d->hit; hit < d->hit + d->n_hit; hit++) {
        passage p = load_pair(boundary, &hit->pair);
        pl_closest closest = find_closest(&p, boundary->x0);
        hit->missed = is_reached(boundary, &p, &closest) && !have_rows(boundary, contacts, &p);
        any = any || hit->missed;
    }
    return any;
}

// Adds rows for all that is within reach and has none.
static pl_status add_reached(pl_detection *d, const pl_world *world, const pl_boundary *boundary,
                             pl_contacts *contacts)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_candidates_widen(c, boundary));
    clear_flags(c);
    for (int32_t i = 0; i < contacts->problem.n_contact; i++) {
        int64_t at = pl_candidates_index(c, &contacts->row[i].pair);
        if (at >= 0) c->flag[at] = KEPT;
    }
    return add_starts(d, world, boundary, contacts);
}

pl_status pl_detect_hits(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                         pl_contacts *contacts, int32_t *hits)
{
    PL_TRY(pl_detect_way(d, boundary));
    PL_TRY(list_hits(d, boundary));
    *hits = (int32_t)d->n_hit;
    bool missed = mark_missed(d, boundary, contacts);
    PL_TRY(add_hits(d, world, boundary, contacts));
    return missed ? add_reached(d, world, boundary, contacts) : PL_OK;
}

// No pair counts as near beyond this.
static double largest_near_distance(const pl_boundary *boundary)
{
    double radius = 0;
    for (int32_t b = 0; b < boundary->n_body; b++) radius = PL_MAX(radius, boundary->radius[b]);
    return 2 * radius + PL_NEAR * PL_SAFETY * boundary->largest;
}

double pl_detect_gap(const pl_detection *d, const pl_boundary *boundary)
{
    double least = INFINITY, most = largest_near_distance(boundary);
    const pl_candidate_set *c = &d->candidates;
#pragma omp parallel for schedule(static) reduction(min : least) if (c->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < c->n_near; k++) {
        if (d->known[k].end > most) continue;
        passage p = load_near(c, &c->near[k]);
        double radii = pl_boundary_radii(boundary, p.a, p.b);
        double near = pl_boundary_near(boundary, p.a, p.b);
        if (d->known[k].end > PL_MIN(least + radii, near)) continue;
        double distance = find_closest(&p, boundary->x1).distance;
        if (distance <= near) least = PL_MIN(least, distance - radii);
    }
    return least;
}
