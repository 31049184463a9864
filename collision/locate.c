// Where points are: in which tet, or on which face.

#include "distance.h"
#include "../meshes/mesh.h"
#include "../meshes/tree.h"

#include <string.h>

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
    const pl_mesh *mesh;
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
    const pl_mesh *mesh = best->search->mesh;
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
    const pl_mesh *mesh = best->search->mesh;
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
static int32_t list_elements(const pl_mesh *mesh, bool faces, int32_t *element, pl_box *box)
{
    int32_t n = 0;
    for (int32_t i = 0; i < (faces ? mesh->n_face : mesh->n_tet); i++) {
        if (faces) {
            box[n] = pl_face_box(mesh->x, mesh->face + 3 * (int64_t)i);
        } else {
            tet_frame f = frame_of_tet(mesh, i);
            double size = longest_edge(&f);
            if (!(fabs(f.det) > FLAT * size * size * size)) continue;
            box[n] = tet_box(mesh, i);
        }
        element[n++] = i;
    }
    return n;
}

static pl_status build_tree(const pl_mesh *mesh, bool faces, int32_t *element, search *out)
{
    pl_box *box = pl_alloc(faces ? mesh->n_face : mesh->n_tet, sizeof *box);
    if (box == NULL) return PL_ERROR_MEMORY;
    *out = (search){.mesh = mesh, .element = element};
    int32_t n = list_elements(mesh, faces, element, box);
    pl_status status = n > 0 ? pl_tree_build_boxes(n, box, &out->tree)
                             : pl_fail(PL_ERROR_GEOMETRY, "locate: the mesh has no %s",
                                       faces ? "faces" : "tets, or flat ones only");
    pl_free(box);
    return status;
}

// --- Points ---

typedef struct locate_loop {
    const search *search;
    bool faces;
    const double *x;
    pl_place *out;
} locate_loop;

static void locate_some(void *context, int64_t first, int64_t last)
{
    const locate_loop *l = context;
    pl_tree_approach *approach = l->faces ? approach_face : approach_tet;
    for (int64_t i = first; i < last; i++) {
        nearest best = {l->search, l->x + 3 * i, -1, DBL_MAX, -INFINITY, {0}};
        pl_tree_nearest(&l->search->tree, best.p, best.square, approach, &best);
        l->out[i] = (pl_place){best.element, {best.w[0], best.w[1], best.w[2]}, sqrt(best.square)};
    }
}

static pl_status check_points(int32_t n, const double *x)
{
    if (n < 0) return pl_fail(PL_ERROR_ARGUMENT, "locate: %d points", (int)n);
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        if (isfinite(x[i])) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "locate: point %lld is not finite", (long long)(i / 3));
    }
    return PL_OK;
}

pl_status pl_mesh_locate(const pl_mesh *mesh, bool faces, int32_t n, const double *x, pl_place *out)
{
    enum { CHUNK_POINTS = 64 }; // what a thread takes at least
    PL_REQUIRE(mesh);
    PL_REQUIRE(x);
    PL_REQUIRE(out);
    PL_TRY(check_points(n, x));
    search s = {0};
    int32_t *element = pl_alloc(faces ? mesh->n_face : mesh->n_tet, sizeof *element);
    pl_status status = element != NULL ? build_tree(mesh, faces, element, &s) : PL_ERROR_MEMORY;
    if (status == PL_OK) pl_loop(n, CHUNK_POINTS, locate_some, &(locate_loop){&s, faces, x, out});
    pl_tree_free(&s.tree);
    pl_free(element);
    return status;
}
