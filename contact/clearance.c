// How far apart contacts keep bodies.

#include "clearance.h"
#include "contact_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The part of a body's thickness that the safety distance takes at most; the rest is left to move
// in.
static const double THICKNESS_PART = 0.5;
// Two bodies that were added nearer than the safety distance keep what they have. But where it is
// less than this part of that distance, they keep half, and have the rest as play: a body without
// any between two walls can be jammed by friction at every instant, whatever its speed.
static const double PLAY_BELOW = 0.25, PLAY_PART = 0.5;
// Two features are opposite sides of a body if the direction from one to the other leads into the
// body with more than this cosine, at both.
static const double OPPOSITE_COSINE = 0.5;

// --- Places ---

// x1 := where bodies were added.
static void place_as_added(const pl_boundary_source *source, pl_boundary *boundary)
{
    for (int64_t p = 0; p < boundary->n; p++) {
        const double *added = source->body[boundary->body[p]].added;
        memcpy(boundary->x1 + 3 * p, added + 3 * (int64_t)boundary->given[p], 3 * sizeof(double));
    }
}

// The distance of a body, before its thickness counts; *chosen says if it was asked for.
static double distance_of(const pl_boundary_source *source, const pl_boundary *boundary,
                          int32_t body, bool *chosen)
{
    double own = source->body[body].surface.contact_distance;
    double common = source->contact_distance;
    *chosen = own > 0 || common > 0;
    if (own > 0) return own;
    return common > 0 ? common : PL_SAFETY * boundary->size[body];
}

// Kinematic bodies do not count: a floor of two huge triangles is no reason to look far around.
static double find_widest(const pl_boundary_source *source, const pl_boundary *boundary)
{
    double widest = 0;
    for (int32_t i = 0; i < boundary->n_body; i++) {
        if (source->body[i].carrier == PL_CARRIER_PATH) continue;
        widest = PL_MAX(widest, boundary->safety[i]);
    }
    return widest;
}

// All features that are nearer than what could shorten a distance, those of one body too.
static pl_status search(const pl_boundary_source *source, const pl_boundary *boundary,
                        pl_surfaces **surfaces, pl_candidates *found)
{
    *surfaces = NULL;
    pl_collider *collider = pl_alloc(boundary->n_body, sizeof *collider);
    if (collider == NULL) return PL_ERROR_MEMORY;
    for (int32_t i = 0; i < boundary->n_body; i++) {
        double keeps = PL_MIN(boundary->safety[i], boundary->widest);
        collider[i] = pl_boundary_collider(source, boundary, i, boundary->radius[i] + keeps);
    }
    pl_status status =
        pl_surfaces_create(boundary->n, boundary->x1, boundary->n_body, collider, surfaces);
    pl_free(collider);
    for (int64_t i = 0; i < source->n_ignored && status == PL_OK; i++) {
        const int32_t *pair = source->ignored + 2 * i;
        if (pair[0] != pair[1]) status = pl_surfaces_ignore(*surfaces, pair[0], pair[1]);
    }
    if (status != PL_OK) return status;
    return pl_surfaces_search(*surfaces, boundary->x1, boundary->x1, 0, found);
}

// --- Thickness ---

// The sum of the normals around a point, each as long as its area.
static void add_normals(const pl_boundary *boundary, int32_t point, double sum[3])
{
    const double *x = boundary->x1;
    for (int32_t i = boundary->fan[point]; i < boundary->fan[point + 1]; i++) {
        const int32_t *f = boundary->face + 3 * (int64_t)boundary->fan_face[i];
        double area[3];
        pl_face_normal(x + 3 * (int64_t)f[0], x + 3 * (int64_t)f[1], x + 3 * (int64_t)f[2], area);
        for (int k = 0; k < 3; k++) sum[k] += area[k];
    }
}

// Does the direction lead out of the body at some of its points?
static bool leads_out(const pl_boundary *boundary, int n, const int32_t *point,
                      const double direction[3], double sign)
{
    double sum[3] = {0};
    for (int k = 0; k < n; k++) add_normals(boundary, point[k], sum);
    double size = sqrt(pl_dot(sum, sum));
    return sign * pl_dot(sum, direction) > OPPOSITE_COSINE * size;
}

// Is there nothing but the body's own inside between two features of it?
static bool are_opposite(const pl_boundary *boundary, const pl_contact_pair *p,
                         const double normal[3])
{
    int first = pl_pair_first(p->pair.kind), n = 4;
    while (p->point[n - 1] < 0) n--;
    return leads_out(boundary, first, p->point, normal, 1) &&
           leads_out(boundary, n - first, p->point + first, normal, -1);
}

// --- Pairs ---

// Bodies that were added together have the places of x1 at one time.
static bool began_together(const pl_boundary_source *source, const pl_contact_pair *p)
{
    return !source->body[p->a].late && !source->body[p->b].late;
}

