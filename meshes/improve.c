// Local improvement of a tetrahedral mesh, after [Freitag and Ollivier-Gooch 1997, Tetrahedral Mesh
// Improvement Using Swapping and Smoothing] and [Klingner and Shewchuk 2007, Aggressive Tetrahedral
// Mesh Improvement]: for every bad tet, try to remove one of its edges or faces, and to move its
// interior vertices; keep what raises the worst radius ratio among the tets that it changes.

#include "neighbours.h"
#include "quality.h"

#include <math.h>
#include <string.h>

enum {
    RING_MAX = 9,                // tets around an edge that edge removal looks at
    CAVITY_MAX = 2 * RING_MAX,   // tets on either side of an exchange
    FACETS_MAX = 4 * CAVITY_MAX, // and their faces
    STAR_MAX = 128,              // tets around a vertex that is moved
    SMOOTH_TRIES = 48,           // positions tried for a vertex in one pass
};

// A change must raise the worst radius ratio by this fraction, else rounding could make two
// arrangements of equal quality alternate for ever.
static const double least_gain = 1e-6;
// A flat tet may come out inverted by rounding, but not with a radius ratio below this. One that
// really is overlaps others, and exchanges there could tear the mesh.
static const double overlap = -1e-9;
// The search for a better position begins and ends with these steps, in fractions of an edge.
static const double first_step = 0.25, last_step = 0.01;

// --- The mesh under work: tets that know their neighbours ---

typedef struct work {
    double *x; // (3*n_vert)
    int32_t n_vert;
    int32_t n_tet;    // slots in use, the empty ones among them included
    int32_t capacity; // slots
    int32_t *tet;     // (4*capacity); the first corner of an empty slot is -1
    int32_t *across;  // (4*capacity): the facet 4 * tet + k on the other side, -1 outside
    double *quality;  // (capacity)
    int32_t *tet_of;  // (n_vert): some tet of the vertex, -1 if it has none
    bool *fixed;      // (n_vert): on the boundary
    int32_t *empty;   // (capacity): a stack of slots to reuse
    int32_t n_empty;
    int32_t *counted; // (capacity): the last star in which a tet was counted
    int32_t star_number;
    int32_t *changed; // (n_vert): the pass in which a tet of the vertex changed last
    int32_t pass;
} work;

// The six edges (the first two corners) as even permutations: the tet stays positive.
static const int tet_edge[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2},
                                   {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};

static double quality_of(const work *w, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const double *x = w->x;
    return pl_tet_radius_ratio(x + 3 * (int64_t)a, x + 3 * (int64_t)b, x + 3 * (int64_t)c,
                               x + 3 * (int64_t)d);
}

// The radius ratio that a change has to exceed where the worst is `worst`.
static double improved(double worst)
{
    return fmax(worst + least_gain * fabs(worst), 0);
}

static void free_work(work *w)
{
    pl_free(w->x);
    pl_free(w->tet);
    pl_free(w->across);
    pl_free(w->quality);
    pl_free(w->tet_of);
    pl_free(w->fixed);
    pl_free(w->empty);
    pl_free(w->counted);
    pl_free(w->changed);
}

static pl_status alloc_work(const pl_mesh *mesh, work *w)
{
    // Removing a face makes three tets of two. Where the spare slots run out, no more are removed.
    int64_t capacity = PL_MIN((int64_t)mesh->n_tet + mesh->n_tet / 4 + 64, PL_MESH_MAX);
    *w = (work){.n_vert = mesh->n_vert, .n_tet = mesh->n_tet, .capacity = (int32_t)capacity};
    w->x = pl_alloc(3 * (int64_t)mesh->n_vert, sizeof *w->x);
    w->tet = pl_alloc(4 * capacity, sizeof *w->tet);
    w->across = pl_alloc(4 * capacity, sizeof *w->across);
    w->quality = pl_alloc(capacity, sizeof *w->quality);
    w->tet_of = pl_alloc(mesh->n_vert, sizeof *w->tet_of);
    w->fixed = pl_alloc_zero(mesh->n_vert, sizeof *w->fixed);
    w->empty = pl_alloc(capacity, sizeof *w->empty);
    w->counted = pl_alloc_zero(capacity, sizeof *w->counted);
    w->changed = pl_alloc_zero(mesh->n_vert, sizeof *w->changed);
    bool complete = w->x != NULL && w->tet != NULL && w->across != NULL && w->quality != NULL &&
                    w->tet_of != NULL && w->fixed != NULL && w->empty != NULL &&
                    w->counted != NULL && w->changed != NULL;
    if (complete) return PL_OK;
    free_work(w);
    return PL_ERROR_MEMORY;
}

