// What a person names on the command line, as a mesh.

#ifndef PL_LOAD_H
#define PL_LOAD_H

#include "pliant.h"

// `word` is a shape ("ring", "box:cells=8,8,8") or else the path of a mesh file. A surface is
// cleaned as it comes in: vertices closer than `weld` [m] welded (0: equal ones only), degenerate
// faces dropped, turned outward; the log says what was changed.
pl_status pl_load_mesh(const char *word, double weld, pl_mesh **out);

// Whether `word` is such a shape, or looks like a path, or is that of a file: no other word can be
// loaded.
bool pl_load_knows(const char *word);

// The same without cleaning.
pl_status pl_load_mesh_as_is(const char *word, pl_mesh **out);

// A mesh with loose edges and points, or of nothing but vertices, becomes what is drawn of it, with
// this radius, 0 for one that shows [m]; others stay.
bool pl_load_is_loose(const pl_mesh *mesh);
pl_status pl_load_thicken(pl_mesh **mesh, double radius);

#endif
