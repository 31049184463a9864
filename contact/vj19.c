// The outer loop as VJ19 prints it.

#include "vj19.h"
#include "hits.h"
#include "local_minimum.h"
#include "../solvers/rows.h"

#include <math.h>
#include <string.h>

// cos 15 degrees [VJ19, 3.3].
static const double TURN_COSINE = 0.96592582628906829;
// A pair that starts closer than it should is pushed back within this time [s], but by no more than
// the part of one step. Here rows come only with hits, that is after the distance is lost, and the
// loop is there to be compared: it does not look at what can be had, as detect.c does.
static const double RECOVERY = 0.1, RECOVERY_MAX = 0.2;
// The part of the way up to there is found to 2^-12.
enum { TURN_HALVINGS = 12 };

void pl_vj19_free(pl_vj19 *p)
{
    pl_free(p->constraint);
    pl_free(p->u);
    *p = (pl_vj19){0};
}

// --- Constraints ---

static void gather(const pl_boundary *boundary, const pl_feature_pair *pair, const double *x,
                   double q[12])
{
    int32_t point[4];
    pl_pair_points(boundary, pair, point);
    memset(q, 0, 12 * sizeof *q);
    for (int k = 0; k < 4 && point[k] >= 0; k++) {
        memcpy(q + 3 * k, x + 3 * (int64_t)point[k], 3 * sizeof *q);
    }
}

// The vector between the points of the weights, from the second feature to the first.
static void between(const double weight[4], const double q[12], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < 12; i++) out[i % 3] += weight[i / 3] * q[i];
}

double pl_vj19_approach(pl_pair_kind kind, const double *now, double *q, pl_closest *closest)
{
    double from[12], normal[3], low = 0, high = 1, w = 1;
    memcpy(from, q, sizeof from);
    memcpy(normal, closest->normal, sizeof normal);
    for (int i = 0; i <= TURN_HALVINGS && low < high; i++) {
        double at[12];
        pl_closest there;
        for (int k = 0; k < 12; k++) at[k] = (1 - w) * from[k] + w * now[k];
        pl_closest_points(kind, at, &there);
        if (pl_dot(there.normal, normal) > TURN_COSINE) {
            low = w;
            memcpy(q, at, sizeof at);
            *closest = there;
        } else {
            high = w;
        }
        w = 0.5 * (low + high);
    }
    return low;
}

static pl_status append(pl_vj19 *p, const pl_vj19_constraint *c)
{
    PL_TRY(pl_reserve((void **)&p->constraint, &p->constraint_capacity, p->n + 1,
                      sizeof *p->constraint));
    p->constraint[p->n++] = *c;
    return PL_OK;
}

static pl_vj19_constraint *find(const pl_vj19 *p, const pl_feature_pair *pair)
{
    for (int64_t i = 0; i < p->n; i++) {
        const pl_feature_pair *q = &p->constraint[i].pair;
        if (q->kind == pair->kind && q->a == pair->a && q->b == pair->b) return &p->constraint[i];
    }
    return NULL;
}

// The rows of all constraints, which start from their last impulses.
static pl_status make_rows(pl_vj19 *p, const pl_boundary *boundary, pl_contacts *contacts)
{
    PL_TRY(pl_reserve((void **)&p->u, &p->u_capacity, 3 * (contacts->first + p->n), sizeof *p->u));
    pl_contacts_clear(contacts);
    for (int64_t i = 0; i < p->n; i++) {
        pl_vj19_constraint *c = &p->constraint[i];
        int32_t n = pl_contacts_count(contacts);
        double q[12], apart[3];
        gather(boundary, &c->pair, boundary->x0, q);
        between(c->closest.weight, q, apart);
        double gap = pl_dot(c->closest.normal, apart) - c->keep;
        PL_TRY(pl_contacts_add(contacts, boundary, &c->pair, &c->closest, gap, false, false));
        c->row = pl_contacts_count(contacts) > n ? n : -1;
        if (c->row < 0) continue;
        memcpy(contacts->row[n].before, c->before, sizeof c->before);
        pl_contacts_set_impulse(contacts, n, c->impulse);
    }
    return PL_OK;
}

// --- The start of a step ---

// [Alg. 1, line 6] The paper removes what has slid off its face or edge. On the border between two
// faces that would remove both contacts, for ever; a local minimum of the distance speaks for them.
static bool slid_off(const pl_boundary *boundary, const double *x, const pl_vj19_constraint *c,
                     const pl_closest *closest)
{
    const pl_instant at = {x, x, 0};
    return !pl_local_minimum(boundary, &at, &c->pair, closest);
}

// The distance that a pair, whose closest points at the start are given, is to have at the end.
static double distance_to_keep(const pl_contacts *contacts, const pl_boundary *boundary,
                               const pl_feature_pair *pair, pl_closest *start, pl_spacing *spacing)
{
    double room = pl_detect_room(boundary, pair, false, start, spacing);
    if (room < 0) room *= PL_MIN(RECOVERY_MAX, contacts->blocks->problem.dt / RECOVERY);
    return start->distance - room;
}

pl_status pl_vj19_start(pl_vj19 *p, pl_detection *d, pl_boundary *boundary, pl_contacts *contacts)
{
    PL_TRY(pl_candidates_find(&d->candidates, boundary));
    p->n = 0;
    for (int64_t i = 0; i < contacts->blocks->n_memory; i++) {
        const pl_remembered *last = &contacts->blocks->memory[i];
        if (last->id.kind >= PL_BLOCK_OTHER) break; // no contact, nor any behind it
        pl_vj19_constraint c = {.pair = last->id};
        pl_spacing spacing;
        gather(boundary, &c.pair, boundary->x0, c.q);
        pl_closest_points((pl_pair_kind)c.pair.kind, c.q, &c.closest);
        if (slid_off(boundary, boundary->x0, &c, &c.closest)) continue;
        c.keep = distance_to_keep(contacts, boundary, &c.pair, &c.closest, &spacing);
        for (int k = 0; k < 3; k++) c.impulse[k] = contacts->blocks->problem.dt * last->force[k];
        PL_TRY(append(p, &c));
    }
    return make_rows(p, boundary, contacts);
}

