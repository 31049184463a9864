#include "audit.h"
#include "../meshes/edges.h"
#include "../meshes/predicates.h"
#include "../meshes/triangles.h"

#include <string.h>

// A part that meets no face of a closed body is connected and has no point on that body's surface,
// so that it is inside as a whole or outside as a whole: one vertex tells. This fails only for a
// part that has vertices in common with the other body, where it may pass from one side to the
// other without meeting a face: of such a part all vertices are looked at.

// --- Parts ---

typedef struct parts {
    int32_t *of;     // (n_face) the part of each face, ascending with the bodies
    int32_t *parent; // (n_vert) disjoint sets, of the body that is looked at
    int32_t *owner;  // (n_vert) the last body that has been seen to use a vertex, -1 if none
    int32_t *number; // (n_vert) the part of a root, -1 before it has one
    bool *shared;    // (n_vert) several bodies use it
    uint8_t *kind;   // (n_face at least) pl_part_kind of each part
    bool *mixed;     // (n_face at least) has a shared vertex
    int32_t n;
} parts;

// Numbers the parts of a body.
static void divide_body(const pl_audit *audit, int32_t b, parts *p)
{
    const int32_t *face = audit->mesh->face;
    for (int64_t i = 3 * (int64_t)audit->first_face[b]; i < 3 * (int64_t)audit->first_face[b + 1];
         i++) {
        int32_t v = face[i];
        if (p->owner[v] != b) {
            p->shared[v] = p->owner[v] >= 0;
            p->owner[v] = b;
            p->parent[v] = v;
            p->number[v] = -1;
        }
        pl_set_join(p->parent, face[i - i % 3], v);
    }
    for (int32_t f = audit->first_face[b]; f < audit->first_face[b + 1]; f++) {
        int32_t root = pl_set_find(p->parent, face[3 * (int64_t)f]);
        if (p->number[root] < 0) p->number[root] = p->n++;
        p->of[f] = p->number[root];
    }
}

// Adds up the sides of each edge, body by body: the faces of a body stand together, and so do their
// sides.
static pl_status classify_parts(const pl_audit *audit, parts *p)
{
    const pl_mesh *mesh = audit->mesh;
    pl_side *sides;
    int64_t n;
    PL_TRY(pl_sides_sort(mesh->n_face, mesh->face, &sides, &n));
    for (int32_t k = 0; k < p->n; k++) p->kind[k] = PL_PART_ORIENTED;
    for (int64_t i = 0, j; i < n; i = j) {
        int64_t end = pl_sides_run(sides, n, i), sum = 0;
        int32_t part = p->of[sides[i].side / 3];
        int32_t b = audit->body[sides[i].side / 3];
        for (j = i; j < end && audit->body[sides[j].side / 3] == b; j++) {
            sum += pl_side_ascends(mesh->face, sides[j].side) ? 1 : -1;
        }
        if (sum % 2 != 0) {
            p->kind[part] = PL_PART_OPEN;
        } else if (sum != 0 && p->kind[part] == PL_PART_ORIENTED) {
            p->kind[part] = PL_PART_EVEN;
        }
    }
    pl_free(sides);
    return PL_OK;
}

// One vertex of each part, or all if bodies share some of them. `owner` serves to see each once.
static pl_status choose_probes(pl_audit *audit, parts *p)
{
    const pl_mesh *mesh = audit->mesh;
    for (int64_t i = 0; i < 3 * (int64_t)mesh->n_face; i++) {
        if (p->shared[mesh->face[i]]) p->mixed[p->of[i / 3]] = true;
    }
    for (int32_t v = 0; v < mesh->n_vert; v++) p->owner[v] = -1;
    for (int64_t i = 0, next = 0; i < 3 * (int64_t)mesh->n_face; i++) {
        int32_t v = mesh->face[i], b = audit->body[i / 3], part = p->of[i / 3];
        bool first = part == next;
        if (first) next++;
        if (p->owner[v] == b || !(first || p->mixed[part])) continue;
        p->owner[v] = b;
        PL_TRY(pl_reserve((void **)&audit->probe, &audit->probe_capacity, audit->n_probe + 1,
                          sizeof *audit->probe));
        audit->probe[audit->n_probe++] = (pl_probe){v, b};
    }
    return PL_OK;
}

// Edges and points by themselves are each a part.
static pl_status probe_elements(pl_audit *audit)
{
    for (int32_t i = 0; i < audit->round.n; i++) {
        const pl_audit_element *e = &audit->round.element[i];
        if (e->n == 3) continue;
        PL_TRY(pl_reserve((void **)&audit->probe, &audit->probe_capacity, audit->n_probe + 1,
                          sizeof *audit->probe));
        audit->probe[audit->n_probe++] = (pl_probe){e->vertex[0], e->body};
    }
    return PL_OK;
}

