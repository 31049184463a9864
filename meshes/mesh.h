// The mesh behind pl_mesh, and what the files of this room share. Internal.

#ifndef PL_MESH_H
#define PL_MESH_H

#include "../base/base.h"

struct pl_mesh {
    int32_t n_vert, n_face, n_tet;
    double *x;               // positions (3*n_vert) [m]
    int32_t *face;           // triangles (3*n_face), counter-clockwise from outside
    int32_t *tet;            // tetrahedra (4*n_tet), (b-a) x (c-a) . (d-a) > 0
    int32_t n_edge, n_point; // loose ones; their arrays may be NULL if there are none
    int32_t *edge;           // (2*n_edge)
    int32_t *point;          // (n_point)
};

// A mesh with room for the counts, its arrays not yet set. Fails with PL_ERROR_MEMORY, or
// PL_ERROR_FORMAT if a count exceeds PL_MESH_MAX.
pl_status pl_mesh_alloc(int64_t n_vert, int64_t n_face, int64_t n_tet, pl_mesh **out);

// Every index in range and every position finite, or PL_ERROR_ARGUMENT with the first offender.
pl_status pl_mesh_validate(const pl_mesh *mesh);

// Appends-as-you-go storage, for readers that do not know the counts beforehand.
typedef struct pl_mesh_builder {
    double *x;
    int32_t *face, *tet, *edge, *point;
    int64_t n_vert, n_face, n_tet, n_edge, n_point;
    int64_t x_capacity, face_capacity, tet_capacity; // in doubles / indices
    int64_t edge_capacity, point_capacity;
} pl_mesh_builder;

pl_status pl_builder_vertex(pl_mesh_builder *builder, const double x[3]);
pl_status pl_builder_face(pl_mesh_builder *builder, int32_t a, int32_t b, int32_t c);
pl_status pl_builder_tet(pl_mesh_builder *builder, const int32_t tet[4]);
pl_status pl_builder_edge(pl_mesh_builder *builder, int32_t a, int32_t b);
pl_status pl_builder_point(pl_mesh_builder *builder, int32_t vertex);
// Hands the arrays over to a mesh; the builder is empty afterwards, also on failure.
pl_status pl_builder_finish(pl_mesh_builder *builder, pl_mesh **out);
void pl_builder_free(pl_mesh_builder *builder);

static inline void pl_swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

#endif
