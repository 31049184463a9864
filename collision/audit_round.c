// The audit of bodies with a radius: no element of another body is within the sum of the radii.
//
// Elements are faces, edges and points. Those of bodies with a radius are held against all others
// whose boxes, thickened by the radii, overlap. Distances in doubles decide all but those that are
// within rounding of the radii; exact arithmetic decides these.

#include "audit.h"
#include "../meshes/within.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// Distances of elements are computed to this part of the largest coordinate and the radii, with
// room: collision/README.md.
static const double ROUNDING = 1e-12;

bool pl_audit_is_round(int32_t n_body, const pl_audit_body *body)
{
    for (int32_t b = 0; b < n_body; b++) {
        if (body[b].radius > 0 || body[b].n_edge > 0 || body[b].n_point > 0) return true;
    }
    return false;
}

void pl_audit_round_free(pl_audit_round *r)
{
    pl_tree_free(&r->tree);
    pl_free(r->element);
    pl_free(r->centre);
    pl_free(r->pair);
    *r = (pl_audit_round){0};
}

pl_status pl_audit_round_build(int32_t n_body, const pl_audit_body *body, pl_audit_round *out)
{
    int64_t n = 0;
    for (int32_t b = 0; b < n_body; b++) {
        n += (int64_t)body[b].n_face + body[b].n_edge + body[b].n_point;
    }
    if (n > PL_MESH_MAX) return pl_fail(PL_ERROR_ARGUMENT, "audit: too many elements");
    out->n = (int32_t)n;
    out->element = pl_alloc(n, sizeof *out->element);
    out->centre = pl_alloc(n, sizeof *out->centre);
    if (out->element == NULL || out->centre == NULL) return PL_ERROR_MEMORY;
    pl_audit_element *e = out->element;
    for (int32_t b = 0; b < n_body; b++) {
        const int32_t *list[3] = {body[b].point, body[b].edge, body[b].face};
        const int32_t count[3] = {body[b].n_point, body[b].n_edge, body[b].n_face};
        int32_t index = 0;
        for (int kind = 2; kind >= 0; kind--) { // faces first
            for (int64_t i = 0; i < count[kind]; i++, e++, index++) {
                *e = (pl_audit_element){
                    .n = kind + 1, .body = b, .index = index, .radius = body[b].radius};
                for (int k = 0; k < 3; k++) {
                    e->vertex[k] = list[kind][(kind + 1) * i + PL_MIN(k, kind)];
                }
            }
        }
    }
    return pl_tree_alloc(out->n, &out->tree);
}

// --- Boxes ---

static pl_box thick_box(const pl_audit *audit, const pl_audit_element *e)
{
    pl_box box = pl_face_box(audit->mesh->x, e->vertex);
    for (int k = 0; k < 3; k++) { // rounded outward
        box.lo[k] = nextafter(box.lo[k] - e->radius, -INFINITY);
        box.hi[k] = nextafter(box.hi[k] + e->radius, INFINITY);
    }
    return box;
}

static void fit(pl_audit *audit)
{
    pl_audit_round *r = &audit->round;
    r->largest = 0;
    for (int64_t i = 0; i < 3 * (int64_t)audit->mesh->n_vert; i++) {
        r->largest = fmax(r->largest, fabs(audit->mesh->x[i]));
    }
    for (int32_t i = 0; i < r->n; i++) {
        pl_box box = thick_box(audit, &r->element[i]);
        r->centre[i] = pl_box_centre(&box, i);
    }
    pl_tree_arrange(&r->tree, r->centre);
    for (int32_t i = 0; i < r->n; i++) {
        r->tree.box[r->tree.leaf[i]] = thick_box(audit, &r->element[i]);
    }
    pl_tree_join(&r->tree);
}

// --- Pairs ---

typedef struct search {
    pl_audit *audit;
    int32_t element;
    pl_status status;
} search;

static bool are_within(const pl_audit *audit, const pl_audit_element *e, const pl_audit_element *f)
{
    double a[3][3], b[3][3];
    for (int k = 0; k < 9; k++) {
        a[k / 3][k % 3] = audit->mesh->x[3 * (int64_t)e->vertex[k / 3] + k % 3];
        b[k / 3][k % 3] = audit->mesh->x[3 * (int64_t)f->vertex[k / 3] + k % 3];
    }
    double radii = e->radius + f->radius;
    double rounding = ROUNDING * (audit->round.largest + radii) + DBL_MIN;
    double from[3] = {a[0][0], a[0][1], a[0][2]}, x[3][3], y[3][3];
    for (int k = 0; k < 9; k++) { // seen from one of them
        x[k / 3][k % 3] = a[k / 3][k % 3] - from[k % 3];
        y[k / 3][k % 3] = b[k / 3][k % 3] - from[k % 3];
    }
    double distance = sqrt(pl_audit_square(x, y));
    if (distance < radii - rounding) return true;
    // Of what crosses, that is not the distance; faces that do are found with all others.
    bool may_cross = e->n + f->n == 5;
    if (distance > radii + rounding && !may_cross) return false;
    return pl_within(e->n, a, f->n, b, e->radius, f->radius);
}

