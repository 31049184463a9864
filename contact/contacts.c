// The contacts of a step.

#include "contacts.h"

#include <math.h>
#include <string.h>

enum { CHUNK_ROWS = 500 }; // what a thread takes at least

void pl_contacts_free(pl_contacts *c)
{
    pl_problem_free(&c->problem);
    pl_free(c->row);
    pl_free(c->f);
    pl_free(c->memory);
    pl_free(c->saved);
    pl_free(c->scratch);
    *c = (pl_contacts){0};
}

void pl_contacts_clear(pl_contacts *c)
{
    pl_problem_clear(&c->problem);
    c->recent = 0;
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

// --- Pairs ---

int pl_pair_compare(const pl_feature_pair *a, const pl_feature_pair *b)
{
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return 0;
}

// Pairs mostly come in order: from the last place on, in strides that double, and between two.
static const pl_remembered *find_memory(pl_contacts *c, const pl_feature_pair *pair)
{
    int64_t lo = 0, hi = c->n_memory, stride = 1, next = PL_MIN(c->recent, hi);
    for (; next < hi && pl_pair_compare(&c->memory[next].pair, pair) < 0; stride *= 2) {
        lo = next + 1;
        next = PL_MIN(next + stride, hi);
    }
    hi = next;
    while (lo < hi) {
        int64_t mid = (lo + hi) / 2;
        int order = pl_pair_compare(&c->memory[mid].pair, pair);
        if (order < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    c->recent = lo;
    bool found = lo < c->n_memory && pl_pair_compare(&c->memory[lo].pair, pair) == 0;
    return found ? &c->memory[lo] : NULL;
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
// closest points: along the normal that is the same as to the body's own point, and the impulses on
// both bodies then lie on one line. Returns how many.
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

void pl_contacts_impulse(const pl_contacts *c, int32_t i, double impulse[3])
{
    const double *f = c->f + 3 * (int64_t)i, *R = c->problem.constraint[i].R;
    for (int k = 0; k < 3; k++) impulse[k] = f[0] * R[k] + f[1] * R[3 + k] + f[2] * R[6 + k];
}

// f := `scale` times the vector F, in the contact's frame and moved into its cone.
static void set_in_cone(const pl_constraint *contact, double scale, const double F[3], double f[3])
{
    for (int k = 0; k < 3; k++) f[k] = scale * pl_dot(contact->R + 3 * k, F);
    f[0] = PL_MAX(f[0], 0);
    double slip = hypot(f[1], f[2]), most = contact->mu * f[0];
    double shorter = slip > most ? most / slip : 1;
    f[1] *= shorter;
    f[2] *= shorter;
}

void pl_contacts_set_impulse(pl_contacts *c, int32_t i, const double impulse[3])
{
    set_in_cone(&c->problem.constraint[i], 1, impulse, c->f + 3 * (int64_t)i);
}

// The impulse to start from.
static void guess_impulse(pl_contacts *c, const pl_feature_pair *pair, const pl_constraint *contact,
                          double f[3])
{
    const pl_remembered *last = find_memory(c, pair);
    memset(f, 0, 3 * sizeof *f);
    if (last != NULL) set_in_cone(contact, c->problem.dt, last->force, f);
}

pl_status pl_contacts_add(pl_contacts *c, const pl_boundary *boundary, const pl_feature_pair *pair,
                          const pl_closest *closest, double gap, bool remembered, bool found)
{
    int64_t n = c->problem.n_constraint;
    PL_TRY(pl_reserve((void **)&c->row, &c->row_capacity, n + 1, sizeof *c->row));
    PL_TRY(pl_reserve((void **)&c->f, &c->f_capacity, 3 * (n + 1), sizeof *c->f));
    pl_row *row = &c->row[n];
    *row = (pl_row){.pair = *pair, .gap = gap, .found = found};
    pl_pair_points(boundary, pair, row->point);
    memcpy(row->weight, closest->weight, sizeof row->weight);
    bool given = true;
    for (int i = 0; i < 4 && row->point[i] >= 0; i++) {
        int32_t p = row->point[i];
        const double *x = boundary->x0 + 3 * (int64_t)p;
        for (int k = 0; k < 3; k++) row->middle[k] += 0.5 * fabs(row->weight[i]) * x[k];
        given = given &&
                (row->weight[i] == 0 || pl_boundary_is_given(boundary, c->problem.prescribed, p));
    }
    if (given) return PL_OK;

    int last = 3;
    while (row->point[last] < 0) last--;
    int32_t first_body = boundary->body[row->point[0]],
            last_body = boundary->body[row->point[last]];
    c->tolerance = PL_MIN(c->tolerance, row_tolerance(boundary, row, first_body, last_body));
    double friction = boundary->friction[first_body] * boundary->friction[last_body];
    pl_constraint contact = {.mu = sqrt(friction)};
    make_frame(closest->normal, contact.R);
    pl_term term[4 * PL_ANCHOR_TERMS];
    int32_t n_term = list_terms(boundary, row, term);
    if (remembered) {
        guess_impulse(c, pair, &contact, c->f + 3 * n);
    } else {
        memset(c->f + 3 * n, 0, 3 * sizeof *c->f);
    }
    return pl_problem_add(&c->problem, &contact, n_term, term);
}

typedef struct update_loop {
    pl_contacts *c;
    const pl_boundary *boundary;
    const double *v;
} update_loop;

// u = R^T sum w_i v_i - c is to be the relative velocity over the step, with what the bodies move
// beyond the straight motion of their unknowns, and with the gap spread over the step.
static void update_rows(void *context, int64_t first, int64_t last)
{
    const update_loop *l = context;
    const pl_contacts *c = l->c;
    const pl_boundary *boundary = l->boundary;
    double dt = c->problem.dt;
    for (int64_t i = first; i < last; i++) {
        const pl_row *row = &c->row[i];
        pl_constraint *contact = &c->problem.constraint[i];
        double beyond[3] = {0};
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
        }
        for (int k = 0; k < 3; k++) contact->c[k] = -pl_dot(contact->R + 3 * k, beyond);
        contact->c[0] -= row->gap / dt;
        for (int k = 1; k < 3; k++) contact->c[k] -= pl_dot(contact->R + 3 * k, row->before) / dt;
    }
}

void pl_contacts_update(pl_contacts *c, const pl_boundary *boundary, const double *v)
{
    pl_loop(c->problem.n_constraint, CHUNK_ROWS, update_rows, &(update_loop){c, boundary, v});
}

// --- Memory ---

static int compare_memory(const void *a, const void *b)
{
    const pl_remembered *p = a, *q = b;
    return pl_pair_compare(&p->pair, &q->pair);
}

// A pair may have several rows: their forces are added, in the order of the rows.
static int64_t merge_pairs(pl_remembered *memory, int64_t n)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (kept > 0 && compare_memory(&memory[kept - 1], &memory[i]) == 0) {
            for (int k = 0; k < 3; k++) memory[kept - 1].force[k] += memory[i].force[k];
            memory[kept - 1].found |= memory[i].found;
        } else {
            memory[kept++] = memory[i];
        }
    }
    return kept;
}

// Merges the runs start .. mid - 1 and mid .. end - 1 of a into b.
static void merge_runs(const pl_remembered *a, int64_t start, int64_t mid, int64_t end,
                       pl_remembered *b)
{
    for (int64_t i = start, j = mid, k = start; k < end; k++) {
        bool left = j == end || (i < mid && compare_memory(&a[i], &a[j]) <= 0);
        b[k] = left ? a[i++] : a[j++];
    }
}

// Sorts by merging neighbouring runs: stable, and without a heap call. Rows come in order, but for
// those of hits behind them.
static void sort_memory(pl_remembered *a, pl_remembered *b, int64_t n)
{
    int64_t sorted = n > 0 ? 1 : 0;
    while (sorted < n && compare_memory(&a[sorted - 1], &a[sorted]) <= 0) sorted++;
    if (sorted == n) return;
    for (int64_t width = 1; width < n - sorted; width *= 2) {
        for (int64_t start = sorted; start < n; start += 2 * width) {
            merge_runs(a, start, PL_MIN(start + width, n), PL_MIN(start + 2 * width, n), b);
        }
        memcpy(a + sorted, b + sorted, (size_t)(n - sorted) * sizeof *a);
    }
    merge_runs(a, 0, sorted, n, b);
    memcpy(a, b, (size_t)n * sizeof *a);
}

pl_status pl_contacts_remember(pl_contacts *c)
{
    int64_t n = c->problem.n_constraint, used = 0;
    PL_TRY(pl_reserve((void **)&c->memory, &c->memory_capacity, n, sizeof *c->memory));
    PL_TRY(pl_reserve((void **)&c->scratch, &c->scratch_capacity, n, sizeof *c->scratch));
    for (int64_t i = 0; i < n; i++) {
        const double *f = c->f + 3 * i;
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        pl_remembered *m = &c->memory[used++];
        m->pair = c->row[i].pair;
        m->found = c->row[i].found;
        pl_contacts_impulse(c, (int32_t)i, m->force);
        for (int k = 0; k < 3; k++) m->force[k] /= c->problem.dt;
    }
    sort_memory(c->memory, c->scratch, used);
    c->n_memory = merge_pairs(c->memory, used);
    return PL_OK;
}

pl_status pl_contacts_save(pl_contacts *c)
{
    PL_TRY(pl_reserve((void **)&c->saved, &c->saved_capacity, c->n_memory, sizeof *c->saved));
    if (c->n_memory > 0) memcpy(c->saved, c->memory, (size_t)c->n_memory * sizeof *c->saved);
    c->n_saved = c->n_memory;
    return PL_OK;
}

void pl_contacts_go_back(pl_contacts *c)
{
    if (c->n_saved > 0) memcpy(c->memory, c->saved, (size_t)c->n_saved * sizeof *c->saved);
    c->n_memory = c->n_saved;
}
