#include "neighbours.h"

#include <string.h>

const int pl_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// --- Facets in order ---

static pl_facet make_facet(int32_t a, int32_t b, int32_t c, int32_t place)
{
    pl_facet f = {{a, b, c}, place};
    if (f.v[0] > f.v[1]) pl_swap(f.v, f.v + 1);
    if (f.v[1] > f.v[2]) pl_swap(f.v + 1, f.v + 2);
    if (f.v[0] > f.v[1]) pl_swap(f.v, f.v + 1);
    return f;
}

pl_facet pl_facet_at(const int32_t *tet, int32_t place)
{
    const int32_t *t = tet + 4 * (int64_t)(place / 4);
    const int *face = pl_tet_face[place % 4];
    return make_facet(t[face[0]], t[face[1]], t[face[2]], place);
}

// A counting sort by corner k, which keeps the order of equal ones. start (n_vert + 1) is scratch.
static void sort_by_corner(const pl_facet *from, int32_t n, int k, int32_t n_vert, int32_t *start,
                           pl_facet *to)
{
    memset(start, 0, ((size_t)n_vert + 1) * sizeof *start);
    for (int32_t i = 0; i < n; i++) start[from[i].v[k] + 1]++;
    for (int32_t v = 0; v < n_vert; v++) start[v + 1] += start[v];
    for (int32_t i = 0; i < n; i++) to[start[from[i].v[k]]++] = from[i];
}

// Sorts the block *facet (n), which is another one afterwards, or freed on failure.
static pl_status sort_facets(int32_t n_vert, int32_t n, pl_facet **facet)
{
    pl_facet *other = pl_alloc(n, sizeof *other);
    int32_t *start = pl_alloc((int64_t)n_vert + 1, sizeof *start);
    bool complete = other != NULL && start != NULL;
    if (complete) {
        sort_by_corner(*facet, n, 2, n_vert, start, other);
        sort_by_corner(other, n, 1, n_vert, start, *facet);
        sort_by_corner(*facet, n, 0, n_vert, start, other);
    }
    pl_free(start);
    pl_free(*facet);
    if (!complete) pl_free(other);
    *facet = complete ? other : NULL;
    return complete ? PL_OK : PL_ERROR_MEMORY;
}

pl_status pl_facets_of_tets(int32_t n_vert, int32_t n_tet, const int32_t *tet, pl_facet **out)
{
    *out = pl_alloc(4 * (int64_t)n_tet, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < 4 * n_tet; i++) (*out)[i] = pl_facet_at(tet, i);
    return sort_facets(n_vert, 4 * n_tet, out);
}

pl_status pl_facets_of_faces(int32_t n_vert, int32_t n_face, const int32_t *face, pl_facet **out)
{
    *out = pl_alloc(n_face, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < n_face; i++) {
        const int32_t *v = face + 3 * (int64_t)i;
        (*out)[i] = make_facet(v[0], v[1], v[2], i);
    }
    return sort_facets(n_vert, n_face, out);
}

// --- Pairs ---

pl_status pl_facets_pair(const pl_facet *facet, int32_t n, int32_t *across)
{
    const pl_facet *crowded = NULL, *first = facet;
    for (const pl_facet *f = facet; f < facet + n; f++) {
        if (f == first || pl_facet_compare(f, first) != 0) {
            first = f;
            across[f->place] = -1;
            continue;
        }
        across[f->place] = first->place;
        if (f == first + 1) across[first->place] = f->place;
        if (f == first + 2) crowded = f;
    }
    if (crowded == NULL) return PL_OK;
    return pl_fail(PL_ERROR_GEOMETRY,
                   "the face of the vertices %d, %d and %d belongs to three tets",
                   (int)crowded->v[0], (int)crowded->v[1], (int)crowded->v[2]);
}

pl_status pl_tet_neighbours(int32_t n_vert, int32_t n_tet, const int32_t *tet, int32_t *across)
{
    pl_facet *facet;
    PL_TRY(pl_facets_of_tets(n_vert, n_tet, tet, &facet));
    pl_status status = pl_facets_pair(facet, 4 * n_tet, across);
    pl_free(facet);
    return status;
}

pl_status pl_mesh_neighbours(const pl_mesh *mesh, int32_t *across)
{
    PL_REQUIRE(mesh);
    PL_REQUIRE(across);
    return pl_tet_neighbours(mesh->n_vert, mesh->n_tet, mesh->tet, across);
}

// --- Boundary ---

// alone (n): by place, whether no other facet has the same corners. Returns how many are.
static int32_t find_alone(const pl_facet *facet, int32_t n, bool *alone)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        bool as_before = i > 0 && pl_facet_compare(&facet[i], &facet[i - 1]) == 0;
        bool as_after = i + 1 < n && pl_facet_compare(&facet[i], &facet[i + 1]) == 0;
        alone[facet[i].place] = !as_before && !as_after;
        count += !as_before && !as_after;
    }
    return count;
}

pl_status pl_tet_boundary(int32_t n_vert, int32_t n_tet, const int32_t *tet, int32_t **face,
                          int32_t *n_face)
{
    *face = NULL;
    *n_face = 0;
    pl_facet *facet;
    PL_TRY(pl_facets_of_tets(n_vert, n_tet, tet, &facet));
    bool *alone = pl_alloc(4 * (int64_t)n_tet, sizeof *alone);
    if (alone != NULL) {
        *face = pl_alloc(3 * (int64_t)find_alone(facet, 4 * n_tet, alone), sizeof **face);
    }
    pl_free(facet);
    for (int32_t i = 0; *face != NULL && i < 4 * n_tet; i++) {
        if (!alone[i]) continue;
        const int32_t *t = tet + 4 * (int64_t)(i / 4);
        int32_t *f = *face + 3 * (int64_t)(*n_face)++;
        for (int k = 0; k < 3; k++) f[k] = t[pl_tet_face[i % 4][k]];
    }
    pl_free(alone);
    return *face != NULL ? PL_OK : PL_ERROR_MEMORY;
}
