// Candidates: pairs of features that may come near. They are searched for the motion of several
// steps, body by body, and serve as long as the points of a body stay within what was searched.
// Internal.

#ifndef PL_CANDIDATES_H
#define PL_CANDIDATES_H

#include "contacts.h"

#include <math.h>
#include <string.h>

// Bounds of distances are taken a little lower than they are computed, which rounding may need.
static const double PL_BOUND_SLACK = 1e-9;

// A pair of features, with what is known of its distance.
//
// For any n with |n| <= 1, the points p of one feature and q of another are apart by
//
//     |p - q| >= n . (p - q) >= min n . a_i - max n . b_j
//
// with the corners a_i and b_j. If n is the direction between the closest points, this is the
// distance, since neither feature reaches beyond the plane across n through its own; and it stays
// near to it while the features turn little. On straight ways every n . (a_i - b_j) is linear in
// time, so that the least of the bounds at both ends holds for the whole way.
typedef struct pl_candidate {
    int32_t a, b;        // features, as in pl_feature_pair
    float distance;      // at `from`, or less [m]
    int8_t kind;         // pl_pair_kind
    int8_t direction[3]; // n, about that of the closest points not long ago, in 128ths
} pl_candidate;

// A candidate that may come near in this step.
typedef struct pl_near {
    int32_t candidate;
    float distance;         // at x0, or less [m]
    int32_t point[4], a, b; // its points, as pl_pair_points has them, and bodies
} pl_near;

// How the points of a body move: by their mean motion, and no farther from that.
typedef struct pl_drift {
    double mean[3], most; // [m]
} pl_drift;

// How a point moves, in single precision [m]; the last is 0.
typedef float pl_shift __attribute__((vector_size(4 * sizeof(float))));

typedef struct pl_candidate_set {
    bool current;      // they are those of a search from `from` to `to`, ...
    double *from, *to; // (3*boundary.n) [m]
    float *freedom;    // (boundary.n) scratch: how far points can move in their boxes [m]
    uint8_t *stale;    // (n_body) ... but for these bodies: the next step has to search for them
    // Those of them that may come near as long as the search serves.
    pl_candidate *candidate; // (n) in the order of pairs
    pl_candidate *more;      // (n_more) those of the last search, in order, ...
    int64_t *place;          // ... and how many of the others came before each
    // How bodies move from there to x0, bodies and points from x0 to x1.
    pl_drift *since, *step; // (n_body)
    pl_shift *moves;        // (boundary.n)
    double rounding;        // what approaches by these lack at most [m]
    double blur;            // what bounds by directions may exceed the computed distance by [m]
    // Those that may come near in this step, or within reach if `wide`, as long as no body drifts
    // farther than `ahead`.
    bool wide;
    pl_near *near;   // (n_near) in order, those behind that were added since
    pl_drift *ahead; // (n_body)
    int64_t listing; // counts these lists
    int64_t n, n_more, n_near, near_capacity, ahead_capacity, candidate_capacity, since_capacity,
        step_capacity, moves_capacity, from_capacity, to_capacity, freedom_capacity, stale_capacity,
        more_capacity, place_capacity, pair_capacity, closest_capacity;
    // Where a device measures: kinds and points, and what it finds.
    int32_t *pair;       // (5*n) scratch
    pl_closest *closest; // (n) scratch
} pl_candidate_set;

void pl_candidates_free(pl_candidate_set *c); // leaves it empty

// Makes room for c->from, c->to and c->stale.
pl_status pl_candidates_reserve(pl_candidate_set *c, const pl_boundary *boundary);

// Makes the search from c->from to c->to once more, whose pairs a run that is resumed needs to go
// on as it did.
pl_status pl_candidates_restore(pl_candidate_set *c, const pl_boundary *boundary);

// Finds the candidates of a step from the boundary's x0 by its guess, and lists the near ones. x1
// is then where the guess leads.
pl_status pl_candidates_find(pl_candidate_set *c, pl_boundary *boundary);

// Lists all that may come within reach on the way from x0 to x1, up to the next step.
pl_status pl_candidates_widen(pl_candidate_set *c, const pl_boundary *boundary);

// Notes how bodies drift from x0 to x1, and lists the near ones anew where that is farther than
// thought.
pl_status pl_candidates_follow(pl_candidate_set *c, const pl_boundary *boundary);

// Adds what the candidates lack for the way from x0 to x1, and those of them that are near to the
// list.
pl_status pl_candidates_extend(pl_candidate_set *c, const pl_boundary *boundary);

// At most this much nearer come the features of a pair on the way from x0 to x1 [m].
double pl_candidates_approach(const pl_candidate_set *c, int kind, const int32_t point[4]);

// The place of a pair among the candidates, -1 if it is none.
int64_t pl_candidates_index(const pl_candidate_set *c, const pl_feature_pair *pair);

// --- Pairs ---

// Where the points of a pair are, by x.
static inline void pl_pair_gather(const int32_t point[4], const double *x, double q[12])
{
    for (int k = 0; k < 4 && point[k] >= 0; k++) {
        memcpy(q + 3 * k, x + 3 * (int64_t)point[k], 3 * sizeof *q);
    }
}

// The features of a candidate.
static inline pl_feature_pair pl_candidate_pair(const pl_candidate *candidate)
{
    return (pl_feature_pair){candidate->kind, candidate->a, candidate->b};
}

// How many points the first feature has.
static inline int pl_pair_first(int kind)
{
    return kind == PL_EDGE_EDGE ? 2 : 1;
}

// The bodies of a pair.
static inline void pl_pair_bodies(const pl_boundary *boundary, const pl_feature_pair *pair,
                                  const int32_t point[4], int32_t *a, int32_t *b)
{
    *a = boundary->body[point[0]];
    *b = boundary->body[point[pl_pair_first(pair->kind)]];
}

// --- Bounds by directions ---

// Sets the direction of a candidate to that of its closest points.
static inline void pl_candidate_turn(pl_candidate *candidate, const double normal[3])
{
    // Off by sqrt(3) / 2 at most, 127 become less than 128.
    for (int k = 0; k < 3; k++) candidate->direction[k] = (int8_t)lrint(127 * normal[k]);
}

// A bound from below of the distance of a candidate [m] whose points are `point`, at x: no more
// than what pl_closest_points finds there.
static inline double pl_candidate_bound(const pl_candidate_set *c, const pl_candidate *candidate,
                                        const int32_t point[4], const double *x)
{
    const int8_t *n = candidate->direction;
    const double by[3] = {n[0] / 128.0, n[1] / 128.0, n[2] / 128.0};
    double first = pl_dot(by, x + 3 * (int64_t)point[0]);
    double second = pl_dot(by, x + 3 * (int64_t)point[1]);
    if (candidate->kind == PL_EDGE_EDGE) {
        first = PL_MIN(first, second);
        second = pl_dot(by, x + 3 * (int64_t)point[2]);
    } else if (candidate->kind >= PL_VERTEX_EDGE) {
        second = PL_MAX(second, pl_dot(by, x + 3 * (int64_t)point[2]));
    }
    if (candidate->kind >= PL_VERTEX_FACE) {
        second = PL_MAX(second, pl_dot(by, x + 3 * (int64_t)point[3]));
    }
    return first - second - c->blur;
}

#endif