// Measures the tets and finds out what lies on the boundary.
static pl_status survey(work *w)
{
    PL_TRY(pl_tet_neighbours(w->n_vert, w->n_tet, w->tet, w->across));
    memset(w->tet_of, -1, (size_t)w->n_vert * sizeof *w->tet_of);
    for (int32_t i = 0; i < w->n_tet; i++) {
        const int32_t *t = w->tet + 4 * (int64_t)i;
        w->quality[i] = quality_of(w, t[0], t[1], t[2], t[3]);
        if (!(w->quality[i] > overlap)) {
            return pl_fail(PL_ERROR_GEOMETRY, "tet %d is inverted", (int)i);
        }
        for (int k = 0; k < 4; k++) {
            w->tet_of[t[k]] = i;
            if (w->across[4 * (int64_t)i + k] >= 0) continue;
            for (int j = 0; j < 3; j++) w->fixed[t[pl_tet_face[k][j]]] = true;
        }
    }
    return PL_OK;
}

static pl_status begin_work(const pl_mesh *mesh, work *w)
{
    PL_TRY(alloc_work(mesh, w));
    memcpy(w->x, mesh->x, 3 * (size_t)mesh->n_vert * sizeof *w->x);
    memcpy(w->tet, mesh->tet, 4 * (size_t)mesh->n_tet * sizeof *w->tet);
    pl_status status = survey(w);
    if (status != PL_OK) free_work(w);
    return status;
}

// --- Exchange: some tets for others that fill the same cavity ---

typedef struct exchange {
    int32_t n_old, old[CAVITY_MAX];
    int32_t n_new, corners[4 * CAVITY_MAX];
} exchange;

static bool has_room(const work *w, const exchange *e)
{
    return e->n_new - e->n_old <= w->n_empty + (w->capacity - w->n_tet);
}

// The place of the facet with the corners of `f`, which is taken off the list; or `f` is put on the
// list, and false returned.
static bool match(pl_facet *list, int32_t *n, const pl_facet *f, int32_t *place)
{
    for (int32_t i = 0; i < *n; i++) {
        if (pl_facet_compare(&list[i], f) != 0) continue;
        *place = list[i].place;
        list[i] = list[--*n];
        return true;
    }
    list[(*n)++] = *f;
    return false;
}

static void apply(work *w, const exchange *e)
{
    pl_facet open[FACETS_MAX];
    int32_t n_open = 0, other;
    for (int32_t i = 0; i < 4 * e->n_old; i++) {
        pl_facet f = pl_facet_at(w->tet, 4 * e->old[i / 4] + i % 4);
        match(open, &n_open, &f, &other);
    }
    // What remains is the hull of the cavity. From here on a place is that of the tet outside.
    for (int32_t i = 0; i < n_open; i++) open[i].place = w->across[open[i].place];
    for (int32_t i = 0; i < e->n_old; i++) {
        w->tet[4 * (int64_t)e->old[i]] = -1;
        w->empty[w->n_empty++] = e->old[i];
    }
    for (int32_t i = 0; i < e->n_new; i++) {
        int32_t slot = w->n_empty > 0 ? w->empty[--w->n_empty] : w->n_tet++;
        int32_t *t = w->tet + 4 * (int64_t)slot;
        memcpy(t, e->corners + 4 * i, 4 * sizeof *t);
        w->quality[slot] = quality_of(w, t[0], t[1], t[2], t[3]);
        for (int k = 0; k < 4; k++) {
            w->tet_of[t[k]] = slot;
            w->changed[t[k]] = w->pass;
            pl_facet f = pl_facet_at(w->tet, 4 * slot + k);
            if (!match(open, &n_open, &f, &other)) continue;
            w->across[f.place] = other;
            if (other >= 0) w->across[other] = f.place;
        }
    }
    PL_ASSERT(n_open == 0);
}

static void add_tet(exchange *e, int32_t a, int32_t b, int32_t c, int32_t d)
{
    memcpy(e->corners + 4 * e->n_new++, (int32_t[4]){a, b, c, d}, 4 * sizeof(int32_t));
}

