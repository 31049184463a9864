#include "embedding.h"
#include "../../collision/distance.h"
#include "../../meshes/geometry.h"
#include "../../meshes/mesh.h"
#include "../../meshes/tree.h"

#include <string.h>

// A vertex farther outside than this many times the longest edge of the nearest tet is lost.
static const double LOST = 4;
// Tets whose volume is below this part of the cube over their longest edge are flat: six times the
// volume is a sum of rounding errors then, and carries nothing.
static const double FLAT = 1e-12;
// Squares of distances that differ by less than this part are the same: those from a vertex or an
// edge that several tets share, found in different ways.
static const double TIE = 1e-9;

// --- Places in a tet ---

typedef struct tet_frame {
    double origin[3], edge[3][3]; // corner 0, and from there to the others
    double normal[3][3];          // e2 x e3, e3 x e1, e1 x e2
    double det;                   // e1 . (e2 x e3)
} tet_frame;

static tet_frame frame_of_tet(const pl_mesh *mesh, int32_t tet)
{
    const int32_t *t = mesh->tet + 4 * (int64_t)tet;
    tet_frame f;
    memcpy(f.origin, mesh->x + 3 * (int64_t)t[0], sizeof f.origin);
    for (int k = 0; k < 3; k++) {
        pl_subtract(mesh->x + 3 * (int64_t)t[k + 1], f.origin, f.edge[k]);
    }
    for (int k = 0; k < 3; k++) pl_cross(f.edge[(k + 1) % 3], f.edge[(k + 2) % 3], f.normal[k]);
    f.det = pl_dot(f.edge[0], f.normal[0]);
    return f;
}

static double longest_edge(const tet_frame *f)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d[3];
        pl_subtract(f->edge[k], f->edge[(k + 1) % 3], d);
        square = fmax(square, fmax(pl_dot(f->edge[k], f->edge[k]), pl_dot(d, d)));
    }
    return sqrt(square);
}

// p - origin = sum w_k e_k by Cramer's rule, and once more for what is left: the second time takes
// the error of a thin tet from its condition down to rounding.
static void solve_weights(const tet_frame *f, const double p[3], double w[3])
{
    double r[3];
    pl_subtract(p, f->origin, r);
    for (int k = 0; k < 3; k++) w[k] = pl_dot(f->normal[k], r) / f->det;
    for (int i = 0; i < 3; i++) {
        r[i] -= w[0] * f->edge[0][i] + w[1] * f->edge[1][i] + w[2] * f->edge[2][i];
    }
    for (int k = 0; k < 3; k++) w[k] += pl_dot(f->normal[k], r) / f->det;
}

static pl_foot foot_on_face(const double *x, const int32_t face[3], const double p[3])
{
    const double *a = x + 3 * (int64_t)face[0];
    double z[3], e[3], f[3];
    pl_subtract(p, a, z);
    pl_subtract(a, x + 3 * (int64_t)face[1], e);
    pl_subtract(a, x + 3 * (int64_t)face[2], f);
    return pl_foot_triangle(z, e, f);
}

// The square of the distance from a tet: 0 inside; outside, the nearest point is on a face that p
// is beyond of.
static double square_to_tet(const pl_mesh *mesh, int32_t tet, const double p[3], const double w[4])
{
    const int32_t *t = mesh->tet + 4 * (int64_t)tet;
    double square = INFINITY;
    bool inside = true;
    for (int k = 0; k < 4; k++) {
        if (w[k] >= 0) continue;
        const int32_t face[3] = {t[(k + 1) & 3], t[(k + 2) & 3], t[(k + 3) & 3]};
        square = fmin(square, foot_on_face(mesh->x, face, p).square);
        inside = false;
    }
    return inside ? 0 : square;
}

// --- The nearest tet or face ---

typedef struct search {
    const pl_mesh *carrier;
    const int32_t *element; // (tree.n) the tet or face that an item is
    pl_tree tree;
} search;

typedef struct nearest {
    const search *search;
    const double *p;
    int32_t element; // -1: none so far
    double square;   // of the distance
    double least;    // of the four weights
    double w[3];
} nearest;

