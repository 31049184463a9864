// Solids without a mesher: a plane section of triangles, swept. Internal.
//
// The section is swept through stations, and the prism between a triangle and its next station
// becomes three tets. With the section's corners sorted, i < j < k, and a, b the two stations,
// these are the staircase
//     (a_i a_j a_k b_k), (a_i a_j b_j b_k), (a_i b_i b_j b_k),
// which cuts a side wall along the diagonal from the lower corner's a to the higher corner's b. The
// rule depends on the section alone, so neighbours agree, also where a closed sweep meets its
// start.

#ifndef PL_SWEEP_H
#define PL_SWEEP_H

#include "mesh.h"

// --- Sections ---

typedef struct pl_section {
    int32_t n_point, n_tri;
    double *point; // (2*n_point)
    int32_t *tri;  // (3*n_tri)
} pl_section;

// With room for the counts, neither points nor triangles set. Fails with PL_ERROR_ARGUMENT (too
// many) or PL_ERROR_MEMORY.
pl_status pl_section_alloc(int64_t n_point, int64_t n_tri, pl_section *s);
void pl_section_free(pl_section *s);

// Sets the triangle *n and counts it.
void pl_section_add(pl_section *s, int32_t *n, int32_t a, int32_t b, int32_t c);

typedef struct pl_rectangle { // of cells, in units of cells
    int32_t x, y, width, height;
} pl_rectangle;

// A centred grid of cells, without those in the holes; each cell is two triangles.
pl_status pl_section_grid(const double size[2], const int32_t cells[2], const pl_rectangle *hole,
                          int n_hole, pl_section *s);

// A disc: the centre and `rings` circles of `around` points each.
pl_status pl_section_disc(double radius, int32_t around, int32_t rings, pl_section *s);

// --- The sweep ---

// Where the section's point (u, v) lies at a station.
typedef void pl_place_fn(double u, double v, int32_t station, const void *context, double x[3]);

// Frees the section. `closed` joins the last station with the first.
pl_status pl_sweep(pl_section *s, int32_t stations, bool closed, pl_place_fn *place,
                   const void *context, pl_mesh **out);

// For solids that are made otherwise: the three tets between the triangle `corner` of station a and
// that of station b, which have their first vertices there. *n counts numbers in mesh->tet.
void pl_add_prism(pl_mesh *mesh, int64_t *n, const int32_t corner[3], int32_t a, int32_t b);

// Turns every tet to a positive volume, then takes the boundary as the faces. On failure the mesh
// is destroyed.
pl_status pl_finish_solid(pl_mesh *mesh, pl_mesh **out);

#endif
