#include "motion.h"
#include "../rigid/rotation.h"

#include <math.h>
#include <string.h>

pl_motion_until pl_motion_until_default(void)
{
    return (pl_motion_until){.time = INFINITY, .force = INFINITY, .body = PL_WORLD};
}

pl_motion pl_motion_default(void)
{
    return (pl_motion){.end = INFINITY, .axis = {0, 0, 1}};
}

static bool finite3(const double a[3])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

// Also of a vector whose squares overflow or vanish.
static double length_of(const double a[3])
{
    return hypot(hypot(a[0], a[1]), a[2]);
}

static pl_status check_until(const pl_motion *m)
{
    if (m->n_until < 0 || (m->n_until > 0 && m->until == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "until: %d conditions, but no array", (int)m->n_until);
    }
    for (int32_t i = 0; i < m->n_until; i++) {
        const pl_motion_until *u = &m->until[i];
        const double *d = u->direction;
        if (!(u->time >= 0)) {
            return pl_fail(PL_ERROR_ARGUMENT, "until[%d]: time: %g is not 0 s or above", (int)i,
                           u->time);
        }
        if (!(u->force > 0)) {
            return pl_fail(PL_ERROR_ARGUMENT, "until[%d]: force: %g is not above 0 N", (int)i,
                           u->force);
        }
        if (!finite3(d) || !isfinite(u->level)) {
            return pl_fail(PL_ERROR_ARGUMENT, "until[%d]: direction, level: not finite", (int)i);
        }
        bool never = isinf(u->time) && isinf(u->force) && d[0] == 0 && d[1] == 0 && d[2] == 0;
        if (never) return pl_fail(PL_ERROR_ARGUMENT, "until[%d]: there is no condition", (int)i);
        if ((int)u->then < 0 || u->then > PL_MOTION_GO) {
            return pl_fail(PL_ERROR_ARGUMENT, "until[%d]: then: there is no %d", (int)i,
                           (int)u->then);
        }
    }
    return PL_OK;
}

static pl_status check(const pl_motion *m)
{
    if (!isfinite(m->start)) return pl_fail(PL_ERROR_ARGUMENT, "start: not finite");
    if (!(m->end >= m->start)) return pl_fail(PL_ERROR_ARGUMENT, "end: before the start");
    if (!finite3(m->velocity)) return pl_fail(PL_ERROR_ARGUMENT, "velocity: not finite");
    if (!finite3(m->centre)) return pl_fail(PL_ERROR_ARGUMENT, "centre: not finite");
    if (!isfinite(m->rate)) return pl_fail(PL_ERROR_ARGUMENT, "rate: not finite");
    if (m->n_key < 0 || (m->n_key > 0 && m->key == NULL)) {
        return pl_fail(PL_ERROR_ARGUMENT, "key: %d keys, but no array", (int)m->n_key);
    }
    bool turns = m->rate != 0;
    for (int32_t i = 0; i < m->n_key; i++) {
        const pl_motion_key *key = &m->key[i];
        if (!isfinite(key->time) || !finite3(key->offset) || !isfinite(key->angle)) {
            return pl_fail(PL_ERROR_ARGUMENT, "key[%d]: not finite", (int)i);
        }
        if (i > 0 && key->time <= m->key[i - 1].time) {
            return pl_fail(PL_ERROR_ARGUMENT, "key[%d]: its time does not rise", (int)i);
        }
        turns |= key->angle != 0;
    }
    PL_TRY(check_until(m));
    double length = length_of(m->axis);
    if (turns && !(length > 0 && isfinite(length))) {
        return pl_fail(PL_ERROR_ARGUMENT, "axis: has no direction");
    }
    return PL_OK;
}

