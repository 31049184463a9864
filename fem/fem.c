#include "fem.h"
#include "../meshes/curve.h"

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

// --- Order: tets along a space-filling curve, so that a patch is a lump ---

// Returns the tets in order (n_tet), or NULL without memory.
static int32_t *order_tets(const pl_mesh *mesh)
{
    int32_t *order = pl_alloc(mesh->n_tet, sizeof *order);
    double *middle = pl_alloc(3 * (int64_t)mesh->n_tet, sizeof *middle);
    bool ok = order != NULL && middle != NULL;
    for (int64_t t = 0; ok && t < mesh->n_tet; t++) {
        const double *p[4];
        corners_of(mesh->x, mesh->tet + 4 * t, p);
        for (int k = 0; k < 3; k++)
            middle[3 * t + k] = 0.25 * (p[0][k] + p[1][k] + p[2][k] + p[3][k]);
    }
    ok = ok && pl_curve_order(mesh->n_tet, middle, order) == PL_OK;
    pl_free(middle);
    if (ok) return order;
    pl_free(order);
    return NULL;
}

// --- Colours ---

// Gives each patch the lowest colour that no patch before it has at one of its vertices. A vertex
// notes its colours in 64 bits; a patch that finds them all taken gets a colour of its own.
static int32_t color_patches(const pl_fem *fem, uint64_t *taken, int32_t *color)
{
    int32_t n_color = 0, alone = 64;
    for (int32_t i = 0; i < fem->n_patch; i++) {
        const pl_fem_patch *patch = &fem->patch[i];
        uint64_t used = 0;
        const pl_fem_batch *first = fem->batch + patch->first, *end = first + patch->n;
        for (const pl_fem_batch *b = first; b < end; b++) {
            const int32_t *v = &b->vertex[0][0];
            for (int k = 0; k < 4 * PL_FEM_LANES; k++) used |= taken[v[k]];
        }
        color[i] = used == UINT64_MAX ? alone++ : __builtin_ctzll(~used);
        n_color = PL_MAX(n_color, color[i] + 1);
        for (const pl_fem_batch *b = first; color[i] < 64 && b < end; b++) {
            const int32_t *v = &b->vertex[0][0];
            for (int k = 0; k < 4 * PL_FEM_LANES; k++) taken[v[k]] |= (uint64_t)1 << color[i];
        }
    }
    return n_color;
}

// Sorts the patches by colour, stable.
static pl_status sort_patches(pl_fem *fem)
{
    uint64_t *taken = pl_alloc_zero(fem->n_vert, sizeof *taken);
    int32_t *color = pl_alloc(fem->n_patch, sizeof *color);
    pl_fem_patch *sorted = pl_alloc(fem->n_patch, sizeof *sorted);
    bool ok = taken != NULL && color != NULL && sorted != NULL;
    if (ok) {
        fem->n_color = color_patches(fem, taken, color);
        fem->color = pl_alloc_zero((int64_t)fem->n_color + 1, sizeof *fem->color);
        ok = fem->color != NULL;
    }
    if (ok) {
        int32_t n = 0;
        for (int32_t c = 0; c < fem->n_color; c++) {
            for (int32_t i = 0; i < fem->n_patch; i++) {
                if (color[i] == c) sorted[n++] = fem->patch[i];
            }
            fem->color[c + 1] = n;
        }
        memcpy(fem->patch, sorted, (size_t)fem->n_patch * sizeof *sorted);
    }
    pl_free(taken);
    pl_free(color);
    pl_free(sorted);
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// --- Which patch comes first to a vertex ---

// Lists the vertices of a patch at touch[0], ...: those not in `seen` first. mark (n_vert) is
// `stamp` at the vertices that are listed.
static void list_vertices(const pl_fem *fem, pl_fem_patch *patch, bool *seen, int32_t *mark,
                          int32_t stamp)
{
    int32_t *list = fem->touch + patch->touch;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = patch->first; i < patch->first + patch->n; i++) {
            const int32_t *v = &fem->batch[i].vertex[0][0];
            for (int k = 0; k < 4 * PL_FEM_LANES; k++) {
                if (mark[v[k]] == stamp || seen[v[k]] != (pass == 1)) continue;
                mark[v[k]] = stamp;
                list[patch->n_touch++] = v[k];
            }
        }
        if (pass == 0) patch->n_new = patch->n_touch;
    }
    for (int32_t i = 0; i < patch->n_new; i++) seen[list[i]] = true;
}

