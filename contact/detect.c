// Which pairs of features get a row, and the proof that a step hits nothing.

#include "detect.h"
#include "local_minimum.h"
#include "../collision/surfaces.h"

#include <math.h>
#include <string.h>

// A search is made for this many steps of motion, so that the velocities that are solved for seldom
// leave its boxes [VJ19, 5.1], nor do those of the next steps, but for fewer where that would be
// far; and for this much more room around each point, since what is at rest trembles. In parts of
// the smallest h.
static const double SWEEP = 8, SWEEP_MOST = 0.2, ROOM = 0.06;
// A step may bring features this near, in parts of the safety distance: that is the room which rows
// with their linear motion have for what is not.
static const double IMPACT = 0.2;
// A pair that starts closer than it should is pushed back within this time [s], but by no more than
// the part of one step: the push stays in the velocities, and a faster one throws bodies apart.
static const double RECOVERY = 0.1, RECOVERY_MAX = 0.2;

// Two hits contradict each other if they push a point that bears more than this share of either
// in directions whose cosine is below the negative of that.
static const double CONTRADICT_WEIGHT = 0.3, CONTRADICT_COSINE = 0.5;

// Bounds of distances are taken a little lower than they are computed, which rounding may need.
static const double BOUND_SLACK = 1e-9;
// A candidate is left out if it is far by this many times what its points can move in their boxes.
// 1 is enough for the proof that nothing hits; twice that keeps the rows that a step might want,
// but for pairs that cross their boxes from end to end.
static const double FREEDOM = 2;
// What bodies may drift in a step, beyond the first guess: this many times what their points do by
// that guess, and this part of h.
static const double AHEAD = 3, AHEAD_ROOM = 0.01;

enum {
    DETECT_SERIAL = 2000, // fewer candidates are tested by one thread
    ROWS_PER_PAIR = 6,    // more in one step do not help
};

void pl_detection_free(pl_detection *d)
{
    pl_free(d->from);
    pl_free(d->to);
    pl_free(d->pair);
    pl_free(d->distance);
    pl_free(d->since);
    pl_free(d->near);
    pl_free(d->ahead);
    pl_free(d->step);
    pl_boxes_free(&d->boxes);
    pl_free(d->flag);
    pl_free(d->hit);
    *d = (pl_detection){0};
}

// --- Candidates by number, in the order of pairs ---

static int64_t count(const pl_candidates *c)
{
    return c->n_vertex_vertex + c->n_vertex_edge + c->n_vertex_face + c->n_edge_edge;
}

static pl_feature_pair pair_at(const pl_candidates *c, int64_t i)
{
    const int64_t n[PL_EDGE_EDGE] = {c->n_vertex_vertex, c->n_vertex_edge, c->n_vertex_face};
    const int32_t *list[] = {c->vertex_vertex, c->vertex_edge, c->vertex_face, c->edge_edge};
    int kind = PL_VERTEX_VERTEX;
    while (kind < PL_EDGE_EDGE && i >= n[kind]) i -= n[kind++];
    return (pl_feature_pair){kind, list[kind][2 * i], list[kind][2 * i + 1]};
}

static void gather(const int32_t point[4], const double *x, double q[12])
{
    for (int k = 0; k < 4 && point[k] >= 0; k++) {
        memcpy(q + 3 * k, x + 3 * (int64_t)point[k], 3 * sizeof *q);
    }
}

// How many points the first feature has.
static int first_points(int kind)
{
    return kind == PL_EDGE_EDGE ? 2 : 1;
}

// At most this much nearer come the features on the way from q0 to q1 (3*4 each): the sum of the
// longest displacements of either, after what they have in common is taken off.
static double approach(int kind, const int32_t point[4], const double *q0, const double *q1)
{
    double by[12], mean[3] = {0}, most[2] = {0};
    int n = 0;
    for (; n < 4 && point[n] >= 0; n++) {
        for (int k = 0; k < 3; k++) {
            by[3 * n + k] = q1[3 * n + k] - q0[3 * n + k];
            mean[k] += by[3 * n + k];
        }
    }
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double d = by[3 * i + k] - mean[k] / n;
            square += d * d;
        }
        int side = i >= first_points(kind);
        most[side] = PL_MAX(most[side], square);
    }
    return sqrt(most[0]) + sqrt(most[1]);
}

