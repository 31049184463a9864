#include "motion.h"

#include <math.h>
#include <string.h>

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
    double length = length_of(m->axis);
    if (turns && !(length > 0 && isfinite(length))) {
        return pl_fail(PL_ERROR_ARGUMENT, "axis: has no direction");
    }
    return PL_OK;
}

pl_status pl_path_create(const pl_motion *motion, pl_path *out)
{
    *out = (pl_path){.motion = *motion};
    PL_TRY(check(motion));
    out->keys = pl_alloc(motion->n_key, sizeof *out->keys);
    if (out->keys == NULL) return PL_ERROR_MEMORY;
    if (motion->n_key > 0)
        memcpy(out->keys, motion->key, (size_t)motion->n_key * sizeof *out->keys);
    out->motion.key = out->keys;
    return PL_OK;
}

void pl_path_free(pl_path *path)
{
    pl_free(path->keys);
    *path = (pl_path){0};
}

bool pl_path_active(const pl_path *path, double t, double slack)
{
    return t >= path->motion.start - slack && t <= path->motion.end + slack;
}

static void interpolate(const pl_path *path, double s, double offset[3], double *angle)
{
    int32_t n = path->motion.n_key;
    const pl_motion_key *key = path->keys;
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
    const pl_motion *m = &path->motion;
    double s = fmin(fmax(t, m->start), m->end) - m->start;
    *angle = m->rate * s;
    for (int k = 0; k < 3; k++) offset[k] = m->velocity[k] * s;
    interpolate(path, s, offset, angle);
    double length = length_of(m->axis);
    for (int k = 0; k < 3; k++) axis[k] = *angle != 0 ? m->axis[k] / length : 0;
}

void pl_path_apply(const pl_path *path, double t, const double x0[3], double x[3])
{
    const double *centre = path->motion.centre;
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

void pl_path_step(const pl_path *path, double t0, double t1, double at[3], double u[6])
{
    double offset[2][3], angle[2], axis[2][3], dt = t1 - t0;
    evaluate(path, t0, offset[0], &angle[0], axis[0]);
    evaluate(path, t1, offset[1], &angle[1], axis[1]);
    for (int k = 0; k < 3; k++) {
        at[k] = path->motion.centre[k] + offset[0][k];
        u[k] = (offset[1][k] - offset[0][k]) / dt;
        // Both ends turn about one axis; one that has not turned does not name it.
        u[3 + k] = (angle[1] - angle[0]) / dt * axis[angle[1] != 0][k];
    }
}
