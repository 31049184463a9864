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

typedef struct adder {
    const pl_vtk_cells *cells;
    const pl_scan *scan;
    pl_mesh_builder *builder;
    int64_t *skipped;
    int64_t first, n_vert; // corner i < n_vert is vertex first + i
    int64_t at;            // in the connectivity
} adder;

static int64_t value_at(const pl_array *array, int64_t i)
{
    int64_t value;
    pl_array_ints(array, i, 1, &value);
    return value;
}

static pl_status fail_corner(const adder *a, int64_t cell, int64_t at)
{
    const pl_array *connectivity = &a->cells->connectivity;
    return pl_array_fail(connectivity, a->scan, at, "cell %lld refers to point %lld of %lld",
                         (long long)cell, (long long)value_at(connectivity, at),
                         (long long)a->n_vert);
}

static pl_status fail_size(const adder *a, int64_t cell, int type, int64_t n)
{
    return pl_array_fail(&a->cells->connectivity, a->scan, a->at,
                         "cell %lld of type %d cannot have %lld corners", (long long)cell, type,
                         (long long)n);
}

// How many corners the cell has, which must all be there; moves to the first of them.
static pl_status take_size(adder *a, int64_t cell, int64_t *n)
{
    const pl_array *connectivity = &a->cells->connectivity;
    int64_t left = connectivity->count - a->at;
    if (a->cells->counted) {
        if (left == 0) {
            return pl_array_fail(connectivity, a->scan, a->at,
                                 "the list of cells ends before cell %lld", (long long)cell);
        }
        *n = value_at(connectivity, a->at++);
        if (*n < 0 || *n >= left) {
            return pl_array_fail(connectivity, a->scan, a->at - 1,
                                 "cell %lld: %lld corners do not fit into the list of cells",
                                 (long long)cell, (long long)*n);
        }
        return PL_OK;
    }
    int64_t end = value_at(&a->cells->offsets, cell);
    if (end < a->at || end > connectivity->count) {
        return pl_array_fail(&a->cells->offsets, a->scan, cell,
                             "cell %lld ends at %lld in the connectivity, outside of %lld to %lld",
                             (long long)cell, (long long)end, (long long)a->at,
                             (long long)connectivity->count);
    }
    *n = end - a->at;
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
    enum { WINDOW = 16 };
    int64_t corner[3] = {0}, window[WINDOW];
    for (int64_t i = 0; i < n; i++) {
        if (i % WINDOW == 0) {
            pl_array_ints(&a->cells->connectivity, a->at + i, PL_MIN(WINDOW, n - i), window);
        }
        int64_t v = window[i % WINDOW];
        if (v < 0 || v >= a->n_vert) return fail_corner(a, cell, a->at + i);
        corner[PL_MIN(i, 2)] = a->first + v;
        if (i < 2) continue;
        bool odd = strip && i % 2 == 1; // every other triangle of a strip lies face down
        push_face(a->builder, corner[odd ? 1 : 0], corner[odd ? 0 : 1], corner[2]);
        if (strip) corner[0] = corner[1];
        corner[1] = corner[2];
    }
    a->at += n;
    return PL_OK;
}

