// One reader per format and the table that finds it. Internal.
//
// A reader takes the bytes of a whole file and makes a mesh of what they say, or fails with the
// line or byte. It trusts nothing: a count is held against the bytes that remain before memory is
// taken for it, an index against the number of vertices, a number against being one. A face of
// fewer than three corners is no reason to refuse a file: it is skipped, with one warning per file.

#ifndef PL_IO_H
#define PL_IO_H

#include "../base/scan.h"
#include "mesh.h"

typedef pl_status pl_read_fn(const pl_bytes *bytes, const char *name, pl_mesh **out);
// True if the content says that it is this format.
typedef bool pl_sniff_fn(const pl_bytes *bytes, const char *name);

pl_read_fn pl_read_off, pl_read_obj, pl_read_seg, pl_read_ply, pl_read_stl, pl_read_gmsh,
    pl_read_vtk, pl_read_vtu;
pl_sniff_fn pl_sniff_off, pl_sniff_obj, pl_sniff_seg, pl_sniff_ply, pl_sniff_stl, pl_sniff_gmsh,
    pl_sniff_vtk, pl_sniff_vtu;

// Finds the format by content (by the extension of `name` where the content leaves it open) and
// reads.
pl_read_fn pl_read_bytes;

// TetGen's pair of files: nodes, and the elements that refer to them (may be NULL).
pl_status pl_read_tetgen(const pl_bytes *node, const char *node_name, const pl_bytes *ele,
                         const char *ele_name, pl_mesh **out);

typedef pl_status pl_write_fn(const pl_mesh *mesh, const char *path,
                              const pl_write_options *options);

pl_write_fn pl_write_off, pl_write_obj, pl_write_seg, pl_write_ply, pl_write_vtu, pl_write_gmsh;

// --- What the files of surfaces share ---

// A polygon as text at the cursor: the number of its corners, then those. The mesh gets the fan
// around the first one. mesh->face must have room for a triangle, and keeps room for one for each
// of the `to_come` polygons that follow. One or two corners are a loose point or edge if that is
// what they are in the format (`loose`), else they count in *n_thin.
pl_status pl_scan_polygon(pl_scan *scan, pl_mesh_builder *mesh, int64_t to_come, bool loose,
                          int64_t *n_thin);

// The warning about faces of fewer than three corners, if there were any.
void pl_warn_thin_faces(const char *name, int64_t n_thin);

// Room for more than n elements of `size` bytes, for a reader that finds no counts in its file: the
// n so far stood between `since` and the cursor, so many more may follow at that rate. Growing step
// by step would cost much of the time of reading.
pl_status pl_reserve_guess(void **block, int64_t *capacity, int64_t n, size_t size,
                           const pl_scan *scan, const char *since);

// For formats that hold a surface only: writes the vertices of the mesh, all of them and in order,
// and its faces, or the boundary of its tets where it has no faces. `body` does the writing.
typedef void pl_surface_body(pl_output *out, const pl_mesh *mesh, const int32_t *face,
                             int32_t n_face, const pl_write_options *options);
pl_status pl_write_surface(const pl_mesh *mesh, const char *path, const pl_write_options *options,
                           pl_surface_body *body);

// A line "prefix x y z" per vertex; a line "prefix a b c" per face, counting vertices from `first`.
void pl_output_vertices(pl_output *out, const pl_mesh *mesh, const char *prefix);
void pl_output_faces(pl_output *out, const int32_t *face, int32_t n_face, const char *prefix,
                     int32_t first);
// The same for loose edges.
void pl_output_edges(pl_output *out, const pl_mesh *mesh, const char *prefix, int32_t first);

#endif