static pl_status list_touched(pl_fem *fem)
{
    bool *seen = pl_alloc_zero(fem->n_vert, sizeof *seen);
    int32_t *mark = pl_alloc_zero(fem->n_vert, sizeof *mark);
    fem->touch = pl_alloc(4 * PL_FEM_LANES * (int64_t)fem->n_batch, sizeof *fem->touch);
    bool ok = seen != NULL && mark != NULL && fem->touch != NULL;
    int32_t n = 0;
    for (int32_t i = 0; ok && i < fem->n_patch; i++) {
        fem->patch[i].touch = n;
        list_vertices(fem, &fem->patch[i], seen, mark, i + 1);
        n += fem->patch[i].n_touch;
    }
    pl_free(seen);
    pl_free(mark);
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// --- Bodies ---

// Fills lane `lane` of the batch with a tet of the body, or with nothing: then the lane repeats the
// corners of lane 0 without volume, and its forces are 0.
static void fill_lane(const pl_mesh *s, int32_t first, int32_t tet, pl_fem_batch *b, int lane)
{
    b->tet[lane] = tet;
    b->volume[lane] = 0;
    if (lane == 0) b->n = 0;
    if (tet >= 0) b->n++;
    for (int k = 0; tet < 0 && k < 9; k++) b->shape[k][lane] = b->shape[k][0];
    for (int k = 0; tet < 0 && k < 4; k++) b->vertex[k][lane] = b->vertex[k][0];
    if (tet < 0) return;
    const int32_t *corner = s->tet + 4 * (int64_t)tet;
    const double *p[4];
    corners_of(s->x, corner, p);
    double shape[9];
    rest_shape(p, shape, &b->volume[lane]);
    for (int k = 0; k < 9; k++) b->shape[k][lane] = shape[k];
    for (int k = 0; k < 4; k++) b->vertex[k][lane] = first + corner[k];
}

// Appends the batches and patches of a body.
static pl_status add_batches(pl_fem *fem, int32_t index, const pl_mesh *s)
{
    const int32_t per_patch = PL_PATCH_BATCHES * PL_FEM_LANES;
    int32_t *order = order_tets(s);
    if (order == NULL) return PL_ERROR_MEMORY;
    for (int32_t start = 0; start < s->n_tet; start += per_patch) {
        int32_t n = PL_MIN(per_patch, s->n_tet - start);
        int32_t n_batch = (n + PL_FEM_LANES - 1) / PL_FEM_LANES;
        fem->patch[fem->n_patch++] =
            (pl_fem_patch){.body = index, .first = fem->n_batch, .n = n_batch};
        // Each lane goes along its own piece of the curve: tets of one batch are far from each
        // other, and do not wait for each other's sums.
        for (int32_t i = 0; i < n_batch * PL_FEM_LANES; i++) {
            int32_t lane = i / n_batch, batch = i % n_batch;
            int32_t tet = i < n ? order[start + i] : -1;
            fill_lane(s, fem->body[index].first, tet, &fem->batch[fem->n_batch + batch], lane);
        }
        fem->n_batch += n_batch;
    }
    pl_free(order);
    return PL_OK;
}

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
    int32_t first_batch = fem->n_batch;
    PL_TRY(add_batches(fem, index, mesh));
    for (int32_t i = first_batch; i < fem->n_batch; i++) {
        const pl_fem_batch *b = &fem->batch[i];
        const int32_t *v = &b->vertex[0][0];
        for (int k = 0; k < 4 * PL_FEM_LANES; k++) {
            fem->mass[v[k]] += 0.25 * s->material->density * b->volume[k % PL_FEM_LANES];
        }
    }
    fem->n_vert += mesh->n_vert;
    fem->n_tet += mesh->n_tet;
    return PL_OK;
}

