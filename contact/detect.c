// Which pairs of features get a row, and the proof that a step hits nothing.

#include "batch.h"
#include "hits.h"
#include "local_minimum.h"
#include "../collision/apart.h"
#include "../collision/apart_kernel.h"
#include "../collision/bound.h"
#include "../collision/device.h"

#include <math.h>
#include <string.h>

// A step may bring features this near, in parts of the safety distance: that is the room which rows
// with their linear motion have for what is not.
static const double IMPACT = 0.2;
// A pair that starts closer than it should keeps what it has. To ask for more may be to ask for
// what cannot be: what is jammed by friction does not come free, whoever pushes (Coulomb's problem
// has no solution then), and what a push gives stays in the velocities. Yet what solvers leave
// undone, and what motion has beyond the linear one of rows, takes from the distance step by step.
// So a pair is to get back what it lacks within this time [s], or by as large a part per step as a
// solver may leave undone, but no more than the part; and by no more than a part of what a solver
// may leave undone, for which standing still is a solution, and a part of what its features move.
static const double RECOVERY = 0.1, RECOVERY_MAX = 0.2;
static const double RECOVERY_TOLERANCE = 0.25, RECOVERY_MOTION = 0.05;

// Two features of one body are kept no farther apart than this part of their distance at rest, so
// that what is thin is not pushed apart by itself.
static const double REST_PART = 0.5;

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
    PIECE = 128, // near pairs that are judged together
    // What a thread takes at least: pieces of them, or pairs to test.
    CHUNK_PIECES = 2,
    CHUNK_PAIRS = 1000,
};

void pl_detection_free(pl_detection *d)
{
    pl_candidates_free(&d->candidates);
    pl_free(d->flag);
    pl_free(d->bound);
    pl_free(d->start);
    pl_free(d->hit);
    pl_batch_free(&d->batch);
    pl_row_index_free(&d->index);
    *d = (pl_detection){0};
}

// What is between two features of one body at rest [m].
static double rest_distance(const pl_boundary *boundary, const pl_contact_pair *p)
{
    double q[12] = {0};
    const double *rest = boundary->rest[p->a];
    for (int k = 0; k < 4 && p->point[k] >= 0; k++) {
        memcpy(q + 3 * k, rest + 3 * (int64_t)boundary->given[p->point[k]], 3 * sizeof *q);
    }
    pl_closest closest;
    pl_closest_points((pl_pair_kind)p->pair.kind, q, &closest);
    return closest.distance;
}

pl_spacing pl_contact_pair_spacing(const pl_boundary *boundary, const pl_contact_pair *p)
{
    pl_spacing s = {.radii = pl_boundary_radii(boundary, p->a, p->b),
                    .safety = pl_boundary_safety(boundary, p->a, p->b)};
    if (p->a != p->b) return s;
    double rest = rest_distance(boundary, p);
    s.radii = PL_MIN(s.radii, REST_PART * rest);
    s.safety = PL_MIN(s.safety, REST_PART * (rest - s.radii));
    return s;
}

double pl_detect_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                      pl_closest *closest, pl_spacing *spacing)
{
    double q[12] = {0}, apart = 0;
    if (upright) pl_upright_normal(boundary, boundary->x0, pair, closest);
    pl_contact_pair p = pl_contact_pair_load(boundary, pair);
    pl_pair_gather(p.point, boundary->x0, q);
    for (int i = 0; i < 12; i++) apart += closest->normal[i % 3] * closest->weight[i / 3] * q[i];
    *spacing = pl_contact_pair_spacing(boundary, &p);
    return apart - spacing->radii - spacing->safety;
}

double pl_detect_row_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                          pl_closest *closest, pl_spacing *spacing)
{
    double room = pl_detect_room(boundary, pair, upright, closest, spacing);
    double whole = spacing->safety;
    if (pl_crosses_flat(boundary, boundary->x0, pair)) spacing->safety *= CROSSING_KEEP;
    return room + (whole - spacing->safety);
}

// --- Pairs ---

