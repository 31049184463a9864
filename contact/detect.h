// Which pairs of features get a row, and the proof that a step hits nothing. Internal.

#ifndef PL_DETECT_H
#define PL_DETECT_H

#include "row_index.h"

// A near pair at the start of a step, where it is if it gets a row.
typedef struct pl_start {
    pl_feature_pair pair;
    int32_t flag; // what becomes of it: see detect.c
    pl_closest closest;
    double gap; // [m]
} pl_start;

// A pair that came too near.
typedef struct pl_hit {
    pl_feature_pair pair;
    pl_impact impact;
    int64_t order; // among the hits, as they were found
    bool missed;   // it was within reach, and its bodies have no row
} pl_hit;

// What is known of a near pair's distance in a step.
typedef struct pl_distance_bound {
    double start; // at x0, or less where it is not `exact` [m]
    float end;    // at x1, or less [m]
    bool exact;
} pl_distance_bound;

// What is measured and tested of near pairs in one go, see batch.h.
typedef struct pl_batch {
    int32_t *pair;       // (5*n) kinds and points; scratch
    int32_t *place;      // (candidates.n_near) of a near pair among these, -1: it has none
    pl_closest *closest; // (n_closest) at the start of the step; -1: they are not known
    struct pl_tested_pair *tested;
    int32_t *near; // (n_hit) which near pairs get hit
    uint8_t *hit;
    int64_t n_closest, n_hit, pair_capacity, place_capacity, closest_capacity, tested_capacity,
        near_capacity, hit_capacity;
} pl_batch;

typedef struct pl_detection {
    pl_candidate_set candidates;
    uint8_t *flag; // (candidates.n) what becomes of each: see detect.c
    int64_t flag_capacity;
    pl_distance_bound *bound;        // (candidates.n_near) ...
    int64_t bound_capacity, listing; // ... of this list
    pl_start *start;                 // scratch: some of them
    int64_t start_capacity;
    pl_hit *hit; // (n_hit) of the last way, by time
    int64_t n_hit, hit_capacity;
    pl_row_index index; // scratch of hits.c
    pl_batch batch;     // where a device measures and tests
} pl_detection;

void pl_detection_free(pl_detection *d);

// Finds the candidates of a step from the boundary's x0 by its guess, and adds a row for each pair
// that may touch in the step.
pl_status pl_detect_start(pl_detection *d, pl_boundary *boundary, pl_contacts *contacts);

// How much room the points of a pair have at the start of the step along the normal of `closest`
// (which is first set upright if `upright`), before they are closer than the safety distance [m].
double pl_detect_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                      pl_closest *closest, pl_spacing *spacing);

// The same for rows, which keep crossings less far apart.
double pl_detect_row_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                          pl_closest *closest, pl_spacing *spacing);

// Does the pair, whose closest points at x0 are given, want a row once an impact goes on from body
// to body?
bool pl_detect_is_reached(const pl_boundary *boundary, const pl_contact_pair *p,
                          const pl_closest *closest);

// How much room a row leaves in the step under way, of a pair that has `room` at its start, keeps
// the safety distance and has features that come nearer by at most `by` on the way of the first
// guess [m]: never less than what standing still takes, but for a small part of what solvers may
// leave undone.
double pl_detect_ask(const pl_contacts *contacts, double room, double safety, double by);

// How much nearer the features of a near pair come at most, which are `distance` apart, or more, at
// x0 [m], if that is near; if not, negative.
double pl_detect_approach(const pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                          double distance);

// The distance at which a near pair counts as hit, if it may come so near; if not, negative [m].
double pl_detect_reaches(pl_candidate_set *c, const pl_boundary *boundary, const pl_near *at,
                         pl_distance_bound *bound);

// The radii that the continuous test is to know: none of features of one body [m].
double pl_detect_radii(const pl_boundary *boundary, const struct pl_contact_pair *p,
                       double separation);

// Tests the whole way from boundary->x0 to boundary->x1 continuously, for all candidates.
pl_status pl_detect_way(pl_detection *d, pl_boundary *boundary);

// After that: the first candidate from *next on that came too near, and where; *next is then the
// one behind it. False if there is none.
bool pl_detect_next_hit(const pl_detection *d, const pl_boundary *boundary, int64_t *next,
                        pl_feature_pair *pair, pl_impact *impact);

// Tests the way as above. Adds rows for the pairs that come too near (hits.h); *hits says how many
// do. With none, the way is free. If one of them was within reach, of bodies without rows, all that
// is gets rows, where it is now.
pl_status pl_detect_hits(pl_detection *d, pl_boundary *boundary, pl_contacts *contacts,
                         int32_t *hits);

// The smallest distance between surfaces at the end of the step, less their radii [m]; INFINITY if
// nothing is near. After the way was tested.
double pl_detect_gap(const pl_detection *d, const pl_boundary *boundary);

#endif
