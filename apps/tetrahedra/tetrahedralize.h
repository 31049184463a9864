// Tetrahedra inside a surface. Internal to the command, because TetGen is.

#ifndef PL_TETRAHEDRALIZE_H
#define PL_TETRAHEDRALIZE_H

#include "../../base/base.h"

typedef struct pl_tetrahedralize_options {
    double quality;       // no tet with a larger ratio of circumradius to shortest edge, where the
                          // surface allows; >= 1. Smaller means better and more tets
    double min_dihedral;  // also refine tets with a smaller dihedral angle [rad]; 0: do not look
    double max_volume;    // of a tet, where the surface allows [m^3]; 0: no bound
    int32_t tets;         // the number of tets wanted; 0: as many as the above needs
    bool keep_surface;    // vertices and faces of the surface stay as they are; false lets TetGen
                          // split them
    bool improve;         // raise the worst tets afterwards (meshes/improve.h)
    double time_limit;    // for TetGen in total, wall clock [s]
    int64_t memory_limit; // for TetGen [bytes]
} pl_tetrahedralize_options;

// quality 1.4, no further bounds, surface kept, improved, 600 s, 8 GiB.
pl_tetrahedralize_options pl_tetrahedralize_options_default(void);

// Fills the faces of `surface` with tets. The vertices of *out begin with those of the surface, in
// order and bit for bit, its faces are those of the surface (their pieces, if it is not kept),
// every tet has a positive volume, and parts that are turned inside out are cavities. The same
// input gives the same mesh.
//
// With a number of tets wanted, it is met within 5 % where the surface allows. Where the quality
// bound alone needs more, fewer interior vertices are used than it asks for. A kept surface has its
// own limits: with no interior vertex at all there may still be too many tets, and TetGen puts no
// vertex so near to a large face that it ought to be split. Then the nearest mesh is returned and a
// warning goes to the log.
//
// Fails with PL_ERROR_ARGUMENT (an option out of range), PL_ERROR_GEOMETRY (the surface is not
// closed, not manifold or intersects itself, with the first offender named; or TetGen gives up,
// crashes or takes too long) or PL_ERROR_MEMORY.
pl_status pl_tetrahedralize(const pl_mesh *surface, const pl_tetrahedralize_options *options,
                            pl_mesh **out);

#endif