static pl_contact_pair load(const pl_candidate_set *c, const pl_boundary *boundary, int64_t i)
{
    const pl_feature_pair pair = pl_candidate_pair(&c->candidate[i]);
    return pl_contact_pair_load(boundary, &pair);
}

// Notes the closest points at x0, whose direction bounds the distance best from then on.
static void note_start(pl_candidate_set *c, int64_t i, const pl_closest *closest,
                       pl_distance_bound *bound)
{
    pl_candidate_turn(&c->candidate[i], closest->normal);
    *bound = (pl_distance_bound){.start = closest->distance, .exact = true};
}

// Finds and notes them.
static pl_closest measure_start(pl_candidate_set *c, const pl_boundary *boundary,
                                const pl_contact_pair *p, int64_t i, pl_distance_bound *bound)
{
    pl_closest closest = pl_contact_pair_closest(p, boundary->x0);
    note_start(c, i, &closest, bound);
    return closest;
}

// --- Hits ---

// No pair of the bodies is hit beyond this, times what a test may be early by.
static double farthest_impact(const pl_boundary *boundary, int32_t a, int32_t b, double times)
{
    return pl_boundary_radii(boundary, a, b) +
           times * (IMPACT * pl_boundary_safety(boundary, a, b));
}

// The distance below which a pair counts as hit: near its surfaces, but not where it starts.
static double impact_distance(const pl_boundary *boundary, const pl_contact_pair *p, double start)
{
    pl_spacing s = pl_contact_pair_spacing(boundary, p);
    if (start <= s.radii) return 0.9 * start;
    return PL_MIN(s.radii + IMPACT * s.safety, 0.5 * (s.radii + start));
}

double pl_detect_approach(const pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                          double distance)
{
    double by = pl_candidates_approach(c, c->candidate[at->candidate].kind, at->point);
    return distance > pl_boundary_near(boundary, at->a, at->b) + by ? -1 : by;
}

double pl_detect_radii(const pl_boundary *boundary, const pl_contact_pair *p, double separation)
{
    return p->a == p->b ? 0 : PL_MIN(pl_boundary_radii(boundary, p->a, p->b), separation);
}

// Does a pair come closer than `separation` on its way?
static bool find_impact(const pl_boundary *boundary, const pl_contact_pair *p, double separation,
                        pl_impact *impact)
{
    double q0[12] = {0}, q1[12] = {0};
    pl_pair_kind kind = (pl_pair_kind)p->pair.kind;
    pl_pair_gather(p->point, boundary->x0, q0);
    pl_pair_gather(p->point, boundary->x1, q1);
    return pl_pair_impact(kind, q0, q1, pl_detect_radii(boundary, p, separation), separation,
                          impact);
}

double pl_detect_reaches(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                         pl_distance_bound *bound)
{
    pl_contact_pair p = pl_near_pair(c, at);
    const pl_candidate *candidate = &c->candidate[at->candidate];
    double most = farthest_impact(boundary, p.a, p.b, PL_APART_CLEAR);
    double end = pl_candidate_bound(c, candidate, p.point, boundary->x1);
    double start = bound->start; // by the same direction, unless it is exact
    if (bound->exact) start = pl_candidate_bound(c, candidate, p.point, boundary->x0);
    bound->end = pl_round_below(end);
    if (PL_MIN(start, end) > most) return -1;
    if (!bound->exact) measure_start(c, boundary, &p, at->candidate, bound);
    double by = (1 + PL_BOUND_SLACK) * pl_candidates_approach(c, p.pair.kind, p.point);
    bound->end = pl_round_below(PL_MAX(end, bound->start - by));
    double separation = impact_distance(boundary, &p, bound->start);
    return bound->start - by <= separation ? separation : -1;
}

// Does the pair come too near? If so, where.
static bool gets_hit(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                     pl_distance_bound *bound, pl_impact *impact)
{
    double separation = pl_detect_reaches(c, boundary, at, bound);
    if (separation < 0) return false;
    pl_contact_pair p = pl_near_pair(c, at);
    return find_impact(boundary, &p, separation, impact);
}

