#include "audit.h"
#include "../meshes/geometry.h"

#include <float.h>
#include <math.h>

// The smallest distance, by branch and bound: a pair of nodes is left alone if their boxes are
// farther apart than the nearest faces so far. Squares of distances are compared, in a unit that is
// a power of two near the largest coordinate, so that none overflows.
//
// The result does not depend on the order, and so not on the threads: of all pairs of faces the
// least (square, f, g) wins, and no bound is above the square of a pair below it. The latter holds
// in floating-point arithmetic too, because rounding is monotonic (a box within another is never
// computed to be nearer), and a pair counts as far apart as its boxes at least.

// --- Two triangles ---

// They do not meet, so that the nearest points are a vertex and a point of the other's inside, of
// an edge of the other, or inner points of two edges. All are tried, by distances between points of
// the two triangles: rounding may miss the nearest by a little, but never makes up a nearer one.

static void move_along(const double p[3], double t, const double u[3], double r[3])
{
    for (int k = 0; k < 3; k++) r[k] = p[k] + t * u[k];
}

static double square_between(const double p[3], const double q[3])
{
    double d[3];
    pl_subtract(p, q, d);
    return pl_dot(d, d);
}

static double vertex_edge(const double p[3], const double a[3], const double b[3])
{
    double u[3], w[3], q[3];
    pl_subtract(b, a, u);
    pl_subtract(p, a, w);
    double length = pl_dot(u, u), t = length > 0 ? pl_dot(u, w) / length : 0;
    if (!(t > 0)) return pl_dot(w, w);
    if (t >= 1) return square_between(p, b);
    move_along(a, t, u, q);
    return square_between(p, q);
}

// q moved to the foot of p on the plane through q along u and v, whose normal is n = u x v: with
// w = p - q it moves by s u + t v, s = (w x v) . n / n.n, t = (u x w) . n / n.n.
static void drop_onto_plane(const double p[3], const double u[3], const double v[3], double q[3],
                            double *s, double *t)
{
    double w[3], n[3], m[3];
    pl_subtract(p, q, w);
    pl_cross(u, v, n);
    double square = pl_dot(n, n);
    pl_cross(w, v, m);
    *s = pl_dot(m, n) / square;
    pl_cross(u, w, m);
    *t = pl_dot(m, n) / square;
    move_along(q, *s, u, q);
    move_along(q, *t, v, q);
}

// Seen from the corner opposite to the longest edge, rounding moves p across an edge by no more
// than the size of the triangle times 1e-16, however thin it is: s and t err by that over the angle
// there, but the heights, which they are fractions of, are as small as the angle. The foot may err
// along a flat triangle, and is corrected by a second drop from where it is.
static double vertex_inside(const double p[3], const double t[3][3])
{
    int k = 0;
    double longest = -1;
    for (int i = 0; i < 3; i++) {
        double square = square_between(t[(i + 1) % 3], t[(i + 2) % 3]);
        if (square > longest) k = i;
        longest = fmax(longest, square);
    }
    double u[3], v[3], along_u, along_v, q[3] = {t[k][0], t[k][1], t[k][2]};
    pl_subtract(t[(k + 1) % 3], q, u);
    pl_subtract(t[(k + 2) % 3], q, v);
    drop_onto_plane(p, u, v, q, &along_u, &along_v);
    if (!(along_u > 0 && along_v > 0 && along_u + along_v < 1)) return INFINITY; // 0/0 too
    drop_onto_plane(p, u, v, q, &along_u, &along_v);
    return square_between(p, q);
}

// The nearest points of the two lines are p + s u and q + t v with q - p = s u - t v + c n, where
// n = u x v, so that s = ((q - p) x v) . n / n.n. If the angle of the lines is a, rounding moves s
// by about 1e-16 / a; as the point on the second edge follows, the distance changes by a times
// that. Edges that are parallel are nearest at an end, too.
static double edge_edge(const double p[3], const double p1[3], const double q[3],
                        const double q1[3])
{
    double u[3], v[3], w[3], n[3], m[3], x[3];
    pl_subtract(p1, p, u);
    pl_subtract(q1, q, v);
    pl_subtract(q, p, w);
    pl_cross(u, v, n);
    pl_cross(w, v, m);
    double s = pl_dot(m, n) / pl_dot(n, n);
    if (!(s > 0 && s < 1)) return INFINITY; // 0/0 too
    move_along(p, s, u, x);
    return vertex_edge(x, q, q1);
}

