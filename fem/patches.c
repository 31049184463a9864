#include "patches.h"
#include "../meshes/curve.h"

#include <stdlib.h>
#include <string.h>

void pl_patch_corners(const pl_mesh *mesh, int32_t tet, int32_t corner[4])
{
    memcpy(corner, mesh->tet + 4 * (int64_t)tet, 4 * sizeof *corner);
    for (int k = 1; k < 4; k++) {
        int32_t v = corner[k];
        int at = k;
        for (; at > 0 && corner[at - 1] > v; at--) corner[at] = corner[at - 1];
        corner[at] = v;
    }
}

// --- Who has what ---

// Vertices, or edges, which are known by their blocks above A's diagonal.
typedef struct census {
    int32_t *last;  // the last patch that has it; -1: none so far
    bool *shared;   // among several patches
    int32_t *local; // its place in the list of the patch at work
} census;

typedef struct cutter {
    const pl_fem_source *source;
    const pl_bsr *A;
    int32_t *order; // (n_tet) the tets of each body along a space-filling curve
    census vert, edge;
} cutter;

static pl_status census_create(int64_t n, census *c)
{
    c->last = pl_alloc(n, sizeof *c->last);
    c->shared = pl_alloc_zero(n, sizeof *c->shared);
    c->local = pl_alloc(n, sizeof *c->local);
    if (c->last == NULL || c->shared == NULL || c->local == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) c->last[i] = -1;
    return PL_OK;
}

static void census_free(census *c)
{
    pl_free(c->last);
    pl_free(c->shared);
    pl_free(c->local);
}

static int count_new(const census *c, int32_t patch, int n, const int32_t *item)
{
    int count = 0;
    for (int k = 0; k < n; k++) count += c->last[item[k]] != patch;
    return count;
}

// Returns how many of them are new to the patch.
static int enter(census *c, int32_t patch, int n, const int32_t *item)
{
    int count = count_new(c, patch, n, item);
    for (int k = 0; k < n; k++) {
        int32_t *last = &c->last[item[k]];
        if (*last >= 0 && *last != patch) c->shared[item[k]] = true;
        *last = patch;
    }
    return count;
}

// The vertices of a tet in A's numbering, and the blocks of its edges.
static void find_items(const cutter *c, const pl_fem *fem, int32_t body, int32_t tet,
                       int32_t vert[4], int32_t edge[6])
{
    pl_patch_corners(c->source[body].mesh, tet, vert);
    for (int a = 0; a < 4; a++) vert[a] += fem->body[body].first;
    for (int a = 0, e = 0; a < 4; a++) {
        for (int b = a + 1; b < 4; b++) edge[e++] = (int32_t)pl_bsr_find(c->A, vert[a], vert[b]);
    }
}

// --- Cutting ---

// The tets of a body along a space-filling curve, so that a patch is a lump.
static pl_status order_tets(const pl_mesh *mesh, int32_t *order)
{
    double *middle = pl_alloc(3 * (int64_t)mesh->n_tet, sizeof *middle);
    if (middle == NULL) return PL_ERROR_MEMORY;
    for (int64_t t = 0; t < mesh->n_tet; t++) {
        const int32_t *corner = mesh->tet + 4 * t;
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int a = 0; a < 4; a++) sum += mesh->x[3 * (int64_t)corner[a] + k];
            middle[3 * t + k] = 0.25 * sum;
        }
    }
    pl_status status = pl_curve_order(mesh->n_tet, middle, order);
    pl_free(middle);
    return status;
}

