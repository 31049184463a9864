#include "edges.h"
#include "fans.h"
#include "mesh.h"
#include "tree.h"
#include "triangles.h"

#include <string.h>

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

static pl_status inspect_degenerate(const pl_mesh *mesh, bool *skip, pl_surface_report *out)
{
    list degenerate = {0};
    pl_status status = PL_OK;
    for (int32_t f = 0; f < mesh->n_face && status == PL_OK; f++) {
        const int32_t *v = mesh->face + 3 * (int64_t)f;
        skip[f] = pl_face_repeats(v) ||
                  pl_triangle_flat(mesh->x + 3 * (int64_t)v[0], mesh->x + 3 * (int64_t)v[1],
                                   mesh->x + 3 * (int64_t)v[2]);
        if (skip[f]) status = list_add(&degenerate, f);
    }
    list_move(&degenerate, 1, &out->n_degenerate, &out->degenerate);
    return status;
}

// --- Pairs of faces ---

typedef struct pair_search {
    const pl_mesh *mesh;
    const bool *skip; // (n_face) degenerate
    pl_fans fans;
    pl_tree tree; // over the other faces
    int32_t f;    // the face whose partners are looked for
    pl_box box;   // around it
    bool later;   // only those after f
    int32_t fan;  // whose strangers are looked for
    list pairs;
    pl_status status;
} pair_search;

static void look_from(pair_search *search, int32_t f, bool later)
{
    search->f = f;
    search->later = later;
    search->box = pl_face_box(search->mesh->x, search->mesh->face + 3 * (int64_t)f);
}

static bool visit_pair(void *user, int32_t g)
{
    pair_search *search = user;
    const int32_t *face = search->mesh->face, *a = face + 3 * (int64_t)search->f;
    const int32_t *b = face + 3 * (int64_t)g;
    if (g == search->f || (search->later && g < search->f)) return true;
    pl_box box = pl_face_box(search->mesh->x, b);
    if (!pl_boxes_overlap(&box, &search->box) || !pl_faces_meet(search->mesh->x, a, b)) return true;
    search->status = list_add(&search->pairs, PL_MIN(search->f, g));
    if (search->status == PL_OK) {
        search->status = list_add(&search->pairs, PL_MAX(search->f, g));
    }
    return search->status == PL_OK && search->pairs.n < 2 * PL_INTERSECTIONS_MAX;
}

// A face in the box of a fan, against that fan. Pairs of fans are looked at from the second one.
static bool visit_stranger(void *user, int32_t g)
{
    pair_search *search = user;
    if (search->fans.of[g] >= search->fan) return true;
    look_from(search, g, false);
    return pl_fan_search(&search->fans, search->fan, search->mesh->face + 3 * (int64_t)g,
                         visit_pair, search);
}

// Finds pairs until a visit ends the search: all are found, there are too many, or memory is out.
static bool find_pairs(pair_search *search)
{
    const pl_mesh *mesh = search->mesh;
    for (int32_t k = 0; k < search->fans.n; k++) {
        const pl_fan *fan = &search->fans.fan[k];
        for (int32_t i = 0; i < fan->n; i++) {
            look_from(search, fan->face[i], true);
            const int32_t *corner = mesh->face + 3 * (int64_t)fan->face[i];
            if (!pl_fan_search(&search->fans, k, corner, visit_pair, search)) return false;
        }
        search->fan = k;
        if (!pl_tree_search(&search->tree, &fan->bounds, visit_stranger, search)) return false;
    }
    for (int32_t f = 0; f < mesh->n_face && search->fans.n > 0; f++) {
        if (search->fans.of[f] >= 0) pl_tree_remove(&search->tree, f);
    }
    for (int32_t f = 0; f < mesh->n_face; f++) {
        if (search->skip[f] || search->fans.of[f] >= 0) continue;
        look_from(search, f, true);
        if (!pl_tree_search(&search->tree, &search->box, visit_pair, search)) return false;
    }
    return true;
}

static bool pair_before(const int32_t a[2], const int32_t b[2])
{
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

// Puts `value` into the heap of n pairs whose root, i, is free.
static void sift_pair(int32_t *pair, int64_t i, int64_t n, const int32_t value[2])
{
    int32_t kept[2] = {value[0], value[1]};
    for (int64_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && pair_before(pair + 2 * child, pair + 2 * child + 2)) child++;
        if (!pair_before(kept, pair + 2 * child)) break;
        memcpy(pair + 2 * i, pair + 2 * child, sizeof kept);
    }
    memcpy(pair + 2 * i, kept, sizeof kept);
}

static void sort_pairs(int32_t *pair, int64_t n) // heapsort: no memory, no bad case
{
    for (int64_t i = n / 2 - 1; i >= 0; i--) sift_pair(pair, i, n, pair + 2 * i);
    for (int64_t i = n - 1; i > 0; i--) {
        int32_t last[2] = {pair[2 * i], pair[2 * i + 1]};
        memcpy(pair + 2 * i, pair, sizeof last);
        sift_pair(pair, 0, i, last);
    }
}

static pl_status inspect_pairs(const pl_mesh *mesh, const bool *skip, pl_surface_report *out)
{
    pair_search search = {.mesh = mesh, .skip = skip};
    search.status = pl_fans_build(mesh, skip, &search.fans);
    if (search.status == PL_OK) {
        search.status = pl_tree_build(mesh->n_face, mesh->face, mesh->x, &search.tree);
    }
    if (search.status == PL_OK) {
        for (int32_t f = 0; f < mesh->n_face; f++) {
            if (skip[f]) pl_tree_remove(&search.tree, f);
        }
        find_pairs(&search);
        sort_pairs(search.pairs.data, search.pairs.n / 2);
    }
    pl_tree_free(&search.tree);
    pl_fans_free(&search.fans);
    list_move(&search.pairs, 2, &out->n_intersections, &out->intersections);
    return search.status;
}

static pl_status inspect_geometry(const pl_mesh *mesh, pl_surface_report *out)
{
    bool *skip = pl_alloc(mesh->n_face, sizeof *skip);
    if (skip == NULL) return PL_ERROR_MEMORY;
    pl_status status = inspect_degenerate(mesh, skip, out);
    if (status == PL_OK) status = inspect_pairs(mesh, skip, out);
    pl_free(skip);
    return status;
}

// --- All of it ---

pl_status pl_mesh_inspect(const pl_mesh *mesh, pl_surface_report *out)
{
    *out = (pl_surface_report){0};
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
