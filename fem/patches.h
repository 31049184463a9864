// Cutting bodies into patches: everything about the elements but numbers. Internal.

#ifndef PL_PATCHES_H
#define PL_PATCHES_H

#include "fem.h"

// The corners of a tet in ascending order.
void pl_patch_corners(const pl_mesh *mesh, int32_t tet, int32_t corner[4]);

// Makes the patches, their lists, the seams and the batches of fem, whose bodies are set, over the
// pattern A; the batches' shapes and volumes are left open. Only PL_ERROR_MEMORY can happen; the
// caller frees fem.
pl_status pl_patches_create(const pl_fem_source *source, const pl_bsr *A, pl_fem *fem);

#endif
