// What the reader and the writer of Gmsh files share. Internal.

#ifndef PL_GMSH_H
#define PL_GMSH_H

#include "array.h"

// Types of elements that become faces or tets; the others are skipped.
enum { PL_GMSH_TRIANGLE = 2, PL_GMSH_QUAD = 3, PL_GMSH_TET = 4, PL_GMSH_TYPES = 256 };

#endif
