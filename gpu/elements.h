// The elements of a world on a device: A, forces and energy of ../fem/, gathered in the same order
// and so with the same bits. Internal.

#ifndef PL_GPU_ELEMENTS_HOST_H
#define PL_GPU_ELEMENTS_HOST_H

#include "../fem/fem.h"
#include "gpu.h"

typedef struct pl_gpu_elements {
    int64_t n_lane; // 8 * n_batch
    int32_t n_bodies, n_batch, n_patch, n_vert;
    int64_t n_edge, n_inner, n_seam; // of all patches, of one patch alone, and of several
    // What stays: see kernels/elements.h.
    pl_gpu_buffer shape, volume, corner, tet, batch_body, material;
    pl_gpu_buffer edge_start, edge_item; // elements' blocks of an edge of a patch
    pl_gpu_buffer slot, mirror;          // A's blocks of those that no other patch has
    pl_gpu_buffer seam_start, seam_part; // edges of patches of an edge on a seam
    pl_gpu_buffer seam_slot, seam_mirror;
    pl_gpu_buffer vert_start, vert_part;     // places of a vertex in patches
    pl_gpu_buffer around_start, around_item; // edges of a patch around such a place
    pl_gpu_buffer corner_start, corner_item; // corners of elements there
    pl_gpu_buffer mass, vert_body, diag, patch_batch;
    // What each call makes.
    pl_gpu_buffer scale, mass_scale; // (n_bodies)
    pl_gpu_buffer energy, force, block, edge_sum, patch_energy, flat, patch_flat;
    // Patches are assembled a portion at a time, so that the blocks of its elements stay in a
    // cache.
    int32_t n_portion;
    int64_t *portion; // (2*(n_portion + 1)) the first element and the first edge of each
    void *host;       // (n_patch or 2*n_bodies) of 8 bytes, for what comes back, or goes there
} pl_gpu_elements;

// For the bodies of fem and the pattern A, whose rows they begin. PL_ERROR_MEMORY or
// PL_ERROR_DEVICE leave nothing behind.
pl_status pl_gpu_elements_create(pl_gpu *gpu, const pl_fem *fem, const pl_bsr *A,
                                 pl_gpu_elements *out);
void pl_gpu_elements_free(pl_gpu *gpu, pl_gpu_elements *e);

// pl_fem_assemble on the device: val (9*nnz) of A := base + the weighted sum at x (3*n_vert), and f
// (3*n_vert). base may be NULL. Bodies that are still are looked at as all are. Returns at once.
void pl_gpu_elements_assemble(pl_gpu *gpu, pl_gpu_elements *e, const pl_fem *fem,
                              const pl_fem_weights *weights, const pl_gpu_buffer *x,
                              const pl_gpu_buffer *base, const pl_gpu_buffer *val,
                              const pl_gpu_buffer *f);

// The elastic forces f, which may be NULL.
void pl_gpu_elements_forces(pl_gpu *gpu, pl_gpu_elements *e, const pl_gpu_buffer *x,
                            const pl_gpu_buffer *f);

// The elastic energy [J] of the last call of these two. Waits.
pl_status pl_gpu_elements_energy(pl_gpu *gpu, pl_gpu_elements *e, double *out);

// How many tets are flat or inverted at x. Waits.
pl_status pl_gpu_elements_inverted(pl_gpu *gpu, pl_gpu_elements *e, const pl_gpu_buffer *x,
                                   int32_t *out);

#endif
