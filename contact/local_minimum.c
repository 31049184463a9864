// Is the distance of two features a local minimum of the distance of their surfaces?

#include "local_minimum.h"
#include "contact_pair.h"

#include <math.h>
#include <string.h>

// The sine of the angle by which a direction may point into the vertex's own surface.
static const double VERTEX_SLACK = 0.3;
// Beyond this much a normal is turned upright, if it has to turn by no more than the arc of the
// cosine, nor by what takes more than the part of the safety distance.
static const double UPRIGHT_SLACK = 1e-3, UPRIGHT_COSINE = 0.9, UPRIGHT_ROOM = 0.1;
// Faces that meet at less than this angle have one normal; below the other, a surface is flat for
// what crosses it.
static const double FLAT_SINE = 1e-3, BENT_SINE = 0.17;
// The slack for the faces of an edge, a sine too: with less, hits have to find more of the rows.
static const double EDGE_SLACK = 0.01;
// Edges meet inside of both, not at an end, which belongs to the other kinds of pairs.
static const double EDGE_END = 1e-6;
// Parallel edges have no direction of their own.
static const double EDGE_SINE = 1e-3;
// Distances that differ by less than this part are the same.
static const double SAME = 1e-9;

static double length(const double a[3])
{
    return sqrt(pl_dot(a, a));
}

static bool face_has(const int32_t *face, int32_t point)
{
    return face[0] == point || face[1] == point || face[2] == point;
}

static inline void place(const pl_instant *at, int32_t p, double x[3])
{
    const double *x0 = at->x0 + 3 * (int64_t)p, *x1 = at->x1 + 3 * (int64_t)p;
    for (int k = 0; k < 3; k++) x[k] = x0[k] + at->part * (x1[k] - x0[k]);
}

// by := the way from point p to point q.
static inline void lead(const pl_instant *at, int32_t p, int32_t q, double by[3])
{
    double from[3], to[3];
    place(at, p, from);
    place(at, q, to);
    pl_subtract(to, from, by);
}

// No edge of the vertex's surface leads along `direction`, but for the slack.
static bool vertex_points(const pl_boundary *boundary, const pl_instant *at, int32_t p,
                          const double direction[3], double slack)
{
    for (int32_t i = boundary->fan[p]; i < boundary->fan[p + 1]; i++) {
        const int32_t *f = boundary->face + 3 * (int64_t)boundary->fan_face[i];
        for (int k = 0; k < 3; k++) {
            if (f[k] == p) continue;
            double e[3];
            lead(at, p, f[k], e);
            if (pl_dot(e, direction) > slack * length(e)) return false;
        }
    }
    for (int32_t i = boundary->spoke[p]; i < boundary->spoke[p + 1]; i++) {
        const int32_t *end = boundary->edge + 2 * (int64_t)boundary->spoke_edge[i];
        double e[3];
        lead(at, p, end[0] == p ? end[1] : end[0], e);
        if (pl_dot(e, direction) > slack * length(e)) return false;
    }
    return true;
}

// No face of the edge leads along `direction`.
static bool edge_points(const pl_boundary *boundary, const pl_instant *at, int32_t edge,
                        const double direction[3])
{
    const int32_t *end = boundary->edge + 2 * (int64_t)edge;
    double along[3];
    lead(at, end[0], end[1], along);
    double square = pl_dot(along, along);
    for (int side = 0; side < 2; side++) {
        int32_t face = boundary->edge_face[2 * (int64_t)edge + side];
        if (face < 0) continue;
        for (int k = 0; k < 3; k++) {
            int32_t corner = boundary->face[3 * (int64_t)face + k];
            if (corner == end[0] || corner == end[1]) continue;
            double u[3];
            lead(at, end[0], corner, u);
            double part = square > 0 ? pl_dot(u, along) / square : 0;
            for (int j = 0; j < 3; j++) u[j] -= part * along[j];
            if (pl_dot(u, direction) > EDGE_SLACK * length(u)) return false;
        }
    }
    return true;
}

