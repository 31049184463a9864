// Convex hulls, by quickhull (Barber, Dobkin and Huhdanpaa 1996) with exact signs: a point is added
// only if it lies strictly above a face, and the faces that go are those strictly below it. Then a
// new face is never flat: a point on the line of an edge is in the planes of both its faces. Faces
// in one plane stay triangles.

#include "geometry.h"
#include "mesh.h"
#include "predicates.h"

#include <math.h>
#include <string.h>

typedef struct hull_face {
    int32_t v[3], across[3]; // corners, and the face behind the edge from corner k to k + 1
    int32_t first;           // of the points above it, a list; -1: none
    bool gone;
} hull_face;

typedef struct hull {
    const double *x;
    hull_face *face; // (n_face)
    int64_t n_face, face_capacity;
    int32_t *next; // (n_vert) of a point in its list, -1 at its end
    int32_t *stack;
    int64_t stack_capacity;
    int32_t *rim; // pairs: a face that stays, and which of its edges is on the horizon
    int64_t n_rim, rim_capacity;
} hull;

static const double *point(const hull *h, int32_t v)
{
    return h->x + 3 * (int64_t)v;
}

static bool is_above(const hull *h, int32_t f, int32_t v)
{
    const int32_t *c = h->face[f].v;
    return pl_orient3d(point(h, c[0]), point(h, c[1]), point(h, c[2]), point(h, v)) > 0;
}

static double height_above(const hull *h, int32_t f, int32_t v)
{
    const int32_t *c = h->face[f].v;
    return pl_tet_det(point(h, c[0]), point(h, c[1]), point(h, c[2]), point(h, v));
}

static pl_status add_face(hull *h, int32_t a, int32_t b, int32_t c, int32_t *out)
{
    PL_TRY(pl_reserve((void **)&h->face, &h->face_capacity, h->n_face + 1, sizeof *h->face));
    *out = (int32_t)h->n_face++;
    h->face[*out] = (hull_face){.v = {a, b, c}, .across = {-1, -1, -1}, .first = -1};
    return PL_OK;
}

// Gives points of a list to the first of some faces that they are above; the others are inside.
static void hand_out(hull *h, int32_t list, int64_t first, int64_t last)
{
    while (list >= 0) {
        int32_t v = list;
        list = h->next[v];
        for (int64_t f = first; f < last; f++) {
            if (!is_above(h, (int32_t)f, v)) continue;
            h->next[v] = h->face[f].first;
            h->face[f].first = v;
            break;
        }
    }
}

// --- The first four points ---

// Farthest from what the first k points span, in doubles; only then exact.
static bool find_simplex(const hull *h, int32_t n, int32_t s[4])
{
    s[0] = 0;
    double most = 0;
    for (int32_t v = 0; v < n; v++) {
        if (point(h, v)[0] < point(h, s[0])[0]) s[0] = v;
    }
    for (int32_t v = 0; v < n; v++) {
        double d[3];
        pl_subtract(point(h, v), point(h, s[0]), d);
        if (pl_dot(d, d) > most) most = pl_dot(d, d), s[1] = v;
    }
    if (most == 0) return false;
    most = 0;
    for (int32_t v = 0; v < n; v++) {
        double area[3];
        pl_face_normal(point(h, s[0]), point(h, s[1]), point(h, v), area);
        if (pl_dot(area, area) > most) most = pl_dot(area, area), s[2] = v;
    }
    if (most == 0) return false;
    most = -1;
    for (int32_t v = 0; v < n; v++) {
        const double *a = point(h, s[0]), *b = point(h, s[1]), *c = point(h, s[2]);
        if (pl_orient3d(a, b, c, point(h, v)) == 0) continue;
        double height = fabs(pl_tet_det(a, b, c, point(h, v)));
        if (height > most) most = height, s[3] = v;
    }
    return most >= 0;
}