// The bodies of a pair.
static void bodies_of(const pl_boundary *boundary, const pl_feature_pair *pair,
                      const int32_t point[4], int32_t *a, int32_t *b)
{
    *a = boundary->body[point[0]];
    *b = boundary->body[point[first_points(pair->kind)]];
}

double pl_detect_room(const pl_boundary *boundary, const pl_feature_pair *pair, bool upright,
                      pl_closest *closest, double *safety)
{
    int32_t point[4], a, b;
    double q[12] = {0}, apart = 0;
    if (upright) pl_upright_normal(boundary, boundary->x0, pair, closest);
    pl_pair_points(boundary, pair, point);
    bodies_of(boundary, pair, point, &a, &b);
    gather(point, boundary->x0, q);
    for (int i = 0; i < 12; i++) apart += closest->normal[i % 3] * closest->weight[i / 3] * q[i];
    *safety = pl_boundary_safety(boundary, a, b);
    return apart - pl_boundary_radii(boundary, a, b) - *safety;
}

// --- The start of a step ---

static pl_status reserve(pl_detection *d, int64_t n)
{
    PL_TRY(pl_reserve((void **)&d->pair, &d->pair_capacity, n, sizeof *d->pair));
    PL_TRY(pl_reserve((void **)&d->distance, &d->distance_capacity, n, sizeof *d->distance));
    PL_TRY(pl_reserve((void **)&d->near, &d->near_capacity, n, sizeof *d->near));
    return pl_reserve((void **)&d->flag, &d->flag_capacity, n, sizeof *d->flag);
}

static void list_all(pl_detection *d)
{
    d->n_near = d->n;
    for (int64_t i = 0; i < d->n; i++) d->near[i] = (int32_t)i;
}

// Candidates that no search speaks for as a whole are all kept.
static pl_status keep_all(pl_detection *d)
{
    d->n = d->n_candidate = count(&d->candidates);
    PL_TRY(reserve(d, d->n));
    for (int64_t i = 0; i < d->n; i++) {
        d->pair[i] = pair_at(&d->candidates, i);
        d->distance[i] = -1;
    }
    return PL_OK;
}

// How far a point can get from where it was searched for, before it leaves its box.
static double freedom(const pl_detection *d, double room, int32_t p)
{
    double by[3];
    pl_subtract(d->to + 3 * (int64_t)p, d->from + 3 * (int64_t)p, by);
    return sqrt(pl_dot(by, by)) + 0.5 * sqrt(3) * room;
}

// Could the pair come near while its points stay in their boxes?
static bool may_come_near(const pl_detection *d, const pl_boundary *boundary, double room,
                          const pl_feature_pair *pair, float *distance)
{
    int32_t point[4], a, b;
    double q[12] = {0}, most[2] = {0};
    pl_closest closest;
    pl_pair_points(boundary, pair, point);
    bodies_of(boundary, pair, point, &a, &b);
    gather(point, d->from, q);
    pl_closest_points((pl_pair_kind)pair->kind, q, &closest);
    *distance = PL_MAX(pl_round_below(closest.distance), 0);
    for (int k = 0; k < 4 && point[k] >= 0; k++) {
        int side = k >= first_points(pair->kind);
        most[side] = PL_MAX(most[side], freedom(d, room, point[k]));
    }
    double near = pl_boundary_radii(boundary, a, b) +
                  (1 + PL_REACH / PL_SAFETY) * pl_boundary_safety(boundary, a, b);
    return (1 - BOUND_SLACK) * closest.distance <= near + FREEDOM * (most[0] + most[1]);
}

