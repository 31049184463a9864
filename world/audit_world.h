// The audit of a world: the exact test of collision/audit.c on the surfaces of its bodies.
// Internal.

#ifndef PL_AUDIT_WORLD_H
#define PL_AUDIT_WORLD_H

#include "world.h"

// Made for the bodies that a world has, by the first audit; a world begins with NULL.
typedef struct pl_auditor pl_auditor;

void pl_auditor_destroy(pl_auditor *auditor); // NULL is fine

// PL_ERROR_GEOMETRY if bodies intersect where they are now, with the first place where.
pl_status pl_world_check_apart(pl_world *world);

#endif
