// Which pairs of features get a row, and the proof that a step hits nothing. Internal.

#ifndef PL_DETECT_H
#define PL_DETECT_H

#include "boxes.h"

// A pair that came too near.
typedef struct pl_hit {
    pl_feature_pair pair;
    pl_impact impact;
} pl_hit;

// How the points of a body move: by their mean motion, and no farther from that.
typedef struct pl_drift {
    double mean[3], most; // [m]
} pl_drift;

typedef struct pl_detection {
    // Candidates are searched for the motion of several steps, and serve as long as points stay
    // within what was searched.
    pl_candidates candidates;
    int64_t n_candidate;
    bool current;      // the candidates are those of a search from `from` to `to`, and nothing else
    double *from, *to; // (3*boundary.n) [m]
    // Those of them that may come near as long as the search serves.
    pl_feature_pair *pair; // (n)
    float *distance;       // (n) at `from`, or less; negative if it is not known yet [m]
    pl_drift *since;       // (n_body) from there to x0
    pl_drift *step;        // (n_body) from x0 to x1
    // Those that may come near in this step, as long as no body drifts farther than `ahead`.
    int32_t *near;   // (n_near) places in `pair`, ascending
    pl_drift *ahead; // (n_body)
    pl_boxes boxes;
    uint8_t *flag; // (n) scratch
    pl_hit *hit;   // (n_hit) of the last way, by time
    int64_t n, n_near, near_capacity, ahead_capacity, pair_capacity, since_capacity, step_capacity,
        from_capacity, distance_capacity, to_capacity, flag_capacity, n_hit, hit_capacity;
} pl_detection;

void pl_detection_free(pl_detection *d);

// Makes room for d->from and d->to.
pl_status pl_detect_reserve(pl_detection *d, const pl_boundary *boundary);

// Makes the search from d->from to d->to once more, whose pairs a run that is resumed needs to go
// on as it did.
pl_status pl_detect_restore(pl_detection *d, const pl_boundary *boundary);

// Finds the candidates of a step whose first guess is the velocities v.
pl_status pl_detect_candidates(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                               const double *v, double dt, double t);

// The same, and adds a row for each pair that may touch in the step.
pl_status pl_detect_start(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                          const double *v, double dt, double t, pl_contacts *contacts);

// How much room the points of a pair have at the start of the step along the normal of `closest`
// (which is first set upright if `upright`), before they are closer than the safety distance [m].
double pl_detect_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                      pl_closest *closest, double *safety);

// What of the room a pair is to get back in one step of dt, if it starts without [m].
double pl_detect_soften(double room, double dt);

// Tests the whole way from boundary->x0 to boundary->x1 continuously, for all candidates.
pl_status pl_detect_way(pl_detection *d, pl_boundary *boundary);

// After that: did candidate i (of d->n) come too near? If so, where.
bool pl_detect_hit(pl_detection *d, const pl_boundary *boundary, int64_t i, pl_feature_pair *pair,
                   pl_impact *impact);

// What a hit may ask for [m]: no more than the safety distance, in a whole step.
double pl_detect_clamp(double room, double safety, const pl_world *world);

// Tests the way as above. Adds rows for the pairs that come too near, at the places of their
// impacts; *hits says how many do. With none, the way is free. A hit that contradicts an earlier
// one gets no row: what runs into a surface comes out of it from the inside.
pl_status pl_detect_hits(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                         pl_contacts *contacts, int32_t *hits);

// *gap := the smallest distance between surfaces at the end of the step, less their radii [m];
// INFINITY if nothing is near.
pl_status pl_detect_gap(pl_detection *d, const pl_boundary *boundary, double *gap);

#endif