// Leaves out the candidates that stay far: most are neighbours on one surface. Some at a time, so
// that no memory is taken for what is left out.
static pl_status keep_near(pl_detection *d, const pl_boundary *boundary, double room)
{
    enum { SOME = 8192 };
    float distance[SOME];
    bool keep[SOME];
    d->n = 0;
    d->n_candidate = count(&d->candidates);
    for (int64_t first = 0; first < d->n_candidate; first += SOME) {
        int64_t n = PL_MIN(SOME, d->n_candidate - first);
#pragma omp parallel for schedule(static) if (n > DETECT_SERIAL)
        for (int64_t i = 0; i < n; i++) {
            pl_feature_pair pair = pair_at(&d->candidates, first + i);
            keep[i] = may_come_near(d, boundary, room, &pair, &distance[i]);
        }
        PL_TRY(reserve(d, d->n + n));
        for (int64_t i = 0; i < n; i++) {
            if (!keep[i]) continue;
            d->pair[d->n] = pair_at(&d->candidates, first + i);
            d->distance[d->n++] = distance[i];
        }
    }
    return PL_OK;
}

pl_status pl_detect_restore(pl_detection *d, const pl_boundary *boundary)
{
    double room = ROOM * boundary->smallest;
    d->current = false; // if it fails
    PL_TRY(pl_surfaces_search(boundary->surfaces, d->from, d->to, room, &d->candidates));
    PL_TRY(keep_near(d, boundary, room));
    d->current = true;
    return PL_OK;
}

pl_status pl_detect_reserve(pl_detection *d, const pl_boundary *boundary)
{
    int64_t n = 3 * (int64_t)boundary->n;
    int64_t n_body = boundary->n_body;
    PL_TRY(pl_reserve((void **)&d->since, &d->since_capacity, n_body, sizeof *d->since));
    PL_TRY(pl_reserve((void **)&d->step, &d->step_capacity, n_body, sizeof *d->step));
    PL_TRY(pl_reserve((void **)&d->ahead, &d->ahead_capacity, n_body, sizeof *d->ahead));
    PL_TRY(pl_reserve((void **)&d->from, &d->from_capacity, n, sizeof *d->from));
    return pl_reserve((void **)&d->to, &d->to_capacity, n, sizeof *d->to);
}

// What is fast is searched for fewer steps: for a part of h, but two steps at least.
static void shorten_motion(pl_boundary *boundary)
{
    double most = SWEEP_MOST * boundary->smallest;
#pragma omp parallel for schedule(static) if (boundary->n > DETECT_SERIAL)
    for (int64_t p = 0; p < boundary->n; p++) {
        double *x1 = boundary->x1 + 3 * p, by[3];
        const double *x0 = boundary->x0 + 3 * p;
        pl_subtract(x1, x0, by);
        double length = sqrt(pl_dot(by, by));
        if (length <= most) continue;
        double share = PL_MAX(most / length, 2 / SWEEP);
        for (int k = 0; k < 3; k++) x1[k] = x0[k] + share * by[k];
    }
}

// A new search, for the steps to come.
static pl_status search(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                        const double *v, double dt, double t)
{
    size_t size = 3 * (size_t)boundary->n * sizeof(double);
    PL_TRY(pl_detect_reserve(d, boundary));
    pl_boundary_extrapolate(boundary, world, v, dt, t, SWEEP);
    shorten_motion(boundary);
    memcpy(d->from, boundary->x0, size);
    memcpy(d->to, boundary->x1, size);
    PL_TRY(pl_detect_restore(d, boundary));
    pl_boundary_extrapolate(boundary, world, v, dt, t, 1);
    return PL_OK;
}

// Adds what the candidates lack for the way from x0 to x1. *same if nothing.
static pl_status extend(pl_detection *d, const pl_boundary *boundary, bool *same)
{
    int32_t grown;
    bool current = d->current;
    d->current = false; // if it fails, or finds something
    PL_TRY(
        pl_surfaces_extend(boundary->surfaces, boundary->x0, boundary->x1, &d->candidates, &grown));
    *same = grown == 0 && count(&d->candidates) == d->n_candidate;
    if (*same) {
        d->current = current;
        return PL_OK;
    }
    PL_TRY(keep_all(d));
    list_all(d);
    return PL_OK;
}

// --- What is far ---