// --- Edge removal ---

// The tets around an edge (a, b): tet i has the corners a, b, vertex[i], vertex[i + 1].
typedef struct ring {
    int32_t a, b, n;
    int32_t vertex[RING_MAX], tet[RING_MAX];
    double worst; // radius ratio
} ring;

static int corner_of(const int32_t *t, int32_t v)
{
    return t[0] == v ? 0 : t[1] == v ? 1 : t[2] == v ? 2 : 3;
}

// Walks around an edge of tet `first`. False if the edge lies on the boundary or has too many tets.
static bool walk_ring(const work *w, int32_t first, const int edge[4], ring *r)
{
    const int32_t *t = w->tet + 4 * (int64_t)first;
    r->a = t[edge[0]];
    r->b = t[edge[1]];
    r->n = 0;
    r->worst = INFINITY;
    int32_t tet = first, from = t[edge[2]], to = t[edge[3]];
    do {
        if (r->n == RING_MAX) return false;
        r->vertex[r->n] = from;
        r->tet[r->n++] = tet;
        r->worst = fmin(r->worst, w->quality[tet]);
        int32_t place = w->across[4 * (int64_t)tet + corner_of(w->tet + 4 * (int64_t)tet, from)];
        if (place < 0) return false;
        tet = place / 4;
        from = to;
        to = w->tet[place];
    } while (tet != first);
    return true;
}

// Triangulates the polygon of the ring so that the worst of the two tets on each triangle, one to a
// and one to b, is as good as can be [Klincsek 1980]: best[i][j] is the optimum for the vertices
// i..j, apex[i][j] the third corner of the triangle on the edge (i, j). False if that is no gain.
static bool triangulate(const work *w, const ring *r, int apex[RING_MAX][RING_MAX])
{
    double best[RING_MAX][RING_MAX];
    double enough = improved(r->worst);
    for (int i = 0; i + 1 < r->n; i++) best[i][i + 1] = INFINITY;
    for (int span = 2; span < r->n; span++) {
        for (int i = 0; i + span < r->n; i++) {
            int j = i + span;
            best[i][j] = -INFINITY;
            apex[i][j] = i + 1;
            for (int k = i + 1; k < j; k++) {
                double q = fmin(best[i][k], best[k][j]);
                if (q <= enough || q <= best[i][j]) continue;
                const int32_t *v = r->vertex;
                q = fmin(q, quality_of(w, v[i], v[k], v[j], r->b));
                if (q <= enough || q <= best[i][j]) continue;
                q = fmin(q, quality_of(w, v[i], v[j], v[k], r->a));
                if (q <= best[i][j]) continue;
                best[i][j] = q;
                apex[i][j] = k;
            }
        }
    }
    return best[0][r->n - 1] > enough;
}

static void add_triangles(const ring *r, int apex[RING_MAX][RING_MAX], int i, int j, exchange *e)
{
    if (j - i < 2) return;
    int k = apex[i][j];
    const int32_t *v = r->vertex;
    add_tet(e, v[i], v[k], v[j], r->b);
    add_tet(e, v[i], v[j], v[k], r->a);
    add_triangles(r, apex, i, k, e);
    add_triangles(r, apex, k, j, e);
}

static bool remove_edge(work *w, int32_t tet, const int edge[4])
{
    ring r;
    int apex[RING_MAX][RING_MAX];
    if (!walk_ring(w, tet, edge, &r)) return false;
    if (!triangulate(w, &r, apex)) return false;
    exchange e = {.n_old = r.n};
    memcpy(e.old, r.tet, (size_t)r.n * sizeof *e.old);
    add_triangles(&r, apex, 0, r.n - 1, &e);
    if (!has_room(w, &e)) return false;
    apply(w, &e);
    return true;
}

// --- Face removal ---

// Two tets on a face become three around the edge that joins their far corners.
static bool remove_face(work *w, int32_t tet, int k)
{
    int32_t place = w->across[4 * (int64_t)tet + k];
    if (place < 0) return false;
    const int32_t *t = w->tet + 4 * (int64_t)tet;
    int32_t near = t[k], far = w->tet[place];
    double enough = improved(fmin(w->quality[tet], w->quality[place / 4]));
    exchange e = {.n_old = 2, .old = {tet, place / 4}};
    for (int j = 0; j < 3; j++) {
        int32_t b = t[pl_tet_face[k][j]], c = t[pl_tet_face[k][(j + 1) % 3]];
        if (!(quality_of(w, near, b, c, far) > enough)) return false;
        add_tet(&e, near, b, c, far);
    }
    if (!has_room(w, &e)) return false;
    apply(w, &e);
    return true;
}

