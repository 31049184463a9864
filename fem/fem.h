// The elements of all deformable bodies of a world, and A and b made of them. Internal.
//
// Vertices are numbered through all bodies; positions, velocities and A's block rows share that
// numbering. Elements stand in batches of lanes, batches in patches. A patch adds up its elements
// for itself, in order, over its own vertices and edges. What only it has goes straight to A and f;
// what lies on a seam between patches is kept as one part per patch, and the parts are added in the
// order of the patches. So every sum has one order whatever the number of threads, and nothing is
// written twice.

#ifndef PL_FEM_H
#define PL_FEM_H

#include "../meshes/mesh.h"
#include "../solvers/bsr.h"
#include "material.h"

enum {
    PL_FEM_LANES = 8,
    // At most so much is in a patch. Its sums are on the stack of the thread that works on it,
    // about 430 kB at most; larger patches have less on seams, but outgrow a core's own cache.
    PL_PATCH_TETS = 2048,
    PL_PATCH_VERTS = 1024,
    PL_PATCH_EDGES = 4096,
};

// The corners of a tet are in ascending order of their vertices, its edges in the order 01, 02, 03,
// 12, 13, 23. Lanes that fill up a patch's last batch repeat the first, without volume.
typedef struct pl_fem_batch {
    double shape[9][PL_FEM_LANES];    // D_X^-1 [1/m]
    double volume[PL_FEM_LANES];      // at rest [m^3]
    uint16_t corner[4][PL_FEM_LANES]; // among the vertices of its patch
    uint16_t edge[6][PL_FEM_LANES];   // among the edges of its patch
    int32_t tet[PL_FEM_LANES];        // in the body's mesh; -1 in lanes without an element
} pl_fem_batch;

// An edge of a patch. The first end has the lower vertex.
typedef struct pl_fem_edge {
    int32_t slot, mirror; // A's blocks (first, second) and (second, first)
    uint16_t end[2];      // among the vertices of the patch
} pl_fem_edge;

typedef struct pl_fem_body {
    int32_t first, n_vert; // its vertices
    int32_t n_tet;
    pl_material material;
    double mass_damping, stiffness_damping;
} pl_fem_body;

// Inner vertices and edges are those that no other patch has; they are listed first.
typedef struct pl_fem_patch {
    int32_t body, n_tet;
    int32_t batch, n_batch;
    int32_t vert, n_inner_vert, n_vert; // from `vert` on in pl_fem's list
    int32_t edge, n_inner_edge, n_edge; // likewise
    int32_t vert_part, edge_part;       // where its parts of what lies on seams begin
} pl_fem_patch;

// The vertices or the edges that lie on seams.
typedef struct pl_fem_seam {
    int32_t n, n_part;
    int32_t *item;  // (n) where the first patch that has it lists it
    int32_t *start; // (n + 1) in `part`
    int32_t *part;  // (n_part) its parts, in the order of the patches
} pl_fem_seam;

typedef struct pl_fem {
    int32_t n_bodies, n_vert, n_tet;
    pl_fem_body *body; // (n_bodies)
    double *mass;      // (n_vert) lumped [kg]
    int32_t n_batch;
    pl_fem_batch *batch; // (n_batch) in the order of the patches
    int32_t n_patch;
    pl_fem_patch *patch; // (n_patch)
    int32_t *vert;       // the vertices of each patch
    pl_fem_edge *edge;   // the edges of each patch
    int32_t n_edge;      // in that list
    pl_fem_seam seam_verts, seam_edges;
    // Bodies that do not move need their elements only once: see pl_fem_set_still.
    uint8_t *still;               // (n_bodies)
    uint8_t *known;               // (n_patch) bits of what the arrays below, and A, have of them
    struct pl_fem_device *device; // that does the passes, see device.h; NULL: the CPU
    // Scratch
    double *energy;     // (n_patch)
    int32_t *inverted;  // (n_patch)
    double *bound;      // (n_patch) of volume_bound.c, as the next one
    int32_t *flat;      // (n_patch)
    double *part_force; // (3*seam_verts.n_part)
    double *part_diag;  // (9*seam_verts.n_part)
    double *part_edge;  // (9*seam_edges.n_part)
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

// Says of a body if it stays where it is. From the next pass over its elements on, those that
// follow leave them out: energies and inverted tets are remembered, A's rows and forces are left as
// they are. It moves at first, and is looked at once more after this was said anew.
void pl_fem_set_still(pl_fem *fem, int32_t body, bool still);

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

// How many tets are flat or inverted at the positions x.
int32_t pl_fem_inverted(const pl_fem *fem, const double *x);

// Cauchy stress of the tets of a body: von Mises (n_tet), the principal stresses in falling order
// (3*n_tet) and the tensor as xx, yy, zz, xy, yz, zx (6*n_tet) [Pa]; each may be NULL.
void pl_fem_stress(const pl_fem *fem, int32_t body, const double *x, double *von_mises,
                   double *principal, double *tensor);

#endif
