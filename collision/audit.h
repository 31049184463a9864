// What the files of the audit share. Internal.
//
// The audit judges the rest of this room, so that it has no code in common with it: it stands on
// the exact predicates and the search for pairs of meshes/, and measures distances by itself.

#ifndef PL_AUDIT_H
#define PL_AUDIT_H

#include "../meshes/pairs.h"

// What the part that a face belongs to encloses. A face adds up its edges: +1 along an edge, -1
// against it. If they cancel over a part, the surface winds around points a whole number of times;
// if they cancel only modulo 2, it still divides space in two.
typedef enum pl_part_kind { PL_PART_OPEN, PL_PART_EVEN, PL_PART_ORIENTED } pl_part_kind;

// A vertex that stands for a connected part of its body.
typedef struct pl_probe {
    int32_t vertex, body;
} pl_probe;

// A face, an edge or a point of a body, where bodies have a radius.
typedef struct pl_audit_element {
    int32_t n;         // corners
    int32_t vertex[3]; // the last one repeated
    int32_t body, index;
    double radius; // [m]
} pl_audit_element;

typedef struct pl_audit_round {
    int32_t n;                 // 0 if no body has a radius
    pl_audit_element *element; // (n) of all bodies
    pl_tree tree;              // over them
    pl_tree_centre *centre;    // (n) scratch
    double largest;            // coordinate
    pl_audit_pair *pair;       // (n_pair) what was found
    int64_t n_pair, pair_capacity;
    bool more; // there are more than PL_INTERSECTIONS_MAX
} pl_audit_round;

struct pl_audit {
    pl_mesh *mesh; // the faces of all bodies, one body after the other, where they are now
    int32_t n_body;
    int32_t *body;       // (n_face) of each face
    int32_t *first_face; // (n_body + 1)
    pl_pairs pairs;
    uint64_t *excluded; // (n_excluded) pairs of bodies, a <= b: a * 2^32 + b; ascending
    int64_t n_excluded;
    pl_pair_filter *filter; // NULL, or what else is not held against each other
    const void *user;       // of the filter
    bool distance;
    int32_t threads;
    pl_audit_pair nearest; // at the last run, -1 if there was none
    uint8_t *kind;         // (n_face) pl_part_kind
    bool *closed;          // (n_body) has a part that is not open
    int32_t n_closed;      // bodies that have
    pl_probe *probe;       // (n_probe)
    int64_t n_probe, probe_capacity;
    pl_audit_pair *meeting; // what was found
    int64_t meeting_capacity;
    pl_audit_inside *inside;
    int64_t n_inside, inside_capacity;
    bool more_inside;
    pl_audit_round round;
};

// Excludes also the pairs of bodies that `filter` says, where a list of them would be too long:
// some rule that many bodies follow. `user` is to live as long as the audit.
void pl_audit_exclude(pl_audit *audit, pl_pair_filter *filter, const void *user);

// Finds the parts of all bodies: sets kind, closed, n_closed and the probes.
pl_status pl_audit_find_parts(pl_audit *audit);

// Finds the probes inside of bodies: sets `inside`, n_inside and more_inside (there are more than
// PL_INTERSECTIONS_MAX). Only PL_ERROR_MEMORY can happen.
pl_status pl_audit_find_inside(pl_audit *audit);

// Has a body a radius, or elements other than faces? What these need; and the pairs of elements of
// different bodies that are within the sum of their radii, which are 0 for none.
bool pl_audit_is_round(int32_t n_body, const pl_audit_body *body);
pl_status pl_audit_round_build(int32_t n_body, const pl_audit_body *body, pl_audit_round *out);
void pl_audit_round_free(pl_audit_round *round);
pl_status pl_audit_find_round(pl_audit *audit);

// After that: the smallest distance of elements of different bodies, less their radii, and who has
// it; of several, the first.
double pl_audit_round_gap(const pl_audit *audit, pl_audit_pair *nearest);

// By bodies, then by elements.
int pl_audit_pair_compare(const pl_audit_pair *a, const pl_audit_pair *b);

// The square of the distance of two triangles that do not cross, which may be segments or points
// with corners repeated. Their coordinates are to be of the size of the two.
double pl_audit_square(const double a[3][3], const double b[3][3]);

// Finds the two faces of different bodies that are nearest to each other. Returns their distance,
// INFINITY if there are none.
double pl_audit_measure(const pl_audit *audit, pl_audit_pair *nearest);

static inline pl_audit_pair pl_audit_pair_of(const pl_audit *audit, int32_t f, int32_t g)
{
    int32_t a = audit->body[f], b = audit->body[g];
    return (pl_audit_pair){{a, b}, {f - audit->first_face[a], g - audit->first_face[b]}};
}

#endif
