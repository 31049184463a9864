#include "edges.h"
#include "mesh.h"
#include "pairs.h"
#include "triangles.h"

// --- Edges ---

// A growing list of numbers.
typedef struct list {
    int32_t *data;
    int64_t n, capacity;
} list;

static pl_status list_add(list *list, int32_t value)
{
    PL_TRY(pl_reserve((void **)&list->data, &list->capacity, list->n + 1, sizeof *list->data));
    list->data[list->n++] = value;
    return PL_OK;
}

static pl_status list_add_edge(list *list, uint64_t edge)
{
    PL_TRY(list_add(list, pl_edge_lower(edge)));
    return list_add(list, pl_edge_upper(edge));
}

// Hands the list over to a report: `width` numbers per element.
static void list_move(list *list, int width, int32_t *n, int32_t **data)
{
    *n = (int32_t)(list->n / width);
    *data = list->data;
}

static pl_status inspect_edges(const pl_mesh *mesh, const pl_side *sides, int64_t n_sides,
                               pl_surface_report *out)
{
    list open = {0}, nonmanifold = {0}, misoriented = {0};
    pl_status status = PL_OK;
    for (int64_t i = 0, j; i < n_sides && status == PL_OK; i = j) {
        j = pl_sides_run(sides, n_sides, i);
        if (j - i == 1) {
            status = list_add_edge(&open, sides[i].edge);
        } else if (j - i > 2) {
            status = list_add_edge(&nonmanifold, sides[i].edge);
        } else if (pl_side_ascends(mesh->face, sides[i].side) ==
                   pl_side_ascends(mesh->face, sides[i + 1].side)) {
            status = list_add_edge(&misoriented, sides[i].edge);
        }
    }
    list_move(&open, 2, &out->n_open, &out->open);
    list_move(&nonmanifold, 2, &out->n_nonmanifold, &out->nonmanifold);
    list_move(&misoriented, 2, &out->n_misoriented, &out->misoriented);
    out->closed = n_sides > 0 && out->n_open == 0;
    return status;
}

// --- Vertices ---

// The corner of the side's face at vertex v.
static int32_t corner_at(const int32_t *face, int32_t side, int32_t v)
{
    int32_t f = side / 3, k = side % 3;
    return face[side] == v ? side : 3 * f + (k + 1) % 3;
}

// Fans are sets of corners at one vertex that hang together over edges. fan (3*n_face), first
// (n_vert): a fan of each vertex.
static pl_status inspect_fans(const pl_mesh *mesh, const pl_side *sides, int64_t n_sides,
                              int32_t *fan, int32_t *first, pl_surface_report *out)
{
    for (int32_t i = 0; i < 3 * mesh->n_face; i++) fan[i] = i;
    for (int64_t i = 1; i < n_sides; i++) {
        if (sides[i].edge != sides[i - 1].edge) continue;
        int32_t end[2] = {pl_edge_lower(sides[i].edge), pl_edge_upper(sides[i].edge)};
        for (int k = 0; k < 2; k++) {
            pl_set_join(fan, corner_at(mesh->face, sides[i - 1].side, end[k]),
                        corner_at(mesh->face, sides[i].side, end[k]));
        }
    }
    enum { NONE = -1, PINCHED = -2 };
    for (int32_t v = 0; v < mesh->n_vert; v++) first[v] = NONE;
    for (int64_t i = 0; i < n_sides; i++) {
        int32_t corner = sides[i].side, v = mesh->face[corner], root = pl_set_find(fan, corner);
        if (first[v] == NONE) first[v] = root;
        if (first[v] != root) first[v] = PINCHED;
    }
    list pinched = {0};
    pl_status status = PL_OK;
    for (int32_t v = 0; v < mesh->n_vert && status == PL_OK; v++) {
        if (first[v] == PINCHED) status = list_add(&pinched, v);
    }
    list_move(&pinched, 1, &out->n_pinched, &out->pinched);
    return status;
}