bool pl_detect_next_hit(const pl_detection *d, const pl_boundary *boundary, int64_t *next,
                        pl_feature_pair *pair, pl_impact *impact)
{
    const pl_candidate_set *c = &d->candidates;
    while (*next < c->n) {
        const uint8_t *flag = memchr(d->flag + *next, HIT, (size_t)(c->n - *next));
        if (flag == NULL) return false;
        pl_contact_pair p = load(c, boundary, flag - d->flag);
        *next = flag - d->flag + 1;
        *pair = p.pair;
        double start = pl_contact_pair_closest(&p, boundary->x0).distance;
        double separation = impact_distance(boundary, &p, start);
        if (find_impact(boundary, &p, separation, impact)) return true;
    }
    return false;
}

// --- The start of a step ---

static pl_status clear_flags(pl_detection *d)
{
    int64_t n = d->candidates.n;
    PL_TRY(pl_reserve((void **)&d->flag, &d->flag_capacity, n, sizeof *d->flag));
    if (n > 0) memset(d->flag, 0, (size_t)n); // which does not take NULL
    return PL_OK;
}

static pl_status reserve_known(pl_detection *d)
{
    const pl_candidate_set *c = &d->candidates;
    d->listing = c->listing;
    return pl_reserve((void **)&d->bound, &d->bound_capacity, c->n_near, sizeof *d->bound);
}