// Puts a tet with so many new vertices and edges into the last patch, or into a new one if it does
// not fit.
static pl_status find_room(pl_fem *fem, int32_t body, int new_verts, int new_edges,
                           int64_t *capacity)
{
    if (fem->n_patch > 0) {
        const pl_fem_patch *last = &fem->patch[fem->n_patch - 1];
        if (last->body == body && last->n_tet < PL_PATCH_TETS &&
            last->n_vert + new_verts <= PL_PATCH_VERTS &&
            last->n_edge + new_edges <= PL_PATCH_EDGES) {
            return PL_OK;
        }
    }
    int64_t need = (int64_t)fem->n_patch + 1;
    PL_TRY(pl_reserve((void **)&fem->patch, capacity, need, sizeof *fem->patch));
    fem->patch[fem->n_patch++] = (pl_fem_patch){.body = body};
    return PL_OK;
}

// Cuts the tets of a body, in order, into patches, and notes who has what.
static pl_status cut_body(cutter *c, pl_fem *fem, int32_t body, const int32_t *order,
                          int64_t *capacity)
{
    for (int32_t i = 0; i < fem->body[body].n_tet; i++) {
        int32_t vert[4], edge[6], at = fem->n_patch - 1;
        find_items(c, fem, body, order[i], vert, edge);
        PL_TRY(find_room(fem, body, count_new(&c->vert, at, 4, vert),
                         count_new(&c->edge, at, 6, edge), capacity));
        at = fem->n_patch - 1;
        pl_fem_patch *patch = &fem->patch[at];
        patch->n_tet++;
        patch->n_vert += enter(&c->vert, at, 4, vert);
        patch->n_edge += enter(&c->edge, at, 6, edge);
    }
    return PL_OK;
}

static pl_status cut(cutter *c, pl_fem *fem)
{
    int64_t capacity = 0;
    int32_t *order = c->order;
    for (int32_t b = 0; b < fem->n_bodies; b++) {
        PL_TRY(order_tets(c->source[b].mesh, order));
        PL_TRY(cut_body(c, fem, b, order, &capacity));
        order += fem->body[b].n_tet;
    }
    return PL_OK;
}

// Gives each patch its places in the lists, and makes these.
static pl_status place(pl_fem *fem)
{
    int32_t n_vert = 0;
    for (int32_t p = 0; p < fem->n_patch; p++) {
        pl_fem_patch *patch = &fem->patch[p];
        patch->batch = fem->n_batch;
        patch->vert = n_vert;
        patch->edge = fem->n_edge;
        patch->n_batch = (patch->n_tet + PL_FEM_LANES - 1) / PL_FEM_LANES;
        fem->n_batch += patch->n_batch;
        n_vert += patch->n_vert;
        fem->n_edge += patch->n_edge;
    }
    fem->batch = pl_alloc(fem->n_batch, sizeof *fem->batch);
    fem->vert = pl_alloc(n_vert, sizeof *fem->vert);
    fem->edge = pl_alloc(fem->n_edge, sizeof *fem->edge);
    bool ok = fem->batch != NULL && fem->vert != NULL && fem->edge != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// --- The lists of a patch ---

static int compare_int32(const void *a, const void *b)
{
    int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

// Lists the vertices of the patch p, ascending, inner ones first, and marks its edges.
static void list_verts(cutter *c, pl_fem *fem, int32_t p, const int32_t *order)
{
    pl_fem_patch *patch = &fem->patch[p];
    int32_t *list = fem->vert + patch->vert, n_inner = 0, n_seam = 0;
    for (int32_t i = 0; i < patch->n_tet; i++) {
        int32_t vert[4], edge[6];
        find_items(c, fem, patch->body, order[i], vert, edge);
        for (int k = 0; k < 6; k++) c->edge.last[edge[k]] = p;
        for (int k = 0; k < 4; k++) {
            if (c->vert.last[vert[k]] == p) continue;
            c->vert.last[vert[k]] = p;
            if (c->vert.shared[vert[k]]) {
                list[patch->n_vert - ++n_seam] = vert[k];
            } else {
                list[n_inner++] = vert[k];
            }
        }
    }
    patch->n_inner_vert = n_inner;
    qsort(list, (size_t)n_inner, sizeof *list, compare_int32);
    qsort(list + n_inner, (size_t)n_seam, sizeof *list, compare_int32);
    for (int32_t k = 0; k < patch->n_vert; k++) c->vert.local[list[k]] = k;
}

// Lists the edges of the patch p, whose vertices are listed, inner ones first, in the order of A.
static void list_edges(cutter *c, pl_fem *fem, int32_t p)
{
    pl_fem_patch *patch = &fem->patch[p];
    const pl_bsr *A = c->A;
    pl_fem_edge *list = fem->edge + patch->edge;
    int32_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < patch->n_vert; k++) {
            int32_t v = fem->vert[patch->vert + k];
            for (int64_t slot = A->diag[v] + 1; slot < A->row[v + 1]; slot++) {
                if (c->edge.last[slot] != p || c->edge.shared[slot] != (pass == 1)) continue;
                int32_t other = A->col[slot];
                c->edge.local[slot] = n;
                list[n++] = (pl_fem_edge){
                    (int32_t)slot,
                    (int32_t)pl_bsr_find(A, other, v),
                    {(uint16_t)k, (uint16_t)c->vert.local[other]},
                };
            }
        }
        if (pass == 0) patch->n_inner_edge = n;
    }
}