static bool visit(void *user, int32_t item)
{
    search *s = user;
    pl_audit_round *r = &s->audit->round;
    const pl_audit_element *e = &r->element[s->element], *f = &r->element[item];
    if (e->body == f->body || pl_bodies_excluded(&s->audit->pairs, e->body, f->body)) return true;
    bool other_is_round = f->radius > 0 || f->n < 3;
    if (other_is_round && item < s->element) return true; // found from there
    if (!are_within(s->audit, e, f)) return true;
    if (r->n_pair == PL_INTERSECTIONS_MAX) {
        r->more = true;
        return false;
    }
    s->status = pl_reserve((void **)&r->pair, &r->pair_capacity, r->n_pair + 1, sizeof *r->pair);
    if (s->status != PL_OK) return false;
    bool swap = f->body < e->body;
    const pl_audit_element *first = swap ? f : e, *second = swap ? e : f;
    r->pair[r->n_pair++] =
        (pl_audit_pair){{first->body, second->body}, {first->index, second->index}};
    return true;
}

pl_status pl_audit_find_round(pl_audit *audit)
{
    pl_audit_round *r = &audit->round;
    r->n_pair = 0;
    r->more = false;
    if (r->n == 0) return PL_OK;
    fit(audit);
    for (int32_t i = 0; i < r->n && !r->more; i++) {
        const pl_audit_element *e = &r->element[i];
        if (e->radius == 0 && e->n == 3) continue;
        search s = {audit, i, PL_OK};
        pl_box box = thick_box(audit, e);
        pl_tree_search(&r->tree, &box, visit, &s);
        if (s.status != PL_OK) return s.status;
    }
    return PL_OK;
}

// --- The smallest gap ---

typedef struct gap_search {
    const pl_audit *audit;
    double least;
    pl_audit_pair nearest;
} gap_search;

static double box_gap(const pl_box *a, const pl_box *b)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(b->lo[k] - a->hi[k], a->lo[k] - b->hi[k]);
        if (gap > 0) square += gap * gap;
    }
    return sqrt(square);
}

static bool shares_vertex(const pl_audit_element *e, const pl_audit_element *f)
{
    for (int k = 0; k < 9; k++) {
        if (e->vertex[k / 3] == f->vertex[k % 3]) return true;
    }
    return false;
}

static void try_elements(gap_search *s, int32_t i, int32_t j)
{
    const pl_audit_element *e = &s->audit->round.element[i], *f = &s->audit->round.element[j];
    if (e->body > f->body) {
        const pl_audit_element *swap = e;
        e = f;
        f = swap;
    }
    if (e->body == f->body || pl_bodies_excluded(&s->audit->pairs, e->body, f->body)) return;
    if (shares_vertex(e, f)) return;
    double a[3][3], b[3][3];
    const double *x = s->audit->mesh->x, *from = x + 3 * (int64_t)e->vertex[0];
    for (int k = 0; k < 9; k++) {
        a[k / 3][k % 3] = x[3 * (int64_t)e->vertex[k / 3] + k % 3] - from[k % 3];
        b[k / 3][k % 3] = x[3 * (int64_t)f->vertex[k / 3] + k % 3] - from[k % 3];
    }
    double gap = fmax(sqrt(pl_audit_square(a, b)) - (e->radius + f->radius), 0);
    const pl_audit_pair pair = {{e->body, f->body}, {e->index, f->index}};
    if (gap > s->least) return;
    if (gap == s->least && pl_audit_pair_compare(&s->nearest, &pair) <= 0) return;
    s->least = gap;
    s->nearest = pair;
}

// Below two nodes of the tree, or one (i = j). A little beyond the least, so that of several pairs
// with the same gap the first is found, whatever the tree.
static void descend(gap_search *s, int32_t i, int32_t j)
{
    const pl_tree *t = &s->audit->round.tree;
    if (box_gap(&t->box[i], &t->box[j]) > s->least * (1 + 1e-12)) return;
    if (i >= t->n && j >= t->n) {
        if (i != j) try_elements(s, t->item[i - t->n], t->item[j - t->n]);
    } else if (i == j) {
        descend(s, 2 * i, 2 * i);
        descend(s, 2 * i + 1, 2 * i + 1);
        descend(s, 2 * i, 2 * i + 1);
    } else if (j >= t->n || (i < t->n && pl_box_extent(&t->box[i]) > pl_box_extent(&t->box[j]))) {
        descend(s, 2 * i, j);
        descend(s, 2 * i + 1, j);
    } else {
        descend(s, i, 2 * j);
        descend(s, i, 2 * j + 1);
    }
}

double pl_audit_round_gap(const pl_audit *audit, pl_audit_pair *nearest)
{
    gap_search s = {audit, INFINITY, {{-1, -1}, {-1, -1}}};
    descend(&s, 1, 1);
    *nearest = s.nearest;
    return s.least;
}
