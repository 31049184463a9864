// The surfaces of all bodies, as collision detection sees them. Internal.
//
// Points are numbered through all bodies, and move in straight lines from the start of a step to
// its end, whatever kind of body they belong to.

#ifndef PL_BOUNDARY_H
#define PL_BOUNDARY_H

#include "world.h"

// How near is near, as parts of h, the mean length of the edges of a body's surface; between two
// bodies the smaller h counts.
//
// Contacts keep bodies a safety distance apart: below it a step would have to be solved to more
// digits to stay free of penetration. Ten times less cost 40 % more rounds. This is the default,
// for bodies with room for it (clearance.h).
static const double PL_SAFETY = 0.003;
// What is no farther than so many times the safety distance is near, or within reach. What comes
// near gets a row; what is within reach does where an impact goes on from body to body.
static const double PL_NEAR = 1.5, PL_REACH = 8;
// Distances below this part of h are not told apart: solvers could not resolve them.
static const double PL_RESOLVED = 3e-8;

// Two bodies that were added closer than the distance that contacts would keep.
typedef struct pl_close_bodies {
    int32_t a, b;  // a < b
    double safety; // what they keep [m]
} pl_close_bodies;

typedef struct pl_boundary {
    int32_t n, n_body;
    int32_t *body;   // (n) that the point belongs to
    int32_t *first;  // (n_body + 1) of each body's points
    int32_t *vertex; // (n) deformable: in the world's arrays; else in the body's mesh
    int32_t *given;  // (n) in the body's mesh, of any kind
    double *x0, *x1; // (3*n) at the start and at the end of a step [m]
    int32_t n_face, n_edge;
    int32_t *face;       // (3*n_face)
    const int32_t *edge; // (2*n_edge) the surfaces'
    int32_t *edge_face;  // (2*n_edge) the faces of each edge, -1 for none
    int32_t *first_face; // (n_body + 1) of each body's faces,
    int32_t *first_edge; // (n_body + 1) and edges
    int32_t *fan;        // (n + 1) the faces around point p are fan_face[fan[p]] ...
    int32_t *fan_face;
    double *size;           // (n_body) h [m]
    double *radius;         // (n_body) [m]
    double *safety;         // (n_body) safety distance [m]
    pl_close_bodies *close; // (n_close) in order, each two once
    int64_t n_close, close_capacity;
    const double **rest;      // (n_body) places of the body's vertices at rest, in its mesh [m]
    double smallest, largest; // h of the bodies that are not kinematic; 0 if all are [m]
    double widest;            // safety distance of these
    pl_rigid *end;            // (n_rigid) scratch: rigid bodies at the end of the step
    pl_surfaces *surfaces;
} pl_boundary;

// Of a world whose bodies are all there. Only PL_ERROR_MEMORY, or what pl_surfaces_create says, can
// happen.
pl_status pl_boundary_create(const pl_world *world, pl_boundary *out);
void pl_boundary_free(pl_boundary *boundary); // leaves it empty

// x0 := where the points are.
void pl_boundary_start(pl_boundary *boundary, const pl_world *world);

// x1 := where they are `dt` later, at the time t, if the unknowns have the velocities v
// (3*n_block): bit for bit where the world puts them.
void pl_boundary_end(pl_boundary *boundary, const pl_world *world, const double *v, double dt,
                     double t);

// x1 := x0 plus `factor` times the motion of the next `dt`, up to the time t, in a straight line.
void pl_boundary_extrapolate(pl_boundary *boundary, const pl_world *world, const double *v,
                             double dt, double t, double factor);

// The velocity that a point has by the unknowns, in a straight line; of a rigid body that at the
// place x. 0 for kinematic bodies.
void pl_boundary_velocity(const pl_boundary *boundary, const pl_world *world, int32_t point,
                          const double x[3], const double *v, double out[3]);

// The distance that two bodies keep because they were added so close [m]; INFINITY if they were
// not.
double pl_boundary_close_safety(const pl_boundary *boundary, int32_t a, int32_t b);

// Between two bodies [m]: the distance at which contacts hold them apart, in which their radii are
// contained; and the safety distance that it contains.
static inline double pl_boundary_safety(const pl_boundary *boundary, int32_t a, int32_t b)
{
    double safety = PL_MIN(boundary->safety[a], boundary->safety[b]);
    if (boundary->n_close == 0 || a == b) return safety;
    return PL_MIN(safety, pl_boundary_close_safety(boundary, a, b));
}

static inline double pl_boundary_radii(const pl_boundary *boundary, int32_t a, int32_t b)
{
    return boundary->radius[a] + boundary->radius[b];
}

// The distance of what is near, and of what is within reach, whatever moves [m].
static inline double pl_boundary_near(const pl_boundary *boundary, int32_t a, int32_t b)
{
    return pl_boundary_radii(boundary, a, b) + PL_NEAR * pl_boundary_safety(boundary, a, b);
}

static inline double pl_boundary_reach(const pl_boundary *boundary, int32_t a, int32_t b)
{
    return pl_boundary_radii(boundary, a, b) + PL_REACH * pl_boundary_safety(boundary, a, b);
}

#endif
