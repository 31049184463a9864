// The surfaces of all bodies, as collision detection sees them. Internal.
//
// What is called a body here moves as one and has one radius and one friction: it is a collider. A
// rigid body of the world that is made of several shapes has one for each, which do not touch each
// other; `owner` says whose it is.
//
// Points are numbered through all bodies, and move in straight lines from the start of a step to
// its end, whatever kind of body they belong to. Where they are, the world says: it fills x0, x1
// and `guess` (world/places.h).

#ifndef PL_BOUNDARY_H
#define PL_BOUNDARY_H

#include "../meshes/geometry.h"
#include "../meshes/mesh.h"
#include "../meshes/skeleton.h"
#include "../solvers/anchor.h"

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

// What moves the points of a body.
typedef enum pl_carrier {
    PL_CARRIER_VERTICES, // each its own block of velocities
    PL_CARRIER_RIGID,    // two blocks: of the centre and of the turning
    PL_CARRIER_PATH,     // nothing that is unknown
} pl_carrier;

// A body as it is described to pl_boundary_create. What it points to is borrowed for that call, but
// for the mesh, which has to stay.
typedef struct pl_boundary_body {
    pl_carrier carrier;
    const pl_mesh *mesh;         // the rest shape
    const pl_skeleton *skeleton; // what of it touches; NULL: its surface
    int32_t owner;               // the body of the world that it is, or is part of
    const int32_t *rank;         // (n_vert) the order that its points get; NULL: that of the mesh
    int32_t block;       // of its first vertex in that order, or of its centre; -1: on a path
    const double *added; // (3*n_vert) where its vertices were when it was added [m]
    bool late;           // it was added later than others
    pl_surface_options surface; // its radius is that of the skeleton too
} pl_boundary_body;

// What friction is between two bodies of the world, whatever their surfaces say.
typedef struct pl_friction_pair {
    int32_t a, b; // owners, a <= b
    double mu;
} pl_friction_pair;

typedef struct pl_boundary_source {
    int32_t n_body;
    const pl_boundary_body *body; // (n_body)
    int64_t n_ignored;
    const int32_t *ignored;  // (2*n_ignored) bodies that pass through each other
    double contact_distance; // that bodies without one of their own keep; 0: the default [m]
    const pl_friction_pair *friction_pair; // (n_friction_pair) in order, each once; it has to stay
    int64_t n_friction_pair;
} pl_boundary_source;

// Two bodies that were added closer than the distance that contacts would keep.
typedef struct pl_close_bodies {
    int32_t a, b;  // a < b
    double safety; // what they keep [m]
} pl_close_bodies;

typedef struct pl_boundary {
    int32_t n, n_body;
    int32_t *body;    // (n) that the point belongs to
    int32_t *owner;   // (n_body) which body of the world each is, or is part of
    int32_t *first;   // (n_body + 1) of each body's points
    int32_t *vertex;  // (n) its block if it has one of its own; else its number in the body's mesh
    int32_t *given;   // (n) its number in the body's mesh, whatever carries it
    double *x0, *x1;  // (3*n) at the start and at the end of a step [m]
    double *guess;    // (3*n) how far it moves by the velocities that are guessed first [m]
    uint8_t *carrier; // (n_body) pl_carrier
    int32_t *block;   // (n_body) that of the centre, -1 if the body is not rigid
    double *centre;   // (3*n_body) of a rigid body, at the start of the step [m]
    double *turn;     // (3*n_body) of a body on a path: how it turns up to x1 [rad]; else 0
    double *friction; // (n_body)
    const pl_friction_pair
        *friction_pair; // (n_friction_pair) the world's, see pl_boundary_friction
    int64_t n_friction_pair;
    double *restitution; // (n_body)
    bool bounces;        // a body has one above 0
    uint8_t *still;      // (n_body) 1: it does not move in this step, nor do pairs of such matter
    int32_t n_face, n_edge;
    int32_t *face;       // (3*n_face)
    const int32_t *edge; // (2*n_edge) the surfaces'
    int32_t *edge_face;  // (2*n_edge) the faces of each edge, -1 for none
    int32_t *first_face; // (n_body + 1) of each body's faces,
    int32_t *first_edge; // (n_body + 1) and edges
    int32_t *fan;        // (n + 1) the faces around point p are fan_face[fan[p]] ...
    int32_t *fan_face;
    int32_t *spoke; // (n + 1) the edges without faces at point p are spoke_edge[spoke[p]] ...
    int32_t *spoke_edge;
    int32_t *bare; // (2*first_bare[n_body]) edges that bodies have besides those of faces, ...
    int32_t *first_bare;
    int32_t *single; // (first_single[n_body]) ... and points
    int32_t *first_single;
    double *size;           // (n_body) h [m]
    double *radius;         // (n_body) [m]
    double *safety;         // (n_body) safety distance [m]
    pl_close_bodies *close; // (n_close) in order, each two once
    int64_t n_close, close_capacity;
    const double **rest;      // (n_body) places of the body's vertices at rest, in its mesh [m]
    double smallest, largest; // h of the bodies that are not kinematic; 0 if all are [m]
    double widest;            // safety distance of these
    pl_surfaces *surfaces;
} pl_boundary;

// All but what needs places: pl_boundary_finish follows, with x0 filled. Only PL_ERROR_MEMORY can
// happen.
pl_status pl_boundary_create(const pl_boundary_source *source, pl_boundary *out);

// The trees of boxes, for the places x0. Fails as pl_surfaces_create does.
pl_status pl_boundary_finish(const pl_boundary_source *source, pl_boundary *boundary);

void pl_boundary_free(pl_boundary *boundary); // leaves it empty

// Body i as collision/ wants it, with this radius. It borrows from the boundary.
pl_collider pl_boundary_collider(const pl_boundary_source *source, const pl_boundary *boundary,
                                 int32_t i, double radius);

// x1 := x0 and `factor` times the guess.
void pl_boundary_extrapolate(pl_boundary *boundary, double factor);

// A point, moved to x if its body is rigid: rows may act on the body at another place.
static inline pl_anchor pl_boundary_anchor(const pl_boundary *boundary, int32_t point,
                                           const double x[3])
{
    int32_t body = boundary->body[point];
    switch ((pl_carrier)boundary->carrier[body]) {
    case PL_CARRIER_VERTICES:
        return pl_anchor_vertex(boundary->vertex[point]);
    case PL_CARRIER_RIGID:
        return pl_anchor_rigid(boundary->block[body], boundary->centre + 3 * (int64_t)body, x);
    case PL_CARRIER_PATH:
        break;
    }
    return pl_anchor_world();
}

// Is the motion of a point given? prescribed (n_block; may be NULL): blocks whose velocity is.
static inline bool pl_boundary_is_given(const pl_boundary *boundary, const uint8_t *prescribed,
                                        int32_t point)
{
    pl_carrier carrier = (pl_carrier)boundary->carrier[boundary->body[point]];
    if (carrier == PL_CARRIER_PATH) return true;
    if (prescribed == NULL) return false;
    return prescribed[carrier == PL_CARRIER_RIGID ? boundary->block[boundary->body[point]]
                                                  : boundary->vertex[point]] != 0;
}

// Coulomb's coefficient between two bodies: that of their owners, if these have one, or else the
// geometric mean of both surfaces.
double pl_boundary_friction(const pl_boundary *boundary, int32_t a, int32_t b);

// The place of a pair of owners, a <= b, among n in order, or where it would be.
int64_t pl_friction_pair_place(int64_t n, const pl_friction_pair *pair, int32_t a, int32_t b);

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
