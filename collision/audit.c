#include "audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pl_audit_options pl_audit_options_default(void)
{
    return (pl_audit_options){.distance = true};
}

// --- Making ---

static pl_status check_list(int32_t b, const char *what, int32_t n, int corners,
                            const int32_t *vertex, int32_t n_vert)
{
    if (n < 0 || (n > 0 && vertex == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: body %d: %d %ss%s", (int)b, (int)n, what,
                       n > 0 ? " in a NULL array" : "");
    }
    for (int64_t i = 0; i < corners * (int64_t)n; i++) {
        if (vertex[i] >= 0 && vertex[i] < n_vert) continue;
        return pl_fail(PL_ERROR_ARGUMENT, "audit: body %d: %s %lld: vertex %d of %d", (int)b, what,
                       (long long)(i / corners), (int)vertex[i], (int)n_vert);
    }
    return PL_OK;
}

static pl_status check_body(const pl_audit_body *body, int32_t b, int32_t n_vert)
{
    if (body->n_face < 0 || (body->n_face > 0 && body->face == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: body %d: %d faces%s", (int)b, (int)body->n_face,
                       body->n_face > 0 ? " in a NULL array" : "");
    }
    for (int64_t i = 0; i < 3 * (int64_t)body->n_face; i++) {
        if (body->face[i] < 0 || body->face[i] >= n_vert) {
            return pl_fail(PL_ERROR_ARGUMENT, "audit: body %d: face %lld: vertex %d of %d", (int)b,
                           (long long)(i / 3), (int)body->face[i], (int)n_vert);
        }
    }
    PL_TRY(check_list(b, "edge", body->n_edge, 2, body->edge, n_vert));
    PL_TRY(check_list(b, "point", body->n_point, 1, body->point, n_vert));
    if (!(body->radius >= 0 && isfinite(body->radius))) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: body %d: radius: %g is not 0 m or above", (int)b,
                       body->radius);
    }
    return PL_OK;
}

static pl_status check_arguments(int32_t n_vert, int32_t n_body, const pl_audit_body *bodies,
                                 const pl_audit_options *options)
{
    if (n_vert < 0 || n_vert > PL_MESH_MAX || n_body < 0 || (n_body > 0 && bodies == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: %d vertices, %d bodies%s", (int)n_vert,
                       (int)n_body, bodies == NULL ? " in a NULL array" : "");
    }
    if (pl_threads_check(options->threads) != PL_OK) {
        pl_fail_prefix("audit");
        return PL_ERROR_ARGUMENT;
    }
    int64_t n_face = 0;
    for (int32_t b = 0; b < n_body; b++) {
        PL_TRY(check_body(&bodies[b], b, n_vert));
        n_face += bodies[b].n_face;
    }
    if (n_face > PL_MESH_MAX) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: more than %d faces", PL_MESH_MAX);
    }
    if (options->n_exclude < 0 || (options->n_exclude > 0 && options->exclude == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "audit: exclude: %d pairs%s", (int)options->n_exclude,
                       options->n_exclude > 0 ? " in a NULL array" : "");
    }
    for (int64_t i = 0; i < 2 * (int64_t)options->n_exclude; i++) {
        if (options->exclude[i] < 0 || options->exclude[i] >= n_body) {
            return pl_fail(PL_ERROR_ARGUMENT, "audit: exclude: pair %lld: body %d of %d",
                           (long long)(i / 2), (int)options->exclude[i], (int)n_body);
        }
    }
    return PL_OK;
}

static uint64_t pair_key(int32_t a, int32_t b)
{
    return (uint64_t)PL_MIN(a, b) << 32 | (uint64_t)PL_MAX(a, b);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t s = *(const uint64_t *)a, t = *(const uint64_t *)b;
    return (s > t) - (s < t);
}

static bool is_excluded(const void *user, int32_t a, int32_t b)
{
    const pl_audit *audit = user;
    uint64_t key = pair_key(a, b);
    if (audit->filter != NULL && audit->filter(audit->user, a, b)) return true;
    return bsearch(&key, audit->excluded, (size_t)audit->n_excluded, sizeof key, compare_keys) !=
           NULL;
}

void pl_audit_exclude(pl_audit *audit, pl_pair_filter *filter, const void *user)
{
    audit->filter = filter;
    audit->user = user;
    audit->pairs.excluded = is_excluded;
    audit->pairs.user = audit;
}

