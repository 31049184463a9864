// The audit of a world: collision/'s proof, on the surfaces that its bodies have. Internal.

#ifndef PL_AUDIT_WORLD_H
#define PL_AUDIT_WORLD_H

#include "world.h"

// Made for the bodies that a world has, by the first audit; a world begins with NULL.
typedef struct pl_auditor pl_auditor;

void pl_auditor_destroy(pl_auditor *auditor); // NULL is fine

// Gives back what audits of the world keep for the next; reports are no longer valid.
void pl_world_end_audits(pl_world *world);

// PL_ERROR_GEOMETRY if bodies intersect where they are now, with the first place where.
pl_status pl_world_check_apart(pl_world *world);

// The smallest distance between two bodies that may touch, where they are now, less twice the
// largest radius [m]; INFINITY if no two may, 0 if bodies intersect.
pl_status pl_world_measure_gap(const pl_world *world, double *gap);

#endif
