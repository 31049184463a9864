// The contacts of a step.

#include "contacts.h"

#include <math.h>
#include <string.h>

enum { CHUNK_ROWS = 500 }; // what a thread takes at least

void pl_contacts_free(pl_contacts *c)
{
    pl_free(c->row);
    *c = (pl_contacts){0};
}

void pl_contacts_clear(pl_contacts *c)
{
    pl_blocks_cut(c->blocks, c->first);
    c->tolerance = INFINITY;
}

void pl_contacts_begin(pl_contacts *c)
{
    c->first = c->blocks->problem.n_constraint;
    c->tolerance = INFINITY;
}

// --- Tolerances ---

// Errors of a contact are at most this part of the safety distance: a step may bring features to
// 0.2 of it (detect.c), and rows hold crossings at 0.7. Of a pair that starts nearer they are at
// most the other part of its distance: a step may bring it to half of that.
static const double TOLERANCE_PART = 0.1, NEAR_PART = 0.25;

double pl_contact_tolerance(const pl_contacts *c, double safety)
{
    return PL_MIN(c->contact_tolerance, TOLERANCE_PART * safety);
}

double pl_contacts_tolerance(const pl_contacts *c)
{
    return PL_MIN(c->contact_tolerance, c->tolerance);
}

// The distance of a row's pair at the start of the step, less the radii.
static double start_distance(const pl_boundary *boundary, const pl_row *row, double radii)
{
    double q[12] = {0};
    pl_closest closest;
    for (int k = 0; k < 4 && row->point[k] >= 0; k++) {
        memcpy(q + 3 * k, boundary->x0 + 3 * (int64_t)row->point[k], 3 * sizeof *q);
    }
    pl_closest_points((pl_pair_kind)row->pair.kind, q, &closest);
    return closest.distance - radii;
}

// What error a row between two bodies may have.
static double row_tolerance(const pl_boundary *boundary, const pl_row *row, int32_t a, int32_t b)
{
    double most = TOLERANCE_PART * pl_boundary_safety(boundary, a, b);
    if (row->gap > 0) return most; // it starts no nearer
    double start = start_distance(boundary, row, pl_boundary_radii(boundary, a, b));
    double least = PL_RESOLVED * PL_MIN(boundary->size[a], boundary->size[b]);
    return PL_MIN(most, NEAR_PART * PL_MAX(start, least));
}

// --- Rows ---