// The tet that is nearest. Of several that share the nearest point, the one in which the least is
// extrapolated: the sum of the moduli of the weights, which magnifies errors, is small there.
static double approach_tet(void *user, int32_t item)
{
    nearest *best = user;
    const pl_mesh *mesh = best->search->carrier;
    int32_t tet = best->search->element[item];
    tet_frame f = frame_of_tet(mesh, tet);
    double w[4];
    solve_weights(&f, best->p, w + 1);
    w[0] = 1 - w[1] - w[2] - w[3];
    double square = square_to_tet(mesh, tet, best->p, w);
    double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
    bool nearer = square < (1 - TIE) * best->square;
    if (nearer || (square <= (1 + TIE) * best->square && least > best->least)) {
        best->element = tet;
        best->least = least;
        memcpy(best->w, w + 1, sizeof best->w);
    }
    best->square = fmin(best->square, square);
    return least >= 0 ? -1 : (1 + TIE) * best->square; // whoever holds it ends the search
}

static double approach_face(void *user, int32_t item)
{
    nearest *best = user;
    const pl_mesh *mesh = best->search->carrier;
    int32_t face = best->search->element[item];
    pl_foot foot = foot_on_face(mesh->x, mesh->face + 3 * (int64_t)face, best->p);
    if (foot.square < best->square) {
        best->element = face;
        best->square = foot.square;
        best->w[0] = foot.s;
        best->w[1] = foot.t;
        best->w[2] = 0;
    }
    return best->square;
}

static pl_box tet_box(const pl_mesh *mesh, int32_t tet)
{
    const int32_t *t = mesh->tet + 4 * (int64_t)tet;
    pl_box a = pl_face_box(mesh->x, t), b = pl_face_box(mesh->x, t + 1);
    return pl_boxes_join(&a, &b);
}

// Lists the faces, or the tets that are not flat, with their boxes.
static int32_t list_elements(const pl_mesh *carrier, bool faces, int32_t *element, pl_box *box)
{
    int32_t n = 0;
    for (int32_t i = 0; i < (faces ? carrier->n_face : carrier->n_tet); i++) {
        if (faces) {
            box[n] = pl_face_box(carrier->x, carrier->face + 3 * (int64_t)i);
        } else {
            tet_frame f = frame_of_tet(carrier, i);
            double size = longest_edge(&f);
            if (!(fabs(f.det) > FLAT * size * size * size)) continue;
            box[n] = tet_box(carrier, i);
        }
        element[n++] = i;
    }
    return n;
}

static pl_status build_tree(const pl_mesh *carrier, bool faces, int32_t *element, search *out)
{
    pl_box *box = pl_alloc(faces ? carrier->n_face : carrier->n_tet, sizeof *box);
    if (box == NULL) return PL_ERROR_MEMORY;
    *out = (search){.carrier = carrier, .element = element};
    int32_t n = list_elements(carrier, faces, element, box);
    pl_status status = n > 0 ? pl_tree_build_boxes(n, box, &out->tree)
                             : pl_fail(PL_ERROR_GEOMETRY, "the body has no %s that could carry it",
                                       faces ? "faces" : "tetrahedra");
    pl_free(box);
    return status;
}

typedef struct search_loop {
    const pl_embedding *e;
    const search *s;
    nearest *found;
} search_loop;

static void search_some(void *context, int64_t first, int64_t last)
{
    const search_loop *l = context;
    pl_tree_approach *approach = l->e->rigid ? approach_face : approach_tet;
    for (int64_t i = first; i < last; i++) {
        nearest *best = &l->found[i];
        *best = (nearest){l->s, l->e->surface->x + 3 * i, -1, DBL_MAX, -INFINITY, {0}};
        pl_tree_nearest(&l->s->tree, best->p, best->square, approach, best);
    }
}

// The nearest element of each vertex, into found (n).
static void search_all(const pl_embedding *e, const search *s, nearest *found)
{
    enum { CHUNK_VERTICES = 64 }; // what a thread takes at least
    pl_loop(e->n, CHUNK_VERTICES, search_some, &(search_loop){e, s, found});
}

// Vertex v of the carrier of the search is map[v] of the body; NULL: the same.
static void write_tables(pl_embedding *e, const search *s, const int32_t *map, const nearest *found)
{
    for (int64_t i = 0; i < e->n; i++) {
        int64_t element = found[i].element;
        int32_t *corner = e->corner + 4 * i;
        if (e->rigid) {
            for (int k = 0; k < 4; k++) corner[k] = map[s->carrier->face[3 * element + k % 3]];
        } else {
            memcpy(corner, s->carrier->tet + 4 * element, 4 * sizeof *corner);
        }
        memcpy(e->weight + 3 * i, found[i].w, sizeof found[i].w);
    }
}

