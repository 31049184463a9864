#include "neighbours.h"

#include <string.h>

enum { UNKNOWN = 0, INSIDE = 1, OUTSIDE = -1 };

typedef struct carve {
    pl_mesh *mesh;
    int32_t *across; // (4*n_tet)
    int32_t *wall;   // (4*n_tet): the wall on a tet's face, -1 if none
    int32_t *inner;  // (n_face): tets on the inner side of the wall
    int8_t *side;    // (n_tet)
    int32_t *stack;  // (n_tet)
    int32_t n_stack;
    int32_t *renumber; // (n_vert)
} carve;

// Do two faces with the same corners look to the same side?
static bool same_side(const int32_t f[3], const int32_t g[3])
{
    int k = f[0] == g[0] ? 0 : f[0] == g[1] ? 1 : 2;
    return f[1] == g[(k + 1) % 3];
}

static pl_status mark(carve *c, int32_t tet, int8_t side)
{
    if (c->side[tet] == side) return PL_OK;
    if (c->side[tet] != UNKNOWN) {
        return pl_fail(PL_ERROR_GEOMETRY,
                       "one part of the surface lies inside another and is not turned inside out "
                       "(tet %d is inside the one and outside the other)",
                       (int)tet);
    }
    c->side[tet] = side;
    c->stack[c->n_stack++] = tet;
    return PL_OK;
}

// Finds the walls on the faces of all tets: both lists are in the same order.
static void match_walls(const pl_facet *facet, const pl_facet *wall, carve *c)
{
    const pl_facet *end = wall + c->mesh->n_face;
    for (const pl_facet *f = facet; f < facet + 4 * (int64_t)c->mesh->n_tet; f++) {
        while (wall < end && pl_facet_compare(wall, f) < 0) wall++;
        bool found = wall < end && pl_facet_compare(wall, f) == 0;
        c->wall[f->place] = found ? wall->place : -1;
    }
}

static pl_status find_walls(carve *c)
{
    const pl_mesh *mesh = c->mesh;
    pl_facet *facet, *wall = NULL;
    PL_TRY(pl_facets_of_tets(mesh->n_vert, mesh->n_tet, mesh->tet, &facet));
    pl_status status = pl_facets_of_faces(mesh->n_vert, mesh->n_face, mesh->face, &wall);
    if (status == PL_OK) status = pl_facets_pair(facet, 4 * mesh->n_tet, c->across);
    if (status == PL_OK) match_walls(facet, wall, c);
    pl_free(facet);
    pl_free(wall);
    return status;
}

// Marks the tets beside the walls.
static pl_status mark_sides(carve *c)
{
    const pl_mesh *mesh = c->mesh;
    for (int32_t i = 0; i < 4 * mesh->n_tet; i++) {
        const int32_t *t = mesh->tet + 4 * (int64_t)(i / 4);
        int32_t f[3];
        for (int k = 0; k < 3; k++) f[k] = t[pl_tet_face[i % 4][k]];
        if (c->wall[i] >= 0) {
            bool inner = same_side(f, mesh->face + 3 * (int64_t)c->wall[i]);
            c->inner[c->wall[i]] += inner;
            PL_TRY(mark(c, i / 4, inner ? INSIDE : OUTSIDE));
        } else if (c->across[i] < 0) {
            return pl_fail(PL_ERROR_GEOMETRY,
                           "the vertices %d, %d and %d bound the tets, but are no face of the "
                           "surface",
                           (int)f[0], (int)f[1], (int)f[2]);
        }
    }
    return PL_OK;
}

static pl_status flood(carve *c)
{
    while (c->n_stack > 0) {
        int32_t tet = c->stack[--c->n_stack];
        for (int k = 0; k < 4; k++) {
            int64_t place = 4 * (int64_t)tet + k;
            if (c->wall[place] < 0) PL_TRY(mark(c, c->across[place] / 4, c->side[tet]));
        }
    }
    for (int32_t i = 0; i < c->mesh->n_face; i++) {
        if (c->inner[i] == 1) continue;
        return pl_fail(PL_ERROR_GEOMETRY,
                       "face %d of the surface has no tet on its inner side: it is missing, or the "
                       "surface is turned inside out",
                       (int)i);
    }
    return PL_OK;
}

// Closes the gaps in the arrays. `renumber` (n_vert) is scratch.
static void compact(pl_mesh *mesh, const int8_t *side, int32_t n_keep, int32_t *renumber)
{
    int32_t n_tet = 0, n_vert = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) renumber[v] = v < n_keep;
    for (int32_t i = 0; i < mesh->n_tet; i++) {
        if (side[i] != INSIDE) continue;
        const int32_t *t = mesh->tet + 4 * (int64_t)i;
        for (int k = 0; k < 4; k++) renumber[t[k]] = 1;
        memmove(mesh->tet + 4 * (int64_t)n_tet++, t, 4 * sizeof *t);
    }
    for (int32_t v = 0; v < mesh->n_vert; v++) {
        if (renumber[v] == 0) continue;
        memmove(mesh->x + 3 * (int64_t)n_vert, mesh->x + 3 * (int64_t)v, 3 * sizeof *mesh->x);
        renumber[v] = n_vert++;
    }
    mesh->n_tet = n_tet;
    mesh->n_vert = n_vert;
    for (int64_t i = 0; i < 4 * (int64_t)n_tet; i++) mesh->tet[i] = renumber[mesh->tet[i]];
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) {
        mesh->face[i] = renumber[mesh->face[i]];
    }
}

static pl_status run(carve *c, int32_t n_keep)
{
    pl_mesh *mesh = c->mesh;
    PL_TRY(find_walls(c));
    PL_TRY(mark_sides(c));
    PL_TRY(flood(c));
    compact(mesh, c->side, n_keep, c->renumber);
    return PL_OK;
}

pl_status pl_mesh_carve(pl_mesh *mesh, int32_t n_keep)
{
    PL_REQUIRE(mesh);
    if (n_keep < 0 || n_keep > mesh->n_vert) {
        return pl_fail(PL_ERROR_ARGUMENT, "carve: there are no %d of %d vertices to keep",
                       (int)n_keep, (int)mesh->n_vert);
    }
    carve c = {.mesh = mesh};
    c.across = pl_alloc(4 * (int64_t)mesh->n_tet, sizeof *c.across);
    c.wall = pl_alloc(4 * (int64_t)mesh->n_tet, sizeof *c.wall);
    c.inner = pl_alloc_zero(mesh->n_face, sizeof *c.inner);
    c.side = pl_alloc_zero(mesh->n_tet, sizeof *c.side);
    c.stack = pl_alloc(mesh->n_tet, sizeof *c.stack);
    c.renumber = pl_alloc(mesh->n_vert, sizeof *c.renumber);
    bool complete = c.across != NULL && c.wall != NULL && c.inner != NULL && c.side != NULL &&
                    c.stack != NULL && c.renumber != NULL;
    pl_status status = complete ? run(&c, n_keep) : PL_ERROR_MEMORY;
    pl_free(c.across);
    pl_free(c.wall);
    pl_free(c.inner);
    pl_free(c.side);
    pl_free(c.stack);
    pl_free(c.renumber);
    return status;
}