// Of the points first .. last - 1, from x to y.
static pl_drift find_drift(int32_t first, int32_t last, const double *x, const double *y)
{
    pl_drift drift = {0};
    double square = 0;
    for (int64_t i = 3 * (int64_t)first; i < 3 * (int64_t)last; i++) {
        drift.mean[i % 3] += (y[i] - x[i]) / (last - first);
    }
    for (int64_t i = 3 * (int64_t)first; i < 3 * (int64_t)last; i += 3) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            double by = y[i + k] - x[i + k] - drift.mean[k];
            sum += by * by;
        }
        square = PL_MAX(square, sum);
    }
    drift.most = sqrt(square);
    return drift;
}

// The points of a body stand together.
static void find_drifts(const pl_boundary *boundary, const double *x, const double *y,
                        pl_drift *drift)
{
#pragma omp parallel for schedule(dynamic, 8) if (boundary->n > DETECT_SERIAL)
    for (int32_t b = 0; b < boundary->n_body; b++) {
        drift[b] = find_drift(boundary->first[b], boundary->first[b + 1], x, y);
    }
}

// No features of the two bodies come nearer by more.
static double nearer(const pl_drift *drift, int32_t a, int32_t b)
{
    double apart[3];
    pl_subtract(drift[a].mean, drift[b].mean, apart);
    return sqrt(pl_dot(apart, apart)) + drift[a].most + drift[b].most;
}

// The bodies of a candidate.
static void bodies_at(const pl_boundary *boundary, const pl_feature_pair *pair, int32_t *a,
                      int32_t *b)
{
    int32_t p = pair->a, q = pair->b;
    if (pair->kind == PL_EDGE_EDGE) p = boundary->edge[2 * (int64_t)p];
    if (pair->kind == PL_EDGE_EDGE || pair->kind == PL_VERTEX_EDGE) {
        q = boundary->edge[2 * (int64_t)q];
    }
    if (pair->kind == PL_VERTEX_FACE) q = boundary->face[3 * (int64_t)q];
    *a = boundary->body[p];
    *b = boundary->body[q];
}

// Are the features of candidate i, at x0, farther apart than their radii and `reach` times h, and
// also than what they may come nearer by in the step? By the distance that they had when they were
// searched; false if that is not known.
static bool is_far(const pl_detection *d, const pl_boundary *boundary, const pl_drift *step,
                   int64_t i, double reach)
{
    int32_t a, b;
    if (d->distance[i] < 0) return false;
    bodies_at(boundary, &d->pair[i], &a, &b);
    double by = nearer(d->since, a, b) + nearer(step, a, b);
    double near =
        pl_boundary_radii(boundary, a, b) + reach / PL_SAFETY * pl_boundary_safety(boundary, a, b);
    return (1 - BOUND_SLACK) * (double)d->distance[i] - (1 + BOUND_SLACK) * by > near;
}

// All candidates, or those that are not far as long as bodies drift as they are thought to and a
// little more.
static void list_near(pl_detection *d, const pl_boundary *boundary)
{
    for (int32_t b = 0; b < boundary->n_body; b++) {
        double size = PL_MIN(boundary->size[b], boundary->largest);
        d->ahead[b] = d->step[b];
        d->ahead[b].most = AHEAD * d->step[b].most + AHEAD_ROOM * size;
    }
#pragma omp parallel for schedule(static) if (d->n > DETECT_SERIAL)
    for (int64_t i = 0; i < d->n; i++) {
        d->flag[i] = !is_far(d, boundary, d->ahead, i, PL_SAFETY + PL_REACH);
    }
    d->n_near = 0;
    for (int64_t i = 0; i < d->n; i++) {
        if (d->flag[i]) d->near[d->n_near++] = (int32_t)i;
    }
}

// Do bodies drift no farther than the list of near ones was made for?
static bool as_thought(const pl_detection *d, const pl_boundary *boundary)
{
    for (int32_t b = 0; b < boundary->n_body; b++) {
        double by[3];
        pl_subtract(d->step[b].mean, d->ahead[b].mean, by);
        if (sqrt(pl_dot(by, by)) + d->step[b].most > d->ahead[b].most) return false;
    }
    return true;
}

