// Which tet lies on the other side of a face. Internal.

#ifndef PL_NEIGHBOURS_H
#define PL_NEIGHBOURS_H

#include "mesh.h"

// The face opposite to corner k of a positive tet, outward.
extern const int pl_tet_face[4][3];

// A triangle under its corners in ascending order. Place: of a face of a tet, 4 * tet + k, opposite
// to corner k; of a face of a surface, its index.
typedef struct pl_facet {
    int32_t v[3];
    int32_t place;
} pl_facet;

pl_facet pl_facet_at(const int32_t *tet, int32_t place);

// Negative, 0 or positive, as f comes before g, has the same corners or comes after it.
static inline int pl_facet_compare(const pl_facet *f, const pl_facet *g)
{
    for (int k = 0; k < 3; k++) {
        if (f->v[k] != g->v[k]) return f->v[k] < g->v[k] ? -1 : 1;
    }
    return 0;
}

// The faces of all tets (4*n_tet), or those of a surface (n_face), sorted by their corners, then by
// place: those with the same corners stand together. *out is allocated, owned by the caller. The
// time is linear, however many share a vertex. Only PL_ERROR_MEMORY can happen.
pl_status pl_facets_of_tets(int32_t n_vert, int32_t n_tet, const int32_t *tet, pl_facet **out);
pl_status pl_facets_of_faces(int32_t n_vert, int32_t n_face, const int32_t *face, pl_facet **out);

// across (n): for every place the one on the other side, -1 outside. `facet` (n) is sorted. Fails
// with PL_ERROR_GEOMETRY if more than two have the same corners; `across` is complete even then:
// the third and those after it have the first on their other side.
pl_status pl_facets_pair(const pl_facet *facet, int32_t n, int32_t *across);

// Both for tets: across (4*n_tet, owned by the caller). Fails in the same way, or with
// PL_ERROR_MEMORY.
pl_status pl_tet_neighbours(int32_t n_vert, int32_t n_tet, const int32_t *tet, int32_t *across);

// The triangles that belong to exactly one tet, outward: *face (3*n) allocated, owned by the
// caller, sorted by tet and local face.
pl_status pl_tet_boundary(int32_t n_vert, int32_t n_tet, const int32_t *tet, int32_t **face,
                          int32_t *n_face);

#endif
