// Candidates that serve several steps.

#include "candidates.h"
#include "body_pair.h"
#include "near.h"
#include "../collision/device.h"

#include <math.h>
#include <string.h>

// A search is made for this many steps of motion, so that the velocities that are solved for seldom
// leave its boxes [VJ19, 5.1], nor do those of the next steps, but for fewer where that would be
// far; and for this much more room around each point, since what is at rest trembles. In parts of
// the smallest h.
static const double SWEEP = 8, SWEEP_MOST = 0.2, ROOM = 0.06;
// A candidate is left out if it is far by this many times what its points can move in their boxes.
// 1 is enough for the proof that nothing hits. A pair wants a row if it is near, but for what its
// points move in the step, which is less than twice that unless a feature turns over: with 3, rows
// do not depend on what is left out.
static const double FREEDOM = 3;
// If more of the bodies have to be searched for, all are, which then last as long again: one by
// one, each pair would be searched for twice, for either body.
static const double MOST_STALE = 0.05;

enum {
    PIECE = 512,      // pairs that are tested together
    CHUNK_PIECES = 2, // what a thread takes at least
};

void pl_candidates_free(pl_candidate_set *c)
{
    pl_free(c->from);
    pl_free(c->to);
    pl_free(c->freedom);
    pl_free(c->candidate);
    pl_free(c->more);
    pl_free(c->place);
    pl_free(c->since);
    pl_free(c->near);
    pl_free(c->ahead);
    pl_free(c->step);
    pl_free(c->moves);
    pl_free(c->stale);
    pl_free(c->pair);
    pl_free(c->closest);
    *c = (pl_candidate_set){0};
}

// --- Candidates by number, in the order of pairs ---

static int64_t count(const pl_candidates *c)
{
    return c->n_vertex_vertex + c->n_vertex_edge + c->n_vertex_face + c->n_edge_edge;
}

static pl_feature_pair pair_at(const pl_candidates *c, int64_t i)
{
    const int64_t n[PL_EDGE_EDGE] = {c->n_vertex_vertex, c->n_vertex_edge, c->n_vertex_face};
    const int32_t *list[] = {c->vertex_vertex, c->vertex_edge, c->vertex_face, c->edge_edge};
    int kind = PL_VERTEX_VERTEX;
    while (kind < PL_EDGE_EDGE && i >= n[kind]) i -= n[kind++];
    return (pl_feature_pair){kind, list[kind][2 * i], list[kind][2 * i + 1]};
}

