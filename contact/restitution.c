// Impacts of rigid bodies that bounce.

#include "restitution.h"

#include <math.h>
#include <stdlib.h>

// What approaches more slowly than this many tolerances of a contact in a step does not bounce: it
// rests, and trembles by what solvers leave undone.
static const double TREMBLE = 10;
// A row asks for this part of the speed that its impact gave: it is not to be tight where nothing
// has taken from that.
static const double ASK = 1 - 1e-3;
// The rows of two bodies are solved until no impulse changes a velocity by more than this part of
// the fastest approach.
static const double SETTLED = 1e-9;

enum {
    SWEEPS = 200, // over the rows of two bodies, at most
    PASSES = 100, // over all pairs; what still approaches then is left to the step, as plastic
};

void pl_restitution_free(pl_restitution *r)
{
    void *owned[] = {r->start,  r->change, r->inverse, r->v,    r->impulse,
                     r->before, r->row,    r->pair,    r->mixed};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) pl_free(owned[i]);
    *r = (pl_restitution){0};
}

pl_status pl_restitution_begin(pl_restitution *r, int32_t first_block, int32_t n_block)
{
    double **array[6] = {&r->start, &r->change, &r->inverse, &r->v, &r->impulse, &r->before};
    for (int i = 0; i < 6; i++) {
        int64_t n = (i == 2 ? 9 : 3) * (int64_t)n_block;
        PL_TRY(pl_reserve((void **)array[i], &r->capacity[i], n, sizeof(double)));
    }
    r->first_block = first_block;
    r->n_block = n_block;
    for (int64_t i = 0; i < 3 * (int64_t)n_block; i++) r->impulse[i] = 0;
    return PL_OK;
}

// --- Rows ---

// The velocity by the blocks of a row, by v (3*n_block), in its frame.
static void row_velocity(const pl_restitution *r, const pl_problem *problem, const pl_constraint *c,
                         const double *v, double u[3])
{
    double sum[3] = {0}, turned[3];
    for (int32_t t = c->first; t < c->first + c->count; t++) {
        const pl_entry *entry = &problem->entry[t];
        const double *at = v + 3 * (int64_t)(entry->block - r->first_block);
        pl_cross(at, pl_entry_arm(problem, entry), turned);
        for (int k = 0; k < 3; k++) sum[k] += entry->w * at[k] + turned[k];
    }
    for (int k = 0; k < 3; k++) u[k] = pl_dot(c->R + 3 * k, sum);
}

// v += A^-1 of the row's impulse p, and sum (3*n_block) += the impulse. Either may be NULL.
static void add_impulse(const pl_restitution *r, const pl_problem *problem, const pl_constraint *c,
                        const double p[3], double *v, double *sum)
{
    double F[3], on[3];
    for (int k = 0; k < 3; k++) F[k] = c->R[k] * p[0] + c->R[3 + k] * p[1] + c->R[6 + k] * p[2];
    for (int32_t t = c->first; t < c->first + c->count; t++) {
        const pl_entry *entry = &problem->entry[t];
        int64_t block = entry->block - r->first_block;
        pl_cross(pl_entry_arm(problem, entry), F, on);
        for (int k = 0; k < 3; k++) on[k] += entry->w * F[k];
        const double *inverse = r->inverse + 9 * block;
        for (int k = 0; k < 3; k++) {
            if (v != NULL) v[3 * block + k] += pl_dot(inverse + 3 * k, on);
            if (sum != NULL) sum[3 * block + k] += on[k];
        }
    }
}

// What the bodies on a path bring to u: their mean velocity in the step.
static void given_velocity(const pl_boundary *boundary, const pl_row *row, const double R[9],
                           double dt, double u[3])
{
    double sum[3] = {0}, arm[3], turning[3];
    for (int k = 0; k < 4 && row->point[k] >= 0; k++) {
        int32_t p = row->point[k], body = boundary->body[p];
        if (boundary->carrier[body] != PL_CARRIER_PATH) continue;
        const double *x0 = boundary->x0 + 3 * (int64_t)p, *x1 = boundary->x1 + 3 * (int64_t)p;
        pl_subtract(row->middle, x0, arm);
        pl_cross(boundary->turn + 3 * (int64_t)body, arm, turning);
        for (int j = 0; j < 3; j++) {
            double by = x1[j] - x0[j] + (row->round ? turning[j] : 0);
            sum[j] += row->weight[k] * by / dt;
        }
    }
    for (int k = 0; k < 3; k++) u[k] = pl_dot(R + 3 * k, sum);
}

