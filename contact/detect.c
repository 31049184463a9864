// Which pairs of features get a row, and the proof that a step hits nothing.

#include "detect.h"
#include "local_minimum.h"

#include <math.h>
#include <string.h>

// Boxes are extended by this many steps of motion, so that the velocities that are solved for
// seldom leave them [VJ19, 5.1].
static const double SWEEP = 3;
// A step may bring features this near, in parts of the safety distance: that is the room which rows
// with their linear motion have for what is not.
static const double IMPACT = 0.2;
// A pair that starts closer than it should is pushed back within this time [s], but by no more than
// the part of one step: the push stays in the velocities, and a faster one throws bodies apart.
static const double RECOVERY = 0.1, RECOVERY_MAX = 0.2;

// Two hits contradict each other if they push a point that bears more than this share of either
// in directions whose cosine is below the negative of that.
static const double CONTRADICT_WEIGHT = 0.3, CONTRADICT_COSINE = 0.5;

enum {
    DETECT_SERIAL = 2000, // fewer candidates are tested by one thread
    ROWS_PER_PAIR = 6,    // more in one step do not help
};

void pl_detection_free(pl_detection *d)
{
    pl_free(d->distance);
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

static pl_status reserve(pl_detection *d)
{
    d->n = count(&d->candidates);
    PL_TRY(pl_reserve((void **)&d->distance, &d->distance_capacity, d->n, sizeof *d->distance));
    return pl_reserve((void **)&d->flag, &d->flag_capacity, d->n, sizeof *d->flag);
}

// Notes the distance of a pair at the start; true if it is to get a row.
static bool wants_row(const pl_boundary *boundary, const pl_feature_pair *pair, double *distance)
{
    int32_t point[4], a, b;
    double q0[12] = {0}, q1[12] = {0};
    pl_closest closest;
    pl_pair_points(boundary, pair, point);
    bodies_of(boundary, pair, point, &a, &b);
    gather(point, boundary->x0, q0);
    gather(point, boundary->x1, q1);
    pl_closest_points((pl_pair_kind)pair->kind, q0, &closest);
    *distance = closest.distance;
    double near = pl_boundary_radii(boundary, a, b) +
                  (1 + PL_REACH / PL_SAFETY) * pl_boundary_safety(boundary, a, b) +
                  approach(pair->kind, point, q0, q1) / SWEEP;
    return closest.distance <= near && pl_local_minimum(boundary, boundary->x0, pair, &closest);
}

static void test_start(pl_detection *d, const pl_boundary *boundary)
{
#pragma omp parallel for schedule(static) if (d->n > DETECT_SERIAL)
    for (int64_t i = 0; i < d->n; i++) {
        pl_feature_pair pair = pair_at(&d->candidates, i);
        d->flag[i] = wants_row(boundary, &pair, &d->distance[i]);
    }
}

pl_status pl_detect_candidates(pl_detection *d, const pl_world *world, pl_boundary *boundary,
                               const double *v, double dt, double t)
{
    pl_boundary_start(boundary, world);
    pl_boundary_extrapolate(boundary, world, v, dt, t, SWEEP);
    PL_TRY(pl_surfaces_search(boundary->surfaces, boundary->x0, boundary->x1, 0, &d->candidates));
    PL_TRY(reserve(d));
    test_start(d, boundary);
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
    for (int64_t i = 0; i < d->n; i++) {
        if (!d->flag[i]) continue;
        pl_feature_pair pair = pair_at(&d->candidates, i);
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

static bool find_impact(const pl_boundary *boundary, const pl_feature_pair *pair, double start,
                        pl_impact *impact)
{
    int32_t point[4], a, b;
    double q0[12] = {0}, q1[12] = {0};
    pl_pair_points(boundary, pair, point);
    bodies_of(boundary, pair, point, &a, &b);
    gather(point, boundary->x0, q0);
    gather(point, boundary->x1, q1);
    double separation = impact_distance(boundary, a, b, start);
    if (start - approach(pair->kind, point, q0, q1) > separation) return false;
    return pl_ccd((pl_pair_kind)pair->kind, q0, q1, separation, impact);
}

static void test_way(pl_detection *d, const pl_boundary *boundary)
{
#pragma omp parallel for schedule(static) if (d->n > DETECT_SERIAL)
    for (int64_t i = 0; i < d->n; i++) {
        pl_impact impact;
        pl_feature_pair pair = pair_at(&d->candidates, i);
        d->flag[i] = find_impact(boundary, &pair, d->distance[i], &impact);
    }
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
    int32_t grown;
    PL_TRY(
        pl_surfaces_extend(boundary->surfaces, boundary->x0, boundary->x1, &d->candidates, &grown));
    if (count(&d->candidates) != d->n) {
        PL_TRY(reserve(d));
        test_start(d, boundary); // for the distances
    }
    test_way(d, boundary);
    return PL_OK;
}

bool pl_detect_hit(const pl_detection *d, const pl_boundary *boundary, int64_t i,
                   pl_feature_pair *pair, pl_impact *impact)
{
    if (!d->flag[i]) return false;
    *pair = pair_at(&d->candidates, i);
    return find_impact(boundary, pair, d->distance[i], impact);
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

double pl_detect_gap(const pl_detection *d, const pl_boundary *boundary)
{
    double least = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least) if (d->n > DETECT_SERIAL)
    for (int64_t i = 0; i < d->n; i++) {
        pl_feature_pair pair = pair_at(&d->candidates, i);
        int32_t point[4], a, b;
        double q[12] = {0};
        pl_closest closest;
        pl_pair_points(boundary, &pair, point);
        bodies_of(boundary, &pair, point, &a, &b);
        gather(point, boundary->x1, q);
        pl_closest_points((pl_pair_kind)pair.kind, q, &closest);
        least = PL_MIN(least, closest.distance - pl_boundary_radii(boundary, a, b));
    }
    return least;
}
