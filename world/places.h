// Where the points of surfaces are, for contact/: the world fills its arrays. Internal.

#ifndef PL_PLACES_H
#define PL_PLACES_H

#include "../contact/boundary.h"
#include "world.h"

// The bodies of a world as contact/ wants them described; free it after use.
typedef struct pl_places_source {
    pl_boundary_source source;
    pl_boundary_body *body;
    double *added;    // positions of all kinematic bodies when they were added [m]
    int64_t *first;   // (bodies + 1) of each body's colliders
    int32_t *ignored; // pairs of colliders
} pl_places_source;

// How many colliders the body in a place has, and how many those before it.
int32_t pl_places_colliders(const pl_world *world, int64_t place);
int64_t pl_places_count(const pl_world *world, int64_t place);

pl_status pl_places_describe(const pl_world *world, pl_places_source *out);
void pl_places_source_free(pl_places_source *source);

// x0 := where the points are; the same for the centres of rigid bodies.
void pl_places_start(const pl_world *world, pl_boundary *boundary);

// guess := how far they move in the next `dt`, up to the time t, in a straight line, if the
// unknowns have the velocities v (3*n_block).
void pl_places_guess(const pl_world *world, const double *v, double dt, double t,
                     pl_boundary *boundary);

// world->system.rigid_end := the rigid bodies at the end of the step, with the velocities v.
void pl_places_move_rigid(const pl_world *world, const double *v);

// x1 := where they are then: bit for bit where the world puts them.
void pl_places_end(const pl_world *world, const double *v, double dt, double t,
                   pl_boundary *boundary);

#endif