static pl_status find_parts(pl_audit *audit, parts *p)
{
    for (int32_t v = 0; v < audit->mesh->n_vert; v++) p->owner[v] = -1;
    for (int32_t b = 0; b < audit->n_body; b++) divide_body(audit, b, p);
    PL_TRY(classify_parts(audit, p));
    for (int32_t f = 0; f < audit->mesh->n_face; f++) {
        audit->kind[f] = p->kind[p->of[f]];
        audit->closed[audit->body[f]] |= audit->kind[f] != PL_PART_OPEN;
    }
    for (int32_t b = 0; b < audit->n_body; b++) audit->n_closed += audit->closed[b];
    if (audit->n_closed == 0) return PL_OK;
    PL_TRY(choose_probes(audit, p));
    return probe_elements(audit);
}

pl_status pl_audit_find_parts(pl_audit *audit)
{
    int32_t n_vert = audit->mesh->n_vert, n_face = audit->mesh->n_face;
    parts p = {0};
    audit->kind = pl_alloc(n_face, sizeof *audit->kind);
    audit->closed = pl_alloc_zero(audit->n_body, sizeof *audit->closed);
    p.of = pl_alloc(n_face, sizeof *p.of);
    p.parent = pl_alloc(n_vert, sizeof *p.parent);
    p.owner = pl_alloc(n_vert, sizeof *p.owner);
    p.number = pl_alloc(n_vert, sizeof *p.number);
    p.shared = pl_alloc_zero(n_vert, sizeof *p.shared);
    p.kind = pl_alloc(n_face, sizeof *p.kind);
    p.mixed = pl_alloc_zero(n_face, sizeof *p.mixed);
    bool ok = audit->kind != NULL && audit->closed != NULL && p.of != NULL && p.parent != NULL &&
              p.owner != NULL && p.number != NULL && p.shared != NULL && p.kind != NULL &&
              p.mixed != NULL;
    pl_status status = ok ? find_parts(audit, &p) : PL_ERROR_MEMORY;
    pl_free(p.of);
    pl_free(p.parent);
    pl_free(p.owner);
    pl_free(p.number);
    pl_free(p.shared);
    pl_free(p.kind);
    pl_free(p.mixed);
    return status;
}

// --- Rays ---

// From a vertex p along an axis out of the box of a body. The ray is displaced by an infinitely
// small e along the axis i and by e^2 along j, the two others in their cyclic order: it meets no
// vertex, no edge and no face that it is parallel to, so that every crossing is one of an inner
// point and all of them together are exact.
typedef struct ray {
    const pl_audit *audit;
    const pl_patch *patch; // whose faces are tried
    int32_t vertex;
    const double *p;
    int axis, direction; // +1 or -1
    int64_t winding;     // of oriented parts around p
    bool odd;            // crossings of even parts
    bool on;             // p is on the surface
} ray;

// On which side of the line from a to b is the displaced p, seen along the axis? 0 if the line is a
// point from there.
//   (b-a)_i (p-a)_j - (b-a)_j (p-a)_i, and where this is 0, what e adds to it: -(b-a)_j e, then
//   (b-a)_i e^2.
static int side_of_line(const double *a, const double *b, const double *p, int i, int j)
{
    int side = pl_orient2d(a, b, p, i, j);
    if (side != 0) return side;
    if (a[j] != b[j]) return a[j] > b[j] ? 1 : -1;
    return (b[i] > a[i]) - (b[i] < a[i]);
}

// The displaced p passes through the face if it is on the same side of its three lines. That side
// is the sign of the normal's component along the axis, so that together with the side of the plane
// it tells whether the face is ahead.
static bool visit_crossing(void *user, int32_t item)
{
    ray *r = user;
    const pl_audit *audit = r->audit;
    int32_t f = pl_patch_face(&audit->pairs, r->patch, item);
    if (audit->kind[f] == PL_PART_OPEN) return true;
    const int32_t *v = audit->mesh->face + 3 * (int64_t)f;
    const double *x = audit->mesh->x, *p = r->p;
    const double *a = x + 3 * (int64_t)v[0], *b = x + 3 * (int64_t)v[1], *c = x + 3 * (int64_t)v[2];
    int side = pl_orient3d(a, b, c, p);
    r->on = v[0] == r->vertex || v[1] == r->vertex || v[2] == r->vertex ||
            (side == 0 && pl_segment_meets_triangle(p, p, a, b, c));
    if (r->on) return false;
    int i = (r->axis + 1) % 3, j = (r->axis + 2) % 3, turn = side_of_line(a, b, p, i, j);
    if (turn == 0 || side_of_line(b, c, p, i, j) != turn || side_of_line(c, a, p, i, j) != turn) {
        return true;
    }
    if (side * turn * r->direction > 0) return true; // behind
    if (audit->kind[f] == PL_PART_ORIENTED) {
        r->winding += turn * r->direction;
    } else {
        r->odd = !r->odd;
    }
    return true;
}