static pl_status copy_excluded(pl_audit *audit, const pl_audit_options *options)
{
    audit->n_excluded = options->n_exclude;
    audit->excluded = pl_alloc(options->n_exclude, sizeof *audit->excluded);
    if (audit->excluded == NULL) return PL_ERROR_MEMORY;
    for (int64_t i = 0; i < audit->n_excluded; i++) {
        audit->excluded[i] = pair_key(options->exclude[2 * i], options->exclude[2 * i + 1]);
    }
    qsort(audit->excluded, (size_t)audit->n_excluded, sizeof *audit->excluded, compare_keys);
    return PL_OK;
}

static pl_status copy_bodies(pl_audit *audit, int32_t n_vert, const pl_audit_body *bodies)
{
    int64_t n_face = 0;
    for (int32_t b = 0; b < audit->n_body; b++) n_face += bodies[b].n_face;
    PL_TRY(pl_mesh_alloc(n_vert, n_face, 0, &audit->mesh));
    audit->body = pl_alloc(n_face, sizeof *audit->body);
    audit->first_face = pl_alloc((int64_t)audit->n_body + 1, sizeof *audit->first_face);
    if (audit->body == NULL || audit->first_face == NULL) return PL_ERROR_MEMORY;
    int32_t f = 0;
    for (int32_t b = 0; b < audit->n_body; b++) {
        int32_t n = bodies[b].n_face;
        if (n > 0) memcpy(audit->mesh->face + 3 * (int64_t)f, bodies[b].face, 12 * (size_t)n);
        for (int32_t i = 0; i < n; i++) audit->body[f + i] = b;
        audit->first_face[b] = f;
        f += n;
    }
    audit->first_face[audit->n_body] = f;
    return PL_OK;
}

static pl_status build(pl_audit *audit, int32_t n_vert, const pl_audit_body *bodies,
                       const pl_audit_options *options)
{
    PL_TRY(copy_bodies(audit, n_vert, bodies));
    PL_TRY(copy_excluded(audit, options));
    PL_TRY(pl_pairs_build(audit->mesh, audit->body, audit->n_body, &audit->pairs));
    if (audit->n_excluded > 0) {
        audit->pairs.excluded = is_excluded;
        audit->pairs.user = audit;
    }
    if (pl_audit_is_round(audit->n_body, bodies)) {
        PL_TRY(pl_audit_round_build(audit->n_body, bodies, &audit->round));
    }
    return pl_audit_find_parts(audit);
}

static const pl_audit_pair no_pair = {{-1, -1}, {-1, -1}};

pl_status pl_audit_create(int32_t n_vert, int32_t n_body, const pl_audit_body *bodies,
                          const pl_audit_options *options, pl_audit **out)
{
    PL_REQUIRE(out);
    *out = NULL;
    pl_audit_options defaults = pl_audit_options_default();
    if (options == NULL) options = &defaults;
    PL_TRY(check_arguments(n_vert, n_body, bodies, options));
    pl_audit *audit = pl_alloc_zero(1, sizeof *audit);
    if (audit == NULL) return PL_ERROR_MEMORY;
    audit->n_body = n_body;
    audit->distance = options->distance;
    audit->threads = options->threads;
    audit->nearest = no_pair;
    pl_status status = build(audit, n_vert, bodies, options);
    if (status != PL_OK) {
        pl_audit_destroy(audit);
        return status;
    }
    *out = audit;
    return PL_OK;
}

void pl_audit_destroy(pl_audit *audit)
{
    if (audit == NULL) return;
    pl_pairs_free(&audit->pairs);
    pl_audit_round_free(&audit->round);
    pl_mesh_destroy(audit->mesh);
    pl_free(audit->body);
    pl_free(audit->first_face);
    pl_free(audit->excluded);
    pl_free(audit->kind);
    pl_free(audit->closed);
    pl_free(audit->probe);
    pl_free(audit->meeting);
    pl_free(audit->inside);
    pl_free(audit);
}

// --- Running ---