static void fill_batches(const cutter *c, const pl_fem *fem, const pl_fem_patch *patch,
                         const int32_t *order)
{
    // Each lane goes along its own piece of the curve: tets of one batch are far from each other,
    // and do not wait for each other's sums.
    for (int32_t i = 0; i < patch->n_batch * PL_FEM_LANES; i++) {
        int32_t lane = i / patch->n_batch;
        pl_fem_batch *batch = &fem->batch[patch->batch + i % patch->n_batch];
        bool filled = i < patch->n_tet;
        int32_t vert[4], edge[6];
        batch->tet[lane] = filled ? order[i] : -1;
        find_items(c, fem, patch->body, batch->tet[filled ? lane : 0], vert, edge);
        for (int k = 0; k < 4; k++) batch->corner[k][lane] = (uint16_t)c->vert.local[vert[k]];
        for (int k = 0; k < 6; k++) batch->edge[k][lane] = (uint16_t)c->edge.local[edge[k]];
    }
}

static void list_all(cutter *c, pl_fem *fem)
{
    for (int64_t i = 0; i < fem->n_vert; i++) c->vert.last[i] = -1;
    for (int64_t i = 0; i < c->A->nnz; i++) c->edge.last[i] = -1;
    const int32_t *order = c->order;
    for (int32_t p = 0; p < fem->n_patch; p++) {
        list_verts(c, fem, p, order);
        list_edges(c, fem, p);
        fill_batches(c, fem, &fem->patch[p], order);
        order += fem->patch[p].n_tet;
    }
}

// --- Seams ---

// Where a patch lists what it has on seams, and what that is: one entry per part.
typedef struct parts {
    int32_t n;
    int32_t *listed; // (n)
    int32_t *item;   // (n) vertex, or block of A
} parts;

// Sorts the parts by what they are parts of, in the order in which that appears. index: scratch,
// one number per item.
static pl_status sew(const parts *parts, int64_t n_item, int32_t *index, pl_fem_seam *seam)
{
    for (int64_t i = 0; i < n_item; i++) index[i] = -1;
    for (int32_t k = 0; k < parts->n; k++) {
        int32_t *at = &index[parts->item[k]];
        if (*at < 0) *at = seam->n++;
    }
    seam->n_part = parts->n;
    seam->item = pl_alloc(seam->n, sizeof *seam->item);
    seam->start = pl_alloc_zero((int64_t)seam->n + 1, sizeof *seam->start);
    seam->part = pl_alloc(seam->n_part, sizeof *seam->part);
    if (seam->item == NULL || seam->start == NULL || seam->part == NULL) return PL_ERROR_MEMORY;
    for (int32_t k = 0; k < parts->n; k++) seam->start[index[parts->item[k]]]++;
    for (int32_t i = 0; i < seam->n; i++) seam->start[i + 1] += seam->start[i]; // ends
    for (int32_t k = parts->n - 1; k >= 0; k--) {
        int32_t at = index[parts->item[k]];
        seam->part[--seam->start[at]] = k;
        seam->item[at] = parts->listed[k];
    }
    return PL_OK;
}

