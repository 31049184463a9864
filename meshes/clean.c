#include "edges.h"
#include "mesh.h"
#include "orient.h"
#include "triangles.h"

#include <float.h>
#include <math.h>
#include <string.h>

// --- Hashing ---

// Chains of items by hash value. Items are entered at most once.
typedef struct table {
    int32_t *head; // (mask + 1) the item entered last, -1 if none
    int32_t *next; // (n) the item entered before
    uint64_t mask;
} table;

static void table_free(table *t)
{
    pl_free(t->head);
    pl_free(t->next);
}

static pl_status table_start(table *t, int32_t n)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)n) size *= 2;
    t->mask = size - 1;
    t->head = pl_alloc((int64_t)size, sizeof *t->head);
    t->next = pl_alloc(n, sizeof *t->next);
    if (t->head == NULL || t->next == NULL) {
        table_free(t);
        return PL_ERROR_MEMORY;
    }
    for (uint64_t i = 0; i < size; i++) t->head[i] = -1;
    return PL_OK;
}

static int32_t *table_slot(const table *t, const uint64_t key[3])
{
    uint64_t h = 0;
    for (int k = 0; k < 3; k++) { // the steps of splitmix64 [Steele, Lea & Flood 2014]
        h = (h ^ key[k]) + 0x9e3779b97f4a7c15u;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
        h ^= h >> 31;
    }
    return &t->head[h & t->mask];
}

static void table_enter(table *t, int32_t *slot, int32_t item)
{
    t->next[item] = *slot;
    *slot = item;
}

// --- Welding ---

// Vertices are taken in order. One that is closer than `distance` to an earlier one that was kept
// is merged into the first such; else it is kept. So kept ones are at least `distance` apart, which
// bounds the number that share a cell.
typedef struct welder {
    table table;
    const double *x;
    double distance, cell; // cell: the width of the grid's cells, 0 for welding equal ones only
} welder;

static double cell_of(const welder *w, double x)
{
    return w->cell > 0 ? floor(x / w->cell) : x + 0.0; // + 0.0: the two zeros are equal
}

// The next cell; where 1 is below the precision, the next number.
static double next_cell(double c)
{
    return c + 1 > c ? c + 1 : nextafter(c, INFINITY);
}

static bool near(const welder *w, const double *a, const double *b)
{
    if (w->distance == 0) return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = (a[k] - b[k]) / w->distance;
        sum += d * d;
    }
    return sum < 1;
}

static int32_t *cell_slot(const welder *w, const double c[3])
{
    uint64_t key[3];
    memcpy(key, c, sizeof key);
    for (int k = 0; k < 3; k++) key[k] = c[k] == 0 ? 0 : key[k];
    return table_slot(&w->table, key);
}

// The first kept vertex near v, or v. Everything within the distance lies in the cells between
// those of x - distance and x + distance, because rounding keeps the order.
static int32_t find_kept(const welder *w, int32_t v)
{
    const double *x = w->x + 3 * (int64_t)v;
    double lo[3], hi[3], c[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = cell_of(w, fmax(x[k] - w->distance, -DBL_MAX));
        hi[k] = cell_of(w, fmin(x[k] + w->distance, DBL_MAX));
    }
    int32_t found = v;
    for (c[0] = lo[0]; c[0] <= hi[0]; c[0] = next_cell(c[0])) {
        for (c[1] = lo[1]; c[1] <= hi[1]; c[1] = next_cell(c[1])) {
            for (c[2] = lo[2]; c[2] <= hi[2]; c[2] = next_cell(c[2])) {
                for (int32_t i = *cell_slot(w, c); i >= 0; i = w->table.next[i]) {
                    if (i < found && near(w, x, w->x + 3 * (int64_t)i)) found = i;
                }
            }
        }
    }
    return found;
}

