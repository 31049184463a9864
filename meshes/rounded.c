#include "rounded.h"

#include <math.h>

#define TAU 6.283185307179586476925286766559

// --- Rounded boxes ---

// The surface of a grid of lines along each axis. A line is a place of the box, and a tangent: from
// the middle of a box, directions on a cube are (1, tan a, tan b), with angles up to 45 degrees on
// either side.
enum { QUARTER_MAX = 64, LINES_MAX = 2 * QUARTER_MAX + 2 };

typedef struct lines {
    int32_t n;
    double place[LINES_MAX], tangent[LINES_MAX];
} lines;

// Where the box has no extent, or no rounding, lines fall together.
static lines make_lines(double half, double radius, int32_t quarter)
{
    lines l = {0};
    if (!(radius > 0)) {
        const double place[2] = {-half, half}, tangent[2] = {-1, 1};
        for (; l.n < 2; l.n++) l.place[l.n] = place[l.n], l.tangent[l.n] = tangent[l.n];
        return l;
    }
    for (int32_t i = -quarter; i <= quarter; i++) {
        double tangent = tan(TAU / 8 * i / quarter);
        for (int side = -1; side <= 1; side += 2) {
            if (side * i < 0 || (i == 0 && half == 0 && side > 0)) continue;
            l.place[l.n] = side * half;
            l.tangent[l.n++] = tangent;
        }
    }
    return l;
}

typedef struct grid {
    lines line[3];
    double radius;
    int32_t *vertex; // of each point of the grid, -1 where it has none yet
    pl_mesh_builder builder;
} grid;

static pl_status vertex_at(grid *g, const int32_t at[3], int32_t *out)
{
    int64_t i = ((int64_t)at[2] * g->line[1].n + at[1]) * g->line[0].n + at[0];
    if (g->vertex[i] < 0) {
        double x[3], square = 0;
        for (int k = 0; k < 3; k++) {
            double t = g->line[k].tangent[at[k]];
            square += t * t;
        }
        for (int k = 0; k < 3; k++) {
            x[k] = g->line[k].place[at[k]] + g->radius * g->line[k].tangent[at[k]] / sqrt(square);
        }
        g->vertex[i] = (int32_t)g->builder.n_vert;
        PL_TRY(pl_builder_vertex(&g->builder, x));
    }
    *out = g->vertex[i];
    return PL_OK;
}

// The side of the grid where the lines along an axis begin, or end.
static pl_status add_side(grid *g, int axis, bool end)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int32_t i = 0; i + 1 < g->line[u].n; i++) {
        for (int32_t j = 0; j + 1 < g->line[v].n; j++) {
            static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
            int32_t q[4], at[3];
            at[axis] = end ? g->line[axis].n - 1 : 0;
            for (int k = 0; k < 4; k++) {
                at[u] = i + corner[k][0];
                at[v] = j + corner[k][1];
                PL_TRY(vertex_at(g, at, &q[end ? k : 3 - k]));
            }
            // The shorter way across, by turns around the corners of the cube.
            bool turn = (2 * i + 1 < g->line[u].n - 1) != (2 * j + 1 < g->line[v].n - 1);
            if (turn != end) {
                PL_TRY(pl_builder_face(&g->builder, q[0], q[1], q[2]));
                PL_TRY(pl_builder_face(&g->builder, q[0], q[2], q[3]));
            } else {
                PL_TRY(pl_builder_face(&g->builder, q[0], q[1], q[3]));
                PL_TRY(pl_builder_face(&g->builder, q[1], q[2], q[3]));
            }
        }
    }
    return PL_OK;
}

pl_status pl_mesh_rounded_box(const double half[3], double radius, int32_t segments, pl_mesh **out)
{
    *out = NULL;
    int32_t quarter = PL_MIN(PL_MAX(segments / 8, 1), QUARTER_MAX);
    grid g = {.radius = radius};
    int64_t n = 1;
    for (int k = 0; k < 3; k++) {
        g.line[k] = make_lines(half[k], radius, quarter);
        n *= g.line[k].n;
    }
    g.vertex = pl_alloc(n, sizeof *g.vertex);
    if (g.vertex == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) g.vertex[i] = -1;
    pl_status status = PL_OK;
    for (int k = 0; k < 6 && status == PL_OK; k++) status = add_side(&g, k / 2, k % 2 == 1);
    pl_free(g.vertex);
    if (status == PL_OK) return pl_builder_finish(&g.builder, out);
    pl_builder_free(&g.builder);
    return status;
}