static pl_status add_cell(adder *a, int64_t cell, int type)
{
    int64_t n = 0;
    PL_TRY(take_size(a, cell, &n));
    switch (type) {
    case PL_VTK_TRIANGLE:
    case PL_VTK_TETRA:
        return fail_size(a, cell, type, n); // those of the right size were taken by add_simplices
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
    a->at += n;
    return PL_OK;
}

// How many of the next cells, at most `most`, have this many corners.
static int64_t count_size(const adder *a, int64_t cell, int64_t corners, int64_t most)
{
    const pl_vtk_cells *cells = a->cells;
    int64_t left = cells->connectivity.count - a->at;
    if (cells->counted) {
        int64_t fit = PL_MIN(most, left / (corners + 1));
        return pl_array_match(&cells->connectivity, a->at, corners + 1, fit, corners, 0);
    }
    int64_t fit = PL_MIN(most, left / corners);
    return pl_array_match(&cells->offsets, cell, 1, fit, a->at + corners, corners);
}

// The usual case, done fast: takes the triangles, or the tets, that come next in a row, at most
// `most`. *taken is their number, 0 if the next cell has another number of corners.
static pl_status add_simplices(adder *a, int64_t cell, bool tets, int64_t most, int64_t *taken)
{
    const pl_array *connectivity = &a->cells->connectivity;
    pl_mesh_builder *builder = a->builder;
    int corners = tets ? 4 : 3, before = a->cells->counted ? 1 : 0, stride = before + corners;
    int64_t n = *taken = count_size(a, cell, corners, most);
    PL_TRY(pl_builder_reserve_faces(builder, tets ? 0 : n)); // polygons may have used the room
    int32_t *to = tets ? builder->tet + 4 * builder->n_tet : builder->face + 3 * builder->n_face;
    int64_t good =
        pl_array_gather(connectivity, a->at + before, stride, corners, n, 0, a->n_vert, to);
    if (good < n) {
        int64_t at = a->at + before + good * stride;
        while ((uint64_t)value_at(connectivity, at) < (uint64_t)a->n_vert) at++;
        return fail_corner(a, cell + good, at);
    }
    for (int64_t i = 0; a->first != 0 && i < corners * n; i++) to[i] += (int32_t)a->first;
    *(tets ? &builder->n_tet : &builder->n_face) += n;
    a->at += stride * n;
    return PL_OK;
}

// The type of a cell, and how many of the next ones share it. Cells are taken in batches that stay
// in the cache from one array to the other.
static int64_t count_type(const pl_vtk_cells *cells, int64_t cell, int64_t *type)
{
    enum { BATCH = 1024 };
    int64_t most = PL_MIN(BATCH, cells->count - cell);
    *type = cells->type;
    if (*type != 0) return most;
    *type = value_at(&cells->types, cell);
    return pl_array_match(&cells->types, cell, 1, most, *type, 0);
}

// Room for what the types promise; longer polygons get theirs as they come.
static pl_status reserve_cells(adder *a)
{
    const pl_vtk_cells *cells = a->cells;
    int64_t n_face = 0, n_tet = 0, type, n;
    for (int64_t i = 0; i < cells->count; i += n) {
        n = count_type(cells, i, &type);
        if (type < 0 || type >= PL_VTK_TYPES) {
            return pl_array_fail(&cells->types, a->scan, i, "cell %lld has the unknown type %lld",
                                 (long long)i, (long long)type);
        }
        n_tet += type == PL_VTK_TETRA ? n : 0;
        n_face += type >= PL_VTK_TRIANGLE && type <= PL_VTK_QUAD ? n : 0;
    }
    PL_TRY(pl_builder_reserve_faces(a->builder, n_face));
    return pl_builder_reserve_tets(a->builder, n_tet);
}

pl_status pl_vtk_add_cells(const pl_vtk_cells *cells, int64_t first_vertex, const pl_scan *scan,
                           pl_mesh_builder *builder, int64_t skipped[PL_VTK_TYPES])
{
    PL_ASSERT(cells->type != 0 || cells->types.count == cells->count);
    PL_ASSERT(cells->counted || cells->offsets.count == cells->count);
    adder a = {.cells = cells,
               .scan = scan,
               .builder = builder,
               .skipped = skipped,
               .first = first_vertex,
               .n_vert = builder->n_vert - first_vertex};
    PL_TRY(reserve_cells(&a));
    for (int64_t i = 0, type, taken; i < cells->count; i += taken) {
        int64_t n = count_type(cells, i, &type);
        bool tets = type == PL_VTK_TETRA;
        taken = 0;
        if (tets || type == PL_VTK_TRIANGLE || type == PL_VTK_POLYGON) {
            PL_TRY(add_simplices(&a, i, tets, n, &taken));
        }
        if (taken == 0) {
            PL_TRY(add_cell(&a, i, (int)type));
            taken = 1;
        }
    }
    return PL_OK;
}