// Pairs that hit in the last step although they are no local minimum, and push since, do so again:
// they get a row at once, as long as they are near, which saves the round that would find them.
static void hold_found(pl_detection *d, const pl_boundary *boundary, const pl_contacts *contacts)
{
    const pl_candidate_set *c = &d->candidates;
    for (int64_t m = 0; m < contacts->blocks->n_memory; m++) {
        if (contacts->blocks->memory[m].found == 0) continue;
        int64_t i = pl_candidates_index(c, &contacts->blocks->memory[m].id);
        if (i < 0) continue;
        pl_contact_pair p = load(c, boundary, i);
        pl_spacing s = pl_contact_pair_spacing(boundary, &p);
        double near = pl_spacing_near(&s);
        if (pl_contact_pair_closest(&p, boundary->x0).distance <= near) d->flag[i] = FOUND;
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
                        pl_distance_bound *bound)
{
    pl_impact impact;
    if (!gets_hit(c, boundary, at, bound, &impact)) return false;
    const pl_feature_pair pair = pl_candidate_pair(&c->candidate[at->candidate]);
    const pl_instant then = {boundary->x0, boundary->x1, impact.time};
    pl_spacing spacing;
    return pl_local_minimum(boundary, &then, &pair, &impact.closest) &&
           pl_detect_row_room(boundary, &pair, true, &impact.closest, &spacing) >= 0;
}

// Does the pair, whose closest points at x0 are given, come so near on the way of the first guess
// that it wants a row? As rows have it: by the same points and normal all along. `by` as
// pl_candidates_approach says.
static bool wants_row(const pl_boundary *boundary, const pl_contact_pair *p,
                      const pl_closest *closest, double by)
{
    double q[12] = {0}, end = 0, aside = ASIDE * by;
    pl_pair_gather(p->point, boundary->x1, q);
    for (int i = 0; i < 12; i++) end += closest->normal[i % 3] * closest->weight[i / 3] * q[i];
    double least = PL_MIN(closest->distance, end) - aside;
    pl_spacing s = pl_contact_pair_spacing(boundary, p);
    if (least > pl_spacing_near(&s)) return false;
    return least <= s.radii + CROSSING_NEAR * s.safety ||
           !pl_crosses_flat(boundary, boundary->x0, &p->pair);
}

// Says by its flag what becomes of a near pair; *closest is known if it gets a row.
static uint8_t judge(pl_detection *d, const pl_boundary *boundary, int64_t k,
                     pl_distance_bound *bound, pl_closest *closest)
{
    pl_candidate_set *c = &d->candidates;
    const pl_near *at = &c->near[k];
    uint8_t held = d->flag[at->candidate];
    pl_contact_pair p = pl_near_pair(c, at);
    *bound = (pl_distance_bound){.start = at->distance};
    double by = pl_detect_approach(c, boundary, at, bound->start);
    if (by < 0) return 0;
    if (d->batch.n_closest >= 0) {
        *closest = d->batch.closest[d->batch.place[k]];
        note_start(c, at->candidate, closest, bound);
    } else {
        *closest = measure_start(c, boundary, &p, at->candidate, bound);
    }
    if (pl_detect_approach(c, boundary, at, bound->start) < 0) return 0;
    const pl_instant now = {boundary->x0, boundary->x0, 0};
    if (wants_row(boundary, &p, closest, by) &&
        pl_local_minimum(boundary, &now, &p.pair, closest)) {
        return ROW;
    }
    if (held) return held;
    double radii = pl_boundary_radii(boundary, p.a, p.b);
    double farthest = farthest_impact(boundary, p.a, p.b, 1) + (1 + PL_BOUND_SLACK) * by;
    if (bound->start > farthest) return 0;
    if (bound->start > radii + EXPECT * pl_boundary_safety(boundary, p.a, p.b)) return 0;
    return expects_hit(c, boundary, at, bound) ? HIT : 0;
}

bool pl_detect_is_reached(const pl_boundary *boundary, const pl_contact_pair *p,
                          const pl_closest *closest)
{
    const pl_instant now = {boundary->x0, boundary->x0, 0};
    pl_spacing s = pl_contact_pair_spacing(boundary, p);
    return closest->distance <= pl_spacing_reach(&s) &&
           !pl_crosses_flat(boundary, boundary->x0, &p->pair) &&
           pl_local_minimum(boundary, &now, &p->pair, closest);
}

// The flag of a pair within reach then, unless it has a row.
static uint8_t judge_reached(pl_detection *d, const pl_boundary *boundary, const pl_near *at,
                             pl_distance_bound *bound, pl_closest *closest)
{
    pl_candidate_set *c = &d->candidates;
    pl_contact_pair p = pl_near_pair(c, at);
    *bound = (pl_distance_bound){.start = at->distance};
    if (d->flag[at->candidate] == KEPT) return 0;
    if (bound->start > pl_boundary_reach(boundary, p.a, p.b)) return 0;
    *closest = measure_start(c, boundary, &p, at->candidate, bound);
    return pl_detect_is_reached(boundary, &p, closest) ? ROW : 0;
}

double pl_detect_ask(const pl_contacts *contacts, double room, double safety, double by)
{
    if (room >= 0) return room;
    double undone = pl_contact_tolerance(contacts, safety), dt = contacts->blocks->problem.dt;
    double share = PL_MIN(RECOVERY_MAX, PL_MAX(dt / RECOVERY, undone / safety));
    double most = RECOVERY_TOLERANCE * undone * dt / contacts->step; // when halved too
    return -PL_MIN(-room * share, PL_MIN(most, RECOVERY_MOTION * by));
}

// Judges the near pairs first .. last - 1; those that get a row go to `start`, one after the other.
// Returns how many they are.
static int32_t judge_some(pl_detection *d, const pl_contacts *contacts, const pl_boundary *boundary,
                          int64_t first, int64_t last, pl_start *start)
{
    pl_candidate_set *c = &d->candidates;
    int32_t n = 0;
    for (int64_t k = first; k < last; k++) {
        const pl_near *at = &c->near[k];
        pl_distance_bound *bound = &d->bound[k];
        pl_start *to = &start[n];
        uint8_t flag = c->wide ? judge_reached(d, boundary, at, bound, &to->closest)
                               : judge(d, boundary, k, bound, &to->closest);
        d->flag[at->candidate] = flag;
        if (flag != ROW && flag != FOUND) continue;
        pl_spacing spacing;
        to->flag = flag;
        to->pair = pl_candidate_pair(&c->candidate[at->candidate]);
        double by = pl_candidates_approach(c, to->pair.kind, at->point);
        double room = pl_detect_row_room(boundary, &to->pair, true, &to->closest, &spacing);
        to->gap = pl_detect_ask(contacts, room, spacing.safety, by);
        n++;
    }
    return n;
}

typedef struct judge_loop {
    pl_detection *d;
    const pl_contacts *contacts;
    const pl_boundary *boundary;
    int64_t first, last; // near pairs; what gets a row in a piece stands where it begins
    int32_t *found;      // in each piece
} judge_loop;

static void judge_pieces(void *context, int64_t first, int64_t last)
{
    const judge_loop *l = context;
    for (int64_t k = first; k < last; k++) {
        int64_t at = l->first + k * PIECE, to = PL_MIN(at + PIECE, l->last);
        l->found[k] = judge_some(l->d, l->contacts, l->boundary, at, to, l->d->start + k * PIECE);
    }
}

// Judges the near pairs, and adds rows where they are now for those that get one.
static pl_status add_starts(pl_detection *d, const pl_boundary *boundary, pl_contacts *contacts)
{
    enum { SOME = 8 * PIECE }; // at a time: most get none
    int64_t n_near = d->candidates.n_near;
    PL_TRY(reserve_known(d));
    bool batch = !d->candidates.wide && pl_surfaces_has_device(boundary->surfaces);
    d->batch.n_closest = -1;
    if (batch) PL_TRY(pl_batch_measure(&d->batch, &d->candidates, boundary));
    PL_TRY(pl_reserve((void **)&d->start, &d->start_capacity, SOME, sizeof *d->start));
    for (int64_t first = 0; first < n_near; first += SOME) {
        int64_t last = PL_MIN(first + SOME, n_near);
        int32_t found[SOME / PIECE] = {0};
        pl_loop((last - first + PIECE - 1) / PIECE, CHUNK_PIECES, judge_pieces,
                &(judge_loop){d, contacts, boundary, first, last, found});
        for (int64_t k = first; k < last; k += PIECE) {
            const pl_start *s = d->start + (k - first), *end = s + found[(k - first) / PIECE];
            for (; s < end; s++) {
                PL_TRY(pl_contacts_add(contacts, boundary, &s->pair, &s->closest, s->gap, true,
                                       s->flag == FOUND));
            }
        }
    }
    return PL_OK;
}

pl_status pl_detect_start(pl_detection *d, pl_boundary *boundary, pl_contacts *contacts)
{
    PL_TRY(pl_candidates_find(&d->candidates, boundary));
    PL_TRY(clear_flags(d));
    hold_found(d, boundary, contacts);
    PL_TRY(add_starts(d, boundary, contacts));
    PL_TRY(pl_hits_list(d, boundary));
    return pl_hits_add(d, boundary, contacts);
}

// --- The way to the end of a step ---

// Nothing is known of the near ones from `first` on but what the list says.
static pl_status forget(pl_detection *d, int64_t first)
{
    const pl_candidate_set *c = &d->candidates;
    PL_TRY(reserve_known(d));
    for (int64_t k = first; k < c->n_near; k++) {
        d->bound[k] = (pl_distance_bound){.start = c->near[k].distance};
    }
    return PL_OK;
}

typedef struct test_loop {
    pl_detection *d;
    const pl_boundary *boundary;
    int64_t start; // the first near pair
    _Atomic int64_t n_hit;
} test_loop;

static void test_pairs(void *context, int64_t first, int64_t last)
{
    test_loop *l = context;
    pl_candidate_set *c = &l->d->candidates;
    int64_t n_hit = 0;
    for (int64_t k = l->start + first; k < l->start + last; k++) {
        pl_impact impact;
        bool hit = gets_hit(c, l->boundary, &c->near[k], &l->d->bound[k], &impact);
        l->d->flag[c->near[k].candidate] = hit ? HIT : 0;
        n_hit += hit;
    }
    l->n_hit += n_hit;
}

// Flags which of the near ones from `first` on get hit.
static pl_status test_near(pl_detection *d, const pl_boundary *boundary, int64_t first)
{
    if (pl_surfaces_has_device(boundary->surfaces)) {
        PL_TRY(pl_batch_test(&d->batch, &d->candidates, d->bound, boundary, first));
        d->n_hit = d->batch.n_hit;
        for (int64_t i = 0; i < d->n_hit; i++) {
            d->flag[d->candidates.near[d->batch.near[i]].candidate] = HIT;
        }
        return PL_OK;
    }
    test_loop l = {d, boundary, first, 0};
    pl_loop(d->candidates.n_near - first, CHUNK_PAIRS, test_pairs, &l);
    d->n_hit = l.n_hit;
    return PL_OK;
}

pl_status pl_detect_way(pl_detection *d, pl_boundary *boundary)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_candidates_follow(c, boundary));
    if (d->listing != c->listing) PL_TRY(forget(d, 0));
    PL_TRY(clear_flags(d));
    PL_TRY(test_near(d, boundary, 0));
    if (d->n_hit > 0) return PL_OK;
    int64_t first = c->n_near;
    PL_TRY(pl_candidates_extend(c, boundary));
    PL_TRY(clear_flags(d)); // there are more of them
    PL_TRY(forget(d, first));
    return test_near(d, boundary, first);
}

