// The surface of a body: where the map leads to the surface of its rest shape, in triangles of
// tetrahedra, six for each cell of a lattice that is `refine` times as fine as the grid.

#include "../meshes/mesh.h"
#include "euler.h"

#include <math.h>
#include <string.h>

// The lattice, and the vertices on its edges: each belongs to the edge's lower end and its
// direction, one of 7 (bits x, y, z).
typedef struct lattice {
    const pl_euler_body *body;
    double h;
    int32_t refine, n[3];
    double *phi;     // at its nodes
    int32_t *vertex; // (7 * nodes) -1: none yet
    pl_mesh_builder builder;
} lattice;

// X at a point of a cell; false where the map is not known.
static bool map_at(const pl_euler_window *w, int64_t cell, const double t[3], double X[3])
{
    for (int k = 0; k < 3; k++) X[k] = 0;
    for (int c = 0; c < 8; c++) {
        double weight =
            (c & 1 ? t[0] : 1 - t[0]) * (c & 2 ? t[1] : 1 - t[1]) * (c & 4 ? t[2] : 1 - t[2]);
        if (weight == 0) continue;
        int64_t at = pl_euler_corner(w, cell, c);
        if (w->node[at] == PL_NODE_NONE) return false;
        for (int k = 0; k < 3; k++) X[k] += weight * w->X[3 * at + k];
    }
    return true;
}

static void find_phi(void *context, int64_t first, int64_t last)
{
    const lattice *l = context;
    const pl_euler_window *w = &l->body->now;
    for (int64_t at = first; at < last; at++) {
        const int64_t place[3] = {at % l->n[0], at / l->n[0] % l->n[1], at / l->n[0] / l->n[1]};
        int32_t cell[3];
        double t[3], X[3];
        for (int k = 0; k < 3; k++) {
            cell[k] = PL_MIN((int32_t)place[k] / l->refine, w->n[k] - 2);
            t[k] = (double)(place[k] - (int64_t)cell[k] * l->refine) / l->refine;
        }
        bool known = map_at(w, pl_euler_at(w, cell[0], cell[1], cell[2]), t, X);
        double phi = known ? pl_distance_at(&l->body->shape, X) : INFINITY;
        l->phi[at] = phi;
    }
}

static double node_coordinate(const lattice *l, int64_t at, int axis)
{
    const int64_t place[3] = {at % l->n[0], at / l->n[0] % l->n[1], at / l->n[0] / l->n[1]};
    return l->h * (l->body->now.lo[axis] + (double)place[axis] / l->refine);
}

// The vertex on the edge from node a to node b > a.
static pl_status take_vertex(lattice *l, int64_t a, int64_t b, int direction, int32_t *out)
{
    int32_t *vertex = &l->vertex[7 * a + direction - 1];
    if (*vertex < 0) {
        // not at the very ends, so that no triangle is a point
        double t = fmin(fmax(l->phi[a] / (l->phi[a] - l->phi[b]), 1e-3), 1 - 1e-3), x[3];
        if (!isfinite(t)) t = 0.5;
        for (int k = 0; k < 3; k++) {
            double from = node_coordinate(l, a, k), to = node_coordinate(l, b, k);
            x[k] = from + t * (to - from);
        }
        *vertex = (int32_t)l->builder.n_vert;
        PL_TRY(pl_builder_vertex(&l->builder, x));
    }
    *out = *vertex;
    return PL_OK;
}

// Is the order of the corners of a tetrahedron right-handed?
static bool is_even(const uint8_t corner[4])
{
    double e[3][3];
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) e[r][k] = (corner[r + 1] >> k & 1) - (corner[0] >> k & 1);
    }
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
               e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
               e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]) >
           0;
}

// Where the corners with the bits of `below` are inside: edges (from, to) of the polygon around
// them, outward for right-handed tetrahedra; three, or four.
static const int8_t outline[16][4][2] = {
    [1] = {{0, 1}, {0, 2}, {0, 3}, {-1, -1}},  [2] = {{1, 0}, {1, 3}, {1, 2}, {-1, -1}},
    [4] = {{2, 0}, {2, 1}, {2, 3}, {-1, -1}},  [8] = {{3, 0}, {3, 2}, {3, 1}, {-1, -1}},
    [14] = {{0, 1}, {0, 3}, {0, 2}, {-1, -1}}, [13] = {{1, 0}, {1, 2}, {1, 3}, {-1, -1}},
    [11] = {{2, 0}, {2, 3}, {2, 1}, {-1, -1}}, [7] = {{3, 0}, {3, 1}, {3, 2}, {-1, -1}},
    [3] = {{0, 2}, {0, 3}, {1, 3}, {1, 2}},    [12] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}},
    [5] = {{0, 1}, {2, 1}, {2, 3}, {0, 3}},    [10] = {{0, 1}, {0, 3}, {2, 3}, {2, 1}},
    [9] = {{0, 1}, {0, 2}, {3, 2}, {3, 1}},    [6] = {{0, 1}, {3, 1}, {3, 2}, {0, 2}}};