static bool exchange_around(work *w, int32_t tet)
{
    for (int k = 0; k < 6; k++) {
        if (remove_edge(w, tet, tet_edge[k])) return true;
    }
    for (int k = 0; k < 4; k++) {
        if (remove_face(w, tet, k)) return true;
    }
    return false;
}

// --- Smoothing ---

// The tets around a vertex; tet i is (vertex, p, q, r) with the positions of the latter three here.
typedef struct star {
    int32_t n;
    int32_t tet[STAR_MAX];
    double corner[STAR_MAX][9];
    double size; // the mean length of the edges at the vertex, each weighted by its tets [m]
} star;

static void gather_corners(const work *w, int32_t vertex, star *s)
{
    s->size = 0;
    const double *x = w->x + 3 * (int64_t)vertex;
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t *t = w->tet + 4 * (int64_t)s->tet[i];
        const int *face = pl_tet_face[corner_of(t, vertex)];
        for (int j = 0; j < 3; j++) {
            double *p = s->corner[i] + 3 * j;
            memcpy(p, w->x + 3 * (int64_t)t[face[j]], 3 * sizeof *p);
            s->size += sqrt((p[0] - x[0]) * (p[0] - x[0]) + (p[1] - x[1]) * (p[1] - x[1]) +
                            (p[2] - x[2]) * (p[2] - x[2]));
        }
    }
    s->size /= 3 * s->n;
}

// Goes from tet to tet through the faces at the vertex. False if there are too many.
static bool gather_star(work *w, int32_t vertex, star *s)
{
    int32_t number = ++w->star_number;
    s->n = 1;
    s->tet[0] = w->tet_of[vertex];
    w->counted[s->tet[0]] = number;
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t *t = w->tet + 4 * (int64_t)s->tet[i];
        for (int k = 0; k < 4; k++) {
            int32_t place = w->across[4 * (int64_t)s->tet[i] + k];
            if (t[k] == vertex || place < 0 || w->counted[place / 4] == number) continue;
            if (s->n == STAR_MAX) return false;
            w->counted[place / 4] = number;
            s->tet[s->n++] = place / 4;
        }
    }
    gather_corners(w, vertex, s);
    return true;
}

// corner holds an outward face of the tet at x: (x, p, r, q) is positive.
static double corner_quality(const double x[3], const double corner[9])
{
    return pl_tet_radius_ratio(x, corner, corner + 3, corner + 6);
}

// The worst radius ratio with the vertex at x, and its tet; may stop early below `enough`.
static double star_quality(const star *s, const double x[3], double enough, int32_t *worst)
{
    double least = INFINITY;
    for (int32_t i = 0; i < s->n && least > enough; i++) {
        double q = corner_quality(x, s->corner[i]);
        if (q < least) {
            least = q;
            *worst = i;
        }
    }
    return least;
}