// The shortest way out of the box.
static void aim(ray *r, const pl_box *bounds)
{
    double shortest = -1;
    for (int k = 0; k < 6; k++) {
        double way = k < 3 ? bounds->hi[k] - r->p[k] : r->p[k - 3] - bounds->lo[k - 3];
        if (shortest >= 0 && way >= shortest) continue;
        shortest = way;
        r->axis = k % 3;
        r->direction = k < 3 ? 1 : -1;
    }
}

static bool is_inside(const pl_audit *audit, int32_t vertex, int32_t other, const pl_box *bounds)
{
    ray r = {.audit = audit, .vertex = vertex, .p = audit->mesh->x + 3 * (int64_t)vertex};
    aim(&r, bounds);
    pl_box way;
    memcpy(way.lo, r.p, sizeof way.lo);
    memcpy(way.hi, r.p, sizeof way.hi);
    if (r.direction > 0) {
        way.hi[r.axis] = bounds->hi[r.axis];
    } else {
        way.lo[r.axis] = bounds->lo[r.axis];
    }
    const pl_pairs *pairs = &audit->pairs;
    for (int32_t k = pairs->first_patch[other]; k < pairs->first_patch[other + 1]; k++) {
        r.patch = &pairs->patch[k];
        if (!pl_tree_search(&r.patch->tree, &way, visit_crossing, &r)) return false;
    }
    return r.winding != 0 || r.odd;
}

// --- All of it ---

typedef struct search {
    pl_audit *audit;
    pl_probe probe;
    bool list;     // what is inside of what; else only whether there is any
    bool found;    // any
    int64_t first; // in the list
    pl_status status;
} search;

// Adds to the list, keeping the bodies that one vertex is inside of in ascending order.
static bool add_inside(search *s, int32_t other)
{
    pl_audit *audit = s->audit;
    if (audit->n_inside == PL_INTERSECTIONS_MAX) {
        audit->more_inside = true;
        return false;
    }
    s->status = pl_reserve((void **)&audit->inside, &audit->inside_capacity, audit->n_inside + 1,
                           sizeof *audit->inside);
    if (s->status != PL_OK) return false;
    int64_t i = audit->n_inside++;
    for (; i > s->first && audit->inside[i - 1].other > other; i--) {
        audit->inside[i] = audit->inside[i - 1];
    }
    audit->inside[i] = (pl_audit_inside){s->probe.body, s->probe.vertex, other};
    return true;
}

static bool visit_body(void *user, int32_t item)
{
    search *s = user;
    const pl_pairs *pairs = &s->audit->pairs;
    int32_t other = pairs->present[item];
    if (other == s->probe.body || !s->audit->closed[other] ||
        pl_bodies_excluded(pairs, s->probe.body, other)) {
        return true;
    }
    const pl_box *bounds = &pairs->bodies.box[pairs->bodies.leaf[item]];
    if (!is_inside(s->audit, s->probe.vertex, other, bounds)) return true;
    s->found = true;
    return s->list && add_inside(s, other);
}

static search try_probe(pl_audit *audit, int64_t i, bool list)
{
    search s = {.audit = audit, .probe = audit->probe[i], .list = list, .first = audit->n_inside};
    const double *p = audit->mesh->x + 3 * (int64_t)s.probe.vertex;
    pl_box point = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    pl_tree_search(&audit->pairs.bodies, &point, visit_body, &s);
    return s;
}

typedef struct probe_loop {
    pl_audit *audit;
    _Atomic bool any;
} probe_loop;

static void try_probes(void *context, int64_t first, int64_t last)
{
    probe_loop *l = context;
    for (int64_t i = first; i < last && !l->any; i++) {
        if (try_probe(l->audit, i, false).found) l->any = true;
    }
}

// Threads look whether there is any. Only if so, one of them makes the list, in order.
pl_status pl_audit_find_inside(pl_audit *audit)
{
    probe_loop l = {audit, false};
    audit->n_inside = 0;
    audit->more_inside = false;
    bool small = audit->pairs.faces.n <= PL_SMALL_SCENE;
    pl_loop(audit->n_probe, small ? audit->n_probe : 16, try_probes, &l);
    for (int64_t i = 0; i < audit->n_probe && l.any && !audit->more_inside; i++) {
        PL_TRY(try_probe(audit, i, true).status);
    }
    return PL_OK;
}
