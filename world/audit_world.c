// The audit of a world: collision/'s proof, on the surfaces that its bodies have.

#include "audit_world.h"
#include "places.h"
#include "way_out.h"
#include "../collision/audit.h"

#include <inttypes.h>
#include <string.h>

enum { REMEDY_TEXT = 160 };

// What the audit calls a body is a collider: a body of the world, or a shape of it.
struct pl_auditor {
    const pl_world *world;       // that it was made for,
    int64_t n_bodies, n_ignored; // and had so many
    int32_t n;                   // colliders
    int32_t *first;              // (n_bodies + 1) of each body
    int32_t *owner;              // (n) the place of its body
    pl_audit_body *body;         // (n)
    int32_t **index;             // (n) their arrays: vertices as the outside sees them
    pl_audit *audit;
    pl_audit_inside *inside; // what was found, by ids; vertices counted within their bodies
    pl_audit_pair *pair;
    int64_t inside_capacity, pair_capacity;
};

void pl_auditor_destroy(pl_auditor *auditor)
{
    if (auditor == NULL) return;
    pl_audit_destroy(auditor->audit);
    for (int32_t i = 0; i < auditor->n && auditor->index != NULL; i++) pl_free(auditor->index[i]);
    pl_free(auditor->index);
    pl_free(auditor->body);
    pl_free(auditor->owner);
    pl_free(auditor->first);
    pl_free(auditor->inside);
    pl_free(auditor->pair);
    pl_free(auditor);
}

void pl_world_end_audits(pl_world *world)
{
    if (world == NULL) return;
    pl_auditor_destroy(world->auditor);
    world->auditor = NULL;
}

// --- Elements ---

// The surface of a body's mesh.
static pl_status take_surface(const pl_world_body *b, int32_t **index, pl_audit_body *out)
{
    pl_mesh *surface = NULL;
    int32_t *vertex = pl_alloc(b->mesh->n_vert, sizeof *vertex);
    pl_status status =
        vertex != NULL ? pl_mesh_surface(b->mesh, vertex, &surface) : PL_ERROR_MEMORY;
    int64_t n = surface != NULL ? surface->n_face : 0;
    if (status == PL_OK) {
        *index = pl_alloc(3 * n, sizeof **index);
        if (*index == NULL) status = PL_ERROR_MEMORY;
    }
    for (int64_t i = 0; status == PL_OK && i < 3 * n; i++) {
        (*index)[i] = b->published + vertex[surface->face[i]];
    }
    *out = (pl_audit_body){.n_face = (int32_t)n, .face = *index, .radius = b->surface.radius};
    pl_mesh_destroy(surface);
    pl_free(vertex);
    return status;
}

// A shape of a body, with what encloses its inside.
static pl_status take_skeleton(const pl_world_body *b, const pl_skeleton *s, int32_t **index,
                               pl_audit_body *out)
{
    const int32_t *list[3] = {s->face, s->edge, s->point};
    int32_t n_face = s->n_face + s->n_behind;
    const int64_t n[3] = {3 * (int64_t)n_face, 2 * (int64_t)s->n_edge, s->n_point};
    int32_t *to = *index = pl_alloc(n[0] + n[1] + n[2], sizeof *to);
    if (to == NULL) return PL_ERROR_MEMORY;
    *out = (pl_audit_body){.n_face = n_face,
                           .face = to,
                           .n_edge = s->n_edge,
                           .edge = to + n[0],
                           .n_point = s->n_point,
                           .point = to + n[0] + n[1],
                           .radius = s->radius};
    for (int k = 0; k < 3; k++) {
        for (int64_t i = 0; i < n[k]; i++) *to++ = b->published + list[k][i];
    }
    return PL_OK;
}

static int32_t element_count(const pl_audit_body *b)
{
    return b->n_face + b->n_edge + b->n_point;
}

// The number of an element of a collider among those of its body.
static int32_t element_of(const pl_auditor *auditor, int32_t collider, int32_t element)
{
    for (int32_t i = auditor->first[auditor->owner[collider]]; i < collider; i++) {
        element += element_count(&auditor->body[i]);
    }
    return element;
}

// --- Pairs that may intersect ---