static pl_status start(hull *h, int32_t n)
{
    int32_t s[4] = {0};
    if (!find_simplex(h, n, s)) {
        return pl_fail(PL_ERROR_GEOMETRY, "the points of a hull lie in one plane");
    }
    if (pl_orient3d(point(h, s[0]), point(h, s[1]), point(h, s[2]), point(h, s[3])) < 0) {
        pl_swap(&s[1], &s[2]);
    }
    static const int corner[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0; k < 4; k++) {
        int32_t f;
        PL_TRY(add_face(h, s[corner[k][0]], s[corner[k][1]], s[corner[k][2]], &f));
    }
    for (int i = 0; i < 12; i++) { // side i % 3 of face i / 3
        hull_face *f = &h->face[i / 3];
        int32_t a = f->v[i % 3], b = f->v[(i % 3 + 1) % 3];
        for (int j = 0; j < 12; j++) {
            const int32_t *v = h->face[j / 3].v;
            if (v[j % 3] == b && v[(j % 3 + 1) % 3] == a) f->across[i % 3] = j / 3;
        }
    }
    int32_t list = -1;
    for (int32_t v = n - 1; v >= 0; v--) {
        if (v == s[0] || v == s[1] || v == s[2] || v == s[3]) continue;
        h->next[v] = list;
        list = v;
    }
    hand_out(h, list, 0, 4);
    return PL_OK;
}

// --- Adding a point ---

// Marks the faces below p, from f on, as gone and lists the horizon: the edges of faces that stay.
static pl_status find_horizon(hull *h, int32_t f, int32_t p)
{
    int64_t n = 0;
    h->n_rim = 0;
    PL_TRY(pl_reserve((void **)&h->stack, &h->stack_capacity, h->n_face + 1, sizeof *h->stack));
    h->face[f].gone = true;
    h->stack[n++] = f;
    while (n > 0) {
        int32_t at = h->stack[--n];
        for (int k = 0; k < 3; k++) {
            int32_t other = h->face[at].across[k];
            hull_face *o = &h->face[other];
            if (o->gone) continue;
            if (is_above(h, other, p)) {
                o->gone = true;
                h->stack[n++] = other;
                continue;
            }
            int edge = 0;
            while (o->v[edge] != h->face[at].v[(k + 1) % 3]) edge++;
            PL_TRY(
                pl_reserve((void **)&h->rim, &h->rim_capacity, 2 * (h->n_rim + 1), sizeof *h->rim));
            h->rim[2 * h->n_rim] = other;
            h->rim[2 * h->n_rim++ + 1] = edge;
        }
    }
    return PL_OK;
}

static int32_t farthest_above(const hull *h, int32_t f)
{
    int32_t best = h->face[f].first;
    double most = height_above(h, f, best);
    for (int32_t v = h->next[best]; v >= 0; v = h->next[v]) {
        double height = height_above(h, f, v);
        if (height > most) most = height, best = v;
    }
    return best;
}

// The points above faces that are gone, but for p, as one list.
static int32_t gather(hull *h, int32_t p)
{
    int32_t list = -1;
    for (int64_t f = 0; f < h->n_face; f++) {
        if (!h->face[f].gone) continue;
        for (int32_t v = h->face[f].first, next; v >= 0; v = next) {
            next = h->next[v];
            if (v == p) continue;
            h->next[v] = list;
            list = v;
        }
        h->face[f].first = -1;
    }
    return list;
}

