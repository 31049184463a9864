#include "trial_judge.h"

#include <math.h>

// The columns of the rotation of a unit quaternion: the body's axes in the world.
static void axes_of(const double q[4], double axis[3][3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double columns[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) axis[i][k] = columns[i][k];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// A body in its place.
typedef struct placed {
    const pl_trial_body *body;
    const double *x;
    double axis[3][3];
    double reach; // no point is farther from x [m]
} placed;

static placed place(const pl_trial_body *body, const pl_trial_pose *pose)
{
    placed out = {.body = body, .x = pose->x};
    axes_of(pose->q, out.axis);
    const double *h = body->half;
    out.reach = body->shape == PL_TRIAL_CAPSULE ? h[0] + h[1] : sqrt(dot(h, h));
    return out;
}

// How far the body extends from its centre along a unit direction.
static double extent(const placed *p, const double n[3])
{
    const double *h = p->body->half;
    if (p->body->shape == PL_TRIAL_CAPSULE) return h[0] + h[1] * fabs(dot(n, p->axis[2]));
    return h[0] * fabs(dot(n, p->axis[0])) + h[1] * fabs(dot(n, p->axis[1])) +
           h[2] * fabs(dot(n, p->axis[2]));
}

// --- Pairs ---

// Along one axis; the least over all of them is the depth.
static double along(const placed *a, const placed *b, const double n[3])
{
    const double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
    return extent(a, n) + extent(b, n) - fabs(dot(n, d));
}

// The normals of all faces of the Minkowski sum of two boxes: theirs, and products of edges.
static double box_box(const placed *a, const placed *b)
{
    double depth = INFINITY;
    for (int i = 0; i < 3 && depth > 0; i++) {
        depth = fmin(depth, fmin(along(a, b, a->axis[i]), along(a, b, b->axis[i])));
    }
    for (int i = 0; i < 9 && depth > 0; i++) {
        const double *u = a->axis[i / 3], *v = b->axis[i % 3];
        double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
        double size = sqrt(dot(n, n));
        if (size < 1e-7) continue; // parallel edges make no face
        for (int k = 0; k < 3; k++) n[k] /= size;
        depth = fmin(depth, along(a, b, n));
    }
    return depth;
}

static double capsule_capsule(const placed *a, const placed *b)
{
    double ends[12];
    pl_closest closest;
    for (int k = 0; k < 3; k++) {
        double u = a->body->half[1] * a->axis[2][k], v = b->body->half[1] * b->axis[2][k];
        ends[k] = a->x[k] - u;
        ends[3 + k] = a->x[k] + u;
        ends[6 + k] = b->x[k] - v;
        ends[9 + k] = b->x[k] + v;
    }
    pl_closest_points(PL_EDGE_EDGE, ends, &closest);
    return a->body->half[0] + b->body->half[0] - closest.distance;
}

static double pair_depth(const placed *a, const placed *b)
{
    const double d[3] = {b->x[0] - a->x[0], b->x[1] - a->x[1], b->x[2] - a->x[2]};
    double reach = a->reach + b->reach;
    if (a->body->shape != b->body->shape || dot(d, d) > reach * reach) return 0;
    return a->body->shape == PL_TRIAL_BOX ? box_box(a, b) : capsule_capsule(a, b);
}

static double deepest(const pl_trial *trial, const pl_trial_pose *pose)
{
    double depth = 0;
    for (int32_t i = 0; i < trial->n_body; i++) {
        if (trial->body[i].shape == PL_TRIAL_SOFT) continue;
        placed a = place(&trial->body[i], &pose[i]);
        for (int32_t k = 0; k < trial->n_plane; k++) {
            const pl_trial_plane *plane = &trial->plane[k];
            double under = plane->offset + extent(&a, plane->normal) - dot(plane->normal, a.x);
            depth = fmax(depth, under);
        }
        for (int32_t j = 0; trial->touch && j < i; j++) {
            const double *x = pose[j].x;
            double far = a.reach + 2 * a.reach; // none is three times as large as another
            if (fabs(x[0] - a.x[0]) > far || fabs(x[1] - a.x[1]) > far ||
                fabs(x[2] - a.x[2]) > far || trial->body[j].shape == PL_TRIAL_SOFT) {
                continue;
            }
            placed b = place(&trial->body[j], &pose[j]);
            depth = fmax(depth, pair_depth(&a, &b));
        }
    }
    return depth;
}

// --- Energy, joints, drift ---

static void inertia(const pl_trial_body *body, double out[3])
{
    const double *h = body->half, m = body->mass;
    if (body->shape == PL_TRIAL_CAPSULE) {
        // A cylinder and two half balls, of one density.
        double r = h[0], l = 2 * h[1], cylinder = m * l / (l + 4 * r / 3), ball = m - cylinder;
        out[2] = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
        out[0] = cylinder * (l * l / 12 + 0.25 * r * r) +
                 ball * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
        out[1] = out[0];
        return;
    }
    out[0] = m / 3 * (h[1] * h[1] + h[2] * h[2]);
    out[1] = m / 3 * (h[2] * h[2] + h[0] * h[0]);
    out[2] = m / 3 * (h[0] * h[0] + h[1] * h[1]);
}

static double energy(const pl_trial *trial, const pl_trial_pose *pose)
{
    double sum = 0;
    for (int32_t i = 0; i < trial->n_body; i++) {
        const pl_trial_body *body = &trial->body[i];
        double axis[3][3], about[3];
        sum += body->mass * (0.5 * dot(pose[i].v, pose[i].v) - dot(trial->gravity, pose[i].x));
        if (body->shape == PL_TRIAL_SOFT) continue;
        axes_of(pose[i].q, axis);
        inertia(body, about);
        for (int k = 0; k < 3; k++) {
            double rate = dot(pose[i].w, axis[k]);
            sum += 0.5 * about[k] * rate * rate;
        }
    }
    return sum;
}

// Where the point of a joint is that moves with this body.
static void attached(const pl_trial *trial, const pl_trial_pose *pose, int32_t body,
                     const double point[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = point[k];
    if (body < 0) return;
    double axis[3][3];
    axes_of(pose[body].q, axis);
    for (int k = 0; k < 3; k++) out[k] = pose[body].x[k];
    for (int i = 0; i < 3; i++) {
        double arm = point[i] - trial->body[body].start.x[i]; // bodies of joints start unturned
        for (int k = 0; k < 3; k++) out[k] += arm * axis[i][k];
    }
}

static double stretch(const pl_trial *trial, const pl_trial_pose *pose)
{
    double sum = 0;
    for (int32_t i = 0; i < trial->n_joint; i++) {
        const pl_trial_joint *joint = &trial->joint[i];
        if (joint->kind != PL_TRIAL_BALL) continue;
        double a[3], b[3];
        attached(trial, pose, joint->a, joint->point, a);
        attached(trial, pose, joint->b, joint->point, b);
        for (int k = 0; k < 3; k++) a[k] -= b[k];
        sum += sqrt(dot(a, a));
    }
    return sum;
}

static bool all_finite(const pl_trial *trial, const pl_trial_pose *pose)
{
    for (int32_t i = 0; i < trial->n_body; i++) {
        const double *x = pose[i].x, *v = pose[i].v, *w = pose[i].w, *q = pose[i].q;
        double all = dot(x, x) + dot(v, v) + dot(w, w) + dot(q, q) + q[3];
        if (!isfinite(all)) return false;
    }
    return true;
}

pl_trial_verdict pl_trial_judge(const pl_trial *trial, const pl_trial_pose *pose)
{
    if (!all_finite(trial, pose)) return (pl_trial_verdict){0};
    return (pl_trial_verdict){.finite = true,
                              .overlap = deepest(trial, pose),
                              .stretch = stretch(trial, pose),
                              .energy = energy(trial, pose)};
}

double pl_trial_drift(const pl_trial *trial, const pl_trial_pose *from, const pl_trial_pose *to)
{
    double most = 0;
    for (int32_t i = 0; i < trial->drift_first; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            double by = trial->drift_of[k] * (to[i].x[k] - from[i].x[k]);
            sum += by * by;
        }
        most = fmax(most, sqrt(sum));
    }
    return most;
}
