// The audit of a world: collision/'s proof, on the surfaces that its bodies have.

#include "audit_world.h"
#include "way_out.h"
#include "../collision/audit.h"

#include <inttypes.h>
#include <string.h>

enum { REMEDY_TEXT = 160 };

struct pl_auditor {
    int64_t n_bodies, n_ignored; // of the world that it was made for
    int32_t *face;               // (3*n_face) of all bodies; vertices as the outside sees them,
    int64_t *first;              // (n_bodies + 1) by body
    pl_audit *audit;
    pl_audit_inside *inside; // what was found, by ids; vertices counted within their bodies
    pl_audit_pair *pair;
    int64_t inside_capacity, pair_capacity;
};

void pl_auditor_destroy(pl_auditor *auditor)
{
    if (auditor == NULL) return;
    pl_audit_destroy(auditor->audit);
    pl_free(auditor->face);
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

// --- Faces ---

// Appends the surface of a body to the faces.
static pl_status add_surface(pl_auditor *auditor, const pl_world_body *b, int64_t body,
                             int64_t *capacity)
{
    pl_mesh *surface = NULL;
    int32_t *vertex = pl_alloc(b->mesh->n_vert, sizeof *vertex);
    pl_status status =
        vertex != NULL ? pl_mesh_surface(b->mesh, vertex, &surface) : PL_ERROR_MEMORY;
    int64_t first = auditor->first[body], n = surface != NULL ? surface->n_face : 0;
    if (status == PL_OK) {
        status =
            pl_reserve((void **)&auditor->face, capacity, 3 * (first + n), sizeof *auditor->face);
    }
    for (int64_t i = 0; status == PL_OK && i < 3 * n; i++) {
        auditor->face[3 * first + i] = b->published + vertex[surface->face[i]];
    }
    auditor->first[body + 1] = first + n;
    pl_mesh_destroy(surface);
    pl_free(vertex);
    return status;
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
    const pl_world *world = user;
    return passes_through(&world->bodies.body[a], &world->bodies.body[b]);
}

// --- Making ---

static pl_status create_audit(const pl_world *world, bool distance, pl_auditor *auditor)
{
    if (world->bodies.n_ignored > INT32_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: too many pairs of bodies that are not to touch");
    }
    pl_audit_body *body = pl_alloc(world->bodies.n, sizeof *body);
    if (body == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        int64_t first = auditor->first[i];
        body[i] =
            (pl_audit_body){(int32_t)(auditor->first[i + 1] - first), auditor->face + 3 * first};
    }
    const pl_audit_options options = {.exclude = world->bodies.ignored,
                                      .n_exclude = (int32_t)world->bodies.n_ignored,
                                      .distance = distance};
    pl_status status = pl_audit_create(world->published.n, (int32_t)world->bodies.n, body, &options,
                                       &auditor->audit);
    if (status == PL_OK) pl_audit_exclude(auditor->audit, is_excluded, world);
    pl_free(body);
    return status;
}

static pl_status build(const pl_world *world, bool distance, pl_auditor *auditor)
{
    int64_t capacity = 0;
    auditor->n_bodies = world->bodies.n;
    auditor->n_ignored = world->bodies.n_ignored;
    auditor->first = pl_alloc_zero(world->bodies.n + 1, sizeof *auditor->first);
    if (auditor->first == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < world->bodies.n; i++) {
        PL_TRY(add_surface(auditor, &world->bodies.body[i], i, &capacity));
    }
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

// Bodies of the report by their places.
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
        int32_t first = world->bodies.body[in->body].published;
        auditor->inside[i] = (pl_audit_inside){pl_world_id(world, in->body), in->vertex - first,
                                               pl_world_id(world, in->other)};
    }
    for (int32_t i = 0; i < out->n_intersections; i++) {
        auditor->pair[i] = out->intersections[i];
        for (int k = 0; k < 2; k++) {
            auditor->pair[i].body[k] = pl_world_id(world, out->intersections[i].body[k]);
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
    if (face < 0 || face >= auditor->first[place + 1] - auditor->first[place]) return;
    const int32_t *corner = auditor->face + 3 * (auditor->first[place] + face);
    for (int k = 0; k < 3; k++) vertex[k] = corner[k] - world->bodies.body[place].published;
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
    int32_t a = pair != NULL ? pair->body[0] : in->body,
            b = pair != NULL ? pair->body[1] : in->other;
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
                   first, pair->face[0], second, pair->face[1], report.n_intersections, remedy);
}

pl_status pl_world_measure_gap(const pl_world *world, double *gap)
{
    pl_auditor *auditor;
    pl_audit_report report;
    double radius = 0;
    PL_REQUIRE(world);
    PL_REQUIRE(gap);
    *gap = 0;
    PL_TRY(create(world, true, &auditor));
    pl_status status = pl_audit_run(auditor->audit, world->published.x, &report);
    for (int64_t i = 0; i < world->bodies.n; i++) {
        radius = PL_MAX(radius, world->bodies.body[i].surface.radius);
    }
    if (status == PL_OK && report.clean) *gap = PL_MAX(report.distance - 2 * radius, 0);
    pl_auditor_destroy(auditor);
    return status;
}
