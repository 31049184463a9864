// A closed manifold surface under change, kept free of self-intersection. Internal.
//
// Every change is a patch: some faces, all of which touch each other, give way to others, and at
// most one vertex moves. A patch is tried against limits of shape and, exactly, against all other
// faces; only a patch that fits may be applied.

#ifndef PL_SKIN_H
#define PL_SKIN_H

#include "mesh.h"
#include "tree.h"

// No patch has more faces; a vertex with more is left alone until its neighbours have gone.
enum { PL_PATCH_FACES = 48 };

typedef struct pl_skin {
    int32_t n_vert, n_face; // slots, alive or not
    int32_t n_alive;        // faces alive
    double scale;           // a power of two that brings half the extent to between 1/2 and 1
    double *x;              // (3*n_vert)
    int32_t *face;          // (3*n_face), -1 for a face that is gone
    int32_t *first;         // (n_vert) a corner (3 f + k) at the vertex, -1 if it is gone
    int32_t *next, *prev; // (3*n_face) the corners after and before at the same vertex, -1 if none
    int32_t *valence;     // (n_vert) how many corners
    uint32_t *mark;       // (n_face) == stamp: belongs to the patch on trial
    uint32_t stamp;
    pl_tree tree; // over the faces
} pl_skin;

typedef struct pl_patch {
    int32_t n_old, old[PL_PATCH_FACES]; // the faces that go
    int32_t n_new;                      // <= n_old; the new face i takes the place of old[i]
    int32_t corner[3 * PL_PATCH_FACES]; // (3*n_new)
    int32_t vertex;                     // moves to `at`, or -1
    double at[3];
} pl_patch;

// What the new faces must keep to.
typedef struct pl_patch_limits {
    double quality; // at least this, or no worse than the worst one replaced. 4 sqrt(3) area / sum
                    // of squared edges: 1 for an equilateral face, 0 for a flat one
    double turn;    // the cosine between the normals of a new face and of the one it replaces
    double fold;    // the cosine between the normals of two neighbours
} pl_patch_limits;

// Takes the faces of a closed manifold surface without self-intersection.
pl_status pl_skin_create(const pl_mesh *surface, pl_skin *out);
void pl_skin_free(pl_skin *skin);

// What is left, numbered without gaps in the old order.
pl_status pl_skin_mesh(const pl_skin *skin, pl_mesh **out);

// The faces around a vertex into list (PL_PATCH_FACES); returns how many, or -1 if too many.
int32_t pl_skin_star(const pl_skin *skin, int32_t vertex, int32_t *list);

// The worst quality among the faces that go; among the new ones (with the vertex moved).
double pl_patch_old_quality(const pl_skin *skin, const pl_patch *patch);
double pl_patch_new_quality(const pl_skin *skin, const pl_patch *patch);

bool pl_patch_fits(pl_skin *skin, const pl_patch *patch, const pl_patch_limits *limits);
void pl_patch_apply(pl_skin *skin, const pl_patch *patch);

#endif