static pl_status take_positions(pl_audit *audit, const double *x)
{
    int64_t n = 3 * (int64_t)audit->mesh->n_vert;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return pl_fail(PL_ERROR_NUMERICS, "audit: vertex %lld: coordinate %d is not finite",
                           (long long)(i / 3), (int)(i % 3));
        }
    }
    if (n > 0) memcpy(audit->mesh->x, x, (size_t)n * sizeof *x);
    return PL_OK;
}

int pl_audit_pair_compare(const pl_audit_pair *p, const pl_audit_pair *q)
{
    for (int k = 0; k < 2; k++) {
        if (p->body[k] != q->body[k]) return p->body[k] < q->body[k] ? -1 : 1;
    }
    for (int k = 0; k < 2; k++) {
        if (p->face[k] != q->face[k]) return p->face[k] < q->face[k] ? -1 : 1;
    }
    return 0;
}

static int compare_pairs(const void *a, const void *b)
{
    return pl_audit_pair_compare(a, b);
}

// Faces that meet (*n) are within any radii too: each pair once, in order.
static pl_status merge_round(pl_audit *audit, int64_t *n)
{
    const pl_audit_round *r = &audit->round;
    int64_t all = *n + r->n_pair, kept = 0;
    if (r->n_pair == 0) return PL_OK;
    PL_TRY(pl_reserve((void **)&audit->meeting, &audit->meeting_capacity, all,
                      sizeof *audit->meeting));
    pl_audit_pair *pair = audit->meeting;
    memcpy(pair + *n, r->pair, (size_t)r->n_pair * sizeof *pair);
    qsort(pair, (size_t)all, sizeof *pair, compare_pairs);
    for (int64_t i = 0; i < all; i++) {
        if (kept > 0 && compare_pairs(&pair[kept - 1], &pair[i]) == 0) continue;
        pair[kept++] = pair[i];
    }
    *n = PL_MIN(kept, PL_INTERSECTIONS_MAX);
    return PL_OK;
}

static pl_status find_intersections(pl_audit *audit, pl_audit_report *out)
{
    PL_TRY(pl_pairs_find(&audit->pairs));
    PL_TRY(pl_audit_find_round(audit));
    int64_t n = audit->pairs.n_pair;
    PL_TRY(
        pl_reserve((void **)&audit->meeting, &audit->meeting_capacity, n, sizeof *audit->meeting));
    for (int64_t i = 0; i < n; i++) {
        const int32_t *pair = audit->pairs.pair + 2 * i;
        audit->meeting[i] = pl_audit_pair_of(audit, pair[0], pair[1]);
    }
    PL_TRY(merge_round(audit, &n));
    out->n_intersections = (int32_t)n;
    out->intersections = audit->meeting;
    out->complete = !audit->pairs.more && !audit->round.more;
    return PL_OK;
}

// Faces of different bodies that meet have the distance 0 (and would be many to choose from).
static void measure(pl_audit *audit, pl_audit_report *out)
{
    for (int32_t i = 0; i < out->n_intersections; i++) {
        if (out->intersections[i].body[0] == out->intersections[i].body[1]) continue;
        out->distance = 0;
        out->nearest = out->intersections[i];
        return;
    }
    if (audit->pairs.more) return;
    out->distance = audit->round.n > 0 ? pl_audit_round_gap(audit, &audit->nearest)
                                       : pl_audit_measure(audit, &audit->nearest);
    out->nearest = audit->nearest;
}

static pl_status run(pl_audit *audit, const double *x, pl_audit_report *out)
{
    *out = (pl_audit_report){.distance = NAN, .nearest = no_pair};
    PL_TRY(take_positions(audit, x));
    pl_pairs_fit(&audit->pairs);
    PL_TRY(find_intersections(audit, out));
    if (out->complete) {
        PL_TRY(pl_audit_find_inside(audit));
        out->n_inside = (int32_t)audit->n_inside;
        out->inside = audit->inside;
        out->complete = !audit->more_inside;
    }
    if (audit->distance) measure(audit, out);
    out->clean = out->n_intersections == 0 && out->n_inside == 0;
    return PL_OK;
}

pl_status pl_audit_run(pl_audit *audit, const double *x, pl_audit_report *out)
{
    PL_REQUIRE(audit);
    if (audit->mesh->n_vert > 0) PL_REQUIRE(x);
    PL_REQUIRE(out);
    int32_t before = pl_threads_enter(audit->threads);
    pl_status status = run(audit, x, out);
    pl_threads_set(before);
    return status;
}
