#include "vtk_mesh.h"

void pl_vtk_cells_free(pl_vtk_cells *cells)
{
    pl_array_free(&cells->connectivity);
    pl_array_free(&cells->offsets);
    pl_array_free(&cells->types);
    *cells = (pl_vtk_cells){0};
}

void pl_vtk_log_skipped(const char *file, const int64_t skipped[PL_VTK_TYPES])
{
    static const char *const names[PL_VTK_TYPES] = {
        [0] = "empty cells",
        [1] = "vertices",
        [PL_VTK_POLY_VERTEX] = "poly-vertices",
        [3] = "lines",
        [PL_VTK_POLY_LINE] = "poly-lines",
        [PL_VTK_TRIANGLE_STRIP] = "strips of fewer than three corners",
        [PL_VTK_POLYGON] = "polygons of fewer than three corners",
        [11] = "voxels",
        [12] = "hexahedra",
        [13] = "wedges",
        [14] = "pyramids",
        [21] = "quadratic edges",
        [22] = "quadratic triangles",
        [23] = "quadratic quads",
        [24] = "quadratic tets",
        [25] = "quadratic hexahedra",
        [42] = "polyhedra"};
    pl_log_skipped(file, skipped, names, PL_VTK_TYPES);
}

pl_status pl_vtk_add_points(const pl_array *points, const pl_scan *scan, pl_mesh_builder *builder)
{
    int64_t n = points->count / 3;
    PL_TRY(pl_builder_reserve_vertices(builder, n, scan->name));
    double *x = builder->x + 3 * builder->n_vert;
    enum { BLOCK = 1024 }; // converted and checked while it is in the cache
    for (int64_t first = 0; first < 3 * n; first += BLOCK) {
        int64_t m = PL_MIN(BLOCK, 3 * n - first);
        pl_array_doubles(points, first, m, x + first);
        int64_t bad = pl_first_not_finite(x + first, m);
        if (bad < m) {
            return pl_array_fail(points, scan, first + bad, "point %lld is not finite",
                                 (long long)((first + bad) / 3));
        }
    }
    builder->n_vert += n;
    return PL_OK;
}

// --- Cells ---

enum { WINDOW = 1024 };

// Reads an array from front to back, converted a window at a time.
typedef struct cursor {
    const pl_array *array;
    int64_t begin; // index of window[0]
    int at, size;  // next value in the window, values in it
    int64_t window[WINDOW];
} cursor;

static void cursor_start(cursor *c, const pl_array *array)
{
    c->array = array;
    c->begin = 0;
    c->at = c->size = 0;
}

static inline int64_t cursor_index(const cursor *c)
{
    return c->begin + c->at;
}

static inline int64_t cursor_left(const cursor *c)
{
    return c->array->count - cursor_index(c);
}

// Loads the window anew from the present place on; at least one value must be left.
static void cursor_load(cursor *c)
{
    c->begin += c->at;
    c->at = 0;
    c->size = (int)PL_MIN(WINDOW, c->array->count - c->begin);
    PL_ASSERT(c->size > 0);
    pl_array_ints(c->array, c->begin, c->size, c->window);
}

static inline int64_t cursor_next(cursor *c)
{
    if (c->at == c->size) cursor_load(c);
    return c->window[c->at++];
}

// Moves over n values, which must be there.
static inline void cursor_skip(cursor *c, int64_t n)
{
    if (n <= c->size - c->at) {
        c->at += (int)n;
        return;
    }
    c->begin = cursor_index(c) + n;
    c->at = c->size = 0;
}

typedef struct adder {
    const pl_vtk_cells *cells;
    const pl_scan *scan;
    pl_mesh_builder *builder;
    int64_t *skipped;
    int64_t first, n_vert; // corner i < n_vert is vertex first + i
    cursor connectivity, offsets, types;
} adder;

static pl_status fail_corner(const adder *a, int64_t cell, int64_t at)
{
    int64_t vertex;
    pl_array_ints(&a->cells->connectivity, at, 1, &vertex);
    return pl_array_fail(&a->cells->connectivity, a->scan, at,
                         "cell %lld refers to point %lld of %lld", (long long)cell,
                         (long long)vertex, (long long)a->n_vert);
}

static pl_status fail_size(const adder *a, int64_t cell, int type, int64_t n)
{
    return pl_array_fail(&a->cells->connectivity, a->scan, cursor_index(&a->connectivity),
                         "cell %lld of type %d cannot have %lld corners", (long long)cell, type,
                         (long long)n);
}

