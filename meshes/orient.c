#include "orient.h"
#include "edges.h"
#include "geometry.h"
#include "predicates.h"
#include "tree.h"
#include "triangles.h"

#include <float.h>
#include <math.h>

typedef struct part {
    int32_t first;          // its first face
    int32_t n_face, n_flip; // flips that make it agree with its first face
    bool closed;            // and orientable
    bool flip;              // turn the whole part
    double volume;          // 6 times, after n_flip; in units of the mesh's extent
} part;

typedef struct orientation {
    const pl_mesh *mesh;
    int32_t *mate;  // (3*n_face) the side of the other face at the same edge, -1 if none or several
    int32_t *owner; // (n_face) the part
    bool *flip;     // (n_face) against the first face of the part
    int32_t *queue; // (n_face)
    part *parts;    // (n_parts)
    int32_t n_parts;
    int64_t capacity;
    pl_tree tree;
    pl_box bounds;
} orientation;

// --- Parts ---

static pl_status find_mates(orientation *o)
{
    pl_side *sides;
    int64_t n;
    PL_TRY(pl_sides_sort(o->mesh->n_face, o->mesh->face, &sides, &n));
    for (int64_t i = 0; i < 3 * (int64_t)o->mesh->n_face; i++) o->mate[i] = -1;
    for (int64_t i = 0, j; i < n; i = j) {
        j = pl_sides_run(sides, n, i);
        if (j - i != 2) continue;
        o->mate[sides[i].side] = sides[i + 1].side;
        o->mate[sides[i + 1].side] = sides[i].side;
    }
    pl_free(sides);
    return PL_OK;
}

// Spreads from face to face over mates.
static void grow_part(orientation *o, int32_t index)
{
    part *p = &o->parts[index];
    int32_t n = 0;
    o->queue[n++] = p->first;
    o->owner[p->first] = index;
    o->flip[p->first] = false;
    for (int32_t i = 0; i < n; i++) {
        int32_t f = o->queue[i];
        for (int32_t side = 3 * f; side < 3 * f + 3; side++) {
            int32_t mate = o->mate[side];
            if (mate < 0) {
                p->closed = false;
                continue;
            }
            bool same =
                pl_side_ascends(o->mesh->face, side) == pl_side_ascends(o->mesh->face, mate);
            bool flip = o->flip[f] != same;
            int32_t g = mate / 3;
            if (o->owner[g] < 0) {
                o->owner[g] = index;
                o->flip[g] = flip;
                o->queue[n++] = g;
            } else if (o->flip[g] != flip) {
                p->closed = false; // one-sided, like Moebius' band: it has no outside
            }
        }
        p->n_flip += o->flip[f];
    }
    p->n_face = n;
}

static pl_status find_parts(orientation *o)
{
    for (int32_t f = 0; f < o->mesh->n_face; f++) o->owner[f] = -1;
    for (int32_t f = 0; f < o->mesh->n_face; f++) {
        if (o->owner[f] >= 0) continue;
        PL_TRY(pl_reserve((void **)&o->parts, &o->capacity, (int64_t)o->n_parts + 1,
                          sizeof *o->parts));
        o->parts[o->n_parts] = (part){.first = f, .closed = true};
        grow_part(o, o->n_parts++);
    }
    return PL_OK;
}

// --- Inside and outside ---

static const double *corner(const pl_mesh *mesh, int32_t f, int k)
{
    return mesh->x + 3 * (int64_t)mesh->face[3 * (int64_t)f + k];
}

static void sum_volumes(orientation *o)
{
    const pl_mesh *mesh = o->mesh;
    double scale = 0;
    for (int k = 0; k < 3; k++) scale = fmax(scale, 0.5 * o->bounds.hi[k] - 0.5 * o->bounds.lo[k]);
    for (int32_t f = 0; f < mesh->n_face; f++) {
        part *p = &o->parts[o->owner[f]];
        double e[3][3]; // the corners, seen from a corner of the part
        for (int i = 0; i < 9; i++) {
            double origin = corner(mesh, p->first, 0)[i % 3];
            e[i / 3][i % 3] = (0.5 * corner(mesh, f, i / 3)[i % 3] - 0.5 * origin) / scale;
        }
        double n[3];
        pl_cross(e[0], e[1], n);
        double triple = pl_dot(n, e[2]);
        p->volume += o->flip[f] ? -triple : triple;
    }
}

