// Which tet lies on the other side of a face. Internal.

#ifndef PL_NEIGHBOURS_H
#define PL_NEIGHBOURS_H

#include "mesh.h"

// The face opposite to corner k of a positive tet, outward.
extern const int pl_tet_face[4][3];

// A face of a tet: its corners in ascending order, and its place 4 * tet + k, opposite to corner k.
typedef struct pl_facet {
    int32_t v[3];
    int32_t place;
} pl_facet;

pl_facet pl_facet_at(const int32_t *tet, int32_t place);

static inline bool pl_facet_equal(const pl_facet *f, const pl_facet *g)
{
    return f->v[0] == g->v[0] && f->v[1] == g->v[1] && f->v[2] == g->v[2];
}

// across (4*n_tet, owned by the caller): for every place the one on the other side, -1 outside.
// Fails with PL_ERROR_GEOMETRY if a face belongs to three tets, PL_ERROR_MEMORY.
pl_status pl_tet_neighbours(int32_t n_vert, int32_t n_tet, const int32_t *tet, int32_t *across);

#endif
