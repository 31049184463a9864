// What legacy VTK and VTU share: their points and cells, brought into a builder. Internal.

#ifndef PL_VTK_MESH_H
#define PL_VTK_MESH_H

#include "array.h"

// Types of cells. Those from TRIANGLE to TETRA become faces or tets; all others are skipped.
enum {
    PL_VTK_VERTEX = 1,
    PL_VTK_POLY_VERTEX = 2,
    PL_VTK_POLY_LINE = 4,
    PL_VTK_TRIANGLE = 5,
    PL_VTK_TRIANGLE_STRIP = 6,
    PL_VTK_POLYGON = 7,
    PL_VTK_PIXEL = 8,
    PL_VTK_QUAD = 9,
    PL_VTK_TETRA = 10,
    PL_VTK_TYPES = 256
};

typedef struct pl_vtk_cells {
    int64_t count;
    pl_array connectivity; // corners of all cells, one cell after the other
    pl_array offsets;      // (count) where each cell ends in `connectivity`
    bool counted;          // no offsets: in `connectivity`, each cell begins with its corner count
    pl_array types;        // (count)
    int type;              // of all cells, if there are no `types`; else 0
} pl_vtk_cells;

void pl_vtk_cells_free(pl_vtk_cells *cells);

// Appends the points (triples) of `points`.
pl_status pl_vtk_add_points(const pl_array *points, const pl_scan *scan, pl_mesh_builder *builder);

// Appends the triangles and tets among `cells`, whose corners count from `first_vertex` on up to
// the last vertex of the builder; polygons and strips become triangles. The others, and those of
// fewer than three corners, are counted in `skipped`, by type.
pl_status pl_vtk_add_cells(const pl_vtk_cells *cells, int64_t first_vertex, const pl_scan *scan,
                           pl_mesh_builder *builder, int64_t skipped[PL_VTK_TYPES]);

void pl_vtk_log_skipped(const char *file, const int64_t skipped[PL_VTK_TYPES]);

#endif
