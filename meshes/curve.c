#include "curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 21 }; // along each axis: 63 bits in all

typedef struct keyed {
    uint64_t key;
    int32_t index;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

// Spreads the low 21 bits of v to every third bit.
static uint64_t spread(uint64_t v)
{
    v = (v | v << 32) & 0x001f00000000ffffu;
    v = (v | v << 16) & 0x001f0000ff0000ffu;
    v = (v | v << 8) & 0x100f00f00f00f00fu;
    v = (v | v << 4) & 0x10c30c30c30c30c3u;
    return (v | v << 2) & 0x1249249249249249u;
}

pl_status pl_curve_order(int32_t n, const double *x, int32_t *order)
{
    keyed *keys = pl_alloc(n, sizeof *keys);
    if (keys == NULL) return PL_ERROR_MEMORY;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, size = 0;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) lo[i % 3] = fmin(lo[i % 3], x[i]);
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) size = fmax(size, x[i] - lo[i % 3]);
    double scale = size > 0 ? (CELLS - 1) / size : 0;
    for (int32_t i = 0; i < n; i++) {
        keys[i] = (keyed){0, i};
        for (int k = 0; k < 3; k++) {
            keys[i].key |= spread((uint64_t)((x[3 * (int64_t)i + k] - lo[k]) * scale)) << k;
        }
    }
    qsort(keys, (size_t)n, sizeof *keys, compare);
    for (int32_t i = 0; i < n; i++) order[i] = keys[i].index;
    pl_free(keys);
    return PL_OK;
}

pl_status pl_curve_rank(const pl_mesh *mesh, int32_t *rank)
{
    int32_t *order = pl_alloc(mesh->n_vert, sizeof *order);
    if (order == NULL) return PL_ERROR_MEMORY;
    pl_status status = pl_curve_order(mesh->n_vert, mesh->x, order);
    for (int32_t i = 0; status == PL_OK && i < mesh->n_vert; i++) rank[order[i]] = i;
    pl_free(order);
    return status;
}

pl_status pl_mesh_renumber(const pl_mesh *mesh, const int32_t *rank, pl_mesh **out)
{
    PL_TRY(pl_mesh_alloc(mesh->n_vert, mesh->n_face, mesh->n_tet, out));
    for (int64_t v = 0; v < mesh->n_vert; v++) {
        memcpy((*out)->x + 3 * (int64_t)rank[v], mesh->x + 3 * v, 3 * sizeof(double));
    }
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) (*out)->face[i] = rank[mesh->face[i]];
    for (int64_t i = 0; i < 4 * (int64_t)mesh->n_tet; i++) (*out)->tet[i] = rank[mesh->tet[i]];
    return PL_OK;
}

pl_status pl_mesh_along_curve(pl_mesh **mesh)
{
    pl_mesh *ordered = NULL;
    int32_t *rank = pl_alloc((*mesh)->n_vert, sizeof *rank);
    pl_status status = rank != NULL ? pl_curve_rank(*mesh, rank) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = pl_mesh_renumber(*mesh, rank, &ordered);
    pl_free(rank);
    if (status != PL_OK) return status;
    pl_mesh_destroy(*mesh);
    *mesh = ordered;
    return PL_OK;
}