static pl_status sew_verts(cutter *c, pl_fem *fem, parts *parts)
{
    parts->n = 0;
    for (int32_t p = 0; p < fem->n_patch; p++) {
        pl_fem_patch *patch = &fem->patch[p];
        patch->vert_part = parts->n;
        for (int32_t k = patch->n_inner_vert; k < patch->n_vert; k++) {
            parts->listed[parts->n] = patch->vert + k;
            parts->item[parts->n++] = fem->vert[patch->vert + k];
        }
    }
    return sew(parts, fem->n_vert, c->vert.local, &fem->seam_verts);
}

static pl_status sew_edges(cutter *c, pl_fem *fem, parts *parts)
{
    parts->n = 0;
    for (int32_t p = 0; p < fem->n_patch; p++) {
        pl_fem_patch *patch = &fem->patch[p];
        patch->edge_part = parts->n;
        for (int32_t k = patch->n_inner_edge; k < patch->n_edge; k++) {
            parts->listed[parts->n] = patch->edge + k;
            parts->item[parts->n++] = fem->edge[patch->edge + k].slot;
        }
    }
    return sew(parts, c->A->nnz, c->edge.local, &fem->seam_edges);
}

static pl_status sew_all(cutter *c, pl_fem *fem)
{
    int64_t most = fem->n_edge; // a patch has more edges than vertices
    parts parts = {0, pl_alloc(most, sizeof *parts.listed), pl_alloc(most, sizeof *parts.item)};
    pl_status status = parts.listed != NULL && parts.item != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = sew_verts(c, fem, &parts);
    if (status == PL_OK) status = sew_edges(c, fem, &parts);
    pl_free(parts.listed);
    pl_free(parts.item);
    if (status != PL_OK) return status;
    int64_t n_vert = fem->seam_verts.n_part, n_edge = fem->seam_edges.n_part;
    fem->still = pl_alloc_zero(fem->n_bodies, sizeof *fem->still);
    fem->known = pl_alloc_zero(fem->n_patch, sizeof *fem->known);
    fem->inverted = pl_alloc(fem->n_patch, sizeof *fem->inverted);
    fem->bound = pl_alloc(fem->n_patch, sizeof *fem->bound);
    fem->flat = pl_alloc(fem->n_patch, sizeof *fem->flat);
    fem->energy = pl_alloc(fem->n_patch, sizeof *fem->energy);
    fem->part_force = pl_alloc(3 * n_vert, sizeof *fem->part_force);
    fem->part_diag = pl_alloc(9 * n_vert, sizeof *fem->part_diag);
    fem->part_edge = pl_alloc(9 * n_edge, sizeof *fem->part_edge);
    bool ok = fem->still != NULL && fem->known != NULL && fem->inverted != NULL &&
              fem->bound != NULL && fem->flat != NULL && fem->energy != NULL &&
              fem->part_force != NULL && fem->part_diag != NULL && fem->part_edge != NULL;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

// --- All of it ---

pl_status pl_patches_create(const pl_fem_source *source, const pl_bsr *A, pl_fem *fem)
{
    cutter c = {.source = source, .A = A};
    c.order = pl_alloc(fem->n_tet, sizeof *c.order);
    pl_status status = c.order != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = census_create(fem->n_vert, &c.vert);
    if (status == PL_OK) status = census_create(A->nnz, &c.edge);
    if (status == PL_OK) status = cut(&c, fem);
    if (status == PL_OK) status = place(fem);
    if (status == PL_OK) {
        list_all(&c, fem);
        status = sew_all(&c, fem);
    }
    pl_free(c.order);
    census_free(&c.vert);
    census_free(&c.edge);
    return status;
}