// Another face of the same surface is nearer to the vertex, or as near and comes before.
static bool beaten_by(const pl_boundary *boundary, const pl_instant *at,
                      const pl_feature_pair *pair, double distance, int32_t other)
{
    const int32_t *f = boundary->face + 3 * (int64_t)other;
    if (other == pair->b || face_has(f, pair->a)) return false;
    double q[12];
    place(at, pair->a, q);
    for (int k = 0; k < 3; k++) place(at, f[k], q + 3 + 3 * k);
    pl_closest closest;
    pl_closest_points(PL_VERTEX_FACE, q, &closest);
    if (closest.distance < distance * (1 - SAME)) return true;
    return closest.distance <= distance * (1 + SAME) && other < pair->b;
}

// Where the closest point lies on the border of the face, only one face of those that share it
// speaks for it.
static bool face_speaks(const pl_boundary *boundary, const pl_instant *at,
                        const pl_feature_pair *pair, const pl_closest *closest)
{
    const int32_t *f = boundary->face + 3 * (int64_t)pair->b;
    int32_t on[3];
    int n = 0;
    for (int k = 0; k < 3; k++) {
        if ((closest->support >> (k + 1) & 1) != 0) on[n++] = f[k];
    }
    if (n == 3) return true;
    for (int32_t i = boundary->fan[on[0]]; i < boundary->fan[on[0] + 1]; i++) {
        int32_t other = boundary->fan_face[i];
        if (n == 2 && !face_has(boundary->face + 3 * (int64_t)other, on[1])) continue;
        if (beaten_by(boundary, at, pair, closest->distance, other)) return false;
    }
    return true;
}

static bool edges_cross(const pl_boundary *boundary, const pl_instant *at,
                        const pl_feature_pair *pair, const pl_closest *closest)
{
    for (int k = 0; k < 4; k++) {
        if (fabs(closest->weight[k]) < EDGE_END) return false;
    }
    const int32_t *a = boundary->edge + 2 * (int64_t)pair->a,
                  *b = boundary->edge + 2 * (int64_t)pair->b;
    double u[3], w[3], cross[3];
    lead(at, a[0], a[1], u);
    lead(at, b[0], b[1], w);
    pl_cross(u, w, cross);
    return length(cross) > EDGE_SINE * length(u) * length(w);
}

// Another edge without faces at the end q is nearer to the vertex, or as near and comes before.
static bool edge_beaten_at(const pl_boundary *boundary, const pl_instant *at,
                           const pl_feature_pair *pair, double distance, int32_t q)
{
    for (int32_t i = boundary->spoke[q]; i < boundary->spoke[q + 1]; i++) {
        int32_t other = boundary->spoke_edge[i];
        const int32_t *end = boundary->edge + 2 * (int64_t)other;
        if (other == pair->b || end[0] == pair->a || end[1] == pair->a) continue;
        double x[9];
        pl_closest closest;
        place(at, pair->a, x);
        for (int k = 0; k < 2; k++) place(at, end[k], x + 3 + 3 * k);
        pl_closest_points(PL_VERTEX_EDGE, x, &closest);
        if (closest.distance < distance * (1 - SAME)) return true;
        if (closest.distance <= distance * (1 + SAME) && other < pair->b) return true;
    }
    return false;
}

// A vertex and an edge that has no faces. Where the closest point is an end of it, others may stand
// for the same: a face of the vertex, with that end; the vertex's own edge, if it is an end too; or
// another edge that goes on there.
static bool edge_speaks(const pl_boundary *boundary, const pl_instant *at,
                        const pl_feature_pair *pair, const pl_closest *closest)
{
    unsigned ends = closest->support >> 1 & 3;
    if (ends == 3) return true;
    int32_t p = pair->a, q = boundary->edge[2 * (int64_t)pair->b + (ends == 2)];
    if (boundary->fan[p] < boundary->fan[p + 1]) return false;
    if (boundary->spoke[p] < boundary->spoke[p + 1] && q < p) return false;
    return vertex_points(boundary, at, q, closest->normal, VERTEX_SLACK) &&
           !edge_beaten_at(boundary, at, pair, closest->distance, q);
}