pl_status pl_detect_candidates(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                               const double *v, double dt, double t)
{
    pl_boundary_start(boundary, world);
    pl_boundary_extrapolate(boundary, world, v, dt, t, 1);
    bool serves = d->current && pl_surfaces_hold(boundary->surfaces, boundary->x0, boundary->x1);
    if (!serves) PL_TRY(search(d, world, boundary, v, dt, t));
    find_drifts(boundary, d->from, boundary->x0, d->since);
    find_drifts(boundary, boundary->x0, boundary->x1, d->step);
    list_near(d, boundary);
    return PL_OK;
}

// A pair on its way.
typedef struct passage {
    pl_feature_pair pair;
    int32_t point[4], a, b;           // its points and bodies
    double start[12], x0[12], x1[12]; // its points when the candidates were searched, and now
} passage;

static void load(const pl_detection *d, const pl_boundary *boundary, int64_t i, passage *p)
{
    *p = (passage){.pair = d->pair[i]};
    pl_pair_points(boundary, &p->pair, p->point);
    bodies_of(boundary, &p->pair, p->point, &p->a, &p->b);
    gather(p->point, d->from, p->start);
    gather(p->point, boundary->x0, p->x0);
    gather(p->point, boundary->x1, p->x1);
}

// A bound from below of the distance that the pair has at q (12): what it had when it was first
// asked for, less the approach since. Nearly all candidates are told to be far by it, for a third
// of the price of a distance; two of them may ask at once only for different i.
static double distance_at_least(pl_detection *d, int64_t i, const passage *p, const double *q)
{
    if (d->distance[i] < 0) {
        pl_closest closest;
        pl_closest_points((pl_pair_kind)p->pair.kind, p->start, &closest);
        d->distance[i] = PL_MAX(pl_round_below(closest.distance), 0);
    }
    double by = approach(p->pair.kind, p->point, p->start, q);
    return (1 - BOUND_SLACK) * (double)d->distance[i] - (1 + BOUND_SLACK) * by;
}

// Is the pair to get a row?
static bool wants_row(pl_detection *d, const pl_boundary *boundary, int64_t i)
{
    passage p;
    pl_closest closest;
    load(d, boundary, i, &p);
    double near = pl_boundary_radii(boundary, p.a, p.b) +
                  (1 + PL_REACH / PL_SAFETY) * pl_boundary_safety(boundary, p.a, p.b) +
                  approach(p.pair.kind, p.point, p.x0, p.x1);
    if (distance_at_least(d, i, &p, p.x0) > near) return false;
    pl_closest_points((pl_pair_kind)p.pair.kind, p.x0, &closest);
    return closest.distance <= near && pl_local_minimum(boundary, boundary->x0, &p.pair, &closest);
}

// An array of no elements may be NULL, which memset does not take.
static void clear_flags(pl_detection *d)
{
    if (d->n > 0) memset(d->flag, 0, (size_t)d->n);
}

static pl_status test_start(pl_detection *d, const pl_boundary *boundary)
{
    PL_TRY(pl_boxes_set(&d->boxes, boundary, PL_BOXES_START, PL_SAFETY + PL_REACH));
    clear_flags(d);
#pragma omp parallel for schedule(static) if (d->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < d->n_near; k++) {
        int32_t i = d->near[k];
        d->flag[i] = pl_boxes_overlap(&d->boxes, &d->pair[i]) && wants_row(d, boundary, i);
    }
    return PL_OK;
}

double pl_detect_soften(double room, double dt)
{
    return room < 0 ? room * PL_MIN(RECOVERY_MAX, dt / RECOVERY) : room;
}