static pl_status cut_tet(lattice *l, const int64_t node[8], const uint8_t corner[4])
{
    int below = 0;
    int32_t p[4] = {0};
    for (int k = 0; k < 4; k++) below |= (l->phi[node[corner[k]]] < 0) << k;
    if (below == 0 || below == 15) return PL_OK;
    int n = outline[below][3][0] < 0 ? 3 : 4;
    for (int k = 0; k < n; k++) {
        int a = corner[outline[below][k][0]], b = corner[outline[below][k][1]];
        int low = PL_MIN(a, b), high = PL_MAX(a, b); // corners of a tetrahedron contain each other
        PL_TRY(take_vertex(l, node[low], node[high], high ^ low, &p[k]));
    }
    bool even = is_even(corner);
    PL_TRY(pl_builder_face(&l->builder, p[0], p[even ? 1 : 2], p[even ? 2 : 1]));
    return n == 3 ? PL_OK : pl_builder_face(&l->builder, p[0], p[even ? 2 : 3], p[even ? 3 : 2]);
}

static pl_status cut_cells(lattice *l)
{
    for (int32_t k = 0; k + 1 < l->n[2]; k++) {
        for (int32_t j = 0; j + 1 < l->n[1]; j++) {
            for (int32_t i = 0; i + 1 < l->n[0]; i++) {
                int64_t node[8];
                for (int c = 0; c < 8; c++) {
                    node[c] =
                        i + (c & 1) +
                        (int64_t)l->n[0] * (j + (c >> 1 & 1) + (int64_t)l->n[1] * (k + (c >> 2)));
                }
                for (int t = 0; t < 6; t++) PL_TRY(cut_tet(l, node, pl_euler_tets[t]));
            }
        }
    }
    return PL_OK;
}

static pl_status extract(lattice *l, pl_mesh **out)
{
    int64_t nodes = (int64_t)l->n[0] * l->n[1] * l->n[2];
    if (nodes > PL_EULER_NODES_MAX) {
        return pl_fail(PL_ERROR_GEOMETRY, "the surface takes more than %d nodes",
                       (int)PL_EULER_NODES_MAX);
    }
    l->phi = pl_alloc(nodes, sizeof *l->phi);
    l->vertex = pl_alloc(7 * nodes, sizeof *l->vertex);
    if (l->phi == NULL || l->vertex == NULL) return PL_ERROR_MEMORY;
    memset(l->vertex, 0xff, 7 * (size_t)nodes * sizeof *l->vertex);
    pl_loop(nodes, 4096, find_phi, l);
    PL_TRY(cut_cells(l));
    return pl_builder_finish(&l->builder, out);
}

pl_status pl_euler_extract(const pl_euler *e, const pl_euler_body *body, int32_t refine,
                           pl_mesh **out)
{
    lattice l = {.body = body, .h = e->h, .refine = refine};
    for (int k = 0; k < 3; k++) l.n[k] = (body->now.n[k] - 1) * refine + 1;
    pl_status status = extract(&l, out);
    pl_builder_free(&l.builder);
    pl_free(l.phi);
    pl_free(l.vertex);
    return status;
}

void pl_euler_map(const pl_euler *e, const pl_euler_body *body, const double x[3], double X[3])
{
    const pl_euler_window *w = &body->now;
    int32_t cell[3];
    double t[3];
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        double at = x[k] / e->h - w->lo[k];
        inside = inside && at >= 0 && at <= w->n[k] - 1;
        cell[k] = inside ? PL_MIN((int32_t)at, w->n[k] - 2) : 0;
        t[k] = at - cell[k];
    }
    if (inside) inside = map_at(w, pl_euler_at(w, cell[0], cell[1], cell[2]), t, X);
    for (int k = 0; k < 3 && !inside; k++) X[k] = NAN;
}