pl_status pl_path_create(const pl_motion *motion, pl_path *out)
{
    *out = (pl_path){.motion = *motion, .body = -1, .heading = 1, .now = {.speed = 1}};
    out->before = out->now;
    out->motion.key = NULL;
    out->motion.until = NULL;
    PL_TRY(check(motion));
    out->keys = pl_alloc(motion->n_key, sizeof *out->keys);
    out->until = pl_alloc(motion->n_until, sizeof *out->until);
    if (out->keys == NULL || out->until == NULL) {
        pl_path_free(out);
        return PL_ERROR_MEMORY;
    }
    if (motion->n_key > 0)
        memcpy(out->keys, motion->key, (size_t)motion->n_key * sizeof *out->keys);
    if (motion->n_until > 0)
        memcpy(out->until, motion->until, (size_t)motion->n_until * sizeof *out->until);
    out->motion.key = out->keys;
    out->motion.until = out->until;
    return PL_OK;
}

// The clock of the motion at a time of the world. What was before the last but one condition held
// nobody asks, but for the start.
static double clock_at(const pl_path *path, double t)
{
    const pl_path_clock *c = t >= path->now.since ? &path->now : &path->before;
    if (path->stage == 0 || t < c->since) return t;
    return c->clock + c->speed * (t - c->since);
}

static double clamp(double x, double lo, double hi)
{
    return fmin(fmax(x, lo), hi);
}

// When nothing moves any more.
static double last_clock(const pl_motion *m)
{
    const double *v = m->velocity;
    bool keys_only = m->rate == 0 && v[0] == 0 && v[1] == 0 && v[2] == 0;
    if (!keys_only) return m->end;
    return fmin(m->end, m->start + (m->n_key > 0 ? m->key[m->n_key - 1].time : 0));
}

void pl_path_turn(pl_path *path, double t)
{
    const pl_motion_until *u = &path->until[path->stage % path->motion.n_until];
    double clock = clock_at(path, t);
    if (u->then == PL_MOTION_REVERSE) {
        path->heading = -path->heading;
        // What lies beyond the ends of the motion takes no time on the way back.
        clock = clamp(clock, path->motion.start, last_clock(&path->motion));
    }
    path->before = path->now;
    path->now = (pl_path_clock){t, clock, u->then == PL_MOTION_STOP ? 0 : path->heading};
    path->stage++;
}

void pl_path_free(pl_path *path)
{
    pl_free(path->keys);
    pl_free(path->until);
    *path = (pl_path){0};
}

bool pl_path_active(const pl_path *path, double t, double slack)
{
    double clock = clock_at(path, t);
    bool began = path->stage > 0 || t >= path->motion.start - slack;
    return began && clock <= path->motion.end + slack;
}

static void interpolate(int32_t n, const pl_motion_key *key, double s, double offset[3],
                        double *angle)
{
    if (n == 0) return;
    int32_t i = 0; // the last key at or before s
    while (i + 1 < n && key[i + 1].time <= s) i++;
    double u = 0;
    const pl_motion_key *a = &key[i], *b = a;
    if (i + 1 < n && s > a->time) {
        b = a + 1;
        u = (s - a->time) / (b->time - a->time);
    }
    for (int k = 0; k < 3; k++) offset[k] += a->offset[k] + u * (b->offset[k] - a->offset[k]);
    *angle += a->angle + u * (b->angle - a->angle);
}

// Offset and angle at time t, and the unit axis (none if the angle is 0).
static void evaluate(const pl_path *path, double t, double offset[3], double *angle, double axis[3])
{
    const pl_motion_key way[2] = {{0}, path->way.end};
    const pl_motion sent = {.start = path->way.start, .end = INFINITY, .n_key = 2};
    const pl_motion *m = path->sent ? &sent : &path->motion;
    const double *along = path->sent ? path->way.axis : path->motion.axis;
    double clock = path->sent ? t : clock_at(path, t);
    double s = fmin(fmax(clock, m->start), m->end) - m->start;
    *angle = m->rate * s;
    for (int k = 0; k < 3; k++) offset[k] = m->velocity[k] * s;
    interpolate(m->n_key, path->sent ? way : path->keys, s, offset, angle);
    double length = length_of(along);
    for (int k = 0; k < 3; k++) axis[k] = *angle != 0 ? along[k] / length : 0;
}

