// One reader per format and the table that finds it. Internal.
//
// A reader takes the bytes of a whole file and makes a mesh of what they say, or fails with the
// line or byte. It trusts nothing: a count is held against the bytes that remain before memory is
// taken for it, an index against the number of vertices, a number against being one.

#ifndef PL_IO_H
#define PL_IO_H

#include "../base/scan.h"
#include "mesh.h"

typedef pl_status pl_read_fn(const pl_bytes *bytes, const char *name, pl_mesh **out);
// True if the content says that it is this format.
typedef bool pl_sniff_fn(const pl_bytes *bytes, const char *name);

pl_read_fn pl_read_off, pl_read_obj, pl_read_ply, pl_read_stl, pl_read_gmsh, pl_read_vtk,
    pl_read_vtu;
pl_sniff_fn pl_sniff_off, pl_sniff_obj, pl_sniff_ply, pl_sniff_stl, pl_sniff_gmsh, pl_sniff_vtk,
    pl_sniff_vtu;

// Finds the format by content (by the extension of `name` where the content leaves it open) and
// reads.
pl_read_fn pl_read_bytes;

// TetGen's pair of files: nodes, and the elements that refer to them (may be NULL).
pl_status pl_read_tetgen(const pl_bytes *node, const char *node_name, const pl_bytes *ele,
                         const char *ele_name, pl_mesh **out);

typedef pl_status pl_write_fn(const pl_mesh *mesh, const char *path,
                              const pl_write_options *options);

pl_write_fn pl_write_off, pl_write_obj, pl_write_ply, pl_write_vtu, pl_write_gmsh;

#endif
