// Candidates that are near.

#include "near.h"
#include "body_pair.h"
#include "../collision/bound.h"

#include <math.h>
#include <string.h>

// What bodies may drift in a step, beyond the first guess: this many times what their points do by
// that guess, and this part of h.
static const double AHEAD = 3, AHEAD_ROOM = 0.01;

// What a thread takes at least: points of bodies, and pieces of candidates, see below.
enum { CHUNK_POINTS = 1000, CHUNK_PIECES = 2 };

// --- How bodies move ---

// Of the points first .. last - 1, from x to y; and the shifts of each, unless that is NULL.
static pl_drift find_drift(int32_t first, int32_t last, const double *x, const double *y,
                           pl_shift *shift)
{
    pl_drift drift = {0};
    double square = 0;
    for (int64_t p = first; p < last; p++) {
        double by[3];
        pl_subtract(y + 3 * p, x + 3 * p, by);
        for (int k = 0; k < 3; k++) drift.mean[k] += by[k] / (last - first);
        if (shift != NULL) shift[p] = (pl_shift){(float)by[0], (float)by[1], (float)by[2]};
    }
    for (int64_t i = 3 * (int64_t)first; i < 3 * (int64_t)last; i += 3) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            double by = y[i + k] - x[i + k] - drift.mean[k];
            sum += by * by;
        }
        square = PL_MAX(square, sum);
    }
    drift.most = sqrt(square);
    return drift;
}

typedef struct drift_loop {
    const pl_boundary *boundary;
    const double *x, *y;
    pl_drift *drift;
    pl_shift *shift;
} drift_loop;

static void find_some_drifts(void *context, int64_t first, int64_t last)
{
    const drift_loop *l = context;
    const int32_t *at = l->boundary->first;
    for (int64_t b = first; b < last; b++) {
        l->drift[b] = find_drift(at[b], at[b + 1], l->x, l->y, l->shift);
    }
}

// The points of a body stand together.
static void find_drifts(const pl_boundary *boundary, const double *x, const double *y,
                        pl_drift *drift, pl_shift *shift)
{
    int64_t least = CHUNK_POINTS * (int64_t)boundary->n_body / PL_MAX(boundary->n, 1) + 1;
    pl_loop(boundary->n_body, least, find_some_drifts, &(drift_loop){boundary, x, y, drift, shift});
}

// Shifts are rounded to this part of themselves, and so are the sums of a few of them.
static const double SHIFT_ROUNDING = 1e-6;

static double longest(const pl_drift *drift)
{
    return sqrt(pl_dot(drift->mean, drift->mean)) + drift->most;
}

static double find_rounding(const pl_candidate_set *c, const pl_boundary *boundary)
{
    double most = 0;
    for (int32_t b = 0; b < boundary->n_body; b++) {
        most = PL_MAX(most, PL_MAX(longest(&c->since[b]), longest(&c->step[b])));
    }
    return SHIFT_ROUNDING * most;
}

void pl_near_drift(pl_candidate_set *c, const pl_boundary *boundary)
{
    find_drifts(boundary, c->from, boundary->x0, c->since, NULL);
    find_drifts(boundary, boundary->x0, boundary->x1, c->step, c->moves);
    c->rounding = find_rounding(c, boundary);
}

// What heights of points are rounded by, in parts of the largest coordinate: some eps; and more
// than what distances and continuous tests are.
static const double HEIGHT_ROUNDING = 1e-12;

double pl_near_blur(const pl_boundary *boundary)
{
    double most = 0;
    for (int64_t i = 0; i < 3 * (int64_t)boundary->n; i++) {
        most = PL_MAX(most, PL_MAX(fabs(boundary->x0[i]), fabs(boundary->x1[i])));
    }
    return HEIGHT_ROUNDING * most;
}

static inline float square_of(pl_shift by)
{
    by *= by;
    return by[0] + by[1] + by[2];
}