// How many corners the cell has, which must all be there.
static inline pl_status take_size(adder *a, int64_t cell, int64_t *n)
{
    cursor *connectivity = &a->connectivity;
    if (a->cells->counted) {
        if (cursor_left(connectivity) == 0) {
            return pl_array_fail(connectivity->array, a->scan, connectivity->array->count,
                                 "the list of cells ends before cell %lld", (long long)cell);
        }
        *n = cursor_next(connectivity);
        if (*n < 0 || *n > cursor_left(connectivity)) {
            return pl_array_fail(connectivity->array, a->scan, cursor_index(connectivity) - 1,
                                 "cell %lld: %lld corners do not fit into the list of cells",
                                 (long long)cell, (long long)*n);
        }
        return PL_OK;
    }
    int64_t end = cursor_next(&a->offsets), begin = cursor_index(connectivity);
    if (end < begin || end > connectivity->array->count) {
        return pl_array_fail(&a->cells->offsets, a->scan, cell,
                             "cell %lld ends at %lld in the connectivity, outside of %lld to %lld",
                             (long long)cell, (long long)end, (long long)begin,
                             (long long)connectivity->array->count);
    }
    *n = end - begin;
    return PL_OK;
}

static inline void push_face(pl_mesh_builder *builder, int64_t i, int64_t j, int64_t k)
{
    int32_t *f = builder->face + 3 * builder->n_face++;
    f[0] = (int32_t)i;
    f[1] = (int32_t)j;
    f[2] = (int32_t)k;
}

// A polygon as a fan around its first corner, a strip as what it is. A pixel is a strip of four.
static pl_status add_polygon(adder *a, int64_t cell, int64_t n, bool strip)
{
    PL_TRY(pl_builder_reserve_faces(a->builder, n - 2));
    int64_t corner[3] = {0};
    for (int64_t i = 0; i < n; i++) {
        int64_t v = cursor_next(&a->connectivity);
        if (v < 0 || v >= a->n_vert) {
            return fail_corner(a, cell, cursor_index(&a->connectivity) - 1);
        }
        corner[PL_MIN(i, 2)] = a->first + v;
        if (i < 2) continue;
        bool odd = strip && i % 2 == 1; // every other triangle of a strip lies face down
        push_face(a->builder, corner[odd ? 1 : 0], corner[odd ? 0 : 1], corner[2]);
        if (strip) corner[0] = corner[1];
        corner[1] = corner[2];
    }
    return PL_OK;
}

static inline pl_status add_cell(adder *a, int64_t cell, int type, int64_t n)
{
    switch (type) {
    case PL_VTK_TRIANGLE:
    case PL_VTK_TETRA:
        return fail_size(a, cell, type, n); // those of the right size were taken by take_simplices
    case PL_VTK_QUAD:
    case PL_VTK_PIXEL:
        return n == 4 ? add_polygon(a, cell, n, type == PL_VTK_PIXEL) : fail_size(a, cell, type, n);
    case PL_VTK_POLYGON:
    case PL_VTK_TRIANGLE_STRIP:
        if (n >= 3) return add_polygon(a, cell, n, type == PL_VTK_TRIANGLE_STRIP);
        break;
    default:
        break;
    }
    a->skipped[type]++;
    cursor_skip(&a->connectivity, n);
    return PL_OK;
}

// Room for what the types promise; longer polygons get theirs as they come.
static pl_status reserve_cells(adder *a)
{
    const pl_vtk_cells *cells = a->cells;
    if (cells->type != 0) {
        bool faces = cells->type == PL_VTK_POLYGON || cells->type == PL_VTK_TRIANGLE_STRIP;
        return pl_builder_reserve_faces(a->builder, faces ? cells->count : 0);
    }
    int64_t n_face = 0, n_tet = 0;
    cursor_start(&a->types, &cells->types);
    for (int64_t i = 0; i < cells->count; i++) {
        int64_t type = cursor_next(&a->types);
        if (type < 0 || type >= PL_VTK_TYPES) {
            return pl_array_fail(&cells->types, a->scan, i, "cell %lld has the unknown type %lld",
                                 (long long)i, (long long)type);
        }
        n_tet += type == PL_VTK_TETRA;
        n_face += type >= PL_VTK_TRIANGLE && type <= PL_VTK_QUAD;
    }
    PL_TRY(pl_builder_reserve_faces(a->builder, n_face));
    return pl_builder_reserve_tets(a->builder, n_tet);
}