// Adds rows for all that is within reach and has none.
static pl_status add_reached(pl_detection *d, const pl_boundary *boundary, pl_contacts *contacts)
{
    pl_candidate_set *c = &d->candidates;
    PL_TRY(pl_candidates_widen(c, boundary));
    PL_TRY(clear_flags(d));
    for (int32_t i = 0; i < pl_contacts_count(contacts); i++) {
        int64_t at = pl_candidates_index(c, &contacts->row[i].pair);
        if (at >= 0) d->flag[at] = KEPT;
    }
    return add_starts(d, boundary, contacts);
}

pl_status pl_detect_hits(pl_detection *d, pl_boundary *boundary, pl_contacts *contacts,
                         int32_t *hits)
{
    PL_TRY(pl_detect_way(d, boundary));
    PL_TRY(pl_hits_list(d, boundary));
    *hits = (int32_t)d->n_hit;
    bool missed;
    PL_TRY(pl_hits_mark_missed(d, boundary, contacts, &missed));
    PL_TRY(pl_hits_add(d, boundary, contacts));
    return missed ? add_reached(d, boundary, contacts) : PL_OK;
}

// No pair counts as near beyond this.
static double largest_near_distance(const pl_boundary *boundary)
{
    double radius = 0;
    for (int32_t b = 0; b < boundary->n_body; b++) radius = PL_MAX(radius, boundary->radius[b]);
    return 2 * radius + PL_NEAR * boundary->widest;
}

