// The elements of all deformable bodies of a world, and A and b made of them. Internal.
//
// Vertices are numbered through all bodies; positions, velocities and A's block rows share that
// numbering. Elements stand in batches of lanes, batches in patches, patches in colours: patches of
// one colour share no vertex, so threads may add them up at the same time, and since the colours
// run one after the other and a patch runs in order, every sum has one order whatever the number of
// threads.

#ifndef PL_FEM_H
#define PL_FEM_H

#include "../meshes/mesh.h"
#include "../solvers/bsr.h"
#include "material.h"

enum { PL_FEM_LANES = 8, PL_PATCH_BATCHES = 256 };

typedef struct pl_fem_batch {
    double shape[9][PL_FEM_LANES]; // D_X^-1 [1/m]
    double volume[PL_FEM_LANES]; // at rest [m^3]; 0 in the lanes that fill up a patch's last batch
    int32_t vertex[4][PL_FEM_LANES];
    int32_t slot[16][PL_FEM_LANES]; // A's block for the corners a, b at 4 a + b
    int32_t tet[PL_FEM_LANES];      // in the body's mesh; -1 in lanes without an element
    int32_t n;                      // lanes with an element: the first ones
} pl_fem_batch;

typedef struct pl_fem_body {
    int32_t first, n_vert; // its vertices
    int32_t n_tet;
    pl_material material;
    double mass_damping, stiffness_damping;
} pl_fem_body;

typedef struct pl_fem_patch {
    int32_t body;
    int32_t first, n;       // batches
    int32_t touch;          // where its vertices begin in pl_fem's list:
    int32_t n_new, n_touch; // first those that no patch before it has, then the others
} pl_fem_patch;

typedef struct pl_fem {
    int32_t n_bodies, n_vert, n_tet;
    pl_fem_body *body; // (n_bodies)
    double *mass;      // (n_vert) lumped [kg]
    int32_t n_batch;
    pl_fem_batch *batch; // (n_batch) in the order of the patches
    int32_t n_patch;
    pl_fem_patch *patch; // (n_patch) by colour
    int32_t n_color;
    int32_t *color;  // (n_color + 1) first patch of each
    int32_t *touch;  // the vertices of each patch
    double *partial; // (n_patch) scratch: the energy of each patch
} pl_fem;

// One body to add: its rest shape and material, borrowed for the call.
typedef struct pl_fem_source {
    const pl_mesh *mesh;
    const pl_material_options *material;
} pl_fem_source;

// Can the mesh be a body? Fails with PL_ERROR_GEOMETRY: no tets, a flat or inverted tet, a vertex
// without a tet; the text names it.
pl_status pl_fem_check(const pl_mesh *mesh);

// Builds everything for the bodies in order, and the pattern of A over their vertices. Fails with
// PL_ERROR_GEOMETRY (a mesh that pl_fem_check refuses), PL_ERROR_ARGUMENT (a material) or
// PL_ERROR_MEMORY.
pl_status pl_fem_create(int32_t n_bodies, const pl_fem_source *source, pl_fem *out, pl_bsr *A);
void pl_fem_free(pl_fem *fem);

// The parts of a matrix, with Rayleigh's alpha and beta those of each body.
typedef struct pl_fem_weights {
    double mass, mass_alpha;          // (mass + mass_alpha alpha) M
    double stiffness, stiffness_beta; // + (stiffness + stiffness_beta beta) K
    double project; // K per element: 0 leaves it true, 1 makes it positive semi-definite; see
                    // pl_stress_project
} pl_fem_weights;

// A := base + the weighted sum at the positions x; base (9*A.nnz) may be NULL for nothing. f
// (3*n_vert) [N] := the elastic forces. Returns the elastic energy [J].
double pl_fem_assemble(const pl_fem *fem, const double *x, const pl_fem_weights *weights,
                       const double *base, pl_bsr *A, double *f);

// The elastic energy [J] and, if f is not NULL, the elastic forces f (3*n_vert) [N].
double pl_fem_forces(const pl_fem *fem, const double *x, double *f);

// Cauchy stress of the tets of a body: von Mises (n_tet) and the principal stresses in falling
// order (3*n_tet) [Pa]; either may be NULL.
void pl_fem_stress(const pl_fem *fem, int32_t body, const double *x, double *von_mises,
                   double *principal);

#endif