// Renumbers: vertex v becomes number[v], in a sequence that skips the negative ones.
static void renumber(pl_mesh *mesh, const int32_t *number, int32_t n_vert)
{
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) mesh->face[i] = number[mesh->face[i]];
    for (int64_t i = 0; i < 4 * (int64_t)mesh->n_tet; i++) mesh->tet[i] = number[mesh->tet[i]];
    for (int64_t i = 0; i < 2 * (int64_t)mesh->n_edge; i++) mesh->edge[i] = number[mesh->edge[i]];
    for (int32_t i = 0; i < mesh->n_point; i++) mesh->point[i] = number[mesh->point[i]];
    mesh->n_vert = n_vert;
}

static void keep_vertex(pl_mesh *mesh, int32_t from, int32_t to)
{
    memmove(mesh->x + 3 * (int64_t)to, mesh->x + 3 * (int64_t)from, 3 * sizeof *mesh->x);
}

static pl_status weld(pl_mesh *mesh, double distance, int32_t *welded)
{
    double largest = 0;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_vert; i++)
        largest = fmax(largest, fabs(mesh->x[i]));
    welder w = {.x = mesh->x, .distance = distance};
    // Wide enough that no cell number overflows.
    if (distance > 0) w.cell = fmax(2 * distance, ldexp(largest, -1000));
    int32_t *kept = pl_alloc(mesh->n_vert, sizeof *kept);
    if (kept == NULL || table_start(&w.table, mesh->n_vert) != PL_OK) {
        pl_free(kept);
        return PL_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < mesh->n_vert; v++) {
        kept[v] = find_kept(&w, v);
        if (kept[v] != v) continue;
        double c[3];
        for (int k = 0; k < 3; k++) c[k] = cell_of(&w, mesh->x[3 * (int64_t)v + k]);
        table_enter(&w.table, cell_slot(&w, c), v);
    }
    table_free(&w.table);
    int32_t n = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) { // kept[v] <= v, so it has its number already
        bool merged = kept[v] != v;
        kept[v] = merged ? kept[kept[v]] : n;
        if (!merged) keep_vertex(mesh, v, n++);
    }
    *welded = mesh->n_vert - n;
    renumber(mesh, kept, n);
    pl_free(kept);
    return PL_OK;
}

// --- Dropping ---

static bool has_area(const pl_mesh *mesh, const int32_t v[3])
{
    return !pl_face_repeats(v) &&
           !pl_triangle_flat(mesh->x + 3 * (int64_t)v[0], mesh->x + 3 * (int64_t)v[1],
                             mesh->x + 3 * (int64_t)v[2]);
}

static bool same_corners(const int32_t a[3], const int32_t b[3])
{
    int equal = 0; // both have three different corners
    for (int k = 0; k < 9; k++) equal += a[k / 3] == b[k % 3];
    return equal == 3;
}

static int32_t *face_slot(const table *t, const int32_t v[3])
{
    int32_t lo = PL_MIN(v[0], PL_MIN(v[1], v[2])), hi = PL_MAX(v[0], PL_MAX(v[1], v[2]));
    int64_t middle = (int64_t)v[0] + v[1] + v[2] - lo - hi;
    return table_slot(t, (uint64_t[3]){(uint64_t)lo, (uint64_t)middle, (uint64_t)hi});
}

static pl_status drop_degenerate_faces(pl_mesh *mesh, int32_t *dropped)
{
    table t = {0};
    PL_TRY(table_start(&t, mesh->n_face));
    int32_t n = 0;
    for (int32_t f = 0; f < mesh->n_face; f++) {
        int32_t v[3];
        memcpy(v, mesh->face + 3 * (int64_t)f, sizeof v);
        if (!has_area(mesh, v)) continue;
        int32_t *slot = face_slot(&t, v), i = *slot;
        while (i >= 0 && !same_corners(mesh->face + 3 * (int64_t)i, v)) i = t.next[i];
        if (i >= 0) continue;
        memcpy(mesh->face + 3 * (int64_t)n, v, sizeof v);
        table_enter(&t, slot, n++);
    }
    *dropped = mesh->n_face - n;
    mesh->n_face = n;
    table_free(&t);
    return PL_OK;
}

