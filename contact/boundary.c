// The surfaces of all bodies, as collision detection sees them.

#include "boundary.h"
#include "clearance.h"

#include <math.h>
#include <string.h>

// --- Points and faces ---

// What of a body's mesh touches: its surface or skeleton, and the place of its vertices in the
// mesh.
typedef struct outer {
    pl_mesh *mesh;
    int32_t *vertex;
} outer;

// The vertices that a skeleton has, in their order, and its faces; vertex (n_vert of the mesh)
// receives where they are in the mesh.
static pl_status take_skeleton(const pl_mesh *mesh, const pl_skeleton *s, outer *out)
{
    int32_t *number = pl_alloc(mesh->n_vert, sizeof *number), n = 0;
    if (number == NULL) return PL_ERROR_MEMORY;
    for (int32_t v = 0; v < mesh->n_vert; v++) number[v] = -1;
    for (int64_t i = 0; i < 3 * (int64_t)s->n_face; i++) number[s->face[i]] = 0;
    for (int64_t i = 0; i < 2 * (int64_t)s->n_edge; i++) number[s->edge[i]] = 0;
    for (int64_t i = 0; i < s->n_point; i++) number[s->point[i]] = 0;
    for (int32_t v = 0; v < mesh->n_vert; v++) {
        if (number[v] < 0) continue;
        out->vertex[n] = v;
        number[v] = n++;
    }
    pl_status status = pl_mesh_alloc(n, s->n_face, 0, &out->mesh);
    for (int32_t i = 0; i < n && status == PL_OK; i++) {
        memcpy(out->mesh->x + 3 * (int64_t)i, mesh->x + 3 * (int64_t)out->vertex[i],
               3 * sizeof(double));
    }
    for (int64_t i = 0; i < 3 * (int64_t)s->n_face && status == PL_OK; i++) {
        out->mesh->face[i] = number[s->face[i]];
    }
    pl_free(number);
    return status;
}

static pl_status find_surfaces(const pl_boundary_source *source, outer *out)
{
    for (int32_t i = 0; i < source->n_body; i++) {
        const pl_mesh *mesh = source->body[i].mesh;
        out[i].vertex = pl_alloc(mesh->n_vert, sizeof *out[i].vertex);
        if (out[i].vertex == NULL) return PL_ERROR_MEMORY;
        const pl_skeleton *skeleton = source->body[i].skeleton;
        PL_TRY(skeleton != NULL ? take_skeleton(mesh, skeleton, &out[i])
                                : pl_mesh_surface(mesh, out[i].vertex, &out[i].mesh));
    }
    return PL_OK;
}

// The edges and points that a skeleton has besides its faces; point (n_vert of the mesh) says which
// of ours its vertices are.
static void place_bare(const pl_skeleton *s, int32_t body, const int32_t *point,
                       pl_boundary *boundary)
{
    int32_t n_edge = boundary->first_bare[body], n_single = boundary->first_single[body];
    for (int64_t i = 0; s != NULL && i < 2 * (int64_t)s->n_edge; i++) {
        boundary->bare[2 * (int64_t)n_edge + i] = point[s->edge[i]];
    }
    for (int64_t i = 0; s != NULL && i < s->n_point; i++) {
        boundary->single[n_single + i] = point[s->point[i]];
    }
    boundary->first_bare[body + 1] = n_edge + (s != NULL ? s->n_edge : 0);
    boundary->first_single[body + 1] = n_single + (s != NULL ? s->n_point : 0);
}

// The points of one body, in the order of its ranks. place (n_vert of the mesh) is scratch.
static void place_points(const pl_boundary_body *b, int32_t body, const outer *o,
                         pl_boundary *boundary, int32_t *place)
{
    int32_t n = o->mesh->n_vert, first = boundary->n;
    for (int32_t i = 0; i < b->mesh->n_vert; i++) place[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t v = o->vertex[i];
        place[b->rank != NULL ? b->rank[v] : v] = i;
    }
    // place[v] is the surface's vertex at v; from here on o->vertex holds the point of each.
    for (int32_t v = 0; v < b->mesh->n_vert; v++) {
        if (place[v] < 0) continue;
        boundary->body[boundary->n] = body;
        boundary->given[boundary->n] = o->vertex[place[v]];
        boundary->vertex[boundary->n] = b->carrier == PL_CARRIER_VERTICES ? b->block + v : v;
        o->vertex[place[v]] = boundary->n++;
    }
    for (int64_t i = 0; i < 3 * (int64_t)o->mesh->n_face; i++) {
        boundary->face[3 * (int64_t)boundary->n_face + i] = o->vertex[o->mesh->face[i]];
    }
    boundary->n_face += o->mesh->n_face;
    PL_ASSERT(boundary->n == first + n);
    for (int32_t p = first; p < boundary->n; p++) place[boundary->given[p]] = p;
    place_bare(b->skeleton, body, place, boundary);
}

