// A fine surface that is carried by the mesh of a body: what is drawn in place of the body's own
// surface, while the body is simulated by few tets. Only what draws needs it, so that it lives with
// the command.
//
// A soft body carries each vertex of the surface by one tet: x = sum w_i x_i over its corners,
// where the weights are the barycentric coordinates of the vertex at rest. The sum is exact for
// every affine motion, and continuous wherever the tets are, but its gradient jumps from tet to
// tet.
//
// A vertex outside of the mesh belongs to the tet that is nearest to it; some of its weights are
// then negative, and the motion of the tet goes on linearly beyond its faces. So a vertex that
// sticks out by d follows turns and stretches of that tet with the lever d; neighbours that belong
// to different tets come apart by d times the difference of their gradients; and a tet that is
// turned inside out turns the surface outside of it, too. This is good for the small distances
// between a scan and its decimated copy. Far outside it means nothing, and is an error.
//
// A rigid body carries all vertices by a frame of three vertices of its own, so that they keep
// their distances however far they stick out.

#ifndef PL_EMBEDDING_H
#define PL_EMBEDDING_H

#include "../../base/base.h"

typedef struct pl_embedding {
    pl_mesh *surface; // the fine surface at rest
    int32_t n;        // its vertices
    int32_t *corner;  // (4*n) vertices of the carrier: of a tet; or of a face, the first twice
    double *weight;   // (3*n) of all corners but the first, which has what they lack to 1
    bool rigid;
    int32_t frame[3]; // rigid: three vertices of the carrier that span a plane
    double *local;    // (3*n) rigid: places in their frame [m]; else NULL
} pl_embedding;

// Ties the surface of `fine` (see pl_mesh_surface) to `carrier`, both at rest and in the same
// place. Fails with PL_ERROR_GEOMETRY if `fine` has no faces, if a carrier that is soft has no tets
// (flat ones do not count) or one that is rigid no faces, or if a vertex is too far outside of a
// soft carrier. The same bits for any number of threads.
pl_status pl_embedding_create(const pl_mesh *carrier, bool rigid, const pl_mesh *fine,
                              pl_embedding **out);
void pl_embedding_destroy(pl_embedding *embedding);

// Where the surface is, out (3*n), when the vertices of the carrier are at x.
void pl_embedding_move(const pl_embedding *embedding, const double *x, double *out);

// Numbers that the vertices of the carrier have, on the surface: out (n). They are interpolated,
// never extrapolated: outside, negative weights are cut off, so that no stress becomes negative.
void pl_embedding_scalar(const pl_embedding *embedding, const double *value, double *out);

#endif
