#include "neighbours.h"

#include <string.h>

const int pl_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

static void swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

pl_facet pl_facet_at(const int32_t *tet, int32_t place)
{
    const int32_t *t = tet + 4 * (int64_t)(place / 4);
    const int *face = pl_tet_face[place % 4];
    pl_facet f = {{t[face[0]], t[face[1]], t[face[2]]}, place};
    if (f.v[0] > f.v[1]) swap(f.v, f.v + 1);
    if (f.v[1] > f.v[2]) swap(f.v + 1, f.v + 2);
    if (f.v[0] > f.v[1]) swap(f.v, f.v + 1);
    return f;
}

// Facets are chained by their smallest corner: head (n_vert), next (4*n_tet).
static pl_status pair(int32_t n_tet, const int32_t *tet, int32_t *head, int32_t *next,
                      int32_t *across)
{
    for (int32_t i = 0; i < 4 * n_tet; i++) {
        pl_facet f = pl_facet_at(tet, i);
        across[i] = -1;
        for (int32_t j = head[f.v[0]]; j >= 0; j = next[j]) {
            pl_facet g = pl_facet_at(tet, j);
            if (!pl_facet_equal(&f, &g)) continue;
            if (across[j] >= 0) {
                return pl_fail(PL_ERROR_GEOMETRY,
                               "the face of the vertices %d, %d and %d belongs to three tets",
                               (int)f.v[0], (int)f.v[1], (int)f.v[2]);
            }
            across[i] = j;
            across[j] = i;
            break;
        }
        if (across[i] >= 0) continue; // its partner, already in the chain, stands for both
        next[i] = head[f.v[0]];
        head[f.v[0]] = i;
    }
    return PL_OK;
}

pl_status pl_tet_neighbours(int32_t n_vert, int32_t n_tet, const int32_t *tet, int32_t *across)
{
    int32_t *head = pl_alloc(n_vert, sizeof *head);
    int32_t *next = pl_alloc(4 * (int64_t)n_tet, sizeof *next);
    pl_status status = PL_ERROR_MEMORY;
    if (head != NULL && next != NULL) {
        memset(head, -1, (size_t)n_vert * sizeof *head);
        status = pair(n_tet, tet, head, next, across);
    }
    pl_free(head);
    pl_free(next);
    return status;
}