// h of a skeleton with edges or points alone: the mean length of its edges, but no more than its
// diameter, which is what a thin capsule touches with. Without a radius it is that length, and 0
// for points, which have no size: see size_points.
static double bare_size(const pl_mesh *mesh, const pl_skeleton *s, double radius)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n_edge; i++) {
        double by[3];
        pl_subtract(mesh->x + 3 * (int64_t)s->edge[2 * i],
                    mesh->x + 3 * (int64_t)s->edge[2 * i + 1], by);
        sum += sqrt(pl_dot(by, by));
    }
    if (s->n_edge == 0) return 2 * radius;
    return radius > 0 ? PL_MIN(sum / s->n_edge, 2 * radius) : sum / s->n_edge;
}

// Points without a radius have the h of the finest body that has one: they touch with as much.
static void size_points(pl_boundary *boundary)
{
    double least = INFINITY;
    for (int32_t i = 0; i < boundary->n_body; i++) {
        if (boundary->size[i] > 0) least = PL_MIN(least, boundary->size[i]);
    }
    for (int32_t i = 0; i < boundary->n_body; i++) {
        bool points = boundary->first_single[i + 1] > boundary->first_single[i];
        if (points && boundary->size[i] == 0) boundary->size[i] = isfinite(least) ? least : 1;
    }
}

static double mean_edge(const pl_mesh *surface)
{
    double sum = 0;
    for (int64_t i = 0; i < 3 * (int64_t)surface->n_face; i++) {
        const double *a = surface->x + 3 * (int64_t)surface->face[i];
        const double *b = surface->x + 3 * (int64_t)surface->face[i % 3 == 2 ? i - 2 : i + 1];
        sum += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    }
    return surface->n_face > 0 ? sum / (3.0 * surface->n_face) : 0;
}

// What stands for it, as numbers of features.
typedef struct counts {
    int64_t n, face, bare, single;
} counts;

static pl_status allocate(pl_boundary *boundary, const counts *c, int64_t n_body)
{
    int64_t n = c->n, n_face = c->face;
    boundary->owner = pl_alloc(n_body, sizeof *boundary->owner);
    boundary->turn = pl_alloc_zero(3 * n_body, sizeof *boundary->turn);
    boundary->spoke = pl_alloc_zero(n + 2, sizeof *boundary->spoke);
    boundary->spoke_edge = pl_alloc(2 * c->bare, sizeof *boundary->spoke_edge);
    boundary->bare = pl_alloc(2 * c->bare, sizeof *boundary->bare);
    boundary->single = pl_alloc(c->single, sizeof *boundary->single);
    boundary->first_bare = pl_alloc_zero(n_body + 1, sizeof *boundary->first_bare);
    boundary->first_single = pl_alloc_zero(n_body + 1, sizeof *boundary->first_single);
    boundary->body = pl_alloc(n, sizeof *boundary->body);
    boundary->first = pl_alloc(n_body + 1, sizeof *boundary->first);
    boundary->first_face = pl_alloc(n_body + 1, sizeof *boundary->first_face);
    boundary->first_edge = pl_alloc(n_body + 1, sizeof *boundary->first_edge);
    boundary->vertex = pl_alloc(n, sizeof *boundary->vertex);
    boundary->given = pl_alloc(n, sizeof *boundary->given);
    boundary->x0 = pl_alloc(3 * n, sizeof *boundary->x0);
    boundary->x1 = pl_alloc(3 * n, sizeof *boundary->x1);
    boundary->guess = pl_alloc_zero(3 * n, sizeof *boundary->guess);
    boundary->carrier = pl_alloc(n_body, sizeof *boundary->carrier);
    boundary->block = pl_alloc(n_body, sizeof *boundary->block);
    boundary->centre = pl_alloc_zero(3 * n_body, sizeof *boundary->centre);
    boundary->friction = pl_alloc(n_body, sizeof *boundary->friction);
    boundary->restitution = pl_alloc_zero(n_body, sizeof *boundary->restitution);
    boundary->still = pl_alloc_zero(n_body, sizeof *boundary->still);
    boundary->face = pl_alloc(3 * n_face, sizeof *boundary->face);
    boundary->fan = pl_alloc_zero(n + 2, sizeof *boundary->fan);
    boundary->fan_face = pl_alloc(3 * n_face, sizeof *boundary->fan_face);
    boundary->size = pl_alloc(n_body, sizeof *boundary->size);
    boundary->radius = pl_alloc(n_body, sizeof *boundary->radius);
    boundary->safety = pl_alloc(n_body, sizeof *boundary->safety);
    boundary->rest = pl_alloc(n_body, sizeof *boundary->rest);
    bool ok = boundary->body && boundary->first && boundary->vertex && boundary->given &&
              boundary->x0 && boundary->x1 && boundary->face && boundary->fan &&
              boundary->fan_face && boundary->size && boundary->radius && boundary->first_face &&
              boundary->first_edge && boundary->safety && boundary->rest && boundary->guess &&
              boundary->carrier && boundary->block && boundary->centre && boundary->friction &&
              boundary->still && boundary->owner && boundary->turn && boundary->spoke &&
              boundary->spoke_edge && boundary->bare && boundary->single && boundary->first_bare &&
              boundary->first_single && boundary->restitution;
    return ok ? PL_OK : PL_ERROR_MEMORY;
}

