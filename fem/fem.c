#include "device.h"
#include "patches.h"

#include <math.h>
#include <string.h>

// --- Rest shapes ---

// A tet whose volume is below this part of the box that its edges could span is flat: that is what
// rounding leaves of a volume of 0.
static const double FLAT = 1e-14;

// D_X^-1 and the volume of a tet with corners p. False if it is flat, inverted or not finite.
static bool rest_shape(const double *const p[4], double shape[9], double *volume)
{
    double d[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) d[3 * i + j] = p[j + 1][i] - p[0][i];
    }
    double c[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) { // the transposed cofactors
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[3 * i + j] = d[3 * j1 + i1] * d[3 * j2 + i2] - d[3 * j1 + i2] * d[3 * j2 + i1];
        }
    }
    double det = d[0] * c[0] + d[1] * c[3] + d[2] * c[6], box = 1;
    for (int j = 0; j < 3; j++) {
        box *= sqrt(d[j] * d[j] + d[3 + j] * d[3 + j] + d[6 + j] * d[6 + j]);
    }
    *volume = det / 6;
    for (int k = 0; k < 9; k++) {
        shape[k] = c[k] / det;
        if (!isfinite(shape[k])) return false;
    }
    return det > FLAT * box;
}

static void corners_of(const double *x, const int32_t *tet, const double *p[4])
{
    for (int k = 0; k < 4; k++) p[k] = x + 3 * (int64_t)tet[k];
}

pl_status pl_fem_check(const pl_mesh *mesh)
{
    if (mesh->n_tet == 0) {
        return pl_fail(PL_ERROR_GEOMETRY, "the mesh has no tets; 'pliant mesh --fill' makes them");
    }
    bool *used = pl_alloc_zero(mesh->n_vert, sizeof *used);
    if (used == NULL) return PL_ERROR_MEMORY;
    pl_status status = PL_OK;
    for (int32_t t = 0; t < mesh->n_tet && status == PL_OK; t++) {
        const int32_t *corner = mesh->tet + 4 * (int64_t)t;
        const double *p[4];
        double shape[9], volume;
        corners_of(mesh->x, corner, p);
        if (!rest_shape(p, shape, &volume)) {
            status = pl_fail(PL_ERROR_GEOMETRY, "tet %d is flat or inverted at rest", (int)t);
        }
        for (int k = 0; k < 4; k++) used[corner[k]] = true;
    }
    for (int32_t v = 0; v < mesh->n_vert && status == PL_OK; v++) {
        if (!used[v]) status = pl_fail(PL_ERROR_GEOMETRY, "vertex %d belongs to no tet", (int)v);
    }
    pl_free(used);
    return status;
}

// Fills in the rest shapes of the batches of a patch, and adds their masses.
static void shape_patch(pl_fem *fem, const pl_fem_patch *patch, const pl_fem_source *source)
{
    const int32_t *vert = fem->vert + patch->vert;
    for (int32_t i = 0; i < patch->n_batch; i++) {
        pl_fem_batch *b = &fem->batch[patch->batch + i];
        for (int lane = 0; lane < PL_FEM_LANES; lane++) {
            int32_t corner[4];
            const double *p[4];
            double shape[9], volume;
            pl_patch_corners(source->mesh, b->tet[b->tet[lane] >= 0 ? lane : 0], corner);
            corners_of(source->mesh->x, corner, p);
            rest_shape(p, shape, &volume);
            b->volume[lane] = b->tet[lane] >= 0 ? fabs(volume) : 0;
            for (int k = 0; k < 9; k++) b->shape[k][lane] = shape[k];
            for (int k = 0; k < 4; k++) {
                fem->mass[vert[b->corner[k][lane]]] +=
                    0.25 * source->material->density * b->volume[lane];
            }
        }
    }
}

// --- Bodies ---

static pl_status add_body(pl_fem *fem, int32_t index, const pl_fem_source *s)
{
    const pl_mesh *mesh = s->mesh;
    pl_fem_body *body = &fem->body[index];
    *body = (pl_fem_body){.first = fem->n_vert,
                          .n_vert = mesh->n_vert,
                          .n_tet = mesh->n_tet,
                          .mass_damping = s->material->mass_damping,
                          .stiffness_damping = s->material->stiffness_damping};
    PL_TRY(pl_fem_check(mesh));
    PL_TRY(pl_material_setup(s->material, &body->material));
    fem->n_vert += mesh->n_vert;
    fem->n_tet += mesh->n_tet;
    return PL_OK;
}