bool pl_local_minimum(const pl_boundary *boundary, const pl_instant *at,
                      const pl_feature_pair *pair, const pl_closest *closest)
{
    const double *n = closest->normal;
    const double to_second[3] = {-n[0], -n[1], -n[2]};
    switch ((pl_pair_kind)pair->kind) {
    case PL_VERTEX_FACE:
        return vertex_points(boundary, at, pair->a, to_second, VERTEX_SLACK) &&
               face_speaks(boundary, at, pair, closest);
    case PL_EDGE_EDGE:
        return edges_cross(boundary, at, pair, closest) &&
               edge_points(boundary, at, pair->a, to_second) &&
               edge_points(boundary, at, pair->b, n);
    case PL_VERTEX_EDGE:
        return vertex_points(boundary, at, pair->a, to_second, VERTEX_SLACK) &&
               edge_speaks(boundary, at, pair, closest);
    case PL_VERTEX_VERTEX:
        break;
    }
    return true;
}

// The sum of the normals of some faces, each as long as its area.
static void add_normals(const pl_boundary *boundary, const double *x, int n, const int32_t *face,
                        double sum[3])
{
    for (int i = 0; i < n; i++) {
        if (face[i] < 0) continue;
        const int32_t *f = boundary->face + 3 * (int64_t)face[i];
        double area[3];
        pl_face_normal(x + 3 * (int64_t)f[0], x + 3 * (int64_t)f[1], x + 3 * (int64_t)f[2], area);
        for (int k = 0; k < 3; k++) sum[k] += area[k];
    }
}

// n := along `up`, on its side of it, if that does not turn it too far: for surfaces that are round
// (`radii` [m]), by no more than what takes a part of the safety distance off the room.
static void turn_upright(const double up[3], double radii, double safety, double n[3])
{
    double size = length(up), along = pl_dot(up, n);
    if (!(fabs(along) > UPRIGHT_COSINE * size)) return;
    if (radii * (1 - fabs(along) / size) > UPRIGHT_ROOM * safety) return;
    for (int k = 0; k < 3; k++) n[k] = copysign(1 / size, along) * up[k];
}

// Two faces in one plane, up to the sine of an angle, and the normal of both.
static bool edge_is_flat(const pl_boundary *boundary, const double *x, int32_t edge, double sine,
                         double up[3])
{
    const int32_t *face = boundary->edge_face + 2 * (int64_t)edge;
    double a[3] = {0}, b[3] = {0}, cross[3];
    if (face[0] < 0 || face[1] < 0) return false;
    add_normals(boundary, x, 1, face, a);
    add_normals(boundary, x, 1, face + 1, b);
    pl_cross(a, b, cross);
    for (int k = 0; k < 3; k++) up[k] = a[k] + b[k];
    return pl_dot(a, b) > 0 && length(cross) < sine * length(a) * length(b);
}

void pl_upright_normal(const pl_boundary *boundary, const double *x, const pl_feature_pair *pair,
                       pl_closest *closest)
{
    double *n = closest->normal, up[3] = {0};
    pl_contact_pair p = pl_contact_pair_load(boundary, pair);
    double radii = pl_boundary_radii(boundary, p.a, p.b);
    double safety = pl_boundary_safety(boundary, p.a, p.b);
    if (pair->kind == PL_EDGE_EDGE) {
        bool flat = edge_is_flat(boundary, x, pair->a, FLAT_SINE, up) ||
                    edge_is_flat(boundary, x, pair->b, FLAT_SINE, up);
        if (flat) turn_upright(up, radii, safety, n);
    } else if (pair->kind == PL_VERTEX_FACE) {
        const double to_second[3] = {-n[0], -n[1], -n[2]};
        const pl_instant at = {x, x, 0};
        if (vertex_points(boundary, &at, pair->a, to_second, UPRIGHT_SLACK)) return;
        int32_t first = boundary->fan[pair->a], last = boundary->fan[pair->a + 1];
        add_normals(boundary, x, last - first, boundary->fan_face + first, up);
        turn_upright(up, radii, safety, n);
    }
}

bool pl_crosses_flat(const pl_boundary *boundary, const double *x, const pl_feature_pair *pair)
{
    double up[3];
    return pair->kind == PL_EDGE_EDGE && (edge_is_flat(boundary, x, pair->a, BENT_SINE, up) ||
                                          edge_is_flat(boundary, x, pair->b, BENT_SINE, up));
}