// At most this much nearer come two features whose points are shifted so: the sum of the longest
// shifts of either, after what they have in common is taken off.
static inline double approach(int kind, const int32_t point[4], const pl_shift *shift)
{
    static const float share[] = {[PL_VERTEX_VERTEX] = 1.0F / 2,
                                  [PL_VERTEX_EDGE] = 1.0F / 3,
                                  [PL_VERTEX_FACE] = 1.0F / 4,
                                  [PL_EDGE_EDGE] = 1.0F / 4};
    pl_shift a = shift[point[0]], b = shift[point[1]], mean = a + b;
    if (kind == PL_VERTEX_VERTEX) {
        mean *= share[kind];
        return sqrtf(square_of(a - mean)) + sqrtf(square_of(b - mean));
    }
    pl_shift c = shift[point[2]];
    mean += c;
    if (kind == PL_VERTEX_EDGE) {
        mean *= share[kind];
        float far = PL_MAX(square_of(b - mean), square_of(c - mean));
        return sqrtf(square_of(a - mean)) + sqrtf(far);
    }
    pl_shift d = shift[point[3]];
    mean = (mean + d) * share[kind];
    float of_a = square_of(a - mean), of_b = square_of(b - mean), of_c = square_of(c - mean);
    float of_d = square_of(d - mean);
    if (kind == PL_EDGE_EDGE) return sqrtf(PL_MAX(of_a, of_b)) + sqrtf(PL_MAX(of_c, of_d));
    return sqrtf(of_a) + sqrtf(PL_MAX(of_b, PL_MAX(of_c, of_d)));
}

double pl_candidates_approach(const pl_candidate_set *c, int kind, const int32_t point[4])
{
    return approach(kind, point, c->moves) + c->rounding;
}

// No features of the two bodies come nearer by more.
static double nearer(const pl_drift *drift, int32_t a, int32_t b)
{
    double apart[3];
    pl_subtract(drift[a].mean, drift[b].mean, apart);
    return sqrt(pl_dot(apart, apart)) + drift[a].most + drift[b].most;
}

// --- The list ---

// Below these distances two bodies may come as near as is listed while they drift no farther than
// `ahead` [m].
typedef struct limits {
    double at_x0, at_from;
} limits;

static limits find_limits(const pl_candidate_set *c, const pl_boundary *boundary, int32_t a,
                          int32_t b)
{
    double listed = c->wide ? pl_boundary_reach(boundary, a, b) : pl_boundary_near(boundary, a, b);
    limits l = {.at_x0 = listed + (1 + PL_BOUND_SLACK) * nearer(c->ahead, a, b)};
    l.at_from = (1 + PL_BOUND_SLACK) * (l.at_x0 + nearer(c->since, a, b));
    return l;
}

// Describes those of the candidates first .. last - 1 that may come near while bodies drift no
// farther than `ahead`, one after the other, and returns how many they are.
static int64_t describe_near(const pl_candidate_set *c, const pl_boundary *boundary, int64_t first,
                             int64_t last, pl_near *near)
{
    pl_body_pair m = PL_NO_BODY_PAIR;
    limits most = {0};
    bool still = false;
    int64_t n = 0;
    for (int64_t i = first; i < last; i++) {
        const pl_candidate *candidate = &c->candidate[i];
        if (!pl_body_pair_has(&m, candidate)) {
            m = pl_body_pair_find(boundary, candidate);
            most = find_limits(c, boundary, m.a, m.b);
            still = boundary->still[m.a] && boundary->still[m.b];
        }
        if (still) continue; // they are as far apart at the end as at the start
        if (candidate->distance > most.at_from) continue;
        pl_near *at = &near[n];
        *at = (pl_near){.candidate = (int32_t)i, .a = m.a, .b = m.b};
        pl_feature_pair pair = pl_candidate_pair(candidate);
        pl_pair_points(boundary, &pair, at->point);
        double now = pl_candidate_bound(c, candidate, at->point, boundary->x0);
        at->distance = pl_round_below(now);
        n += !(now > most.at_x0);
    }
    return n;
}

