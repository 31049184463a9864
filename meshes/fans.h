// Vertices with very many faces, as in the cap of a cylinder. Internal.
//
// The boxes of all faces around such a hub overlap, so that a tree of boxes would hand out all of
// their pairs. Seen from the hub, though, each of them is a short arc on the sphere of directions,
// and two of them meet elsewhere than in the hub only if their arcs do: with a point, a face around
// the hub holds the whole segment from the hub to it. Likewise, a face that does not hold the hub
// meets one that does only if it covers a direction of that one's arc. So each hub has a tree over
// the boxes of its arcs.

#ifndef PL_FANS_H
#define PL_FANS_H

#include "mesh.h"
#include "tree.h"

typedef struct pl_fan {
    int32_t hub;         // the vertex
    int32_t n;           // faces
    const int32_t *face; // (n) ascending, inside of pl_fans.face
    pl_box bounds;       // around the faces
    pl_tree tree;        // over the arcs
} pl_fan;

typedef struct pl_fans {
    const pl_mesh *mesh;
    int32_t n;
    pl_fan *fan;            // (n) ascending by hub
    int32_t *of;            // (n_face) the fan that a face belongs to, -1 if none
    int32_t *face;          // the faces of all fans, one fan after the other
    pl_box *arc;            // (faces of the largest fan) room for its arcs
    pl_tree_centre *centre; // (the same) and their centres
    uint32_t *seen;         // (n_face) the last search that found a face
    uint32_t searches;
} pl_fans;

// Finds the hubs of `mesh`, which must outlive the fans. A face with several belongs to the one
// with the most faces. Faces with skip[f] (n_face) belong to none.
pl_status pl_fans_build(const pl_mesh *mesh, const bool *skip, pl_fans *out);
// Measures the arcs where the vertices are now: before the first search and when they have moved.
void pl_fans_fit(pl_fans *fans);
void pl_fans_free(pl_fans *fans);

// Visits, once each, the faces of fan k that may meet the face of the three corners elsewhere than
// in the hub: all that do are among them. Returns false if a visit ended it.
bool pl_fan_search(pl_fans *fans, int32_t k, const int32_t corner[3], pl_tree_visit *visit,
                   void *user);

#endif