// --- The matrix ---

static pl_status create_matrix(const pl_fem *fem, pl_bsr *A)
{
    int32_t *edge = pl_alloc(12 * (int64_t)fem->n_tet, sizeof *edge);
    if (edge == NULL) return PL_ERROR_MEMORY;
    int64_t n = 0;
    for (int32_t i = 0; i < fem->n_batch; i++) {
        const pl_fem_batch *b = &fem->batch[i];
        for (int lane = 0; lane < PL_FEM_LANES; lane++) {
            for (int k = 0; b->tet[lane] >= 0 && k < 16; k++) {
                if (k / 4 >= k % 4) continue;
                edge[n++] = b->vertex[k / 4][lane];
                edge[n++] = b->vertex[k % 4][lane];
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

static void find_slots(const pl_fem *fem, const pl_bsr *A)
{
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < fem->n_batch; i++) {
        pl_fem_batch *b = &fem->batch[i];
        for (int k = 0; k < 16 * PL_FEM_LANES; k++) {
            int lane = k % PL_FEM_LANES, pair = k / PL_FEM_LANES;
            b->slot[pair][lane] =
                (int32_t)pl_bsr_find(A, b->vertex[pair / 4][lane], b->vertex[pair % 4][lane]);
        }
    }
}

// --- All of it ---

static pl_status allocate(int32_t n_bodies, const pl_fem_source *source, pl_fem *fem)
{
    const int64_t per_patch = PL_PATCH_BATCHES * PL_FEM_LANES;
    int64_t n_vert = 0, n_tet = 0, n_batch = 0, n_patch = 0;
    for (int32_t i = 0; i < n_bodies; i++) {
        const pl_mesh *mesh = source[i].mesh;
        n_vert += mesh->n_vert;
        n_tet += mesh->n_tet;
        n_batch += (mesh->n_tet + PL_FEM_LANES - 1) / PL_FEM_LANES;
        n_patch += (mesh->n_tet + per_patch - 1) / per_patch;
    }
    if (n_vert > INT32_MAX / 4 || n_tet > INT32_MAX / 16) {
        return pl_fail(PL_ERROR_ARGUMENT, "%lld vertices and %lld tets are more than a world holds",
                       (long long)n_vert, (long long)n_tet);
    }
    fem->n_bodies = n_bodies;
    fem->body = pl_alloc(n_bodies, sizeof *fem->body);
    fem->mass = pl_alloc_zero(n_vert, sizeof *fem->mass);
    fem->batch = pl_alloc(n_batch, sizeof *fem->batch);
    fem->patch = pl_alloc(n_patch, sizeof *fem->patch);
    fem->partial = pl_alloc(n_patch, sizeof *fem->partial);
    bool ok = fem->body != NULL && fem->mass != NULL && fem->batch != NULL && fem->patch != NULL &&
              fem->partial != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_fem_create(int32_t n_bodies, const pl_fem_source *source, pl_fem *out, pl_bsr *A)
{
    *out = (pl_fem){0};
    *A = (pl_bsr){0};
    pl_status status = allocate(n_bodies, source, out);
    for (int32_t i = 0; i < n_bodies && status == PL_OK; i++) status = add_body(out, i, &source[i]);
    if (status == PL_OK) status = sort_patches(out);
    if (status == PL_OK) status = list_touched(out);
    if (status == PL_OK) status = create_matrix(out, A);
    if (status == PL_OK) {
        find_slots(out, A);
        return PL_OK;
    }
    pl_fem_free(out);
    pl_bsr_free(A);
    return status;
}

void pl_fem_free(pl_fem *fem)
{
    pl_free(fem->body);
    pl_free(fem->mass);
    pl_free(fem->batch);
    pl_free(fem->patch);
    pl_free(fem->color);
    pl_free(fem->touch);
    pl_free(fem->partial);
    *fem = (pl_fem){0};
}