// What the step does not keep apart, the audit does not hold against each other.
static bool passes_through(const pl_world_body *a, const pl_world_body *b)
{
    if (a == b) return a->kind != PL_BODY_DEFORMABLE || !a->surface.self;
    if (a->kind == PL_BODY_KINEMATIC && b->kind == PL_BODY_KINEMATIC) return true;
    return (a->surface.category & b->surface.mask) == 0 ||
           (b->surface.category & a->surface.mask) == 0;
}

static bool is_excluded(const void *user, int32_t a, int32_t b)
{
    const pl_auditor *auditor = user;
    const pl_world_body *body = auditor->world->bodies.body;
    return passes_through(&body[auditor->owner[a]], &body[auditor->owner[b]]);
}

// --- Making ---

static pl_status create_audit(const pl_world *world, bool distance, pl_auditor *auditor)
{
    pl_places_source places;
    PL_TRY(pl_places_describe(world, &places));
    pl_status status = PL_OK;
    if (places.source.n_ignored > INT32_MAX) {
        status =
            pl_fail(PL_ERROR_ARGUMENT, "audit: too many pairs of bodies that are not to touch");
    }
    const pl_audit_options options = {.exclude = places.source.ignored,
                                      .n_exclude = (int32_t)places.source.n_ignored,
                                      .distance = distance};
    if (status == PL_OK) {
        status = pl_audit_create(world->published.n, auditor->n, auditor->body, &options,
                                 &auditor->audit);
    }
    auditor->world = world;
    if (status == PL_OK) pl_audit_exclude(auditor->audit, is_excluded, auditor);
    pl_places_source_free(&places);
    return status;
}

static pl_status build(const pl_world *world, bool distance, pl_auditor *auditor)
{
    int64_t n = pl_places_count(world, world->bodies.n);
    auditor->n_bodies = world->bodies.n;
    auditor->n_ignored = world->bodies.n_ignored;
    auditor->n = (int32_t)n;
    auditor->first = pl_alloc(world->bodies.n + 1, sizeof *auditor->first);
    auditor->owner = pl_alloc(n, sizeof *auditor->owner);
    auditor->body = pl_alloc(n, sizeof *auditor->body);
    auditor->index = pl_alloc_zero(n, sizeof *auditor->index);
    if (!auditor->first || !auditor->owner || !auditor->body || !auditor->index)
        return PL_ERROR_MEMORY;
    int32_t at = 0;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        const pl_world_body *b = &world->bodies.body[i];
        auditor->first[i] = at;
        for (int32_t k = 0; k < pl_places_colliders(world, i); k++, at++) {
            auditor->owner[at] = (int32_t)i;
            PL_TRY(b->n_collider == 0 ? take_surface(b, &auditor->index[at], &auditor->body[at])
                                      : take_skeleton(b, &b->collider[k].skeleton,
                                                      &auditor->index[at], &auditor->body[at]));
        }
    }
    auditor->first[world->bodies.n] = at;
    return create_audit(world, distance, auditor);
}

static pl_status create(const pl_world *world, bool distance, pl_auditor **out)
{
    *out = NULL;
    pl_auditor *auditor = pl_alloc_zero(1, sizeof *auditor);
    if (auditor == NULL) return PL_ERROR_MEMORY;
    pl_status status = build(world, distance, auditor);
    if (status != PL_OK) {
        pl_auditor_destroy(auditor);
        return status;
    }
    *out = auditor;
    return PL_OK;
}

// Makes the audit if there is none for the bodies of now.
static pl_status prepare(pl_world *world)
{
    const pl_auditor *old = world->auditor;
    bool fits = old != NULL && old->n_bodies == world->bodies.n &&
                old->n_ignored == world->bodies.n_ignored;
    if (fits) return PL_OK;
    pl_world_end_audits(world);
    return create(world, false, &world->auditor);
}

// --- Running ---

// Bodies of the report by colliders.
static pl_status run(pl_world *world, pl_audit_report *out)
{
    PL_TRY(prepare(world));
    int32_t before = pl_threads_enter(world->options.threads);
    pl_status status = pl_audit_run(world->auditor->audit, world->published.x, out);
    pl_threads_set(before);
    return status;
}