static pl_status add_point(hull *h, int32_t f)
{
    int32_t p = farthest_above(h, f);
    PL_TRY(find_horizon(h, f, p));
    int64_t first = h->n_face;
    for (int64_t i = 0; i < h->n_rim; i++) {
        int32_t other = h->rim[2 * i], edge = h->rim[2 * i + 1], made;
        int32_t a = h->face[other].v[(edge + 1) % 3], b = h->face[other].v[edge];
        PL_TRY(add_face(h, a, b, p, &made));
        h->face[made].across[0] = other;
        h->face[other].across[edge] = made;
    }
    for (int64_t i = first; i < h->n_face; i++) { // around p: the face behind b p begins at b
        for (int64_t j = first; j < h->n_face; j++) {
            if (h->face[j].v[0] == h->face[i].v[1]) h->face[i].across[1] = (int32_t)j;
            if (h->face[j].v[1] == h->face[i].v[0]) h->face[i].across[2] = (int32_t)j;
        }
    }
    hand_out(h, gather(h, p), first, h->n_face);
    return PL_OK;
}

// Faces that are gone make room, when they are many.
static void drop_gone(hull *h, int32_t *number)
{
    int64_t kept = 0;
    for (int64_t f = 0; f < h->n_face; f++) number[f] = h->face[f].gone ? -1 : (int32_t)kept++;
    for (int64_t f = 0; f < h->n_face; f++) {
        if (number[f] < 0) continue;
        hull_face face = h->face[f];
        for (int k = 0; k < 3; k++) face.across[k] = number[face.across[k]];
        h->face[number[f]] = face;
    }
    h->n_face = kept;
}

static pl_status grow(hull *h)
{
    for (int64_t f = 0; f < h->n_face; f++) {
        if (h->face[f].gone || h->face[f].first < 0) continue;
        PL_TRY(add_point(h, (int32_t)f));
        int64_t gone = 0;
        for (int64_t g = 0; g < h->n_face; g++) gone += h->face[g].gone;
        if (2 * gone > h->n_face) {
            PL_TRY(pl_reserve((void **)&h->stack, &h->stack_capacity, h->n_face, sizeof *h->stack));
            drop_gone(h, h->stack);
        }
        f = -1; // any may have points now
    }
    return PL_OK;
}

// --- All of it ---

static pl_status take_surface(const hull *h, const pl_mesh *mesh, pl_mesh **out)
{
    int32_t *number = pl_alloc(mesh->n_vert, sizeof *number), n = 0;
    if (number == NULL) return PL_ERROR_MEMORY;
    int64_t n_face = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) number[v] = -1;
    for (int64_t f = 0; f < h->n_face; f++) {
        if (h->face[f].gone) continue;
        n_face++;
        for (int k = 0; k < 3; k++) number[h->face[f].v[k]] = 0;
    }
    for (int32_t v = 0; v < mesh->n_vert; v++) {
        if (number[v] == 0) number[v] = n++;
    }
    pl_status status = pl_mesh_alloc(n, n_face, 0, out);
    if (status == PL_OK) {
        for (int32_t v = 0; v < mesh->n_vert; v++) {
            if (number[v] < 0) continue;
            memcpy((*out)->x + 3 * (int64_t)number[v], point(h, v), 3 * sizeof(double));
        }
        int32_t *to = (*out)->face;
        for (int64_t f = 0; f < h->n_face; f++) {
            for (int k = 0; k < 3 && !h->face[f].gone; k++) *to++ = number[h->face[f].v[k]];
        }
    }
    pl_free(number);
    return status;
}

pl_status pl_mesh_hull(const pl_mesh *mesh, pl_mesh **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    PL_REQUIRE(mesh);
    hull h = {.x = mesh->x, .next = pl_alloc(mesh->n_vert, sizeof *h.next)};
    pl_status status = h.next != NULL ? PL_OK : PL_ERROR_MEMORY;
    if (status == PL_OK && mesh->n_vert < 4) {
        status = pl_fail(PL_ERROR_GEOMETRY, "a hull of %d points: 4 at least expected",
                         (int)mesh->n_vert);
    }
    if (status == PL_OK) status = start(&h, mesh->n_vert);
    if (status == PL_OK) status = grow(&h);
    if (status == PL_OK) status = take_surface(&h, mesh, out);
    pl_free(h.face);
    pl_free(h.next);
    pl_free(h.stack);
    pl_free(h.rim);
    return status;
}