// A segment from a corner of `part` out of the box of everything.
typedef struct ray {
    const orientation *o;
    int32_t part;
    double from[3], to[3];
    bool odd; // crossings so far
} ray;

// Counts a crossing; ends the search if the segment touches an edge, a vertex or a plane.
static bool visit_crossing(void *user, int32_t f)
{
    ray *r = user;
    int32_t owner = r->o->owner[f];
    if (owner == r->part || !r->o->parts[owner].closed) return true;
    const double *p = r->from, *q = r->to;
    const double *a = corner(r->o->mesh, f, 0), *b = corner(r->o->mesh, f, 1),
                 *c = corner(r->o->mesh, f, 2);
    if (!pl_segment_meets_triangle(p, q, a, b, c)) return true;
    r->odd = !r->odd;
    return pl_orient3d(a, b, c, p) != 0 && pl_orient3d(a, b, c, q) != 0 &&
           pl_orient3d(p, q, a, b) != 0 && pl_orient3d(p, q, b, c) != 0 &&
           pl_orient3d(p, q, c, a) != 0;
}

// Is the part inside an odd number of others? Rays that touch an edge are turned a little, and
// start from another corner: it may lie on another part. A part for which all fail touches others
// all over and counts as being outside.
static bool is_cavity(const orientation *o, int32_t index)
{
    enum { ATTEMPTS = 24 };
    const pl_box *all = &o->bounds;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        ray r = {.o = o, .part = index};
        double turn[3] = {1, 0.0123 * attempt, 0.0071 * attempt * (attempt % 2 == 0 ? 1 : -1)};
        pl_box box;
        for (int k = 0; k < 3; k++) {
            double size = 0.5 * all->hi[k] - 0.5 * all->lo[k];
            double from = corner(o->mesh, o->parts[index].first, attempt % 3)[k];
            double to = (k == 0 ? all->hi[0] : from) + size * turn[k];
            r.from[k] = from;
            r.to[k] = fmin(fmax(to, -DBL_MAX), DBL_MAX);
            box.lo[k] = fmin(from, r.to[k]);
            box.hi[k] = fmax(from, r.to[k]);
        }
        if (pl_tree_search(&o->tree, &box, visit_crossing, &r)) return r.odd;
    }
    return false;
}

static pl_status choose_sides(orientation *o)
{
    int32_t n_closed = 0;
    for (int32_t i = 0; i < o->n_parts; i++) n_closed += o->parts[i].closed;
    if (n_closed > 1) {
        PL_TRY(pl_tree_build(o->mesh->n_face, o->mesh->face, o->mesh->x, &o->tree));
    }
    for (int32_t i = 0; i < o->n_parts; i++) {
        part *p = &o->parts[i];
        if (p->closed && p->volume != 0) {
            p->flip = (p->volume < 0) != (n_closed > 1 && is_cavity(o, i));
        } else {
            p->flip = p->n_flip > p->n_face / 2;
        }
    }
    return PL_OK;
}

// --- All of it ---

static pl_status orient(orientation *o)
{
    PL_TRY(find_mates(o));
    PL_TRY(find_parts(o));
    pl_mesh_bounds(o->mesh, o->bounds.lo, o->bounds.hi);
    sum_volumes(o);
    return choose_sides(o);
}

pl_status pl_orient_faces(pl_mesh *mesh, int32_t *flipped)
{
    *flipped = 0;
    orientation o = {.mesh = mesh};
    o.mate = pl_alloc(3 * (int64_t)mesh->n_face, sizeof *o.mate);
    o.owner = pl_alloc(mesh->n_face, sizeof *o.owner);
    o.flip = pl_alloc(mesh->n_face, sizeof *o.flip);
    o.queue = pl_alloc(mesh->n_face, sizeof *o.queue);
    pl_status status = PL_ERROR_MEMORY;
    if (o.mate != NULL && o.owner != NULL && o.flip != NULL && o.queue != NULL) status = orient(&o);
    for (int32_t f = 0; f < mesh->n_face && status == PL_OK; f++) {
        if (o.flip[f] == o.parts[o.owner[f]].flip) continue;
        pl_swap(mesh->face + 3 * (int64_t)f + 1, mesh->face + 3 * (int64_t)f + 2);
        (*flipped)++;
    }
    pl_tree_free(&o.tree);
    pl_free(o.mate);
    pl_free(o.owner);
    pl_free(o.flip);
    pl_free(o.queue);
    pl_free(o.parts);
    return status;
}