static pl_status place_bodies(const pl_boundary_source *source, const outer *o,
                              pl_boundary *boundary)
{
    counts all = {0};
    int32_t most = 0;
    for (int32_t i = 0; i < source->n_body; i++) {
        const pl_skeleton *s = source->body[i].skeleton;
        all.n += o[i].mesh->n_vert;
        all.face += o[i].mesh->n_face;
        all.bare += s != NULL ? s->n_edge : 0;
        all.single += s != NULL ? s->n_point : 0;
        most = PL_MAX(most, source->body[i].mesh->n_vert);
    }
    PL_TRY(allocate(boundary, &all, source->n_body));
    int32_t *place = pl_alloc(most, sizeof *place);
    if (place == NULL) return PL_ERROR_MEMORY;
    boundary->n_body = source->n_body;
    for (int32_t i = 0; i < boundary->n_body; i++) {
        const pl_boundary_body *b = &source->body[i];
        boundary->first[i] = boundary->n;
        boundary->first_face[i] = boundary->n_face;
        place_points(b, i, &o[i], boundary, place);
        boundary->first[i + 1] = boundary->n;
        boundary->first_face[i + 1] = boundary->n_face;
        bool bare = b->skeleton != NULL && b->skeleton->n_face == 0;
        boundary->size[i] =
            bare ? bare_size(b->mesh, b->skeleton, b->surface.radius) : mean_edge(o[i].mesh);
        boundary->radius[i] = b->surface.radius;
        boundary->owner[i] = b->owner;
        boundary->friction[i] = b->surface.friction;
        boundary->restitution[i] = b->surface.restitution;
        boundary->bounces = boundary->bounces || b->surface.restitution > 0;
        boundary->rest[i] = b->mesh->x;
        boundary->carrier[i] = (uint8_t)b->carrier;
        boundary->block[i] = b->carrier == PL_CARRIER_RIGID ? b->block : -1;
    }
    pl_free(place);
    size_points(boundary);
    return PL_OK;
}

// --- Neighbours ---

static void list_fans(pl_boundary *boundary)
{
    int32_t *start = boundary->fan + 1; // counted one place up, so that filling leaves it right
    for (int64_t i = 0; i < 3 * (int64_t)boundary->n_face; i++) start[boundary->face[i] + 1]++;
    for (int32_t p = 0; p < boundary->n; p++) start[p + 1] += start[p];
    for (int64_t i = 0; i < 3 * (int64_t)boundary->n_face; i++) {
        boundary->fan_face[start[boundary->face[i]]++] = (int32_t)(i / 3);
    }
}