// Each vertex of a face is a part of its own until a face joins it to others. parent (n_vert)
static int32_t count_parts(const pl_mesh *mesh, int32_t *parent)
{
    int32_t parts = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) parent[v] = -1;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) {
        int32_t v = mesh->face[i], first = mesh->face[i - i % 3];
        if (parent[v] < 0) {
            parent[v] = v;
            parts++;
        }
        if (pl_set_join(parent, first, v)) parts--;
    }
    return parts;
}

static pl_status inspect_topology(const pl_mesh *mesh, pl_surface_report *out)
{
    pl_side *sides;
    int64_t n_sides;
    PL_TRY(pl_sides_sort(mesh->n_face, mesh->face, &sides, &n_sides));
    int32_t *corner = pl_alloc(3 * (int64_t)mesh->n_face, sizeof *corner);
    int32_t *vertex = pl_alloc(mesh->n_vert, sizeof *vertex);
    pl_status status = corner != NULL && vertex != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK) status = inspect_edges(mesh, sides, n_sides, out);
    if (status == PL_OK) status = inspect_fans(mesh, sides, n_sides, corner, vertex, out);
    if (status == PL_OK) out->n_parts = count_parts(mesh, vertex);
    pl_free(sides);
    pl_free(corner);
    pl_free(vertex);
    return status;
}

// --- Faces ---

// body (n_face): 0, or -1 for degenerate faces.
static pl_status inspect_degenerate(const pl_mesh *mesh, int32_t *body, pl_surface_report *out)
{
    list degenerate = {0};
    pl_status status = PL_OK;
    for (int32_t f = 0; f < mesh->n_face && status == PL_OK; f++) {
        const int32_t *v = mesh->face + 3 * (int64_t)f;
        bool flat = pl_face_repeats(v) ||
                    pl_triangle_flat(mesh->x + 3 * (int64_t)v[0], mesh->x + 3 * (int64_t)v[1],
                                     mesh->x + 3 * (int64_t)v[2]);
        body[f] = flat ? -1 : 0;
        if (flat) status = list_add(&degenerate, f);
    }
    list_move(&degenerate, 1, &out->n_degenerate, &out->degenerate);
    return status;
}

static pl_status inspect_pairs(const pl_mesh *mesh, const int32_t *body, pl_surface_report *out)
{
    pl_pairs pairs;
    PL_TRY(pl_pairs_build(mesh, body, 1, &pairs));
    pl_pairs_fit(&pairs);
    pl_status status = pl_pairs_find(&pairs);
    if (status == PL_OK) {
        out->n_intersections = (int32_t)pairs.n_pair;
        out->intersections = pairs.pair;
        pairs.pair = NULL;
    }
    pl_pairs_free(&pairs);
    return status;
}

static pl_status inspect_geometry(const pl_mesh *mesh, pl_surface_report *out)
{
    int32_t *body = pl_alloc(mesh->n_face, sizeof *body);
    if (body == NULL) return PL_ERROR_MEMORY;
    pl_status status = inspect_degenerate(mesh, body, out);
    if (status == PL_OK) status = inspect_pairs(mesh, body, out);
    pl_free(body);
    return status;
}

// --- All of it ---

pl_status pl_mesh_inspect(const pl_mesh *mesh, pl_surface_report *out)
{
    PL_REQUIRE(out);
    *out = (pl_surface_report){0};
    PL_REQUIRE(mesh);
    pl_mesh *boundary = NULL;
    if (mesh->n_face == 0 && mesh->n_tet > 0) PL_TRY(pl_mesh_surface(mesh, NULL, &boundary));
    const pl_mesh *surface = boundary != NULL ? boundary : mesh;
    pl_status status = inspect_topology(surface, out);
    if (status == PL_OK) status = inspect_geometry(surface, out);
    pl_mesh_destroy(boundary);
    if (status != PL_OK) pl_surface_report_free(out);
    return status;
}

void pl_surface_report_free(pl_surface_report *report)
{
    if (report == NULL) return;
    pl_free(report->open);
    pl_free(report->nonmanifold);
    pl_free(report->misoriented);
    pl_free(report->pinched);
    pl_free(report->degenerate);
    pl_free(report->intersections);
    *report = (pl_surface_report){0};
}