// --- Solids of revolution ---

static pl_status add_circle(pl_mesh_builder *b, const pl_circle *c, int32_t segments)
{
    int32_t n = c->radius > 0 ? segments : 1;
    for (int32_t i = 0; i < n; i++) {
        double angle = TAU * i / segments;
        const double x[3] = {c->radius * cos(angle), c->radius * sin(angle), c->z};
        PL_TRY(pl_builder_vertex(b, x));
    }
    return PL_OK;
}

// A disk around a vertex in its middle, seen from above or from below.
static pl_status add_disk(pl_mesh_builder *b, double z, int32_t first, int32_t segments, bool above)
{
    int32_t middle = (int32_t)b->n_vert;
    const double x[3] = {0, 0, z};
    PL_TRY(pl_builder_vertex(b, x));
    for (int32_t i = 0; i < segments; i++) {
        int32_t p = first + i, q = first + (i + 1) % segments;
        PL_TRY(pl_builder_face(b, middle, above ? p : q, above ? q : p));
    }
    return PL_OK;
}

// Between two circles, the lower first.
static pl_status add_band(pl_mesh_builder *b, const pl_circle *c, int32_t low, int32_t high,
                          int32_t segments)
{
    for (int32_t i = 0; i < segments; i++) {
        int32_t next = (i + 1) % segments;
        int32_t p = c[0].radius > 0 ? low + i : low, q = c[0].radius > 0 ? low + next : low;
        int32_t r = c[1].radius > 0 ? high + i : high, s = c[1].radius > 0 ? high + next : high;
        if (p != q) PL_TRY(pl_builder_face(b, p, q, s));
        if (r != s) PL_TRY(pl_builder_face(b, p, s, r));
    }
    return PL_OK;
}

static pl_status turn_circles(pl_mesh_builder *b, int32_t n, const pl_circle *c, int32_t segments)
{
    int32_t before = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t first = (int32_t)b->n_vert;
        PL_TRY(add_circle(b, &c[i], segments));
        if (i > 0) PL_TRY(add_band(b, &c[i - 1], before, first, segments));
        before = first;
    }
    if (c[0].radius > 0) PL_TRY(add_disk(b, c[0].z, 0, segments, false));
    if (c[n - 1].radius > 0) PL_TRY(add_disk(b, c[n - 1].z, before, segments, true));
    return PL_OK;
}

pl_status pl_mesh_turned(int32_t n, const pl_circle *circle, int32_t segments, pl_mesh **out)
{
    pl_mesh_builder b = {0};
    *out = NULL;
    pl_status status = turn_circles(&b, n, circle, segments);
    if (status == PL_OK) return pl_builder_finish(&b, out);
    pl_builder_free(&b);
    return status;
}

static pl_status add_tube(pl_mesh_builder *b, double radius, double tube, int32_t segments)
{
    int32_t sides = PL_MAX(segments / 2, 6);
    for (int32_t i = 0; i < segments; i++) {
        double angle = TAU * i / segments;
        for (int32_t j = 0; j < sides; j++) {
            double side = TAU * j / sides, r = radius + tube * cos(side);
            const double x[3] = {r * cos(angle), r * sin(angle), tube * sin(side)};
            PL_TRY(pl_builder_vertex(b, x));
        }
    }
    for (int32_t i = 0; i < segments; i++) {
        int32_t here = i * sides, there = (i + 1) % segments * sides;
        for (int32_t j = 0; j < sides; j++) {
            int32_t next = (j + 1) % sides;
            PL_TRY(pl_builder_face(b, here + j, there + j, there + next));
            PL_TRY(pl_builder_face(b, here + j, there + next, here + next));
        }
    }
    return PL_OK;
}

pl_status pl_mesh_tube(double radius, double tube, int32_t segments, pl_mesh **out)
{
    pl_mesh_builder b = {0};
    *out = NULL;
    pl_status status = add_tube(&b, radius, tube, segments);
    if (status == PL_OK) return pl_builder_finish(&b, out);
    pl_builder_free(&b);
    return status;
}