static bool face_has(const pl_boundary *boundary, int32_t face, int32_t point)
{
    const int32_t *f = boundary->face + 3 * (int64_t)face;
    return f[0] == point || f[1] == point || f[2] == point;
}

// Edges come in the order of their lower points.
static void find_first_edges(pl_boundary *boundary)
{
    int32_t e = 0;
    for (int32_t b = 0; b <= boundary->n_body; b++) {
        while (e < boundary->n_edge && boundary->edge[2 * (int64_t)e] < boundary->first[b]) e++;
        boundary->first_edge[b] = e;
    }
}

static void list_spokes(pl_boundary *boundary)
{
    int32_t *start = boundary->spoke + 1; // as in list_fans
    for (int64_t i = 0; i < 2 * (int64_t)boundary->n_edge; i++) {
        if (boundary->edge_face[i - i % 2] < 0) start[boundary->edge[i] + 1]++;
    }
    for (int32_t p = 0; p < boundary->n; p++) start[p + 1] += start[p];
    for (int64_t i = 0; i < 2 * (int64_t)boundary->n_edge; i++) {
        if (boundary->edge_face[i - i % 2] >= 0) continue;
        boundary->spoke_edge[start[boundary->edge[i]]++] = (int32_t)(i / 2);
    }
}

// Where an edge has more than two faces, those beyond the second do not count.
static pl_status list_edge_faces(pl_boundary *boundary)
{
    boundary->n_edge = pl_surfaces_edge_count(boundary->surfaces);
    boundary->edge = pl_surfaces_edges(boundary->surfaces);
    boundary->edge_face = pl_alloc(2 * (int64_t)boundary->n_edge, sizeof *boundary->edge_face);
    if (boundary->edge_face == NULL) return PL_ERROR_MEMORY;
    find_first_edges(boundary);
    for (int64_t e = 0; e < boundary->n_edge; e++) {
        int32_t a = boundary->edge[2 * e], b = boundary->edge[2 * e + 1], n = 0;
        int32_t *out = boundary->edge_face + 2 * e;
        out[0] = out[1] = -1;
        for (int32_t i = boundary->fan[a]; i < boundary->fan[a + 1] && n < 2; i++) {
            if (face_has(boundary, boundary->fan_face[i], b)) out[n++] = boundary->fan_face[i];
        }
    }
    list_spokes(boundary);
    return PL_OK;
}

// --- Colliders ---

pl_collider pl_boundary_collider(const pl_boundary_source *source, const pl_boundary *boundary,
                                 int32_t i, double radius)
{
    const pl_boundary_body *b = &source->body[i];
    pl_collider c = pl_collider_default();
    c.n_face = boundary->first_face[i + 1] - boundary->first_face[i];
    c.face = boundary->face + 3 * (int64_t)boundary->first_face[i];
    c.n_edge = boundary->first_bare[i + 1] - boundary->first_bare[i];
    c.edge = boundary->bare + 2 * (int64_t)boundary->first_bare[i];
    c.n_point = boundary->first_single[i + 1] - boundary->first_single[i];
    c.point = boundary->single + boundary->first_single[i];
    c.radius = radius;
    c.fixed = b->carrier == PL_CARRIER_PATH;
    c.category = b->surface.category;
    c.mask = b->surface.mask;
    c.group = 1 + b->owner;
    return c;
}

// What a body adds to the distance at which it is paired: a margin that scales with what it keeps.
static pl_status create_surfaces(const pl_boundary_source *source, pl_boundary *boundary)
{
    pl_collider *collider = pl_alloc(boundary->n_body, sizeof *collider);
    if (collider == NULL) return PL_ERROR_MEMORY;
    boundary->smallest = boundary->largest = 0;
    for (int32_t i = 0; i < boundary->n_body; i++) {
        double size = boundary->size[i];
        if (source->body[i].carrier == PL_CARRIER_PATH) continue;
        boundary->largest = PL_MAX(boundary->largest, size);
        bool first = boundary->smallest == 0;
        boundary->smallest = first ? size : PL_MIN(boundary->smallest, size);
    }
    for (int32_t i = 0; i < boundary->n_body; i++) {
        const pl_boundary_body *b = &source->body[i];
        double reach = 0.5 * PL_REACH * PL_MIN(boundary->safety[i], boundary->widest);
        collider[i] = pl_boundary_collider(source, boundary, i, boundary->radius[i] + reach);
        collider[i].self = b->carrier == PL_CARRIER_VERTICES && b->surface.self;
    }
    pl_status status = pl_surfaces_create(boundary->n, boundary->x0, boundary->n_body, collider,
                                          &boundary->surfaces);
    pl_free(collider);
    for (int64_t i = 0; i < source->n_ignored && status == PL_OK; i++) {
        const int32_t *pair = source->ignored + 2 * i;
        status = pl_surfaces_ignore(boundary->surfaces, pair[0], pair[1]);
    }
    return status;
}