// How many candidates come before a pair: at least lo, at most hi.
static int64_t count_between(const pl_candidate_set *c, int64_t lo, int64_t hi,
                             const pl_feature_pair *pair)
{
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        pl_feature_pair at = pl_candidate_pair(&c->candidate[mid]);
        if (pl_block_id_compare(&at, pair) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

int64_t pl_candidates_index(const pl_candidate_set *c, const pl_feature_pair *pair)
{
    int64_t i = count_between(c, 0, c->n, pair);
    if (i == c->n) return -1;
    pl_feature_pair at = pl_candidate_pair(&c->candidate[i]);
    return pl_block_id_compare(&at, pair) == 0 ? i : -1;
}

// --- The search ---

static pl_status reserve(pl_candidate_set *c, int64_t n)
{
    return pl_reserve((void **)&c->candidate, &c->candidate_capacity, n, sizeof *c->candidate);
}

// How far points can get from where they were searched for, before they leave their boxes.
static void find_freedom(pl_candidate_set *c, const pl_boundary *boundary, double room)
{
    for (int64_t p = 0; p < boundary->n; p++) {
        double by[3];
        pl_subtract(c->to + 3 * p, c->from + 3 * p, by);
        c->freedom[p] = (float)(sqrt(pl_dot(by, by)) + 0.5 * sqrt(3) * room);
    }
}

// A pair with its closest points where it was searched for.
static pl_candidate describe(const pl_feature_pair *pair, const pl_closest *closest)
{
    pl_candidate candidate = {.a = pair->a, .b = pair->b, .kind = (int8_t)pair->kind};
    candidate.distance = PL_MAX(pl_round_below(closest->distance), 0);
    pl_candidate_turn(&candidate, closest->normal);
    return candidate;
}

// The same where they are not known.
static pl_candidate measure(const pl_candidate_set *c, const pl_feature_pair *pair,
                            const int32_t point[4])
{
    double q[12] = {0};
    pl_closest closest;
    pl_pair_gather(point, c->from, q);
    pl_closest_points((pl_pair_kind)pair->kind, q, &closest);
    return describe(pair, &closest);
}

// The same for a pair that was a candidate before, by the direction that it had: mostly as good,
// and sooner found.
static pl_candidate measure_again(const pl_candidate_set *c, const pl_candidate *before,
                                  const int32_t point[4])
{
    pl_candidate candidate = *before;
    double distance = pl_candidate_bound(c, before, point, c->from);
    candidate.distance = PL_MAX(pl_round_below(distance), 0);
    return candidate;
}

// Could the pair come near while its points stay in their boxes? `before` is NULL if it is new, and
// `closest` if it is not, or nobody knows it.
static bool may_come_near(const pl_candidate_set *c, const pl_boundary *boundary,
                          const pl_feature_pair *pair, const pl_candidate *before,
                          const pl_closest *closest, pl_candidate *candidate)
{
    int32_t point[4], a, b;
    float most[2] = {0};
    pl_pair_points(boundary, pair, point);
    pl_pair_bodies(boundary, pair, point, &a, &b);
    *candidate = before != NULL    ? measure_again(c, before, point)
                 : closest != NULL ? describe(pair, closest)
                                   : measure(c, pair, point);
    for (int k = 0; k < 4 && point[k] >= 0; k++) {
        int side = k >= pl_pair_first(pair->kind);
        most[side] = PL_MAX(most[side], c->freedom[point[k]]);
    }
    double far = pl_boundary_reach(boundary, a, b) + FREEDOM * ((double)most[0] + (double)most[1]);
    return (1 - PL_BOUND_SLACK) * (double)candidate->distance <= far;
}

enum { SOME = 8 * PIECE }; // pairs at a time, so that no memory is taken for what is left out

typedef struct found_loop {
    const pl_candidate_set *c;
    const pl_boundary *boundary;
    const pl_candidates *found;
    int64_t start, end;
    const pl_candidate **before; // (end - start) what each was before, NULL if it is new
    const int32_t *place;        // of new ones among those a device has measured; NULL: none is
    const pl_closest *closest;
    pl_candidate *candidate; // (end - start)
    bool *keep;
} found_loop;

// Which of the pairs that are found, from `first` on to before `last`, were candidates before?
static void find_before(const found_loop *l, int64_t first, int64_t last)
{
    const pl_candidate_set *c = l->c;
    pl_feature_pair pair = pair_at(l->found, first);
    int64_t n = c->n, at = count_between(c, 0, n, &pair);
    for (int64_t i = first; i < last; i++) {
        int order = 1;
        pair = pair_at(l->found, i);
        for (; at < n; at++) { // both are in order
            pl_feature_pair before = pl_candidate_pair(&c->candidate[at]);
            order = pl_block_id_compare(&before, &pair);
            if (order >= 0) break;
        }
        l->before[i - l->start] = at < n && order == 0 ? &c->candidate[at] : NULL;
    }
}

static void look_pieces(void *context, int64_t first, int64_t last)
{
    const found_loop *l = context;
    for (int64_t at = first * PIECE; at < last * PIECE && l->start + at < l->end; at += PIECE) {
        int64_t i = l->start + at;
        find_before(l, i, PL_MIN(i + PIECE, l->end));
    }
}

// Which of them could come near?
static void test_pieces(void *context, int64_t first, int64_t last)
{
    const found_loop *l = context;
    int64_t end = PL_MIN(last * PIECE, l->end - l->start);
    for (int64_t at = first * PIECE; at < end; at++) {
        const pl_feature_pair pair = pair_at(l->found, l->start + at);
        const pl_closest *closest =
            l->place != NULL && l->before[at] == NULL ? &l->closest[l->place[at]] : NULL;
        l->keep[at] =
            may_come_near(l->c, l->boundary, &pair, l->before[at], closest, &l->candidate[at]);
    }
}

// The new ones of the pairs of a loop, measured by the device.
static pl_status measure_on_device(pl_candidate_set *c, found_loop *l, int32_t place[SOME])
{
    int32_t n = 0;
    PL_TRY(pl_reserve((void **)&c->pair, &c->pair_capacity, 5 * SOME, sizeof *c->pair));
    PL_TRY(pl_reserve((void **)&c->closest, &c->closest_capacity, SOME, sizeof *c->closest));
    for (int64_t at = 0; at < l->end - l->start; at++) {
        if (l->before[at] != NULL) continue;
        const pl_feature_pair p = pair_at(l->found, l->start + at);
        int32_t *to = c->pair + 5 * (int64_t)n, point[4];
        pl_pair_points(l->boundary, &p, point);
        to[0] = p.kind;
        for (int k = 0; k < 4; k++) to[1 + k] = point[point[k] >= 0 ? k : 0];
        place[at] = n++;
    }
    pl_surfaces_closest(l->boundary->surfaces, c->from, n, c->pair, c->closest);
    l->place = place;
    l->closest = c->closest;
    return PL_OK;
}

// c->more := what is found, without what stays far: mostly neighbours on one surface.
static pl_status take_near(pl_candidate_set *c, const pl_boundary *boundary, double room,
                           const pl_candidates *found)
{
    pl_candidate candidate[SOME];
    const pl_candidate *before[SOME];
    bool keep[SOME];
    int32_t place[SOME];
    int64_t n_found = count(found);
    find_freedom(c, boundary, room);
    c->n_more = 0;
    for (int64_t start = 0; start < n_found; start += SOME) {
        int64_t end = PL_MIN(start + SOME, n_found), n = c->n_more + (end - start);
        int64_t pieces = (end - start + PIECE - 1) / PIECE;
        found_loop l = {c, boundary, found, start, end, before, NULL, NULL, candidate, keep};
        pl_loop(pieces, CHUNK_PIECES, look_pieces, &l);
        if (pl_surfaces_has_device(boundary->surfaces)) PL_TRY(measure_on_device(c, &l, place));
        pl_loop(pieces, CHUNK_PIECES, test_pieces, &l);
        PL_TRY(pl_reserve((void **)&c->more, &c->more_capacity, n, sizeof *c->more));
        for (int64_t k = 0; k < end - start; k++) {
            if (keep[k]) c->more[c->n_more++] = candidate[k];
        }
    }
    return PL_OK;
}

// c->more := what is found and is not among the candidates.
static pl_status take_new(pl_candidate_set *c, const pl_boundary *boundary,
                          const pl_candidates *found)
{
    int64_t n = count(found);
    PL_TRY(pl_reserve((void **)&c->more, &c->more_capacity, n, sizeof *c->more));
    c->n_more = 0;
    for (int64_t i = 0; i < n; i++) {
        pl_feature_pair pair = pair_at(found, i);
        if (pl_candidates_index(c, &pair) >= 0) continue;
        int32_t point[4];
        pl_pair_points(boundary, &pair, point);
        c->more[c->n_more++] = measure(c, &pair, point);
    }
    return PL_OK;
}

// How many of the first n candidates come before a pair, which is likely not far from their end.
static int64_t count_before_end(const pl_candidate_set *c, int64_t n, const pl_feature_pair *pair)
{
    int64_t lo = n, hi = n, stride = 1;
    while (lo > 0) {
        lo = PL_MAX(lo - stride, 0);
        pl_feature_pair at = pl_candidate_pair(&c->candidate[lo]);
        if (pl_block_id_compare(&at, pair) < 0) break;
        hi = lo;
        stride *= 2;
    }
    return count_between(c, lo, hi, pair);
}

// Merges c->more with the candidates, and notes in c->place how many of these come before each.
static pl_status merge(pl_candidate_set *c)
{
    int64_t n = c->n, more = c->n_more;
    if (more == 0) return PL_OK;
    PL_TRY(reserve(c, n + more));
    PL_TRY(pl_reserve((void **)&c->place, &c->place_capacity, more, sizeof *c->place));
    c->n = n + more;
    while (more > 0) { // from the end, so that nothing is overwritten that is still to go
        const pl_candidate *last = &c->more[more - 1];
        pl_feature_pair pair = pl_candidate_pair(last);
        int64_t before = count_before_end(c, n, &pair);
        memmove(c->candidate + before + more, c->candidate + before,
                (size_t)(n - before) * sizeof *c->candidate);
        c->place[--more] = before;
        c->candidate[before + more] = *last;
        n = before;
    }
    return PL_OK;
}

static void drop_stale(pl_candidate_set *c, const pl_boundary *boundary)
{
    int64_t kept = 0;
    pl_body_pair m = PL_NO_BODY_PAIR;
    for (int64_t i = 0; i < c->n; i++) {
        if (!pl_body_pair_has(&m, &c->candidate[i]))
            m = pl_body_pair_find(boundary, &c->candidate[i]);
        if (!c->stale[m.a] && !c->stale[m.b]) c->candidate[kept++] = c->candidate[i];
    }
    c->n = kept;
}

static pl_status search_stale(pl_candidate_set *c, const pl_boundary *boundary)
{
    double room = ROOM * boundary->smallest;
    pl_candidates found;
    c->current = false; // if it fails
    PL_TRY(pl_surfaces_renew(boundary->surfaces, c->from, c->to, room, c->stale, &found));
    PL_TRY(take_near(c, boundary, room, &found));
    drop_stale(c, boundary);
    PL_TRY(merge(c));
    c->current = true;
    return PL_OK;
}

// c->more and the list of near ones exchange their memory.
static void exchange(pl_candidate_set *c)
{
    void *near = c->near;
    int64_t capacity = c->near_capacity;
    c->near = (void *)c->more;
    c->near_capacity = c->more_capacity * (int64_t)sizeof *c->more / (int64_t)sizeof *c->near;
    c->more = near;
    c->more_capacity = capacity * (int64_t)sizeof *c->near / (int64_t)sizeof *c->more;
}

// The candidates become c->more, which has their memory then.
static void replace(pl_candidate_set *c)
{
    pl_candidate *candidate = c->candidate;
    int64_t capacity = c->candidate_capacity;
    c->candidate = c->more;
    c->candidate_capacity = c->more_capacity;
    c->n = c->n_more;
    c->n_more = 0;
    c->more = candidate;
    c->more_capacity = capacity;
}

// The near ones are listed anew after a search. So all candidates can be taken into their memory
// while the old ones are looked at, whose memory then serves them.
pl_status pl_candidates_restore(pl_candidate_set *c, const pl_boundary *boundary)
{
    double room = ROOM * boundary->smallest;
    pl_candidates found;
    if (!c->current) c->n = 0;
    c->n_near = 0;
    c->current = false; // if it fails
    PL_TRY(pl_surfaces_search(boundary->surfaces, c->from, c->to, room, &found));
    exchange(c);
    PL_TRY(take_near(c, boundary, room, &found));
    replace(c);
    exchange(c);
    c->current = true;
    return PL_OK;
}

pl_status pl_candidates_reserve(pl_candidate_set *c, const pl_boundary *boundary)
{
    int64_t n = boundary->n, n_body = boundary->n_body;
    PL_TRY(pl_reserve((void **)&c->since, &c->since_capacity, n_body, sizeof *c->since));
    PL_TRY(pl_reserve((void **)&c->step, &c->step_capacity, n_body, sizeof *c->step));
    PL_TRY(pl_reserve((void **)&c->moves, &c->moves_capacity, n, sizeof *c->moves));
    PL_TRY(pl_reserve((void **)&c->ahead, &c->ahead_capacity, n_body, sizeof *c->ahead));
    PL_TRY(pl_reserve((void **)&c->stale, &c->stale_capacity, n_body, sizeof *c->stale));
    PL_TRY(pl_reserve((void **)&c->from, &c->from_capacity, 3 * n, sizeof *c->from));
    PL_TRY(pl_reserve((void **)&c->freedom, &c->freedom_capacity, n, sizeof *c->freedom));
    return pl_reserve((void **)&c->to, &c->to_capacity, 3 * n, sizeof *c->to);
}

// What is fast is searched for fewer steps: for a part of h, but two steps at least.
static void shorten_motion(pl_boundary *boundary)
{
    double most = SWEEP_MOST * boundary->smallest;
    for (int64_t p = 0; p < boundary->n; p++) {
        double *x1 = boundary->x1 + 3 * p, by[3];
        const double *x0 = boundary->x0 + 3 * p;
        pl_subtract(x1, x0, by);
        double length = sqrt(pl_dot(by, by));
        if (length <= most) continue;
        double share = PL_MAX(most / length, 2 / SWEEP);
        for (int k = 0; k < 3; k++) x1[k] = x0[k] + share * by[k];
    }
}

// A new search for the bodies that need it, for the steps to come.
static pl_status search(pl_candidate_set *c, pl_boundary *boundary, bool all)
{
    pl_boundary_extrapolate(boundary, SWEEP);
    shorten_motion(boundary);
    for (int32_t b = 0; b < boundary->n_body; b++) {
        int64_t first = 3 * (int64_t)boundary->first[b], last = 3 * (int64_t)boundary->first[b + 1];
        if (first == last || (!all && !c->stale[b])) continue;
        memcpy(c->from + first, boundary->x0 + first, (size_t)(last - first) * sizeof(double));
        memcpy(c->to + first, boundary->x1 + first, (size_t)(last - first) * sizeof(double));
    }
    PL_TRY(all ? pl_candidates_restore(c, boundary) : search_stale(c, boundary));
    for (int32_t b = 0; b < boundary->n_body; b++) c->stale[b] = 0;
    pl_boundary_extrapolate(boundary, 1);
    return PL_OK;
}

pl_status pl_candidates_extend(pl_candidate_set *c, const pl_boundary *boundary)
{
    bool current = c->current;
    pl_candidates found;
    c->current = false; // if it fails
    PL_TRY(pl_surfaces_grow(boundary->surfaces, boundary->x0, boundary->x1, c->stale, &found));
    PL_TRY(take_new(c, boundary, &found));
    PL_TRY(merge(c));
    PL_TRY(pl_near_add(c, boundary));
    c->current = current;
    return PL_OK;
}

pl_status pl_candidates_find(pl_candidate_set *c, pl_boundary *boundary)
{
    pl_boundary_extrapolate(boundary, 1);
    PL_TRY(pl_candidates_reserve(c, boundary));
    c->blur = pl_near_blur(boundary);
    int32_t n = 0;
    if (c->current) {
        n = pl_surfaces_stale(boundary->surfaces, boundary->x0, boundary->x1, c->stale);
    }
    bool all = !c->current || n > MOST_STALE * boundary->n_body;
    if (all || n > 0) PL_TRY(search(c, boundary, all));
    c->wide = false;
    pl_near_drift(c, boundary);
    return pl_near_list(c, boundary);
}

pl_status pl_candidates_widen(pl_candidate_set *c, const pl_boundary *boundary)
{
    c->wide = true;
    return pl_near_list(c, boundary);
}