// --- After a solve ---

// The impulses of the solve; constraints without a row have none.
static void note_impulses(pl_vj19 *p, const pl_contacts *contacts)
{
    for (int64_t i = 0; i < p->n; i++) {
        pl_vj19_constraint *c = &p->constraint[i];
        if (c->row >= 0) pl_contacts_impulse(contacts, c->row, c->impulse);
    }
}

static bool pushes(const pl_vj19_constraint *c, const pl_contacts *contacts)
{
    return c->row >= 0 && pl_contacts_f(contacts, c->row)[0] > 0;
}

// [VJ19, 5.2] A constraint at the place of the impact. Friction counts from there on: c_t is the
// way up to it [VJ19, 3.2]. A pair that has one gets no second, but is linearized anew.
static pl_status take_hit(pl_vj19 *p, const pl_contacts *contacts, const pl_boundary *boundary,
                          const pl_feature_pair *pair, const pl_impact *impact)
{
    pl_vj19_constraint c = {.pair = *pair, .hit = true, .closest = impact->closest};
    pl_vj19_constraint *old = find(p, pair);
    double q0[12], q1[12], apart[3];
    pl_spacing spacing;
    gather(boundary, pair, boundary->x0, q0);
    gather(boundary, pair, boundary->x1, q1);
    for (int k = 0; k < 12; k++) c.q[k] = q0[k] + impact->time * (q1[k] - q0[k]);
    if (old != NULL) {
        pl_vj19_approach((pl_pair_kind)pair->kind, c.q, old->q, &old->closest);
        return PL_OK;
    }
    pl_closest start;
    pl_closest_points((pl_pair_kind)pair->kind, q0, &start);
    double keep = distance_to_keep(contacts, boundary, pair, &start, &spacing);
    between(c.closest.weight, q0, apart);
    double along = pl_dot(c.closest.normal, apart);
    double most = spacing.safety * contacts->blocks->problem.dt /
                  contacts->step; // no faster in a halved step
    c.keep = along - PL_MAX(along - keep, -most);
    for (int k = 0; k < 3; k++) c.before[k] = apart[k] - along * c.closest.normal[k];
    return append(p, &c);
}

static pl_status take_hits(pl_vj19 *p, const pl_detection *d, const pl_contacts *contacts,
                           const pl_boundary *boundary, int32_t *hits)
{
    pl_feature_pair pair;
    pl_impact impact;
    *hits = 0;
    for (int64_t next = 0; pl_detect_next_hit(d, boundary, &next, &pair, &impact);) {
        PL_TRY(take_hit(p, contacts, boundary, &pair, &impact));
        (*hits)++;
    }
    return PL_OK;
}

// [Alg. 1, line 27] The paper asks for 0 < C < contact_tolerance at the end of the step. The solver
// keeps an active row only to contact_tolerance itself, and C is what is left beyond the safety
// distance, which may be wanting at the start: so it is the difference to what the solver believes,
// keep + dt u_n, that must be below contact_tolerance.
static bool is_true(const pl_vj19_constraint *c, double by, const pl_closest *closest,
                    double contact_tolerance)
{
    double believed = c->keep + by;
    return fabs(closest->distance - believed) < contact_tolerance;
}

// Holds the constraints that push against the geometry at the end of the step. Of those that slide
// off in the very step in which they were hit none is removed: most would be hit again, for ever.
static void revise(pl_vj19 *p, const double *v, const pl_boundary *boundary,
                   const pl_contacts *contacts, int32_t *changes)
{
    double contact_tolerance = pl_contacts_tolerance(contacts), dt = contacts->blocks->problem.dt;
    pl_rows_multiply(&contacts->blocks->problem, NULL, true, v, p->u);
    int64_t kept = 0;
    for (int64_t i = 0; i < p->n; i++) {
        pl_vj19_constraint *c = &p->constraint[i];
        bool stays = true;
        if (pushes(c, contacts)) {
            double q[12];
            pl_closest closest;
            gather(boundary, &c->pair, boundary->x1, q);
            pl_closest_points((pl_pair_kind)c->pair.kind, q, &closest);
            stays = c->hit || !slid_off(boundary, boundary->x1, c, &closest);
            double by = dt * p->u[3 * (int64_t)(contacts->first + c->row)];
            bool agrees = stays && is_true(c, by, &closest, contact_tolerance);
            *changes += !agrees;
            if (!agrees) pl_vj19_approach((pl_pair_kind)c->pair.kind, q, c->q, &c->closest);
        }
        if (stays) p->constraint[kept++] = *c;
    }
    p->n = kept;
}

pl_status pl_vj19_check(pl_vj19 *p, pl_detection *d, const double *v, pl_boundary *boundary,
                        pl_contacts *contacts, int32_t *changes)
{
    note_impulses(p, contacts);
    PL_TRY(pl_detect_way(d, boundary));
    PL_TRY(take_hits(p, d, contacts, boundary, changes));
    if (*changes == 0) revise(p, v, boundary, contacts, changes);
    return *changes > 0 ? make_rows(p, boundary, contacts) : PL_OK;
}