pl_status pl_boundary_create(const pl_boundary_source *source, pl_boundary *out)
{
    *out = (pl_boundary){.friction_pair = source->friction_pair,
                         .n_friction_pair = source->n_friction_pair};
    outer *o = pl_alloc_zero(source->n_body, sizeof *o);
    pl_status status = o != NULL ? find_surfaces(source, o) : PL_ERROR_MEMORY;
    if (status == PL_OK) status = place_bodies(source, o, out);
    if (status == PL_OK) {
        list_fans(out);
        status = pl_clearance_find(source, out);
    }
    for (int32_t i = 0; i < source->n_body && o != NULL; i++) {
        pl_mesh_destroy(o[i].mesh);
        pl_free(o[i].vertex);
    }
    pl_free(o);
    if (status != PL_OK) pl_boundary_free(out);
    return status;
}

pl_status pl_boundary_finish(const pl_boundary_source *source, pl_boundary *boundary)
{
    PL_TRY(create_surfaces(source, boundary));
    return list_edge_faces(boundary);
}

void pl_boundary_free(pl_boundary *boundary)
{
    pl_surfaces_destroy(boundary->surfaces);
    void *owned[] = {
        boundary->body,   boundary->vertex,     boundary->given,        boundary->x0,
        boundary->x1,     boundary->face,       boundary->fan,          boundary->fan_face,
        boundary->size,   boundary->radius,     boundary->edge_face,    boundary->guess,
        boundary->first,  boundary->first_face, boundary->first_edge,   boundary->safety,
        boundary->close,  boundary->rest,       boundary->carrier,      boundary->block,
        boundary->centre, boundary->friction,   boundary->still,        boundary->owner,
        boundary->turn,   boundary->spoke,      boundary->spoke_edge,   boundary->bare,
        boundary->single, boundary->first_bare, boundary->first_single, boundary->restitution};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pl_free(owned[i]);
    *boundary = (pl_boundary){0};
}

// --- Friction ---

int64_t pl_friction_pair_place(int64_t n, const pl_friction_pair *pair, int32_t a, int32_t b)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        bool before = pair[mid].a < a || (pair[mid].a == a && pair[mid].b < b);
        if (before) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

double pl_boundary_friction(const pl_boundary *boundary, int32_t a, int32_t b)
{
    if (boundary->n_friction_pair > 0) {
        int32_t first = PL_MIN(boundary->owner[a], boundary->owner[b]);
        int32_t second = PL_MAX(boundary->owner[a], boundary->owner[b]);
        const pl_friction_pair *pair = boundary->friction_pair;
        int64_t at = pl_friction_pair_place(boundary->n_friction_pair, pair, first, second);
        bool has = at < boundary->n_friction_pair && pair[at].a == first && pair[at].b == second;
        if (has) return pair[at].mu;
    }
    return sqrt(boundary->friction[a] * boundary->friction[b]);
}

// --- Places ---

enum { CHUNK_POINTS = 2000 }; // that a thread takes at least

typedef struct extrapolation {
    const pl_boundary *boundary;
    double factor;
} extrapolation;

static void extrapolate(void *context, int64_t first, int64_t last)
{
    const extrapolation *e = context;
    const pl_boundary *boundary = e->boundary;
    for (int64_t i = 3 * first; i < 3 * last; i++) {
        boundary->x1[i] = boundary->x0[i] + e->factor * boundary->guess[i];
    }
}

void pl_boundary_extrapolate(pl_boundary *boundary, double factor)
{
    pl_loop(boundary->n, CHUNK_POINTS, extrapolate, &(extrapolation){boundary, factor});
}