// Two tangents for a normal, that change with it continuously but at one pole (Duff et al. 2017).
static void make_frame(const double n[3], double R[9])
{
    double sign = copysign(1, n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
    const double frame[9] = {n[0],     n[1],         n[2], 1 + sign * n[0] * n[0] * a,
                             sign * b, -sign * n[0], b,    sign + n[1] * n[1] * a,
                             -n[1]};
    memcpy(R, frame, sizeof frame);
}

// The unknowns that move the points. Lever arms of rigid bodies go to the middle between the
// surfaces: along the normal that is the same as to the body's own point, and the impulses on both
// bodies then lie on one line. Returns how many.
static int32_t list_terms(const pl_boundary *boundary, const pl_row *row, pl_term *term)
{
    int32_t n = 0;
    for (int i = 0; i < 4; i++) {
        if (row->point[i] < 0 || row->weight[i] == 0) continue;
        pl_anchor anchor = pl_boundary_anchor(boundary, row->point[i], row->middle);
        n += pl_anchor_terms(&anchor, row->weight[i], term + n);
    }
    return n;
}

// The middle of the closest points becomes that of the two surfaces, which are a radius away from
// them: the normal leads from the second to the first.
static void move_to_surfaces(const pl_boundary *boundary, const double normal[3], int32_t first,
                             int32_t second, pl_row *row)
{
    double by = 0.5 * (boundary->radius[second] - boundary->radius[first]);
    row->round = pl_boundary_radii(boundary, first, second) > 0 && first != second;
    if (!row->round) return;
    for (int k = 0; k < 3; k++) row->middle[k] += by * normal[k];
}

pl_status pl_contacts_add(pl_contacts *c, const pl_boundary *boundary, const pl_feature_pair *pair,
                          const pl_closest *closest, double gap, bool remembered, bool found)
{
    int64_t n = pl_contacts_count(c);
    PL_TRY(pl_reserve((void **)&c->row, &c->row_capacity, n + 1, sizeof *c->row));
    pl_row *row = &c->row[n];
    *row = (pl_row){.pair = *pair, .gap = gap};
    pl_pair_points(boundary, pair, row->point);
    memcpy(row->weight, closest->weight, sizeof row->weight);
    bool given = true;
    for (int i = 0; i < 4 && row->point[i] >= 0; i++) {
        int32_t p = row->point[i];
        const double *x = boundary->x0 + 3 * (int64_t)p;
        for (int k = 0; k < 3; k++) row->middle[k] += 0.5 * fabs(row->weight[i]) * x[k];
        given = given && (row->weight[i] == 0 ||
                          pl_boundary_is_given(boundary, c->blocks->problem.prescribed, p));
    }
    if (given) return PL_OK;

    int last = 3;
    while (row->point[last] < 0) last--;
    int32_t first_body = boundary->body[row->point[0]],
            last_body = boundary->body[row->point[last]];
    move_to_surfaces(boundary, closest->normal, first_body, last_body, row);
    c->tolerance = PL_MIN(c->tolerance, row_tolerance(boundary, row, first_body, last_body));
    pl_constraint contact = {.mu = pl_boundary_friction(boundary, first_body, last_body)};
    make_frame(closest->normal, contact.R);
    pl_term term[4 * PL_ANCHOR_TERMS];
    int32_t n_term = list_terms(boundary, row, term);
    return pl_blocks_add(c->blocks, pair, found, remembered, &contact, NULL, n_term, term);
}

typedef struct update_loop {
    pl_contacts *c;
    const pl_boundary *boundary;
    const double *v;
} update_loop;

// What friction sees of a surface that is round: it turns about the point p that carries it, which
// for a sphere is all that it does where it rolls. By how much the surface at the row's middle
// moves farther than p, as velocity, beyond what the terms of the row have.
static void add_turning(const pl_boundary *boundary, const pl_row *row, int k, double dt,
                        const double *v, const double own[3], double beyond[3])
{
    int32_t p = row->point[k], body = boundary->body[p];
    const double *x = boundary->x0 + 3 * (int64_t)p;
    double by[3] = {0};
    if (boundary->carrier[body] == PL_CARRIER_RIGID) {
        pl_anchor anchor = pl_boundary_anchor(boundary, p, x);
        double u[3];
        pl_anchor_velocity(&anchor, v, u);
        pl_subtract(own, u, by);
    } else {
        double arm[3];
        pl_subtract(row->middle, x, arm);
        pl_cross(boundary->turn + 3 * (int64_t)body, arm, by);
        for (int j = 0; j < 3; j++) by[j] /= dt;
    }
    for (int j = 0; j < 3; j++) beyond[j] += row->weight[k] * by[j];
}

// u = R^T sum w_i v_i - c is to be the relative velocity over the step, with what the bodies move
// beyond the straight motion of their unknowns, and with the gap spread over the step.
static void update_rows(void *context, int64_t first, int64_t last)
{
    const update_loop *l = context;
    const pl_contacts *c = l->c;
    const pl_boundary *boundary = l->boundary;
    double dt = c->blocks->problem.dt;
    for (int64_t i = first; i < last; i++) {
        const pl_row *row = &c->row[i];
        pl_constraint *contact = pl_contacts_block(c, i);
        double beyond[3] = {0}, turning[3] = {0};
        for (int k = 0; k < 4; k++) {
            int32_t p = row->point[k];
            if (p < 0 || boundary->carrier[boundary->body[p]] == PL_CARRIER_VERTICES) continue;
            double u[3];
            pl_anchor anchor = pl_boundary_anchor(boundary, p, row->middle); // as the row has it
            pl_anchor_velocity(&anchor, l->v, u);
            for (int j = 0; j < 3; j++) {
                int64_t at = 3 * (int64_t)p + j;
                beyond[j] += row->weight[k] * ((boundary->x1[at] - boundary->x0[at]) / dt - u[j]);
            }
            if (row->round) add_turning(boundary, row, k, dt, l->v, u, turning);
        }
        for (int k = 0; k < 3; k++) contact->c[k] = -pl_dot(contact->R + 3 * k, beyond);
        contact->c[0] += PL_MAX(-row->gap / dt, row->bounce > 0 ? row->bounce : -INFINITY);
        for (int k = 1; k < 3 && row->round; k++) {
            contact->c[k] -= pl_dot(contact->R + 3 * k, turning);
        }
        for (int k = 1; k < 3; k++) contact->c[k] -= pl_dot(contact->R + 3 * k, row->before) / dt;
    }
}

void pl_contacts_update(pl_contacts *c, const pl_boundary *boundary, const double *v)
{
    pl_loop(pl_contacts_count(c), CHUNK_ROWS, update_rows, &(update_loop){c, boundary, v});
}