// Notes what a pair of features says of its bodies: thickness (n_body) becomes less, or the two are
// close.
static pl_status note(const pl_boundary_source *source, pl_boundary *boundary,
                      const pl_feature_pair *pair, double *thickness)
{
    pl_contact_pair p = pl_contact_pair_load(boundary, pair);
    if (p.a != p.b && !began_together(source, &p)) return PL_OK;
    pl_closest closest = pl_contact_pair_closest(&p, boundary->x1);
    if (p.a == p.b) {
        bool counts =
            closest.distance < thickness[p.a] && are_opposite(boundary, &p, closest.normal);
        if (counts) thickness[p.a] = closest.distance;
        return PL_OK;
    }
    double room = closest.distance - pl_boundary_radii(boundary, p.a, p.b);
    if (room >= PL_MIN(boundary->safety[p.a], boundary->safety[p.b])) return PL_OK;
    pl_close_bodies *last = boundary->n_close > 0 ? &boundary->close[boundary->n_close - 1] : NULL;
    pl_close_bodies close = {PL_MIN(p.a, p.b), PL_MAX(p.a, p.b), room};
    if (last != NULL && last->a == close.a && last->b == close.b) { // mostly
        last->safety = PL_MIN(last->safety, room);
        return PL_OK;
    }
    PL_TRY(pl_reserve((void **)&boundary->close, &boundary->close_capacity, boundary->n_close + 1,
                      sizeof *boundary->close));
    boundary->close[boundary->n_close++] = close;
    return PL_OK;
}

static pl_status note_kind(const pl_boundary_source *source, pl_boundary *boundary, int32_t kind,
                           int64_t n, const int32_t *pair, double *thickness)
{
    for (int64_t i = 0; i < n; i++) {
        const pl_feature_pair p = {kind, pair[2 * i], pair[2 * i + 1]};
        PL_TRY(note(source, boundary, &p, thickness));
    }
    return PL_OK;
}

static pl_status note_all(const pl_boundary_source *source, pl_boundary *boundary,
                          const pl_candidates *c, double *thickness)
{
    PL_TRY(
        note_kind(source, boundary, PL_VERTEX_FACE, c->n_vertex_face, c->vertex_face, thickness));
    PL_TRY(note_kind(source, boundary, PL_EDGE_EDGE, c->n_edge_edge, c->edge_edge, thickness));
    PL_TRY(
        note_kind(source, boundary, PL_VERTEX_EDGE, c->n_vertex_edge, c->vertex_edge, thickness));
    return note_kind(source, boundary, PL_VERTEX_VERTEX, c->n_vertex_vertex, c->vertex_vertex,
                     thickness);
}

// By bodies, the least room of two first.
static int compare_close(const void *a, const void *b)
{
    const pl_close_bodies *p = a, *q = b;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    return (p->safety > q->safety) - (p->safety < q->safety);
}

// What two bodies keep that were added with less room than the safety distance; between the two
// rules above, linear in the room.
static double keep_of_room(double room, double safety)
{
    double below = PLAY_BELOW * safety, twice = 2 * below;
    if (room >= twice) return room;
    if (room <= below) return PLAY_PART * room;
    double part = (room - below) / below;
    return (1 - part) * PLAY_PART * below + part * twice;
}

// From room to distance, each two bodies once.
static void settle_close(pl_boundary *boundary)
{
    int64_t kept = 0;
    pl_close_bodies *close = boundary->close;
    if (boundary->n_close == 0) return;
    qsort(close, (size_t)boundary->n_close, sizeof *close, compare_close);
    for (int64_t i = 0; i < boundary->n_close; i++) {
        if (kept > 0 && close[kept - 1].a == close[i].a && close[kept - 1].b == close[i].b)
            continue;
        close[kept] = close[i];
        double least = PL_RESOLVED * PL_MIN(boundary->size[close[i].a], boundary->size[close[i].b]);
        double safety = PL_MIN(boundary->safety[close[i].a], boundary->safety[close[i].b]);
        close[kept].safety = PL_MAX(keep_of_room(close[i].safety, safety), least);
        kept++;
    }
    boundary->n_close = kept;
}

static pl_status measure(const pl_boundary_source *source, pl_boundary *boundary, double *thickness)
{
    pl_surfaces *surfaces;
    pl_candidates found;
    pl_status status = search(source, boundary, &surfaces, &found);
    if (status == PL_OK) {
        boundary->edge = pl_surfaces_edges(surfaces);
        status = note_all(source, boundary, &found, thickness);
        boundary->edge = NULL;
    }
    pl_surfaces_destroy(surfaces);
    return status;
}

pl_status pl_clearance_find(const pl_boundary_source *source, pl_boundary *boundary)
{
    double *thickness = pl_alloc(boundary->n_body, sizeof *thickness);
    if (thickness == NULL) return PL_ERROR_MEMORY;
    bool chosen;
    for (int32_t i = 0; i < boundary->n_body; i++) {
        thickness[i] = INFINITY;
        boundary->safety[i] = distance_of(source, boundary, i, &chosen);
    }
    boundary->widest = find_widest(source, boundary);
    place_as_added(source, boundary);
    pl_status status = measure(source, boundary, thickness);
    for (int32_t i = 0; i < boundary->n_body; i++) {
        double thick = thickness[i] + 2 * boundary->radius[i];
        double most = PL_MAX(THICKNESS_PART * thick, PL_RESOLVED * boundary->size[i]);
        distance_of(source, boundary, i, &chosen);
        if (!chosen) boundary->safety[i] = PL_MIN(boundary->safety[i], most);
    }
    boundary->widest = find_widest(source, boundary);
    settle_close(boundary);
    pl_free(thickness);
    return status;
}

double pl_boundary_close_safety(const pl_boundary *boundary, int32_t a, int32_t b)
{
    int32_t first = PL_MIN(a, b), second = PL_MAX(a, b);
    int64_t lo = 0, hi = boundary->n_close;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        const pl_close_bodies *at = &boundary->close[mid];
        if (at->a < first || (at->a == first && at->b < second)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    const pl_close_bodies *at = &boundary->close[lo];
    return lo < boundary->n_close && at->a == first && at->b == second ? at->safety : INFINITY;
}