pl_status pl_detect_start(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                          const double *v, double dt, double t, pl_contacts *contacts)
{
    PL_TRY(pl_detect_candidates(d, world, boundary, v, dt, t));
    PL_TRY(test_start(d, boundary));
    for (int64_t i = 0; i < d->n; i++) {
        if (!d->flag[i]) continue;
        pl_feature_pair pair = d->pair[i];
        int32_t point[4];
        double q[12] = {0}, safety;
        pl_closest closest;
        pl_pair_points(boundary, &pair, point);
        gather(point, boundary->x0, q);
        pl_closest_points((pl_pair_kind)pair.kind, q, &closest);
        double gap = pl_detect_room(boundary, &pair, true, &closest, &safety);
        gap = pl_detect_soften(gap, dt);
        PL_TRY(pl_contacts_add(contacts, world, boundary, &pair, &closest, gap, true));
    }
    return PL_OK;
}

// --- The way to the end of a step ---

// The distance below which a pair counts as hit: near its surfaces, but not where it starts.
static double impact_distance(const pl_boundary *boundary, int32_t a, int32_t b, double start)
{
    double radii = pl_boundary_radii(boundary, a, b);
    if (start <= radii) return 0.9 * start;
    return PL_MIN(radii + IMPACT * pl_boundary_safety(boundary, a, b), 0.5 * (radii + start));
}

static bool find_impact(pl_detection *d, const pl_boundary *boundary, int64_t i, pl_impact *impact)
{
    passage p;
    pl_closest start;
    load(d, boundary, i, &p);
    double by = (1 + BOUND_SLACK) * approach(p.pair.kind, p.point, p.x0, p.x1);
    double most = pl_boundary_radii(boundary, p.a, p.b) +
                  IMPACT * pl_boundary_safety(boundary, p.a, p.b); // of the separation below
    if (distance_at_least(d, i, &p, p.x0) - by > most) return false;
    pl_closest_points((pl_pair_kind)p.pair.kind, p.x0, &start);
    double separation = impact_distance(boundary, p.a, p.b, start.distance);
    if (start.distance - by > separation) return false;
    return pl_ccd((pl_pair_kind)p.pair.kind, p.x0, p.x1, separation, impact);
}

static pl_status test_way(pl_detection *d, const pl_boundary *boundary)
{
    PL_TRY(pl_boxes_set(&d->boxes, boundary, PL_BOXES_WAY, IMPACT * PL_SAFETY));
    find_drifts(boundary, boundary->x0, boundary->x1, d->step);
    if (!as_thought(d, boundary)) list_all(d);
    clear_flags(d);
    int64_t n_hit = 0;
#pragma omp parallel for schedule(static) reduction(+ : n_hit) if (d->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < d->n_near; k++) {
        int32_t i = d->near[k];
        pl_impact impact;
        d->flag[i] = pl_boxes_overlap(&d->boxes, &d->pair[i]) &&
                     !is_far(d, boundary, d->step, i, IMPACT * PL_SAFETY) &&
                     find_impact(d, boundary, i, &impact);
        n_hit += d->flag[i];
    }
    d->n_hit = n_hit;
    return PL_OK;
}

static int count_rows(const pl_contacts *contacts, const pl_feature_pair *pair)
{
    int n = 0;
    for (int32_t i = 0; i < contacts->problem.n_contact; i++) {
        const pl_feature_pair *p = &contacts->row[i].pair;
        n += p->kind == pair->kind && p->a == pair->a && p->b == pair->b;
    }
    return n;
}

double pl_detect_clamp(double room, double safety, const pl_world *world)
{
    return PL_MAX(room, -safety * world->dt / world->options.dt); // no faster in a halved step
}

// A row at the place of the impact: its normal and weights are those there, its gap is that of the
// same points at the start. Where an upright normal has not kept the pair apart, the true one must.
static pl_status add_hit(const pl_world *world, const pl_boundary *boundary,
                         const pl_feature_pair *pair, const pl_impact *impact,
                         pl_contacts *contacts)
{
    int n = count_rows(contacts, pair);
    if (n >= ROWS_PER_PAIR) return PL_OK;
    pl_closest closest = impact->closest;
    double safety, gap = pl_detect_room(boundary, pair, n == 0, &closest, &safety);
    gap = pl_detect_clamp(gap, safety, world);
    return pl_contacts_add(contacts, world, boundary, pair, &closest, gap, n == 0);
}