// Complains about the vertex that is the farthest outside, for its tet.
static pl_status check_distances(const pl_embedding *e, const search *s, const nearest *found)
{
    double worst = LOST, size_there = 0;
    int32_t at = -1;
    for (int32_t i = 0; i < e->n; i++) {
        double times = 0, size = 0;
        if (found[i].element < 0) {
            times = INFINITY; // so far that the square is not a number
        } else if (!e->rigid) {
            tet_frame f = frame_of_tet(s->carrier, found[i].element);
            size = longest_edge(&f);
            times = sqrt(found[i].square) / size;
        }
        if (times <= worst) continue;
        worst = times;
        size_there = size;
        at = i;
    }
    if (at < 0) return PL_OK;
    if (worst == INFINITY) {
        return pl_fail(PL_ERROR_GEOMETRY, "vertex %d is too far away from the body", (int)at);
    }
    return pl_fail(
        PL_ERROR_GEOMETRY,
        "vertex %d is %.3g m away from the body, whose nearest tetrahedron has a size of "
        "%.3g m: a surface that it carries must have its scale and place",
        (int)at, sqrt(found[at].square), size_there);
}

static pl_status find_carriers(const pl_mesh *carrier, const int32_t *map, pl_embedding *e)
{
    search s = {0};
    nearest *found = pl_alloc(e->n, sizeof *found);
    int32_t *element = pl_alloc(e->rigid ? carrier->n_face : carrier->n_tet, sizeof *element);
    pl_status status = found == NULL || element == NULL
                           ? PL_ERROR_MEMORY
                           : build_tree(carrier, e->rigid, element, &s);
    if (status == PL_OK) {
        search_all(e, &s, found);
        status = check_distances(e, &s, found);
    }
    if (status == PL_OK) write_tables(e, &s, map, found);
    pl_tree_free(&s.tree);
    pl_free(found);
    pl_free(element);
    return status;
}

// --- Rigid bodies ---

// The vertex that is the farthest from a, or if b is given from the line through both.
static int32_t farthest(const pl_mesh *mesh, const double a[3], const double *b, double *square)
{
    int32_t at = 0;
    *square = 0;
    for (int32_t i = 0; i < mesh->n_vert; i++) {
        const double *x = mesh->x + 3 * (int64_t)i;
        double d[3];
        if (b == NULL) {
            pl_subtract(x, a, d);
        } else {
            pl_face_normal(a, b, x, d); // as long as the distance times |b - a|
        }
        if (!(pl_dot(d, d) > *square)) continue;
        *square = pl_dot(d, d);
        at = i;
    }
    return at;
}

// The frame with origin a whose first axis goes to b and whose second looks towards c.
static void axes_of(const double a[3], const double b[3], const double c[3], double axis[3][3])
{
    double ac[3];
    pl_subtract(b, a, axis[0]);
    pl_subtract(c, a, ac);
    pl_cross(axis[0], ac, axis[2]);
    for (int i = 0; i < 3; i += 2) {
        double length = sqrt(pl_dot(axis[i], axis[i]));
        for (int k = 0; k < 3; k++) axis[i][k] /= length;
    }
    pl_cross(axis[2], axis[0], axis[1]);
}

// The longest way through the body, or nearly, and what is the farthest from it.
static pl_status find_frame(const pl_mesh *carrier, pl_embedding *e)
{
    const double *x = carrier->x;
    double long_square, across_square;
    int32_t a = farthest(carrier, x, NULL, &long_square);
    int32_t b = farthest(carrier, x + 3 * (int64_t)a, NULL, &long_square);
    int32_t c = farthest(carrier, x + 3 * (int64_t)a, x + 3 * (int64_t)b, &across_square);
    if (!(sqrt(across_square) > FLAT * long_square)) {
        return pl_fail(PL_ERROR_GEOMETRY, "the body has no area that could carry it");
    }
    memcpy(e->frame, (const int32_t[3]){a, b, c}, sizeof e->frame);
    double axis[3][3], r[3];
    axes_of(x + 3 * (int64_t)a, x + 3 * (int64_t)b, x + 3 * (int64_t)c, axis);
    for (int64_t i = 0; i < e->n; i++) {
        pl_subtract(e->surface->x + 3 * i, x + 3 * (int64_t)a, r);
        for (int k = 0; k < 3; k++) e->local[3 * i + k] = pl_dot(axis[k], r);
    }
    return PL_OK;
}