// Tets that lost a corner in welding.
static void drop_degenerate_tets(pl_mesh *mesh)
{
    int32_t n = 0;
    for (int32_t i = 0; i < mesh->n_tet; i++) {
        const int32_t *t = mesh->tet + 4 * (int64_t)i;
        if (pl_face_repeats(t) || t[3] == t[0] || t[3] == t[1] || t[3] == t[2]) continue;
        memmove(mesh->tet + 4 * (int64_t)n++, t, 4 * sizeof *t);
    }
    if (n < mesh->n_tet) {
        pl_log(PL_LOG_WARNING, "clean: dropped %d tets with two equal corners", mesh->n_tet - n);
    }
    mesh->n_tet = n;
}

// Loose edges that lost an end in welding.
static void drop_degenerate_edges(pl_mesh *mesh)
{
    int32_t n = 0;
    for (int32_t i = 0; i < mesh->n_edge; i++) {
        const int32_t *e = mesh->edge + 2 * (int64_t)i;
        if (e[0] != e[1]) memmove(mesh->edge + 2 * (int64_t)n++, e, 2 * sizeof *e);
    }
    mesh->n_edge = n;
}

static pl_status drop_unused(pl_mesh *mesh, int32_t *dropped)
{
    int32_t *number = pl_alloc_zero(mesh->n_vert, sizeof *number);
    if (number == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) number[mesh->face[i]] = 1;
    for (int64_t i = 0; i < 4 * (int64_t)mesh->n_tet; i++) number[mesh->tet[i]] = 1;
    for (int64_t i = 0; i < 2 * (int64_t)mesh->n_edge; i++) number[mesh->edge[i]] = 1;
    for (int32_t i = 0; i < mesh->n_point; i++) number[mesh->point[i]] = 1;
    int32_t n = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) {
        if (number[v] == 0) continue;
        keep_vertex(mesh, v, n);
        number[v] = n++;
    }
    *dropped = mesh->n_vert - n;
    renumber(mesh, number, n);
    pl_free(number);
    return PL_OK;
}

// --- All of it ---

pl_clean_options pl_clean_options_default(void)
{
    return (pl_clean_options){
        .weld_distance = 0, .drop_degenerate = true, .orient = true, .drop_unused = true};
}

static pl_status clean(pl_mesh *mesh, const pl_clean_options *o, pl_clean_report *r)
{
    PL_TRY(weld(mesh, o->weld_distance, &r->welded));
    drop_degenerate_edges(mesh); // which no mesh has
    if (o->drop_degenerate) {
        PL_TRY(drop_degenerate_faces(mesh, &r->degenerate));
        drop_degenerate_tets(mesh);
    }
    if (o->orient) PL_TRY(pl_orient_faces(mesh, &r->flipped));
    if (o->drop_unused) PL_TRY(drop_unused(mesh, &r->unused));
    return PL_OK;
}

pl_status pl_mesh_clean(pl_mesh *mesh, const pl_clean_options *options, pl_clean_report *report)
{
    PL_REQUIRE(mesh);
    pl_clean_options o = options != NULL ? *options : pl_clean_options_default();
    pl_clean_report r = {0};
    if (report != NULL) *report = r;
    if (!isfinite(o.weld_distance) || o.weld_distance < 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "clean: weld_distance is %g; it must be 0 or positive",
                       o.weld_distance);
    }
    pl_mesh *work;
    PL_TRY(pl_mesh_copy(mesh, &work)); // so that a failure leaves `mesh` as it was
    pl_status status = clean(work, &o, &r);
    if (status == PL_OK) {
        pl_mesh old = *mesh;
        *mesh = *work;
        *work = old;
        if (report != NULL) *report = r;
    }
    pl_mesh_destroy(work);
    return status;
}