double pl_audit_square(const double a[3][3], const double b[3][3])
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, fmin(vertex_inside(a[i], b), vertex_inside(b[i], a)));
        for (int j = 0; j < 3; j++) {
            const double *a1 = a[(i + 1) % 3], *b1 = b[(j + 1) % 3];
            least = fmin(least, vertex_edge(a[i], b[j], b1));
            least = fmin(least, vertex_edge(b[j], a[i], a1));
            least = fmin(least, edge_edge(a[i], a1, b[j], b1));
        }
    }
    return least;
}

// --- Branch and bound ---

typedef struct nearest {
    double square; // [unit^2]
    int32_t f, g;  // -1 if there are none
} nearest;

typedef struct search {
    const pl_audit *audit;
    const pl_patch *patch; // a block of it is compared with everything else
    int32_t node;
    double scale;          // 1 / unit [1/m]
    _Atomic double *bound; // the least square that any thread has found
    nearest *nearest;      // what this thread has
} search;

static double box_square(const search *s, const pl_box *a, const pl_box *b)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(s->scale * b->lo[k] - s->scale * a->hi[k],
                          s->scale * a->lo[k] - s->scale * b->hi[k]);
        if (gap > 0) square += gap * gap;
    }
    return square;
}

static bool shares_vertex(const int32_t v[3], const int32_t w[3])
{
    for (int k = 0; k < 9; k++) {
        if (v[k / 3] == w[k % 3]) return true;
    }
    return false;
}

// The corners of two faces, seen from the first of them: small numbers where they are near.
static double face_square(const search *s, int32_t f, int32_t g)
{
    const pl_mesh *mesh = s->audit->mesh;
    const int32_t *v = mesh->face + 3 * (int64_t)f, *w = mesh->face + 3 * (int64_t)g;
    double a[3][3], b[3][3];
    if (shares_vertex(v, w)) return INFINITY;
    for (int i = 0; i < 9; i++) {
        double origin = s->scale * mesh->x[3 * (int64_t)v[0] + i % 3];
        a[i / 3][i % 3] = s->scale * mesh->x[3 * (int64_t)v[i / 3] + i % 3] - origin;
        b[i / 3][i % 3] = s->scale * mesh->x[3 * (int64_t)w[i / 3] + i % 3] - origin;
    }
    pl_box box_f = pl_face_box(mesh->x, v), box_g = pl_face_box(mesh->x, w);
    return fmax(pl_audit_square(a, b), box_square(s, &box_f, &box_g));
}

static void take_nearer(nearest *n, const nearest *other)
{
    bool nearer = other->square < n->square;
    bool earlier =
        other->square == n->square && (other->f < n->f || (other->f == n->f && other->g < n->g));
    if (other->f >= 0 && (nearer || earlier || n->f < 0)) *n = *other;
}

static bool too_far(const search *s, double square)
{
    return square > atomic_load_explicit(s->bound, memory_order_relaxed);
}

static void try_faces(const search *s, int32_t f, int32_t g)
{
    nearest pair = {face_square(s, PL_MIN(f, g), PL_MAX(f, g)), PL_MIN(f, g), PL_MAX(f, g)};
    if (pair.square == INFINITY || too_far(s, pair.square)) return;
    take_nearer(s->nearest, &pair);
    double bound = *s->bound;
    while (pair.square < bound && !atomic_compare_exchange_weak(s->bound, &bound, pair.square)) {
    }
}

// Node i of the block's patch against node j of another; `square` is that of their boxes. The
// larger one gives way to its halves, the nearer half first.
static void measure_nodes(const search *s, int32_t i, const pl_patch *other, int32_t j,
                          double square)
{
    const pl_tree *a = &s->patch->tree, *b = &other->tree;
    if (too_far(s, square)) return;
    if (i >= a->n && j >= b->n) {
        try_faces(s, pl_patch_face(&s->audit->pairs, s->patch, a->item[i - a->n]),
                  pl_patch_face(&s->audit->pairs, other, b->item[j - b->n]));
        return;
    }
    int32_t to[2][2] = {{i, 2 * j}, {i, 2 * j + 1}};
    if (j >= b->n || (i < a->n && pl_box_extent(&a->box[i]) > pl_box_extent(&b->box[j]))) {
        to[0][0] = 2 * i, to[1][0] = 2 * i + 1;
        to[0][1] = to[1][1] = j;
    }
    double half[2];
    for (int k = 0; k < 2; k++) half[k] = box_square(s, &a->box[to[k][0]], &b->box[to[k][1]]);
    int first = half[1] < half[0] ? 1 : 0;
    measure_nodes(s, to[first][0], other, to[first][1], half[first]);
    measure_nodes(s, to[1 - first][0], other, to[1 - first][1], half[1 - first]);
}