static pl_status add_bodies(int32_t n_bodies, const pl_fem_source *source, pl_fem *fem)
{
    int64_t n_vert = 0, n_tet = 0;
    for (int32_t i = 0; i < n_bodies; i++) {
        n_vert += source[i].mesh->n_vert;
        n_tet += source[i].mesh->n_tet;
    }
    if (n_vert > INT32_MAX / 4 || n_tet > INT32_MAX / 16) {
        return pl_fail(PL_ERROR_ARGUMENT, "%lld vertices and %lld tets are more than a world holds",
                       (long long)n_vert, (long long)n_tet);
    }
    fem->n_bodies = n_bodies;
    fem->body = pl_alloc(n_bodies, sizeof *fem->body);
    fem->mass = pl_alloc_zero(n_vert, sizeof *fem->mass);
    if (fem->body == NULL || fem->mass == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n_bodies; i++) PL_TRY(add_body(fem, i, &source[i]));
    return PL_OK;
}

// --- The matrix ---

static pl_status create_matrix(const pl_fem *fem, const pl_fem_source *source, pl_bsr *A)
{
    int32_t *edge = pl_alloc(12 * (int64_t)fem->n_tet, sizeof *edge);
    if (edge == NULL) return PL_ERROR_MEMORY;
    int64_t n = 0;
    for (int32_t body = 0; body < fem->n_bodies; body++) {
        const pl_mesh *mesh = source[body].mesh;
        int32_t first = fem->body[body].first;
        for (int64_t t = 0; t < mesh->n_tet; t++) {
            const int32_t *corner = mesh->tet + 4 * t;
            for (int k = 0; k < 16; k++) {
                if (k / 4 >= k % 4) continue;
                edge[n++] = first + corner[k / 4];
                edge[n++] = first + corner[k % 4];
            }
        }
    }
    pl_status status = pl_bsr_create(fem->n_vert, n / 2, edge, A);
    pl_free(edge);
    if (status == PL_OK && A->nnz > INT32_MAX) {
        status = pl_fail(PL_ERROR_ARGUMENT, "the bodies have more than %d pairs of neighbours",
                         INT32_MAX);
    }
    return status;
}

// --- All of it ---

pl_status pl_fem_create(int32_t n_bodies, const pl_fem_source *source, pl_fem *out, pl_bsr *A)
{
    *out = (pl_fem){0};
    *A = (pl_bsr){0};
    pl_status status = add_bodies(n_bodies, source, out);
    if (status == PL_OK) status = create_matrix(out, source, A);
    if (status == PL_OK) status = pl_patches_create(source, A, out);
    if (status == PL_OK) {
        for (int32_t p = 0; p < out->n_patch; p++) {
            shape_patch(out, &out->patch[p], &source[out->patch[p].body]);
        }
        return PL_OK;
    }
    pl_fem_free(out);
    pl_bsr_free(A);
    return status;
}

static void free_seam(pl_fem_seam *seam)
{
    pl_free(seam->item);
    pl_free(seam->start);
    pl_free(seam->part);
}

void pl_fem_free(pl_fem *fem)
{
    if (fem->device != NULL) fem->device->close(fem->device);
    pl_free(fem->body);
    pl_free(fem->mass);
    pl_free(fem->batch);
    pl_free(fem->patch);
    pl_free(fem->vert);
    pl_free(fem->edge);
    free_seam(&fem->seam_verts);
    free_seam(&fem->seam_edges);
    pl_free(fem->still);
    pl_free(fem->known);
    pl_free(fem->energy);
    pl_free(fem->inverted);
    pl_free(fem->bound);
    pl_free(fem->flat);
    pl_free(fem->part_force);
    pl_free(fem->part_diag);
    pl_free(fem->part_edge);
    *fem = (pl_fem){0};
}

void pl_fem_set_still(pl_fem *fem, int32_t body, bool still)
{
    if ((fem->still[body] != 0) == still) return;
    fem->still[body] = still;
    for (int32_t p = 0; p < fem->n_patch; p++) {
        if (fem->patch[p].body == body) fem->known[p] = 0;
    }
}