// The diagonal of W = L A^-1 L^T of a row: along its normal, and the larger eigenvalue across.
static void row_inertia(pl_restitution *r, const pl_problem *problem, const pl_constraint *c,
                        double W[2])
{
    double S[3][3];
    for (int k = 0; k < 3; k++) {
        double p[3] = {0};
        p[k] = 1;
        for (int32_t t = c->first; t < c->first + c->count; t++) {
            double *at = r->v + 3 * (int64_t)(problem->entry[t].block - r->first_block);
            at[0] = at[1] = at[2] = 0;
        }
        add_impulse(r, problem, c, p, r->v, NULL);
        row_velocity(r, problem, c, r->v, S[k]);
    }
    W[0] = S[0][0];
    W[1] = 0.5 * (S[1][1] + S[2][2]) + hypot(0.5 * (S[1][1] - S[2][2]), S[1][2]);
}

static int compare_rows(const void *p, const void *q)
{
    const pl_bouncing *a = p, *b = q;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    if (a->b != b->b) return a->b < b->b ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static pl_status list_rows(pl_restitution *r, const pl_boundary *boundary, pl_contacts *contacts)
{
    const pl_problem *problem = &contacts->blocks->problem;
    r->n_row = 0;
    for (int32_t i = 0; i < pl_contacts_count(contacts); i++) {
        pl_row *row = &contacts->row[i];
        memset(row->impact, 0, sizeof row->impact);
        row->bounce = 0;
        int32_t a = boundary->body[row->point[0]],
                b = boundary->body[row->point[row->pair.kind == PL_EDGE_EDGE ? 2 : 1]];
        double e = pl_boundary_restitution(boundary, a, b), u[3];
        if (e == 0) continue;
        PL_TRY(pl_reserve((void **)&r->row, &r->row_capacity, r->n_row + 1, sizeof *r->row));
        const pl_constraint *c = pl_contacts_block(contacts, i);
        pl_bouncing *to = &r->row[r->n_row++];
        *to = (pl_bouncing){.row = i, .e = e, .mu = c->mu, .gap = row->gap};
        to->a = PL_MIN(boundary->owner[a], boundary->owner[b]);
        to->b = PL_MAX(boundary->owner[a], boundary->owner[b]);
        given_velocity(boundary, row, c->R, problem->dt, to->given);
        row_velocity(r, problem, c, r->change, u);
        to->half = 0.5 * u[0];
        row_inertia(r, problem, c, to->W);
    }
    if (r->n_row > 1) qsort(r->row, (size_t)r->n_row, sizeof *r->row, compare_rows);
    return PL_OK;
}

static pl_status list_pairs(pl_restitution *r)
{
    r->n_pair = 0;
    for (int64_t i = 0; i < r->n_row; i++) {
        bool same = i > 0 && r->row[i].a == r->row[i - 1].a && r->row[i].b == r->row[i - 1].b;
        if (!same) {
            PL_TRY(
                pl_reserve((void **)&r->pair, &r->pair_capacity, r->n_pair + 1, sizeof *r->pair));
            r->pair[r->n_pair++] = (pl_bouncing_pair){.first = i};
        }
        r->pair[r->n_pair - 1].end = i + 1;
    }
    return PL_OK;
}

// --- One pair ---

typedef struct solving {
    pl_restitution *r;
    const pl_problem *problem;
    const pl_contacts *contacts;
} solving;

// u of a row, in the middle of the step.
static void middle_velocity(const solving *s, const pl_bouncing *b, double u[3])
{
    row_velocity(s->r, s->problem, pl_contacts_block(s->contacts, b->row), s->r->v, u);
    for (int k = 0; k < 3; k++) u[k] += b->given[k];
    u[0] += b->half;
}

static void push(const solving *s, const pl_bouncing *b, const double p[3])
{
    add_impulse(s->r, s->problem, pl_contacts_block(s->contacts, b->row), p, s->r->v, NULL);
}

// Moves the impulse of a row such that it leaves with `target`, and with friction. Returns by how
// much that changes its velocity at most.
static double improve(const solving *s, pl_bouncing *b, double target)
{
    double u[3], by[3], p[3];
    middle_velocity(s, b, u);
    p[0] = PL_MAX(0, b->p[0] - (u[0] - target) / b->W[0]);
    by[0] = p[0] - b->p[0];
    by[1] = by[2] = 0;
    push(s, b, by);
    double change = fabs(by[0]) * b->W[0];
    middle_velocity(s, b, u);
    for (int k = 1; k < 3; k++) p[k] = b->p[k] - u[k] / b->W[1];
    double length = hypot(p[1], p[2]), most = b->mu * p[0];
    for (int k = 1; k < 3; k++) {
        if (length > most) p[k] *= most / length;
        by[k] = p[k] - b->p[k];
        change = PL_MAX(change, fabs(by[k]) * b->W[1]);
    }
    by[0] = 0;
    push(s, b, by);
    memcpy(b->p, p, sizeof p);
    return change;
}

// Impulses of the rows of a pair that is hit, with `part` of the restitution, from those that they
// have: projected Gauss-Seidel.
static void solve_pair(const solving *s, const pl_bouncing_pair *pair, double part)
{
    double fastest = 0;
    for (int64_t i = pair->first; i < pair->end; i++) {
        const pl_bouncing *b = &s->r->row[i];
        if (b->hit) fastest = PL_MAX(fastest, -b->before);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0;
        for (int64_t i = pair->first; i < pair->end; i++) {
            pl_bouncing *b = &s->r->row[i];
            if (!b->hit) continue;
            change = PL_MAX(change, improve(s, b, part * b->e * PL_MAX(0, -b->before)));
        }
        if (change <= SETTLED * fastest) return;
    }
}

// The energy that impulses p have brought, between velocities before and now, for bodies on a path
// as seen by them [J].
static double gained(const solving *s, const pl_bouncing_pair *pair)
{
    double sum = 0;
    for (int64_t i = pair->first; i < pair->end; i++) {
        const pl_bouncing *b = &s->r->row[i];
        double u[3];
        if (!b->hit) continue;
        middle_velocity(s, b, u);
        sum += 0.5 * (b->p[0] * (b->before + u[0]) + b->p[1] * (b->slip[0] + u[1]) +
                      b->p[2] * (b->slip[1] + u[2]));
    }
    return sum;
}

// p of all rows := plastic + s (p - plastic), with the velocities.
static void mix(const solving *s, const pl_bouncing_pair *pair, const double *plastic, double part)
{
    for (int64_t i = pair->first; i < pair->end; i++) {
        pl_bouncing *b = &s->r->row[i];
        const double *from = plastic + 3 * (i - pair->first);
        double by[3];
        for (int k = 0; k < 3; k++) {
            double p = from[k] + part * (b->p[k] - from[k]);
            by[k] = p - b->p[k];
            b->p[k] = p;
        }
        push(s, b, by);
    }
}

// Newton's law with friction can bring in energy [Kane 1984]. Plastic impacts cannot; energy is a
// quadratic function on the way from them, so there is a farthest point that brings none.
static pl_status take_gain(const solving *s, const pl_bouncing_pair *pair, double at_one)
{
    int64_t n = pair->end - pair->first;
    PL_TRY(pl_reserve((void **)&s->r->mixed, &s->r->mixed_capacity, 6 * n, sizeof(double)));
    double *bouncing = s->r->mixed, *plastic = bouncing + 3 * n;
    for (int64_t i = 0; i < 3 * n; i++) bouncing[i] = s->r->row[pair->first + i / 3].p[i % 3];
    solve_pair(s, pair, 0);
    for (int64_t i = 0; i < 3 * n; i++) plastic[i] = s->r->row[pair->first + i / 3].p[i % 3];
    double at_none = gained(s, pair);
    mix(s, pair, bouncing, 0.5); // half-way
    double at_half = gained(s, pair);
    // a s^2 + b s + at_none = 0 with a >= 0 and at_none <= 0 < at_one has one root in [0, 1].
    double a = 2 * (at_one + at_none - 2 * at_half), b = at_one - at_none - a;
    double root = 0, square = b * b - 4 * a * at_none;
    if (at_none < 0 && square > 0) root = -2 * at_none / (b + sqrt(square));
    if (!(root > 0)) root = 0;
    for (int64_t i = 0; i < 3 * n; i++) { // from p half-way to where it is to be
        double p = plastic[i] + PL_MIN(root, 1) * (bouncing[i] - plastic[i]);
        plastic[i] = p;
    }
    mix(s, pair, plastic, 0);
    return PL_OK;
}

static pl_status collide(const solving *s, const pl_bouncing_pair *pair)
{
    double scale = 0;
    for (int64_t i = pair->first; i < pair->end; i++) {
        pl_bouncing *b = &s->r->row[i];
        double u[3];
        middle_velocity(s, b, u);
        b->before = u[0];
        memcpy(b->slip, u + 1, sizeof b->slip);
        b->hit = b->gap + s->problem->dt * (u[0] + b->half) < 0;
        memset(b->p, 0, sizeof b->p);
    }
    solve_pair(s, pair, 1);
    double gain = gained(s, pair);
    for (int64_t i = pair->first; i < pair->end; i++) {
        const pl_bouncing *b = &s->r->row[i];
        scale += fabs(b->p[0] * b->before);
    }
    if (gain > SETTLED * scale) PL_TRY(take_gain(s, pair, gain));
    for (int64_t i = pair->first; i < pair->end; i++) {
        const pl_bouncing *b = &s->r->row[i];
        double *impact = s->contacts->row[b->row].impact;
        for (int k = 0; k < 3; k++) impact[k] += b->p[k];
        add_impulse(s->r, s->problem, pl_contacts_block(s->contacts, b->row), b->p, NULL,
                    s->r->impulse);
    }
    return PL_OK;
}

// --- All of them ---

// When a pair is hit in this step, from velocities as they are now; INFINITY if it is not.
static double hit_time(const solving *s, const pl_bouncing_pair *pair)
{
    double time = INFINITY, tremble = TREMBLE * s->contacts->contact_tolerance / s->contacts->step;
    for (int64_t i = pair->first; i < pair->end; i++) {
        const pl_bouncing *b = &s->r->row[i];
        double u[3];
        middle_velocity(s, b, u);
        bool closing = u[0] - b->half < -tremble; // not by what forces add in this step
        if (!closing || b->gap + s->problem->dt * (u[0] + b->half) >= 0) continue;
        time = PL_MIN(time, PL_MAX(b->gap, 0) / (b->half - u[0]));
    }
    return time;
}

static int compare_pairs(const void *p, const void *q)
{
    const pl_bouncing_pair *a = p, *b = q;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static pl_status pass(const solving *s, bool *any)
{
    pl_restitution *r = s->r;
    *any = false;
    for (int64_t i = 0; i < r->n_pair; i++) r->pair[i].time = hit_time(s, &r->pair[i]);
    if (r->n_pair > 1) qsort(r->pair, (size_t)r->n_pair, sizeof *r->pair, compare_pairs);
    for (int64_t i = 0; i < r->n_pair && isfinite(r->pair[i].time); i++) {
        if (!isfinite(hit_time(s, &r->pair[i]))) continue; // since another one was hit
        PL_TRY(collide(s, &r->pair[i]));
        *any = true;
    }
    return PL_OK;
}

pl_status pl_restitution_solve(pl_restitution *r, const pl_boundary *boundary,
                               pl_contacts *contacts)
{
    solving s = {r, &contacts->blocks->problem, contacts};
    size_t size = 3 * (size_t)r->n_block * sizeof(double);
    PL_TRY(list_rows(r, boundary, contacts));
    PL_TRY(list_pairs(r));
    memcpy(r->v, r->start, size);
    memset(r->impulse, 0, size);
    bool any = true;
    for (int i = 0; i < PASSES && any; i++) PL_TRY(pass(&s, &any));
    for (int64_t i = 0; i < r->n_row; i++) {
        const pl_bouncing *b = &r->row[i];
        double u[3];
        if (!(contacts->row[b->row].impact[0] > 0)) continue;
        middle_velocity(&s, b, u);
        contacts->row[b->row].bounce = PL_MAX(0, ASK * (u[0] + b->half));
    }
    return PL_OK;
}
