// Candidates: pairs of features that may come near. They are searched for the motion of several
// steps, body by body, and serve as long as the points of a body stay within what was searched.
// Internal.

#ifndef PL_CANDIDATES_H
#define PL_CANDIDATES_H

#include "contacts.h"

#include <string.h>

// Bounds of distances are taken a little lower than they are computed, which rounding may need.
static const double PL_BOUND_SLACK = 1e-9;

// How the points of a body move: by their mean motion, and no farther from that.
typedef struct pl_drift {
    double mean[3], most; // [m]
} pl_drift;

// How a point moves, in single precision [m]; the last is 0.
typedef float pl_shift __attribute__((vector_size(4 * sizeof(float))));

typedef struct pl_candidate_set {
    bool current;      // they are those of a search from `from` to `to`, ...
    double *from, *to; // (3*boundary.n) [m]
    uint8_t *stale;    // (n_body) ... but for these bodies: the next step has to search for them
    // Those of them that may come near as long as the search serves.
    pl_feature_pair *pair;     // (n) in order
    float *distance;           // (n) at `from`, or less; negative if it is not known yet [m]
    pl_feature_pair *new_pair; // scratch, like these two
    float *new_distance;
    // How bodies and points move from there to x0, and from x0 to x1.
    pl_drift *since, *step;  // (n_body)
    pl_shift *moved, *moves; // (boundary.n)
    double rounding;         // what approaches by these lack at most [m]
    // Those that may come near in this step, as long as no body drifts farther than `ahead`.
    int32_t *near;   // (n_near) places in `pair`, ascending
    pl_drift *ahead; // (n_body)
    int64_t listing; // counts these lists
    uint8_t *flag;   // (n) scratch, for detection too
    int64_t n, n_near, near_capacity, ahead_capacity, pair_capacity, since_capacity, step_capacity,
        moved_capacity, moves_capacity, from_capacity, distance_capacity, to_capacity,
        flag_capacity, stale_capacity, new_pair_capacity, new_distance_capacity;
} pl_candidate_set;

void pl_candidates_free(pl_candidate_set *c); // leaves it empty

// Makes room for c->from, c->to and c->stale.
pl_status pl_candidates_reserve(pl_candidate_set *c, const pl_boundary *boundary);

// Makes the search from c->from to c->to once more, whose pairs a run that is resumed needs to go
// on as it did.
pl_status pl_candidates_restore(pl_candidate_set *c, const pl_boundary *boundary);

// Finds the candidates of a step whose first guess is the velocities v, and lists the near ones.
pl_status pl_candidates_find(pl_candidate_set *c, const pl_world *world, pl_boundary *boundary,
                             const double *v, double dt, double t);

// Notes how bodies drift from x0 to x1, and lists more as near where that is farther than thought.
void pl_candidates_follow(pl_candidate_set *c, const pl_boundary *boundary);

// Adds what the candidates lack for the way from x0 to x1. *same if nothing.
pl_status pl_candidates_extend(pl_candidate_set *c, const pl_boundary *boundary, bool *same);

// A bound from below of the distance of candidate i at x0 [m], whose points are `point`: what it
// was when it was searched, less the approach since. Two threads may ask at once for different i
// only.
double pl_candidates_distance(pl_candidate_set *c, int64_t i, const int32_t point[4]);

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

#endif