// How many of the next cells, at most `most`, are of this size.
static int64_t count_size(adder *a, int64_t size, int64_t most)
{
    int64_t begin = cursor_index(&a->connectivity);
    if (a->cells->counted) {
        int32_t scratch[WINDOW];
        most = PL_MIN(most, cursor_left(&a->connectivity) / (size + 1));
        return pl_array_gather(&a->cells->connectivity, begin, size + 1, 1, most, size, 1, scratch);
    }
    cursor *offsets = &a->offsets;
    if (offsets->at == offsets->size) cursor_load(offsets);
    most = PL_MIN(most, offsets->size - offsets->at);
    most = PL_MIN(most, cursor_left(&a->connectivity) / size);
    const int64_t *end = offsets->window + offsets->at;
    int64_t n = 0;
    while (n < most && end[n] == begin + size * (n + 1)) n++;
    return n;
}

// How many of the cells from `cell` on are of the same type as it, if that is triangles or tets;
// the polygons of a surface may be triangles. Not more than a window holds.
static int64_t count_type(adder *a, int64_t cell, bool *tets)
{
    cursor *types = &a->types;
    *tets = false;
    if (a->cells->type == PL_VTK_POLYGON) return PL_MIN(WINDOW, a->cells->count - cell);
    if (a->cells->type != 0) return 0;
    if (types->at == types->size) cursor_load(types);
    const int64_t *type = types->window + types->at;
    *tets = type[0] == PL_VTK_TETRA;
    if (!*tets && type[0] != PL_VTK_TRIANGLE) return 0;
    int64_t n = 1;
    while (n < types->size - types->at && type[n] == type[0]) n++;
    return n;
}

// The usual case, done fast: takes the triangles, or the tets, that come next in a row. *taken is
// their number, 0 if the next cell is something else.
static pl_status take_simplices(adder *a, int64_t cell, int64_t *taken)
{
    const pl_vtk_cells *cells = a->cells;
    pl_mesh_builder *builder = a->builder;
    bool tets;
    int64_t n = *taken = count_type(a, cell, &tets);
    if (n == 0) return PL_OK;
    int corners = tets ? 4 : 3, counts = cells->counted ? 1 : 0;
    n = count_size(a, corners, n);
    PL_TRY(pl_builder_reserve_faces(builder, tets ? 0 : n)); // polygons may have used the room
    int32_t *to = tets ? builder->tet + 4 * builder->n_tet : builder->face + 3 * builder->n_face;
    int64_t begin = cursor_index(&a->connectivity), stride = corners + counts;
    int64_t good =
        pl_array_gather(&cells->connectivity, begin + counts, stride, corners, n, 0, a->n_vert, to);
    if (good < n) {
        int64_t v, at = begin + counts + good * stride - 1;
        do {
            pl_array_ints(&cells->connectivity, ++at, 1, &v);
        } while (v >= 0 && v < a->n_vert);
        return fail_corner(a, cell + good, at);
    }
    for (int64_t i = 0; a->first != 0 && i < corners * n; i++) to[i] += (int32_t)a->first;
    *(tets ? &builder->n_tet : &builder->n_face) += n;
    cursor_skip(&a->connectivity, stride * n);
    if (!cells->counted) cursor_skip(&a->offsets, n);
    if (cells->type == 0) cursor_skip(&a->types, n);
    *taken = n;
    return PL_OK;
}

static pl_status add_cells(adder *a)
{
    const pl_vtk_cells *cells = a->cells;
    PL_TRY(reserve_cells(a));
    cursor_start(&a->connectivity, &cells->connectivity);
    cursor_start(&a->offsets, &cells->offsets);
    cursor_start(&a->types, &cells->types);
    for (int64_t i = 0, taken; i < cells->count; i += taken) {
        PL_TRY(take_simplices(a, i, &taken));
        if (taken > 0) continue;
        int type = cells->type != 0 ? cells->type : (int)cursor_next(&a->types);
        int64_t n = 0;
        PL_TRY(take_size(a, i, &n));
        PL_TRY(add_cell(a, i, type, n));
        taken = 1;
    }
    return PL_OK;
}

pl_status pl_vtk_add_cells(const pl_vtk_cells *cells, int64_t first_vertex, const pl_scan *scan,
                           pl_mesh_builder *builder, int64_t skipped[PL_VTK_TYPES])
{
    PL_ASSERT(cells->type != 0 || cells->types.count == cells->count);
    PL_ASSERT(cells->counted || cells->offsets.count == cells->count);
    adder *a = pl_alloc(1, sizeof *a);
    if (a == NULL) return PL_ERROR_MEMORY;
    a->cells = cells;
    a->scan = scan;
    a->builder = builder;
    a->skipped = skipped;
    a->first = first_vertex;
    a->n_vert = builder->n_vert - first_vertex;
    pl_status status = add_cells(a);
    pl_free(a);
    return status;
}