pl_status pl_world_audit(pl_world *world, pl_audit_report *out)
{
    PL_REQUIRE(world);
    PL_REQUIRE(out);
    PL_TRY(run(world, out));
    pl_auditor *auditor = world->auditor;
    PL_TRY(pl_reserve((void **)&auditor->inside, &auditor->inside_capacity, out->n_inside,
                      sizeof *auditor->inside));
    PL_TRY(pl_reserve((void **)&auditor->pair, &auditor->pair_capacity, out->n_intersections,
                      sizeof *auditor->pair));
    for (int32_t i = 0; i < out->n_inside; i++) {
        const pl_audit_inside *in = &out->inside[i];
        int32_t body = auditor->owner[in->body], first = world->bodies.body[body].published;
        auditor->inside[i] = (pl_audit_inside){pl_world_id(world, body), in->vertex - first,
                                               pl_world_id(world, auditor->owner[in->other])};
    }
    for (int32_t i = 0; i < out->n_intersections; i++) {
        auditor->pair[i] = out->intersections[i];
        for (int k = 0; k < 2; k++) {
            int32_t collider = out->intersections[i].body[k];
            auditor->pair[i].body[k] = pl_world_id(world, auditor->owner[collider]);
            auditor->pair[i].face[k] = element_of(auditor, collider, auditor->pair[i].face[k]);
        }
    }
    out->inside = auditor->inside;
    out->intersections = auditor->pair;
    return PL_OK;
}

void pl_world_audit_face(const pl_world *world, int32_t body, int32_t face, int32_t vertex[3])
{
    if (vertex == NULL) return;
    vertex[0] = vertex[1] = vertex[2] = -1;
    const pl_auditor *auditor = world != NULL ? world->auditor : NULL;
    int32_t place = pl_world_place(world, body);
    if (auditor == NULL || place < 0 || place >= auditor->n_bodies) return;
    int32_t i = auditor->first[place], published = world->bodies.body[place].published;
    for (; i < auditor->first[place + 1]; i++) {
        int32_t n = element_count(&auditor->body[i]);
        if (face < n) break;
        face -= n;
    }
    if (face < 0 || i == auditor->first[place + 1]) return;
    const pl_audit_body *b = &auditor->body[i];
    int n = face < b->n_face ? 3 : face < b->n_face + b->n_edge ? 2 : 1;
    const int32_t *corner = n == 3   ? b->face + 3 * (int64_t)face
                            : n == 2 ? b->edge + 2 * (int64_t)(face - b->n_face)
                                     : b->point + (face - b->n_face - b->n_edge);
    for (int k = 0; k < n; k++) vertex[k] = corner[k] - published;
}

pl_status pl_world_check_apart(pl_world *world)
{
    bool lasts = world->auditor != NULL; // somebody asks for it again and again
    pl_audit_report report;
    PL_TRY(run(world, &report));
    if (report.clean) {
        if (!lasts) pl_world_end_audits(world);
        return PL_OK;
    }
    const pl_audit_inside *in = report.n_inside > 0 ? &report.inside[0] : NULL;
    const pl_audit_pair *pair = report.n_intersections > 0 ? &report.intersections[0] : NULL;
    const int32_t *owner = world->auditor->owner;
    int32_t a = owner[pair != NULL ? pair->body[0] : in->body],
            b = owner[pair != NULL ? pair->body[1] : in->other];
    char name[2][PL_BODY_NAME], remedy[REMEDY_TEXT];
    const char *first = pl_world_body_name(world, a, name[0]);
    const char *second = pl_world_body_name(world, b, name[1]);
    pl_world_way_out(world, pl_world_id(world, a), pl_world_id(world, b), remedy, sizeof remedy);
    if (pair == NULL) {
        return pl_fail(PL_ERROR_GEOMETRY, "%s, vertex %" PRId32 " is inside of %s at the start; %s",
                       first, in->vertex - world->bodies.body[a].published, second, remedy);
    }
    return pl_fail(PL_ERROR_GEOMETRY,
                   "%s, face %" PRId32 " meets %s, face %" PRId32
                   " at the start (pairs of faces that meet: %" PRId32 "); %s",
                   first, element_of(world->auditor, pair->body[0], pair->face[0]), second,
                   element_of(world->auditor, pair->body[1], pair->face[1]), report.n_intersections,
                   remedy);
}

pl_status pl_world_measure_gap(const pl_world *world, double *gap)
{
    pl_auditor *auditor;
    pl_audit_report report;
    PL_REQUIRE(world);
    PL_REQUIRE(gap);
    *gap = 0;
    PL_TRY(create(world, true, &auditor));
    pl_status status = pl_audit_run(auditor->audit, world->published.x, &report);
    if (status == PL_OK && report.clean) *gap = report.distance;
    pl_auditor_destroy(auditor);
    return status;
}