static pl_status embed_rigid(const pl_mesh *carrier, pl_embedding *e)
{
    pl_mesh *skin = NULL;
    int32_t *map = pl_alloc(carrier->n_vert, sizeof *map);
    e->local = pl_alloc(3 * (int64_t)e->n, sizeof *e->local);
    pl_status status =
        map == NULL || e->local == NULL ? PL_ERROR_MEMORY : pl_mesh_surface(carrier, map, &skin);
    if (status == PL_OK) status = find_carriers(skin, map, e);
    if (status == PL_OK) status = find_frame(carrier, e);
    pl_mesh_destroy(skin);
    pl_free(map);
    return status;
}

// --- Making and using ---

static pl_status embed(const pl_mesh *carrier, const pl_mesh *fine, pl_embedding *e)
{
    PL_TRY(pl_mesh_surface(fine, NULL, &e->surface));
    if (e->surface->n_face == 0) return pl_fail(PL_ERROR_GEOMETRY, "has no faces");
    e->n = e->surface->n_vert;
    e->corner = pl_alloc(4 * (int64_t)e->n, sizeof *e->corner);
    e->weight = pl_alloc(3 * (int64_t)e->n, sizeof *e->weight);
    if (e->corner == NULL || e->weight == NULL) return PL_ERROR_MEMORY;
    return e->rigid ? embed_rigid(carrier, e) : find_carriers(carrier, NULL, e);
}

pl_status pl_embedding_create(const pl_mesh *carrier, bool rigid, const pl_mesh *fine,
                              pl_embedding **out)
{
    *out = pl_alloc_zero(1, sizeof **out);
    if (*out == NULL) return PL_ERROR_MEMORY;
    (*out)->rigid = rigid;
    pl_status status = embed(carrier, fine, *out);
    if (status != PL_OK) {
        pl_embedding_destroy(*out);
        *out = NULL;
    }
    return status;
}

void pl_embedding_destroy(pl_embedding *embedding)
{
    if (embedding == NULL) return;
    pl_mesh_destroy(embedding->surface);
    pl_free(embedding->corner);
    pl_free(embedding->weight);
    pl_free(embedding->local);
    pl_free(embedding);
}

static void move_rigid(const pl_embedding *e, const double *x, double *restrict out)
{
    const double *a = x + 3 * (int64_t)e->frame[0];
    double axis[3][3];
    axes_of(a, x + 3 * (int64_t)e->frame[1], x + 3 * (int64_t)e->frame[2], axis);
    for (int64_t i = 0; i < e->n; i++) {
        const double *r = e->local + 3 * i;
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = a[k] + (r[0] * axis[0][k] + r[1] * axis[1][k] + r[2] * axis[2][k]);
        }
    }
}

// By differences: the weights then add up to 1 without an error, wherever the body is.
static void move_soft(const pl_embedding *e, const double *x, double *restrict out)
{
    for (int64_t i = 0; i < e->n; i++) {
        const int32_t *c = e->corner + 4 * i;
        const double *w = e->weight + 3 * i, *p[4];
        for (int j = 0; j < 4; j++) p[j] = x + 3 * (int64_t)c[j];
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = p[0][k] + (w[0] * (p[1][k] - p[0][k]) + w[1] * (p[2][k] - p[0][k]) +
                                        w[2] * (p[3][k] - p[0][k]));
        }
    }
}

void pl_embedding_move(const pl_embedding *embedding, const double *x, double *out)
{
    if (embedding->rigid) {
        move_rigid(embedding, x, out);
    } else {
        move_soft(embedding, x, out);
    }
}

void pl_embedding_scalar(const pl_embedding *embedding, const double *value, double *out)
{
    for (int64_t i = 0; i < embedding->n; i++) {
        const int32_t *c = embedding->corner + 4 * i;
        const double *w = embedding->weight + 3 * i;
        double first = fmax(0, 1 - w[0] - w[1] - w[2]), all = first, sum = first * value[c[0]];
        for (int k = 0; k < 3; k++) {
            all += fmax(0, w[k]);
            sum += fmax(0, w[k]) * value[c[k + 1]];
        }
        out[i] = sum / all;
    }
}
