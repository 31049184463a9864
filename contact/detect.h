// Which pairs of features get a row, and the proof that a step hits nothing. Internal.

#ifndef PL_DETECT_H
#define PL_DETECT_H

#include "contacts.h"

typedef struct pl_detection {
    pl_candidates candidates;
    double *distance; // (n) at the start of the step, of every candidate [m]
    uint8_t *flag;    // (n) scratch
    int64_t n, distance_capacity, flag_capacity;
} pl_detection;

void pl_detection_free(pl_detection *d);

// Finds the candidates of a step whose first guess is the velocities v, and adds a row for each
// pair that may touch in it.
pl_status pl_detect_start(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                          const double *v, double dt, double t, pl_contacts *contacts);

// Tests the whole way from boundary->x0 to boundary->x1 continuously. Adds a row for each pair that
// comes too near, at the place of its impact; *hits says how many. With none, the way is free.
pl_status pl_detect_hits(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                         pl_contacts *contacts, int32_t *hits);

// The smallest distance between surfaces at the end of the step, less their radii [m]; INFINITY if
// nothing is near.
double pl_detect_gap(const pl_detection *d, const pl_boundary *boundary);

#endif