enum { PIECE = 256 }; // candidates that are looked at together

typedef struct near_loop {
    const pl_candidate_set *c;
    const pl_boundary *boundary;
    int64_t start, end; // candidates
    pl_near *near;      // (end - start) those found in a piece stand where it begins
    int64_t *found;     // in each piece
} near_loop;

static void describe_pieces(void *context, int64_t first, int64_t last)
{
    const near_loop *l = context;
    for (int64_t k = first; k < last; k++) {
        int64_t at = l->start + k * PIECE, to = PL_MIN(at + PIECE, l->end);
        l->found[k] = describe_near(l->c, l->boundary, at, to, l->near + k * PIECE);
    }
}

pl_status pl_near_list(pl_candidate_set *c, const pl_boundary *boundary)
{
    enum { SOME = 8 * PIECE };
    pl_near near[SOME];
    int64_t found[SOME / PIECE];
    for (int32_t b = 0; b < boundary->n_body; b++) {
        double size = PL_MIN(boundary->size[b], boundary->largest);
        c->ahead[b] = c->step[b];
        c->ahead[b].most = AHEAD * c->step[b].most + AHEAD_ROOM * size;
    }
    c->listing++;
    c->n_near = 0;
    for (int64_t start = 0; start < c->n; start += SOME) {
        int64_t end = PL_MIN(start + SOME, c->n), n = c->n_near + (end - start);
        pl_loop((end - start + PIECE - 1) / PIECE, CHUNK_PIECES, describe_pieces,
                &(near_loop){c, boundary, start, end, near, found});
        PL_TRY(pl_reserve((void **)&c->near, &c->near_capacity, n, sizeof *c->near));
        for (int64_t i = start; i < end; i += PIECE) {
            int64_t of_piece = found[(i - start) / PIECE];
            memcpy(c->near + c->n_near, near + (i - start), (size_t)of_piece * sizeof *near);
            c->n_near += of_piece;
        }
    }
    return PL_OK;
}

// The near ones know their candidates by number: after c->more was merged with these.
static void renumber(pl_candidate_set *c)
{
    for (int64_t k = 0; k < c->n_near; k++) {
        int64_t lo = 0, hi = c->n_more, at = c->near[k].candidate;
        while (lo < hi) {
            int64_t mid = (lo + hi) / 2;
            if (c->place[mid] <= at) {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        c->near[k].candidate = (int32_t)(at + lo);
    }
}

pl_status pl_near_add(pl_candidate_set *c, const pl_boundary *boundary)
{
    int64_t n = c->n_more;
    if (n == 0) return PL_OK;
    renumber(c);
    PL_TRY(pl_reserve((void **)&c->near, &c->near_capacity, c->n_near + n, sizeof *c->near));
    for (int64_t k = 0; k < n; k++) {
        int64_t i = c->place[k] + k;
        c->n_near += describe_near(c, boundary, i, i + 1, &c->near[c->n_near]);
    }
    return PL_OK;
}

// Do bodies drift no farther than the list of near ones was made for?
static bool as_thought(const pl_candidate_set *c, const pl_boundary *boundary)
{
    for (int32_t b = 0; b < boundary->n_body; b++) {
        double by[3];
        pl_subtract(c->step[b].mean, c->ahead[b].mean, by);
        if (sqrt(pl_dot(by, by)) + c->step[b].most > c->ahead[b].most) return false;
    }
    return true;
}

pl_status pl_candidates_follow(pl_candidate_set *c, const pl_boundary *boundary)
{
    find_drifts(boundary, boundary->x0, boundary->x1, c->step, c->moves);
    c->rounding = find_rounding(c, boundary);
    c->blur = pl_near_blur(boundary);
    return as_thought(c, boundary) ? PL_OK : pl_near_list(c, boundary);
}