static void apply_motion(const pl_path *path, double t, const double x0[3], double x[3])
{
    const double *centre = path->sent ? path->way.centre : path->motion.centre;
    double offset[3], angle, a[3], r[3], dot = 0;
    evaluate(path, t, offset, &angle, a);
    if (angle == 0) {
        for (int k = 0; k < 3; k++) x[k] = x0[k] + offset[k];
        return;
    }
    // Rodrigues: R r = r cos + (a x r) sin + a (a . r) (1 - cos) with the unit axis a.
    for (int k = 0; k < 3; k++) {
        r[k] = x0[k] - centre[k];
        dot += a[k] * r[k];
    }
    double c = cos(angle), sn = sin(angle);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double cross = a[i] * r[j] - a[j] * r[i];
        x[k] = centre[k] + r[k] * c + cross * sn + a[k] * dot * (1 - c) + offset[k];
    }
}

void pl_path_apply(const pl_path *path, double t, const double x0[3], double x[3])
{
    const double *m = path->way.base;
    double start[3];
    if (!path->sent) {
        apply_motion(path, t, x0, x);
        return;
    }
    for (int k = 0; k < 3; k++, m += 4) {
        start[k] = ((m[0] * x0[0] + m[1] * x0[1]) + m[2] * x0[2]) + m[3];
    }
    apply_motion(path, t, start, x);
}

bool pl_path_rests(const pl_path *path, double t0, double t1)
{
    double offset[2][3], angle[2], axis[3];
    evaluate(path, t0, offset[0], &angle[0], axis);
    evaluate(path, t1, offset[1], &angle[1], axis);
    return angle[0] == angle[1] && offset[0][0] == offset[1][0] && offset[0][1] == offset[1][1] &&
           offset[0][2] == offset[1][2];
}

// Where the path has taken a body at time t: the rotation R (9), and where the origin is.
static void find_pose(const pl_path *path, double t, double R[9], double origin[3])
{
    pl_path_apply(path, t, (const double[3]){0, 0, 0}, origin);
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0}, to[3];
        axis[k] = 1;
        pl_path_apply(path, t, axis, to);
        for (int i = 0; i < 3; i++) R[3 * i + k] = to[i] - origin[i];
    }
    double q[4]; // it has lost some digits
    pl_rotation_from_matrix(R, q);
    pl_rotation_compose(q, (const double[4]){1, 0, 0, 0}, q);
    pl_rotation_matrix(q, R);
}

void pl_path_send(pl_path *path, double t, double dt, const double position[3],
                  const double orientation[4])
{
    double R[9], origin[3], q[4], back[4], turn[4], u[3];
    find_pose(path, t, R, origin);
    pl_rotation_from_matrix(R, q);
    for (int k = 0; k < 4; k++) back[k] = k == 0 ? q[k] : -q[k];
    pl_rotation_compose(orientation, back, turn);
    pl_rotation_log(turn, (const double[3]){0, 0, 0}, u);
    double angle = length_of(u);
    pl_way way = {.start = t, .end = {.time = dt, .angle = angle}};
    for (int k = 0; k < 3; k++) {
        memcpy(way.base + 4 * k, R + 3 * k, 3 * sizeof *R);
        way.base[4 * k + 3] = way.centre[k] = origin[k];
        way.axis[k] = angle > 0 ? u[k] : k == 2;
        way.end.offset[k] = position[k] - origin[k];
    }
    path->way = way;
    path->sent = true;
}

void pl_path_step(const pl_path *path, double t0, double t1, double at[3], double u[6])
{
    double offset[2][3], angle[2], axis[2][3], dt = t1 - t0;
    evaluate(path, t0, offset[0], &angle[0], axis[0]);
    evaluate(path, t1, offset[1], &angle[1], axis[1]);
    for (int k = 0; k < 3; k++) {
        at[k] = (path->sent ? path->way.centre : path->motion.centre)[k] + offset[0][k];
        u[k] = (offset[1][k] - offset[0][k]) / dt;
        // Both ends turn about one axis; one that has not turned does not name it.
        u[3 + k] = (angle[1] - angle[0]) / dt * axis[angle[1] != 0][k];
    }
}