typedef struct gap_loop {
    const pl_detection *d;
    const pl_boundary *boundary;
    double most;
    double least[PL_MAX_THREADS]; // that each thread has found
} gap_loop;

static void find_gaps(void *context, int64_t first, int64_t last)
{
    gap_loop *l = context;
    const pl_candidate_set *c = &l->d->candidates;
    const pl_distance_bound *bound = l->d->bound;
    double least = l->least[pl_thread_slot()];
    for (int64_t k = first; k < last; k++) {
        if (bound[k].end > l->most) continue;
        pl_contact_pair p = pl_near_pair(c, &c->near[k]);
        double radii = pl_boundary_radii(l->boundary, p.a, p.b);
        double near = pl_boundary_near(l->boundary, p.a, p.b);
        if (bound[k].end > PL_MIN(least + radii, near)) continue;
        pl_spacing s = pl_contact_pair_spacing(l->boundary, &p);
        double distance = pl_contact_pair_closest(&p, l->boundary->x1).distance;
        if (distance <= pl_spacing_near(&s)) least = PL_MIN(least, distance - s.radii);
    }
    l->least[pl_thread_slot()] = least;
}

double pl_detect_gap(const pl_detection *d, const pl_boundary *boundary)
{
    gap_loop l = {.d = d, .boundary = boundary, .most = largest_near_distance(boundary)};
    double least = INFINITY;
    for (int32_t i = 0; i < pl_threads(); i++) l.least[i] = INFINITY;
    pl_loop(d->candidates.n_near, CHUNK_PAIRS, find_gaps, &l);
    for (int32_t i = 0; i < pl_threads(); i++) least = PL_MIN(least, l.least[i]);
    return least;
}