pl_status pl_detect_way(pl_detection *d, pl_boundary *boundary)
{
    bool same;
    PL_TRY(test_way(d, boundary));
    if (d->n_hit > 0) return PL_OK;
    PL_TRY(extend(d, boundary, &same));
    return same ? PL_OK : test_way(d, boundary);
}

bool pl_detect_hit(pl_detection *d, const pl_boundary *boundary, int64_t i, pl_feature_pair *pair,
                   pl_impact *impact)
{
    if (!d->flag[i]) return false;
    *pair = d->pair[i];
    return find_impact(d, boundary, i, impact);
}

// Lists the hits in the order of their times, those of one time in that of the candidates.
static pl_status list_hits(pl_detection *d, const pl_boundary *boundary)
{
    d->n_hit = 0;
    for (int64_t i = 0; i < d->n; i++) {
        pl_hit hit;
        if (!pl_detect_hit(d, boundary, i, &hit.pair, &hit.impact)) continue;
        PL_TRY(pl_reserve((void **)&d->hit, &d->hit_capacity, d->n_hit + 1, sizeof *d->hit));
        int64_t k = d->n_hit++;
        for (; k > 0 && d->hit[k - 1].impact.time > hit.impact.time; k--) d->hit[k] = d->hit[k - 1];
        d->hit[k] = hit;
    }
    return PL_OK;
}

// Does the hit push a point against the way in which a row from `first` on does?
static bool contradicts(const pl_boundary *boundary, const pl_hit *hit, const pl_contacts *contacts,
                        int32_t first)
{
    int32_t point[4];
    const double *n = hit->impact.closest.normal;
    pl_pair_points(boundary, &hit->pair, point);
    for (int32_t i = first; i < contacts->problem.n_contact; i++) {
        const pl_row *row = &contacts->row[i];
        double along = pl_dot(n, contacts->problem.contact[i].R);
        for (int k = 0; k < 16; k++) {
            double a = hit->impact.closest.weight[k / 4], b = row->weight[k % 4];
            if (point[k / 4] < 0 || point[k / 4] != row->point[k % 4]) continue;
            if (fabs(a) > CONTRADICT_WEIGHT && fabs(b) > CONTRADICT_WEIGHT &&
                copysign(along, a * b * along) < -CONTRADICT_COSINE) {
                return true;
            }
        }
    }
    return false;
}

pl_status pl_detect_hits(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                         pl_contacts *contacts, int32_t *hits)
{
    int32_t first = contacts->problem.n_contact;
    *hits = 0;
    PL_TRY(pl_detect_way(d, boundary));
    PL_TRY(list_hits(d, boundary));
    for (int64_t i = 0; i < d->n_hit; i++) {
        const pl_hit *hit = &d->hit[i];
        (*hits)++;
        if (contradicts(boundary, hit, contacts, first)) continue;
        PL_TRY(add_hit(world, boundary, &hit->pair, &hit->impact, contacts));
    }
    return PL_OK;
}

pl_status pl_detect_gap(pl_detection *d, const pl_boundary *boundary, double *gap)
{
    double least = INFINITY;
    PL_TRY(pl_boxes_set(&d->boxes, boundary, PL_BOXES_END, PL_SAFETY + PL_REACH));
#pragma omp parallel for schedule(static) reduction(min : least) if (d->n_near > DETECT_SERIAL)
    for (int64_t k = 0; k < d->n_near; k++) {
        int32_t i = d->near[k];
        if (!pl_boxes_overlap(&d->boxes, &d->pair[i])) continue;
        passage p;
        pl_closest closest;
        load(d, boundary, i, &p);
        double radii = pl_boundary_radii(boundary, p.a, p.b);
        double reach = (1 + PL_REACH / PL_SAFETY) * pl_boundary_safety(boundary, p.a, p.b);
        if (distance_at_least(d, i, &p, p.x1) - radii >= PL_MIN(least, reach)) continue;
        pl_closest_points((pl_pair_kind)p.pair.kind, p.x1, &closest);
        double gap_here = closest.distance - radii;
        if (gap_here <= reach) least = PL_MIN(least, gap_here);
    }
    *gap = least;
    return PL_OK;
}