// The direction in which the radius ratio of one tet grows fastest, by differences; length 1.
static bool uphill(const star *s, int32_t i, const double x[3], double direction[3])
{
    double h = 1e-4 * s->size, length = 0;
    for (int k = 0; k < 3; k++) {
        double y[3] = {x[0], x[1], x[2]};
        y[k] = x[k] + h;
        direction[k] = corner_quality(y, s->corner[i]);
        y[k] = x[k] - h;
        direction[k] -= corner_quality(y, s->corner[i]);
        length += direction[k] * direction[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3; k++) direction[k] /= length;
    return isfinite(direction[0]) && isfinite(direction[1]) && isfinite(direction[2]);
}

// Compass search that asks the gradient of the worst tet first: the objective, the worst of many
// smooth functions, has kinks where the gradient of one of them leads nowhere.
static bool smooth_vertex(work *w, int32_t vertex, const star *s, double goal)
{
    double x[3], y[3], *place = w->x + 3 * (int64_t)vertex;
    int32_t worst = 0, y_worst = 0;
    memcpy(x, place, sizeof x);
    double least = star_quality(s, x, -INFINITY, &worst), before = least;
    double step = first_step;
    for (int tries = 0; tries < SMOOTH_TRIES && step >= last_step && least < goal;) {
        bool better = false;
        for (int d = 0; d < 7 && !better; d++, tries++) {
            double direction[3] = {0, 0, 0};
            if (d == 0 && !uphill(s, worst, x, direction)) continue;
            if (d > 0) direction[(d - 1) / 2] = d % 2 == 1 ? 1 : -1;
            for (int k = 0; k < 3; k++) y[k] = x[k] + step * s->size * direction[k];
            double q = star_quality(s, y, improved(least), &y_worst);
            better = q > improved(least);
            if (better) {
                memcpy(x, y, sizeof x);
                worst = y_worst;
                least = q;
            }
        }
        if (!better) step /= 2;
    }
    if (!(least > before)) return false;
    memcpy(place, x, sizeof x);
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t *t = w->tet + 4 * (int64_t)s->tet[i];
        for (int k = 0; k < 4; k++) w->changed[t[k]] = w->pass;
        w->quality[s->tet[i]] = corner_quality(x, s->corner[i]);
    }
    return true;
}

// --- The passes ---

// Where nothing has changed since the last pass, trying again would fail again.
static bool worth_a_try(const work *w, int32_t tet)
{
    const int32_t *t = w->tet + 4 * (int64_t)tet;
    for (int k = 0; k < 4; k++) {
        if (w->changed[t[k]] >= w->pass - 1) return true;
    }
    return false;
}

static int64_t exchange_pass(work *w, double goal)
{
    int64_t changes = 0;
    for (int32_t i = 0; i < w->n_tet; i++) {
        if (w->tet[4 * (int64_t)i] < 0 || w->quality[i] >= goal || !worth_a_try(w, i)) continue;
        changes += exchange_around(w, i);
    }
    return changes;
}

static int64_t smooth_pass(work *w, double goal)
{
    star s;
    int64_t changes = 0;
    for (int32_t v = 0; v < w->n_vert; v++) {
        if (w->fixed[v] || w->tet_of[v] < 0 || w->changed[v] < w->pass - 1) continue;
        if (!gather_star(w, v, &s)) continue;
        double least = INFINITY;
        for (int32_t i = 0; i < s.n; i++) least = fmin(least, w->quality[s.tet[i]]);
        if (least < goal) changes += smooth_vertex(w, v, &s, goal);
    }
    return changes;
}

static pl_status end_work(const work *w, pl_mesh *mesh)
{
    int32_t *tet = mesh->tet, n = w->n_tet - w->n_empty;
    if (n != mesh->n_tet) {
        tet = pl_alloc(4 * (int64_t)n, sizeof *tet);
        if (tet == NULL) return PL_ERROR_MEMORY;
        pl_free(mesh->tet);
        mesh->tet = tet;
        mesh->n_tet = n;
    }
    for (int32_t i = 0; i < w->n_tet; i++) {
        const int32_t *t = w->tet + 4 * (int64_t)i;
        if (t[0] < 0) continue;
        memcpy(tet, t, 4 * sizeof *t);
        tet += 4;
    }
    memcpy(mesh->x, w->x, 3 * (size_t)mesh->n_vert * sizeof *mesh->x);
    return PL_OK;
}

pl_improve_options pl_improve_options_default(void)
{
    return (pl_improve_options){.goal = 0.5, .passes = 8};
}

pl_status pl_mesh_improve(pl_mesh *mesh, const pl_improve_options *options)
{
    pl_improve_options o = options != NULL ? *options : pl_improve_options_default();
    PL_REQUIRE(mesh);
    if (!(o.goal > 0 && o.goal <= 1) || o.passes < 0) {
        return pl_fail(PL_ERROR_ARGUMENT, "improve: a goal of %g in %d passes is not possible",
                       o.goal, (int)o.passes);
    }
    work w;
    PL_TRY(begin_work(mesh, &w));
    for (w.pass = 1; w.pass <= o.passes; w.pass++) {
        int64_t changes = exchange_pass(&w, o.goal);
        changes += smooth_pass(&w, o.goal);
        if (changes == 0) break;
    }
    pl_status status = end_work(&w, mesh);
    free_work(&w);
    return status;
}