// The block against the bodies below a node of their tree, the nearer half first. Each pair of
// bodies is measured from the first of them.
static void measure_bodies(const search *s, int32_t node, double square)
{
    const pl_pairs *pairs = &s->audit->pairs;
    const pl_tree *tree = &pairs->bodies;
    const pl_box *box = &s->patch->tree.box[s->node];
    if (too_far(s, square)) return;
    if (node < tree->n) {
        double half[2];
        for (int k = 0; k < 2; k++) half[k] = box_square(s, box, &tree->box[2 * node + k]);
        int first = half[1] < half[0] ? 1 : 0;
        measure_bodies(s, 2 * node + first, half[first]);
        measure_bodies(s, 2 * node + 1 - first, half[1 - first]);
        return;
    }
    int32_t b = pairs->present[tree->item[node - tree->n]];
    if (b <= s->patch->body || pl_bodies_excluded(pairs, s->patch->body, b)) return;
    for (int32_t p = pairs->first_patch[b]; p < pairs->first_patch[b + 1]; p++) {
        const pl_patch *other = &pairs->patch[p];
        measure_nodes(s, s->node, other, 1, box_square(s, box, &other->tree.box[1]));
    }
}

// --- All of it ---

// A power of two, at most 1 / the largest coordinate.
static double choose_scale(const pl_audit *audit)
{
    double largest = 0;
    int exponent;
    for (int64_t i = 0; i < 3 * (int64_t)audit->mesh->n_vert; i++) {
        largest = fmax(largest, fabs(audit->mesh->x[i]));
    }
    frexp(fmax(largest, DBL_MIN), &exponent);
    return ldexp(1, -exponent);
}

typedef struct measure_loop {
    const pl_audit *audit;
    double scale;
    _Atomic double bound;
    nearest nearest[PL_MAX_THREADS]; // what each thread has found
} measure_loop;

static void measure_blocks(void *context, int64_t first, int64_t last)
{
    measure_loop *l = context;
    nearest *own = &l->nearest[pl_thread_slot()];
    for (int32_t k = (int32_t)first; k < last; k++) {
        search s = {l->audit, NULL, 0, l->scale, &l->bound, own};
        s.patch = pl_pairs_block(&l->audit->pairs, k, &s.node);
        measure_bodies(&s, 1, 0);
    }
}

double pl_audit_measure(const pl_audit *audit, pl_audit_pair *pair)
{
    const pl_pairs *pairs = &audit->pairs;
    measure_loop l = {.audit = audit, .scale = choose_scale(audit), .bound = INFINITY};
    for (int32_t i = 0; i < pl_threads(); i++) l.nearest[i] = (nearest){INFINITY, -1, -1};
    if (pair->face[0] >= 0) { // the faces that were the nearest last time are a good start
        search s = {audit, NULL, 0, l.scale, &l.bound, &l.nearest[0]};
        try_faces(&s, audit->first_face[pair->body[0]] + pair->face[0],
                  audit->first_face[pair->body[1]] + pair->face[1]);
    }
    int32_t n_block = pairs->first_block[pairs->n_patch];
    pl_loop(n_block, pairs->faces.n > PL_SMALL_SCENE ? 1 : n_block, measure_blocks, &l);
    nearest all = l.nearest[0];
    for (int32_t i = 1; i < pl_threads(); i++) take_nearer(&all, &l.nearest[i]);
    *pair =
        all.f >= 0 ? pl_audit_pair_of(audit, all.f, all.g) : (pl_audit_pair){{-1, -1}, {-1, -1}};
    return all.f >= 0 ? sqrt(all.square) / l.scale : INFINITY;
}
